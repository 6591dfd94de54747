/* SPDX-License-Identifier: MIT */
/*
 * oracle_shapes - the oracle's operations that leave the elements where they are and give them other sizes or another
 * element type.
 */
#include "oracle_private.h"

/* Are there strides that describe the table? Those that a step of one along a dimension shows must describe all of it.
 */
static bool is_strided(const Table *table)
{
    int64_t strides[MAX_RANK] = {0};
    int64_t index[MAX_RANK] = {0};
    for (uint32_t i = 0; i < table->rank; i++) {
        if (table->sizes[i] > 1) {
            index[i] = 1;
            strides[i] = table_position(table, index) - table->at[0];
            index[i] = 0;
        }
    }
    for (int64_t element = 0; element < table->count; element++) {
        int64_t expected = table->at[0];
        for (uint32_t i = 0; i < table->rank; i++) {
            expected += index[i] * strides[i];
        }
        if (expected != table->at[element]) {
            return false;
        }
        advance_index(table->rank, table->sizes, index);
    }
    return true;
}

static Verdict reshape(Table *table, uint32_t rank, const int64_t *sizes)
{
    table->rank = rank;
    table->sizes = sizes;
    if (rank > MAX_RANK) {
        return VERDICT_UNKNOWABLE;
    }
    return table->count == 0 || is_strided(table) ? VERDICT_VALID : VERDICT_INVALID;
}

/* Replaces a literal -1 so that the product is `total`; false: it is not, or cannot be. */
static bool infer(const SpecInts *list, int64_t *sizes, int64_t total)
{
    int64_t product = 1;
    uint32_t inferred = UINT32_MAX;
    for (uint32_t i = 0; i < list->text_count; i++) {
        if (list->expr[i]->kind == EXPR_LITERAL && sizes[i] == -1) {
            if (inferred != UINT32_MAX) {
                return false;
            }
            inferred = i;
        } else if (sizes[i] < 0 || __builtin_mul_overflow(product, sizes[i], &product)) {
            return false;
        }
    }
    if (inferred == UINT32_MAX) {
        return product == total;
    }
    if (product == 0 || total % product != 0) {
        return false;
    }
    sizes[inferred] = total / product;
    return true;
}

Verdict apply_view(Call *call, const SpecView *view, Table *table)
{
    int64_t *sizes = call_numbers(call, &view->size);
    return infer(&view->size, sizes, table->count) ? reshape(table, view->size.text_count, sizes) : VERDICT_INVALID;
}

Verdict apply_flatten(Call *call, const SpecView *view, Table *table)
{
    uint32_t start = 0;
    uint32_t end = 0;
    if (!wrap_dim(call_number(call, &view->start_dim, 0), table->rank, &start) ||
        !wrap_dim(call_number(call, &view->end_dim, -1), table->rank, &end) || start > end) {
        return VERDICT_INVALID;
    }
    int64_t *sizes = ARENA_ARRAY(call->arena, int64_t, table->rank + 1);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < table->rank; i++) {
        if (i > start && i <= end) {
            sizes[rank - 1] *= table->sizes[i];
        } else {
            sizes[rank++] = table->sizes[i];
        }
    }
    if (table->rank == 0) {
        sizes[rank++] = 1;
    }
    return reshape(table, rank, sizes);
}

Verdict apply_unflatten(Call *call, const SpecView *view, Table *table)
{
    uint32_t dim = 0;
    int64_t *inner = call_numbers(call, &view->size);
    const uint32_t count = view->size.text_count;
    if (table->rank == 0 || count == 0 || !wrap_dim(call_number(call, &view->dim, 0), table->rank, &dim) ||
        !infer(&view->size, inner, table->sizes[dim])) {
        return VERDICT_INVALID;
    }
    int64_t *sizes = ARENA_ARRAY(call->arena, int64_t, table->rank + count);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < table->rank; i++) {
        for (uint32_t j = 0; j < (i == dim ? count : 1); j++) {
            sizes[rank++] = i == dim ? inner[j] : table->sizes[i];
        }
    }
    return reshape(table, rank, sizes);
}

/* ---- other element types ---- */

/* A stride that PyTorch looks at and no element shows: then it may refuse. */
static Verdict with_hidden_strides(const Table *table)
{
    bool hidden = table->count == 0;
    for (uint32_t i = 0; i + 1 < table->rank; i++) {
        hidden = hidden || table->sizes[i] == 1;
    }
    return hidden ? VERDICT_EITHER : VERDICT_VALID;
}

/* Each element becomes `ratio` of the new type. The last dimension must be dense; grown, or a new one of that size. */
static Verdict break_elements(Call *call, Table *table, int32_t dtype, int64_t ratio, bool new_dim)
{
    const Table old = *table;
    const int64_t size = (int64_t)dtype_size(dtype);
    const int64_t last = old.rank > 0 ? old.sizes[old.rank - 1] : 1;
    for (int64_t i = 1; !new_dim && i < old.count; i++) {
        if (i % last != 0 && old.at[i] != old.at[i - 1] + size * ratio) {
            return VERDICT_INVALID;
        }
    }
    int64_t *sizes = copy_sizes(call, &old, old.rank + (new_dim ? 1 : 0));
    int64_t *at = ARENA_ARRAY(call->arena, int64_t, (size_t)(old.count * ratio));
    for (int64_t i = 0; i < old.count * ratio; i++) {
        at[i] = old.at[i / ratio] + i % ratio * size;
    }
    const uint32_t rank = old.rank + (new_dim ? 1 : 0);
    sizes[rank - 1] = new_dim ? ratio : last * ratio;
    *table = (Table){rank, sizes, old.count * ratio, at, dtype};
    const Verdict hidden = old.count == 0 || last == 1 ? VERDICT_EITHER : VERDICT_VALID;
    return rank > MAX_RANK || table->count > ORACLE_MAX_COUNT ? VERDICT_UNKNOWABLE : new_dim ? VERDICT_VALID : hidden;
}

/* Each `ratio` elements of the last dimension, dense and aligned, become one. */
static Verdict join_elements(Call *call, Table *table, int32_t dtype, int64_t ratio, bool drop_dim)
{
    const Table old = *table;
    const int64_t last = old.sizes[old.rank - 1];
    const int64_t size = (int64_t)dtype_size(dtype);
    if (last % ratio != 0 || (drop_dim && last != ratio)) {
        return VERDICT_INVALID;
    }
    int64_t *at = ARENA_ARRAY(call->arena, int64_t, (size_t)old.count);
    for (int64_t i = 0; i < old.count; i++) {
        at[i / ratio] = i % ratio == 0 ? old.at[i] : at[i / ratio];
        const bool dense = i % last == 0 || old.at[i] == old.at[i - 1] + size / ratio;
        if (!dense || (i % ratio == 0 && old.at[i] % size != 0)) {
            return VERDICT_INVALID;
        }
    }
    int64_t *sizes = copy_sizes(call, &old, old.rank);
    sizes[old.rank - 1] = last / ratio;
    *table = (Table){old.rank - (drop_dim ? 1 : 0), sizes, old.count / ratio, at, dtype};
    return with_hidden_strides(&old);
}

static int32_t complex_of(int32_t dtype)
{
    return dtype_parse(dtype == dtype_parse("float16")   ? "complex32"
                       : dtype == dtype_parse("float32") ? "complex64"
                       : dtype == dtype_parse("float64") ? "complex128"
                                                         : "none");
}

static int32_t part_of(int32_t dtype)
{
    return dtype_parse(dtype == dtype_parse("complex32")    ? "float16"
                       : dtype == dtype_parse("complex64")  ? "float32"
                       : dtype == dtype_parse("complex128") ? "float64"
                                                            : "none");
}

Verdict apply_view_dtype(Call *call, const SpecView *view, Table *table)
{
    const int64_t before = (int64_t)dtype_size(table->dtype);
    const int64_t after = (int64_t)dtype_size(view->dtype_code);
    if (before == after) {
        table->dtype = view->dtype_code;
        return VERDICT_VALID;
    }
    if (table->rank == 0) {
        return VERDICT_INVALID;
    }
    return before > after ? break_elements(call, table, view->dtype_code, before / after, false)
                          : join_elements(call, table, view->dtype_code, after / before, false);
}

Verdict apply_view_as_real(Call *call, Table *table)
{
    const int32_t part = part_of(table->dtype);
    return part < 0 ? VERDICT_INVALID : break_elements(call, table, part, 2, true);
}

Verdict apply_view_as_complex(Call *call, Table *table)
{
    const int32_t complex = complex_of(table->dtype);
    return complex < 0 || table->rank == 0 ? VERDICT_INVALID : join_elements(call, table, complex, 2, true);
}
