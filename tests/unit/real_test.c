/* SPDX-License-Identifier: MIT */
/* Floats as text: what Python's repr() says of some, and for many bits the way there and back. */
#include "../../gen/base/real.h"
#include "check.h"

#include <inttypes.h>
#include <string.h>

int main(void)
{
    /* from Python 3.11: repr(float) */
    static const char *const texts[] = {"1e-05",   "0.1",
                                        "-0.0",    "0.0",
                                        "1.0",     "3.141592653589793",
                                        "1e+300",  "inf",
                                        "-inf",    "5e-324",
                                        "nan",     "2.2250738585072014e-308",
                                        "1e-06",   "0.3333333333333333",
                                        "123456.0"};
    Arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Str out = str_new(&arena);
        real_text(real_bits(texts[i]), &out);
        check(strcmp(str_text(&out), texts[i]) == 0, "%s, not %s", texts[i], str_text(&out));
    }
    uint64_t bits = UINT64_C(88172645463325252);
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        Str out = str_new(&arena);
        str_puts(&out, "after ");
        real_text((int64_t)bits, &out);
        const char *text = str_text(&out) + strlen("after ");
        check(strcmp(text, "nan") == 0 || real_bits(text) == (int64_t)bits, "%s does not mean %" PRIu64, text, bits);
    }
    arena_release(&arena);
    return check_done();
}
