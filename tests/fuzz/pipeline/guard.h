/* SPDX-License-Identifier: MIT */
/*
 * guard - a child process that is watched: how it died, and that it takes no more time and memory than it may.
 */
#ifndef FUZZ_GUARD_H
#define FUZZ_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "gen/base/arena.h"

typedef struct Guard {
    uint64_t seconds;   /* of the processor's time, for one input */
    uint64_t megabytes; /* beyond what the process had before the input */
    const char *log;    /* what the child says on standard error */
} Guard;

/* What parent and child both see. */
typedef struct Shared {
    volatile uint64_t number; /* of the mutant that runs */
    volatile uint64_t num_accepted;
    volatile bool accepted;
    char complaint[2000];
} Shared;

enum { GUARD_WRONG = 96, GUARD_SLOW = 97, GUARD_LARGE = 98 }; /* how a child ends that was not killed */

Shared *guard_share(void);

/* In the parent: 0 is returned in the child, whose standard error is the log. */
pid_t guard_fork(const Guard *guard, Shared *shared);

/* In the parent: null, or what was wrong in a few words, which failures of one kind have in common. */
const char *guard_wait(const Guard *guard, const Shared *shared, Arena *arena, pid_t child);

/* In the child, around one input. */
void guard_begin(const Guard *guard, Shared *shared);
void guard_end(void);

/* Seconds, of the clock on the wall. */
uint64_t guard_now(void);

#endif /* FUZZ_GUARD_H */
