/* SPDX-License-Identifier: MIT */
/* comment - see comment.h. */
#include "comment.h"

#include "kinds.h"

#include <inttypes.h>

#include "../algebra/geometry.h"

void comment_list(const SpecInts *ints, Str *out)
{
    str_putc(out, '[');
    for (uint32_t i = 0; i < ints->text_count; i++) {
        str_puts(out, i > 0 ? ", " : "");
        str_put_c_comment(out, ints->text[i]);
    }
    str_putc(out, ']');
}

void comment_tensor(int32_t dtype, const SpecInts *size, Str *out)
{
    str_puts(out, dtype >= 0 ? dtype_text(dtype) : "tensor");
    if (size != NULL && size->text != NULL) {
        comment_list(size, out);
    }
}

void comment_kind(SpecKind kind, Str *out)
{
    const char *note = kind_specs[kind].note;
    str_puts(out, spec_kind_text(kind));
    if (note != NULL) {
        str_printf(out, ": %s", note);
    }
}

const char *comment_bounds(Arena *arena, const SpecSymbol *symbol)
{
    const char *text = arena_printf(arena, "symbol %s", symbol->name);
    const char *before = ": ";
    if (symbol->has_min) {
        text = arena_printf(arena, "%s%sat least %" PRId64, text, before, symbol->min_value);
        before = ", ";
    }
    if (symbol->has_max) {
        text = arena_printf(arena, "%s%sat most %" PRId64, text, before, symbol->max_value);
        before = ", ";
    }
    if (symbol->multiple_of_value > 1) {
        text = arena_printf(arena, "%s%sa multiple of %" PRId64, text, before, symbol->multiple_of_value);
    }
    return text;
}
