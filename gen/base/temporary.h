/* SPDX-License-Identifier: MIT */
/*
 * temporary - how temporary files are called: after the process that made them, so that another run can tell whether
 * that one is still there.
 */
#ifndef WRAPGEN_TEMPORARY_H
#define WRAPGEN_TEMPORARY_H

#include <sys/types.h>

#include "arena.h"

/* The path of this process's file number `number` in a folder. */
const char *temporary_path(Arena *arena, const char *folder, unsigned number);

/* The process that made a file of that name (without its folder); 0 for any other file. */
pid_t temporary_process(const char *name);

#endif /* WRAPGEN_TEMPORARY_H */
