/* SPDX-License-Identifier: MIT */
/* real - see real.h. */
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t real_bits(const char *text)
{
    const double real = strtod(text, NULL);
    int64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return real < 0 || real >= 0 ? bits : INT64_C(0x7FF8000000000000); /* machines read nan with different bits */
}

void real_text(int64_t bits, Str *out)
{
    double real = 0;
    const size_t start = out->length;
    memcpy(&real, &bits, sizeof real);
    if (isnan(real)) {
        str_puts(out, "nan");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        out->length = start;
        str_printf(out, "%.*g", digits, real);
        if (real_bits(str_text(out) + start) == bits) {
            break;
        }
    }
    if (strcspn(str_text(out) + start, ".enf") == out->length - start) {
        str_puts(out, ".0");
    }
}
