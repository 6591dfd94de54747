/* SPDX-License-Identifier: 0BSD */
/*
 * wg_overlap.c - whether tensors whose byte ranges meet share a byte, for every host. Columns of one matrix, or the
 * even and the odd elements of a vector, meet and share nothing. Cold: wrappers come here only once ranges have met.
 *
 * An element of a is at a.first + the sum of index * step over the dimensions of a, so a byte is shared exactly when
 *
 *     a.first + sum over a + u = b.first + sum over b + v,    0 <= u < itemsize of a, 0 <= v < itemsize of b
 *
 * has a solution within the sizes. Counting the indices of b, and v, from their other ends moves everything to one
 * side:
 *
 *     sum over both + u + v = b.end - 1 - a.first
 *
 * where all terms are positive, so that partial sums bound what the rest has to add up to. u + v is any number of a
 * window, 0 to both item sizes - 2. The general problem is a bounded knapsack, which is hard; tensors are not: the
 * terms are taken from the largest step to the smallest, and indices are tried only where the rest may still fit, which
 * for dimensions that lie inside each other is one or two. Whatever needs more than WG_OVERLAP_STEPS tries stays
 * undecided.
 *
 * This file allocates nothing, recurses nowhere and keeps no state.
 */
#include "wg_apart.h"

enum {
    MOST_TERMS = 32, /* of different steps; tensors whose dimensions make more stay undecided */
    COMPARISON = 16  /* steps that a pair costs before any index is tried */
};

typedef enum Answer { DISJOINT, SHARED, UNDECIDED } Answer;

/* What a dimension adds, in bytes: index * step, the index from 0 to most. With it, what is true of the sum of this
 * term and all those after it. */
typedef struct Term {
    uint64_t step;
    uint64_t most;
    uint64_t reach;   /* the greatest sum */
    uint64_t divisor; /* of all sums */
    int is_full;      /* a number that is_possible() is the sum and something of the window */
    uint64_t rest;    /* of the search: what this and later terms have to add up to, at the index that is tried next, */
    uint64_t tries;   /* and how many indices are still to be tried, each smaller by 1 */
} Term;

/* The terms of two tensors, by falling step, each step once. What stands after them adds nothing. */
typedef struct Terms {
    Term at[MOST_TERMS + 1];
    size_t n;
    uint64_t window;
} Terms;

/* ---- two tensors become terms ---- */

static void clear(Terms *terms)
{
    static const Term nothing = {.step = 1, .divisor = 1, .is_full = 1};
    for (size_t i = 0; i <= MOST_TERMS; i++) {
        terms->at[i] = nothing;
    }
    terms->n = 0;
    terms->window = 0;
}

/* Returns 0 when there is no room. */
static int add_term(Terms *terms, uint64_t step, uint64_t most)
{
    size_t at = terms->n;
    while (at > 0 && at <= MOST_TERMS && terms->at[at - 1].step < step) {
        at--;
    }
    if (at > 0 && at <= MOST_TERMS && terms->at[at - 1].step == step) {
        terms->at[at - 1].most += most;
        return 1;
    }
    if (terms->n >= MOST_TERMS) {
        return 0;
    }
    for (size_t i = terms->n; i > at; i--) {
        terms->at[i] = terms->at[i - 1];
    }
    terms->at[at].step = step;
    terms->at[at].most = most;
    terms->n++;
    return 1;
}

/* Adds the dimensions of a tensor and the bytes of its element. A stride below 0 counts from the other end, which makes
 * no difference to a set of addresses that begins at the lowest. Returns 0 when they do not make up the tensor's range,
 * as with a dtype that is not known here, or when there are too many. */
static int add_tensor(Terms *terms, WgContext *ctx, const WgRange *range)
{
    const int64_t rank = wg_host_fact(ctx, range->tensor, WG_RULE_RANK, -1);
    const uint64_t item = wg_item_size(wg_host_fact(ctx, range->tensor, WG_RULE_DTYPE, -1));
    const uint64_t width = range->bytes.end - range->bytes.first;
    uint64_t left = width;
    if (rank < 0 || rank > INT32_MAX || item == 0 || width < item || width > WG_MOST_BYTES) {
        return 0;
    }
    left -= item;
    for (int32_t d = 0; d < (int32_t)rank; d++) {
        const int64_t size = wg_host_fact(ctx, range->tensor, WG_RULE_SIZE, d);
        const uint64_t stride = wg_magnitude(wg_host_fact(ctx, range->tensor, WG_RULE_STRIDE, d));
        if (size < 1) {
            return 0;
        }
        if (size > 1 && stride > 0) {
            const uint64_t most = (uint64_t)size - 1;
            if (stride > width) {
                return 0;
            }
            const uint64_t step = stride * item;
            if (most > left / step || !add_term(terms, step, most)) {
                return 0;
            }
            left -= most * step;
        }
    }
    terms->window += item - 1;
    return left == 0;
}

/* ---- what is true of sums ---- */

/* Whether the sums of this term and those after it leave no gap but what is_possible() knows of: either every multiple
 * of the divisor is one, or, with the window, every number. `next` says it of those after it. */
static int fills(const Term *term, const Term *next, uint64_t window)
{
    if (!next->is_full) {
        return 0;
    }
    if (next->reach == 0 || (term->step % next->divisor == 0 && term->step <= next->reach + next->divisor)) {
        return 1;
    }
    return next->divisor <= window + 1 && term->step <= next->reach + window + 1;
}

static void sum_up(Terms *terms)
{
    for (size_t i = terms->n; i > 0; i--) {
        Term *const term = &terms->at[i - 1];
        const Term *const next = &terms->at[i];
        term->reach = next->reach + term->step * term->most;
        term->divisor = next->reach == 0 ? term->step : wg_common_divisor(term->step, next->divisor);
        term->is_full = fills(term, next, terms->window);
    }
}

/* 0 when no sum of this term and those after it, with something of the window, is `wanted`: it is out of reach, or
 * between two multiples of the divisor. */
static int is_possible(const Term *term, uint64_t window, uint64_t wanted)
{
    const uint64_t least = wanted > window ? wanted - window : 0;
    const uint64_t sum = wanted < term->reach ? wanted : term->reach;
    return sum - sum % term->divisor >= least;
}

/* ---- the search ---- */

/* From the greatest index that does not exceed what is wanted, to the smallest from which the rest is in reach. */
static void begin_term(Term *term, const Term *next, uint64_t window, uint64_t wanted)
{
    const uint64_t fitting = wanted / term->step;
    const uint64_t high = fitting < term->most ? fitting : term->most;
    const uint64_t others = next->reach + window;
    const uint64_t low = wanted > others ? (wanted - others + term->step - 1) / term->step : 0;
    term->rest = wanted - high * term->step;
    term->tries = high < low ? 0 : high - low + 1;
}

static Answer search(Terms *terms, uint64_t wanted, uint64_t *steps)
{
    size_t at = 0;
    if (!is_possible(&terms->at[0], terms->window, wanted)) {
        return DISJOINT;
    }
    if (terms->at[0].is_full) {
        return SHARED;
    }
    begin_term(&terms->at[0], &terms->at[1], terms->window, wanted);
    for (; *steps > 0; --*steps) {
        Term *const term = &terms->at[at];
        const Term *const next = &terms->at[at + 1];
        const uint64_t rest = term->rest;
        if (term->tries == 0) {
            if (at == 0) {
                return DISJOINT;
            }
            at--;
            continue;
        }
        term->tries--;
        term->rest += term->step;
        if (!is_possible(next, terms->window, rest)) {
            continue;
        }
        if (next->is_full) {
            return SHARED;
        }
        if (at + 2 > MOST_TERMS) {
            break; /* not reached: the last term, and what stands after it, are always full */
        }
        at++;
        begin_term(&terms->at[at], &terms->at[at + 1], terms->window, rest);
    }
    return UNDECIDED;
}

/* Two ranges that meet. */
static Answer compare(WgContext *ctx, const WgRange *a, const WgRange *b, uint64_t *steps)
{
    Terms terms;
    if (*steps < COMPARISON) {
        *steps = 0;
        return UNDECIDED;
    }
    *steps -= COMPARISON;
    clear(&terms);
    if (!add_tensor(&terms, ctx, a) || !add_tensor(&terms, ctx, b)) {
        return UNDECIDED;
    }
    sum_up(&terms);
    return search(&terms, b->bytes.end - 1 - a->bytes.first, steps);
}

/* ---- the pair that is refused ---- */

/* Whether it would be named instead of what was found so far. */
static int comes_first(const WgOverlap *overlap, const WgRange *written, const WgRange *other)
{
    if (!overlap->found || written->owner != overlap->written) {
        return !overlap->found || written->owner < overlap->written;
    }
    return other->owner < overlap->other || (other->owner == overlap->other && !overlap->is_certain);
}

static void note_pair(WgOverlap *overlap, const WgRange *written, const WgRange *other, Answer answer)
{
    overlap->found = 1;
    overlap->is_certain = answer == SHARED;
    overlap->written = written->owner;
    overlap->other = other->owner;
    overlap->written_bytes = written->bytes;
    overlap->other_bytes = other->bytes;
}

/* Compares each that is written with those after it, but for those that would not be named. */
static void compare_all(WgContext *ctx, const WgRange *ranges, size_t n, size_t num_written, WgOverlap *overlap,
                        uint64_t *steps)
{
    for (size_t i = 0; i < n; i++) {
        const WgRange *const written = &ranges[i];
        if (written->owner >= num_written || (overlap->found && written->owner > overlap->written)) {
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            const WgRange *const other = &ranges[k];
            if (other->owner >= written->owner && other->group != written->group &&
                wg_ranges_meet(written->bytes, other->bytes) && comes_first(overlap, written, other)) {
                const Answer answer = compare(ctx, written, other, steps);
                if (answer != DISJOINT) {
                    note_pair(overlap, written, other, answer);
                }
            }
        }
        *steps -= *steps < n ? *steps : n;
    }
}

void wg_find_shared(WgContext *ctx, WgRange *ranges, size_t n, size_t num_written, WgOverlap *overlap)
{
    uint64_t steps = (uint64_t)WG_OVERLAP_STEPS * n;
    *overlap = wg_overlap(0, 0, 0);
    n = wg_ranges_drop_empty(ranges, n);
    if (n <= 2 || !wg_are_known(ctx, ranges, n)) {
        compare_all(ctx, ranges, n, num_written, overlap, &steps);
        return;
    }
    n = wg_tell_apart(ctx, ranges, n, num_written);
    size_t end = 0;
    for (size_t first = 0; first < n; first = end) {
        end = wg_cluster_end(ranges, n, first);
        wg_restore(ctx, ranges + first, end - first);
        compare_all(ctx, ranges + first, end - first, num_written, overlap, &steps);
    }
}

int32_t wg_fail_overlap(WgContext *ctx, const WgSite *site, const WgOverlap *overlap, const char *name,
                        WgTensor *argument)
{
    const WgByteRange written = overlap->written_bytes;
    const WgByteRange other = overlap->other_bytes;
    const uintptr_t base = written.first < other.first ? written.first : other.first;
    const int64_t values[WG_OVERLAP_VALUES] = {
        [WG_OVERLAP_FIRST] = (int64_t)(written.first - base),
        [WG_OVERLAP_LAST] = (int64_t)(written.end - base - 1),
        [WG_OVERLAP_OTHER_FIRST] = (int64_t)(other.first - base),
        [WG_OVERLAP_OTHER_LAST] = (int64_t)(other.end - base - 1),
        [WG_OVERLAP_CERTAIN] = overlap->is_certain,
    };
    const int32_t status = wg_fail(ctx, site, -1, wg_value_tensor(NULL), wg_value_tensor(argument));
    WgError *const error = &wg_host_error_slot(ctx)->error;
    error->symbols = name;
    error->num_values = WG_OVERLAP_VALUES;
    memcpy(error->values, values, sizeof values);
    return status;
}

int32_t wg_fail_if_shared(WgContext *ctx, const WgSite *site, WgRange written, WgRange other, const char *name,
                          WgTensor *argument)
{
    WgRange ranges[2] = {written, other};
    WgOverlap overlap;
    wg_find_shared(ctx, ranges, 2, 1, &overlap);
    return overlap.found ? wg_fail_overlap(ctx, site, &overlap, name, argument) : WG_OK;
}

int32_t wg_fail_argument(WgContext *ctx, const WgSite *site, const char *name, WgTensor *argument)
{
    const int32_t status = wg_fail(ctx, site, -1, wg_value_tensor(NULL), wg_value_tensor(argument));
    wg_host_error_slot(ctx)->error.symbols = name;
    return status;
}
