/* SPDX-License-Identifier: MIT */
/*
 * temporary - names like `.wrapgen-<process>-<number>.tmp`.
 */
#include "temporary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BEGINNING ".wrapgen-"

const char *temporary_path(Arena *arena, const char *folder, unsigned number)
{
    return arena_printf(arena, "%s/" BEGINNING "%ld-%u.tmp", folder, (long)getpid(), number);
}

pid_t temporary_process(const char *name)
{
    static const char digits[] = "0123456789";
    const char *process = name + strlen(BEGINNING);

    if (strncmp(name, BEGINNING, strlen(BEGINNING)) != 0 || strspn(process, digits) == 0 ||
        strspn(process, digits) > 9) {
        return 0;
    }
    const char *number = process + strspn(process, digits);
    if (*number != '-' || strspn(number + 1, digits) == 0 ||
        strcmp(number + 1 + strspn(number + 1, digits), ".tmp") != 0) {
        return 0;
    }
    return (pid_t)strtol(process, NULL, 10);
}
