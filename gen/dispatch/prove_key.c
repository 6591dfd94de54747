/* SPDX-License-Identifier: MIT */
/*
 * prove_key - do calls with one key get one variant? A caller that keeps what was chosen by the key of the call relies
 * on it.
 *
 * What a key tells about each field is a set: all calls with the key of one call have the field in that set. If every
 * field that conditions read is told exactly, the answer is yes. Else a call that gets each variant is taken, and
 * another one is looked for that has its key and gets another variant, or none.
 */
#include "prove_private.h"

#include <string.h>

#include "../algebra/operator.h"
#include "../../templates/core/wg_core.h"

typedef struct Keyed {
    Prover *p;
    const Witness *call;
    DispatchVariant same; /* what the key of the call says about every call with this key */
} Keyed;

/* ---- what a key tells ---- */

static bool is_marked(const SpecArg *arg, int32_t dimension)
{
    for (uint32_t i = 0; i < arg->static_dims.text_count; i++) {
        int64_t dim = 0;
        if (expr_is_literal(arg->static_dims.expr[i], &dim) && dim == dimension) {
            return true;
        }
    }
    return false;
}

static bool is_extra(const Dispatch *dispatch, const DispatchField *field, SpecExtraOf of)
{
    for (uint32_t i = 0; i < dispatch->kernel->extra_count; i++) {
        const SpecExtra *extra = &dispatch->kernel->extra[i];
        int64_t dim = 0;
        if (extra->arg != NULL && extra->of == of && expr_is_literal(extra->dim.expr, &dim) &&
            dim == field->dimension && strcmp(extra->arg, dispatch->nodes[field->node].path) == 0) {
            return true;
        }
    }
    return false;
}

/* Does the key hold the very value? A key holds no features: the machine stays the same. */
static bool tells_value(const Dispatch *dispatch, uint32_t index)
{
    const DispatchField *field = &dispatch->fields[index];
    const SpecArg *arg = dispatch->nodes[field->node].arg;
    const SpecKernel *kernel = dispatch->kernel;
    const bool fixed = spec_is(kernel->static_shapes);
    switch (field->kind) {
    case FIELD_PRESENT:
    case FIELD_LENGTH:
    case FIELD_LAZY:
    case FIELD_DTYPE:
    case FIELD_CONJ:
    case FIELD_NEG:
    case FIELD_RANK:
    case FIELD_FEATURE:
        return true;
    case FIELD_SIZE:
        return fixed || is_marked(arg, field->dimension) || is_extra(dispatch, field, SPEC_EXTRA_SIZE);
    case FIELD_STRIDE: /* where it counts; where it does not, no condition looks at it */
        return fixed || is_extra(dispatch, field, SPEC_EXTRA_STRIDE);
    case FIELD_CONTIGUOUS:
    case FIELD_CHANNELS_LAST:
        return fixed;
    case FIELD_VALUE:
        return (arg->kind != SPEC_ARG_INT && arg->kind != SPEC_ARG_FLOAT && arg->kind != SPEC_ARG_BOOL) ||
               spec_is(arg->constexpr_value);
    case FIELD_PLAIN:
    case FIELD_DEVICE:
    case FIELD_ADDRESS:
    case FIELD_RELATION:
    case FIELD_COUNT:
        break;
    }
    return false;
}

/* What is true of the field in every call with a key that this value has; false: everything may be. */
static bool told_set(const Dispatch *dispatch, uint32_t index, int64_t value, IntSet *set)
{
    const DispatchField *field = &dispatch->fields[index];
    const SpecKernel *kernel = dispatch->kernel;
    if (value < 0 || tells_value(dispatch, index)) { /* what is not there is not there */
        *set = intset_point(dispatch->arena, value);
        return value >= 0 || field->kind == FIELD_VALUE;
    }
    if (field->kind == FIELD_DEVICE && spec_is(kernel->device_in_key)) {
        *set = intset_interval(dispatch->arena, value / 256 * 256, value / 256 * 256 + 255);
        return true;
    }
    if (field->kind == FIELD_SIZE && kernel->buckets == SPEC_BUCKETS_ZERO_ONE) {
        *set = value < 2 ? intset_point(dispatch->arena, value) : intset_interval(dispatch->arena, 2, INT64_MAX);
        return true;
    }
    return false;
}

/* Does the key decide every condition of every variant, each by itself? */
static bool tells_all(const Dispatch *dispatch)
{
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        const DispatchRelation *relation = field->kind == FIELD_RELATION ? dispatch_relation_of(dispatch, i) : NULL;
        bool told = relation != NULL || tells_value(dispatch, i);
        for (uint32_t k = 0; relation != NULL && k < relation->num_names; k++) {
            told = told && tells_value(dispatch, relation->fields[k]);
        }
        if (!told && field->kind != FIELD_PLAIN) {
            return false;
        }
    }
    return true;
}

/* ---- two calls ---- */

static bool is_few(const WitnessNode *node)
{
    int64_t count = 1;
    bool few = true;
    for (int64_t d = 0; d < node->fields[FIELD_RANK]; d++) {
        if (node->dims[FIELD_SIZE][d] == 0) {
            return true;
        }
        few = few && !wg_ckd_mul(&count, count, node->dims[FIELD_SIZE][d]) && count <= INT32_MAX;
    }
    return few;
}

/* The number of the call behind an entry of `where`; -1: it is not there, or nothing reads it. */
static int64_t number_of(const Dispatch *dispatch, const Witness *call, const SpecNumber *number)
{
    const TableEntry *entry = table_find(&dispatch->paths, number->arg, strlen(number->arg));
    const WitnessNode *node = entry != NULL ? &call->nodes[entry->index] : NULL;
    int64_t dim = 0;
    if (node == NULL || node->fields[FIELD_PRESENT] != 1) {
        return -1;
    }
    (void)expr_is_literal(number->dim.expr, &dim);
    return number->of == SPEC_NUMBER_NDIM     ? node->fields[FIELD_RANK]
           : number->of == SPEC_NUMBER_LENGTH ? node->fields[FIELD_LENGTH]
           : number->of == SPEC_NUMBER_VALUE  ? node->fields[FIELD_VALUE]
           : dim < node->fields[FIELD_RANK]   ? node->dims[FIELD_SIZE][dim]
                                              : -1;
}

static bool compute(const Expr *expr, const int64_t *symbols, int64_t *value)
{
    int64_t lhs = 0;
    int64_t rhs = 0;
    if (!expr_is_operation(expr)) {
        *value = expr->kind == EXPR_SYMBOL ? symbols[expr->symbol] : expr->literal;
        return true;
    }
    return compute(expr->lhs, symbols, &lhs) && compute(expr->rhs, symbols, &rhs) &&
           operator_apply(expr_operator(expr), lhs, rhs, value);
}

static int64_t formula_value(const Dispatch *dispatch, const Witness *call, const SpecExtra *extra)
{
    int64_t *symbols = ARENA_ARRAY(dispatch->arena, int64_t, (size_t)dispatch->spec->symbols_count + 1);
    int64_t value = 0;
    for (uint32_t i = 0; i < extra->where_count; i++) {
        symbols[extra->where[i].symbol_index] = number_of(dispatch, call, &extra->where[i]);
    }
    return compute(extra->expr.expr, symbols, &value) ? value : INT64_MIN;
}

/* Parts of a key that follow from several fields. */
static bool has_same_key(const Dispatch *dispatch, const Witness *a, const Witness *b)
{
    bool same = true;
    for (uint32_t n = 0; dispatch->kernel->index_dtype == SPEC_INDEX_AUTO && n < dispatch->num_nodes; n++) {
        const bool tensors = a->nodes[n].fields[FIELD_RANK] >= 0 && b->nodes[n].fields[FIELD_RANK] >= 0;
        same = same && (!tensors || is_few(&a->nodes[n]) == is_few(&b->nodes[n]));
    }
    for (uint32_t i = 0; i < dispatch->kernel->extra_count; i++) {
        const SpecExtra *extra = &dispatch->kernel->extra[i];
        same = same &&
               (extra->expr.text == NULL || formula_value(dispatch, a, extra) == formula_value(dispatch, b, extra));
    }
    return same;
}

static Keyed keyed_by(Prover *p, const Witness *call)
{
    const Dispatch *dispatch = p->dispatch;
    Keyed keyed = {.p = p, .call = call};
    keyed.same.clauses = ARENA_ARRAY(p->arena, DispatchClause, (size_t)dispatch->num_fields + 1);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        IntSet set;
        if (dispatch->fields[i].kind == FIELD_RELATION || !told_set(dispatch, i, call->values[i], &set)) {
            continue;
        }
        keyed.same.clauses[keyed.same.num_clauses++] = (DispatchClause){
            .field = i, .equal_to = DISPATCH_NONE, .set = set, .complement = intset_complement(p->arena, &set)};
    }
    return keyed;
}

/* Geometry that no condition reads by itself is as in the first call, where it is part of the key. */
static void take_geometry(const Keyed *keyed, Witness *call)
{
    static const FieldKind apart[] = {FIELD_PLAIN, FIELD_DEVICE, FIELD_ADDRESS, FIELD_VALUE};
    for (uint32_t n = 0; n < keyed->p->dispatch->num_nodes; n++) {
        WitnessNode node = keyed->call->nodes[n];
        for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
            node.fields[apart[i]] = call->nodes[n].fields[apart[i]];
        }
        call->nodes[n] = node;
    }
}

/* Without static shapes a key holds only whether sizes are 0 or 1. */
static bool has_same_buckets(const Dispatch *dispatch, const Witness *a, const Witness *b)
{
    bool same = true;
    for (uint32_t n = 0; dispatch->kernel->buckets == SPEC_BUCKETS_ZERO_ONE && n < dispatch->num_nodes; n++) {
        for (int64_t d = 0; d < a->nodes[n].fields[FIELD_RANK]; d++) {
            const int64_t one = a->nodes[n].dims[FIELD_SIZE][d];
            const int64_t other = b->nodes[n].dims[FIELD_SIZE][d];
            same = same && (one < 2 || other < 2 ? one == other : true);
        }
    }
    return same;
}

/* Is there a call with that key that gets the variant, or none? p->witness is one. */
static Answer gets_other(const Keyed *keyed, uint32_t variant, const uint32_t *before)
{
    Prover *p = keyed->p;
    const bool none = variant == p->dispatch->num_variants;
    const Question question = {
        .required = {&p->dispatch->declared, &keyed->same, none ? &keyed->same : &p->dispatch->variants[variant]},
        .num_required = 3,
        .excluded = before,
        .num_excluded = variant};
    const Answer answer = prove_ask(p, &question);
    if (answer == ANSWER_YES && spec_is(p->dispatch->kernel->static_shapes)) {
        take_geometry(keyed, &p->witness);
    }
    const bool same = answer != ANSWER_YES || (has_same_key(p->dispatch, keyed->call, &p->witness) &&
                                               has_same_buckets(p->dispatch, keyed->call, &p->witness));
    return same ? answer : ANSWER_NO;
}

void prove_key(Prover *p)
{
    const uint32_t n = p->dispatch->num_variants;
    const uint32_t num_findings = p->proof->num_findings;
    uint32_t *all = ARENA_ARRAY(p->arena, uint32_t, (size_t)n + 1);
    bool known = true;
    if (tells_all(p->dispatch)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        all[i] = i;
    }
    for (uint32_t f = 0; f < num_findings; f++) {
        const Finding reached = p->proof->findings[f];
        if (reached.kind != FINDING_REACHED) {
            continue;
        }
        const Keyed keyed = keyed_by(p, &reached.witness);
        for (uint32_t other = 0; other <= n; other++) {
            const bool same = other < n && prove_same_function(p->dispatch->variants[other].spec,
                                                               p->dispatch->variants[reached.variant].spec);
            const Answer answer = same ? ANSWER_NO : gets_other(&keyed, other, all);
            known = known && answer != ANSWER_UNKNOWN;
            if (answer == ANSWER_YES) {
                Finding *found = prove_found(p, FINDING_KEY, reached.variant, &other, 1);
                found->first = reached.witness;
                return;
            }
        }
    }
    if (!known) {
        prove_not_known(p, n, "whether all calls with one key get one variant");
    }
}
