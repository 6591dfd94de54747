/* SPDX-License-Identifier: MIT */
/*
 * prove_witness - from a world of the search to one concrete call, and back from a call to the values of its fields.
 *
 * Values are picked to look like typical calls: float32, rank 2, small sizes, compact strides, well aligned addresses.
 * Layouts determine strides from sizes, so several styles of sizes are tried; only the conditions (prove_accepts) say
 * whether the call answers the question, never this file.
 */
#include <string.h>

#include "prove.h"
#include "../../templates/core/wg_core.h"

/* ---- what a call means ---- */

static bool literal_holds(const DispatchClause *clause, const int64_t *values)
{
    return clause->equal_to == DISPATCH_NONE ? intset_has(&clause->set, values[clause->field])
                                             : values[clause->field] == values[clause->equal_to];
}

const DispatchClause *prove_broken(const DispatchVariant *variant, const int64_t *values)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const DispatchClause *clause = &variant->clauses[i];
        bool holds = literal_holds(clause, values);
        for (uint32_t k = 0; k < clause->num_guards; k++) {
            holds = holds || intset_has(&clause->guards[k].set, values[clause->guards[k].field]);
        }
        if (!holds) {
            return clause;
        }
    }
    return NULL;
}

bool prove_accepts(const DispatchVariant *variant, const int64_t *values)
{
    return prove_broken(variant, values) == NULL;
}

/* As PyTorch's is_contiguous(): in this order of dims, from the innermost; a tensor without elements is contiguous in
 * the first sense with any strides. */
static bool is_dense(const WitnessNode *node, const int64_t *order)
{
    int64_t expected = 1;
    for (int64_t i = 0; i < node->rank; i++) {
        const int64_t d = order != NULL ? order[i] : node->rank - 1 - i;
        if (node->sizes[d] != 1 && node->strides[d] != expected) {
            return false;
        }
        expected = (int64_t)((uint64_t)expected * (uint64_t)node->sizes[d]);
    }
    return true;
}

static bool is_contiguous(const WitnessNode *node)
{
    for (int64_t d = 0; d < node->rank; d++) {
        if (node->sizes[d] == 0) {
            return true;
        }
    }
    return is_dense(node, NULL);
}

static bool is_channels_last(const WitnessNode *node)
{
    static const int64_t order[] = {1, 3, 2, 0};
    return node->rank == 4 && is_dense(node, order);
}

static int64_t value_of(const DispatchField *field, const WitnessNode *node)
{
    if (field->kind == FIELD_PRESENT) {
        return node->present;
    }
    if (node->present != 1) {
        return -1;
    }
    switch (field->kind) {
    case FIELD_LENGTH:
        return node->length;
    case FIELD_PLAIN:
        return node->plain;
    case FIELD_DTYPE:
        return node->dtype;
    case FIELD_RANK:
        return node->rank;
    case FIELD_SIZE:
        return field->dimension < node->rank ? node->sizes[field->dimension] : -1;
    case FIELD_STRIDE:
        return field->dimension < node->rank ? node->strides[field->dimension] : -1;
    case FIELD_ADDRESS:
        return node->address;
    case FIELD_DEVICE:
        return node->device;
    case FIELD_CONTIGUOUS:
        return is_contiguous(node);
    case FIELD_CHANNELS_LAST:
        return is_channels_last(node);
    case FIELD_VALUE:
        return node->value;
    case FIELD_PRESENT:
    case FIELD_COUNT:
        break;
    }
    return -1;
}

/* ---- picking values ---- */

typedef struct Making {
    Arena *arena;
    const Dispatch *dispatch;
    const ProveWorld *world;
    int style;
    int64_t *picked; /* by class */
    bool *is_picked;
    WitnessNode *nodes;
} Making;

static bool differs_from_picked(const Making *making, uint32_t class, int64_t value)
{
    for (uint32_t i = 0; i < making->world->num_differ; i++) {
        const uint32_t one = prove_class(making->world, making->world->differ[i][0]);
        const uint32_t other = prove_class(making->world, making->world->differ[i][1]);
        const uint32_t rest = one == class ? other : one;
        if ((one == class || other == class) && making->is_picked[rest] && making->picked[rest] == value) {
            return false;
        }
    }
    return true;
}

static bool is_good(const Making *making, uint32_t class, int64_t value)
{
    return intset_has(&making->world->domains[class], value) && differs_from_picked(making, class, value);
}

/* The first suitable value from `from` on, else the first of all; false: none of those tried is suitable. */
static bool pick_from(Making *making, uint32_t class, int64_t from, int64_t *value)
{
    const IntSet *domain = &making->world->domains[class];
    for (int turn = 0; turn < 2; turn++) {
        int64_t next = turn == 0 ? from : INT64_MIN;
        for (uint32_t i = 0; i <= making->world->num_differ && intset_next(domain, next, value); i++) {
            if (differs_from_picked(making, class, *value)) {
                return true;
            }
            if (*value == INT64_MAX) {
                break;
            }
            next = *value + 1;
        }
    }
    return false;
}

static int64_t preferred_size(int style)
{
    static const int64_t from[PROVE_STYLES] = {2, 1, 0, 17, 3};
    return from[style];
}

static bool pick(Making *making, uint32_t field, int64_t preferred)
{
    static const int64_t dtypes[] = {WG_FLOAT32, WG_FLOAT16, WG_BFLOAT16, WG_FLOAT64};
    const uint32_t class = prove_class(making->world, field);
    const DispatchField *about = &making->dispatch->fields[field];
    int64_t value = 0;
    if (making->is_picked[class]) {
        return true;
    }
    bool found = false;
    if (about->kind == FIELD_DTYPE ||
        (about->kind == FIELD_VALUE && making->dispatch->nodes[about->node].arg->kind == SPEC_ARG_DTYPE)) {
        for (size_t i = 0; !found && i < sizeof dtypes / sizeof dtypes[0]; i++) {
            value = dtypes[i];
            found = is_good(making, class, value);
        }
    }
    for (int64_t step = 4096; about->kind == FIELD_ADDRESS && !found && step > 0; step /= 2) {
        value = 65536 + step;
        found = is_good(making, class, value);
    }
    found = found || pick_from(making, class, preferred, &value);
    making->picked[class] = value;
    making->is_picked[class] = found;
    return found;
}

/* ---- strides ---- */

/* The possible values of a class of strides: the one picked already, or its set. */
static int64_t stride_value(Making *making, uint32_t node, int64_t d, int64_t wanted)
{
    const int32_t field = dispatch_find_field(making->dispatch, FIELD_STRIDE, node, (int32_t)d);
    if (field == DISPATCH_NONE) {
        return wanted;
    }
    const uint32_t class = prove_class(making->world, (uint32_t)field);
    if (!making->is_picked[class] && is_good(making, class, wanted)) {
        making->picked[class] = wanted;
        making->is_picked[class] = true;
    }
    (void)pick(making, (uint32_t)field, wanted);
    return making->is_picked[class] ? making->picked[class] : wanted;
}

static bool must_be(const Making *making, FieldKind kind, uint32_t node, int64_t truth)
{
    int64_t value = 0;
    const int32_t field = dispatch_find_field(making->dispatch, kind, node, DISPATCH_NONE);
    return field != DISPATCH_NONE &&
           intset_is_point(&making->world->domains[prove_class(making->world, (uint32_t)field)], &value) &&
           value == truth;
}

static void make_strides(Making *making, uint32_t n)
{
    static const int64_t channels[] = {1, 3, 2, 0};
    WitnessNode *node = &making->nodes[n];
    const bool last = node->rank == 4 && (must_be(making, FIELD_CHANNELS_LAST, n, 1) ||
                                          (making->style % 2 == 1 && must_be(making, FIELD_CONTIGUOUS, n, 0)));
    const bool loose = must_be(making, FIELD_CONTIGUOUS, n, 0) || must_be(making, FIELD_CHANNELS_LAST, n, 0);
    const int64_t factor = loose && !last && making->style != 4 ? 2 : 1;
    int64_t expected = must_be(making, FIELD_CHANNELS_LAST, n, 1) ? 1 : factor;
    node->strides = ARENA_ARRAY(making->arena, int64_t, (size_t)node->rank);
    for (int64_t i = 0; i < node->rank; i++) {
        const int64_t d = last ? channels[i] : node->rank - 1 - i;
        int64_t next = 0;
        node->strides[d] = stride_value(making, n, d, expected);
        const int64_t size = node->sizes[d] > 0 ? node->sizes[d] : 1;
        const int64_t base = loose && node->strides[d] > 0 && factor == 2 ? node->strides[d] : expected;
        expected = __builtin_mul_overflow(base, size, &next) ? 1 : next;
    }
}

/* ---- nodes ---- */

static int64_t field_value(Making *making, FieldKind kind, uint32_t node, int64_t d, int64_t preferred)
{
    const int32_t field = dispatch_find_field(making->dispatch, kind, node, (int32_t)d);
    if (field == DISPATCH_NONE || !pick(making, (uint32_t)field, preferred)) {
        return preferred;
    }
    return making->picked[prove_class(making->world, (uint32_t)field)];
}

static void make_tensor(Making *making, uint32_t n)
{
    WitnessNode *node = &making->nodes[n];
    node->plain = field_value(making, FIELD_PLAIN, n, DISPATCH_NONE, 1);
    node->dtype = field_value(making, FIELD_DTYPE, n, DISPATCH_NONE, WG_FLOAT32);
    node->device = field_value(making, FIELD_DEVICE, n, DISPATCH_NONE, 0);
    node->address = field_value(making, FIELD_ADDRESS, n, DISPATCH_NONE, 65536);
    node->rank = field_value(making, FIELD_RANK, n, DISPATCH_NONE, making->style == 4 ? 1 : 2);
    node->sizes = ARENA_ARRAY(making->arena, int64_t, (size_t)node->rank);
    for (int64_t d = 0; d < node->rank; d++) {
        node->sizes[d] = field_value(making, FIELD_SIZE, n, d, preferred_size(making->style));
    }
}

/* Does its parent exist? */
static bool reached(const Making *making, uint32_t n)
{
    const DispatchNode *about = &making->dispatch->nodes[n];
    if (about->parent == DISPATCH_NONE) {
        return true;
    }
    const WitnessNode *above = &making->nodes[about->parent];
    const bool list = making->dispatch->nodes[about->parent].arg->kind == SPEC_ARG_LIST;
    return above->present == 1 && (!list || about->index < above->length);
}

/* Parents come before their items. */
static void make_node(Making *making, uint32_t n)
{
    WitnessNode *node = &making->nodes[n];
    const SpecArg *arg = making->dispatch->nodes[n].arg;
    *node = (WitnessNode){-1, -1, -1, -1, -1, -1, NULL, NULL, -1, -1};
    if (!reached(making, n)) {
        return;
    }
    node->present = arg->kind == SPEC_ARG_NULL ? 0 : field_value(making, FIELD_PRESENT, n, DISPATCH_NONE, 1);
    if (node->present != 1) {
        return;
    }
    switch (arg->kind) {
    case SPEC_ARG_TENSOR:
        make_tensor(making, n);
        break;
    case SPEC_ARG_LIST:
        node->length = field_value(making, FIELD_LENGTH, n, DISPATCH_NONE, 1);
        break;
    case SPEC_ARG_DTYPE:
        node->value = field_value(making, FIELD_VALUE, n, DISPATCH_NONE, WG_FLOAT32);
        break;
    case SPEC_ARG_FLOAT:
    case SPEC_ARG_STRING:
        node->value = field_value(making, FIELD_VALUE, n, DISPATCH_NONE, making->dispatch->nodes[n].num_literals);
        break;
    case SPEC_ARG_INT:
    case SPEC_ARG_BOOL:
    case SPEC_ARG_DEVICE:
        node->value = field_value(making, FIELD_VALUE, n, DISPATCH_NONE, 0);
        break;
    case SPEC_ARG_NULL:
    case SPEC_ARG_TUPLE:
    case SPEC_ARG_RECORD:
    case SPEC_ARG_UNSET:
        break;
    }
}

/* Classes with pairs that must differ, those with the fewest values first, so that a class is picked after one that
 * could take its last value only if it has values to spare. */
static bool pick_different(Making *making)
{
    for (uint32_t least = 1; least <= making->world->num_differ + 1; least++) {
        for (uint32_t i = 0; i < 2 * making->world->num_differ; i++) {
            const uint32_t field = making->world->differ[i / 2][i % 2];
            const uint32_t class = prove_class(making->world, field);
            const IntSet *domain = &making->world->domains[class];
            int64_t value = INT64_MIN;
            uint32_t n = 0;
            for (int64_t from = INT64_MIN; n <= least && intset_next(domain, from, &value); n++) {
                from = value < INT64_MAX ? value + 1 : value;
            }
            const bool stride = making->dispatch->fields[field].kind == FIELD_STRIDE;
            const int64_t from = making->dispatch->fields[field].kind == FIELD_SIZE ? preferred_size(making->style) : 1;
            if ((n <= least || least > making->world->num_differ) && !(stride && n > least) &&
                !pick(making, field, from)) {
                return false;
            }
        }
    }
    return true;
}

bool prove_make_witness(Arena *arena, const Dispatch *dispatch, const ProveWorld *world, int style, Witness *witness)
{
    Making making = {.arena = arena, .dispatch = dispatch, .world = world, .style = style};
    making.picked = ARENA_ARRAY(arena, int64_t, dispatch->num_fields);
    making.is_picked = ARENA_ARRAY(arena, bool, dispatch->num_fields);
    making.nodes = ARENA_ARRAY(arena, WitnessNode, dispatch->num_nodes);
    if (!pick_different(&making)) {
        return false;
    }
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        make_node(&making, n);
    }
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        if (making.nodes[n].rank >= 0) {
            make_strides(&making, n);
        }
    }
    witness->nodes = making.nodes;
    witness->values = ARENA_ARRAY(arena, int64_t, dispatch->num_fields);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        witness->values[i] = value_of(&dispatch->fields[i], &making.nodes[dispatch->fields[i].node]);
    }
    return true;
}

/* ---- layouts that cannot be ---- */

static const IntSet *domain_of(const Dispatch *dispatch, const ProveWorld *world, FieldKind kind, uint32_t node,
                               int64_t d)
{
    const int32_t field = dispatch_find_field(dispatch, kind, node, (int32_t)d);
    return field == DISPATCH_NONE ? NULL : &world->domains[prove_class(world, (uint32_t)field)];
}

static bool is_known(const IntSet *domain, int64_t *value)
{
    return domain != NULL && intset_is_point(domain, value);
}

/* Walks from the innermost dim out while sizes are known. With `truth` the layout must hold, but some stride cannot be
 * right; without, it must not hold, but every stride is right. */
static bool refutes(const Dispatch *dispatch, const ProveWorld *world, uint32_t node, int64_t rank, bool last,
                    int64_t truth)
{
    static const int64_t channels[] = {1, 3, 2, 0};
    int64_t expected = 1;
    for (int64_t i = 0; i < rank; i++) {
        const int64_t d = last ? channels[i] : rank - 1 - i;
        const IntSet *size = domain_of(dispatch, world, FIELD_SIZE, node, d);
        const IntSet *stride = domain_of(dispatch, world, FIELD_STRIDE, node, d);
        int64_t value = 0;
        const bool one = is_known(size, &value) && value == 1;
        const bool maybe_one = size == NULL || intset_has(size, 1);
        if (truth == 1 && !maybe_one && stride != NULL && !intset_has(stride, expected)) {
            return true;
        }
        if (truth == 0 && !one && !(is_known(stride, &value) && value == expected)) {
            return false;
        }
        if (i + 1 < rank && (!is_known(size, &value) || __builtin_mul_overflow(expected, value, &expected))) {
            return false;
        }
    }
    return truth == 0;
}

static bool refutes_field(const Dispatch *dispatch, const ProveWorld *world, const DispatchField *field, int64_t truth)
{
    const bool last = field->kind == FIELD_CHANNELS_LAST;
    int64_t rank = 0;
    bool maybe_empty = false;
    bool empty = false;
    if (!is_known(domain_of(dispatch, world, FIELD_RANK, field->node, DISPATCH_NONE), &rank)) {
        return false;
    }
    if (last && rank != 4) {
        return truth == 1;
    }
    for (int64_t d = 0; d < rank; d++) {
        const IntSet *size = domain_of(dispatch, world, FIELD_SIZE, field->node, d);
        int64_t value = 1;
        maybe_empty = maybe_empty || size == NULL || intset_has(size, 0);
        empty = empty || (is_known(size, &value) && value == 0);
    }
    if (!last && truth == 0 && empty) {
        return true;
    }
    return (last || truth == 0 || !maybe_empty) && refutes(dispatch, world, field->node, rank, last, truth);
}

bool prove_refutes_layout(const Dispatch *dispatch, const ProveWorld *world)
{
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        int64_t truth = 0;
        if ((field->kind == FIELD_CONTIGUOUS || field->kind == FIELD_CHANNELS_LAST) &&
            intset_is_point(&world->domains[prove_class(world, i)], &truth) &&
            refutes_field(dispatch, world, field, truth)) {
            return true;
        }
    }
    return false;
}
