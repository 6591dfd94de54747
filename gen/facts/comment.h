/* SPDX-License-Identifier: MIT */
/* comment - what is stated about a value, as the text of a comment in C: "float32[s0, 64]", "bool: 0 or 1". */
#ifndef WRAPGEN_COMMENT_H
#define WRAPGEN_COMMENT_H

#include "../base/str.h"
#include "../../schema/spec.h"

/* "float32[s0, 64]"; "tensor" when the dtype is not stated (-1), no list when the size is not. */
void comment_tensor(int32_t dtype, const SpecInts *size, Str *out);

/* "[s0, 64]" */
void comment_list(const SpecInts *ints, Str *out);

/* For a value that is not a tensor: "int", "none: always null". */
void comment_kind(SpecKind kind, Str *out);

/* "symbol s0: at least 2, at most 64, a multiple of 4": all that it must be, whichever of it does not hold. */
const char *comment_bounds(Arena *arena, const SpecSymbol *symbol);

#endif /* WRAPGEN_COMMENT_H */
