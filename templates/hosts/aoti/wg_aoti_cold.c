/* SPDX-License-Identifier: 0BSD */
/*
 * wg_aoti_cold.c - contexts of the aoti host, its codes, and what wg_cold.c needs. This file keeps no state outside
 * contexts. test_host.c asserts the numbers that libtorch and wg_core.h have in common.
 */
#include "wg_aoti_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const int32_t wg_host_aoti_abi1 = 1;

/* ---- contexts ---- */

static const WgAotiTable no_table = {.user = NULL};

int32_t wg_context_create(const WgAotiTable *table, WgContext **out)
{
    WgContext *ctx = calloc(1, sizeof *ctx);
    *out = ctx;
    if (ctx == NULL) {
        return WG_AOTI_E_MEMORY;
    }
    ctx->table = table == NULL ? &no_table : table;
    ctx->strided = aoti_torch_layout_strided();
    ctx->error.error.dimension = -1;
    return WG_AOTI_OK;
}

void wg_context_destroy(WgContext *ctx)
{
    if (ctx != NULL) {
        free(ctx->scratch);
        free(ctx->handles);
        free(ctx->said);
        free(ctx);
    }
}

int32_t wg_context_fork(const WgContext *parent, WgContext **out)
{
    int32_t status = wg_context_create(parent->table, out);
    if (status == WG_AOTI_OK) {
        (*out)->cpu = parent->cpu;
        status = wg_context_reserve(*out, parent->scratch_capacity);
    }
    if (status != WG_AOTI_OK) {
        wg_context_destroy(*out);
        *out = NULL;
    }
    return status;
}

int32_t wg_context_reserve(WgContext *ctx, size_t n)
{
    if (ctx->scratch_used != 0) {
        return WG_AOTI_E_ARGUMENT;
    }
    if (n <= ctx->scratch_capacity) {
        return WG_AOTI_OK;
    }
    WgValue *scratch = n > SIZE_MAX / sizeof(WgValue) ? NULL : realloc(ctx->scratch, n * sizeof(WgValue));
    if (scratch == NULL) {
        return WG_AOTI_E_MEMORY;
    }
    ctx->scratch = scratch;
    ctx->scratch_capacity = n;
    return WG_AOTI_OK;
}

/* ---- what wg_cold.c needs ---- */

/* Called whenever an error is recorded, which ends a call: a read that failed on the way must not be left to the next
 * call. */
WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    ctx->pending = 0;
    return &ctx->error;
}

const WgType *wg_host_type(WgContext *ctx, const WgTensor *tensor)
{
    (void)ctx;
    return wg_aoti_is_subclass(tensor) ? wg_aoti_subclass_of(tensor)->type : NULL;
}

const char *wg_host_type_name(const WgType *type)
{
    return type == NULL ? "tensor" : type->name;
}

int64_t wg_aoti_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    const int is_there = dimension >= 0 && dimension < wg_rank(ctx, tensor);
    switch ((WgRule)rule) {
    case WG_RULE_DTYPE:
        return wg_dtype(ctx, tensor);
    case WG_RULE_RANK:
        return wg_rank(ctx, tensor);
    case WG_RULE_SIZE:
        return is_there ? wg_size(ctx, tensor, dimension) : -1;
    case WG_RULE_STRIDE:
        return is_there ? wg_stride(ctx, tensor, dimension) : -1;
    case WG_RULE_OFFSET:
        return wg_offset(ctx, tensor);
    case WG_RULE_DEVICE:
        return wg_device(ctx, tensor);
    case WG_RULE_DEVICE_TYPE:
        return wg_device(ctx, tensor) >> 8;
    case WG_RULE_ALIGNMENT:
        return (int64_t)(uintptr_t)wg_data(ctx, tensor);
    case WG_RULE_LAZY:
        return wg_lazy(ctx, tensor);
    }
    return -1;
}

/* Only errors need this, and then it does not matter that libtorch refuses to answer. What failed before still counts.
 */
int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    const int32_t pending = ctx->pending;
    const int64_t found = wg_aoti_fact(ctx, tensor, rule, dimension);
    ctx->pending = pending;
    return found;
}

typedef struct Code {
    const char *name;
    const char *text;
} Code;

static const Code codes[] = {
#define CODE(name, text) [name - WG_AOTI_E_BASE] = {#name, text},
    WG_AOTI_CODES(CODE)
#undef CODE
};

static const Code *find_code(int32_t code)
{
    const int32_t at = code - WG_AOTI_E_BASE;
    const int32_t num_codes = (int32_t)(sizeof codes / sizeof codes[0]);
    return code <= WG_AOTI_E_BASE || at >= num_codes ? NULL : &codes[at];
}

const char *wg_host_code_name(int32_t code)
{
    const Code *found = find_code(code);
    return found == NULL ? NULL : found->name;
}

const char *wg_aoti_code_text(int32_t code)
{
    const Code *found = find_code(code);
    return found == NULL ? NULL : found->text;
}

int32_t wg_aoti_say(WgContext *ctx, int32_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *said = length < 0 ? NULL : malloc((size_t)length + 1);
    if (said != NULL) {
        va_start(arguments, format);
        (void)vsnprintf(said, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    free(ctx->said);
    ctx->said = said;
    ctx->model_message = said != NULL ? said : "out of memory";
    return status;
}

/* WG_E_HOST is recorded when a verb failed, which is later than the model's message and unrelated to it. */
const char *wg_aoti_message(const WgContext *ctx)
{
    const WgError *error = &ctx->error.error;
    const int is_of_model = ctx->model_message != NULL && (error->site == NULL || error->status != WG_E_HOST);
    const char *message = is_of_model ? ctx->model_message : torch_exception_get_what_without_backtrace();
    return message == NULL ? "" : message;
}
