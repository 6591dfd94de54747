/* SPDX-License-Identifier: MIT */
/* limit_table - see limit_table.h. A graph's sizes are expressions of symbols with bounds; a variant's are the sets of
 * its clauses. */
#include "limit_table.h"

#include <inttypes.h>

#include "../algebra/condition.h"
#include "../algebra/integer.h"
#include "../facts/derive.h"
#include "../../templates/core/wg_compiler.h"

LimitTable limit_table_new(Arena *arena, const char *prefix)
{
    return (LimitTable){.arena = arena,
                        .prefix = prefix,
                        .ranges = str_new(arena),
                        .numbers = str_new(arena),
                        .arguments = str_new(arena),
                        .variants = str_new(arena),
                        .rows = str_new(arena)};
}

/* ---- rows ---- */

static const char *number_text(Arena *arena, int64_t number)
{
    if (number == INT64_MIN || number == INT64_MAX) {
        return number == INT64_MIN ? "INT64_MIN" : "INT64_MAX";
    }
    return arena_printf(arena, number == (int32_t)number ? "%" PRId64 : "INT64_C(%" PRId64 ")", number);
}

static const char *mask_text(Arena *arena, uint64_t mask)
{
    return mask == UINT64_MAX ? "UINT64_MAX" : arena_printf(arena, "UINT64_C(0x%" PRIx64 ")", mask);
}

/* "&demo_limit_ranges[3]": the first of the rows that were added since; NULL: none was. */
static const char *since(const LimitTable *limits, const char *table, uint32_t first, uint32_t end)
{
    return first == end ? "NULL"
                        : arena_printf(limits->arena, "&%slimit_%s[%" PRIu32 "]", limits->prefix, table, first);
}

static void add_range(LimitTable *limits, int64_t min, int64_t max, int64_t multiple)
{
    str_printf(&limits->ranges, "    { %s, %s, %" PRId64 " },\n", number_text(limits->arena, min),
               number_text(limits->arena, max), multiple);
    limits->num_ranges++;
}

static void put_literal(Str *out, const char *text)
{
    if (text == NULL) {
        str_puts(out, "NULL");
    } else {
        str_put_c_literal(out, text);
    }
}

/* What an earlier number is; argument -1: there is none. */
typedef struct Same {
    int32_t argument;
    int32_t dimension;
} Same;

static const Same NOTHING_SAME = {-1, -1};

/* Its ranges were added since `first`. */
static void add_number(LimitTable *limits, uint32_t first, Same same, const char *text)
{
    str_printf(&limits->numbers, "    { %s, %" PRIu32 ", %" PRId32 ", %" PRId32 ", ",
               since(limits, "ranges", first, limits->num_ranges), limits->num_ranges - first, same.argument,
               same.dimension);
    put_literal(&limits->numbers, text);
    str_puts(&limits->numbers, " },\n");
    limits->num_numbers++;
}

typedef struct Argument {
    const char *name;
    SpecKind kind;
    bool may_be_null;
    uint64_t dtypes;
    uint64_t ranks;
} Argument;

/* Its numbers were added since `first`. */
static void add_argument(LimitTable *limits, const Argument *argument, uint32_t first)
{
    Str *out = &limits->arguments;
    str_puts(out, "    { ");
    put_literal(out, argument->name);
    str_puts(out, ", ");
    put_literal(out, spec_kind_text(argument->kind));
    str_printf(out, ", %d, %s, %s, %s, %" PRIu32 " },\n", argument->may_be_null,
               mask_text(limits->arena, argument->dtypes), mask_text(limits->arena, argument->ranks),
               since(limits, "numbers", first, limits->num_numbers), limits->num_numbers - first);
    limits->num_arguments++;
}

static void add_variant(LimitTable *limits, const char *name, bool is_whole, uint32_t first)
{
    str_puts(&limits->variants, "    { ");
    put_literal(&limits->variants, name);
    str_printf(&limits->variants, ", %d, %s, %" PRIu32 " },\n", is_whole,
               since(limits, "arguments", first, limits->num_arguments), limits->num_arguments - first);
    limits->num_variants++;
}

static void add_row(LimitTable *limits, const char *name, bool is_kernel, uint32_t first)
{
    str_puts(&limits->rows, "    { ");
    put_literal(&limits->rows, name);
    str_printf(&limits->rows, ", %d, %s, %" PRIu32 " },\n", is_kernel,
               since(limits, "variants", first, limits->num_variants), limits->num_variants - first);
}

/* ---- graphs ---- */

typedef struct GraphLimits {
    LimitTable *limits;
    const Spec *spec;
    const SpecGraph *graph;
    Integers *integers;
    Same *symbols; /* where each stands alone first */
    bool is_whole;
} GraphLimits;

/* A number that divides all values of the expression. */
static int64_t divisor_of(const Spec *spec, const Expr *expr)
{
    int64_t product = 0;
    switch (expr->kind) {
    case EXPR_LITERAL:
        return expr->literal > 0 ? expr->literal : expr->literal == 0 ? 0 : 1;
    case EXPR_SYMBOL: {
        const int64_t multiple = spec->symbols[expr->symbol].multiple_of_value;
        return multiple > 1 ? multiple : 1;
    }
    case EXPR_ADD:
        return greatest_common_divisor(divisor_of(spec, expr->lhs), divisor_of(spec, expr->rhs));
    case EXPR_MUL:
        return wg_ckd_mul(&product, divisor_of(spec, expr->lhs), divisor_of(spec, expr->rhs)) ? 1 : product;
    default:
        return 1;
    }
}

/* A value that is at least `least`; expr may be null. */
static ConditionRange range_of(const GraphLimits *graph, const Expr *expr, int64_t least)
{
    if (expr == NULL) {
        return (ConditionRange){least, INT64_MAX, 1};
    }
    const IntegerRange range = integer_range(graph->integers, integer_from_expr(graph->integers, expr));
    const int64_t min = range.has_min && range.min > least ? range.min : least;
    const int64_t max = range.has_max ? range.max : INT64_MAX;
    const int64_t divisor = divisor_of(graph->spec, expr);
    return condition_range(min, max, divisor > 0 && min != max ? divisor : 1);
}

/* A size of a tensor, or the value of an int or bool; `here` is where it is. */
static void add_expression(GraphLimits *graph, const Expr *expr, const char *text, Same here, SpecKind kind)
{
    LimitTable *limits = graph->limits;
    const uint32_t first = limits->num_ranges;
    ConditionRange range = range_of(graph, expr, kind == SPEC_INT ? INT64_MIN : 0);
    range.max = kind == SPEC_BOOLEAN && range.max > 1 ? 1 : range.max;
    Same same = NOTHING_SAME;
    int64_t literal = 0;
    if (expr != NULL && expr->kind == EXPR_SYMBOL) {
        Same *known = &graph->symbols[expr->symbol];
        const SpecSymbol *symbol = &graph->spec->symbols[expr->symbol];
        graph->is_whole = graph->is_whole && !spec_is(symbol->nested) && !spec_is(symbol->unbacked);
        same = *known;
        *known = known->argument < 0 ? here : *known;
    } else if (text != NULL && !expr_is_literal(expr, &literal)) {
        graph->is_whole = false;
    }
    add_range(limits, range.min, range.max, range.multiple);
    add_number(limits, first, same, expr_is_literal(expr, &literal) ? NULL : text);
}

/* Are the strides those of a contiguous tensor, whatever the symbols are? PyTorch counts a size of 0 as 1 for them. */
static bool is_compact(const GraphLimits *graph, const SpecInput *input)
{
    const Integer *step = integer_literal(graph->integers, 1);
    for (uint32_t d = input->stride.text_count; d-- > 0;) {
        const Integer *stride = integer_from_expr(graph->integers, input->stride.expr[d]);
        if (integer_equal(graph->integers, stride, step) != TRUTH_YES ||
            (d > 0 && range_of(graph, input->size.expr[d], 0).min < 1)) {
            return false;
        }
        step =
            integer_binary(graph->integers, INTEGER_MUL, step, integer_from_expr(graph->integers, input->size.expr[d]));
    }
    return true;
}

static bool is_plain(const GraphLimits *graph, const SpecInput *input)
{
    const bool moved = input->device != NULL && !str_equal(input->device, "cpu");
    const bool strided = input->stride.text != NULL && (input->size.text == NULL || !is_compact(graph, input));
    return !moved && !strided && input->subclass == NULL && !spec_is(input->frozen) &&
           input->storage_offset.text == NULL && !spec_is(input->is_conj) && !spec_is(input->is_neg) &&
           input->symbol_args.text_count == 0;
}

static void add_input(GraphLimits *graph, uint32_t index)
{
    LimitTable *limits = graph->limits;
    const SpecInput *input = &graph->graph->inputs[index];
    const uint32_t first = limits->num_numbers;
    Argument argument = {.name = input->name, .kind = input->kind, .may_be_null = spec_is(input->frozen)};
    if (input->kind == SPEC_TENSOR) {
        argument.dtypes = input->dtype_code >= 0 && input->dtype != NULL ? UINT64_C(1) << input->dtype_code
                                                                         : kernel_dtypes(limits->arena, NULL);
        argument.ranks = input->size.text != NULL ? UINT64_C(1) << input->size.text_count : UINT64_MAX;
        for (uint32_t d = 0; d < input->size.text_count; d++) {
            add_expression(graph, input->size.expr[d], input->size.text[d], (Same){(int32_t)index, (int32_t)d},
                           input->kind);
        }
        graph->is_whole = graph->is_whole && is_plain(graph, input);
    } else if (input->kind == SPEC_INT || input->kind == SPEC_BOOLEAN) {
        add_expression(graph, input->value.expr, input->value.text, (Same){(int32_t)index, -1}, input->kind);
    } else {
        graph->is_whole = graph->is_whole && input->value.text == NULL;
    }
    add_argument(limits, &argument, first);
}

void limit_table_graph(LimitTable *limits, const Plan *plan)
{
    const Spec *spec = plan->spec;
    GraphLimits graph = {.limits = limits, .spec = spec, .graph = plan->graph, .is_whole = true};
    graph.integers =
        integers_new(limits->arena, derive_symbol_ranges(limits->arena, spec, plan->graph), spec->symbols_count);
    graph.symbols = ARENA_ARRAY(limits->arena, Same, spec->symbols_count + 1);
    for (uint32_t i = 0; i < spec->symbols_count; i++) {
        graph.symbols[i] = NOTHING_SAME;
    }
    const uint32_t first_argument = limits->num_arguments;
    const uint32_t first_variant = limits->num_variants;
    for (uint32_t i = 0; i < plan->graph->inputs_count; i++) {
        add_input(&graph, i);
    }
    add_variant(limits, plan->symbol, graph.is_whole && plan->graph->guards.text_count == 0, first_argument);
    add_row(limits, plan->graph->name, false, first_variant);
}

/* ---- kernels ---- */

typedef struct VariantLimits {
    LimitTable *limits;
    const Dispatch *dispatch;
    const DispatchVariant *variant;
    bool is_whole;
} VariantLimits;

/* Does the clause hold unless its own argument is null? Of null a row says nothing. */
static bool holds_if_present(const Dispatch *dispatch, const DispatchClause *clause)
{
    const uint32_t node = dispatch->fields[clause->field].node;
    bool holds = true;
    for (uint32_t i = 0; i < clause->num_unless; i++) {
        const DispatchField *other = &dispatch->fields[clause->unless[i].field];
        holds = holds && other->kind == FIELD_PRESENT && other->node == node;
    }
    return holds;
}

static IntSet narrowed(const VariantLimits *v, IntSet set, const DispatchVariant *by, int32_t field)
{
    for (uint32_t i = 0; i < by->num_clauses; i++) {
        const DispatchClause *clause = &by->clauses[i];
        if ((int32_t)clause->field == field && clause->equal_to == DISPATCH_NONE &&
            holds_if_present(v->dispatch, clause)) {
            set = intset_intersect(v->limits->arena, &set, &clause->set);
        }
    }
    return set;
}

/* What the declarations and the variant say about a field, if the argument is there. */
static IntSet set_of(const VariantLimits *v, FieldKind kind, uint32_t node, int32_t dimension)
{
    const int32_t field = dispatch_find_field(v->dispatch, kind, node, dimension);
    IntSet set = dispatch_domain(v->limits->arena, kind, v->dispatch->nodes[node].arg);
    if (field != DISPATCH_NONE) {
        set = narrowed(v, narrowed(v, set, &v->dispatch->declared, field), v->variant, field);
    }
    return set;
}

/* The earlier of the two fields that a clause compares, if this is the later one. */
static Same same_of(const VariantLimits *v, FieldKind kind, uint32_t node, int32_t dimension)
{
    for (uint32_t i = 0; i < v->variant->num_clauses; i++) {
        const DispatchClause *clause = &v->variant->clauses[i];
        if (clause->equal_to == DISPATCH_NONE || clause->num_unless > 0) {
            continue;
        }
        const DispatchField *a = &v->dispatch->fields[clause->field];
        const DispatchField *b = &v->dispatch->fields[clause->equal_to];
        const bool a_is_later = a->node > b->node || (a->node == b->node && a->dimension > b->dimension);
        const DispatchField *later = a_is_later ? a : b;
        const DispatchField *earlier = a_is_later ? b : a;
        if (later->kind == kind && later->node == node && later->dimension == dimension &&
            (earlier->kind == FIELD_SIZE || earlier->kind == FIELD_VALUE)) {
            return (Same){(int32_t)earlier->node, earlier->dimension};
        }
    }
    return NOTHING_SAME;
}

static void add_set(VariantLimits *v, FieldKind kind, uint32_t node, int32_t dimension)
{
    LimitTable *limits = v->limits;
    const IntSet set = set_of(v, kind, node, dimension);
    const uint32_t first = limits->num_ranges;
    v->is_whole = v->is_whole && !set.too_large;
    for (uint32_t i = 0; i < set.num_pieces; i++) {
        v->is_whole = v->is_whole && set.pieces[i].num_excluded == 0;
        add_range(limits, set.pieces[i].min, set.pieces[i].max, set.pieces[i].multiple);
    }
    add_number(limits, first, same_of(v, kind, node, dimension), NULL);
}

static uint64_t mask_of(const IntSet *set)
{
    uint64_t mask = 0;
    for (int i = 0; i < 64; i++) {
        mask |= intset_has(set, i) ? UINT64_C(1) << i : 0;
    }
    return mask;
}

/* One more than the last dimension about which something is known. */
static uint32_t num_dimensions(const VariantLimits *v, uint32_t node, const IntSet *rank)
{
    int64_t only = 0;
    uint32_t n = 0;
    if (intset_is_point(rank, &only) && only >= 0 && only < 64) {
        return (uint32_t)only;
    }
    for (int32_t d = 0; d < 64; d++) {
        n = dispatch_find_field(v->dispatch, FIELD_SIZE, node, d) != DISPATCH_NONE ? (uint32_t)d + 1 : n;
    }
    return n;
}

static void add_node(VariantLimits *v, uint32_t node)
{
    LimitTable *limits = v->limits;
    const DispatchNode *of = &v->dispatch->nodes[node];
    const uint32_t first = limits->num_numbers;
    const IntSet present = set_of(v, FIELD_PRESENT, node, DISPATCH_NONE);
    Argument argument = {.name = of->path, .kind = of->arg->kind};
    argument.may_be_null = spec_is(of->arg->nullable) && intset_has(&present, 0);
    if (of->arg->kind == SPEC_TENSOR && intset_has(&present, 1)) {
        const IntSet dtype = set_of(v, FIELD_DTYPE, node, DISPATCH_NONE);
        const IntSet rank = set_of(v, FIELD_RANK, node, DISPATCH_NONE);
        argument.dtypes = mask_of(&dtype);
        argument.ranks = mask_of(&rank);
        const uint32_t n = num_dimensions(v, node, &rank);
        for (uint32_t d = 0; d < n; d++) {
            add_set(v, FIELD_SIZE, node, (int32_t)d);
        }
    } else if ((of->arg->kind == SPEC_INT || of->arg->kind == SPEC_BOOLEAN) && intset_has(&present, 1)) {
        add_set(v, FIELD_VALUE, node, DISPATCH_NONE);
    }
    add_argument(limits, &argument, first);
}

/* Does the row say what the clause does, of a tensor as wg_limits.h has it? */
static bool is_told(const VariantLimits *v, const DispatchClause *clause)
{
    const DispatchField *field = &v->dispatch->fields[clause->field];
    const SpecArg *arg = v->dispatch->nodes[field->node].arg;
    const bool is_number = field->kind == FIELD_SIZE ||
                           (field->kind == FIELD_VALUE && (arg->kind == SPEC_INT || arg->kind == SPEC_BOOLEAN));
    if (!holds_if_present(v->dispatch, clause) || clause->set.too_large ||
        v->dispatch->nodes[field->node].parent != DISPATCH_NONE) {
        return false;
    }
    if (clause->equal_to != DISPATCH_NONE) {
        const FieldKind other = v->dispatch->fields[clause->equal_to].kind;
        return is_number && (other == FIELD_SIZE || other == FIELD_VALUE);
    }
    switch (field->kind) {
    case FIELD_DTYPE:
    case FIELD_RANK:
    case FIELD_PRESENT:
        return true;
    case FIELD_PLAIN:
    case FIELD_CONTIGUOUS:
        return intset_has(&clause->set, 1);
    case FIELD_LAZY:
    case FIELD_CONJ:
    case FIELD_NEG:
    case FIELD_DEVICE:
        return intset_has(&clause->set, 0);
    default:
        return is_number;
    }
}

/* Two clauses that compare one number with others: a row has room for one. */
static bool is_compared_twice(const VariantLimits *v)
{
    for (uint32_t i = 0; i < v->variant->num_clauses; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const DispatchClause *a = &v->variant->clauses[i];
            const DispatchClause *b = &v->variant->clauses[j];
            if (a->equal_to != DISPATCH_NONE && b->equal_to != DISPATCH_NONE && a->field == b->field) {
                return true;
            }
        }
    }
    return false;
}

static void add_kernel_variant(LimitTable *limits, const Kernel *kernel, const Dispatch *dispatch,
                               const DispatchVariant *variant)
{
    VariantLimits v = {.limits = limits, .dispatch = dispatch, .variant = variant};
    const uint32_t first = limits->num_arguments;
    v.is_whole = !variant->says_more && !variant->trusts && !is_compared_twice(&v);
    for (uint32_t node = 0; node < dispatch->num_nodes; node++) {
        add_node(&v, node);
    }
    for (uint32_t i = 0; i < dispatch->declared.num_clauses; i++) {
        v.is_whole = v.is_whole && is_told(&v, &dispatch->declared.clauses[i]);
    }
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        v.is_whole = v.is_whole && is_told(&v, &variant->clauses[i]);
    }
    add_variant(limits, kernel_callee(kernel, variant->spec), v.is_whole, first);
}

void limit_table_kernel(LimitTable *limits, const Kernel *kernel)
{
    const Dispatch *dispatch = dispatch_new(limits->arena, kernel->file, kernel->spec, kernel->host.tells_lazy);
    const uint32_t first = limits->num_variants;
    for (uint32_t i = 0; i < dispatch->num_variants; i++) {
        add_kernel_variant(limits, kernel, dispatch, &dispatch->variants[i]);
    }
    add_row(limits, kernel->spec->name, true, first);
}
