/* SPDX-License-Identifier: MIT */
/*
 * real - floats of the YAML by their bits, which say when two are the same.
 */
#ifndef WRAPGEN_REAL_H
#define WRAPGEN_REAL_H

#include <stdint.h>

#include "str.h"

/* Those of the double that a valid text means: `0` and `0.0` are the same, `0.0` and `-0.0` are not, and there is one
 * `nan`. */
int64_t real_bits(const char *text);

/* The text with the fewest digits that means those bits: 1e-05, 0.1, -0.0, nan. */
void real_text(int64_t bits, Str *out);

#endif /* WRAPGEN_REAL_H */
