/* SPDX-License-Identifier: MIT */
/*
 * output_write - how the bytes of a run reach its files.
 *
 * output_commit() goes in this order, each step for all files before the next: look at the targets (what kind, which
 * mode, whether the bytes are there already), write what is written directly, write temporary files, rename. The first
 * step finds nearly all mistakes (a folder that is missing, a file that is write-protected) before anything is touched;
 * the last is the only one that changes targets.
 */
#include "output_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 16 * 1024, PERMISSIONS = 07777 };

/* false with errno set. */
static bool write_all(int descriptor, const char *data, size_t length)
{
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

static bool write_stream(const Output *output, const OutputFile *file)
{
    int descriptor = STDOUT_FILENO;
    bool done = false;
    int reason = 0;

    if (!file->target) {
        if (fflush(stdout) != 0 || !write_all(descriptor, file->data, file->length)) {
            return output_fail(output, "standard output", "cannot be written");
        }
        return true;
    }
    descriptor = open(file->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        return output_fail(output, file->path, "cannot be opened for writing");
    }
    done = write_all(descriptor, file->data, file->length);
    reason = errno;
    if (close(descriptor) != 0 && done) {
        done = false;
        reason = errno;
    }
    errno = reason;
    return done || output_fail(output, file->path, "cannot be written");
}

/* A new file beside the target. Its name is short, so that it fits wherever the target's does. -1 with errno set. */
static int create_temporary(Output *output, OutputFile *file, mode_t mode)
{
    const char *directory = output_directory(output->arena, file->target);

    for (unsigned i = 0; i < 1000; i++) {
        const char *name = arena_printf(output->arena, "%s/.wrapgen-%ld-%u.tmp", directory, (long)getpid(), i);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode);
        if (descriptor >= 0) {
            file->temporary = name;
        }
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

/* The mode of what is replaced, and its owner and group where we may give them away: as if it had been written in
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
        return output_fail(output, file->path, "cannot make a new file beside it");
    }
    done = (!exists || keep_attributes(descriptor, &old)) && write_all(descriptor, file->data, file->length);
    reason = errno;
    if (close(descriptor) != 0 && done) {
        done = false;
        reason = errno;
    }
    errno = reason;
    return done || output_fail(output, file->path, "cannot be written");
}

/* Whether a file has just these bytes; what cannot be read has not. */
static bool has_bytes(const OutputFile *file)
{
    char chunk[CHUNK];
    int descriptor = open(file->target, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    size_t done = 0;
    ssize_t count = descriptor < 0 ? -1 : 1;

    while (count > 0) {
        count = output_read(descriptor, chunk, sizeof chunk);
        if (count > 0) {
            bool same = (size_t)count <= file->length - done && memcmp(chunk, file->data + done, (size_t)count) == 0;
            done += (size_t)count;
            count = same ? count : -1;
        }
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return count == 0 && done == file->length;
}

/* A new file must be possible beside the target, also where the target itself could be written. */
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

/* What the targets are now; nothing is changed. */
static bool look_at_targets(Output *output)
{
    bool clear = true;
    struct stat status;

    for (OutputFile *file = output->first; file; file = file->next) {
        file->temporary = NULL;
        file->unchanged = false;
        if (file->stream) {
            continue;
        }
        if (stat(file->target, &status) != 0) {
            clear = look_at_folder(output, file) && clear;
            continue;
        }
        if ((uint64_t)status.st_size == file->length) {
            file->unchanged = has_bytes(file);
        }
        if (file->unchanged) {
            continue;
        }
        if (access(file->target, W_OK) != 0) {
            clear = output_fail(output, file->path, "cannot be written");
        } else {
            clear = look_at_folder(output, file) && clear;
        }
    }
    return clear;
}

static bool rename_all(const Output *output)
{
    size_t num_done = 0;

    for (OutputFile *file = output->first; file; file = file->next) {
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

static bool replace_files(Output *output)
{
    bool done = true;

    for (OutputFile *file = output->first; file && done; file = file->next) {
        done = file->stream || file->unchanged || write_temporary(output, file);
    }
    done = done && rename_all(output);
    for (OutputFile *file = output->first; file; file = file->next) {
        if (file->temporary) {
            unlink(file->temporary); /* what failed is reported already */
            file->temporary = NULL;
        }
    }
    return done;
}

/* ---- signals ---- */

/* What a run would otherwise die of or leave half done, and how it was handled before. */
typedef struct Signals {
    struct sigaction pipe;
    struct sigaction size;
    sigset_t mask;
} Signals;

static void ignore_limits(Signals *before)
{
    struct sigaction ignore;

    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before->pipe);
    sigaction(SIGXFSZ, &ignore, &before->size);
}

static void restore_limits(const Signals *before)
{
    sigaction(SIGPIPE, &before->pipe, NULL);
    sigaction(SIGXFSZ, &before->size, NULL);
}

static void hold_interrupts(Signals *before)
{
    sigset_t held;

    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &before->mask);
}

bool output_commit(Output *output)
{
    Signals before;
    bool done = look_at_targets(output);

    if (!done) {
        return false;
    }
    ignore_limits(&before);
    for (const OutputFile *file = output->first; file && done; file = file->next) {
        done = !file->stream || write_stream(output, file);
    }
    if (done) {
        hold_interrupts(&before);
        done = replace_files(output);
        sigprocmask(SIG_SETMASK, &before.mask, NULL);
    }
    restore_limits(&before);
    return done;
}
