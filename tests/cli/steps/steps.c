/* SPDX-License-Identifier: MIT */
/*
 * steps - a library to preload: it counts the system calls with which files are written, and ends the process, as
 * SIGKILL does, in place of one of them; or it lets calls fail that read or write files, or ask about them.
 *
 *   STEPS_KILL=N    the process dies in place of the call number N (from 1)
 *   STEPS_FAIL=CALL every CALL fails with EIO; CALL:N: only the one number N; CALL:N:ERRNO: with another number
 *   STEPS_FAILED=FILE a line for each call that failed so
 *   STEPS_SLOW=1    each rename waits for 20 ms first, so that two runs meet between their renames, and after whoever
 *                   asks whether there is a lock come 30 ms
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
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long num_steps;
static long num_asked;
static int is_over;

/* What the process does after its main() is not the tool's: coverage, for one, is counted in files. */
static void end(void)
{
    is_over = 1;
}

/* Asked for within main(), so that end() comes before what was asked for by then. */
static int is_after_main(void)
{
    static int is_asked;

    if (!is_asked) {
        is_asked = 1;
        (void)atexit(end);
    }
    return is_over;
}

/* Finds the function that this one stands before; POSIX gives dlsym() the type of a data pointer. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

static void note(const char *variable, const char *call)
{
    const char *name = getenv(variable);
    FILE *file = name ? fopen(name, "ae") : NULL;

    if (file) {
        (void)fprintf(file, "%s\n", call);
        (void)fclose(file);
    }
}

/* Whether this call shall fail; sets errno. */
static int fails(const char *call)
{
    const char *wanted = getenv("STEPS_FAIL");
    const size_t length = strlen(call);
    char *rest = NULL;

    if (is_after_main() || !wanted || strncmp(wanted, call, length) != 0 || (wanted[length] && wanted[length] != ':')) {
        return 0;
    }
    const long number = wanted[length] ? strtol(wanted + length + 1, &rest, 10) : 0;
    if (number != 0 && ++num_asked != number) {
        return 0;
    }
    unsetenv("STEPS_FAIL"); /* not while this is noted */
    note("STEPS_FAILED", call);
    setenv("STEPS_FAIL", wanted, 1);
    errno = rest && *rest ? (int)strtol(rest + 1, NULL, 10) : EIO;
    return 1;
}

static void step(const char *call)
{
    const char *at = getenv("STEPS_KILL");

    if (is_after_main()) {
        return;
    }
    note("STEPS_LOG", call);
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
    if (fails((flags & O_CREAT) != 0 ? "create" : (flags & O_ACCMODE) == O_WRONLY ? "append" : "open")) {
        return -1;
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

static void linger(const char *path)
{
    static const char lock[] = ".wrapgen.lock";
    const struct timespec wait = {0, 30 * 1000 * 1000};
    const size_t length = strlen(path);

    if (getenv("STEPS_SLOW") && length >= sizeof lock - 1 && strcmp(path + length - (sizeof lock - 1), lock) == 0) {
        (void)nanosleep(&wait, NULL);
    }
}

int access(const char *path, int mode)
{
    int (*next)(const char *, int) = NULL;

    find("access", &next);
    const int there = next(path, mode);
    linger(path);
    return fails("access") ? -1 : there;
}

int lstat(const char *path, struct stat *status)
{
    int (*next)(const char *, struct stat *) = NULL;

    find("lstat", &next);
    const int there = next(path, status);
    linger(path);
    return fails("lstat") ? -1 : there;
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
    return fails("rename") ? -1 : next(old, new);
}

/* Those that are only counted, or only fail. */
#define CALL(type, name, counts, parameters, arguments)                                                                \
    type name parameters                                                                                               \
    {                                                                                                                  \
        type(*next) parameters = NULL;                                                                                 \
        find(#name, &next);                                                                                            \
        if (counts) {                                                                                                  \
            step(#name);                                                                                               \
        }                                                                                                              \
        return fails(#name) ? -1 : next arguments;                                                                     \
    }

CALL(ssize_t, write, 1, (int descriptor, const void *data, size_t length), (descriptor, data, length))
CALL(ssize_t, read, 0, (int descriptor, void *data, size_t length), (descriptor, data, length))
CALL(int, fsync, 1, (int descriptor), (descriptor))
CALL(int, unlink, 1, (const char *path), (path))
CALL(int, dup, 0, (int descriptor), (descriptor))
CALL(int, flock, 0, (int descriptor, int operation), (descriptor, operation))
CALL(int, fchmod, 0, (int descriptor, mode_t mode), (descriptor, mode))
CALL(int, fchown, 0, (int descriptor, uid_t owner, gid_t group), (descriptor, owner, group))
CALL(int, mkdir, 0, (const char *path, mode_t mode), (path, mode))
CALL(int, stat, 0, (const char *path, struct stat *status), (path, status))
CALL(int, fstat, 0, (int descriptor, struct stat *status), (descriptor, status))
CALL(ssize_t, readlink, 0, (const char *path, char *text, size_t size), (path, text, size))

/* Closes all the same. */
int close(int descriptor)
{
    int (*next)(int) = NULL;

    find("close", &next);
    const int done = next(descriptor);
    return fails("close") ? -1 : done;
}

int fcntl(int descriptor, int command, ...)
{
    int (*next)(int, int, ...) = NULL;
    va_list more;

    va_start(more, command);
    void *const argument = va_arg(more, void *);
    va_end(more);
    find("fcntl", &next);
    return fails("fcntl") ? -1 : next(descriptor, command, argument);
}
