/* SPDX-License-Identifier: MIT */
/*
 * oracle - view operations on tables of storage positions; see oracle.h. Slow and simple: each operation says which old
 * element a new one is, by indices alone.
 */
#include "oracle_private.h"

#include <stdlib.h>
#include <string.h>

bool oracle_value(const Expr *expr, const int64_t *symbols, int64_t *value)
{
    int64_t a = 0;
    int64_t b = 0;
    if (expr->kind == EXPR_LITERAL) {
        *value = expr->literal;
        return true;
    }
    if (expr->kind == EXPR_SYMBOL) {
        *value = symbols[expr->symbol];
        return true;
    }
    if (!oracle_value(expr->lhs, symbols, &a) || !oracle_value(expr->rhs, symbols, &b)) {
        return false;
    }
    if (expr->kind == EXPR_ADD) {
        return !__builtin_add_overflow(a, b, value);
    }
    if (expr->kind == EXPR_SUB) {
        return !__builtin_sub_overflow(a, b, value);
    }
    if (expr->kind == EXPR_MUL) {
        return !__builtin_mul_overflow(a, b, value);
    }
    if (expr->kind == EXPR_MIN || expr->kind == EXPR_MAX) {
        *value = (expr->kind == EXPR_MIN) == (a < b) ? a : b;
        return true;
    }
    if (b == 0 || expr->kind != EXPR_FLOORDIV) {
        return false;
    }
    *value = a / b;
    if (*value * b != a && (a < 0) != (b < 0)) {
        --*value;
    }
    return true;
}

int64_t call_number(Call *call, const SpecInt *argument, int64_t absent)
{
    int64_t value = absent;
    if (argument->text && !oracle_value(argument->expr, call->symbols, &value)) {
        call->broken = true;
        return 0;
    }
    return value;
}

int64_t *call_numbers(Call *call, const SpecInts *argument)
{
    int64_t *values = ARENA_ARRAY(call->arena, int64_t, argument->text_count);
    for (uint32_t i = 0; i < argument->text_count; i++) {
        call->broken = call->broken || !oracle_value(argument->expr[i], call->symbols, &values[i]);
    }
    return values;
}

/* ---- tables ---- */

static bool count_elements(uint32_t rank, const int64_t *sizes, int64_t *count)
{
    *count = 1;
    bool empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        empty = empty || sizes[i] == 0;
    }
    for (uint32_t i = 0; i < rank && !empty; i++) {
        if (__builtin_mul_overflow(*count, sizes[i], count) || *count > ORACLE_MAX_COUNT) {
            return false;
        }
    }
    *count = empty ? 0 : *count;
    return rank <= MAX_RANK;
}

/* The next index in row-major order. */
void advance_index(uint32_t rank, const int64_t *sizes, int64_t *index)
{
    for (uint32_t i = rank; i-- > 0;) {
        if (++index[i] < sizes[i]) {
            return;
        }
        index[i] = 0;
    }
}

int64_t table_position(const Table *table, const int64_t *index)
{
    int64_t place = 0;
    for (uint32_t i = 0; i < table->rank; i++) {
        if (index[i] < 0 || index[i] >= table->sizes[i]) {
            abort(); /* the oracle itself is wrong */
        }
        place = place * table->sizes[i] + index[i];
    }
    return table->at[place];
}

Verdict oracle_strided(Arena *arena, int32_t dtype, uint32_t rank, const int64_t *sizes, const int64_t *strides,
                       int64_t offset, Table *table)
{
    int64_t count = 0;
    if (!count_elements(rank, sizes, &count)) {
        return VERDICT_UNKNOWABLE;
    }
    int64_t *at = ARENA_ARRAY(arena, int64_t, (size_t)count);
    int64_t index[MAX_RANK] = {0};
    for (int64_t element = 0; element < count; element++) {
        int64_t where = offset;
        for (uint32_t i = 0; i < rank; i++) {
            where += index[i] * strides[i];
        }
        at[element] = where * (int64_t)dtype_size(dtype);
        advance_index(rank, sizes, index);
    }
    *table = (Table){rank, sizes, count, at, dtype};
    return VERDICT_VALID;
}

bool oracle_same(const Table *a, const Table *b)
{
    bool same = a->rank == b->rank && a->count == b->count && a->dtype == b->dtype;
    for (uint32_t i = 0; same && i < a->rank; i++) {
        same = a->sizes[i] == b->sizes[i];
    }
    for (int64_t i = 0; same && i < a->count; i++) {
        same = a->at[i] == b->at[i];
    }
    return same;
}

Verdict remap_table(Arena *arena, const Remap *remap, const int64_t *sizes, Table *table)
{
    int64_t count = 0;
    if (!count_elements(remap->rank, sizes, &count)) {
        return VERDICT_UNKNOWABLE;
    }
    int64_t *at = ARENA_ARRAY(arena, int64_t, (size_t)count);
    int64_t index[MAX_RANK] = {0};
    int64_t old[MAX_RANK] = {0};
    for (int64_t element = 0; element < count; element++) {
        remap->to_old(remap, index, old);
        at[element] = table_position(remap->table, old);
        advance_index(remap->rank, sizes, index);
    }
    *table = (Table){remap->rank, sizes, count, at, table->dtype};
    return VERDICT_VALID;
}

bool wrap_dim(int64_t value, uint32_t rank, uint32_t *dim)
{
    const int64_t count = rank == 0 ? 1 : (int64_t)rank;
    const int64_t wrapped = value < 0 ? value + count : value;
    *dim = (uint32_t)wrapped;
    return wrapped >= 0 && wrapped < count;
}

static bool wrap_all(const SpecInts *list, const int64_t *values, uint32_t rank, uint32_t *dims)
{
    for (uint32_t i = 0; i < list->text_count; i++) {
        if (!wrap_dim(values[i], rank, &dims[i])) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (dims[j] == dims[i]) {
                return false;
            }
        }
    }
    return true;
}

int64_t *copy_sizes(Call *call, const Table *table, uint32_t room)
{
    int64_t *sizes = ARENA_ARRAY(call->arena, int64_t, room + 1);
    for (uint32_t i = 0; i < table->rank && i < room; i++) {
        sizes[i] = table->sizes[i];
    }
    return sizes;
}

/* ---- dimensions moved, added, removed, repeated ---- */

static void old_by_order(const Remap *remap, const int64_t *index, int64_t *old)
{
    for (uint32_t i = 0; i < remap->table->rank; i++) {
        old[i] = 0;
    }
    for (uint32_t i = 0; i < remap->rank; i++) {
        if (remap->order[i] != UINT32_MAX) {
            old[remap->order[i]] = index[i];
        }
    }
}

/* order[i]: the old dimension that new dimension i is, UINT32_MAX for a new one of size 1. */
Verdict reorder_table(Call *call, const uint32_t *order, uint32_t rank, Table *table)
{
    int64_t *sizes = ARENA_ARRAY(call->arena, int64_t, rank);
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = order[i] == UINT32_MAX ? 1 : table->sizes[order[i]];
    }
    const Table old = *table;
    const Remap remap = {.to_old = old_by_order, .table = &old, .order = order, .rank = rank};
    return remap_table(call->arena, &remap, sizes, table);
}

static Verdict apply_transpose(Call *call, const SpecView *view, Table *table)
{
    const int64_t *dims = call_numbers(call, &view->dims);
    uint32_t order[MAX_RANK];
    uint32_t a = 0;
    uint32_t b = 0;
    if (view->dims.text_count != 2 || !wrap_dim(dims[0], table->rank, &a) || !wrap_dim(dims[1], table->rank, &b)) {
        return VERDICT_INVALID;
    }
    for (uint32_t i = 0; i < table->rank; i++) {
        order[i] = i == a ? b : i == b ? a : i;
    }
    return reorder_table(call, order, table->rank, table);
}

static Verdict apply_permute(Call *call, const SpecView *view, Table *table)
{
    const int64_t *dims = call_numbers(call, &view->dims);
    uint32_t order[MAX_RANK];
    if (view->dims.text_count != table->rank || !wrap_all(&view->dims, dims, table->rank, order)) {
        return VERDICT_INVALID;
    }
    return reorder_table(call, order, table->rank, table);
}

static Verdict apply_t(Call *call, Table *table)
{
    const uint32_t order[2] = {1, 0};
    if (table->rank > 2) {
        return VERDICT_INVALID;
    }
    return table->rank == 2 ? reorder_table(call, order, 2, table) : VERDICT_VALID;
}

/* Like taking cards out of a row and putting them back: the rest close up, then each goes to its place in rising order.
 */
static Verdict apply_movedim(Call *call, const SpecView *view, Table *table)
{
    const int64_t *source = call_numbers(call, &view->source);
    const int64_t *destination = call_numbers(call, &view->destination);
    uint32_t from[MAX_RANK];
    uint32_t to[MAX_RANK];
    if (view->source.text_count != view->destination.text_count || view->source.text_count > MAX_RANK ||
        !wrap_all(&view->source, source, table->rank, from) ||
        !wrap_all(&view->destination, destination, table->rank, to)) {
        return VERDICT_INVALID;
    }
    if (table->rank == 0) {
        return VERDICT_VALID;
    }
    uint32_t row[MAX_RANK];
    uint32_t length = 0;
    for (uint32_t dim = 0; dim < table->rank; dim++) {
        bool taken = false;
        for (uint32_t i = 0; i < view->source.text_count; i++) {
            taken = taken || from[i] == dim;
        }
        if (!taken) {
            row[length++] = dim;
        }
    }
    for (uint32_t place = 0; place < table->rank; place++) {
        for (uint32_t i = 0; i < view->source.text_count; i++) {
            if (to[i] == place) {
                memmove(&row[place + 1], &row[place], (length - place) * sizeof row[0]);
                row[place] = from[i];
                length++;
            }
        }
    }
    return reorder_table(call, row, table->rank, table);
}

static Verdict apply_squeeze(Call *call, const SpecView *view, Table *table)
{
    const int64_t *values = call_numbers(call, &view->dims);
    uint32_t dims[MAX_RANK];
    if (view->dims.text_count > MAX_RANK || !wrap_all(&view->dims, values, table->rank, dims)) {
        return VERDICT_INVALID;
    }
    uint32_t order[MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < table->rank; i++) {
        bool named = view->dims.text == NULL;
        for (uint32_t j = 0; j < view->dims.text_count; j++) {
            named = named || dims[j] == i;
        }
        if (!named || table->sizes[i] != 1) {
            order[rank++] = i;
        }
    }
    return reorder_table(call, order, rank, table);
}

static Verdict apply_unsqueeze(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    if (!wrap_dim(call_number(call, &view->dim, 0), table->rank + 1, &dim)) {
        return VERDICT_INVALID;
    }
    uint32_t order[MAX_RANK + 1];
    for (uint32_t i = 0; i <= table->rank && i < MAX_RANK; i++) {
        order[i] = i < dim ? i : i == dim ? UINT32_MAX : i - 1;
    }
    return table->rank == MAX_RANK ? VERDICT_UNKNOWABLE : reorder_table(call, order, table->rank + 1, table);
}

static void old_of_expanded(const Remap *remap, const int64_t *index, int64_t *old)
{
    const uint32_t added = remap->rank - remap->table->rank;
    for (uint32_t i = 0; i < remap->table->rank; i++) {
        old[i] = remap->table->sizes[i] == 1 ? 0 : index[i + added];
    }
}

static Verdict apply_expand(Call *call, const SpecView *view, Table *table)
{
    int64_t *sizes = call_numbers(call, &view->size);
    const uint32_t rank = view->size.text_count;
    if (rank < table->rank) {
        return VERDICT_INVALID;
    }
    const uint32_t added = rank - table->rank;
    for (uint32_t i = 0; i < rank; i++) {
        /* Only the literal -1 keeps a size; a symbol that happens to be -1 is a negative size. */
        const bool keeps = view->size.expr[i]->kind == EXPR_LITERAL && sizes[i] == -1;
        if (i >= added && keeps) {
            sizes[i] = table->sizes[i - added];
        }
        if (sizes[i] < 0 || (i >= added && table->sizes[i - added] != 1 && table->sizes[i - added] != sizes[i])) {
            return VERDICT_INVALID;
        }
    }
    const Table old = *table;
    const Remap remap = {.to_old = old_of_expanded, .table = &old, .rank = rank};
    return remap_table(call->arena, &remap, sizes, table);
}

static Verdict apply_as_strided(Call *call, const SpecView *view, Table *table)
{
    const int64_t *sizes = call_numbers(call, &view->size);
    const int64_t *strides = call_numbers(call, &view->stride);
    const uint32_t rank = view->size.text_count;
    if (rank != view->stride.text_count) {
        return VERDICT_INVALID;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (sizes[i] < 0 || strides[i] < 0) {
            return VERDICT_INVALID;
        }
    }
    int64_t offset = call_number(call, &view->offset, 0);
    if (!view->offset.text) {
        if (table->count == 0) {
            return VERDICT_UNKNOWABLE; /* an empty table shows no offset */
        }
        offset = table->at[0] / (int64_t)dtype_size(table->dtype);
    }
    return offset < 0 ? VERDICT_INVALID
                      : oracle_strided(call->arena, table->dtype, rank, sizes, strides, offset, table);
}

/* ---- all ---- */

static Verdict dispatch(Call *call, const SpecView *view, Table *table)
{
    switch (view->op) {
    case SPEC_VIEW_AS_STRIDED:
        return apply_as_strided(call, view, table);
    case SPEC_VIEW_VIEW:
    case SPEC_VIEW_RESHAPE:
        return apply_view(call, view, table);
    case SPEC_VIEW_EXPAND:
        return apply_expand(call, view, table);
    case SPEC_VIEW_TRANSPOSE:
        return apply_transpose(call, view, table);
    case SPEC_VIEW_PERMUTE:
        return apply_permute(call, view, table);
    case SPEC_VIEW_T:
        return apply_t(call, table);
    case SPEC_VIEW_ALIAS:
    case SPEC_VIEW_DETACH:
        return VERDICT_VALID;
    case SPEC_VIEW_VIEW_AS_REAL:
        return apply_view_as_real(call, table);
    case SPEC_VIEW_VIEW_AS_COMPLEX:
        return apply_view_as_complex(call, table);
    case SPEC_VIEW_SQUEEZE:
        return apply_squeeze(call, view, table);
    case SPEC_VIEW_UNSQUEEZE:
        return apply_unsqueeze(call, view, table);
    case SPEC_VIEW_SELECT:
    case SPEC_VIEW_UNBIND:
        return apply_select(call, view, table);
    case SPEC_VIEW_SLICE:
        return apply_slice(call, view, table);
    case SPEC_VIEW_VIEW_DTYPE:
        return apply_view_dtype(call, view, table);
    case SPEC_VIEW_DIAGONAL:
        return apply_diagonal(call, view, table);
    case SPEC_VIEW_UNFOLD:
        return apply_unfold(call, view, table);
    case SPEC_VIEW_MOVEDIM:
        return apply_movedim(call, view, table);
    case SPEC_VIEW_FLATTEN:
        return apply_flatten(call, view, table);
    case SPEC_VIEW_UNFLATTEN:
        return apply_unflatten(call, view, table);
    case SPEC_VIEW_SPLIT:
    case SPEC_VIEW_CHUNK:
        return apply_split(call, view, table);
    case SPEC_VIEW_SPLIT_WITH_SIZES:
        return apply_split_with_sizes(call, view, table);
    case SPEC_VIEW_NARROW:
        return apply_narrow(call, view, table);
    case SPEC_VIEW_UNSET:
    case SPEC_VIEW__CONJ:
    case SPEC_VIEW__NEG_VIEW:
        break;
    }
    return VERDICT_INVALID;
}

Verdict oracle_apply(Arena *arena, const SpecView *view, const int64_t *symbols, Table *table)
{
    Call call = {arena, symbols, false};
    const Verdict verdict = dispatch(&call, view, table);
    return call.broken ? VERDICT_UNKNOWABLE : verdict;
}
