/* SPDX-License-Identifier: MIT */
/*
 * output_sweep - removes the temporary files of runs that were killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_private.h"

/* The process that made `.wrapgen-<process>-<number>.tmp`; 0 for any other file. */
static pid_t temporary_process(const char *name)
{
    static const char digits[] = "0123456789";
    const char *process = name + strlen(OUTPUT_TEMPORARY);

    if (strncmp(name, OUTPUT_TEMPORARY, strlen(OUTPUT_TEMPORARY)) != 0 || strspn(process, digits) == 0 ||
        strspn(process, digits) > 9) {
        return 0;
    }
    const char *number = process + strspn(process, digits);
    if (*number != '-' || strspn(number + 1, digits) == 0 ||
        strcmp(number + 1 + strspn(number + 1, digits), ".tmp") != 0) {
        return 0;
    }
    return (pid_t)strtol(process, NULL, 10);
}

static bool is_left_behind(int descriptor, pid_t process)
{
    struct stat status;

    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && kill(process, 0) != 0 && errno == ESRCH &&
           flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

/* A file that cannot be inspected stays. */
static void sweep_folder(Output *output, const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;

    while (entries && (entry = readdir(entries)) != NULL) {
        const pid_t process = temporary_process(entry->d_name);
        if (process <= 0) {
            continue;
        }
        const char *path = arena_printf(output->arena, "%s/%s", folder, entry->d_name);
        const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
        if (descriptor >= 0 && is_left_behind(descriptor, process)) {
            (void)unlink(path);
        }
        if (descriptor >= 0) {
            close(descriptor);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

void output_sweep(Output *output)
{
    const char *swept = NULL;

    for (const OutputFile *file = output->first; file; file = file->next) {
        const char *folder = file->stream ? NULL : output_directory(output->arena, file->target);
        if (folder && (!swept || strcmp(swept, folder) != 0)) {
            sweep_folder(output, folder);
            swept = folder;
        }
    }
}
