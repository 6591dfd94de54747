/* SPDX-License-Identifier: MIT */
/*
 * progress - how far a run has come, told to whoever started it.
 */
#ifndef WRAPGEN_PROGRESS_H
#define WRAPGEN_PROGRESS_H

#include <stddef.h>

/* Called after each of `total` graphs or files, `what` they are in the plural. */
typedef struct Progress {
    void (*tell)(void *ctx, const char *what, size_t done, size_t total); /* null: progress is not shown */
    void (*wait)(void *ctx, const char *path); /* called when a run has waited for a second for another; null too */
    void *ctx;
} Progress;

static inline void progress_tell(const Progress *progress, const char *what, size_t done, size_t total)
{
    if (progress->tell != NULL) {
        progress->tell(progress->ctx, what, done, total);
    }
}

static inline void progress_wait(const Progress *progress, const char *path)
{
    if (progress->wait != NULL) {
        progress->wait(progress->ctx, path);
    }
}

#endif /* WRAPGEN_PROGRESS_H */
