/* SPDX-License-Identifier: MIT */
/* real - see real.h. */
#include "real.h"

#include <stdlib.h>
#include <string.h>

int64_t real_bits(const char *text)
{
    const double real = strtod(text, NULL);
    int64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return real < 0 || real >= 0 ? bits : INT64_C(0x7FF8000000000000); /* machines read nan with different bits */
}
