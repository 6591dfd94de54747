/* SPDX-License-Identifier: MIT */
/* lane - see lane.h. */
#include "lane.h"

#include <stddef.h>

/* What recursion a thread needs room for is bounded by the depth of templates and of expressions, which was measured
 * with the stack of a main thread; some C libraries give other threads 128 KiB. */
enum { STACK_BYTES = 8 * 1024 * 1024 };

static void *run(void *ctx)
{
    const Lane *lane = ctx;
    lane->work(lane->ctx);
    return NULL;
}

static bool start_thread(Lane *lane)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    const bool started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                         pthread_create(&lane->thread, &attributes, run, lane) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started;
}

void lane_start(Lane *lane, bool worth, void (*work)(void *ctx), void *ctx)
{
    lane->work = work;
    lane->ctx = ctx;
    lane->apart = worth && start_thread(lane);
    if (!lane->apart) {
        work(ctx);
    }
}

void lane_join(Lane *lane)
{
    if (lane->apart) {
        (void)pthread_join(lane->thread, NULL);
        lane->apart = false;
    }
}
