/* SPDX-License-Identifier: MIT */
/*
 * oracle_parts - the oracle's operations that take parts of a table: they count the elements in question, one by
 * one, where a formula would do.
 */
#include "oracle_private.h"

static void old_of_part(const Remap *remap, const int64_t *index, int64_t *old)
{
    for (uint32_t i = 0; i < remap->table->rank; i++) {
        old[i] = i == remap->dim ? remap->start + index[i] * remap->step : index[i];
    }
}

static Verdict take(Call *call, Table *table, uint32_t dim, int64_t start, int64_t length, int64_t step)
{
    int64_t *sizes = copy_sizes(call, table, table->rank);
    sizes[dim] = length;
    const Table old = *table;
    const Remap remap = {
        .to_old = old_of_part, .table = &old, .rank = old.rank, .dim = dim, .start = start, .step = step};
    return remap_table(call->arena, &remap, sizes, table);
}

/* Every dimension but one: a part of length 1 whose dimension is then dropped. */
Verdict apply_select(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    if (table->rank == 0 || !wrap_dim(call_number(call, &view->dim, 0), table->rank, &dim)) {
        return VERDICT_INVALID;
    }
    const int64_t index = call_number(call, &view->index, 0);
    const int64_t wrapped = index < 0 ? index + table->sizes[dim] : index;
    if (wrapped < 0 || wrapped >= table->sizes[dim]) {
        return VERDICT_INVALID;
    }
    uint32_t order[MAX_RANK];
    for (uint32_t i = 0; i + 1 < table->rank; i++) {
        order[i] = i < dim ? i : i + 1;
    }
    const Verdict verdict = take(call, table, dim, wrapped, 1, 1);
    return verdict == VERDICT_VALID ? reorder_table(call, order, table->rank - 1, table) : verdict;
}

/* The elements that Python's x[start:end:step] names: counted one by one. */
Verdict apply_slice(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    const int64_t step = call_number(call, &view->step, 1);
    if (table->rank == 0 || !wrap_dim(call_number(call, &view->dim, 0), table->rank, &dim) || step < 1) {
        return VERDICT_INVALID;
    }
    const int64_t size = table->sizes[dim];
    int64_t start = call_number(call, &view->start, 0);
    int64_t end = call_number(call, &view->end, INT64_MAX);
    start += start < 0 ? size : 0;
    end += end < 0 ? size : 0;
    int64_t first = 0;
    int64_t length = 0;
    for (int64_t i = 0; i < size; i++) {
        if (i >= start && i < end) {
            first = length == 0 ? i : first;
            length += (i - first) % step == 0 ? 1 : 0;
        }
    }
    return take(call, table, dim, first, length, step);
}

Verdict apply_narrow(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    if (table->rank == 0 || !wrap_dim(call_number(call, &view->dim, 0), table->rank, &dim)) {
        return VERDICT_INVALID;
    }
    const int64_t size = table->sizes[dim];
    const int64_t length = call_number(call, &view->length, 0);
    const int64_t given = call_number(call, &view->start, 0);
    const int64_t start = given < 0 ? given + size : given;
    if (length < 0 || start < 0 || start > size || length > size - start) {
        return VERDICT_INVALID;
    }
    return take(call, table, dim, start, length, 1);
}

/* The lengths of all parts, made one by one as a loop over the dimension would; then the chosen one. */
static Verdict take_listed(Call *call, const SpecView *view, Table *table, uint32_t dim, const int64_t *lengths,
                           int64_t count)
{
    const int64_t index = call_number(call, &view->index, 0);
    const int64_t wrapped = index < 0 ? index + count : index;
    if (wrapped < 0 || wrapped >= count) {
        return VERDICT_INVALID;
    }
    int64_t start = 0;
    for (int64_t i = 0; i < wrapped; i++) {
        start += lengths[i];
    }
    return take(call, table, dim, start, lengths[wrapped], 1);
}

Verdict apply_split(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    if (table->rank == 0 || !wrap_dim(call_number(call, &view->dim, 0), table->rank, &dim)) {
        return VERDICT_INVALID;
    }
    const int64_t size = table->sizes[dim];
    const bool chunks = view->op == SPEC_VIEW_CHUNK;
    int64_t part = call_number(call, chunks ? &view->chunks : &view->split_size, 0);
    if (part < 0 || (part == 0 && (chunks || size > 0))) {
        return VERDICT_INVALID;
    }
    const int64_t wanted = part;
    if (chunks) { /* the smallest part so that this many cover the dimension */
        part = 0;
        while (part * wanted < size) {
            part++;
        }
    }
    int64_t *lengths = ARENA_ARRAY(call->arena, int64_t, (size_t)size + 1);
    int64_t count = 0;
    for (int64_t left = size; left > 0; left -= part) {
        lengths[count++] = left < part ? left : part;
    }
    if (count == 0) { /* an empty dimension: one part, or all chunks */
        count = chunks ? wanted : 1;
        lengths = ARENA_ARRAY(call->arena, int64_t, (size_t)(count < 1000 ? count : 1000));
    }
    return count > 1000 ? VERDICT_UNKNOWABLE : take_listed(call, view, table, dim, lengths, count);
}

Verdict apply_split_with_sizes(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    if (table->rank == 0 || !wrap_dim(call_number(call, &view->dim, 0), table->rank, &dim)) {
        return VERDICT_INVALID;
    }
    const int64_t *lengths = call_numbers(call, &view->sizes);
    int64_t sum = 0;
    for (uint32_t i = 0; i < view->sizes.text_count; i++) {
        if (lengths[i] < 0 || lengths[i] > table->sizes[dim]) {
            return VERDICT_INVALID;
        }
        sum += lengths[i];
    }
    return sum != table->sizes[dim] ? VERDICT_INVALID
                                    : take_listed(call, view, table, dim, lengths, view->sizes.text_count);
}

static void old_of_diagonal(const Remap *remap, const int64_t *index, int64_t *old)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < remap->table->rank; i++) {
        if (i == remap->dim) {
            old[i] = remap->start + index[remap->rank - 1];
        } else if (i == remap->dim2) {
            old[i] = remap->start2 + index[remap->rank - 1];
        } else {
            old[i] = index[next++];
        }
    }
}

/* Element i of the diagonal is row i, column i + offset, as long as both exist. */
Verdict apply_diagonal(Call *call, const SpecView *view, Table *table)
{
    const int64_t offset = call_number(call, &view->offset, 0);
    uint32_t row = 0;
    uint32_t column = 0;
    if (!wrap_dim(call_number(call, &view->dim1, 0), table->rank, &row) ||
        !wrap_dim(call_number(call, &view->dim2, 1), table->rank, &column) || row == column) {
        return VERDICT_INVALID;
    }
    int64_t *sizes = ARENA_ARRAY(call->arena, int64_t, table->rank);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < table->rank; i++) {
        if (i != row && i != column) {
            sizes[rank++] = table->sizes[i];
        }
    }
    int64_t first_row = 0;
    int64_t length = 0;
    for (int64_t i = 0; i < table->sizes[row]; i++) {
        for (int64_t j = 0; j < table->sizes[column]; j++) {
            if (j - i == offset) {
                first_row = length == 0 ? i : first_row;
                length++;
            }
        }
    }
    sizes[rank++] = length;
    const Table old = *table;
    const Remap remap = {.to_old = old_of_diagonal,
                         .table = &old,
                         .rank = rank,
                         .dim = row,
                         .dim2 = column,
                         .start = first_row,
                         .start2 = length > 0 ? first_row + offset : 0};
    return remap_table(call->arena, &remap, sizes, table);
}

static void old_of_window(const Remap *remap, const int64_t *index, int64_t *old)
{
    for (uint32_t i = 0; i < remap->table->rank; i++) {
        old[i] = i == remap->dim ? index[i] * remap->step + index[remap->rank - 1] : index[i];
    }
}

Verdict apply_unfold(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    const int64_t length = call_number(call, &view->length, 0);
    const int64_t step = call_number(call, &view->step, 0);
    if (!wrap_dim(call_number(call, &view->dim, 0), table->rank, &dim) || step < 1 || length < 0) {
        return VERDICT_INVALID;
    }
    if (length > (table->rank == 0 ? 1 : table->sizes[dim])) {
        return VERDICT_INVALID;
    }
    int64_t *sizes = copy_sizes(call, table, table->rank + 1);
    sizes[table->rank] = length;
    if (table->rank > 0) {
        sizes[dim] = 0;
        for (int64_t start = 0; start <= table->sizes[dim] - length; start += step) {
            sizes[dim]++;
        }
    }
    const Table old = *table;
    const Remap remap = {.to_old = old_of_window, .table = &old, .rank = old.rank + 1, .dim = dim, .step = step};
    return table->rank == MAX_RANK ? VERDICT_UNKNOWABLE : remap_table(call->arena, &remap, sizes, table);
}
