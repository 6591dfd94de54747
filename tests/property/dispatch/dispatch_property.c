/* SPDX-License-Identifier: MIT */
/*
 * dispatch_property - random kernels through the tool, three dispatchers each, and random calls against the matcher.
 *
 *     dispatch_property WRAPGEN COMPILER ROOT FOLDER CALLS SEED KERNELS
 *
 * Every witness of the proof is passed to the dispatchers too, and put to the matcher; variants that the proof calls
 * shadowed or impossible are held against calls, and then left out, since the tool refuses them.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/algebra/cpu.h"
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/yaml/front.h"
#include "gen/dispatch/prove.h"
#include "model.h"
#include "templates/hosts/native/wg_native.h"

static const char *const STRATEGIES[] = {"chain", "tree", "hash"};
enum { NUM_STRATEGIES = 3, NUM_MODES = 4 };

/* The struct of generated arguments, as the header declares it. */
typedef struct Args {
    WgTensor *a;
    WgTensor *b;
    int64_t n;
    const char *mode;
    double x;
    int32_t to;
    int32_t where;
    int32_t flag;
    struct {
        WgTensor *const *items;
        size_t count;
    } ts;
} Args;

typedef int32_t Select(WgContext *ctx, const Args *args);
typedef size_t Explain(WgContext *ctx, const Args *args, char *buffer, size_t capacity);

static int passed;
static int failed;

static void result(bool good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++passed + failed, name);
    if (!good) {
        passed--;
        failed++;
    }
}

static void broken(const char *what)
{
    printf("# %s\n", what);
    failed++;
}

/* ---- the tool, in this process ---- */

static char *yaml_of(const Kernel *kernel)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    print_symbols(out);
    print_kernel(kernel, "k", out);
    fclose(out);
    return text;
}

/* The kernel as the tool takes it; null: it breaks a rule. */
static Dispatch *load(Arena *arena, const Kernel *kernel)
{
    Diag diag;
    Source source = {.name = "kernel.yaml"};
    char *text = yaml_of(kernel);
    diag_init(&diag, arena);
    source.length = strlen(text);
    source.text = arena_copy(arena, text, source.length);
    free(text);
    if (!source_load(arena, &diag, &source) || !validate_specs(arena, &diag, &source, 1, NULL)) {
        return NULL;
    }
    return dispatch_new(arena, source.spec, &source.spec->kernels[0], true);
}

/* Does that variant alone pass the rules, and can it hold? */
static bool is_valid(Kernel *kernel, const Variant *variant)
{
    Arena arena;
    Variant copy = *variant;
    Kernel alone = *kernel;
    alone.num_variants = 1;
    alone.variants = &copy;
    arena_init(&arena);
    const Dispatch *dispatch = load(&arena, &alone);
    bool valid = dispatch != NULL;
    if (valid) {
        const Proof proof = prove_dispatch(&arena, dispatch);
        valid = proof.findings[0].kind != FINDING_IMPOSSIBLE;
        for (int i = 0; !valid && i < 50; i++) {
            Call call;
            random_call(&alone, &call);
            if (first_match(&alone, &call) == 0) {
                broken("a call satisfies a variant whose conditions are said to contradict each other");
            }
        }
    }
    arena_release(&arena);
    return valid;
}

/* Leaves out what the proof says can never be chosen, after trying to choose it. */
static int num_shadowed;

static void drop_shadowed(Kernel *kernel)
{
    Arena arena;
    arena_init(&arena);
    const Dispatch *dispatch = load(&arena, kernel);
    const Proof proof = prove_dispatch(&arena, dispatch);
    bool *drop = arena_alloc(&arena, (size_t)kernel->num_variants + 1);
    for (uint32_t i = 0; i < proof.num_findings; i++) {
        const Finding *finding = &proof.findings[i];
        if (finding->kind == FINDING_SHADOWED || finding->kind == FINDING_IMPOSSIBLE) {
            drop[finding->variant] = true;
            num_shadowed++;
        }
        for (uint32_t k = 0; finding->kind != FINDING_KEY && k < finding->num_others; k++) {
            if (finding->others[k] >= finding->variant) {
                broken("an earlier variant is not an earlier one");
            }
        }
    }
    for (int i = 0; i < 2000; i++) {
        Call call;
        random_call(kernel, &call);
        const int match = first_match(kernel, &call);
        if (match >= 0 && drop[match]) {
            printf("# v%d is chosen by a call, and said to be shadowed\n", kernel->variants[match].symbol);
            failed++;
        }
    }
    int n = 0;
    for (int i = 0; i < kernel->num_variants; i++) {
        kernel->variants[n] = kernel->variants[i];
        n += drop[i] ? 0 : 1;
    }
    kernel->num_variants = n;
    arena_release(&arena);
}

/* Leaves out conditions that no call can satisfy. */
static void drop_impossible_always(Kernel *kernel)
{
    const int n = kernel->always.num_entries;
    if (n == 0 || is_valid(kernel, &kernel->always)) {
        return;
    }
    for (int i = 0; i < kernel->num_variants; i++) {
        Variant *variant = &kernel->variants[i];
        variant->num_entries -= n;
        memmove(variant->entries, &variant->entries[n], (size_t)variant->num_entries * sizeof(Entry));
    }
    kernel->always.num_entries = 0;
}

static Kernel *make_kernel(int num_variants, bool plain)
{
    Kernel *kernel = calloc(1, sizeof *kernel);
    kernel->variants = calloc((size_t)num_variants, sizeof *kernel->variants);
    random_kernel(kernel, num_variants, plain);
    drop_impossible_always(kernel);
    for (int i = 0; i < num_variants; i++) {
        while (!is_valid(kernel, &kernel->variants[i])) {
            random_variant(&kernel->variants[i], num_variants > 40);
            add_always(kernel, &kernel->variants[i]);
        }
    }
    drop_shadowed(kernel);
    return kernel;
}

/* ---- calls ---- */

enum { MAX_OBJECTS = 64 };

typedef struct Tensors {
    WgTensor at[2 + MAX_ITEMS];
    WgTensor *items[MAX_ITEMS];
    WgTensor *shared[MAX_OBJECTS]; /* by the number of the object */
} Tensors;

static WgTensor *make_tensor(Tensors *tensors, WgTensor *tensor, const Tensor *from, int64_t *sizes, int64_t *strides)
{
    if (from->null) {
        return NULL;
    }
    if (from->object != 0 && tensors->shared[from->object] != NULL) {
        return tensors->shared[from->object];
    }
    tensors->shared[from->object] = tensor;
    memset(tensor, 0, sizeof *tensor);
    tensor->sizes = sizes;
    tensor->strides = strides;
    tensor->rank = (int32_t)from->rank;
    tensor->dtype = from->dtype;
    tensor->device = from->device;
    tensor->offset = from->offset;
    tensor->data = (unsigned char *)(uintptr_t)from->address;
    return tensor;
}

static Args make_args(Call *call, Tensors *tensors)
{
    Args args = {.n = call->n, .mode = MODES[call->mode], .x = strtod(REALS[call->x], NULL), .to = call->to};
    args.where = call->where;
    args.flag = call->flag;
    memset(tensors->shared, 0, sizeof tensors->shared);
    args.a = make_tensor(tensors, &tensors->at[0], &call->a, call->a.sizes, call->a.strides);
    args.b = make_tensor(tensors, &tensors->at[1], &call->b, call->b.sizes, call->b.strides);
    for (int i = 0; i < MAX_ITEMS; i++) {
        Tensor *from = &call->ts[i];
        tensors->items[i] = make_tensor(tensors, &tensors->at[2 + i], from, from->sizes, from->strides);
    }
    args.ts.items = tensors->items;
    args.ts.count = (size_t)call->length;
    return args;
}

/* The machine of a call: the bits of wg_cpu.h in place of those of FEATURES. */
static WgContext *on_machine(WgContext *ctx, const Call *call)
{
    static const WgCpuFeature features[NUM_FEATURES] = {WG_CPU_AVX2, WG_CPU_SVE, WG_CPU_AMX_TILE};
    uint64_t cpu = 0;
    for (int i = 0; i < NUM_FEATURES; i++) {
        cpu |= (uint64_t)(call->cpu >> i & 1) << features[i];
    }
    wg_context_set_cpu(ctx, cpu);
    return ctx;
}

static void print_tensor(const char *name, const Tensor *tensor)
{
    printf("# %s: %s dtype %d device %d address %" PRIu64 " offset %" PRId64 " [", name, tensor->null ? "null" : "",
           tensor->dtype, tensor->device, tensor->address, tensor->offset);
    for (int64_t d = 0; d < tensor->rank && d < MAX_RANK; d++) {
        printf(" %" PRId64 ":%" PRId64, tensor->sizes[d], tensor->strides[d]);
    }
    printf(" ]\n");
}

static void print_failure(const Kernel *kernel, const Call *call, const char *what, int found, int expected)
{
    static int shown;
    failed++;
    if (shown++ > 3) {
        return;
    }
    printf("# %s: %d, the matcher says %d\n", what, found, expected);
    print_tensor("a", &call->a);
    print_tensor("b", &call->b);
    print_tensor("ts.0", &call->ts[0]);
    print_tensor("ts.1", &call->ts[1]);
    printf("# n %" PRId64 " mode %d x %d to %d where %d flag %d length %" PRId64 " cpu %x\n", call->n, call->mode,
           call->x, call->to, call->where, call->flag, call->length, call->cpu);
    char *text = yaml_of(kernel);
    printf("%s\n", kernel->num_variants < 30 ? text : "# (a large kernel)");
    free(text);
}

/* ---- witnesses ---- */

static bool tensor_of(const Witness *witness, const Dispatch *dispatch, const char *path, Tensor *tensor)
{
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        const WitnessNode *node = &witness->nodes[n];
        if (strcmp(dispatch->nodes[n].path, path) != 0) {
            continue;
        }
        tensor->null = node->fields[FIELD_PRESENT] != 1;
        tensor->dtype = (int32_t)node->fields[FIELD_DTYPE];
        tensor->device = (int32_t)node->fields[FIELD_DEVICE];
        tensor->rank = node->fields[FIELD_PRESENT] == 1 ? node->fields[FIELD_RANK] : 0;
        tensor->address = (uint64_t)node->fields[FIELD_ADDRESS];
        tensor->offset = node->fields[FIELD_OFFSET];
        tensor->object = 1 + (node->same_as != DISPATCH_NONE ? node->same_as : (int)n);
        for (int64_t d = 0; d < tensor->rank && d <= MAX_RANK; d++) {
            tensor->sizes[d] = node->dims[FIELD_SIZE][d];
            tensor->strides[d] = node->dims[FIELD_STRIDE][d];
        }
        return tensor->rank <= MAX_RANK;
    }
    *tensor = (Tensor){.dtype = 6, .address = 4096};
    return true;
}

static int64_t value_of(const Witness *witness, const Dispatch *dispatch, const char *path, const char *const *literals)
{
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        const DispatchNode *node = &dispatch->nodes[n];
        if (strcmp(node->path, path) != 0) {
            continue;
        }
        if (literals == NULL) {
            return strcmp(path, "ts") == 0 ? witness->nodes[n].fields[FIELD_LENGTH]
                                           : witness->nodes[n].fields[FIELD_VALUE];
        }
        for (int i = 0; i < NUM_MODES && witness->nodes[n].fields[FIELD_VALUE] < node->num_literals; i++) {
            if (strcmp(node->literals[witness->nodes[n].fields[FIELD_VALUE]], literals[i]) == 0) {
                return i;
            }
        }
        return NUM_MODES - 1; /* named by no condition */
    }
    return 0;
}

/* false: a rank beyond what the matcher knows. */
static bool call_of(const Witness *witness, const Dispatch *dispatch, Call *call)
{
    memset(call, 0, sizeof *call);
    bool fits = tensor_of(witness, dispatch, "a", &call->a);
    fits = tensor_of(witness, dispatch, "b", &call->b) && fits;
    fits = tensor_of(witness, dispatch, "ts.0", &call->ts[0]) && fits;
    fits = tensor_of(witness, dispatch, "ts.1", &call->ts[1]) && fits;
    fits = tensor_of(witness, dispatch, "ts.2", &call->ts[2]) && fits;
    call->n = value_of(witness, dispatch, "n", NULL);
    call->mode = (int)value_of(witness, dispatch, "mode", MODES);
    call->x = (int)value_of(witness, dispatch, "x", REALS);
    call->to = (int32_t)value_of(witness, dispatch, "to", NULL);
    call->where = (int32_t)value_of(witness, dispatch, "where", NULL);
    call->flag = (int32_t)value_of(witness, dispatch, "flag", NULL);
    call->length = value_of(witness, dispatch, "ts", NULL);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        for (int k = 0; field->kind == FIELD_FEATURE && witness->values[i] != 0 && k < NUM_FEATURES; k++) {
            call->cpu |= (unsigned)(strcmp(cpu_word(field->dimension), FEATURES[k]) == 0) << k;
        }
    }
    return fits && call->length <= MAX_ITEMS;
}

typedef struct Loaded {
    Select *select[NUM_STRATEGIES];
    Explain *explain[NUM_STRATEGIES];
    WgContext *const *contexts; /* by strategy: each library has its own host */
} Loaded;

static int num_witnesses[FINDING_UNPROVED + 1];

/* The functions that two calls get, for those that are to have one key. */
static bool same_choice(const Kernel *kernel, const Call *first, const Call *second)
{
    const int one = first_match(kernel, first);
    const int other = first_match(kernel, second);
    return one == other || (one >= 0 && other >= 0 && kernel->variants[one].symbol == kernel->variants[other].symbol);
}

static bool same_key(const Kernel *kernel, const Call *first, const Call *second)
{
    char one[KEY_TEXT];
    char other[KEY_TEXT];
    key_text(kernel, first, one);
    key_text(kernel, second, other);
    return strcmp(one, other) == 0;
}

static void replay_key(const Kernel *kernel, const Dispatch *dispatch, const Finding *finding)
{
    Call first;
    Call second;
    if (!call_of(&finding->first, dispatch, &first) || !call_of(&finding->witness, dispatch, &second)) {
        return;
    }
    if (!same_key(kernel, &first, &second)) {
        print_failure(kernel, &second, "it should have the key of a call that gets", -1, (int)finding->variant);
    }
    if (same_choice(kernel, &first, &second) || first_match(kernel, &first) != (int)finding->variant) {
        print_failure(kernel, &second, "it should get another variant than", (int)finding->variant,
                      first_match(kernel, &second));
    }
}

/* A call with the same key: whatever a key does not hold is another value. */
static Call twin_of(const Call *call)
{
    Call twin = *call;
    Tensor *const tensors[] = {&twin.a, &twin.b, &twin.ts[0], &twin.ts[1], &twin.ts[2]};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        static const uint64_t addresses[] = {4096, 4100, 4104, 4112, 4128, 4160};
        tensors[i]->address = addresses[random_below(6)];
        tensors[i]->offset = random_below(2) == 0 ? tensors[i]->offset : (int64_t)random_below(17);
        tensors[i]->device += tensors[i]->device >= 256 && tensors[i]->device < 258 && random_below(2) == 0
                                  ? (tensors[i]->device == 256 ? 1 : -1)
                                  : 0;
    }
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        const size_t other = random_below(5);
        if (random_below(10) == 0) { /* what is one is two, or two of one kind are one */
            tensors[i]->object = tensors[other]->object != 0 && random_below(2) == 0 ? 0 : 1 + (int)other;
            tensors[other]->object = 1 + (int)other;
        }
    }
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        spread(&twin, tensors[i]);
    }
    twin.n = (int64_t)random_below(20);
    twin.x = (int)random_below(4);
    twin.flag = (int32_t)random_below(2);
    return twin;
}

static long num_twins;
static long num_apart;

static void replay(const Kernel *kernel, const Loaded *loaded)
{
    Arena arena;
    arena_init(&arena);
    const Dispatch *dispatch = load(&arena, kernel);
    const Proof proof = prove_dispatch(&arena, dispatch);
    for (uint32_t i = 0; i < proof.num_findings; i++) {
        const Finding *finding = &proof.findings[i];
        const int variant = (int)finding->variant;
        Call call;
        Tensors tensors;
        num_witnesses[finding->kind]++;
        if (finding->kind == FINDING_KEY) {
            replay_key(kernel, dispatch, finding);
        }
        if (finding->kind == FINDING_SHADOWED || finding->kind == FINDING_IMPOSSIBLE) {
            broken("a variant is shadowed once those that are were left out");
        }
        if (finding->kind == FINDING_UNPROVED || finding->kind == FINDING_COVERED || finding->witness.nodes == NULL ||
            !call_of(&finding->witness, dispatch, &call)) {
            continue;
        }
        const int expected = first_match(kernel, &call);
        if (finding->kind == FINDING_REACHED && expected != variant) {
            print_failure(kernel, &call, "the witness should choose", variant, expected);
        }
        if (finding->kind == FINDING_UNCOVERED && expected != -1) {
            print_failure(kernel, &call, "the witness should choose", -1, expected);
        }
        if (finding->kind == FINDING_UNCOVERED && !variant_holds(&kernel->always, &call)) {
            print_failure(kernel, &call, "the witness should satisfy what always holds", -1, expected);
        }
        if (finding->kind == FINDING_OVERLAP && (!variant_holds(&kernel->variants[variant], &call) ||
                                                 !variant_holds(&kernel->variants[finding->others[0]], &call))) {
            print_failure(kernel, &call, "the witness should be shared by", variant, expected);
        }
        if (finding->kind == FINDING_OVERLAP && expected != (int)finding->others[0]) {
            print_failure(kernel, &call, "the order of two should decide it", (int)finding->others[0], expected);
        }
        const Args args = make_args(&call, &tensors);
        for (int s = 0; s < NUM_STRATEGIES; s++) {
            const int found = loaded->select[s](on_machine(loaded->contexts[s], &call), &args);
            if (found != expected) {
                print_failure(kernel, &call, STRATEGIES[s], found, expected);
            }
        }
    }
    arena_release(&arena);
}

/* ---- calls against dispatchers ---- */

static long num_calls;
static long num_hits;
static long num_left_out;

static bool explains(const Kernel *kernel, WgContext *ctx, const Args *args, Explain *explain, int expected)
{
    char text[512];
    char accepts[64];
    const size_t length = explain(ctx, args, text, sizeof text);
    snprintf(accepts, sizeof accepts, "'v%d' accepts", expected < 0 ? 0 : kernel->variants[expected].symbol);
    return length > 0 && (expected >= 0 ? strstr(text, accepts) != NULL
                                        : strstr(text, "' accepts") == NULL && strstr(text, "found") != NULL);
}

/* Is it known that the kernel has calls with one key and different variants, or that this is not known? */
static bool admits_twins(const Kernel *kernel)
{
    Arena arena;
    bool admits = false;
    arena_init(&arena);
    const Proof proof = prove_dispatch(&arena, load(&arena, kernel));
    for (uint32_t i = 0; i < proof.num_findings; i++) {
        admits = admits || proof.findings[i].kind == FINDING_KEY || proof.findings[i].kind == FINDING_UNPROVED;
    }
    arena_release(&arena);
    return admits;
}

static void try_twins(const Kernel *kernel, int n)
{
    const bool admits = admits_twins(kernel);
    for (int i = 0; i < n; i++) {
        Call call;
        random_call(kernel, &call);
        const Call twin = twin_of(&call);
        if (!declared_holds(kernel, &call) || !declared_holds(kernel, &twin) || !same_key(kernel, &call, &twin)) {
            continue;
        }
        num_twins++;
        if (!same_choice(kernel, &call, &twin)) {
            num_apart++;
            if (!admits) {
                print_failure(kernel, &twin, "a call with its key gets another variant", first_match(kernel, &twin),
                              first_match(kernel, &call));
            }
        }
    }
}

static void try_calls(const Kernel *kernel, const Loaded *loaded, int n)
{
    for (int i = 0; i < n; i++) {
        Call call;
        Tensors tensors;
        random_call(kernel, &call);
        if (!call_is_allowed(kernel, &call)) {
            num_left_out++;
            continue;
        }
        const int expected = first_match(kernel, &call);
        const Args args = make_args(&call, &tensors);
        num_hits += expected >= 0 ? 1 : 0;
        for (int s = 0; s < NUM_STRATEGIES; s++) {
            const int found = loaded->select[s](on_machine(loaded->contexts[s], &call), &args);
            num_calls++;
            if (found != expected) {
                print_failure(kernel, &call, STRATEGIES[s], found, expected);
            }
        }
        const int s = i / 8 % NUM_STRATEGIES;
        if (i % 8 == 0 &&
            !explains(kernel, on_machine(loaded->contexts[s], &call), &args, loaded->explain[s], expected)) {
            print_failure(kernel, &call, "the explanation is of another choice", expected, expected);
        }
    }
}

/* ---- generated code ---- */

static bool run(const char *command)
{
    const bool good = system(command) == 0;
    if (!good) {
        printf("# failed: %s\n", command);
    }
    return good;
}

typedef struct Tools {
    const char *wrapgen;
    const char *compiler;
    const char *root;
    const char *folder;
} Tools;

static void *build(const Tools *tools, int strategy)
{
    char command[4096];
    char path[1024];
    const char *name = STRATEGIES[strategy];
    snprintf(command, sizeof command,
             "%s -Wno-overlap -Wno-uncovered -Wno-unproved --dispatch-strategy %s --in %s/kernels.yaml --out %s/%s.c",
             tools->wrapgen, name, tools->folder, tools->folder, name);
    if (!run(command)) {
        return NULL;
    }
    snprintf(command, sizeof command,
             "%s -shared -fPIC -w -I%s/templates/core -I%s/templates/hosts/native -o %s/%s.so %s/%s.c "
             "%s/templates/core/*.c %s/templates/hosts/native/*.c",
             tools->compiler, tools->root, tools->root, tools->folder, name, tools->folder, name, tools->root,
             tools->root);
    if (!run(command)) {
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s.so", tools->folder, name);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL); /* the variants themselves are never called */
    if (library == NULL) {
        printf("# %s\n", dlerror());
    }
    return library;
}

static bool look_up(void *library, int kernel, Select **select, Explain **explain)
{
    char name[64];
    snprintf(name, sizeof name, "k%d_select", kernel);
    *(void **)select = dlsym(library, name);
    snprintf(name, sizeof name, "k%d_explain", kernel);
    *(void **)explain = dlsym(library, name);
    return *select != NULL && *explain != NULL;
}

/* ---- all of it ---- */

enum { MOST_KERNELS = 150 };

static int num_kernels;

static void free_kernels(Kernel **kernels)
{
    for (int i = 0; i < num_kernels; i++) {
        free(kernels[i]->variants);
        free(kernels[i]);
    }
}

static bool write_kernels(const Tools *tools, Kernel **kernels)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/kernels.yaml", tools->folder);
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return false;
    }
    print_symbols(out);
    for (int i = 0; i < num_kernels; i++) {
        char name[16];
        /* 1 to 1,024 variants: large tables of literals now and then, and mixed ones */
        const int most = num_kernels == MOST_KERNELS ? 1024 : 384;
        const int n = i == 0 ? most : i == 1 ? 256 : i == 2 ? 64 : i < 6 ? 48 : 1 + (int)random_below(12);
        kernels[i] = make_kernel(n, i < 3 || i % 5 == 4);
        kernels[i]->check = (Check)(i % NUM_CHECKS);
        snprintf(name, sizeof name, "k%d", i);
        print_kernel(kernels[i], name, out);
    }
    return fclose(out) == 0;
}

/* Failing preconditions are noted in a context. */
static bool open_contexts(void *const *libraries, WgContext **contexts)
{
    bool opened = true;
    for (int s = 0; s < NUM_STRATEGIES; s++) {
        int32_t (*create)(const WgNativeAllocator *allocator, WgContext **ctx) = NULL;
        *(void **)&create = dlsym(libraries[s], "wg_context_create");
        opened = opened && create != NULL && create(NULL, &contexts[s]) == 0;
    }
    return opened;
}

static void close_contexts(void *const *libraries, WgContext *const *contexts)
{
    for (int s = 0; s < NUM_STRATEGIES; s++) {
        void (*destroy)(WgContext * ctx) = NULL;
        *(void **)&destroy = dlsym(libraries[s], "wg_context_destroy");
        destroy(contexts[s]);
    }
}

static void try_all(Kernel **kernels, void *const *libraries, int calls)
{
    const int before = failed;
    WgContext *contexts[NUM_STRATEGIES];
    if (!open_contexts(libraries, contexts)) {
        broken("a context is missing");
        return;
    }
    for (int i = 0; i < num_kernels; i++) {
        Loaded loaded = {.contexts = contexts};
        for (int s = 0; s < NUM_STRATEGIES; s++) {
            if (!look_up(libraries[s], i, &loaded.select[s], &loaded.explain[s])) {
                broken("a dispatcher is missing");
                return;
            }
        }
        replay(kernels[i], &loaded);
        try_calls(kernels[i], &loaded, i == 0 ? 4 * calls : calls);
        try_twins(kernels[i], calls);
    }
    close_contexts(libraries, contexts);
    result(failed == before, "every strategy, witness and explanation agrees with the matcher");
    result(num_hits > num_calls / NUM_STRATEGIES / 4 && num_hits < num_calls / NUM_STRATEGIES, "calls hit and miss");
    result(num_witnesses[FINDING_REACHED] > num_kernels && num_witnesses[FINDING_OVERLAP] > num_kernels / 8 &&
               num_witnesses[FINDING_UNCOVERED] > num_kernels / 8 && num_shadowed > num_kernels / 8,
           "the proof finds something of each kind");
    result(num_witnesses[FINDING_KEY] > num_kernels / 8 && num_twins > num_kernels && num_apart > num_kernels,
           "calls with one key get different variants where that is said");
    printf("# %ld pairs of calls with one key, %ld of them get different variants; %d kernels show this\n", num_twins,
           num_apart, num_witnesses[FINDING_KEY]);
    printf("# %ld calls, %ld hits, %ld left out; %d witnesses that reach, %d of overlaps, %d uncovered, %d shadowed, "
           "%d not proved\n",
           num_calls, num_hits, num_left_out, num_witnesses[FINDING_REACHED], num_witnesses[FINDING_OVERLAP],
           num_witnesses[FINDING_UNCOVERED], num_shadowed, num_witnesses[FINDING_UNPROVED]);
}

int main(int argc, char **argv)
{
    static Kernel *kernels[MOST_KERNELS];
    void *libraries[NUM_STRATEGIES] = {NULL, NULL, NULL};
    num_kernels = argc == 8 ? atoi(argv[7]) : 0;
    if (num_kernels < 1 || num_kernels > MOST_KERNELS) {
        fprintf(stderr, "usage: %s WRAPGEN COMPILER ROOT FOLDER CALLS SEED KERNELS\n", argv[0]);
        return 2;
    }
    const Tools tools = {argv[1], argv[2], argv[3], argv[4]};
    random_seed(strtoull(argv[6], NULL, 10));
    bool built = write_kernels(&tools, kernels);
    result(failed == 0, "no call satisfies what is said to be shadowed");
    for (int s = 0; built && s < NUM_STRATEGIES; s++) {
        libraries[s] = build(&tools, s);
        built = libraries[s] != NULL;
    }
    result(built, "random kernels are generated with each strategy and compile");
    if (built) {
        try_all(kernels, libraries, atoi(argv[5]));
    }
    free_kernels(kernels);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
