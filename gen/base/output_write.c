/* SPDX-License-Identifier: MIT */
/*
 * output_write - how the bytes of a run reach its files.
 *
 * output_commit() goes in this order, each step for all files before the next: look at the targets (what kind, which
 * mode, whether they already have the bytes), write the direct outputs, wait for other runs that replace files of the
 * folder, write temporary files, rename. The first step finds nearly all mistakes (a folder that is missing, a file
 * that is write-protected) before anything is touched; the last is the only one that changes targets.
 */
#include "output_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output_turn.h"
#include "temporary.h"

/* Replacing a program that runs as its owner (set-user-ID) makes a different program, which does not inherit that
 * right. */
enum { PERMISSIONS = 0777 };

enum { MOST_LOCKS = 64 }; /* descriptors are few */

/* How long to wait for a reader of a named pipe. */
enum { PIPE_TRIES = 500, PIPE_WAIT = 10 * 1000 * 1000 /* nanoseconds */ };

/* A LongSink; false with errno set. */
static bool write_all(void *ctx, const char *data, size_t length)
{
    const int descriptor = *(const int *)ctx;
    while (length > 0) {
        ssize_t count = write(descriptor, data, length);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        if (count > 0) {
            data += count;
            length -= (size_t)count;
        }
    }
    return true;
}

/* A named pipe without a reader cannot be opened; a reader may be on its way. */
static int open_stream(const char *path)
{
    const struct timespec wait = {0, PIPE_WAIT};
    int descriptor = -1;

    for (int i = 0; i < PIPE_TRIES && descriptor < 0; i++) {
        descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (descriptor < 0 && errno != ENXIO) {
            return -1;
        }
        if (descriptor < 0) {
            (void)nanosleep(&wait, NULL);
        }
    }
    if (descriptor < 0) {
        errno = ENXIO;
        return -1;
    }
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) < 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static bool write_stream(const Output *output, const OutputFile *file)
{
    int descriptor = STDOUT_FILENO;
    bool done = false;
    int reason = 0;

    if (!file->target) {
        if (fflush(stdout) != 0 || !output_each(file, write_all, &descriptor)) {
            return output_fail(output, "standard output", "cannot be written");
        }
        return true;
    }
    descriptor = open_stream(file->target);
    if (descriptor < 0) {
        return output_fail(output, file->path,
                           errno == ENXIO ? "cannot be opened for writing, since it has no reader"
                                          : "cannot be opened for writing");
    }
    done = output_each(file, write_all, &descriptor);
    reason = errno;
    if (close(descriptor) != 0 && done) {
        done = false;
        reason = errno;
    }
    errno = reason;
    return done || output_fail(output, file->path, "cannot be written");
}

/* ---- temporary files ---- */

/* A temporary file of a live run is recognized by its process, and, where several systems share a folder, by its lock.
 * false: between its creation and its locking another run took it for a leftover. Where there are no locks, no file is
 * taken for a leftover either. */
static bool claim_temporary(int descriptor)
{
    struct stat status;

    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        return errno != EWOULDBLOCK;
    }
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/* Makes a new file next to the target. Its name is short, so that it fits wherever the target's does. -1 with errno
 * set. */
static int create_temporary(Output *output, OutputFile *file, mode_t mode)
{
    const char *directory = output_directory(output->arena, file->target);

    for (unsigned i = 0; i < 1000; i++) {
        const char *name = temporary_path(output->arena, directory, output->num_temporaries++);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode);
        if (descriptor >= 0 && !claim_temporary(descriptor)) {
            (void)unlink(name); /* it is there, but cannot be asked about */
            close(descriptor);
            continue;
        }
        if (descriptor >= 0) {
            file->temporary = name;
        }
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

/* Copies the mode of the replaced file, and its owner and group if we may give them away: as if it had been written in
 * place. */
static bool keep_attributes(int descriptor, const struct stat *old)
{
    struct stat now;

    if (fstat(descriptor, &now) != 0) {
        return false;
    }
    if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) && fchown(descriptor, old->st_uid, old->st_gid) != 0 &&
        errno != EPERM) {
        return false;
    }
    return fchmod(descriptor, old->st_mode & PERMISSIONS) == 0;
}

static bool write_temporary(Output *output, OutputFile *file)
{
    struct stat old;
    bool exists = stat(file->target, &old) == 0;
    int descriptor = create_temporary(output, file, exists ? S_IRUSR | S_IWUSR : 0666);
    bool done = false;
    int reason = 0;

    if (descriptor < 0) {
        return output_fail(output, file->path, "cannot make a new file next to it");
    }
    done = (!exists || keep_attributes(descriptor, &old)) && output_each(file, write_all, &descriptor) &&
           (!output->synchronous || fsync(descriptor) == 0);
    reason = errno;
    if (output->num_locks <
        MOST_LOCKS) { /* closing tells whether everything was written; the lock stays until the rename */
        file->lock = dup(descriptor);
        output->num_locks += file->lock >= 0;
    }
    if (close(descriptor) != 0 && done) {
        done = false;
        reason = errno;
    }
    errno = reason;
    return done || output_fail(output, file->path, "cannot be written");
}

static void forget_temporary(OutputFile *file)
{
    if (!file->stream && file->lock >= 0) {
        close(file->lock);
    }
    file->temporary = NULL;
    file->lock = -1;
}

/* It must be possible to make a new file next to the target, even if the target itself could be written. */
static bool look_at_folder(const Output *output, const OutputFile *file)
{
    const char *folder = output_directory(output->arena, file->target);
    struct stat status;
    const char *message = NULL;
    int reason = 0;

    if (access(file->target, F_OK) != 0 && errno != ENOENT) {
        return output_fail(output, file->path, "cannot be written");
    }
    if (stat(folder, &status) == 0 && access(folder, W_OK | X_OK) == 0) {
        return true;
    }
    reason = errno;
    message = arena_printf(output->arena, "cannot be written into the folder '%s'", folder);
    errno = reason;
    return output_fail(output, file->path, message);
}

/* What must not be replaced is there, with other bytes. */
static bool is_in_the_way(const Output *output, const OutputFile *file)
{
    if (file->once) {
        diag_report(output->diag, DIAG_ERROR, "E_USAGE", diag_nowhere(file->path),
                    "this file exists and differs; it is left as it is");
    }
    return file->once;
}

/* Finds out what the targets are now, and what is left of another run; changes nothing. */
static bool look_at_targets(Output *output)
{
    bool clear = true;
    int reason = 0;
    struct stat status;

    output_find_leftovers(output);
    for (OutputFile *file = output->first; file; file = file->next) {
        file->temporary = NULL;
        file->lock = -1;
        file->unchanged = false;
        if (file->stream) {
            continue;
        }
        if (stat(file->target, &status) != 0) {
            clear = look_at_folder(output, file) && clear;
            continue;
        }
        file->unchanged = output_is_there(file, &reason); /* one that cannot be read may be replaced */
        if (file->unchanged) {
            continue;
        }
        if (is_in_the_way(output, file)) {
            clear = false;
        } else if (access(file->target, W_OK) != 0) {
            clear = output_fail(output, file->path, "cannot be written");
        } else {
            clear = look_at_folder(output, file) && clear;
        }
    }
    return clear;
}

/* The first output is the one that a makefile's rule is about. It is replaced last, so that a run that was killed
 * between two renames leaves it older than what it is made from, and the next build makes the set again. */
static OutputFile *next_to_rename(const Output *output, const OutputFile *file)
{
    if (file == output->first) {
        return NULL;
    }
    return file && file->next ? file->next : !file && output->first->next ? output->first->next : output->first;
}

static bool remove_leftovers(const Output *output)
{
    for (const OutputLeftover *leftover = output->leftovers; leftover; leftover = leftover->next) {
        if (unlink(leftover->path) != 0 && errno != ENOENT) {
            return output_fail(output, leftover->path, "is not made any more, but cannot be removed");
        }
    }
    return true;
}

/* Only what is needed happens between two renames, since a run that is killed there leaves files of two runs. */
static bool rename_all(const Output *output)
{
    size_t num_done = 0;

    for (OutputFile *file = next_to_rename(output, NULL); file; file = next_to_rename(output, file)) {
        if (file == output->first && !remove_leftovers(output)) {
            return false;
        }
        if (!file->temporary) {
            continue;
        }
        if (rename(file->temporary, file->target) != 0) {
            diag_report(output->diag, DIAG_ERROR, "E_IO", diag_nowhere(file->path),
                        "cannot be replaced: %s; %zu other outputs were already replaced", strerror(errno), num_done);
            return false;
        }
        file->temporary = NULL;
        num_done++;
    }
    return true;
}

/* A rename is on the disk once its folder is. */
static bool synchronize_folders(const Output *output)
{
    const char *last = NULL;

    for (const OutputFile *file = output->first; file; file = file->next) {
        const char *folder = output_directory(output->arena, file->target ? file->target : "");
        if (file->stream || file->unchanged || (last && strcmp(last, folder) == 0)) {
            continue;
        }
        const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY);
        const bool done = descriptor >= 0 && fsync(descriptor) == 0;
        if (!done) {
            output_fail(output, folder, "cannot wait until the folder is on the disk");
        }
        if (descriptor >= 0) {
            close(descriptor);
        }
        if (!done) {
            return false;
        }
        last = folder;
    }
    return true;
}

static bool replace_files(Output *output)
{
    bool done = true;
    size_t num_done = 0;

    for (OutputFile *file = output->first; file && done; file = file->next) {
        done = file->stream || file->unchanged || write_temporary(output, file);
        progress_tell(&output->progress, "files", ++num_done, output->num_files);
    }
    done = done && rename_all(output);
    for (OutputFile *file = output->first; file; file = file->next) {
        if (file->temporary) {
            unlink(file->temporary); /* the failure was already reported */
        }
        forget_temporary(file);
    }
    return done && (!output->synchronous || synchronize_folders(output));
}

/* ---- limits ---- */

/* The signals that a run would otherwise die of, perhaps half done, and how they were handled before. */
typedef struct Limited {
    struct sigaction pipe;
    struct sigaction size;
} Limited;

static void ignore_limits(Limited *before)
{
    struct sigaction ignore;

    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before->pipe);
    sigaction(SIGXFSZ, &ignore, &before->size);
}

static void restore_limits(const Limited *before)
{
    sigaction(SIGPIPE, &before->pipe, NULL);
    sigaction(SIGXFSZ, &before->size, NULL);
}

/* ---- all of it ---- */

static bool is_work_left(const Output *output)
{
    const OutputFile *file = output->first;

    while (file && (file->stream || file->unchanged)) {
        file = file->next;
    }
    return file != NULL || output->leftovers != NULL;
}

/* What is done depends only on what was looked at in this run's turn: another run may have replaced files while this
 * one waited. A run that found nothing to do beforehand does nothing, unless another run is at it, or was killed. */
static bool replace_in_turn(Output *output)
{
    const OutputFile *first = output->first;
    Turn turn;

    while (first && first->stream) {
        first = first->next;
    }
    if (!first) {
        return true;
    }
    const char *folder = output_directory(output->arena, first->target);
    output_sweep(output);
    if (!is_work_left(output) && !turn_is_taken(output->arena, folder)) {
        return true;
    }
    if (!turn_start(output->arena, output->diag, &output->progress, folder, &turn)) {
        return false;
    }
    const bool done = look_at_targets(output) && replace_files(output);
    turn_end(&turn);
    return done;
}

bool output_commit(Output *output)
{
    Limited before;
    bool done = look_at_targets(output);

    if (!done) {
        return false;
    }
    ignore_limits(&before);
    for (const OutputFile *file = output->first; file && done; file = file->next) {
        done = !file->stream || write_stream(output, file);
    }
    done = done && replace_in_turn(output);
    restore_limits(&before);
    return done;
}
