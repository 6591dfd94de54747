/* SPDX-License-Identifier: MIT */
/* kernel_flat - see kernel_flat.h. */
#include "kernel_flat.h"

#include "scenario.h"

/* Does the value travel as it is? What a kernel has by its address is for a graph but a pointer. */
static bool is_flat(const SpecArg *arg)
{
    const bool number =
        kernel_is_number(arg->kind) || arg->kind == SPEC_BOOLEAN || arg->kind == SPEC_DTYPE || arg->kind == SPEC_DEVICE;
    return arg->kind == SPEC_TENSOR || (number && !spec_is(arg->nullable));
}

const char *kernel_flat_gap(const SpecKernel *kernel)
{
    if (kernel->check < SPEC_CHECK_CHEAP) {
        return "a graph is called with what its dispatcher does not test";
    }
    if (kernel->outputs != NULL) {
        return "its dispatcher tests outputs itself; that is tested of the dispatcher";
    }
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        if (!is_flat(&kernel->args[i])) {
            return "what a dispatcher looks for behind an address is not made up";
        }
    }
    return NULL;
}

static KernelValue value_of(const SpecArg *arg, WgValue given, bool tells_lazy)
{
    KernelValue value = {.arg = arg, .plain = true};
    if (arg->kind == SPEC_TENSOR) {
        value.null = given.tensor == NULL;
        if (!value.null) {
            const MockObject *object = given.tensor->object;
            value.geometry = object->geometry;
            value.device = object->device;
            value.plain = object->plain;
            value.lazy = tells_lazy ? object->lazy : 0;
            value.address = mock_address(given.tensor);
        }
    } else if (arg->kind == SPEC_FLOAT) {
        value.real = given.real;
    } else {
        value.integer = given.integer;
    }
    return value;
}

int32_t kernel_flat_match(WgContext *ctx, const Spec *spec, const SpecKernel *kernel, const WgValue *args,
                          KernelBreach *breach)
{
    Arena *arena = &ctx->arena;
    KernelCall call = {.num_given = kernel->args_count};
    call.args = ARENA_ARRAY(arena, KernelValue, (size_t)kernel->args_count + 1);
    for (uint32_t i = 0; i < kernel->args_count; i++) {
        call.args[i] = value_of(&kernel->args[i], args[i], ctx->tables.tells_lazy);
        call.args[i].object = i + 1;
        for (uint32_t k = 0; k < i && !call.args[i].null && kernel->args[i].kind == SPEC_TENSOR; k++) {
            const bool tensor = !call.args[k].null && kernel->args[k].kind == SPEC_TENSOR;
            const bool same = tensor && args[k].tensor->object == args[i].tensor->object;
            call.args[i].object = same ? call.args[k].object : call.args[i].object;
        }
    }
    const KernelBreach all = kernel_breach(spec, kernel, &call, true);
    const bool first = kernel->check == SPEC_CHECK_FULL || kernel_breach(spec, kernel, &call, false).code != 0;
    const int32_t variant = all.code != 0 && first ? -1 : kernel_match(arena, spec, kernel, &call);
    *breach = all.code != 0 ? all : (KernelBreach){.code = WG_E_NO_VARIANT};
    return variant;
}

int32_t kernel_flat_compiled(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const Prepared *prepared = ctx->user;
    const Layout *layout = prepared->layout;
    const SpecKernel *kernel = &layout->spec->kernels[layout->graph->kernel_index];
    KernelBreach breach;
    if (kernel_flat_match(ctx, layout->spec, kernel, args, &breach) >= 0) {
        return fake_compiled(ctx, args, num_args, outs, num_outs);
    }
    WgSite *site = ARENA_NEW(&ctx->arena, WgSite);
    *site = (WgSite){kernel->name, breach.arg, NULL, breach.code, WG_KIND_NONE};
    return wg_fail(ctx, site, -1, wg_value_integer(0), wg_value_integer(0));
}

const char *kernel_flat_callee(WgContext *ctx, const Layout *layout, const WgValue *args)
{
    const SpecKernel *kernel = &layout->spec->kernels[layout->graph->kernel_index];
    KernelBreach breach;
    const int32_t variant = kernel_flat_match(ctx, layout->spec, kernel, args, &breach);
    return variant < 0 ? NULL : kernel->variants[variant].symbol;
}
