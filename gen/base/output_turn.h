/* SPDX-License-Identifier: MIT */
/*
 * output_turn - runs that replace files of one folder take turns, so that two with the same outputs do not leave files
 * of both.
 *
 * A turn is a lock on the file .wrapgen.lock, which is there only as long as somebody holds it or waits for it. Whoever
 * waited for a file that is gone makes a new one. A run that is killed leaves the file, without its lock: the next run
 * takes it over. The folder itself would do as a lock if flock(1) were not often used on it around whole builds. Where
 * there are no locks, or no file can be made, a run goes on without them. Anything of that name that is not a plain
 * file is refused.
 */
#ifndef WRAPGEN_OUTPUT_TURN_H
#define WRAPGEN_OUTPUT_TURN_H

#include <signal.h>
#include <stdbool.h>

#include "arena.h"
#include "diag.h"
#include "progress.h"

#define TURN_FILE ".wrapgen.lock"

typedef struct Turn {
    const char *path;
    int descriptor; /* -1: without a lock */
    sigset_t mask;  /* the signals that were held before */
} Turn;

/* Has another run the turn, or did a run that was killed have it? */
bool turn_is_taken(Arena *arena, const char *folder);

/* Waits for its turn, and says so after a second; a signal that ends the process does so meanwhile, and waits from then
 * on until the end of the turn. false: reported (E_IO), and there is nothing to end. */
bool turn_start(Arena *arena, Diag *diag, const Progress *progress, const char *folder, Turn *turn);

void turn_end(const Turn *turn);

#endif /* WRAPGEN_OUTPUT_TURN_H */
