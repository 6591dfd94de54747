/* SPDX-License-Identifier: MIT */
#include "output_turn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum TurnState { TURN_OURS, TURN_GONE, TURN_WITHOUT } TurnState;

static void hold_interrupts(sigset_t *before)
{
    /* Signals from our own mistakes, which cannot be deferred. */
    static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t held;

    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        sigdelset(&held, faults[i]);
    }
    sigprocmask(SIG_BLOCK, &held, before);
}

/* Whoever waits can be interrupted: the file of the lock is another's then, who removes it. */
static TurnState lock_turn(int descriptor, sigset_t *mask)
{
    struct stat status;
    bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;

    if (!locked && errno == EWOULDBLOCK) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        locked = flock(descriptor, LOCK_EX) == 0;
        const bool interrupted = !locked && errno == EINTR;
        hold_interrupts(mask);
        if (interrupted) {
            return TURN_GONE;
        }
    }
    if (!locked) {
        return TURN_WITHOUT;
    }
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0 ? TURN_OURS : TURN_GONE;
}

Turn turn_start(Arena *arena, const char *folder, bool needed)
{
    Turn turn;
    TurnState state = TURN_GONE;

    turn.path = arena_printf(arena, "%s/.wrapgen.lock", folder);
    turn.descriptor = -1;
    hold_interrupts(&turn.mask);
    if (!needed && access(turn.path, F_OK) != 0) {
        return turn;
    }
    while (state == TURN_GONE) {
        turn.descriptor = open(turn.path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0666);
        state = turn.descriptor < 0 ? TURN_WITHOUT : lock_turn(turn.descriptor, &turn.mask);
        if (turn.descriptor >= 0 && state == TURN_WITHOUT) {
            (void)unlink(turn.path); /* where files cannot be locked nobody waits for it */
        }
        if (turn.descriptor >= 0 && state != TURN_OURS) {
            close(turn.descriptor);
            turn.descriptor = -1;
        }
    }
    return turn;
}

void turn_end(const Turn *turn)
{
    if (turn->descriptor >= 0) {
        (void)unlink(turn->path);
        close(turn->descriptor);
    }
    sigprocmask(SIG_SETMASK, &turn->mask, NULL);
}
