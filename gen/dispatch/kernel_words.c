/* SPDX-License-Identifier: MIT */
/*
 * kernel_words - the number of words in a key: the largest, which is the room for it; and the number for plain tensors
 * that fit one word per dim, if that is the same for every call, which lets its hash be straight-line code.
 */
#include "kernel.h"

enum { MAX_TEXT_WORDS = 64 };

static uint64_t last_of(uint64_t set)
{
    uint64_t last = 0;
    for (; set > 1; set >>= 1) {
        last++;
    }
    return last;
}

static uint64_t capped(uint64_t words)
{
    return words > KEY_MAX_WORDS ? KEY_MAX_WORDS + 1 : words;
}

static uint64_t most_tensors(const KernelArg *args, uint32_t num_args)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < num_args; i++) {
        const KernelArg *arg = &args[i];
        const uint64_t times = arg->kind == SPEC_LIST ? last_of(arg->lengths) : 1;
        n = capped(n + (arg->kind == SPEC_TENSOR ? 1 : times * most_tensors(arg->items, arg->num_items)));
    }
    return n;
}

uint64_t kernel_most_tensors(const Kernel *kernel)
{
    return most_tensors(kernel->args, kernel->num_args);
}

bool kernel_holds_same(const Kernel *kernel)
{
    return spec_is(kernel->spec->same_in_key) && kernel_most_tensors(kernel) > 1;
}

static uint64_t most_of(const Kernel *kernel, const KernelArg *arg)
{
    const uint64_t present = spec_is(arg->spec->nullable) ? 1 : 0;
    const uint64_t value = spec_is(arg->spec->constexpr_value) ? 1 : 0;
    uint64_t words = 0;
    switch (kind_form(arg->kind)) {
    case FORM_TENSOR:
        words = last_of(arg->ranks) * (spec_is(kernel->spec->static_shapes) ? 2 : 1);
        return 1 + words * (spec_is(arg->spec->subclass_ok) ? 3 : 1) + (kernel_holds_same(kernel) ? 1 : 0);
    case FORM_NUMBER:
        return present + value;
    case FORM_TEXT:
        return present + MAX_TEXT_WORDS;
    case FORM_CODE:
        return present + 1;
    case FORM_LIST:
        return capped(present + 1 + last_of(arg->lengths) * most_of(kernel, arg->items));
    case FORM_STRUCT:
        for (uint32_t i = 0; i < arg->num_items; i++) {
            words = capped(words + most_of(kernel, &arg->items[i]));
        }
        return words + present;
    case FORM_NOTHING:
        break;
    }
    return 0;
}

/* A size or stride takes three where it is symbolic, and so does an expression's number, each after the others. */
static uint64_t most_of_extra(const SpecExtra *extra)
{
    uint64_t words = extra->expr.text == NULL ? 3 : 1;
    for (uint32_t i = 0; i < extra->where_count; i++) {
        words += extra->where[i].of == SPEC_NUMBER_SIZE ? 3 : 1;
    }
    return words;
}

uint64_t kernel_most_words(const Kernel *kernel)
{
    uint64_t words = kernel->spec->key_extra.text_count;
    for (uint32_t i = 0; i < kernel->spec->extra_count; i++) {
        words = capped(words + most_of_extra(&kernel->spec->extra[i]));
    }
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        words = capped(words + most_of(kernel, &kernel->args[i]));
    }
    return words;
}

/* Adds to *words; false: the number is not the same for every call. */
static bool add_usual(const Kernel *kernel, const KernelArg *arg, uint64_t *words)
{
    const bool is_static = spec_is(kernel->spec->static_shapes);
    const uint64_t rank = last_of(arg->ranks);
    bool same = !spec_is(arg->spec->nullable) || arg->kind == SPEC_ALWAYS_NULL;
    switch (kind_form(arg->kind)) {
    case FORM_TENSOR:
        *words += 1 + (is_static ? rank : 0);
        for (uint64_t d = 0; !is_static && d < rank; d++) {
            *words += arg->static_dims >> d & 1;
        }
        return same && (arg->ranks & (arg->ranks - 1)) == 0;
    case FORM_NUMBER:
        *words += spec_is(arg->spec->constexpr_value) ? 1 : 0;
        return same;
    case FORM_CODE:
        *words += 1;
        return same;
    case FORM_STRUCT:
        for (uint32_t i = 0; i < arg->num_items; i++) {
            same = add_usual(kernel, &arg->items[i], words) && same;
        }
        return same;
    case FORM_TEXT:
    case FORM_LIST:
        return false;
    case FORM_NOTHING:
        break;
    }
    return true;
}

uint64_t kernel_usual_words(const Kernel *kernel)
{
    uint64_t words = kernel->spec->key_extra.text_count;
    for (uint32_t i = 0; i < kernel->spec->extra_count; i++) {
        words += kernel->spec->extra[i].expr.text == NULL ? 1 : 2;
    }
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        if (!add_usual(kernel, &kernel->args[i], &words)) {
            return 0;
        }
    }
    return words;
}

static bool has_tensor(const KernelArg *args, uint32_t num_args)
{
    for (uint32_t i = 0; i < num_args; i++) {
        if (args[i].kind == SPEC_TENSOR || has_tensor(args[i].items, args[i].num_items)) {
            return true;
        }
    }
    return false;
}

bool kernel_has_tensor(const Kernel *kernel)
{
    return has_tensor(kernel->args, kernel->num_args);
}
