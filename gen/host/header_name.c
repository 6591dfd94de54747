/* SPDX-License-Identifier: MIT */
/*
 * header_name - the names that are taken: the C library's, those of the embedded files, the host's. Case is ignored, as
 * in some file systems.
 */
#include "header_name.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "../base/embedded.h"

/* C11, 7.1.2, and what C23 adds. */
static const char *const standard_headers[] = {
    "assert.h",      "complex.h", "ctype.h",  "errno.h",  "fenv.h",   "float.h",    "inttypes.h",  "iso646.h",
    "limits.h",      "locale.h",  "math.h",   "setjmp.h", "signal.h", "stdalign.h", "stdarg.h",    "stdatomic.h",
    "stdbool.h",     "stddef.h",  "stdint.h", "stdio.h",  "stdlib.h", "string.h",   "tgmath.h",    "threads.h",
    "stdnoreturn.h", "time.h",    "uchar.h",  "wchar.h",  "wctype.h", "stdbit.h",   "stdckdint.h",
};

static bool is_standard(const char *name)
{
    for (size_t i = 0; i < sizeof standard_headers / sizeof standard_headers[0]; i++) {
        if (strcasecmp(name, standard_headers[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_embedded(const char *name)
{
    for (size_t i = 0; i < num_embedded_files; i++) {
        if (strcasecmp(name, str_base_name(embedded_files[i].name)) == 0) {
            return true;
        }
    }
    return false;
}

bool header_name_is_free(Diag *diag, const char *name, const Host *host)
{
    const char *whose = is_standard(name)                     ? "the C library's"
                        : is_embedded(name)                   ? "that of a file that generated code is compiled with"
                        : strcasecmp(name, host->header) == 0 ? "the host's header's"
                                                              : NULL;
    if (whose) {
        diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL),
                    "a header cannot be called '%s': that name is %s, and the source, which includes both, would find "
                    "one instead of the other",
                    name, whose);
    }
    return whose == NULL;
}

const char *header_guard(Arena *arena, const char *file)
{
    char *guard = arena_printf(arena, "%s", str_base_name(file));
    for (char *next = guard; *next != '\0'; next++) {
        *next = (char)(isalnum((unsigned char)*next) ? toupper((unsigned char)*next) : '_');
    }
    return guard;
}
