/* SPDX-License-Identifier: MIT */
/*
 * steps - a library to preload: it counts the system calls with which files are written, and ends the process, as
 * SIGKILL does, in place of one of them.
 *
 *   STEPS_KILL=N    the process dies in place of the call number N (from 1)
 *   STEPS_FAIL=CALL every CALL (fsync) fails with EIO
 *   STEPS_SLOW=1    each rename waits for 20 ms first, so that two runs meet between their renames
 *   STEPS_LOG=FILE  a line for each call
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long num_steps;

/* Finds the function that this one stands before; POSIX gives dlsym() the type of a data pointer. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

static void step(const char *call)
{
    const char *at = getenv("STEPS_KILL");
    const char *log = getenv("STEPS_LOG");
    FILE *file = log ? fopen(log, "ae") : NULL;

    if (file) {
        (void)fprintf(file, "%s\n", call);
        (void)fclose(file);
    }
    if (at && ++num_steps == strtol(at, NULL, 10)) {
        (void)kill(getpid(), SIGKILL);
    }
}

static int open_any(const char *name, const char *path, int flags, mode_t mode)
{
    int (*next)(const char *, int, ...) = NULL;

    find(name, &next);
    if ((flags & O_CREAT) != 0) {
        step("create");
    }
    return next(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;

    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_any("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list more;

    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_any("open64", path, flags, mode);
}

ssize_t write(int descriptor, const void *data, size_t length)
{
    ssize_t (*next)(int, const void *, size_t) = NULL;

    find("write", &next);
    step("write");
    return next(descriptor, data, length);
}

int fsync(int descriptor)
{
    int (*next)(int) = NULL;
    const char *fails = getenv("STEPS_FAIL");

    find("fsync", &next);
    step("fsync");
    if (fails && strcmp(fails, "fsync") == 0) {
        errno = EIO;
        return -1;
    }
    return next(descriptor);
}

int rename(const char *old, const char *new)
{
    const struct timespec wait = {0, 20 * 1000 * 1000};
    int (*next)(const char *, const char *) = NULL;

    find("rename", &next);
    step("rename");
    if (getenv("STEPS_SLOW")) {
        (void)nanosleep(&wait, NULL);
    }
    return next(old, new);
}

int unlink(const char *path)
{
    int (*next)(const char *) = NULL;

    find("unlink", &next);
    step("unlink");
    return next(path);
}
