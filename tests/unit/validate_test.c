/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/rules/validate*.c, gen/algebra/condition.c and gen/base/table.c.
 *
 * What is refused, with which words and where, is in tests/errors/rules/. Here: that everything valid is accepted and
 * fully resolved (rules/valid.yaml; numbers counted by hand next to it), mutation flags against PyTorch's own verdict
 * on all of their combinations, names across several files, and conditions against a brute-force reading of the same
 * texts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/algebra/condition.h"
#include "gen/base/embedded.h"
#include "gen/algebra/expr.h"
#include "gen/yaml/front.h"
#include "gen/base/table.h"
#include "gen/rules/validate.h"
#include "tests/unit/check.h"

/* ---- loading ---- */

typedef struct Loaded {
    Arena arena;
    Diag diag;
    Source sources[2];
    size_t num_sources;
    bool accepted;
} Loaded;

static void load_start(Loaded *loaded)
{
    memset(loaded, 0, sizeof *loaded);
    arena_init(&loaded->arena);
    diag_init(&loaded->diag, &loaded->arena);
}

static void load_text(Loaded *loaded, const char *name, const char *text)
{
    Source *source = &loaded->sources[loaded->num_sources++];
    source->name = name;
    source->text = text;
    source->length = strlen(text);
    if (!source_load(&loaded->arena, &loaded->diag, source)) {
        printf("# %s does not load: %s\n", name, loaded->diag.first->message);
    }
}

static void load_check(Loaded *loaded, const char *prefix)
{
    loaded->accepted = loaded->diag.num_errors == 0 &&
                       validate_specs(&loaded->arena, &loaded->diag, loaded->sources, loaded->num_sources, prefix);
}

static void load_end(Loaded *loaded)
{
    arena_release(&loaded->arena);
}

static bool one_error(const Loaded *loaded, const char *code)
{
    return loaded->diag.num_errors == 1 && strcmp(loaded->diag.first->code, code) == 0;
}

/* ---- everything valid ---- */

static bool literal_is(const Expr *expr, int64_t value)
{
    int64_t literal = 0;
    return expr != NULL && expr_is_literal(expr, &literal) && literal == value;
}

static void check_inputs(const SpecGraph *graph)
{
    const SpecInput *x = &graph->inputs[0];
    const SpecInput *t = &graph->inputs[10];
    const SpecInput *nested = &graph->inputs[11];
    check(x->kind == SPEC_TENSOR && x->dtype_code == 6 && x->device_type == 1 && x->device_index == 1,
          "dtype float32 is number 6, device cuda:1 is type 1 and index 1");
    check(x->stream == NULL && x->stream_index == -1 && x->is_leaf == SPEC_TRUE && x->mutates_data == SPEC_FALSE,
          "defaults of an input");
    check(x->size.expr[0]->kind == EXPR_SYMBOL && x->size.expr[0]->symbol == 0 && literal_is(x->size.expr[1], 64),
          "sizes are parsed");
    check(literal_is(graph->inputs[2].value.expr, 7), "3+4 is 7");
    check(graph->inputs[4].dtype_code == 15 && graph->inputs[4].device_type == -1, "what is not stated is -1");
    check(graph->inputs[9].duplicate_of == 0 && graph->inputs[8].duplicate_of == -1, "w2 duplicates x");
    check(graph->duplicates[0].input_index == 9 && graph->duplicates[0].of_index == 0, "by index too");
    check(t->subclass->declared->attrs_count == 2 && t->subclass->outer_size_attr == 0 &&
              t->subclass->outer_stride_attr == -1,
          "the subclass and its outer_size_from");
    check(t->subclass->symints == SPEC_TRUE && t->subclass->inner[1].symints == SPEC_FALSE,
          "symints: default and stated");
    check(t->subclass->inner[1].outer_size.expr[0] == NULL && t->subclass->inner[1].inner[1].declared == NULL,
          "`nested` has no expression, a leaf no declaration");
    check(nested->subclass->inner[1].opaque && nested->subclass->inner[1].attr_index == 2 &&
              !nested->subclass->inner[0].opaque,
          "an optional attribute is left out, the opaque one is the third declared");
    check(nested->updated != NULL && nested->updated->inner[0].symbol_args.text_count == 0 &&
              nested->subclass->inner[0].symbol_args.text_count == 1,
          "the updated value of a mutated subclass has its tree, without symbol_args");
    check(t->updated == NULL, "one that is not mutated has none");
}

static void check_outputs(const SpecGraph *graph)
{
    static const struct {
        SpecRefKind kind;
        uint32_t index;
    } bases[] = {{SPEC_REF_NONE, 0}, {SPEC_REF_INPUT, 0}, {SPEC_REF_INPUT, 0},  {SPEC_REF_INPUT, 0},
                 {SPEC_REF_BASE, 0}, {SPEC_REF_BASE, 0},  {SPEC_REF_OUTPUT, 0}, {SPEC_REF_INPUT, 0},
                 {SPEC_REF_NONE, 0}, {SPEC_REF_NONE, 0},  {SPEC_REF_NONE, 0},   {SPEC_REF_INPUT, 10}};
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        const SpecOutput *output = &graph->outputs[i];
        check(output->base_ref.kind == bases[i].kind && output->base_ref.index == bases[i].index, "base of '%s'",
              output->name);
    }
    check(literal_is(graph->outputs[2].view[1].end.expr, 9) && graph->outputs[2].view[1].step.expr == NULL,
          "arguments of views");
    check(literal_is(graph->outputs[3].as_strided->offset.expr, 3), "as_strided");
    check(graph->outputs[4].requires_grad_for_backward == SPEC_FALSE,
          "requires_grad_for_backward of inference is false");
    check(graph->outputs[8].kind == SPEC_INT && graph->outputs[9].kind == SPEC_NONE, "kinds");
}

static void check_training(const SpecGraph *graph)
{
    const SpecBackward *backward = graph->backward;
    const SpecSaved *saved = graph->saved;
    check(graph->synthetic_bases[0].member_index[0] == 3 && graph->synthetic_bases[0].member_index[1] == 1,
          "members by index");
    check(graph->inputs[1].synthetic_base == 0 && graph->inputs[3].synthetic_base == 0 &&
              graph->inputs[0].synthetic_base == -1,
          "and back");
    check(graph->kernel_index == 0 && graph->num_rng_states == 2 && graph->grad_enabled_mutation == SPEC_TRUE,
          "keys of the graph");
    check(saved->num_tensors == 3 && saved->num_no_version_check == 1 && saved->num_opaque == 1 &&
              saved->num_symints == 1,
          "counts of saved values");
    check(saved->is_graph_input[0] && !saved->is_graph_input[1] && !saved->is_graph_input[2] &&
              saved->is_graph_input[3],
          "which of them are graph inputs");
    /* in the order of the backward: mutated inputs (ab), outputs (loss, u), bases */
    check(backward->tangent_order[0] == 1 && backward->tangent_order[1] == 2 && backward->tangent_order[2] == 0,
          "order of tangents");
    /* synthetic bases, then other non-tensors, then other tensors: ab, k1, w */
    check(backward->grad_input_order[0] == 2 && backward->grad_input_order[1] == 1 &&
              backward->grad_input_order[2] == 0,
          "order of gradients");
    check(backward->num_tokens == 1 && backward->mutated_index[0] == 0 && backward->deterministic == SPEC_FALSE,
          "the rest of it");
    check(backward->tangents[1].kept == SPEC_FALSE && backward->tangents[0].kept == SPEC_TRUE &&
              backward->tangents[1].of_ref.kind == SPEC_REF_SYNTHETIC,
          "kept, and what a tangent is of");
    check(backward->tangents[1].subclass->symints == SPEC_FALSE, "symints of tangents are false unless stated");
    check(graph->outputs[0].requires_grad_for_backward == SPEC_TRUE &&
              graph->outputs[1].requires_grad_for_backward == SPEC_FALSE,
          "requires_grad_for_backward is requires_grad unless stated");
}

static void check_file(const Spec *spec)
{
    const SpecKernel *matmul = &spec->kernels[0];
    check(spec->symbols[0].has_min && spec->symbols[0].min_value == 1 && spec->symbols[0].max_value == 4096 &&
              spec->symbols[0].multiple_of_value == 8,
          "bounds of a symbol");
    check(!spec->symbols[1].has_max && spec->symbols[1].multiple_of_value == 1, "and their defaults");
    check_text(spec->subclasses[1].symbol, "NestedTensor", "the C symbol of a type is its name unless stated");
    check(matmul->static_shapes == SPEC_TRUE && matmul->device_in_key == SPEC_TRUE &&
              matmul->args[1].subclass_ok == SPEC_TRUE && matmul->args[0].subclass_ok == SPEC_FALSE,
          "defaults of a kernel");
    check(spec->kernels[1].index_dtype == SPEC_INDEX_INT32 && spec->kernels[1].buckets == SPEC_BUCKETS_ZERO_ONE,
          "dynamic shapes");
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (file != NULL && text != NULL) {
        text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
        fclose(file);
    }
    return text;
}

static void test_valid(void)
{
    Loaded loaded;
    char *text = read_file("tests/unit/rules/valid.yaml");
    load_start(&loaded);
    load_text(&loaded, "valid.yaml", text);
    load_check(&loaded, NULL);
    for (const DiagMessage *message = loaded.diag.first; message != NULL; message = message->next) {
        printf("# %s: %s\n", message->code, message->message);
    }
    if (check(loaded.accepted, "a file with everything that is valid is accepted")) {
        const Spec *spec = loaded.sources[0].spec;
        check_file(spec);
        check(spec->graphs[0].num_tokens == 2 && spec->graphs[0].grad_enabled_mutation == SPEC_UNSET &&
                  spec->graphs[0].keep_input_mutations == SPEC_TRUE && spec->graphs[0].check == SPEC_CHECK_FULL,
              "keys of an inference graph");
        check_inputs(&spec->graphs[0]);
        check_outputs(&spec->graphs[0]);
        check_training(&spec->graphs[1]);
    }
    load_end(&loaded);
    free(text);
}

/* ---- flags of mutations against PyTorch ---- */

static const char *const flag_names[] = {
    "mutates_data",
    "mutates_metadata",
    "mutates_storage_metadata",
    "mutation_inductor_storage_resize",
    "mutations_hidden_from_autograd",
    "mutations_under_no_grad_or_inference_mode",
    "requires_grad",
};

/* What we add to PyTorch's verdict: qualifiers need a mutation, and `set_` may be left to the epilogue. */
static bool accepts(const int *bits, const char *verdict)
{
    const int *flags = bits + 1;
    const bool mutated = flags[0] != 0 || flags[1] != 0 || flags[3] != 0;
    if (!mutated && (flags[4] != 0 || flags[5] != 0)) {
        return false;
    }
    if (strcmp(verdict, "refused") == 0) {
        return bits[0] == 0 && flags[2] != 0 && flags[3] == 0;
    }
    return strcmp(verdict, "impossible") != 0;
}

static void test_mutation_flags(void)
{
    FILE *file = fopen("tests/unit/mutation_types.txt", "r");
    char line[512];
    int bits[8];
    char word[32];
    int rows = 0;
    int wrong = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%d %d %d %d %d %d %d %d %31s", &bits[0], &bits[1], &bits[2], &bits[3], &bits[4], &bits[5],
                   &bits[6], &bits[7], word) != 9) {
            continue;
        }
        char text[1024];
        int n = snprintf(
            text, sizeof text,
            "wrapgen: 1\ngraphs: [{name: g, mode: inference, compiled: f, keep_input_mutations: %s, outputs: [], "
            "inputs: [{name: x",
            bits[0] != 0 ? "true" : "false");
        for (int i = 0; i < 7; i++) {
            n += snprintf(text + n, sizeof text - (size_t)n, ", %s: %s", flag_names[i],
                          bits[i + 1] != 0 ? "true" : "false");
        }
        (void)snprintf(text + n, sizeof text - (size_t)n, "}]}]\n");
        Loaded loaded;
        load_start(&loaded);
        load_text(&loaded, "flags.yaml", text);
        load_check(&loaded, NULL);
        if (loaded.accepted != accepts(bits, word)) {
            wrong++;
            printf("# %s#   %s\n", line, loaded.accepted ? "accepted" : loaded.diag.first->message);
        }
        load_end(&loaded);
        rows++;
    }
    if (file != NULL) {
        fclose(file);
    }
    check(rows == 256 && wrong == 0,
          "mutation flags are accepted as PyTorch accepts them (%d of 256 combinations, %d wrong)", rows, wrong);
}

/* ---- several files, and prefixes ---- */

#define GRAPH(name) "wrapgen: 1\ngraphs: [{name: " name ", mode: inference, compiled: f, inputs: [], outputs: []}]\n"

static void test_sources(void)
{
    Loaded loaded;
    load_start(&loaded);
    load_text(&loaded, "a.yaml", GRAPH("block"));
    load_text(&loaded, "b.yaml", GRAPH("block_boxed"));
    load_check(&loaded, NULL);
    check(!loaded.accepted && one_error(&loaded, "E_NAME_CLASH"), "names of two files clash");
    source_resolve(&loaded.arena, &loaded.diag, loaded.sources, 2);
    check_text(loaded.diag.first->place.file, "b.yaml", "the second file is to blame");
    check_text(loaded.diag.first->notes->place.file, "a.yaml", "the first one is named");
    load_end(&loaded);

    load_start(&loaded);
    load_text(&loaded, "a.yaml", "prefix: a_\n" GRAPH("block"));
    load_text(&loaded, "b.yaml", "prefix: b_\n" GRAPH("block"));
    load_check(&loaded, NULL);
    check(loaded.accepted, "prefixes keep them apart");
    load_check(&loaded, "c_");
    check(!loaded.accepted && one_error(&loaded, "E_NAME_CLASH"), "a prefix of the command line replaces both");
    load_end(&loaded);

    load_start(&loaded);
    load_text(&loaded, "a.yaml", GRAPH("block"));
    load_check(&loaded, "a-");
    check(!loaded.accepted && one_error(&loaded, "E_NAME"), "a prefix that is not an identifier is refused");
    load_end(&loaded);
}

static bool reserved_as(ReservedNames *names, const char *word, Reserved kind)
{
    return reserved_kind(names, word, table_hash(word, strlen(word))) == kind;
}

/* Limits are inclusive. */
static void test_limits(void)
{
    static const struct {
        const char *tokens;
        bool accepted;
    } cases[] = {{"16384", true}, {"16385", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        Loaded loaded;
        (void)snprintf(
            text, sizeof text,
            "wrapgen: 1\ngraphs: [{name: g, mode: inference, compiled: f, tokens: %s, inputs: [], outputs: []}]\n",
            cases[i].tokens);
        load_start(&loaded);
        load_text(&loaded, "tokens.yaml", text);
        load_check(&loaded, NULL);
        check(loaded.accepted == cases[i].accepted, "%s tokens are %s", cases[i].tokens,
              cases[i].accepted ? "accepted" : "too many");
        load_end(&loaded);
    }
    for (int attrs = VALIDATE_MAX_ATTRS; attrs <= VALIDATE_MAX_ATTRS + 1; attrs++) {
        char text[8192];
        Loaded loaded;
        int n = snprintf(text, sizeof text, "wrapgen: 1\nsubclasses: [{name: T, attrs: [");
        for (int i = 0; i < attrs; i++) {
            n += snprintf(text + n, sizeof text - (size_t)n, "%s{name: a%d}", i == 0 ? "" : ", ", i);
        }
        (void)snprintf(text + n, sizeof text - (size_t)n, "]}]\n");
        load_start(&loaded);
        load_text(&loaded, "attrs.yaml", text);
        load_check(&loaded, NULL);
        check(loaded.accepted == (attrs <= VALIDATE_MAX_ATTRS), "%d attributes", attrs);
        load_end(&loaded);
    }
}

/* Enough of them that scratch is given back on the way, with views that repeat and views that do not. */
static void test_many_graphs(void)
{
    enum { GRAPHS = 300, ROOM = 300 * 512 };
    Loaded loaded;
    char *text = malloc(ROOM);
    int n = snprintf(text, ROOM, "wrapgen: 1\nsymbols: [{name: s0}, {name: s1}]\ngraphs:\n");
    for (int i = 0; i < GRAPHS; i++) {
        n += snprintf(text + n, (size_t)(ROOM - n),
                      "  - name: g%d\n    mode: inference\n    compiled: f\n"
                      "    inputs: [{name: x, size: [s0, %d], stride: [s1, 1]}]\n"
                      "    outputs: [{name: y, type: alias_of_input, base: x, size: [%d, s0], view: [{op: t}, {op: "
                      "slice, dim: 1}]},\n"
                      "              {name: z, type: alias_of_input, base: x, view: [{op: unsqueeze, dim: 0}], "
                      "dynamic_dims: [%d]}]\n",
                      i, i + 1, i == GRAPHS - 1 ? 7 : i + 1, i == GRAPHS - 2 ? 3 : 2);
    }
    load_start(&loaded);
    load_text(&loaded, "many.yaml", text);
    load_check(&loaded, NULL);
    check(loaded.diag.num_errors == 2, "of 300 graphs the two wrong ones are found");
    source_resolve(&loaded.arena, &loaded.diag, loaded.sources, 1);
    check_text(loaded.diag.first->place.path, "graphs[298].outputs[1].dynamic_dims[0]",
               "the rank of a view is known though it was folded before");
    check_text(loaded.diag.first->next->place.path, "graphs[299].outputs[0].size[0]",
               "a view that differs in one size is another view");
    load_end(&loaded);
    free(text);
}

static void test_reserved(void)
{
    Arena arena;
    arena_init(&arena);
    ReservedNames *names = reserved_new(&arena);
    check(reserved_as(names, "int", RESERVED_KEYWORD) && reserved_as(names, "xor_eq", RESERVED_KEYWORD) &&
              reserved_as(names, "alignas", RESERVED_KEYWORD),
          "keywords are found");
    check(reserved_as(names, "NULL", RESERVED_MACRO) && reserved_as(names, "unix", RESERVED_MACRO), "macros are found");
    check(reserved_as(names, "abort", RESERVED_LIBRARY) && reserved_as(names, "yn", RESERVED_LIBRARY),
          "library names are found");
    check(reserved_as(names, "true", RESERVED_WORD) && reserved_as(names, "hash", RESERVED_LOCAL),
          "so are words of the YAML, keywords or not, and locals");
    check(reserved_as(names, "ints", RESERVED_NOT) && reserved_as(names, "x", RESERVED_NOT) &&
              reserved_as(names, "print", RESERVED_NOT),
          "other words are not");
    arena_release(&arena);
}

/* Names that are asked for early are looked up in another way than later ones. */
static void test_reserved_ways(void)
{
    static const char *const lists[] = {
#define NAMES(kind, names) names,
#include "gen/rules/reserved.def"
#undef NAMES
    };
    Arena arena;
    arena_init(&arena);
    ReservedNames *late = reserved_new(&arena);
    for (int i = 0; i < 1000; i++) {
        check(reserved_as(late, "free_name", RESERVED_NOT), "a free name is free the %dth time", i + 1);
    }
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        ReservedNames *early = NULL;
        int asked = 0;
        for (const char *at = lists[list]; at != NULL; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
            char name[80];
            const int length = (int)strcspn(at, " ");
            early = asked++ % 40 == 0 ? reserved_new(&arena) : early;
            for (int part = length - 1; part <= length + 1; part++) { /* a byte less, the name, a byte more */
                (void)snprintf(name, sizeof name, "%.*s%s", part < length ? part : length, at,
                               part > length ? "x" : "");
                const Reserved kind = reserved_kind(late, name, table_hash(name, strlen(name)));
                check(reserved_as(early, name, kind), "'%s' is the same early and late", name);
            }
        }
    }
    arena_release(&arena);
}

/* ---- names in the templates ---- */

/* Every `{{symbol}}_x` and `{{upper}}_X` that a template writes is a C name, so the check for clashes must know it. */
static void test_template_names(void)
{
    static const char *const stems[] = {"{{symbol}}_", "{{upper}}_"};
    int found = 0;
    for (size_t i = 0; i < num_embedded_files; i++) {
        for (size_t stem = 0; stem < 2; stem++) {
            const char *at = embedded_files[i].text;
            while ((at = strstr(at, stems[stem])) != NULL) {
                char suffix[64];
                at += strlen(stems[stem]) - 1;
                const int length = (int)strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
                (void)snprintf(suffix, sizeof suffix, "%.*s", length, at);
                found++;
                if (!externals_makes(suffix)) {
                    check(false, "'%s' of %s is among the names that may clash", suffix, embedded_files[i].name);
                }
            }
        }
    }
    check(found > 20, "the clash check knows all %d names that templates derive", found);
    check(externals_makes("_boxed") && !externals_makes("_boxe"), "and no other");
}

/* ---- conditions ---- */

static bool find_none(void *ctx, const char *name, size_t length, uint32_t *symbol)
{
    (void)ctx;
    (void)length;
    *symbol = 7;
    return strcmp(name, "s7") == 0;
}

static bool parse(Arena *arena, const char *text, Condition *condition, size_t *at)
{
    const char *error = NULL;
    return condition_parse(arena, text, find_none, NULL, condition, &error, at);
}

static bool holds(const Condition *condition, int64_t value)
{
    for (uint32_t i = 0; i < condition->num_ranges; i++) {
        const ConditionRange *range = &condition->ranges[i];
        if (value >= range->min && value <= range->max && value % range->multiple == 0) {
            return true;
        }
    }
    return false;
}

/* The same text read the slow way, straight from the grammar; only for texts that are right. */
static bool reads_as(const char *text, long value)
{
    for (const char *alt = text;;) {
        char *end = NULL;
        const bool has_low = *alt == '-' || (*alt >= '0' && *alt <= '9');
        const long low = has_low ? strtol(alt, &end, 10) : -1000;
        const char *at = has_low ? end : alt;
        long high = has_low ? low : 1000;
        if (strncmp(at, "..", 2) == 0) {
            at += 2;
            const bool has_high = *at == '-' || (*at >= '0' && *at <= '9');
            high = has_high ? strtol(at, &end, 10) : 1000;
            at = has_high ? end : at;
        }
        long multiple = 1;
        if (*at == '%') {
            multiple = strtol(at + 1, &end, 10);
            at = end;
        }
        if (value >= low && value <= high && value % multiple == 0) {
            return true;
        }
        if (*at == '\0') {
            return false;
        }
        alt = at + 1;
    }
}

static void test_conditions(void)
{
    static const char *const texts[] = {"0",     "16",        "-3",         "1|2|4", "1..8",      "..-1",
                                        "5..",   "..",        "%16",        "%1",    "-20..20%8", "3..7%4|11",
                                        "..5%3", "-7..%5",    "..%6",       "9..9",  "1|2..90%7", "50..%9|..-50%9",
                                        "%4|%6", "17..31%16", "-31..-17%16"};
    enum { NUM = sizeof texts / sizeof texts[0] };
    Arena arena;
    arena_init(&arena);
    Condition conditions[NUM];
    size_t at = 0;
    int wrong = 0;
    for (size_t i = 0; i < NUM; i++) {
        wrong += parse(&arena, texts[i], &conditions[i], &at) ? 0 : 1;
        for (long value = -120; value <= 120 && wrong == 0; value++) {
            wrong += holds(&conditions[i], value) == reads_as(texts[i], value) ? 0 : 1;
        }
        check(wrong == 0, "'%s' means what it says", texts[i]);
    }
    for (size_t i = 0; i < NUM; i++) {
        for (size_t j = 0; j < NUM; j++) {
            const Condition both = condition_intersect(&arena, &conditions[i], &conditions[j]);
            bool empty = true;
            int64_t least = INT64_MAX;
            for (long value = -500; value <= 500; value++) {
                const bool expected = reads_as(texts[i], value) && reads_as(texts[j], value);
                wrong += holds(&both, value) == expected ? 0 : 1;
                empty = empty && !expected;
                least = expected && value < least ? value : least;
            }
            wrong += condition_is_empty(&both) == empty ? 0 : 1;
            wrong += !empty && condition_min(&both) > -500 && condition_min(&both) != least ? 1 : 0;
        }
    }
    check(wrong == 0, "intersections of all pairs, and whether they are empty");
    arena_release(&arena);
}

static void test_condition_edges(void)
{
    static const struct {
        const char *text;
        size_t at;
    } bad[] = {
        {"", 0},       {"x", 0},   {"1..2..3", 4}, {"%0", 1},   {"%", 1},     {"%-2", 1},  {"1|", 2},
        {"|1", 0},     {"4%2", 1}, {"01", 0},      {"1 |2", 1}, {"any|1", 0}, {"s7|1", 0}, {"9223372036854775808", 0},
        {"1..0x8", 4}, {"--1", 0}, {"1.5", 1}};
    Arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Condition condition;
        size_t at = 99;
        const bool parsed = parse(&arena, bad[i].text, &condition, &at);
        check(!parsed && at == bad[i].at, "'%s' is refused at %zu (%zu)", bad[i].text, bad[i].at, at);
    }
    Condition a;
    Condition b;
    size_t at = 0;
    check(parse(&arena, "-9..20%8", &a, &at) && condition_min(&a) == -8 && condition_max(&a) == 16,
          "ends are multiples");
    check(parse(&arena, "5..%8", &a, &at) && condition_min(&a) == 8 && condition_max(&a) == INT64_MAX,
          "no end stays none");
    check(parse(&arena, "s7", &a, &at) && a.is_symbol && a.symbol == 7 && !condition_is_empty(&a), "a symbol alone");
    check(parse(&arena, "any", &a, &at) && !a.is_symbol && holds(&a, INT64_MIN) && holds(&a, INT64_MAX), "any");
    check(parse(&arena, "9223372036854775807", &a, &at) && condition_max(&a) == INT64_MAX, "the greatest integer");
    check(parse(&arena, "9223372036854775806..%4", &a, &at) && condition_is_empty(&a),
          "no multiple of 4 is left above it");
    /* 2^62+1 and 2^62+3 are coprime (both odd, difference 2), their product does not fit: only 0 is a multiple of both.
     */
    check(parse(&arena, "%4611686018427387905", &a, &at) && parse(&arena, "%4611686018427387907", &b, &at),
          "great moduli");
    Condition both = condition_intersect(&arena, &a, &b);
    check(holds(&both, 0) && condition_min(&both) == 0 && condition_max(&both) == 0, "share 0 and nothing else");
    check(parse(&arena, "1..", &b, &at), "1..");
    both = condition_intersect(&arena, &both, &b);
    check(condition_is_empty(&both), "and above 0 nothing");
    arena_release(&arena);
}

/* ---- tables ---- */

static void test_table(void)
{
    Arena arena;
    Table table;
    char keys[300][8];
    arena_init(&arena);
    table_init(&table, &arena);
    check(table_find(&table, "x", 1) == NULL, "nothing is in an empty table");
    bool good = true;
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 300; i++) {
            const int length = snprintf(keys[i], sizeof keys[i], "k%u", i);
            good = good && table_add(&table, keys[i], (size_t)length, 1, i + (uint32_t)round) == NULL;
        }
        for (uint32_t i = 0; i < 300; i++) {
            const TableEntry *entry = table_find(&table, keys[i], strlen(keys[i]));
            good = good && entry != NULL && entry->index == i + (uint32_t)round;
        }
        good = good && table_find(&table, "k300", 4) == NULL && table_find(&table, "k", 1) == NULL;
        table_clear(&table);
        good = good && table_find(&table, "k0", 2) == NULL;
    }
    check(good, "300 keys, three times over");
    (void)table_add(&table, "a", 1, 1, 1);
    const TableEntry *first = table_add(&table, "a", 1, 2, 2);
    check(first != NULL && first->kind == 1 && first->index == 1, "the older entry stays");
    arena_release(&arena);
}

int main(void)
{
    test_valid();
    test_mutation_flags();
    test_sources();
    test_limits();
    test_many_graphs();
    test_reserved();
    test_reserved_ways();
    test_template_names();
    test_conditions();
    test_condition_edges();
    test_table();
    return check_done();
}
