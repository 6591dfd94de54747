/* SPDX-License-Identifier: MIT */
/*
 * generate_terms - integers, symbols, dtypes and geometry of random graphs.
 */
#include <inttypes.h>
#include <string.h>

#include "../../../templates/core/wg_core.h"
#include "generate_private.h"

/* What generate_file() declares, and three valuations within those bounds. */
static const int64_t symbol_values[ALL_SYMBOLS][SAMPLES] = {{3, 5, 2}, {2, 7, 4}, {4, 9, 3}, {6, 2, 4}, {4, 8, 4},
                                                            {5, 2, 6}, {1, 4, 3}, {2, 3, 5}, {2, 4, 6}};

typedef struct DtypeName {
    const char *name;
    int32_t code;
    bool differentiable;
} DtypeName;

static const DtypeName dtypes[] = {{"float32", WG_FLOAT32, true},
                                   {"float64", WG_FLOAT64, true},
                                   {"float16", WG_FLOAT16, true},
                                   {"bfloat16", WG_BFLOAT16, true},
                                   {"complex64", WG_COMPLEX64, true},
                                   {"complex128", WG_COMPLEX128, true},
                                   {"int64", WG_INT64, false},
                                   {"int32", WG_INT32, false},
                                   {"uint8", WG_UINT8, false},
                                   {"bool", WG_BOOL, false},
                                   {"float8_e5m2", WG_FLOAT8_E5M2, true},
                                   {"complex32", WG_COMPLEX32, true}};

enum { NUM_DTYPES = sizeof dtypes / sizeof dtypes[0] };

int32_t generate_dtype_code(const char *dtype)
{
    for (size_t i = 0; dtype != NULL && i < NUM_DTYPES; i++) {
        if (strcmp(dtypes[i].name, dtype) == 0) {
            return dtypes[i].code;
        }
    }
    return -1;
}

const char *generate_dtype_name(int32_t dtype)
{
    for (size_t i = 0; i < NUM_DTYPES; i++) {
        if (dtypes[i].code == dtype) {
            return dtypes[i].name;
        }
    }
    return NULL;
}

bool generate_is_differentiable(const char *dtype)
{
    for (size_t i = 0; dtype != NULL && i < NUM_DTYPES; i++) {
        if (strcmp(dtypes[i].name, dtype) == 0) {
            return dtypes[i].differentiable;
        }
    }
    return false;
}

const char *generate_dtype(Draw *draw, bool differentiable)
{
    static const uint8_t weighted[] = {0, 0, 0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11};
    const uint32_t i = weighted[random_below(&draw->random, sizeof weighted)];
    return differentiable && !dtypes[i].differentiable ? dtypes[0].name : dtypes[i].name;
}

Term term_literal(Draw *draw, int64_t value)
{
    Term term = {arena_printf(draw->arena, "%" PRId64, value), {0}, false};
    for (int i = 0; i < SAMPLES; i++) {
        term.values[i] = value;
    }
    return term;
}

Term term_symbol(Draw *draw, uint32_t symbol)
{
    const bool unbacked = symbol >= NUM_SYMBOLS;
    Term term = {
        arena_printf(draw->arena, "%c%" PRIu32, unbacked ? 'u' : 's', unbacked ? symbol - NUM_SYMBOLS : symbol),
        {0},
        true};
    memcpy(term.values, symbol_values[symbol], sizeof term.values);
    draw->wanted[symbol] = true;
    return term;
}

static Term some_symbol(Draw *draw)
{
    uint32_t symbol = random_below(&draw->random, NUM_SYMBOLS);
    if (draw->late && random_chance(&draw->unbacked, 50)) {
        symbol = NUM_SYMBOLS + random_below(&draw->unbacked, NUM_UNBACKED);
    }
    return term_symbol(draw, symbol);
}

bool term_unbacked(Draw *draw, Term *term)
{
    if (!draw->late || !random_chance(&draw->unbacked, 30)) {
        return false;
    }
    *term = term_symbol(draw, NUM_SYMBOLS + random_below(&draw->unbacked, NUM_UNBACKED));
    return true;
}

bool term_for_values(Draw *draw, const int64_t *values, Term *term)
{
    for (uint32_t i = 0; i < (draw->late ? ALL_SYMBOLS : NUM_SYMBOLS); i++) {
        if (memcmp(symbol_values[i], values, sizeof symbol_values[i]) == 0) {
            *term = term_symbol(draw, i);
            return true;
        }
    }
    return false;
}

Term term_times(Draw *draw, Term a, Term b)
{
    if (!a.symbolic && !b.symbolic) {
        return term_literal(draw, a.values[0] * b.values[0]);
    }
    if (!a.symbolic && a.values[0] == 1) {
        return b;
    }
    if (!b.symbolic && b.values[0] == 1) {
        return a;
    }
    const bool a_sum = a.symbolic && strpbrk(a.text, "+-/%") != NULL;
    const bool b_sum = b.symbolic && strpbrk(b.text, "+-/%") != NULL;
    Term term = {arena_printf(draw->arena, "%s%s%s*%s%s%s", a_sum ? "(" : "", a.text, a_sum ? ")" : "",
                              b_sum ? "(" : "", b.text, b_sum ? ")" : ""),
                 {0},
                 true};
    for (int i = 0; i < SAMPLES; i++) {
        term.values[i] = a.values[i] * b.values[i];
    }
    return term;
}

Term term_symbolic(Draw *draw)
{
    Random *random = &draw->random;
    const Term s = some_symbol(draw);
    Term term = s;
    const int64_t k = 1 + random_below(random, 4);
    switch (random_below(random, 10)) {
    case 7:
        term.text = arena_printf(draw->arena, "max(%s - %" PRId64 ", 1)", s.text, k);
        for (int i = 0; i < SAMPLES; i++) {
            term.values[i] = s.values[i] - k > 1 ? s.values[i] - k : 1;
        }
        break;
    case 8:
        term.text = arena_printf(draw->arena, "min(%s, %" PRId64 ")", s.text, k);
        for (int i = 0; i < SAMPLES; i++) {
            term.values[i] = s.values[i] < k ? s.values[i] : k;
        }
        break;
    case 9:
        term.text = arena_printf(draw->arena, "%s %% %" PRId64, s.text, k + 1);
        for (int i = 0; i < SAMPLES; i++) {
            term.values[i] = s.values[i] % (k + 1);
        }
        break;
    case 0:
        term.text = arena_printf(draw->arena, "%s + %" PRId64, s.text, k);
        for (int i = 0; i < SAMPLES; i++) {
            term.values[i] = s.values[i] + k;
        }
        break;
    case 1:
        return term_times(draw, s, term_literal(draw, k));
    case 2:
        term.text = arena_printf(draw->arena, "(%s + 1)//%" PRId64, s.text, k);
        for (int i = 0; i < SAMPLES; i++) {
            term.values[i] = (s.values[i] + 1) / k;
        }
        break;
    case 3:
        return term_times(draw, s, some_symbol(draw));
    case 4:
        term.text = arena_printf(draw->arena, "%s - 1", s.text);
        for (int i = 0; i < SAMPLES; i++) {
            term.values[i] = s.values[i] - 1;
        }
        break;
    default:
        break;
    }
    return term;
}

Term term_size(Draw *draw, bool binding)
{
    Random *random = &draw->random;
    static const uint8_t sizes[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 8};
    const uint32_t what = random_below(random, 100);
    Term unbacked;
    if (!binding && term_unbacked(draw, &unbacked)) {
        return unbacked;
    }
    if (binding && what < 22) {
        const uint32_t symbol = random_below(random, NUM_SYMBOLS);
        draw->bound[symbol] = true;
        return term_symbol(draw, symbol);
    }
    if (what < 30 && what >= 22) {
        return term_symbolic(draw);
    }
    if (what >= 97) {
        return term_literal(draw, 0);
    }
    return term_literal(draw, sizes[random_below(random, sizeof sizes)]);
}

void term_add(Draw *draw, Node *list, Term term)
{
    node_put(draw->arena, list, NULL, term.text);
}

/* ---- geometry ---- */

/* Strides in the order of `order` from the innermost; at times padded, or 0 as expand makes them. */
static void draw_strides(Draw *draw, const Term *sizes, int32_t rank, Term *strides)
{
    Random *random = &draw->random;
    int32_t order[VIEW_RANK];
    for (int32_t i = 0; i < rank; i++) {
        order[i] = rank - 1 - i;
    }
    if (random_chance(random, 30)) {
        for (int32_t i = rank - 1; i > 0; i--) {
            const int32_t k = (int32_t)random_below(random, (uint32_t)i + 1);
            const int32_t kept = order[i];
            order[i] = order[k];
            order[k] = kept;
        }
    }
    Term stride = term_literal(draw, random_chance(random, 8) ? 2 : 1);
    for (int32_t i = 0; i < rank; i++) {
        const Term *size = &sizes[order[i]];
        strides[order[i]] = random_chance(random, 4) ? term_literal(draw, 0) : stride;
        if (size->symbolic || size->values[0] > 1) {
            stride = term_times(draw, *size, stride);
        }
        if (random_chance(random, 6)) {
            stride = term_times(draw, stride, term_literal(draw, 2));
        }
    }
}

static void note_geometry(Drawn *drawn, const Term *sizes, const Term *strides, int32_t rank)
{
    for (int i = 0; i < SAMPLES; i++) {
        ViewGeometry *g = &drawn->at[i];
        g->rank = rank;
        for (int32_t d = 0; d < rank; d++) {
            g->sizes[d] = sizes[d].values[i];
            drawn->symbolic = drawn->symbolic || sizes[d].symbolic || (drawn->has_stride && strides[d].symbolic);
        }
        view_make_contiguous(g);
        for (int32_t d = 0; d < rank && drawn->has_stride; d++) {
            g->strides[d] = strides[d].values[i];
        }
    }
}

static void draw_offset(Draw *draw, Node *map, Drawn *drawn, bool literal)
{
    Random *random = &draw->random;
    const bool even = random_chance(random, 50);
    Term offset = term_literal(draw, even ? 2 * random_below(random, 3) : random_below(random, 4));
    if (!literal && random_chance(random, 15)) {
        offset = term_symbolic(draw);
    }
    drawn->has_offset = true;
    drawn->symbolic = drawn->symbolic || offset.symbolic;
    for (int i = 0; i < SAMPLES; i++) {
        drawn->at[i].offset = offset.values[i];
    }
    node_put(draw->arena, map, "storage_offset", offset.text);
}

void generate_facts(Draw *draw, Node *map, Drawn *drawn, bool binding, bool literal)
{
    Random *random = &draw->random;
    Term sizes[VIEW_RANK];
    Term strides[VIEW_RANK];
    for (int i = 0; i < SAMPLES; i++) {
        drawn->at[i].dtype = generate_dtype_code(drawn->dtype);
    }
    if (drawn->dtype != NULL) {
        node_put(draw->arena, map, "dtype", drawn->dtype);
    }
    drawn->has_size = random_chance(random, 85);
    if (drawn->has_size) {
        const int32_t rank = (int32_t)random_below(random, 5);
        drawn->rank = rank;
        Node *list = node_add(draw->arena, map, "size", node_list(draw->arena));
        for (int32_t d = 0; d < rank; d++) {
            sizes[d] = literal ? term_literal(draw, 1 + random_below(random, 5)) : term_size(draw, binding);
            term_add(draw, list, sizes[d]);
        }
        drawn->has_stride = random_chance(random, 70);
        if (drawn->has_stride) {
            draw_strides(draw, sizes, rank, strides);
            list = node_add(draw->arena, map, "stride", node_list(draw->arena));
            for (int32_t d = 0; d < rank; d++) {
                term_add(draw, list, strides[d]);
            }
        }
        note_geometry(drawn, sizes, strides, rank);
    }
    if (random_chance(random, 60)) {
        draw_offset(draw, map, drawn, literal);
    }
    if (random_chance(random, 25)) {
        static const char *const devices[] = {"cpu", "cuda:0", "cuda:1", "cuda", "cpu"};
        node_put(draw->arena, map, "device", devices[random_below(random, 5)]);
    }
}
