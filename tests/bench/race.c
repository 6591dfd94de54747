/* SPDX-License-Identifier: MIT */
/*
 * race - runs commands in turns and tells how long each takes from start to exit and how much memory it needs at most.
 *
 *     race ROUNDS FILE NAME COMMAND [ARGUMENT...] [, NAME COMMAND [ARGUMENT...]]...
 *
 * FILE is removed before each run: an output that is the same would not be written at all.
 *
 * One line a contestant: name, median, first quartile, third quartile (milliseconds of wall time), peak of resident
 * memory (KiB). The machine is shared: figures of one run can be compared with each other, not with those of another
 * day. Exit status 1 when a command fails.
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Contestant {
    const char *name;
    char **command;
    double *times; /* milliseconds, one a round */
    long peak;     /* KiB */
} Contestant;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* vfork, so that the size of this process does not count. */
static int run(char **command, double *elapsed, long *peak)
{
    struct rusage usage;
    int status = 0;
    const double begin = now();
    const pid_t child = vfork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        return 0;
    }
    *elapsed = now() - begin;
    *peak = usage.ru_maxrss > *peak ? usage.ru_maxrss : *peak;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Cuts the arguments at "," and returns how many contestants there are. */
static int read_contestants(int argc, char **argv, Contestant *contestants)
{
    int count = 0;
    for (int i = 3; i < argc; i++) {
        contestants[count].name = argv[i++];
        contestants[count++].command = argv + i;
        while (i < argc && strcmp(argv[i], ",") != 0) {
            i++;
        }
        if (i < argc) {
            argv[i] = NULL;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    const size_t rounds = argc > 4 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
    Contestant *contestants = calloc((size_t)argc + 1, sizeof *contestants);
    if (!rounds || !contestants) {
        fprintf(stderr, "usage: race ROUNDS FILE NAME COMMAND... [, NAME COMMAND...]\n");
        return 2;
    }
    const int count = read_contestants(argc, argv, contestants);
    for (size_t round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            Contestant *one = &contestants[i];
            (void)unlink(argv[2]);
            one->times = one->times ? one->times : calloc(rounds, sizeof *one->times);
            if (!one->times || !run(one->command, &one->times[round], &one->peak)) {
                fprintf(stderr, "race: %s failed\n", one->name);
                return 1;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        Contestant *one = &contestants[i];
        qsort(one->times, rounds, sizeof *one->times, compare);
        printf("%s %.3f %.3f %.3f %ld\n", one->name, one->times[rounds / 2], one->times[rounds / 4],
               one->times[3 * rounds / 4], one->peak);
        free(one->times);
    }
    free(contestants);
    return 0;
}
