/* SPDX-License-Identifier: MIT */
/*
 * kernel_change - a call, and all calls that differ from it in one fact: just inside and just outside of every bound
 * that a condition names, wherever an integer stands, and so on for everything else that a call consists of.
 */
#include "evaluate.h"
#include "kernel_call.h"

#include <stdlib.h>
#include <string.h>

#include "../core/wg_compiler.h"

typedef struct Change {
    KernelDraw *draw;
    KernelCall *call;
    KernelVisit *visit;
    void *user;
    int64_t *integers;
    uint32_t num_integers;
    const char **literals; /* of strings and floats */
    uint32_t num_literals;
} Change;

static void try_it(Change *c)
{
    c->visit(c->user, c->call);
}

/* ---- what conditions name ---- */

static void note(Change *c, int64_t integer)
{
    for (int64_t distance = -1; distance <= 1; distance++) {
        int64_t value = 0;
        bool known = wg_ckd_add(&value, integer, distance);
        for (uint32_t i = 0; i < c->num_integers; i++) {
            known = known || c->integers[i] == value;
        }
        if (!known) {
            c->integers = arena_grow(c->draw->arena, c->integers, c->num_integers * sizeof *c->integers,
                                     (c->num_integers + 1) * sizeof *c->integers);
            c->integers[c->num_integers++] = value;
        }
    }
}

/* The literals of a guard. */
static void note_guard(Change *c, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        note(c, expr->literal);
    } else if (expr->kind != EXPR_SYMBOL) {
        note_guard(c, expr->lhs);
        note_guard(c, expr->rhs);
    }
}

static void note_condition(Change *c, const char *text)
{
    const int32_t symbol = text != NULL ? kernel_symbol(c->draw->spec, text) : -1;
    if (text == NULL || kernel_is_any(text)) {
        return;
    }
    if (symbol >= 0) {
        const SpecSymbol *bounds = &c->draw->spec->symbols[symbol];
        note(c, bounds->has_min ? bounds->min_value : 0);
        note(c, bounds->has_max ? bounds->max_value : 0);
        note(c, c->draw->symbols[symbol]);
        return;
    }
    while (text != NULL) {
        KernelRange range;
        text = kernel_next_range(text, &range);
        note(c, range.has_min ? range.min : 0);
        note(c, range.has_max ? range.max : 0);
        note(c, range.multiple);
        int64_t within = 0;
        if (range.multiple > 0 && range.has_min &&
            !wg_ckd_add(&within, range.min - range.min % range.multiple, range.multiple)) {
            note(c, within); /* the second multiple from there on, and its neighbours */
        }
    }
}

static void note_extra(Change *c, const SpecExtra *extra)
{
    note_guard(c, extra->expr.expr);
    for (uint32_t i = 0; i < extra->where_count; i++) {
        note_condition(c, extra->where[i].symbol);
    }
}

static void note_literal(Change *c, const char *text)
{
    c->literals = arena_grow(c->draw->arena, c->literals, c->num_literals * sizeof *c->literals,
                             (c->num_literals + 1) * sizeof *c->literals);
    c->literals[c->num_literals++] = text;
}

static void note_arg(Change *c, const SpecArg *arg)
{
    note_condition(c, arg->ndim);
    note_condition(c, arg->length);
    for (uint32_t i = 0; i < arg->items_count; i++) {
        note_arg(c, &arg->items[i]);
    }
}

static void note_variant(Change *c, const SpecVariant *variant)
{
    for (uint32_t i = 0; i < variant->guards.text_count; i++) {
        note_guard(c, variant->guards.expr[i]);
    }
    for (uint32_t i = 0; i < spec_conditions_count(c->draw->kernel, variant); i++) {
        const SpecWhen *when = spec_condition(c->draw->kernel, variant, i);
        const KernelValue *value = kernel_find(c->draw->kernel, c->call, when->arg);
        note_condition(c, when->ndim);
        note_condition(c, when->length);
        note_condition(c, when->storage_offset);
        for (uint32_t d = 0; d < when->size.text_count; d++) {
            note_condition(c, when->size.text[d]);
        }
        for (uint32_t d = 0; d < when->stride.text_count; d++) {
            note_condition(c, when->stride.text[d]);
        }
        if (value != NULL && value->arg->kind == SPEC_INT && when->value != NULL) {
            note_condition(c, when->value);
        } else if (when->value != NULL) {
            note_literal(c, when->value);
        }
    }
}

/* ---- numbers ---- */

static void change_int(Change *c, int64_t *integer, int64_t least)
{
    const int64_t was = *integer;
    for (uint32_t i = 0; i < c->num_integers; i++) {
        if (c->integers[i] >= least && c->integers[i] != was) {
            *integer = c->integers[i];
            try_it(c);
        }
    }
    *integer = was;
}

static void change_to(Change *c, int64_t *integer, const int64_t *others, uint32_t num_others)
{
    const int64_t was = *integer;
    for (uint32_t i = 0; i < num_others; i++) {
        *integer = others[i];
        if (others[i] != was) {
            try_it(c);
        }
    }
    *integer = was;
}

static void change_short(Change *c, int32_t *number, const int64_t *others, uint32_t num_others)
{
    const int32_t was = *number;
    for (uint32_t i = 0; i < num_others; i++) {
        *number = (int32_t)others[i];
        if (*number != was) {
            try_it(c);
        }
    }
    *number = was;
}

static const int64_t other_bools[] = {0, 1, 2};
static const int64_t other_dtypes[] = {WG_FLOAT16, WG_FLOAT32, WG_BFLOAT16, WG_FLOAT64, WG_INT64, WG_INT32,
                                       WG_INT8,    WG_UINT8,   WG_BOOL,     WG_UINT64,  -1,       63};
static const int64_t other_devices[] = {0, 256, 257, 258, 256 * WG_XPU, 256 * WG_META, 255, -1};
enum {
    NUM_DTYPES = sizeof other_dtypes / sizeof other_dtypes[0],
    NUM_DEVICES = sizeof other_devices / sizeof other_devices[0],
    NUM_WRONG_DTYPES = 2, /* at the end of the list; no tensor has them */
    NUM_WRONG_DEVICES = 2
};

static void change_real(Change *c, double *real)
{
    const double others[] = {0.0, -0.0, 1.5, strtod("nan", NULL), -strtod("nan", NULL), strtod("inf", NULL)};
    const double was = *real;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        *real = others[i];
        try_it(c);
    }
    for (uint32_t i = 0; i < c->num_literals; i++) {
        *real = strtod(c->literals[i], NULL);
        try_it(c);
        *real += 0.5;
        try_it(c);
    }
    *real = was;
}

static void change_text(Change *c, const char **text)
{
    const char *was = *text;
    char *long_text = arena_alloc(c->draw->arena, KERNEL_MOST_BYTES + 2);
    memset(long_text, 'l', KERNEL_MOST_BYTES + 1);
    *text = "";
    try_it(c);
    *text = arena_printf(c->draw->arena, "%sx", was);
    try_it(c);
    *text = long_text + 1;
    try_it(c);
    *text = long_text;
    try_it(c);
    for (uint32_t i = 0; i < c->num_literals; i++) {
        const char *literal = c->literals[i];
        *text = literal;
        try_it(c);
        *text = arena_copy(c->draw->arena, literal, strlen(literal) > 0 ? strlen(literal) - 1 : 0);
        try_it(c);
    }
    *text = was;
}

/* ---- tensors ---- */

static void change_layout(Change *c, ViewGeometry *geometry)
{
    const ViewGeometry was = *geometry;
    kernel_make_contiguous(geometry);
    try_it(c);
    for (int32_t d = 0; d < geometry->rank; d++) {
        geometry->strides[d] *= geometry->strides[d] > INT32_MAX ? 1 : 2;
    }
    try_it(c);
    *geometry = was;
    if (geometry->rank < VIEW_RANK) {
        geometry->sizes[geometry->rank] = 1;
        geometry->strides[geometry->rank] = 1;
        geometry->rank++;
        try_it(c);
    }
    *geometry = was;
    for (int32_t fewer = 1; fewer <= 2 && fewer <= was.rank; fewer++) {
        geometry->rank = was.rank - fewer;
        try_it(c);
    }
    *geometry = was;
    geometry->rank = VIEW_RANK;
    try_it(c);
    *geometry = was;
}

static void change_dims(Change *c, ViewGeometry *geometry)
{
    static const int64_t large[] = {INT32_MAX, INT64_C(1) << 31, UINT32_MAX, INT64_C(1) << 32, INT64_C(1) << 62};
    enum { NUM_LARGE = sizeof large / sizeof large[0] };
    for (int32_t d = 0; d < geometry->rank; d++) {
        const int64_t size = geometry->sizes[d];
        const int64_t stride = geometry->strides[d];
        change_int(c, &geometry->sizes[d], 0);
        change_int(c, &geometry->strides[d], 0);
        change_to(c, &geometry->sizes[d], large, NUM_LARGE);
        change_to(c, &geometry->strides[d], large, NUM_LARGE);
        geometry->sizes[d] = 1; /* then the stride does not count */
        geometry->strides[d] = stride > INT32_MAX ? stride - 1 : stride + 1;
        try_it(c);
        geometry->sizes[d] = size;
        geometry->strides[d] = stride;
    }
}

static void change_address(Change *c, uint64_t *address)
{
    enum { MOST = 64 };
    const uint64_t was = *address;
    for (uint64_t step = 1; step <= MOST; step *= 2) {
        *address = was + step;
        try_it(c);
    }
    *address = was + 3 * 8;
    try_it(c);
    *address = was;
}

static void change_type(Change *c, KernelValue *value)
{
    const KernelValue was = *value;
    value->plain = !was.plain;
    try_it(c);
    value->plain = false;
    for (int32_t d = 0; d < was.geometry.rank; d++) {
        value->symbolic_strides = was.symbolic_strides ^ (UINT32_C(1) << d);
        try_it(c);
        value->symbolic_strides = was.symbolic_strides;
        value->symbolic_sizes = was.symbolic_sizes ^ (UINT32_C(1) << d);
        try_it(c);
        value->symbolic_sizes = was.symbolic_sizes;
    }
    *value = was;
}

static void change_lazy(Change *c, KernelValue *value)
{
    const int32_t was = value->lazy;
    for (value->lazy = 0; c->draw->tells_lazy && value->lazy <= (WG_LAZY_CONJ | WG_LAZY_NEG); value->lazy++) {
        if (value->lazy != was) {
            try_it(c);
        }
    }
    value->lazy = was;
}

static void change_tensor(Change *c, KernelValue *value)
{
    change_lazy(c, value);
    change_short(c, &value->geometry.dtype, other_dtypes, NUM_DTYPES - NUM_WRONG_DTYPES);
    change_short(c, &value->device, other_devices, NUM_DEVICES - NUM_WRONG_DEVICES);
    change_layout(c, &value->geometry);
    change_dims(c, &value->geometry);
    change_int(c, &value->geometry.offset, 0);
    change_address(c, &value->address);
    change_type(c, value);
}

/* ---- any value ---- */

static void change_value(Change *c, KernelValue *value);

static void change_items(Change *c, KernelValue *value)
{
    const uint32_t was = value->num_items;
    for (uint32_t i = 0; i < was; i++) {
        change_value(c, &value->items[i]);
    }
    if (value->arg->kind == SPEC_LIST) {
        for (uint32_t n = was > 2 ? was - 2 : 0; n <= was + 2; n++) { /* there are some more than it holds */
            value->num_items = n;
            try_it(c);
        }
        value->num_items = was;
    }
}

static bool may_be_null(const SpecArg *arg)
{
    return spec_is(arg->nullable) || kernel_is_pointer(arg->kind);
}

static void change_value(Change *c, KernelValue *value)
{
    if (may_be_null(value->arg)) {
        value->null = !value->null;
        try_it(c);
        value->null = !value->null;
    }
    if (value->null) {
        return;
    }
    switch (value->arg->kind) {
    case SPEC_TENSOR:
        change_tensor(c, value);
        break;
    case SPEC_INT:
        change_int(c, &value->integer, INT64_MIN);
        break;
    case SPEC_BOOLEAN:
        change_to(c, &value->integer, other_bools, 3);
        break;
    case SPEC_DTYPE:
        change_to(c, &value->integer, other_dtypes, NUM_DTYPES);
        break;
    case SPEC_DEVICE:
        change_to(c, &value->integer, other_devices, NUM_DEVICES);
        break;
    case SPEC_FLOAT:
        change_real(c, &value->real);
        break;
    case SPEC_STRING:
        change_text(c, &value->text);
        break;
    case SPEC_TUPLE:
    case SPEC_LIST:
    case SPEC_RECORD:
        change_items(c, value);
        break;
    case SPEC_KIND_UNSET:
    case SPEC_OPAQUE:
    case SPEC_NONE:
    case SPEC_ALWAYS_NULL:
        break;
    }
}

/* ---- between arguments ---- */

static void exchange(Change *c, uint32_t i, uint32_t k)
{
    KernelValue *args = c->call->args;
    const KernelValue first = args[i];
    const KernelValue second = args[k];
    const SpecKind kind = first.arg->kind;
    const bool null = (first.null && !may_be_null(second.arg)) || (second.null && !may_be_null(first.arg));
    if (kind != second.arg->kind || kernel_is_container(kind) || null) {
        return;
    }
    args[i] = second;
    args[k] = first;
    args[i].arg = first.arg;
    args[k].arg = second.arg;
    try_it(c);
    args[i] = first;
    args[k] = second;
}

/* Two tensors that are one become two, and two become one. */
static void change_same(Change *c)
{
    enum { MOST = 8 };
    uint32_t n = 0;
    KernelValue **tensors = kernel_tensors(c->draw->arena, c->draw->kernel, c->call, &n);
    const uint32_t number = kernel_new_object(c->draw->arena, c->draw->kernel, c->call);
    for (uint32_t i = 0; i < n && i < MOST; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const uint32_t one = tensors[k]->object;
            const uint32_t other = tensors[i]->object;
            const bool same = kernel_is_same(tensors[k], tensors[i]);
            tensors[k]->object = same || one != 0 ? one : number;
            tensors[i]->object = same ? 0 : tensors[k]->object;
            try_it(c);
            tensors[k]->object = one;
            tensors[i]->object = other;
        }
    }
}

static void leave_out(Change *c)
{
    const SpecKernel *kernel = c->draw->kernel;
    const uint32_t num_given = c->call->num_given;
    KernelValue *was = ARENA_ARRAY(c->draw->arena, KernelValue, (size_t)kernel->args_count + 1);
    memcpy(was, c->call->args, kernel->args_count * sizeof *was);
    for (uint32_t n = kernel_num_required(kernel); n < num_given; n++) {
        kernel_leave_out(kernel, c->call, n);
        try_it(c);
        c->call->num_given = num_given; /* the same, given */
        try_it(c);
        memcpy(c->call->args, was, kernel->args_count * sizeof *was);
    }
}

/* Each feature that some variant asks for, there or missing. */
static void change_cpu(Change *c)
{
    uint64_t asked = 0;
    for (uint32_t i = 0; i < c->draw->kernel->variants_count; i++) {
        asked |= kernel_cpu(&c->draw->kernel->variants[i]);
    }
    for (uint64_t bit = 1; bit != 0; bit <<= 1) {
        if ((asked & bit) != 0) {
            c->call->cpu ^= bit;
            try_it(c);
            c->call->cpu ^= bit;
        }
    }
}

void kernel_each_change(KernelDraw *draw, const SpecVariant *variant, KernelCall *call, KernelVisit *visit, void *user)
{
    enum { TWO = 2 };
    Change c = {.draw = draw, .call = call, .visit = visit, .user = user};
    const uint32_t num_given = call->num_given;
    note(&c, TWO);
    for (uint32_t i = 0; i < draw->kernel->args_count; i++) {
        note_arg(&c, &draw->kernel->args[i]);
    }
    for (uint32_t i = 0; i < draw->kernel->extra_count; i++) {
        if (draw->kernel->extra[i].expr.text != NULL) {
            note_extra(&c, &draw->kernel->extra[i]);
        }
    }
    if (variant != NULL) {
        note_variant(&c, variant);
    }
    leave_out(&c);
    change_cpu(&c);
    change_same(&c);
    for (uint32_t i = 0; i < draw->kernel->args_count; i++) {
        call->num_given = i < num_given ? num_given : i + 1;
        change_value(&c, &call->args[i]);
        for (uint32_t k = i + 1; k < num_given; k++) {
            exchange(&c, i, k);
        }
    }
    call->num_given = num_given;
    for (int i = 0; i < KERNEL_NUM_EXTRA; i++) {
        call->extra[i]++;
        try_it(&c);
        call->extra[i]--;
    }
}
