/* SPDX-License-Identifier: MIT */
/*
 * guard - a timer that counts the processor's time looks at both limits, since an address space limit and the
 * sanitizers exclude each other.
 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gen/base/str.h"

enum { TICK = 50 * 1000 }; /* microseconds */

/* Signal handlers get no context; nothing else is kept here. */
static volatile sig_atomic_t ticks_left;
static volatile sig_atomic_t watching;
static uint64_t most_pages;

uint64_t guard_now(void)
{
    return (uint64_t)time(NULL);
}

Shared *guard_share(void)
{
    Shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    if (shared == MAP_FAILED) {
        perror("pipeline_fuzz: mmap");
        exit(2);
    }
    return shared;
}

/* ---- in the child ---- */

static uint64_t resident_pages(void)
{
    char text[128];
    const int file = open("/proc/self/statm", O_RDONLY);
    const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    uint64_t pages = 0;
    if (file >= 0) {
        close(file);
    }
    ssize_t i = 0;
    while (i < length && text[i] != ' ') {
        i++;
    }
    for (i++; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
        pages = pages * 10 + (uint64_t)(text[i] - '0');
    }
    return pages;
}

static void tick(int number)
{
    const int reason = errno;
    (void)number;
    if (watching && resident_pages() > most_pages) {
        _exit(GUARD_LARGE);
    }
    if (watching && --ticks_left <= 0) {
        _exit(GUARD_SLOW);
    }
    errno = reason;
}

void guard_begin(const Guard *guard, Shared *shared)
{
    shared->complaint[0] = '\0';
    ticks_left = (sig_atomic_t)(guard->seconds * 1000000 / TICK);
    watching = 1;
}

void guard_end(void)
{
    watching = 0;
}

static void start_timer(const Guard *guard)
{
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    const struct itimerval interval = {{0, TICK}, {0, TICK}};
    most_pages = resident_pages() + guard->megabytes * 1024 * 1024 / (uint64_t)sysconf(_SC_PAGESIZE);
    sigemptyset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &interval, NULL);
}

pid_t guard_fork(const Guard *guard, Shared *shared)
{
    shared->complaint[0] = '\0';
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) {
        perror("pipeline_fuzz: fork");
        exit(2);
    }
    if (child == 0) {
        const int log = open(guard->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (log >= 0) {
            dup2(log, STDERR_FILENO);
            close(log);
        }
        start_timer(guard);
    }
    return child;
}

/* ---- in the parent ---- */

/* What a sanitizer says first, and the first of our functions in its stack: "stack-overflow in plan_render". */
static const char *sanitizer_report(Arena *arena, const char *path)
{
    FILE *file = fopen(path, "r");
    const char *what = NULL;
    const char *where = NULL;
    char line[4096];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *found = strstr(line, "runtime error: ");
        const char *error = strstr(line, "ERROR: ");
        const char *frame = strstr(line, " in ");
        line[strcspn(line, "\n")] = '\0';
        if (what == NULL && found != NULL) {
            const char *slash = line;
            for (const char *next = line; next < found; next++) {
                slash = *next == '/' ? next + 1 : slash;
            }
            what = arena_copy(arena, slash, strcspn(slash, "0123456789'"));
            where = arena_copy(arena, slash, (size_t)(found - slash));
        } else if (what == NULL && error != NULL) {
            error += strlen("ERROR: ");
            const char *kind = strstr(error, ": ");
            kind = kind != NULL ? kind + 2 : error;
            what = arena_copy(arena, kind, strcspn(kind, " "));
        } else if (what != NULL && where == NULL && frame != NULL &&
                   (strstr(frame, "/gen/") != NULL || strstr(frame, "/schema/") != NULL)) {
            where = arena_copy(arena, frame + 4, strcspn(frame + 4, " "));
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return what == NULL ? NULL : arena_printf(arena, "%s in %s", what, where != NULL ? where : "?");
}

/* Failures of a kind differ in names and numbers: what is quoted is left out, and so are digits. */
static const char *generalize(Arena *arena, const char *text)
{
    Str out = str_new(arena);
    bool quoted = false;
    for (; *text != '\0' && out.length < 160; text++) {
        if (*text == '\'') {
            quoted = !quoted;
            str_putc(&out, '\'');
        } else if (!quoted && (*text < '0' || *text > '9')) {
            str_putc(&out, *text);
        }
    }
    return str_text(&out);
}

const char *guard_wait(const Guard *guard, const Shared *shared, Arena *arena, pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return NULL;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == GUARD_WRONG) {
        return generalize(arena, shared->complaint);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == GUARD_SLOW) {
        return "more time than an input may take";
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == GUARD_LARGE) {
        return "more memory than an input may take";
    }
    const char *report = sanitizer_report(arena, guard->log);
    if (report != NULL) {
        return report;
    }
    return WIFSIGNALED(status) ? arena_printf(arena, "signal %d", WTERMSIG(status))
                               : arena_printf(arena, "exit status %d", WEXITSTATUS(status));
}
