/* SPDX-License-Identifier: MIT */
/*
 * lane - work that another processor can do meanwhile. Where no thread can be had, it is done at once, so what comes of
 * it is the same.
 */
#ifndef WRAPGEN_LANE_H
#define WRAPGEN_LANE_H

#include <pthread.h>
#include <stdbool.h>

/* So many bytes of text take some ten times as long, to load or to render, as a thread to start. */
enum { LANE_WORTH = 256 * 1024 };

typedef struct Lane {
    void (*work)(void *ctx);
    void *ctx;
    pthread_t thread;
    bool apart; /* in a thread, which is to be joined */
} Lane;

/* Begins work(ctx), or does it all if it is not worth a thread. Until lane_join() its caller does not touch what the
 * work writes, nor write what it reads; so the work has an arena and diagnostics of its own. `lane` stays where it is.
 */
void lane_start(Lane *lane, bool worth, void (*work)(void *ctx), void *ctx);

/* Waits until the work is done. To be called once for each lane_start(). */
void lane_join(Lane *lane);

#endif /* WRAPGEN_LANE_H */
