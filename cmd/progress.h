/* SPDX-License-Identifier: MIT */
/*
 * progress - a line on the terminal for a run that takes long: "wrapgen: 512 of 2,000 graphs", rewritten in place, and
 * erased before anything else is shown.
 *
 * Standard error must be a terminal that can erase a line, so that no log ever has it, and the run must have taken a
 * second. That a run waits for another is told anywhere.
 */
#ifndef WRAPGEN_CMD_PROGRESS_H
#define WRAPGEN_CMD_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "../gen/base/diag.h"
#include "../gen/base/progress.h"
#include "../gen/base/str.h"

typedef struct ProgressLine {
    const Diag *diag; /* the run's, for its arena and its format */
    struct timespec begun;
    struct timespec shown; /* when the line was written last */
    Str text;
    bool visible;
} ProgressLine;

/* Begins to count the time. What is returned tells no progress if there is no such terminal; it borrows `line` and
 * `diag`. */
Progress progress_begin(ProgressLine *line, const Diag *diag);

void progress_end(ProgressLine *line);

#endif /* WRAPGEN_CMD_PROGRESS_H */
