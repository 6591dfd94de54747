/* SPDX-License-Identifier: MIT */
/*
 * kernel_outputs - what a call of a kernel must return, by the words of schema/SPEC.md: `where` says what symbols stand
 * for, evaluate() computes sizes and strides one by one.
 */
#include "kernel_call.h"

#include "../core/wg_compiler.h"
#include "evaluate.h"

typedef struct Numbers {
    int64_t *values; /* by symbol */
    bool *bound;
} Numbers;

static KernelBreach read_numbers(const Spec *spec, const SpecKernel *kernel, const KernelCall *call, Numbers *numbers)
{
    for (uint32_t i = 0; i < kernel->where_count; i++) {
        const SpecNumber *number = &kernel->where[i];
        bool symbolic = false;
        if (!kernel_number(kernel, number, call, &numbers->values[number->symbol_index], &symbolic)) {
            return (KernelBreach){.code = WG_E_INTERNAL, .arg = number->arg};
        }
        numbers->bound[number->symbol_index] = true;
    }
    for (uint32_t i = 0; i < kernel->where_count && kernel->check >= SPEC_CHECK_CHEAP; i++) {
        const SpecNumber *number = &kernel->where[i];
        const SpecSymbol *symbol = &spec->symbols[number->symbol_index];
        if (!kernel_in_bounds(symbol, numbers->values[number->symbol_index])) {
            return (KernelBreach){.code = WG_E_SYMBOL, .arg = number->arg};
        }
    }
    return (KernelBreach){.code = 0};
}

/* False: one of them cannot be computed. */
static bool evaluate_all(const Numbers *numbers, const SpecInts *ints, int64_t *at)
{
    const Symbols symbols = {numbers->values, numbers->bound};
    bool computed = true;
    for (uint32_t i = 0; i < ints->text_count; i++) {
        computed = evaluate(&symbols, ints->expr[i], &at[i]) && computed;
    }
    return computed;
}

/* As PyTorch's empty_strided does it: a size of 0 counts as 1. False: too large. */
static bool make_contiguous(ViewGeometry *geometry)
{
    int64_t stride = 1;
    bool fits = true;
    for (int32_t i = geometry->rank; i-- > 0;) {
        geometry->strides[i] = stride;
        fits = (i == 0 || !wg_ckd_mul(&stride, stride, geometry->sizes[i] > 1 ? geometry->sizes[i] : 1)) && fits;
    }
    return fits;
}

static bool has_negative(const int64_t *at, int32_t n)
{
    bool negative = false;
    for (int32_t i = 0; i < n; i++) {
        negative = negative || at[i] < 0;
    }
    return negative;
}

static KernelBreach one_output(const SpecKernel *kernel, const SpecKernelOutput *declared, const KernelCall *call,
                               const Numbers *numbers, KernelOutput *output)
{
    ViewGeometry *geometry = &output->geometry;
    const bool made = declared->allocate != NULL;
    output->computed =
        declared->kind == SPEC_TENSOR && declared->size.text != NULL && (made || kernel->check >= SPEC_CHECK_CHEAP);
    output->strided = output->computed && declared->stride.text != NULL;
    output->device = made ? kernel_find(kernel, call, declared->allocate)->device : 0;
    geometry->dtype = declared->dtype_code >= 0 ? declared->dtype_code : WG_FLOAT32;
    if (!output->computed) {
        return (KernelBreach){.code = 0};
    }
    geometry->rank = (int32_t)declared->size.text_count;
    const bool sizes = evaluate_all(numbers, &declared->size, geometry->sizes);
    const bool strides =
        declared->stride.text != NULL ? evaluate_all(numbers, &declared->stride, geometry->strides) : true;
    const bool dense = !sizes || declared->stride.text != NULL || make_contiguous(geometry);
    if (!sizes || !strides || (made && !dense)) {
        return (KernelBreach){.code = WG_E_OVERFLOW, .arg = declared->name};
    }
    if (has_negative(geometry->sizes, geometry->rank)) {
        return (KernelBreach){.code = WG_E_SIZE, .arg = declared->name};
    }
    if (declared->stride.text != NULL && has_negative(geometry->strides, geometry->rank)) {
        return (KernelBreach){.code = WG_E_STRIDE, .arg = declared->name};
    }
    return (KernelBreach){.code = 0};
}

KernelBreach kernel_outputs(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call,
                            KernelOutput *outputs)
{
    Numbers numbers = {ARENA_ARRAY(arena, int64_t, (size_t)spec->symbols_count + 1),
                       ARENA_ARRAY(arena, bool, (size_t)spec->symbols_count + 1)};
    KernelBreach breach = read_numbers(spec, kernel, call, &numbers);
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        outputs[i] = (KernelOutput){.computed = false};
        if (breach.code == 0) {
            breach = one_output(kernel, &kernel->outputs[i], call, &numbers, &outputs[i]);
        }
    }
    return breach;
}

const char *kernel_outputs_gap(const SpecKernel *kernel)
{
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        if (kernel->outputs[i].size.text_count > VIEW_RANK) {
            return "an output has more dims than the mock's tensors";
        }
    }
    return NULL;
}
