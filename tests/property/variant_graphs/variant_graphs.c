/* SPDX-License-Identifier: MIT */
/*
 * variant_graphs - what the proof says of variants that are graphs, against wrappers that refuse or do not.
 *
 *     variant_graphs WRAPGEN COMPILER ROOT FOLDER CALLS SEED
 *
 * Each kernel is written twice: for the proof, in this process, with the graph as a variant; for generated code with a
 * symbol in its place, so that what the tool would refuse can be tried as well. Who is right is the wrapper, which
 * knows nothing of kernels.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/yaml/front.h"
#include "gen/dispatch/prove.h"
#include "templates/hosts/native/wg_native.h"

enum { MOST_KERNELS = 300, MAX_RANK = 3, NUM_TENSORS = 2 };

static const char *const DTYPES[] = {"float32", "float16", "int64"};
static const int32_t DTYPE_NUMBERS[] = {6, 5, 4};

enum { NUM_ARGS = 3, NUM_ORDERS = 4 };
static const char *const ORDERS[NUM_ORDERS] = {"abn", "nba", "bna", "nab"}; /* the first is the kernel's */

/* Of a graph, and of a variant; one whose symbols are not bound there is refused, and another case is drawn. */
static const char *const GUARDS[] = {
    "s0 % 2 == 0", "s0*s0 >= 0", "s0 // 2 == 1",      "not (s0 == 2)",   "s1 != 3",     "s0*s0 >= 0 and s0 % 2 == 1",
    "s0 <= s1",    "s0*s1 > 4",  "s1 > 2 or s1 == 7", "max(s0, s1) < 3", "s0 + s1 != 5"};
enum { NUM_GUARDS = sizeof GUARDS / sizeof GUARDS[0] };

static uint64_t state;
static int failed;

static int below(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 11) % (uint64_t)n);
}

static bool chance(int percent)
{
    return below(100) < percent;
}

/* ---- a kernel as text ---- */

/* One dim: a literal above 0, a symbol as -1 - number, or 0: any. */
typedef struct Stated {
    int dtype; /* of DTYPES, -1: not stated */
    int rank;  /* -1: no size */
    int size[MAX_RANK];
    bool has_stride;
    int stride[MAX_RANK];
    bool is_null; /* conditions on b alone */
} Stated;

typedef struct Side {
    Stated tensor[NUM_TENSORS];
    int value; /* as a dim */
    int guard; /* of GUARDS, -1: none */
} Side;

typedef struct Case {
    Side graph;
    Side when;
    Side early; /* a symbol's variant before it */
    bool has_early;
    const char
        *order; /* the graph's inputs, by their letters; others than the kernel's order are named in the variant */
} Case;

static int random_dim(bool any)
{
    return chance(25) ? -1 - below(2) : any && chance(30) ? 0 : 1 + below(3);
}

static Side random_side(bool any)
{
    Side side;
    memset(&side, 0, sizeof side);
    for (int t = 0; t < NUM_TENSORS; t++) {
        Stated *stated = &side.tensor[t];
        stated->dtype = chance(50) ? below(3) : -1;
        stated->rank = chance(60) ? below(MAX_RANK + 1) : -1;
        stated->has_stride = stated->rank >= 0 && chance(40);
        stated->is_null = any && t == 1 && chance(10);
        for (int d = 0; d < stated->rank; d++) {
            stated->size[d] = random_dim(any);
            stated->stride[d] = random_dim(any);
        }
    }
    side.value = chance(40) ? random_dim(any) : 0;
    side.guard = chance(60) ? below(NUM_GUARDS) : -1; /* most name symbols that are not bound */
    return side;
}

/* Conditions that are much like what the graph states, so that they often imply it. */
static Side near(const Side *graph)
{
    Side side = random_side(true);
    for (int t = 0; t < NUM_TENSORS; t++) {
        const Stated *from = &graph->tensor[t];
        Stated *to = &side.tensor[t];
        to->is_null = to->is_null && chance(30);
        to->dtype = chance(92) ? from->dtype : to->dtype;
        if (chance(92)) {
            const bool is_null = to->is_null;
            const int dtype = to->dtype;
            *to = *from;
            to->is_null = is_null;
            to->dtype = dtype;
        }
        for (int d = 0; d < to->rank; d++) {
            to->size[d] = chance(5) ? 0 : to->size[d];
            to->stride[d] = chance(5) ? 0 : to->stride[d];
        }
    }
    side.value = chance(92) ? graph->value : side.value;
    side.guard = chance(75) ? graph->guard : chance(75) ? -1 : side.guard;
    return side;
}

static void print_dim(int dim, FILE *out)
{
    if (dim == 0) {
        fprintf(out, "any");
    } else {
        fprintf(out, dim < 0 ? "s%d" : "%d", dim < 0 ? -1 - dim : dim);
    }
}

static void print_dims(const char *key, const int *dims, int rank, FILE *out)
{
    fprintf(out, ", %s: [", key);
    for (int d = 0; d < rank; d++) {
        fprintf(out, d > 0 ? ", " : "");
        print_dim(dims[d], out);
    }
    fprintf(out, "]");
}

static void print_stated(const Stated *stated, FILE *out)
{
    if (stated->dtype >= 0) {
        fprintf(out, ", dtype: %s", DTYPES[stated->dtype]);
    }
    if (stated->rank >= 0) {
        print_dims("size", stated->size, stated->rank, out);
    }
    if (stated->has_stride) {
        print_dims("stride", stated->stride, stated->rank, out);
    }
}

static void print_when(const Side *side, FILE *out)
{
    static const char *const names[] = {"a", "b"};
    const char *comma = "";
    fprintf(out, "[");
    for (int t = 0; t < NUM_TENSORS; t++) {
        const Stated *stated = &side->tensor[t];
        if (stated->is_null) {
            fprintf(out, "%s{arg: b, is_null: true}", comma);
        } else if (stated->dtype >= 0 || stated->rank >= 0) {
            fprintf(out, "%s{arg: %s", comma, names[t]);
            print_stated(stated, out);
            fprintf(out, "}");
        } else {
            continue;
        }
        comma = ", ";
    }
    if (side->value != 0) {
        fprintf(out, "%s{arg: n, value: ", comma);
        print_dim(side->value, out);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

static void print_guard(const char *before, const Side *side, const char *after, FILE *out)
{
    if (side->guard >= 0) {
        fprintf(out, "%sguards: ['%s']%s", before, GUARDS[side->guard], after);
    }
}

static void print_head(FILE *out)
{
    fprintf(out, "wrapgen: 1\nsymbols: [{name: s0}, {name: s1, min: 2, max: 8}]\n");
}

static void print_graph(const Case *it, int number, FILE *out)
{
    fprintf(out, "  - name: g%d\n    mode: inference\n    compiled: body\n    outputs: []\n", number);
    print_guard("    ", &it->graph, "\n", out);
    fprintf(out, "    inputs:\n");
    for (int i = 0; i < NUM_ARGS; i++) {
        fprintf(out, "      - {name: %c", it->order[i]);
        if (it->order[i] != 'n') {
            print_stated(&it->graph.tensor[it->order[i] - 'a'], out);
        } else if (it->graph.value != 0) {
            fprintf(out, ", kind: int, value: ");
            print_dim(it->graph.value, out);
        } else {
            fprintf(out, ", kind: int");
        }
        fprintf(out, "}\n");
    }
}

static void print_kernel(const Case *it, int number, bool as_graph, FILE *out)
{
    fprintf(out,
            "  - name: k%d\n    args: [{name: a, kind: tensor, subclass_ok: false}, {name: b, kind: tensor, nullable: "
            "true, "
            "subclass_ok: false}, {name: n, kind: int}]\n    variants:\n",
            number);
    if (it->has_early) {
        fprintf(out, "      - {symbol: early, when: ");
        print_when(&it->early, out);
        print_guard(", ", &it->early, "", out);
        fprintf(out, "}\n");
    }
    fprintf(out, as_graph ? "      - {graph: g%d, " : "      - {symbol: v%d, ", number);
    if (as_graph && strcmp(it->order, ORDERS[0]) != 0) {
        fprintf(out, "args: [%c, %c, %c], ", it->order[0], it->order[1], it->order[2]);
    }
    fprintf(out, "when: ");
    print_when(&it->when, out);
    print_guard(", ", &it->when, "", out);
    fprintf(out, "}\n");
}

/* ---- the proof, in this process ---- */

typedef enum Verdict { FITS, MISFIT, REFUSED, UNPROVED, NUM_VERDICTS } Verdict;

typedef struct Proved {
    Arena arena;
    const Dispatch *dispatch;
    Verdict verdict;
    Witness witness;
} Proved;

/* false: the tool would refuse it for another reason. */
static bool prove_case(const Case *it, Proved *proved)
{
    Diag diag;
    Source source = {.name = "kernel.yaml"};
    char *text = NULL;
    FILE *out = open_memstream(&text, &source.length);
    print_head(out);
    fprintf(out, "graphs:\n");
    print_graph(it, 0, out);
    fprintf(out, "kernels:\n");
    print_kernel(it, 0, true, out);
    fclose(out);
    arena_init(&proved->arena);
    diag_init(&diag, &proved->arena);
    source.text = arena_copy(&proved->arena, text, source.length);
    free(text);
    if (!source_load(&proved->arena, &diag, &source) || !validate_specs(&proved->arena, &diag, &source, 1, NULL)) {
        return false;
    }
    Dispatch *dispatch = dispatch_new(&proved->arena, source.spec, &source.spec->kernels[0], true);
    dispatch_add_graphs(dispatch);
    const Proof proof = prove_dispatch(&proved->arena, dispatch);
    proved->dispatch = dispatch;
    proved->verdict = FITS;
    for (uint32_t i = 0; i < proof.num_findings; i++) {
        const Finding *finding = &proof.findings[i];
        if (finding->kind == FINDING_IMPOSSIBLE || finding->kind == FINDING_SHADOWED) {
            return false;
        }
        if (finding->variant != (it->has_early ? 1 : 0)) {
            continue;
        }
        if (finding->kind == FINDING_MISFIT || finding->kind == FINDING_REFUSED || finding->kind == FINDING_UNPROVED) {
            proved->verdict = finding->kind == FINDING_MISFIT    ? MISFIT
                              : finding->kind == FINDING_REFUSED ? REFUSED
                                                                 : UNPROVED;
            proved->witness = finding->witness;
        }
    }
    return true;
}

static void make_case(Case *it, Proved *proved)
{
    bool good = false;
    while (!good) {
        it->graph = random_side(false);
        it->when = chance(85) ? near(&it->graph) : random_side(true);
        it->early = chance(50) ? near(&it->when) : random_side(true);
        it->has_early = chance(50);
        it->order = ORDERS[below(NUM_ORDERS)];
        good = prove_case(it, proved);
        if (!good) {
            arena_release(&proved->arena);
        }
    }
}

/* ---- calls ---- */

typedef struct Call {
    bool b_is_null;
    int dtype[NUM_TENSORS];
    int64_t rank[NUM_TENSORS];
    int64_t sizes[NUM_TENSORS][MAX_RANK + 1];
    int64_t strides[NUM_TENSORS][MAX_RANK + 1];
    int64_t n;
} Call;

typedef struct Args {
    WgTensor *a;
    WgTensor *b;
    int64_t n;
} Args;

typedef int32_t Select(WgContext *ctx, const Args *args);
typedef int32_t Boxed(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t num_outs);

static int64_t filled(int dim, const int64_t *symbols)
{
    return dim > 0 ? dim : dim < 0 ? symbols[-1 - dim] : 1 + below(3);
}

/* One that the conditions mostly take. */
static void random_call(const Case *it, Call *call)
{
    const int64_t symbols[] = {1 + below(3), 2 + below(2)};
    memset(call, 0, sizeof *call);
    for (int t = 0; t < NUM_TENSORS; t++) {
        const Stated *stated = &it->when.tensor[t];
        call->dtype[t] = DTYPE_NUMBERS[stated->dtype >= 0 && chance(95) ? stated->dtype : below(3)];
        call->rank[t] = stated->rank >= 0 && chance(97) ? stated->rank : below(MAX_RANK + 1);
        for (int d = 0; d < call->rank[t]; d++) {
            call->sizes[t][d] = filled(d < stated->rank && chance(97) ? stated->size[d] : 0, symbols);
            call->strides[t][d] = filled(stated->has_stride && d < stated->rank ? stated->stride[d] : 0, symbols);
        }
    }
    call->b_is_null = it->when.tensor[1].is_null ? chance(95) : chance(5);
    call->n = filled(it->when.value, symbols);
}

static bool call_of(const Witness *witness, Call *call)
{
    memset(call, 0, sizeof *call);
    for (int t = 0; t < NUM_TENSORS; t++) {
        const WitnessNode *node = &witness->nodes[t];
        call->rank[t] = node->fields[FIELD_PRESENT] == 1 ? node->fields[FIELD_RANK] : 0;
        call->dtype[t] = (int)node->fields[FIELD_DTYPE];
        if (call->rank[t] > MAX_RANK) {
            return false;
        }
        for (int64_t d = 0; d < call->rank[t]; d++) {
            call->sizes[t][d] = node->dims[FIELD_SIZE][d];
            call->strides[t][d] = node->dims[FIELD_STRIDE][d];
        }
    }
    call->b_is_null = witness->nodes[1].fields[FIELD_PRESENT] != 1;
    call->n = witness->nodes[2].fields[FIELD_VALUE];
    return true;
}

typedef struct Loaded {
    WgContext *ctx;
    Select *select;
    Boxed *boxed;
} Loaded;

/* Is the graph's variant chosen, and what does its wrapper say? */
static bool try_call(const Case *it, const Loaded *loaded, Call *call, int32_t *status)
{
    WgTensor tensors[NUM_TENSORS];
    memset(tensors, 0, sizeof tensors);
    for (int t = 0; t < NUM_TENSORS; t++) {
        tensors[t].sizes = call->sizes[t];
        tensors[t].strides = call->strides[t];
        tensors[t].rank = (int32_t)call->rank[t];
        tensors[t].dtype = call->dtype[t];
    }
    const Args args = {&tensors[0], call->b_is_null ? NULL : &tensors[1], call->n};
    const WgValue by_letter[] = {
        ['a'] = wg_value_tensor(args.a), ['b'] = wg_value_tensor(args.b), ['n'] = wg_value_integer(args.n)};
    WgValue values[NUM_ARGS];
    for (int i = 0; i < NUM_ARGS; i++) {
        values[i] = by_letter[(int)it->order[i]];
    }
    if (loaded->select(loaded->ctx, &args) != (it->has_early ? 1 : 0)) {
        return false;
    }
    *status = loaded->boxed(loaded->ctx, values, NUM_ARGS, NULL, 0);
    return true;
}

/* The stride of a dim of size 1 counts for a wrapper alone, as SPEC.md says. */
static bool has_loose_stride(const Case *it, const Call *call)
{
    for (int t = 0; t < NUM_TENSORS; t++) {
        for (int64_t d = 0; it->graph.tensor[t].has_stride && d < call->rank[t]; d++) {
            if (call->sizes[t][d] == 1) {
                return true;
            }
        }
    }
    return false;
}

static void broken(const Case *it, const char *what)
{
    if (failed++ > 3) {
        return;
    }
    printf("# %s\n", what);
    print_graph(it, 0, stdout);
    print_kernel(it, 0, true, stdout);
}

static long num_accepted;
static long num_refused;
static int num_verdicts[NUM_VERDICTS];
static int num_guarded; /* graphs */

static void hold(const Case *it, const Proved *proved, const Loaded *loaded, int calls)
{
    Call call;
    int32_t status = 0;
    num_verdicts[proved->verdict]++;
    num_guarded += it->graph.guard >= 0;
    if (proved->verdict == REFUSED && call_of(&proved->witness, &call)) {
        if (!try_call(it, loaded, &call, &status)) {
            broken(it, "the witness does not choose the graph");
        } else if (status == WG_OK) {
            broken(it, "the wrapper takes the call that it is said to refuse");
        }
    }
    for (int i = 0; i < calls; i++) {
        random_call(it, &call);
        if (!try_call(it, loaded, &call, &status) || has_loose_stride(it, &call)) {
            continue;
        }
        num_accepted += status == WG_OK;
        num_refused += status != WG_OK;
        if (status == WG_OK && proved->verdict == MISFIT) {
            broken(it, "the wrapper takes a call though the conditions are said to contradict it");
        } else if (status != WG_OK && proved->verdict == FITS) {
            broken(it, "the wrapper refuses a call and the proof says nothing");
        }
    }
}

/* ---- generated code ---- */

static void *build(char **argv, const Case *cases, int num_kernels)
{
    char command[4096];
    char path[1024];
    snprintf(path, sizeof path, "%s/all.yaml", argv[4]);
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return NULL;
    }
    print_head(out);
    fprintf(out, "graphs:\n");
    for (int i = 0; i < num_kernels; i++) {
        print_graph(&cases[i], i, out);
    }
    fprintf(out, "kernels:\n");
    for (int i = 0; i < num_kernels; i++) {
        print_kernel(&cases[i], i, false, out);
    }
    fclose(out);
    snprintf(path, sizeof path, "%s/body.c", argv[4]);
    out = fopen(path, "w");
    if (out == NULL) {
        return NULL;
    }
    fprintf(out,
            "#include \"wg_core.h\"\nint32_t body(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, "
            "size_t *num_outs)\n{\n    (void)ctx, (void)args, (void)num_args, (void)outs;\n    *num_outs = 0;\n"
            "    return 0;\n}\n");
    fclose(out);
    snprintf(command, sizeof command,
             "%s -Wno-overlap -Wno-uncovered -Wno-unproved --in %s/all.yaml --out %s/all.c && %s -shared -fPIC -w "
             "-I%s/templates/core -I%s/templates/hosts/native -o %s/all.so %s/all.c %s/body.c %s/templates/core/*.c "
             "%s/templates/hosts/native/*.c",
             argv[1], argv[4], argv[4], argv[2], argv[3], argv[3], argv[4], argv[4], argv[4], argv[3], argv[3]);
    if (system(command) != 0) {
        printf("# failed: %s\n", command);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/all.so", argv[4]);
    return dlopen(path, RTLD_LAZY);
}

static bool look_up(void *library, int number, Loaded *loaded)
{
    char name[32];
    snprintf(name, sizeof name, "k%d_select", number);
    *(void **)&loaded->select = dlsym(library, name);
    snprintf(name, sizeof name, "g%d_boxed", number);
    *(void **)&loaded->boxed = dlsym(library, name);
    return loaded->select != NULL && loaded->boxed != NULL;
}

static int num_tests;
static int num_bad;

static void result(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++num_tests, name);
    num_bad += good ? 0 : 1;
}

static bool hold_all(void *library, const Case *cases, const Proved *proved, int num_kernels, int calls)
{
    Loaded loaded = {NULL, NULL, NULL};
    int32_t (*create)(const WgNativeAllocator *allocator, WgContext **ctx) = NULL;
    void (*destroy)(WgContext * ctx) = NULL;
    *(void **)&create = dlsym(library, "wg_context_create");
    *(void **)&destroy = dlsym(library, "wg_context_destroy");
    if (create == NULL || destroy == NULL || create(NULL, &loaded.ctx) != 0) {
        return false;
    }
    for (int i = 0; i < num_kernels; i++) {
        if (!look_up(library, i, &loaded)) {
            return false;
        }
        hold(&cases[i], &proved[i], &loaded, calls);
    }
    destroy(loaded.ctx);
    return true;
}

int main(int argc, char **argv)
{
    static Case cases[MOST_KERNELS];
    static Proved proved[MOST_KERNELS];
    const int num_kernels = argc == 8 ? atoi(argv[7]) : 0;
    const int few = num_kernels / 10;
    if (num_kernels < 1 || num_kernels > MOST_KERNELS) {
        fprintf(stderr, "usage: %s WRAPGEN COMPILER ROOT FOLDER CALLS SEED KERNELS\n", argv[0]);
        return 2;
    }
    state = strtoull(argv[6], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < num_kernels; i++) {
        make_case(&cases[i], &proved[i]);
    }
    void *library = build(argv, cases, num_kernels);
    result(library != NULL && hold_all(library, cases, proved, num_kernels, atoi(argv[5])),
           "the kernels and graphs are generated");
    result(failed == 0, "wrappers refuse what the proof says they refuse, and nothing else");
    result(num_verdicts[FITS] > few && num_verdicts[MISFIT] > few / 4 && num_verdicts[REFUSED] > few &&
               num_guarded > few && num_accepted > 150 * few && num_refused > 150 * few,
           "there is something of each kind");
    printf("# %d fit, %d contradict, %d refused now and then, %d not proved; %d with guards; %ld calls taken, %ld "
           "refused\n",
           num_verdicts[FITS], num_verdicts[MISFIT], num_verdicts[REFUSED], num_verdicts[UNPROVED], num_guarded,
           num_accepted, num_refused);
    for (int i = 0; i < num_kernels; i++) {
        arena_release(&proved[i].arena);
    }
    printf("%d passed, %d failed, 0 skipped\n", num_tests - num_bad, num_bad);
    return num_bad > 0;
}
