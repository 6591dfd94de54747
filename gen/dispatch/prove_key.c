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

/* Does the key hold the very value? */
static bool tells_value(const Dispatch *dispatch, uint32_t index)
{
    const DispatchField *field = &dispatch->fields[index];
    const SpecArg *arg = dispatch->nodes[field->node].arg;
    const SpecKernel *kernel = dispatch->kernel;
    const bool fixed = spec_is(kernel->static_shapes);
    switch (field_specs[field->kind].key) {
    case FIELD_KEY_HELD:
        return true;
    case FIELD_KEY_SHAPE:
        return fixed;
    case FIELD_KEY_SIZE:
        return fixed || is_marked(arg, field->dimension) || is_extra(dispatch, field, SPEC_EXTRA_SIZE);
    case FIELD_KEY_STRIDE:
        return fixed || is_extra(dispatch, field, SPEC_EXTRA_STRIDE);
    case FIELD_KEY_VALUE:
        return kind_form(arg->kind) != FORM_NUMBER || spec_is(arg->constexpr_value);
    case FIELD_KEY_SAME:
        return spec_is(kernel->same_in_key);
    case FIELD_KEY_NONE:
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

static int64_t formula_value(const Dispatch *dispatch, const Witness *call, const SpecExtra *extra)
{
    int64_t *symbols = ARENA_ARRAY(dispatch->arena, int64_t, (size_t)dispatch->spec->symbols_count + 1);
    int64_t value = 0;
    for (uint32_t i = 0; i < extra->where_count; i++) {
        symbols[extra->where[i].symbol_index] = number_of(dispatch, call, &extra->where[i]);
    }
    return expr_compute(extra->expr.expr, symbols, &value) ? value : INT64_MIN;
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

static const FieldKind always_told[] = {FIELD_DTYPE, FIELD_CONJ, FIELD_NEG, FIELD_LAZY, FIELD_RANK};
enum { NUM_ALWAYS_TOLD = sizeof always_told / sizeof *always_told };

static bool is_tensor(const WitnessNode *node)
{
    return node->fields[FIELD_RANK] >= 0;
}

static bool is_read(const Dispatch *dispatch, uint32_t n, FieldKind kind)
{
    bool read = false;
    for (int32_t i = dispatch->nodes[n].first_field; i != DISPATCH_NONE; i = dispatch->fields[i].next) {
        read = read || dispatch->fields[i].kind == kind;
    }
    return read;
}

static const FieldKind geometry[] = {FIELD_RANK, FIELD_SIZE, FIELD_STRIDE, FIELD_CONTIGUOUS, FIELD_CHANNELS_LAST};
enum { NUM_GEOMETRY = sizeof geometry / sizeof *geometry };

static bool reads_geometry(const Dispatch *dispatch, uint32_t n)
{
    bool reads = false;
    for (size_t i = 0; i < NUM_GEOMETRY; i++) {
        reads = reads || is_read(dispatch, n, geometry[i]);
    }
    return reads;
}

static void take_facts(const Dispatch *dispatch, uint32_t n, const WitnessNode *first, WitnessNode *node)
{
    const bool geometric = spec_is(dispatch->kernel->static_shapes) || !reads_geometry(dispatch, n);
    for (size_t i = 0; geometric && i < NUM_GEOMETRY; i++) {
        node->fields[geometry[i]] = first->fields[geometry[i]];
        node->dims[geometry[i]] = first->dims[geometry[i]];
    }
    for (size_t i = 0; i < NUM_ALWAYS_TOLD; i++) {
        if (always_told[i] != FIELD_RANK && !is_read(dispatch, n, always_told[i])) {
            node->fields[always_told[i]] = first->fields[always_told[i]];
        }
    }
    if (spec_is(dispatch->kernel->device_in_key) && !is_read(dispatch, n, FIELD_DEVICE)) {
        node->fields[FIELD_DEVICE] = first->fields[FIELD_DEVICE];
    }
}

/* Facts that no condition reads are as in the first call, where they are part of the key. */
static void take_unread(const Keyed *keyed, Witness *call)
{
    for (uint32_t n = 0; n < keyed->p->dispatch->num_nodes; n++) {
        if (is_tensor(&keyed->call->nodes[n]) && is_tensor(&call->nodes[n])) {
            take_facts(keyed->p->dispatch, n, &keyed->call->nodes[n], &call->nodes[n]);
        }
    }
}

/* Are all facts of two tensors equal that a key holds, whether or not a condition reads them? */
static bool is_told_alike(const SpecKernel *kernel, const WitnessNode *a, const WitnessNode *b)
{
    bool alike = true;
    for (size_t i = 0; i < NUM_ALWAYS_TOLD; i++) {
        alike = alike && a->fields[always_told[i]] == b->fields[always_told[i]];
    }
    alike =
        alike && (!spec_is(kernel->device_in_key) || a->fields[FIELD_DEVICE] / 256 == b->fields[FIELD_DEVICE] / 256);
    for (int64_t d = 0; spec_is(kernel->static_shapes) && alike && d < a->fields[FIELD_RANK]; d++) {
        alike = a->dims[FIELD_SIZE][d] == b->dims[FIELD_SIZE][d] &&
                (a->dims[FIELD_SIZE][d] == 1 || a->dims[FIELD_STRIDE][d] == b->dims[FIELD_STRIDE][d]);
    }
    return alike;
}

static bool are_told_alike(const Dispatch *dispatch, const Witness *a, const Witness *b)
{
    bool alike = true;
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        const bool tensors = is_tensor(&a->nodes[n]) && is_tensor(&b->nodes[n]);
        alike = alike && (!tensors || is_told_alike(dispatch->kernel, &a->nodes[n], &b->nodes[n]));
    }
    return alike;
}

/* Can all of the call's tensors be one that are said to be? */
static bool is_united(const Dispatch *dispatch, const Witness *call)
{
    bool united = true;
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        const WitnessNode *node = &call->nodes[n];
        const WitnessNode *first = node->same_as != DISPATCH_NONE ? &call->nodes[node->same_as] : node;
        for (uint32_t kind = 0; kind < FIELD_COUNT; kind++) {
            united = united && (!prove_is_fact((FieldKind)kind) || node->fields[kind] == first->fields[kind]);
            for (int64_t d = 0; united && node->dims[kind] != NULL && d < node->fields[FIELD_RANK]; d++) {
                united = node->dims[kind][d] == first->dims[kind][d];
            }
        }
    }
    return united;
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
    if (answer == ANSWER_YES) {
        take_unread(keyed, &p->witness);
    }
    if (answer == ANSWER_YES &&
        !(is_united(p->dispatch, &p->witness) && are_told_alike(p->dispatch, keyed->call, &p->witness))) {
        return ANSWER_UNKNOWN;
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
