/* SPDX-License-Identifier: MIT */
/*
 * kernel_formula - what an expression in a key is for one call, by the words of schema/SPEC.md: `where` says what its
 * symbols stand for, evaluate() computes it.
 */
#include "kernel_call.h"

#include <stdlib.h>

#include "evaluate.h"

bool kernel_number(const SpecKernel *kernel, const SpecNumber *number, const KernelCall *call, int64_t *value,
                   bool *symbolic)
{
    const KernelValue *found = kernel_find(kernel, call, number->arg);
    const int32_t d = number->of == SPEC_NUMBER_SIZE ? (int32_t)strtol(number->dim.text, NULL, 10) : 0;
    if (found == NULL || found->null) {
        return false;
    }
    switch (number->of) {
    case SPEC_NUMBER_SIZE:
        if (d >= found->geometry.rank) {
            return false;
        }
        *symbolic = kernel_is_symbolic(found, d, false);
        *value = found->geometry.sizes[d];
        break;
    case SPEC_NUMBER_NDIM:
        *value = found->geometry.rank;
        break;
    case SPEC_NUMBER_LENGTH:
        *value = found->num_items;
        break;
    case SPEC_NUMBER_VALUE:
        *value = found->integer;
        break;
    case SPEC_NUMBER_UNSET:
        return false;
    }
    return true;
}

bool kernel_in_bounds(const SpecSymbol *symbol, int64_t value)
{
    const bool multiple = symbol->multiple_of_value <= 1 || value % symbol->multiple_of_value == 0;
    return multiple && (!symbol->has_min || value >= symbol->min_value) &&
           (!symbol->has_max || value <= symbol->max_value);
}

KernelFormula kernel_formula(Arena *arena, const Spec *spec, const SpecKernel *kernel, const SpecExtra *extra,
                             const KernelCall *call)
{
    int64_t *values = ARENA_ARRAY(arena, int64_t, spec->symbols_count);
    bool *bound = ARENA_ARRAY(arena, bool, spec->symbols_count);
    KernelFormula result = {.kind = KERNEL_COMPUTED};
    for (uint32_t i = 0; i < extra->where_count; i++) {
        const SpecNumber *number = &extra->where[i];
        bool symbolic = false;
        if (!kernel_number(kernel, number, call, &values[number->symbol_index], &symbolic)) {
            return (KernelFormula){.kind = KERNEL_NOWHERE};
        }
        bound[number->symbol_index] = true;
        result.kind = symbolic ? KERNEL_SYMBOLIC : result.kind;
    }
    if (result.kind == KERNEL_SYMBOLIC) {
        return result;
    }
    for (uint32_t i = 0; i < extra->where_count; i++) {
        const SpecNumber *number = &extra->where[i];
        if (!kernel_in_bounds(&spec->symbols[number->symbol_index], values[number->symbol_index])) {
            result.breach = (KernelBreach){.code = WG_E_SYMBOL, .arg = number->arg};
            return result;
        }
    }
    const Symbols symbols = {values, bound};
    if (!evaluate(&symbols, extra->expr.expr, &result.value)) {
        result.breach = (KernelBreach){.code = WG_E_OVERFLOW};
    }
    return result;
}

KernelBreach kernel_key_breach(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call,
                               bool *bounds)
{
    *bounds = false;
    for (uint32_t i = 0; i < kernel->extra_count; i++) {
        if (kernel->extra[i].expr.text != NULL) {
            const KernelFormula formula = kernel_formula(arena, spec, kernel, &kernel->extra[i], call);
            if (formula.breach.code != 0) {
                *bounds = formula.breach.code == WG_E_SYMBOL;
                return formula.breach;
            }
        }
    }
    return (KernelBreach){.code = 0};
}
