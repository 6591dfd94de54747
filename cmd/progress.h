/* SPDX-License-Identifier: MIT */
/*
 * progress - a line on the terminal for a run that takes long: "wrapgen: 512 of 2,000 graphs", rewritten in place, and
 * erased before anything else is shown.
 *
 * Standard error must be a terminal that can erase a line, so that no log ever has it, and the run must have taken a
 * second.
 */
#ifndef WRAPGEN_CMD_PROGRESS_H
#define WRAPGEN_CMD_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "../gen/base/progress.h"
#include "../gen/base/str.h"

typedef struct ProgressLine {
    struct timespec begun;
    struct timespec shown; /* when the line was written last */
    Str text;
    bool visible;
} ProgressLine;

/* Begins to count the time. What is returned has nobody to tell if there is no such terminal; it borrows `line` and
 * the arena. */
Progress progress_begin(ProgressLine *line, Arena *arena);

void progress_end(ProgressLine *line);

#endif /* WRAPGEN_CMD_PROGRESS_H */
