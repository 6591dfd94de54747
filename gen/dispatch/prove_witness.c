/* SPDX-License-Identifier: MIT */
/*
 * prove_witness - from a world of the search to one concrete call, and back from a call to the values of its fields.
 *
 * Values are picked to look like typical calls: what fields.def calls usual, small sizes, compact strides.
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
        for (uint32_t k = 0; k < clause->num_unless; k++) {
            holds = holds || intset_has(&clause->unless[k].set, values[clause->unless[k].field]);
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

static int64_t value_of(const DispatchField *field, const WitnessNode *node)
{
    if (field->dimension == DISPATCH_NONE) {
        return node->fields[field->kind];
    }
    return field->dimension < node->fields[FIELD_RANK] ? node->dims[field->kind][field->dimension] : -1;
}

/* ---- picking values ---- */

typedef struct Making {
    Arena *arena;
    const Dispatch *dispatch;
    const ProveWorld *world;
    int style;
    ProveNeighbours neighbours;
    int64_t *picked; /* by class */
    bool *is_picked;
    WitnessNode *nodes;
} Making;

static bool differs_from_picked(const Making *making, uint32_t class, int64_t value)
{
    for (uint32_t i = making->neighbours.first[class]; i != 0; i = making->neighbours.next[i]) {
        const uint32_t rest = making->neighbours.class[i];
        if (making->is_picked[rest] && making->picked[rest] == value) {
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
        bool found = intset_next(domain, turn == 0 ? from : INT64_MIN, value);
        for (uint32_t i = 0; i <= making->world->num_differ && found; i++) {
            if (differs_from_picked(making, class, *value)) {
                return true;
            }
            found = intset_after(domain, value);
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
    const bool address = dispatch_values(making->dispatch, field) == VALUES_ADDRESS;
    int64_t value = 0;
    if (making->is_picked[class]) {
        return true;
    }
    bool found = false;
    if (dispatch_values(making->dispatch, field) == VALUES_DTYPE) {
        for (size_t i = 0; !found && i < sizeof dtypes / sizeof dtypes[0]; i++) {
            value = dtypes[i];
            found = is_good(making, class, value);
        }
    }
    for (int64_t step = 4096; address && !found && step > 0; step /= 2) {
        value = field_specs[FIELD_ADDRESS].usual + step;
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
    const int32_t field = prove_field(making->dispatch, making->world, FIELD_STRIDE, node, d);
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
    const int32_t field = prove_field(making->dispatch, making->world, kind, node, DISPATCH_NONE);
    return field != DISPATCH_NONE &&
           intset_is_point(&making->world->domains[prove_class(making->world, (uint32_t)field)], &value) &&
           value == truth;
}

static void make_strides(Making *making, uint32_t n)
{
    static const int64_t channels[] = {1, 3, 2, 0};
    WitnessNode *node = &making->nodes[n];
    const int64_t rank = node->fields[FIELD_RANK];
    const int64_t *sizes = node->dims[FIELD_SIZE];
    int64_t *strides = node->dims[FIELD_STRIDE];
    const bool last = rank == 4 && (must_be(making, FIELD_CHANNELS_LAST, n, 1) ||
                                    (making->style % 2 == 1 && must_be(making, FIELD_CONTIGUOUS, n, 0)));
    const bool loose = must_be(making, FIELD_CONTIGUOUS, n, 0) || must_be(making, FIELD_CHANNELS_LAST, n, 0);
    const int64_t factor = loose && !last && making->style != 4 ? 2 : 1;
    int64_t expected = must_be(making, FIELD_CHANNELS_LAST, n, 1) ? 1 : factor;
    for (int64_t i = 0; i < rank; i++) {
        const int64_t d = last ? channels[i] : rank - 1 - i;
        int64_t next = 0;
        strides[d] = stride_value(making, n, d, expected);
        const int64_t size = sizes[d] > 0 ? sizes[d] : 1;
        const int64_t base = loose && strides[d] > 0 && factor == 2 ? strides[d] : expected;
        expected = wg_ckd_mul(&next, base, size) ? 1 : next;
    }
}

/* ---- nodes ---- */

/* The value of a field that nothing asks for another one. */
static int64_t usual_value(const Making *making, FieldKind kind, uint32_t n)
{
    const DispatchNode *about = &making->dispatch->nodes[n];
    if (kind == FIELD_RANK && making->style == 4) {
        return 1;
    }
    if (kind == FIELD_SIZE) {
        return preferred_size(making->style);
    }
    if (kind == FIELD_VALUE && about->arg->kind == SPEC_DTYPE) {
        return field_specs[FIELD_DTYPE].usual;
    }
    return kind == FIELD_VALUE ? about->num_literals : field_specs[kind].usual; /* a literal that no condition names */
}

static int64_t field_value(Making *making, FieldKind kind, uint32_t n, int64_t d)
{
    const int64_t usual = usual_value(making, kind, n);
    const int32_t field = prove_field(making->dispatch, making->world, kind, n, d);
    if (field == DISPATCH_NONE || !pick(making, (uint32_t)field, usual)) {
        return usual;
    }
    return making->picked[prove_class(making->world, (uint32_t)field)];
}

/* Of the machine. */
static int64_t feature_value(Making *making, uint32_t field)
{
    const int64_t usual = field_specs[FIELD_FEATURE].usual;
    return pick(making, field, usual) ? making->picked[prove_class(making->world, field)] : usual;
}

/* The fields of what is not null, but those of dims and layouts. */
static FieldOf fields_of(SpecKind kind)
{
    switch (kind_form(kind)) {
    case FORM_TENSOR:
        return FIELD_OF_TENSOR;
    case FORM_LIST:
        return FIELD_OF_LIST;
    case FORM_NUMBER:
    case FORM_CODE:
    case FORM_TEXT:
        return FIELD_OF_SCALAR;
    case FORM_NOTHING:
    case FORM_STRUCT:
        break;
    }
    return FIELD_OF_NODE;
}

static void make_fields(Making *making, uint32_t n, FieldOf of)
{
    for (uint32_t kind = 0; kind < FIELD_COUNT; kind++) {
        if (kind != FIELD_PRESENT && field_specs[kind].of == of) {
            making->nodes[n].fields[kind] = field_value(making, (FieldKind)kind, n, DISPATCH_NONE);
        }
    }
}

/* Strides come once all sizes are there, since an equal size of another argument may decide one. */
static void make_dims(Making *making, uint32_t n)
{
    WitnessNode *node = &making->nodes[n];
    const int64_t rank = node->fields[FIELD_RANK];
    for (uint32_t kind = 0; rank >= 0 && kind < FIELD_COUNT; kind++) {
        if (field_specs[kind].of != FIELD_OF_DIM) {
            continue;
        }
        node->dims[kind] = ARENA_ARRAY(making->arena, int64_t, (size_t)rank);
        for (int64_t d = 0; kind != FIELD_STRIDE && d < rank; d++) {
            node->dims[kind][d] = field_value(making, (FieldKind)kind, n, d);
        }
    }
}

static void make_layout(Making *making, uint32_t n)
{
    WitnessNode *node = &making->nodes[n];
    make_strides(making, n);
    for (uint32_t kind = 0; kind < FIELD_COUNT; kind++) {
        if (field_specs[kind].of == FIELD_OF_LAYOUT) {
            node->fields[kind] = prove_has_layout((FieldKind)kind, node);
        }
    }
}

/* Does its parent exist? */
static bool has_parent(const Making *making, uint32_t n)
{
    const DispatchNode *about = &making->dispatch->nodes[n];
    if (about->parent == DISPATCH_NONE) {
        return true;
    }
    const WitnessNode *above = &making->nodes[about->parent];
    const bool list = making->dispatch->nodes[about->parent].arg->kind == SPEC_LIST;
    return above->fields[FIELD_PRESENT] == 1 && (!list || about->index < above->fields[FIELD_LENGTH]);
}

/* Parents come before their items. */
static void make_node(Making *making, uint32_t n)
{
    WitnessNode *node = &making->nodes[n];
    const SpecKind kind = making->dispatch->nodes[n].arg->kind;
    node->same_as = DISPATCH_NONE;
    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        node->fields[i] = -1;
        node->dims[i] = NULL;
    }
    if (has_parent(making, n)) {
        node->fields[FIELD_PRESENT] =
            kind == SPEC_ALWAYS_NULL ? 0 : field_value(making, FIELD_PRESENT, n, DISPATCH_NONE);
    }
    if (node->fields[FIELD_PRESENT] == 1) {
        make_fields(making, n, fields_of(kind));
        make_dims(making, n);
    }
}

static bool is_tensor(const Making *making, uint32_t n)
{
    return making->nodes[n].fields[FIELD_RANK] >= 0;
}

/* A tensor that is the same as an earlier one has its facts. */
static void make_same(Making *making, uint32_t n)
{
    const ProveWorld *world = making->world;
    for (uint32_t earlier = n; is_tensor(making, n) && world->firsts[earlier] != earlier;) {
        earlier = world->befores[earlier];
        if (is_tensor(making, earlier)) {
            const int32_t same_as = making->nodes[earlier].same_as;
            making->nodes[n] = making->nodes[earlier];
            making->nodes[n].same_as = same_as != DISPATCH_NONE ? same_as : (int32_t)earlier;
            return;
        }
    }
}

/* Of a pair: whether they are one; -1: they are not both there. */
static int64_t pair_value(const Making *making, const DispatchField *field)
{
    const uint32_t other = (uint32_t)field->dimension;
    return !is_tensor(making, field->node) || !is_tensor(making, other)
               ? -1
               : prove_is_same(making->world, field->node, other);
}

/* The value of a field that does not follow from others. */
static int64_t made_value(Making *making, uint32_t i)
{
    const DispatchField *field = &making->dispatch->fields[i];
    return field->kind == FIELD_FEATURE                   ? feature_value(making, i)
           : field_specs[field->kind].of == FIELD_OF_PAIR ? pair_value(making, field)
                                                          : value_of(field, &making->nodes[field->node]);
}

/* A field of a pair that must differ, and how many values it has, at most two more than there are pairs. */
typedef struct Choosy {
    uint32_t field;
    uint32_t num_values;
} Choosy;

/* Those with the fewest values first, as they are; those with more values than there are pairs count as equal. */
static const Choosy *sort_choosy(const Making *making, uint32_t n)
{
    const ProveWorld *world = making->world;
    const uint32_t most = world->num_differ + 1;
    Choosy *all = ARENA_ARRAY(making->arena, Choosy, n);
    Choosy *sorted = ARENA_ARRAY(making->arena, Choosy, n);
    uint32_t *starts = ARENA_ARRAY(making->arena, uint32_t, (size_t)most + 2);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t field = world->differ[i / 2][i % 2];
        all[i] = (Choosy){field, intset_count(&world->domains[prove_class(world, field)], most + 1)};
        starts[(all[i].num_values < most ? all[i].num_values : most) + 1]++;
    }
    for (uint32_t i = 0; i <= most; i++) {
        starts[i + 1] += starts[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[starts[all[i].num_values < most ? all[i].num_values : most]++] = all[i];
    }
    return sorted;
}

/* Classes with pairs that must differ, those with the fewest values first, so that a class is picked after one that
 * could take its last value only if it has values to spare. Strides that have are left for later. */
static bool pick_different(Making *making)
{
    const uint32_t n = 2 * making->world->num_differ;
    const Choosy *sorted = sort_choosy(making, n);
    for (uint32_t i = 0; i < n; i++) {
        const FieldKind kind = making->dispatch->fields[sorted[i].field].kind;
        const bool later = kind == FIELD_STRIDE && sorted[i].num_values > making->world->num_differ + 1;
        if (!later && !pick(making, sorted[i].field, kind == FIELD_SIZE ? preferred_size(making->style) : 1)) {
            return false;
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
    for (uint32_t i = 0; world->choice != NULL && i < dispatch->num_fields; i++) {
        making.is_picked[i] = world->choice[i] != INT64_MIN;
        making.picked[i] = world->choice[i];
    }
    making.neighbours = prove_neighbours(arena, dispatch, world);
    if (!pick_different(&making)) {
        return false;
    }
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        make_node(&making, n);
    }
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        if (making.nodes[n].fields[FIELD_RANK] >= 0) {
            make_layout(&making, n);
        }
    }
    for (uint32_t n = 0; world->firsts != NULL && n < dispatch->num_nodes; n++) {
        make_same(&making, n);
    }
    witness->nodes = making.nodes;
    witness->values = ARENA_ARRAY(arena, int64_t, dispatch->num_fields);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        witness->values[i] = dispatch->fields[i].kind == FIELD_RELATION ? 0 : made_value(&making, i);
    }
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        if (dispatch->fields[i].kind == FIELD_RELATION) {
            witness->values[i] = dispatch_relation_holds(dispatch_relation_of(dispatch, i), witness->values);
        }
    }
    return true;
}
