/* SPDX-License-Identifier: MIT */
/*
 * source - reads an input, be it a file, standard input or a pipe.
 *
 * The text is followed by a zero byte that does not count. Files are held in memory as a whole and may not be larger
 * than SOURCE_LIMIT: later offsets and counts then fit with room to spare, and a pipe that never ends is not read
 * forever.
 */
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 64 * 1024 };
static const size_t SOURCE_LIMIT = (size_t)1 << 31; /* 2 GiB */

static bool report_io(Diag *diag, const Source *source, const char *what, int error)
{
    diag_report(diag, DIAG_ERROR, "E_IO", diag_nowhere(source->name), "%s: %s", what, strerror(error));
    return false;
}

static bool report_size(Diag *diag, const Source *source)
{
    diag_report(diag, DIAG_ERROR, "E_IO", diag_nowhere(source->name),
                "is larger than 2 GiB, the limit of an input file");
    return false;
}

/* Reads to the end. `capacity` is a guess, which is right for a regular file. */
static bool read_all(Arena *arena, Diag *diag, int file, size_t capacity, Source *source)
{
    char *text = arena_grow_dirty(arena, NULL, 0, capacity + 1);
    size_t length = 0;

    for (;;) {
        ssize_t count = read(file, text + length, capacity - length);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return report_io(diag, source, "cannot be read", errno);
        }
        if (count == 0) {
            break;
        }
        length += (size_t)count;
        if (length > SOURCE_LIMIT) {
            return report_size(diag, source);
        }
        if (length == capacity) {
            text = arena_grow_dirty(arena, text, capacity + 1, 2 * capacity + 1);
            capacity *= 2;
        }
    }
    text[length] = '\0';
    source->text = text;
    source->length = length;
    return true;
}

/* A device gives bytes without end, unless it gives none, or somebody types at it. */
static bool is_endless(int file, const struct stat *status)
{
    char byte;
    return (S_ISBLK(status->st_mode) || S_ISCHR(status->st_mode)) && !isatty(file) && read(file, &byte, 1) > 0;
}

static bool read_file(Arena *arena, Diag *diag, int file, Source *source)
{
    struct stat status;
    size_t capacity = FIRST_CAPACITY;

    if (fstat(file, &status) != 0) {
        return report_io(diag, source, "cannot be read", errno);
    }
    if (S_ISDIR(status.st_mode)) {
        diag_report(diag, DIAG_ERROR, "E_IO", diag_nowhere(source->name), "is a directory, not a file");
        return false;
    }
    if (is_endless(file, &status)) {
        diag_report(diag, DIAG_ERROR, "E_IO", diag_nowhere(source->name), "is a device, not a file");
        return false;
    }
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
        if ((uintmax_t)status.st_size > SOURCE_LIMIT) {
            return report_size(diag, source);
        }
        capacity = (size_t)status.st_size + 1; /* one more, so that the end is seen without growing */
    }
    return read_all(arena, diag, file, capacity, source);
}

static bool open_source(Arena *arena, Diag *diag, const char *path, int flags, Source *source, int *file)
{
    memset(source, 0, sizeof *source);
    source->name = "<stdin>";
    *file = STDIN_FILENO;
    if (strcmp(path, "-") == 0) {
        return true;
    }
    source->name = arena_copy(arena, path, strlen(path));
    do {
        *file = open(path, O_RDONLY | O_NOCTTY | flags);
    } while (*file < 0 && errno == EINTR);
    return *file >= 0 || report_io(diag, source, "cannot be opened", errno);
}

static bool close_source(Diag *diag, const Source *source, int file, bool done)
{
    if (file != STDIN_FILENO && close(file) != 0 && done) {
        return report_io(diag, source, "cannot be closed", errno);
    }
    return done;
}

bool source_read(Arena *arena, Diag *diag, const char *path, Source *source)
{
    int file = -1;
    return open_source(arena, diag, path, 0, source, &file) &&
           close_source(diag, source, file, read_file(arena, diag, file, source));
}

bool source_read_found(Arena *arena, Diag *diag, const char *path, Source *source)
{
    struct stat status;
    int file = -1;
    bool done = false;

    if (!open_source(arena, diag, path, O_NONBLOCK, source, &file)) {
        return false;
    }
    if (fstat(file, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        diag_report(diag, DIAG_ERROR, "E_IO", diag_nowhere(source->name), "is not a regular file");
    } else {
        done = read_file(arena, diag, file, source);
    }
    return close_source(diag, source, file, done);
}
