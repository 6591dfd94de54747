/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/facts/derive.c against PyTorch 2.13 itself, by two tables that its scripts wrote:
 *
 *   mutation_types.txt  the mutation type of every combination of flags (make_mutation_types.py)
 *   graph_facts.txt     what AOTAutograd derived for real programs it traced (make_graph_facts.py)
 *
 * and of flat counts, which PyTorch does not keep in one place: those are counted by hand at each case.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/facts/derive.h"
#include "gen/algebra/expr.h"
#include "tests/unit/check.h"

static Arena arena;

/* ---- the table of mutation types ---- */

static SpecBool flag(const int *bits, int i)
{
    return bits[i] != 0 ? SPEC_TRUE : SPEC_FALSE;
}

static void set_flags(SpecInput *input, const int *bits)
{
    input->mutates_data = flag(bits, 0);
    input->mutates_metadata = flag(bits, 1);
    input->mutates_storage_metadata = flag(bits, 2);
    input->mutation_inductor_storage_resize = flag(bits, 3);
    input->mutations_hidden_from_autograd = flag(bits, 4);
    input->mutations_under_no_grad_or_inference_mode = flag(bits, 5);
    input->requires_grad = flag(bits, 6);
}

static const char *type_text(MutationType type, bool conflict)
{
    static const char *const names[] = {[NOT_MUTATED] = "NOT_MUTATED",
                                        [MUTATED_IN_GRAPH] = "MUTATED_IN_GRAPH",
                                        [MUTATED_OUT_GRAPH] = "MUTATED_OUT_GRAPH"};
    return conflict ? "refused" : names[type];
}

static void test_mutation_types(void)
{
    FILE *file = fopen("tests/unit/mutation_types.txt", "r");
    char line[512];
    int bits[8];
    char word[32];
    int rows = 0;
    int wrong = 0;
    if (!check(file != NULL, "the table of mutation types is there")) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%d %d %d %d %d %d %d %d %31s", &bits[0], &bits[1], &bits[2], &bits[3], &bits[4], &bits[5],
                   &bits[6], &bits[7], word) != 9) {
            continue;
        }
        rows++;
        SpecGraph graph = {.keep_input_mutations = flag(bits, 0)};
        SpecInput input = {0};
        set_flags(&input, bits + 1);
        bool conflict = true;
        const MutationType type = derive_mutation_type(&graph, &input, &conflict);
        if (strcmp(word, "impossible") != 0 && strcmp(word, type_text(type, conflict)) != 0) {
            wrong++;
            printf("# %s#   derived: %s\n", line, type_text(type, conflict));
        }
    }
    fclose(file);
    check(rows == 256, "the table has all 256 combinations");
    check(wrong == 0, "mutation types are PyTorch's");
}

/* ---- traced graphs ---- */

enum { MOST = 16 };

typedef struct Traced {
    char name[64];
    SpecGraph graph;
    SpecInput inputs[MOST];
    SpecOutput outputs[MOST];
    SpecBase bases[MOST];
    SpecSynthetic synthetic[MOST];
    uint32_t members[MOST][MOST];
    char args[256];
    char tangents[256];
    char runtime[64];
    char in_graph[64];
    char seen[64];
    char aliased[64];
    char unsafe[64];
    unsigned num_forward_returns;
    unsigned num_forward;
} Traced;

static const char *const output_types[] = {
    [SPEC_NON_ALIAS] = "non_alias",
    [SPEC_ALIAS_OF_INPUT] = "alias_of_input",
    [SPEC_IS_INPUT] = "is_input",
    [SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT] = "alias_of_intermediate_save_as_output",
    [SPEC_ALIAS_OF_INTERMEDIATE] = "alias_of_intermediate",
    [SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT] = "alias_of_intermediate_base_is_user_output",
    [SPEC_UNSAFE_VIEW_ALIAS] = "unsafe_view_alias",
    [SPEC_CUSTOM_FUNCTION_VIEW] = "custom_function_view",
};

static void read_graph(Traced *traced, const char *line)
{
    char mode[16] = "";
    int keep = 0;
    int rng = 0;
    memset(traced, 0, sizeof *traced);
    sscanf(line, "graph %63s %15s %d %d", traced->name, mode, &keep, &rng);
    traced->graph.mode = strcmp(mode, "training") == 0 ? SPEC_TRAINING : SPEC_INFERENCE;
    traced->graph.keep_input_mutations = keep != 0 ? SPEC_TRUE : SPEC_FALSE;
    traced->graph.rng = rng != 0 ? SPEC_RNG_FUNCTIONALIZED : SPEC_RNG_NONE;
    traced->graph.inputs = traced->inputs;
    traced->graph.outputs = traced->outputs;
    traced->graph.intermediate_bases = traced->bases;
    traced->graph.synthetic_bases = traced->synthetic;
}

static void read_input(Traced *traced, const char *line)
{
    SpecGraph *graph = &traced->graph;
    SpecInput *input = &traced->inputs[graph->inputs_count];
    char kind[16] = "";
    int bits[7] = {0};
    int duplicate = -1;
    int synthetic = -1;
    sscanf(line, "input %15s %d %d %d %d %d %d %d %d %d", kind, &bits[0], &bits[1], &bits[2], &bits[3], &bits[4],
           &bits[5], &bits[6], &duplicate, &synthetic);
    input->kind = strcmp(kind, "tensor") == 0 ? SPEC_TENSOR : SPEC_INT;
    set_flags(input, bits);
    input->duplicate_of = duplicate;
    input->synthetic_base = synthetic;
    if (duplicate >= 0) {
        set_flags(input, (const int[7]){0}); /* a duplicate states nothing in the YAML */
    }
    if (synthetic >= 0) {
        SpecSynthetic *base = &traced->synthetic[synthetic];
        base->member_index = traced->members[synthetic];
        base->member_index[base->members.text_count++] = graph->inputs_count;
        if ((uint32_t)synthetic >= graph->synthetic_bases_count) {
            graph->synthetic_bases_count = (uint32_t)synthetic + 1;
        }
    }
    graph->inputs_count++;
}

static void read_output(Traced *traced, const char *line)
{
    SpecOutput *output = &traced->outputs[traced->graph.outputs_count++];
    char kind[16] = "";
    char type[64] = "";
    int grad = 0;
    int backward = 0;
    sscanf(line, "output %15s %63s %d %d", kind, type, &grad, &backward);
    output->kind = strcmp(kind, "tensor") == 0 ? SPEC_TENSOR : SPEC_INT;
    output->requires_grad = grad != 0 ? SPEC_TRUE : SPEC_FALSE;
    output->requires_grad_for_backward = backward != 0 ? SPEC_TRUE : SPEC_FALSE;
    for (int i = SPEC_NON_ALIAS; i <= SPEC_CUSTOM_FUNCTION_VIEW; i++) {
        if (strcmp(type, output_types[i]) == 0) {
            output->type = (SpecOutputType)i;
        }
    }
}

/* What comes after the key, without the line's end. */
static void read_rest(char *out, size_t size, const char *line)
{
    const char *space = strchr(line, ' ');
    (void)snprintf(out, size, "%s", space == NULL ? "" : space + 1);
    out[strcspn(out, "\n")] = '\0';
}

static void put_number(char *out, const char *format, unsigned number)
{
    const size_t length = strlen(out);
    (void)snprintf(out + length, 256 - length, "%s", length == 0 ? "" : " ");
    (void)snprintf(out + strlen(out), 256 - strlen(out), format, number);
}

static void put_ref(char *out, SpecRef ref)
{
    static const char *const formats[] = {"none:%u", "input:%u", "output:%u", "base:%u", "synthetic:%u"};
    put_number(out, formats[ref.kind], ref.index);
}

static void check_list(const Traced *traced, const char *what, const char *got, const char *expected)
{
    char name[128];
    (void)snprintf(name, sizeof name, "%s: %s", traced->name, what);
    check_text(got, expected, name);
}

static void check_indices(const Traced *traced, const char *what, IndexList list, const char *expected)
{
    char got[256] = "";
    for (uint32_t i = 0; i < list.count; i++) {
        put_number(got, "%u", list.at[i]);
    }
    check_list(traced, what, got, expected);
}

/* Positions among the inner arguments, which are the inputs themselves where nothing is merged. */
static void check_positions(const Traced *traced, const char *what, const GraphFacts *facts, MutationType type,
                            const char *expected)
{
    char got[256] = "";
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        if (facts->inner_args[i].mutation_type == type) {
            put_number(got, "%u", i);
        }
    }
    check_list(traced, what, got, expected);
}

static void check_merged(const Traced *traced, const GraphFacts *facts)
{
    char got[256] = "";
    for (uint32_t i = 0; i < facts->num_inner_args; i++) {
        put_ref(got, facts->inner_args[i].ref);
    }
    check_list(traced, "inner arguments", got, traced->args);
}

static void check_traced(const Traced *traced)
{
    const bool merged = traced->args[0] != '\0';
    const GraphFacts facts = derive_facts(&arena, &traced->graph);
    char tangents[256] = "";
    for (uint32_t i = 0; i < facts.num_tangents; i++) {
        put_ref(tangents, facts.tangents[i]);
    }
    check_list(traced, "tangents", tangents, traced->tangents);
    check_positions(traced, "runtime mutations", &facts, MUTATED_OUT_GRAPH, traced->runtime);
    check_positions(traced, "mutations in the graph", &facts, MUTATED_IN_GRAPH, traced->in_graph);
    check(facts.num_forward_returns == traced->num_forward_returns && facts.num_forward == traced->num_forward,
          "%s: %u and %u forward returns", traced->name, traced->num_forward_returns, traced->num_forward);
    check_indices(traced, "unsafe views", facts.unsafe_view_outputs, traced->unsafe);
    if (merged) {
        check_merged(traced, &facts);
        return; /* PyTorch's lists of outputs then hold those of merged members' metadata too */
    }
    check_indices(traced, "mutated_runtime", facts.mutated_runtime, traced->runtime);
    check_indices(traced, "mutated_in_graph", facts.mutated_in_graph, traced->in_graph);
    check_indices(traced, "seen by autograd", facts.mutated_seen_by_autograd, traced->seen);
    check_indices(traced, "aliased outputs", facts.aliased_outputs, traced->aliased);
}

static void read_line(Traced *traced, const char *line)
{
    if (strncmp(line, "input", 5) == 0) {
        read_input(traced, line);
    } else if (strncmp(line, "output", 6) == 0) {
        read_output(traced, line);
    } else if (strncmp(line, "bases", 5) == 0) {
        traced->graph.intermediate_bases_count = (uint32_t)strtoul(line + 5, NULL, 10);
    } else if (strncmp(line, "args", 4) == 0) {
        read_rest(traced->args, sizeof traced->args, line);
    } else if (strncmp(line, "runtime", 7) == 0) {
        read_rest(traced->runtime, sizeof traced->runtime, line);
    } else if (strncmp(line, "in_graph", 8) == 0) {
        read_rest(traced->in_graph, sizeof traced->in_graph, line);
    } else if (strncmp(line, "seen", 4) == 0) {
        read_rest(traced->seen, sizeof traced->seen, line);
    } else if (strncmp(line, "aliased", 7) == 0) {
        read_rest(traced->aliased, sizeof traced->aliased, line);
    } else if (strncmp(line, "unsafe", 6) == 0) {
        read_rest(traced->unsafe, sizeof traced->unsafe, line);
    } else if (strncmp(line, "returns", 7) == 0) {
        sscanf(line, "returns %u %u", &traced->num_forward_returns, &traced->num_forward);
    }
}

static void test_traced_graphs(void)
{
    FILE *file = fopen("tests/unit/graph_facts.txt", "r");
    static Traced traced;
    char line[512];
    int graphs = 0;
    if (!check(file != NULL, "the table of traced graphs is there")) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "graph", 5) == 0) {
            read_graph(&traced, line);
        } else if (strncmp(line, "tangents", 8) == 0) {
            read_rest(traced.tangents, sizeof traced.tangents, line);
            check_traced(&traced);
            graphs++;
        } else {
            read_line(&traced, line);
        }
    }
    fclose(file);
    check(graphs >= 20, "%d traced graphs", graphs);
}

/* ---- flat counts, by hand ---- */

static void test_flat_counts(void)
{
    const Expr symbol = {.kind = EXPR_SYMBOL};
    const Expr four = {.kind = EXPR_LITERAL, .literal = 4};
    const Expr *symbolic[] = {&symbol, &four};
    const Expr *literal[] = {&four, &four};
    const Expr *nested[] = {NULL, &symbol};
    char *texts[] = {NULL, NULL};
    char arg[] = "size.0";
    char *args[] = {arg};
    const SpecSubclassType declared = {0};
    SpecSubclass leaves[] = {{.symbol_args = {args, 1}}, {.opaque = true}};
    SpecSubclass inner = {.declared = &declared,
                          .symints = SPEC_TRUE,
                          .inner = leaves,
                          .inner_count = 2,
                          .outer_size = {texts, 2, symbolic},
                          .outer_stride = {texts, 2, literal}};
    /* leaf with one symbol arg 2, opaque leaf 1, one symbolic size, no symbolic stride */
    check(derive_flat_count(&inner) == 4, "a subclass of two leaves and one symbolic dim has 4 slots");
    SpecSubclass outer = {.declared = &declared,
                          .symints = SPEC_TRUE,
                          .inner = &inner,
                          .inner_count = 1,
                          .outer_size = {texts, 2, nested},
                          .outer_stride = {texts, 2, symbolic}};
    /* 4 of inner, of its own one symbolic size (`nested` is none) and one symbolic stride */
    check(derive_flat_count(&outer) == 6, "a nested one adds its own symbolic dims");
    outer.symints = SPEC_FALSE;
    check(derive_flat_count(&outer) == 4, "with symints: false its own are not counted");

    SpecInput inputs[] = {
        {.kind = SPEC_TENSOR,
         .duplicate_of = -1,
         .synthetic_base = -1,
         .subclass = &outer,
         .updated = &inner,
         .mutates_data = SPEC_TRUE,
         .requires_grad = SPEC_TRUE},
        {.kind = SPEC_TENSOR, .duplicate_of = -1, .synthetic_base = -1, .symbol_args = {args, 1}},
        {.kind = SPEC_TENSOR, .duplicate_of = 1, .synthetic_base = -1},
        {.kind = SPEC_INT, .duplicate_of = -1, .synthetic_base = -1},
        {.kind = SPEC_TENSOR, .duplicate_of = -1, .synthetic_base = -1, .subclass = &inner, .frozen = SPEC_TRUE},
    };
    SpecOutput outputs[] = {{.kind = SPEC_TENSOR, .type = SPEC_NON_ALIAS, .subclass = &outer},
                            {.kind = SPEC_NONE, .type = SPEC_NON_ALIAS}};
    SpecSaved saved = {.num_tensors = 3, .num_no_version_check = 1, .num_opaque = 1, .num_symints = 2};
    SpecGraph graph = {.mode = SPEC_TRAINING,
                       .inputs = inputs,
                       .inputs_count = 5,
                       .outputs = outputs,
                       .outputs_count = 2,
                       .saved = &saved,
                       .num_tokens = 2,
                       .rng = SPEC_RNG_FUNCTIONALIZED,
                       .keep_input_mutations = SPEC_TRUE};
    const GraphFacts facts = derive_facts(&arena, &graph);
    /* 2 tokens, 4 of the first input, 2 of the second, the duplicate 0, the int 1, the frozen one 1, seed and offset */
    check(facts.num_flat_inputs == 12, "12 flat inputs, not %u", facts.num_flat_inputs);
    /* 2 tokens, 4 of the updated input (inner), 4 and 1 of the outputs, the offset, 7 saved */
    check(facts.num_flat_outputs == 19, "19 flat outputs, not %u", facts.num_flat_outputs);
    graph.rng = SPEC_RNG_GRAPHSAFE;
    graph.num_rng_states = 3;
    check(derive_facts(&arena, &graph).num_flat_inputs == 13, "graphsafe states are appended");
    check(derive_facts(&arena, &graph).num_flat_outputs == 18, "and return nothing");
}

/* create_synthetic_base_metadata() takes all() of the members' flags, and an input that is not mutated has
 * mutations_hidden_from_autograd there (graph_facts.txt shows it), but not ..._under_no_grad_or_inference_mode. */
static void test_hidden_members(void)
{
    SpecInput inputs[] = {
        {.kind = SPEC_TENSOR,
         .duplicate_of = -1,
         .mutates_data = SPEC_TRUE,
         .requires_grad = SPEC_TRUE,
         .mutations_hidden_from_autograd = SPEC_TRUE},
        {.kind = SPEC_TENSOR, .duplicate_of = -1, .requires_grad = SPEC_TRUE},
    };
    uint32_t members[] = {0, 1};
    SpecSynthetic base = {.members = {NULL, 2}, .member_index = members};
    const SpecGraph graph = {.keep_input_mutations = SPEC_TRUE,
                             .inputs = inputs,
                             .inputs_count = 2,
                             .synthetic_bases = &base,
                             .synthetic_bases_count = 1};
    check(derive_facts(&arena, &graph).inner_args[0].mutation_type == MUTATED_IN_GRAPH,
          "a base whose mutations are all hidden stays in the graph");
    inputs[1].mutates_data = SPEC_TRUE;
    check(derive_facts(&arena, &graph).inner_args[0].mutation_type == MUTATED_OUT_GRAPH,
          "with one mutation that is not it leaves the graph");
    inputs[1].mutates_data = SPEC_FALSE;
    inputs[0].mutations_hidden_from_autograd = SPEC_FALSE;
    inputs[0].mutations_under_no_grad_or_inference_mode = SPEC_TRUE;
    check(derive_facts(&arena, &graph).inner_args[0].mutation_type == MUTATED_OUT_GRAPH,
          "no_grad of one member is not no_grad of the base");
    inputs[1].mutates_data = SPEC_TRUE;
    inputs[1].mutations_under_no_grad_or_inference_mode = SPEC_TRUE;
    check(derive_facts(&arena, &graph).inner_args[0].mutation_type == MUTATED_IN_GRAPH, "no_grad of all is");
}

/* ---- ranges of symbols ---- */

static void test_symbol_ranges(void)
{
    const Expr uses[] = {{.kind = EXPR_SYMBOL, .symbol = 0}, {.kind = EXPR_SYMBOL, .symbol = 1}};
    const Expr *first[] = {&uses[0]};
    const Expr *second[] = {&uses[1]};
    char *texts[] = {NULL};
    SpecSymbol symbols[] = {{.has_min = true, .min_value = 2, .has_max = true, .max_value = 9, .multiple_of_value = 1},
                            {.multiple_of_value = 1}};
    SpecInput inputs[] = {{.size = {texts, 1, first}, .stride = {texts, 1, second}}};
    const Spec spec = {.symbols = symbols, .symbols_count = 2};
    SpecGraph graph = {.check = SPEC_CHECK_CHEAP, .inputs = inputs, .inputs_count = 1};
    const IntegerRange *ranges = derive_symbol_ranges(&arena, &spec, &graph);
    check(ranges[0].has_min && ranges[0].min == 2 && ranges[0].has_max && ranges[0].max == 9,
          "declared bounds that are tested are known");
    check(!ranges[1].has_min && !ranges[1].has_max, "of a symbol that a stride binds nothing is known");
    graph.check = SPEC_CHECK_COUNT;
    ranges = derive_symbol_ranges(&arena, &spec, &graph);
    check(ranges[0].has_min && ranges[0].min == 0 && !ranges[0].has_max,
          "untested bounds are not, but a size is not negative");
    inputs[0].frozen = SPEC_TRUE;
    ranges = derive_symbol_ranges(&arena, &spec, &graph);
    check(!ranges[0].has_min, "a frozen input binds nothing");
}

int main(void)
{
    arena_init(&arena);
    test_mutation_types();
    test_traced_graphs();
    test_flat_counts();
    test_hidden_members();
    test_symbol_ranges();
    arena_release(&arena);
    return check_done();
}
