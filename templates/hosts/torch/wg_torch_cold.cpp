/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_cold.cpp - contexts of the torch host, its codes, exceptions that were caught, and what wg_cold.c needs.
 * This file keeps no state outside contexts.
 */
#include "wg_torch_inside.hpp"

#include <c10/util/Exception.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "wg_torch_private.hpp"

extern "C" const int32_t wg_host_torch_abi1 = 1;

/* ---- which PyTorch ---- */

namespace
{

struct Problem {
    char text[160];
};

Problem find_problem()
{
    Problem problem = {};
    const uint64_t built = wg_torch_private_built_for() >> 40;
    const uint64_t loaded = wg_torch_private_loaded() >> 40;
    if (built >> 8 != loaded >> 8) {
        std::snprintf(problem.text, sizeof problem.text,
                      "this host was built for PyTorch %u.%u and %u.%u.%u is loaded; build it again",
                      static_cast<unsigned>(built >> 16), static_cast<unsigned>(built >> 8 & 255),
                      static_cast<unsigned>(loaded >> 16), static_cast<unsigned>(loaded >> 8 & 255),
                      static_cast<unsigned>(loaded & 255));
    }
    return problem;
}

} // namespace

/* What was loaded does not change, so the text is made once. */
const char *wg_torch_build_problem(void)
{
    static const Problem problem = find_problem();
    return problem.text[0] == '\0' ? nullptr : problem.text;
}

/* ---- contexts ---- */

static const WgTorchTable no_table = {};

int32_t wg_context_create(const WgTorchTable *table, WgContext **out)
{
    *out = nullptr;
    if (wg_torch_build_problem() != nullptr) {
        return WG_TORCH_E_BUILD;
    }
    WgTorchContext *ctx = new (std::nothrow) WgTorchContext();
    if (ctx == nullptr) {
        return WG_TORCH_E_MEMORY;
    }
    ctx->table = table == nullptr ? &no_table : table;
    ctx->error.error.dimension = -1;
    *out = ctx;
    return WG_TORCH_OK;
}

void wg_context_destroy(WgContext *ctx)
{
    if (ctx != nullptr) {
        std::free(ctx->scratch);
        delete wg_torch_inside(ctx);
    }
}

int32_t wg_context_fork(const WgContext *parent, WgContext **out)
{
    int32_t status = wg_context_create(parent->table, out);
    if (status == WG_TORCH_OK) {
        (*out)->cpu = parent->cpu;
        status = wg_context_reserve(*out, parent->scratch_capacity);
    }
    if (status != WG_TORCH_OK) {
        wg_context_destroy(*out);
        *out = nullptr;
    }
    return status;
}

int32_t wg_context_reserve(WgContext *ctx, size_t n)
{
    if (ctx->scratch_used != 0) {
        return WG_TORCH_E_ARGUMENT;
    }
    if (n <= ctx->scratch_capacity) {
        return WG_TORCH_OK;
    }
    void *scratch = n > SIZE_MAX / sizeof(WgValue) ? nullptr : std::realloc(ctx->scratch, n * sizeof(WgValue));
    if (scratch == nullptr) {
        return WG_TORCH_E_MEMORY;
    }
    ctx->scratch = static_cast<WgValue *>(scratch);
    ctx->scratch_capacity = n;
    return WG_TORCH_OK;
}

/* ---- exceptions ---- */

/* There may be no memory for the text; the exception itself is kept then. */
static void keep_message(WgTorchContext &inside, const char *message) noexcept
{
    try {
        inside.message = message;
    } catch (...) {
        inside.message.clear();
    }
}

WG_COLD int32_t wg_torch_caught(WgContext *ctx) noexcept
{
    WgTorchContext &inside = *wg_torch_inside(ctx);
    inside.exception = std::current_exception();
    try {
        throw;
    } catch (const c10::OutOfMemoryError &error) {
        keep_message(inside, error.what_without_backtrace());
        return WG_TORCH_E_MEMORY;
    } catch (const c10::Error &error) {
        keep_message(inside, error.what_without_backtrace());
    } catch (const std::bad_alloc &error) {
        keep_message(inside, error.what());
        return WG_TORCH_E_MEMORY;
    } catch (const std::exception &error) {
        keep_message(inside, error.what());
    } catch (...) {
        keep_message(inside, "an exception that is not a std::exception");
    }
    return WG_TORCH_E_RAISED;
}

std::exception_ptr wg_torch_exception(const WgContext *ctx) noexcept
{
    return wg_torch_inside(ctx)->exception;
}

const char *wg_torch_message(const WgContext *ctx)
{
    return wg_torch_inside(ctx)->message.c_str();
}

void wg_torch_say(WgContext *ctx, const char *message)
{
    wg_torch_inside(ctx)->exception = nullptr;
    keep_message(*wg_torch_inside(ctx), message);
}

/* ---- what wg_cold.c needs ---- */

/* Called whenever an error is recorded, which ends a call: a read that failed on the way must not be left to the next
 * call. */
WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    ctx->pending = 0;
    return &wg_torch_inside(ctx)->error;
}

/* The program compares types; it does not say which one a tensor has. */
const WgType *wg_host_type(WgContext *ctx, const WgTensor *t)
{
    static const WgType foreign = {"a tensor that is not plain", nullptr};
    static const WgType dual = {"a tensor with a forward-mode derivative, which a compiled graph would drop", nullptr};
    const int32_t pending = ctx->pending;
    const bool plain = wg_is_plain(ctx, t) != 0;
    const bool has_tangent = wg_torch_read(ctx, false, [t] { return wg_torch_has_tangent(t); });
    ctx->pending = pending;
    return plain ? nullptr : has_tangent ? &dual : &foreign;
}

const char *wg_host_type_name(const WgType *type)
{
    return type == nullptr ? "tensor" : type->name;
}

struct Code {
    int32_t code;
    const char *name;
    const char *text;
};

static const Code codes[] = {
#define CODE(name, text) {name, #name, text},
    WG_TORCH_CODES(CODE)
#undef CODE
};

static const Code *find_code(int32_t code)
{
    for (const Code &one : codes) {
        if (one.code == code) {
            return &one;
        }
    }
    return nullptr;
}

const char *wg_host_code_name(int32_t code)
{
    const Code *found = find_code(code);
    return found == nullptr ? nullptr : found->name;
}

const char *wg_torch_code_text(int32_t code)
{
    const Code *found = find_code(code);
    return found == nullptr ? nullptr : found->text;
}
