/* SPDX-License-Identifier: MIT */
/*
 * prove - the search behind prove.h.
 *
 * A question is: is there a call that fulfils all of these clauses and none of those variants? A world holds what is
 * known of each field; the search asserts the clauses, then takes the variant with the fewest open clauses and lets
 * each of them in turn be the one that fails. A world in which a variant's clauses all hold is a dead end; one in which
 * every variant fails is given to prove_witness.c, which makes a call of it. Clauses with guards wait until one
 * alternative is left, and are tried one by one at the end.
 */
#include "prove.h"

#include <inttypes.h>
#include <string.h>

/* How many clauses may be looked at for one question, and for one kernel. */
enum { QUESTION_EFFORT = 400000, KERNEL_EFFORT = 40000000, MAX_REMOVALS = 24 };

typedef enum Answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } Answer;
typedef enum Truth3 { HOLDS_NOT, HOLDS, HOLDS_PERHAPS } Truth3;

/* How to take one assertion back. */
typedef struct Undo {
    uint32_t field;
    bool merged; /* parents[field] was field */
    IntSet domain;
} Undo;

struct Prover {
    Arena *arena;
    Arena scratch; /* of one question */
    const Dispatch *dispatch;
    ProveWorld world;
    Undo *trail;
    uint32_t num_trail;
    uint32_t trail_capacity;
    uint32_t differ_capacity;
    const DispatchClause **pending; /* asserted clauses with guards */
    uint32_t num_pending;
    uint32_t effort; /* left for this question */
    uint64_t total;
    Witness witness;
    Proof *proof;
};

/* ---- the world ---- */

uint32_t prove_class(const ProveWorld *world, uint32_t field)
{
    while (world->parents[field] != field) {
        field = world->parents[field];
    }
    return field;
}

static void remember(Prover *p, uint32_t field, bool merged)
{
    if (p->num_trail == p->trail_capacity) {
        const uint32_t more = p->trail_capacity == 0 ? 64 : 2 * p->trail_capacity;
        p->trail = arena_grow(&p->scratch, p->trail, p->trail_capacity * sizeof(Undo), more * sizeof(Undo));
        p->trail_capacity = more;
    }
    p->trail[p->num_trail++] = (Undo){field, merged, p->world.domains[field]};
}

typedef struct Mark {
    uint32_t trail;
    uint32_t differ;
    uint32_t pending;
} Mark;

static Mark mark(const Prover *p)
{
    return (Mark){p->num_trail, p->world.num_differ, p->num_pending};
}

static void undo(Prover *p, Mark to)
{
    while (p->num_trail > to.trail) {
        const Undo *last = &p->trail[--p->num_trail];
        p->world.domains[last->field] = last->domain;
        if (last->merged) {
            p->world.parents[last->field] = last->field;
        }
    }
    p->world.num_differ = to.differ;
    p->num_pending = to.pending;
}

static bool known_to_differ(const Prover *p, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < p->world.num_differ; i++) {
        const uint32_t one = prove_class(&p->world, p->world.differ[i][0]);
        const uint32_t other = prove_class(&p->world, p->world.differ[i][1]);
        if ((one == a && other == b) || (one == b && other == a)) {
            return true;
        }
    }
    return false;
}

/* Each assertion returns false where it leaves nothing. */
static bool assert_in(Prover *p, uint32_t field, const IntSet *set)
{
    const uint32_t class = prove_class(&p->world, field);
    const IntSet both = intset_intersect(&p->scratch, &p->world.domains[class], set);
    remember(p, class, false);
    p->world.domains[class] = both;
    return !intset_is_empty(&both);
}

static bool assert_equal(Prover *p, uint32_t a, uint32_t b)
{
    const uint32_t one = prove_class(&p->world, a);
    const uint32_t other = prove_class(&p->world, b);
    if (one == other) {
        return true;
    }
    if (known_to_differ(p, one, other) || !assert_in(p, one, &p->world.domains[other])) {
        return false;
    }
    remember(p, other, true);
    p->world.parents[other] = one;
    return true;
}

static bool assert_differ(Prover *p, uint32_t a, uint32_t b)
{
    int64_t x = 0;
    int64_t y = 0;
    const uint32_t one = prove_class(&p->world, a);
    const uint32_t other = prove_class(&p->world, b);
    if (one == other ||
        (intset_is_point(&p->world.domains[one], &x) && intset_is_point(&p->world.domains[other], &y) && x == y)) {
        return false;
    }
    if (p->world.num_differ == p->differ_capacity) {
        const uint32_t more = p->differ_capacity == 0 ? 16 : 2 * p->differ_capacity;
        p->world.differ = arena_grow(&p->scratch, p->world.differ, p->differ_capacity * sizeof *p->world.differ,
                                     more * sizeof *p->world.differ);
        p->differ_capacity = more;
    }
    p->world.differ[p->world.num_differ][0] = a;
    p->world.differ[p->world.num_differ][1] = b;
    p->world.num_differ++;
    return true;
}

/* ---- what holds ---- */

static Truth3 truth_of_set(const Prover *p, uint32_t field, const IntSet *set, const IntSet *complement)
{
    const IntSet *domain = &p->world.domains[prove_class(&p->world, field)];
    if (intset_disjoint(domain, set)) {
        return HOLDS_NOT;
    }
    return intset_disjoint(domain, complement) && !complement->too_large ? HOLDS : HOLDS_PERHAPS;
}

static Truth3 truth_of_equal(const Prover *p, uint32_t a, uint32_t b)
{
    int64_t x = 0;
    int64_t y = 0;
    const uint32_t one = prove_class(&p->world, a);
    const uint32_t other = prove_class(&p->world, b);
    const IntSet *left = &p->world.domains[one];
    const IntSet *right = &p->world.domains[other];
    if (one == other) {
        return HOLDS;
    }
    if (intset_disjoint(left, right) || known_to_differ(p, one, other)) {
        return HOLDS_NOT;
    }
    return intset_is_point(left, &x) && intset_is_point(right, &y) && x == y ? HOLDS : HOLDS_PERHAPS;
}

static Truth3 truth_of_literal(const Prover *p, const DispatchClause *clause)
{
    return clause->equal_to == DISPATCH_NONE ? truth_of_set(p, clause->field, &clause->set, &clause->complement)
                                             : truth_of_equal(p, clause->field, (uint32_t)clause->equal_to);
}

/* How many alternatives of a clause are open; -1: one of them holds. */
static int open_alternatives(Prover *p, const DispatchClause *clause)
{
    const Truth3 literal = truth_of_literal(p, clause);
    int open = literal == HOLDS_PERHAPS ? 1 : 0;
    p->effort -= p->effort > 0 ? 1 : 0;
    if (literal == HOLDS) {
        return -1;
    }
    for (uint32_t i = 0; i < clause->num_guards; i++) {
        const DispatchGuard *guard = &clause->guards[i];
        const Truth3 truth = truth_of_set(p, guard->field, &guard->set, &guard->complement);
        if (truth == HOLDS) {
            return -1;
        }
        open += truth == HOLDS_PERHAPS ? 1 : 0;
    }
    return open;
}

/* ---- asserting clauses ---- */

static bool assert_alternative(Prover *p, const DispatchClause *clause, uint32_t alternative)
{
    if (alternative > 0) {
        const DispatchGuard *guard = &clause->guards[alternative - 1];
        return assert_in(p, guard->field, &guard->set);
    }
    return clause->equal_to == DISPATCH_NONE ? assert_in(p, clause->field, &clause->set)
                                             : assert_equal(p, (uint32_t)clause->equal_to, clause->field);
}

static bool assert_clause(Prover *p, const DispatchClause *clause)
{
    if (clause->num_guards == 0) {
        return assert_alternative(p, clause, 0);
    }
    p->pending =
        arena_grow(&p->scratch, p->pending, p->num_pending * sizeof(void *), (p->num_pending + 1) * sizeof(void *));
    p->pending[p->num_pending++] = clause;
    return true;
}

static bool assert_variant(Prover *p, const DispatchVariant *variant)
{
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        if (!assert_clause(p, &variant->clauses[i])) {
            return false;
        }
    }
    return true;
}

static bool assert_fails(Prover *p, const DispatchClause *clause)
{
    for (uint32_t i = 0; i < clause->num_guards; i++) {
        if (!assert_in(p, clause->guards[i].field, &clause->guards[i].complement)) {
            return false;
        }
    }
    return clause->equal_to == DISPATCH_NONE ? assert_in(p, clause->field, &clause->complement)
                                             : assert_differ(p, (uint32_t)clause->equal_to, clause->field);
}

static bool alternative_is_open(const Prover *p, const DispatchClause *clause, uint32_t alternative)
{
    if (alternative == 0) {
        return truth_of_literal(p, clause) == HOLDS_PERHAPS;
    }
    const DispatchGuard *guard = &clause->guards[alternative - 1];
    return truth_of_set(p, guard->field, &guard->set, &guard->complement) == HOLDS_PERHAPS;
}

/* Asserts what is left of pending clauses with one alternative, until nothing changes; false: a clause has none. */
static bool settle_pending(Prover *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->num_pending; i++) {
            const DispatchClause *clause = p->pending[i];
            const int open = open_alternatives(p, clause);
            if (open == 0) {
                return false;
            }
            for (uint32_t k = 0; open == 1 && k <= clause->num_guards; k++) {
                if (!alternative_is_open(p, clause, k)) {
                    continue;
                }
                changed = true;
                if (!assert_alternative(p, clause, k)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- the search ---- */

static const DispatchClause *open_pending(Prover *p)
{
    for (uint32_t i = 0; i < p->num_pending; i++) {
        if (open_alternatives(p, p->pending[i]) > 0) {
            return p->pending[i];
        }
    }
    return NULL;
}

typedef struct Question {
    const DispatchVariant *required[3];
    uint32_t num_required;
    const uint32_t *excluded; /* variants that must not accept */
    uint32_t num_excluded;
} Question;

static bool is_answer(const Prover *p, const Question *question, const Witness *witness)
{
    for (uint32_t i = 0; i < question->num_required; i++) {
        if (!prove_accepts(question->required[i], witness->values)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < question->num_excluded; i++) {
        if (prove_accepts(&p->dispatch->variants[question->excluded[i]], witness->values)) {
            return false;
        }
    }
    return true;
}

static Answer answer_world(Prover *p, const Question *question)
{
    bool differ = false;
    if (prove_refutes_layout(p->dispatch, &p->world)) {
        return ANSWER_NO;
    }
    for (int style = 0; style < PROVE_STYLES; style++) {
        Witness witness;
        if (!prove_make_witness(p->arena, p->dispatch, &p->world, style, &witness)) {
            continue;
        }
        differ = true;
        if (is_answer(p, question, &witness)) {
            p->witness = witness;
            return ANSWER_YES;
        }
    }
    return differ ? ANSWER_UNKNOWN : ANSWER_NO;
}

static Answer search(Prover *p, const Question *question, const uint32_t *list, uint32_t n);

static Answer worse(Answer a, Answer b)
{
    return a == ANSWER_UNKNOWN ? a : b;
}

static Answer search_pending(Prover *p, const Question *question, const DispatchClause *clause)
{
    Answer answer = ANSWER_NO;
    for (uint32_t k = 0; k <= clause->num_guards && answer != ANSWER_YES; k++) {
        const Mark before = mark(p);
        if (alternative_is_open(p, clause, k) && assert_alternative(p, clause, k)) {
            const Answer one = search(p, question, NULL, 0);
            answer = one == ANSWER_YES ? one : worse(answer, one);
        }
        undo(p, before);
    }
    return answer;
}

/* Lets each open clause of the variant fail in turn; those without guards that did not hold then on. The last ones
 * first: they ask for details, and a call that differs in those looks most like what was meant. */
static Answer search_variant(Prover *p, const Question *question, uint32_t chosen, const uint32_t *list, uint32_t n)
{
    const DispatchVariant *variant = &p->dispatch->variants[chosen];
    const Mark outer = mark(p);
    Answer answer = ANSWER_NO;
    for (uint32_t i = variant->num_clauses; i-- > 0 && answer != ANSWER_YES;) {
        const DispatchClause *clause = &variant->clauses[i];
        if (open_alternatives(p, clause) <= 0) {
            continue;
        }
        const Mark before = mark(p);
        if (assert_fails(p, clause)) {
            const Answer one = search(p, question, list, n);
            answer = one == ANSWER_YES ? one : worse(answer, one);
        }
        undo(p, before);
        if (answer != ANSWER_YES && clause->num_guards == 0 && !assert_alternative(p, clause, 0)) {
            break;
        }
    }
    undo(p, outer);
    return answer;
}

/* Open clauses of a variant; -1: one of its clauses fails, so that it does not accept. */
static int open_clauses(Prover *p, const DispatchVariant *variant)
{
    int open = 0;
    for (uint32_t i = 0; i < variant->num_clauses; i++) {
        const int alternatives = open_alternatives(p, &variant->clauses[i]);
        if (alternatives == 0) {
            return -1;
        }
        open += alternatives > 0 ? 1 : 0;
    }
    return open;
}

static Answer search(Prover *p, const Question *question, const uint32_t *list, uint32_t n)
{
    if (!settle_pending(p)) {
        return ANSWER_NO;
    }
    if (p->effort == 0) {
        return ANSWER_UNKNOWN;
    }
    uint32_t *left = ARENA_ARRAY(&p->scratch, uint32_t, n);
    uint32_t num_left = 0;
    uint32_t best = 0;
    int fewest = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int open = open_clauses(p, &p->dispatch->variants[list[i]]);
        if (open == 0) {
            return ANSWER_NO;
        }
        if (open > 0) {
            left[num_left] = list[i];
            if (num_left == 0 || open < fewest) {
                best = num_left;
                fewest = open;
            }
            num_left++;
        }
    }
    if (num_left > 0) {
        const uint32_t chosen = left[best];
        memmove(&left[best], &left[best + 1], (num_left - best - 1) * sizeof *left);
        return search_variant(p, question, chosen, left, num_left - 1);
    }
    const DispatchClause *clause = open_pending(p);
    return clause != NULL ? search_pending(p, question, clause) : answer_world(p, question);
}

static Answer ask(Prover *p, const Question *question)
{
    const uint32_t num_fields = p->dispatch->num_fields;
    if (p->total >= KERNEL_EFFORT) {
        return ANSWER_UNKNOWN;
    }
    arena_reset(&p->scratch);
    p->world = (ProveWorld){.domains = ARENA_ARRAY(&p->scratch, IntSet, num_fields),
                            .parents = ARENA_ARRAY(&p->scratch, uint32_t, num_fields)};
    for (uint32_t i = 0; i < num_fields; i++) {
        p->world.domains[i] = p->dispatch->fields[i].domain;
        p->world.parents[i] = i;
    }
    p->trail = NULL;
    p->num_trail = p->trail_capacity = p->differ_capacity = p->num_pending = 0;
    p->pending = NULL;
    p->effort = QUESTION_EFFORT;
    Answer answer = ANSWER_NO;
    bool consistent = true;
    for (uint32_t i = 0; consistent && i < question->num_required; i++) {
        consistent = assert_variant(p, question->required[i]);
    }
    if (consistent) {
        answer = search(p, question, question->excluded, question->num_excluded);
    }
    p->total += QUESTION_EFFORT - p->effort + num_fields;
    return answer;
}

/* ---- questions ---- */

static bool clauses_disjoint(const DispatchVariant *a, const DispatchVariant *b)
{
    for (uint32_t i = 0; i < a->num_clauses; i++) {
        const DispatchClause *one = &a->clauses[i];
        for (uint32_t j = 0; one->equal_to == DISPATCH_NONE && one->num_guards == 0 && j < b->num_clauses; j++) {
            const DispatchClause *other = &b->clauses[j];
            if (other->field == one->field && other->equal_to == DISPATCH_NONE && other->num_guards == 0 &&
                intset_disjoint(&one->set, &other->set)) {
                return true;
            }
        }
    }
    return false;
}

bool prove_disjoint(const Dispatch *dispatch, uint32_t a, uint32_t b)
{
    return clauses_disjoint(&dispatch->variants[a], &dispatch->variants[b]);
}

static Finding *found(Prover *p, FindingKind kind, uint32_t variant, const uint32_t *others, uint32_t num_others)
{
    Proof *proof = p->proof;
    proof->findings = arena_grow(p->arena, proof->findings, proof->num_findings * sizeof(Finding),
                                 (proof->num_findings + 1) * sizeof(Finding));
    Finding *finding = &proof->findings[proof->num_findings++];
    *finding = (Finding){.kind = kind, .variant = variant, .num_others = num_others, .witness = p->witness};
    finding->others = ARENA_ARRAY(p->arena, uint32_t, num_others);
    if (num_others > 0) {
        memcpy(finding->others, others, num_others * sizeof *others);
    }
    return finding;
}

static void not_known(Prover *p, uint32_t variant, const char *question)
{
    found(p, FINDING_UNPROVED, variant, NULL, 0)->question = question;
}

/* Leaves out of `list` what is not needed to cover the variant, as far as effort allows. */
static uint32_t needed(Prover *p, Question *question, uint32_t *list, uint32_t n)
{
    uint32_t *fewer = ARENA_ARRAY(p->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        question->excluded = &list[i];
        question->num_excluded = 1;
        if (i < MAX_REMOVALS && ask(p, question) == ANSWER_NO) {
            list[0] = list[i];
            return 1;
        }
    }
    for (uint32_t i = 0, removals = 0; i < n && removals < MAX_REMOVALS; removals++) {
        memcpy(fewer, list, i * sizeof *list);
        memcpy(&fewer[i], &list[i + 1], (n - i - 1) * sizeof *list);
        question->excluded = fewer;
        question->num_excluded = n - 1;
        if (ask(p, question) == ANSWER_NO) {
            n--;
            memcpy(list, fewer, n * sizeof *list);
        } else {
            i++;
        }
    }
    return n;
}

/* Is the variant chosen for some call? */
static void prove_reached(Prover *p, uint32_t variant, uint32_t *earlier, uint32_t num_earlier)
{
    Question question = {.required = {&p->dispatch->declared, &p->dispatch->variants[variant]},
                         .num_required = 2,
                         .excluded = earlier,
                         .num_excluded = num_earlier};
    const Answer answer = ask(p, &question);
    if (answer == ANSWER_YES) {
        found(p, FINDING_REACHED, variant, NULL, 0);
        return;
    }
    if (answer == ANSWER_UNKNOWN) {
        not_known(p, variant, "whether it can be chosen");
        return;
    }
    question.num_excluded = 0;
    if (ask(p, &question) == ANSWER_NO) {
        found(p, FINDING_IMPOSSIBLE, variant, NULL, 0);
        return;
    }
    uint32_t *covering = ARENA_ARRAY(p->arena, uint32_t, num_earlier);
    memcpy(covering, earlier, num_earlier * sizeof *earlier);
    const uint32_t n = needed(p, &question, covering, num_earlier);
    found(p, FINDING_SHADOWED, variant, covering, n);
}

/* Does an earlier variant accept some of what this one does, and neither all of it nor nothing else? */
static void prove_overlap(Prover *p, uint32_t variant, const uint32_t *earlier, uint32_t num_earlier)
{
    uint32_t *overlapping = ARENA_ARRAY(p->arena, uint32_t, num_earlier);
    uint32_t n = 0;
    bool known = true;
    Witness witness = {0};
    for (uint32_t i = 0; i < num_earlier; i++) {
        const DispatchVariant *first = &p->dispatch->variants[earlier[i]];
        if (strcmp(first->spec->symbol, p->dispatch->variants[variant].spec->symbol) == 0) {
            continue; /* one function: the order decides nothing */
        }
        const Question special = {
            .required = {&p->dispatch->declared, first}, .num_required = 2, .excluded = &variant, .num_excluded = 1};
        const Question both = {.required = {&p->dispatch->declared, first, &p->dispatch->variants[variant]},
                               .num_required = 3};
        if (ask(p, &special) == ANSWER_NO) {
            continue; /* the special case comes first, as it should */
        }
        const Answer answer = ask(p, &both);
        known = known && answer != ANSWER_UNKNOWN;
        if (answer == ANSWER_YES) {
            witness = n == 0 ? p->witness : witness;
            overlapping[n++] = earlier[i];
        }
    }
    if (n > 0) {
        p->witness = witness;
        found(p, FINDING_OVERLAP, variant, overlapping, n);
    }
    if (!known) {
        not_known(p, variant, "whether it overlaps with an earlier one");
    }
}

static void prove_coverage(Prover *p)
{
    const uint32_t n = p->dispatch->num_variants;
    uint32_t *all = ARENA_ARRAY(p->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = i;
    }
    const Question question = {
        .required = {&p->dispatch->declared}, .num_required = 1, .excluded = all, .num_excluded = n};
    const Answer answer = ask(p, &question);
    if (answer == ANSWER_UNKNOWN) {
        not_known(p, n, "whether every call is accepted by some variant");
    } else {
        found(p, answer == ANSWER_YES ? FINDING_UNCOVERED : FINDING_COVERED, n, NULL, 0);
    }
}

Proof prove_dispatch(Arena *arena, const Dispatch *dispatch)
{
    Proof proof = {0};
    Prover prover = {.arena = arena, .dispatch = dispatch, .proof = &proof};
    arena_init(&prover.scratch);
    uint32_t *earlier = ARENA_ARRAY(arena, uint32_t, dispatch->num_variants);
    for (uint32_t j = 0; j < dispatch->num_variants; j++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < j; i++) {
            if (!prove_disjoint(dispatch, i, j)) {
                earlier[n++] = i;
            }
        }
        const uint32_t before = proof.num_findings;
        prove_reached(&prover, j, earlier, n);
        if (proof.findings[before].kind == FINDING_REACHED || proof.findings[before].kind == FINDING_UNPROVED) {
            prove_overlap(&prover, j, earlier, n);
        }
    }
    if (dispatch->num_variants > 0) {
        prove_coverage(&prover);
    }
    arena_release(&prover.scratch);
    return proof;
}
