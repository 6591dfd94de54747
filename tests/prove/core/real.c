/* SPDX-License-Identifier: MIT */
/* covers: wg_real.h */
/* options: -eva-slevel 20 -eva-min-loop-unroll 100 */
/* widen_hints: wg_real.h: WgDecimal decimal = {{0}, 0}; : decimal.count, 90 */
/* split: wg_real.h: const int32_t end = n > point ? n : point + 1; : point */
/*
 * The text of any double, with a reader that may return any other, into memory that is as long as wg_real.h says. It is
 * asserted that the text ends in there, and that the reader gets one that ends.
 */
#include "driver.h"

#include "wg_real.h"

static double any_read(const char *text, char **end)
{
    //@ assert \initialized(text + (0 .. WG_REAL_TEXT - 1)) && text[WG_REAL_TEXT - 1] == 0;
    //@ assert end == \null;
    return any_real();
}

void driver(void)
{
    char *const text = malloc(WG_REAL_TEXT);
    wg_real_text(any_real(), any_read, text);
    //@ assert \initialized(text + (0 .. WG_REAL_TEXT - 1)) && text[WG_REAL_TEXT - 1] == 0;
    free(text);
}
