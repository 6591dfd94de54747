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
#include "temporary.h"

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
