/* SPDX-License-Identifier: MIT */
/* Tests of gen/base/lane.c: work is done in a thread of its own if it is worth one and there can be one, else at once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/base/lane.h"
#include "tests/unit/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

typedef struct Work {
    int times;
    pthread_t thread;
} Work;

static void work(void *ctx)
{
    Work *done = ctx;
    done->times++;
    done->thread = pthread_self();
}

/* Is it done once, in a thread of its own or not? */
static bool is_done(bool worth, bool apart)
{
    Work done = {.times = 0};
    Lane lane;
    lane_start(&lane, worth, work, &done);
    lane_join(&lane);
    return done.times == 1 && (pthread_equal(done.thread, pthread_self()) == 0) == apart;
}

#ifndef SANITIZED /* sanitizers need memory for any thread */
/* In a child, which can have no more memory, so no other stack. */
static bool is_done_without_memory(void)
{
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        _exit(setrlimit(RLIMIT_AS, &none) == 0 && is_done(true, false) ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
#endif

int main(void)
{
#ifndef SANITIZED /* before the others, whose stacks would be taken again */
    check(is_done_without_memory(), "where there can be no thread, work is done at once");
#endif
    check(is_done(true, true), "work is done in a thread of its own");
    check(is_done(false, false), "work that is not worth a thread is done at once");
    return check_done();
}
