/* SPDX-License-Identifier: MIT */
#include "output_turn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum TurnState { TURN_OURS, TURN_GONE, TURN_WITHOUT, TURN_REFUSED } TurnState;

/* How often to look, in a second, whether another's turn is over, before saying that one waits. */
enum { QUIET_TRIES = 100, QUIET_WAIT = 10 * 1000 * 1000 /* nanoseconds */ };

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

/* Waits while no signal is held. false with errno set. */
static bool wait_for_lock(int descriptor, const char *path, const Progress *progress)
{
    const struct timespec wait = {0, QUIET_WAIT};
    bool locked = false;

    for (int i = 0; i < QUIET_TRIES && !locked; i++) {
        (void)nanosleep(&wait, NULL);
        locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        if (!locked && errno != EWOULDBLOCK) {
            return false;
        }
    }
    if (!locked) {
        progress_wait(progress, path);
        locked = flock(descriptor, LOCK_EX) == 0;
    }
    return locked;
}

/* A waiting run can be interrupted: the lock's file then belongs to another run, which removes it. */
static TurnState lock_turn(Turn *turn, const Progress *progress)
{
    struct stat status;
    bool locked = flock(turn->descriptor, LOCK_EX | LOCK_NB) == 0;

    if (!locked && errno == EWOULDBLOCK) {
        sigprocmask(SIG_SETMASK, &turn->mask, NULL);
        locked = wait_for_lock(turn->descriptor, turn->path, progress);
        const bool interrupted = !locked && errno == EINTR;
        hold_interrupts(&turn->mask);
        if (interrupted) {
            return TURN_GONE;
        }
    }
    if (!locked) {
        return TURN_WITHOUT;
    }
    return fstat(turn->descriptor, &status) == 0 && status.st_nlink > 0 ? TURN_OURS : TURN_GONE;
}

/* A pipe or a device of that name is not ours to open: opening one can wait forever, or do something. */
static TurnState open_turn(Turn *turn)
{
    struct stat status;
    const int flags = O_RDONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;

    if (lstat(turn->path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return TURN_REFUSED;
    }
    turn->descriptor = open(turn->path, flags, 0666);
    if (turn->descriptor < 0) {
        return errno == ELOOP || errno == EISDIR ? TURN_REFUSED : TURN_WITHOUT;
    }
    return fstat(turn->descriptor, &status) != 0 ? TURN_WITHOUT : S_ISREG(status.st_mode) ? TURN_OURS : TURN_REFUSED;
}

static void close_turn(Turn *turn)
{
    if (turn->descriptor >= 0) {
        close(turn->descriptor);
    }
    turn->descriptor = -1;
}

bool turn_is_taken(Arena *arena, const char *folder)
{
    struct stat status;
    return lstat(arena_printf(arena, "%s/" TURN_FILE, folder), &status) == 0;
}

bool turn_start(Arena *arena, Diag *diag, const Progress *progress, const char *folder, Turn *turn)
{
    TurnState state = TURN_GONE;

    turn->path = arena_printf(arena, "%s/" TURN_FILE, folder);
    turn->descriptor = -1;
    hold_interrupts(&turn->mask);
    while (state == TURN_GONE) {
        state = open_turn(turn);
        if (state == TURN_OURS) {
            state = lock_turn(turn, progress);
        }
        if (state == TURN_WITHOUT && turn->descriptor >= 0) {
            (void)unlink(turn->path); /* where files cannot be locked no run waits for it */
        }
        if (state != TURN_OURS) {
            close_turn(turn);
        }
    }
    if (state == TURN_REFUSED) {
        diag_report(diag, DIAG_ERROR, "E_IO", diag_nowhere(turn->path),
                    "is not a plain file, so runs cannot take turns with it; remove it");
        sigprocmask(SIG_SETMASK, &turn->mask, NULL);
    }
    return state != TURN_REFUSED;
}

void turn_end(const Turn *turn)
{
    if (turn->descriptor >= 0) {
        (void)unlink(turn->path);
        close(turn->descriptor);
    }
    sigprocmask(SIG_SETMASK, &turn->mask, NULL);
}
