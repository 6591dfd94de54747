/* SPDX-License-Identifier: MIT */
/*
 * prove_relation - relations, the fields of a call that follow from several others: what others may be in a world that
 * says whether relations are true, and when nothing can be.
 *
 * Two ways, both certain. Fields of few values are tried one by one, exactly as a dispatcher computes them. For others
 * there is what guard.h knows of conditions over ranges and multiples; a relation that is false is a fact there only if
 * it cannot fail to be computed, since one that fails is false, too. What neither decides is left to calls that are
 * tried.
 */
#include "prove_private.h"

#include "../algebra/guard.h"

enum { MOST_VALUES = 40, FEW_VALUES = 9, MOST_TRIED = 3000, MOST_CHOICES = 6 };

/* The costs of deciding a relation from another, of reading an operand for that, and of telling a field's range to
 * those who decide: in looks at one clause, measured. */
enum { COST_OF_FACT = 16, COST_OF_OPERAND = 4, COST_OF_RANGE = 4 };

/* The relations of the present world that are to be true or false, and the fields that they read, by class. */
typedef struct Related {
    Prover *p;
    uint32_t *relations; /* fields */
    bool *holds;
    uint32_t num_relations;
    uint32_t *classes;
    uint32_t num_classes;
    int64_t **values; /* by index in `classes`: what is tried */
    uint32_t *num_values;
    bool complete; /* that is everything there is */
} Related;

static void add_class(Related *r, uint32_t class)
{
    for (uint32_t i = 0; i < r->num_classes; i++) {
        if (r->classes[i] == class) {
            return;
        }
    }
    r->classes[r->num_classes++] = class;
}

static void gather(Related *r)
{
    const Dispatch *dispatch = r->p->dispatch;
    Arena *arena = &r->p->scratch;
    r->relations = ARENA_ARRAY(arena, uint32_t, dispatch->num_fields);
    r->holds = ARENA_ARRAY(arena, bool, dispatch->num_fields);
    r->classes = ARENA_ARRAY(arena, uint32_t, dispatch->num_fields);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        int64_t value = 0;
        if (dispatch->fields[i].kind != FIELD_RELATION || !intset_is_point(&r->p->world.domains[i], &value)) {
            continue;
        }
        const DispatchRelation *relation = dispatch_relation_of(dispatch, i);
        r->relations[r->num_relations] = i;
        r->holds[r->num_relations++] = value == 1;
        for (uint32_t k = 0; k < relation->num_names; k++) {
            add_class(r, prove_class(&r->p->world, relation->fields[k]));
        }
    }
}

/* ---- trying values ---- */

static void add_value(Related *r, uint32_t index, int64_t value)
{
    for (uint32_t i = 0; i < r->num_values[index]; i++) {
        if (r->values[index][i] == value) {
            return;
        }
    }
    if (r->num_values[index] < MOST_VALUES && intset_has(&r->p->world.domains[r->classes[index]], value)) {
        r->values[index][r->num_values[index]++] = value;
    }
}

static void add_literals(Related *r, uint32_t index, const Expr *expr)
{
    int64_t literal = 0;
    if (expr_is_operation(expr)) {
        add_literals(r, index, expr->lhs);
        add_literals(r, index, expr->rhs);
    } else if (expr_is_literal(expr, &literal) && literal > INT64_MIN + 1 && literal < INT64_MAX - 1) {
        for (int64_t value = literal - 1; value <= literal + 1; value++) {
            add_value(r, index, value);
        }
    }
}

/* Adds the next `most` members from there on. Returns whether these were the last. */
static bool add_members(Related *r, uint32_t index, int64_t from, uint32_t most)
{
    const IntSet *domain = &r->p->world.domains[r->classes[index]];
    int64_t value = 0;
    bool found = intset_next(domain, from, &value);
    for (uint32_t i = 0; i < most && found; i++) {
        add_value(r, index, value);
        found = intset_after(domain, &value);
    }
    return !found;
}

static void list_values(Related *r)
{
    Arena *arena = &r->p->scratch;
    r->values = ARENA_ARRAY(arena, int64_t *, r->num_classes);
    r->num_values = ARENA_ARRAY(arena, uint32_t, r->num_classes);
    r->complete = true;
    for (uint32_t i = 0; i < r->num_classes; i++) {
        r->values[i] = ARENA_ARRAY(arena, int64_t, MOST_VALUES);
        if (add_members(r, i, INT64_MIN, MOST_VALUES)) {
            continue;
        }
        r->complete = false;
        r->num_values[i] = 0;
        (void)add_members(r, i, 2, FEW_VALUES / 3);
        for (uint32_t k = 0; k < r->num_relations; k++) {
            add_literals(r, i, dispatch_relation_of(r->p->dispatch, r->relations[k])->expr);
        }
        (void)add_members(r, i, 0, FEW_VALUES);
        (void)add_members(r, i, -3, FEW_VALUES / 3);
    }
}

static bool is_choice(const Related *r, const int64_t *choice, int64_t *values)
{
    const ProveWorld *world = &r->p->world;
    const Dispatch *dispatch = r->p->dispatch;
    for (uint32_t i = 0; i < world->num_differ; i++) {
        const int64_t one = choice[prove_class(world, world->differ[i][0])];
        const int64_t other = choice[prove_class(world, world->differ[i][1])];
        if (one != INT64_MIN && one == other) {
            return false;
        }
    }
    for (uint32_t i = 0; i < r->num_relations; i++) {
        const DispatchRelation *relation = dispatch_relation_of(dispatch, r->relations[i]);
        for (uint32_t k = 0; k < relation->num_names; k++) {
            values[relation->fields[k]] = choice[prove_class(world, relation->fields[k])];
        }
        prove_spend_on_operands(r->p, relation->num_operands);
        if (dispatch_relation_holds(relation, values) != r->holds[i]) {
            return false;
        }
    }
    return true;
}

/* The next combination of values; false: that was the last. */
static bool advance(const Related *r, uint32_t *at)
{
    for (uint32_t i = 0; i < r->num_classes; i++) {
        if (++at[i] < r->num_values[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

static void keep(Prover *p, ProveChoices *choices, const int64_t *choice)
{
    int64_t *copy = ARENA_ARRAY(&p->scratch, int64_t, p->dispatch->num_fields);
    for (uint32_t i = 0; i < p->dispatch->num_fields; i++) {
        copy[i] = choice[i];
    }
    choices->choices[choices->num_choices++] = copy;
}

/* true: all there are were tried. */
static bool try_values(Related *r, ProveChoices *choices)
{
    Prover *p = r->p;
    int64_t *choice = ARENA_ARRAY(&p->scratch, int64_t, p->dispatch->num_fields);
    int64_t *values = ARENA_ARRAY(&p->scratch, int64_t, p->dispatch->num_fields);
    uint32_t *at = ARENA_ARRAY(&p->scratch, uint32_t, r->num_classes);
    uint32_t tried = 0;
    for (uint32_t i = 0; i < p->dispatch->num_fields; i++) {
        choice[i] = INT64_MIN;
    }
    for (uint32_t i = 0; i < r->num_classes; i++) {
        if (r->num_values[i] == 0) {
            return r->complete;
        }
    }
    do {
        for (uint32_t i = 0; i < r->num_classes; i++) {
            choice[r->classes[i]] = r->values[i][at[i]];
        }
        prove_spend(p, r->num_classes);
        if (is_choice(r, choice, values)) {
            keep(p, choices, choice);
        }
        if (++tried == MOST_TRIED || choices->num_choices == MOST_CHOICES || p->effort == 0) {
            return false;
        }
    } while (advance(r, at));
    return r->complete;
}

/* ---- reasoning ---- */

/* What an integer can be; false: computing it may leave 64 bits or divide by 0. */
static bool range_of(const Related *r, const Expr *expr, OperatorRange *range)
{
    OperatorRange lhs;
    OperatorRange rhs;
    if (expr_is_operation(expr)) {
        return range_of(r, expr->lhs, &lhs) && range_of(r, expr->rhs, &rhs) &&
               operator_range(expr_operator(expr), lhs, rhs, range);
    }
    const IntSet *domain =
        expr->kind == EXPR_SYMBOL ? &r->p->world.domains[prove_class(&r->p->world, expr->symbol)] : NULL;
    range->min = domain != NULL ? intset_min(domain) : expr->literal;
    range->max = domain != NULL ? intset_max(domain) : expr->literal;
    return true;
}

static bool can_be_computed(const Related *r, const Expr *expr)
{
    OperatorRange range;
    return range_of(r, expr, &range);
}

/* The relation as a fact over classes, or null: it says nothing. */
static const Expr *fact_of(const Related *r, uint32_t i)
{
    const DispatchRelation *relation = dispatch_relation_of(r->p->dispatch, r->relations[i]);
    if (r->holds[i]) {
        return relation->expr;
    }
    return can_be_computed(r, relation->expr) ? expr_negate(&r->p->scratch, relation->expr) : NULL;
}

/* The same with one field for each class. */
static const Expr *over_classes(const Related *r, const Expr *expr)
{
    Expr *copy = ARENA_NEW(&r->p->scratch, Expr);
    *copy = *expr;
    if (expr_is_operation(expr)) {
        copy->lhs = over_classes(r, expr->lhs);
        copy->rhs = over_classes(r, expr->rhs);
    } else if (expr->kind == EXPR_SYMBOL) {
        copy->symbol = prove_class(&r->p->world, expr->symbol);
    }
    return copy;
}

static Guards *guards_of_world(const Related *r)
{
    Prover *p = r->p;
    const uint32_t n = p->dispatch->num_fields;
    IntegerRange *ranges = ARENA_ARRAY(&p->scratch, IntegerRange, n);
    int64_t *multiples = ARENA_ARRAY(&p->scratch, int64_t, n);
    for (uint32_t i = 0; i < n; i++) {
        const IntSet *domain = &p->world.domains[i];
        const bool empty = intset_is_empty(domain); /* of a field that is not the representative of its class */
        multiples[i] = domain->num_pieces == 1 ? domain->pieces[0].multiple : 1;
        ranges[i] = (IntegerRange){.min = empty ? 0 : intset_min(domain), .max = empty ? 0 : intset_max(domain)};
        ranges[i].has_min = !empty && ranges[i].min > INT64_MIN;
        ranges[i].has_max = !empty && ranges[i].max < INT64_MAX;
    }
    return guards_new(&p->scratch, ranges, multiples, n);
}

/* Each fact against those before it, in both directions. */
static bool contradict(const Related *r)
{
    for (int turn = 0; turn < 2; turn++) {
        Guards *guards = guards_of_world(r);
        prove_spend(r->p, (uint64_t)COST_OF_RANGE * r->p->dispatch->num_fields);
        for (uint32_t k = 0; k < r->num_relations; k++) {
            const uint32_t i = turn == 0 ? k : r->num_relations - 1 - k;
            const uint32_t num_operands = dispatch_relation_of(r->p->dispatch, r->relations[i])->num_operands;
            prove_spend(r->p, (uint64_t)COST_OF_FACT * (k + 1) + (uint64_t)COST_OF_OPERAND * num_operands);
            const Expr *fact = fact_of(r, i);
            const Expr *whole = fact != NULL ? over_classes(r, fact) : NULL;
            if (whole != NULL && guards_truth(guards, whole) == TRUTH_NO) {
                return true;
            }
            if (whole != NULL) {
                guards_assume(guards, whole);
            }
        }
    }
    return false;
}

ProveChoices prove_relations(Prover *p)
{
    Related r = {.p = p};
    ProveChoices choices = {.refuted = false};
    if (p->dispatch->num_relations == 0) {
        return choices;
    }
    gather(&r);
    if (r.num_relations == 0) {
        return choices;
    }
    list_values(&r);
    choices.choices = ARENA_ARRAY(&p->scratch, const int64_t *, MOST_CHOICES);
    const bool all = try_values(&r, &choices);
    choices.refuted = choices.num_choices == 0 && (all || contradict(&r));
    return choices;
}
