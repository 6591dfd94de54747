/* SPDX-License-Identifier: MIT */
/*
 * output - collects outputs and compares them with the existing files; output_write.c writes them.
 *
 * Duplicates are found with a hash table by identity, since a run with --split may have a hundred thousand outputs.
 */
#include "output_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_diff.h"

enum { MAX_LINKS = 40, CHUNK = 64 * 1024, LINES = 1024 * 1024 };

void output_init(Output *output, Arena *arena, Diag *diag)
{
    memset(output, 0, sizeof *output);
    output->arena = arena;
    output->diag = diag;
    table_init(&output->names, arena);
}

bool output_fail(const Output *output, const char *path, const char *what)
{
    diag_report(output->diag, DIAG_ERROR, "E_IO", diag_nowhere(path), "%s: %s", what, strerror(errno));
    return false;
}

const char *output_directory(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash) {
        return ".";
    }
    return slash == path ? "/" : arena_copy(arena, path, (size_t)(slash - path));
}

/* ---- where a path leads ---- */

/* The target of a symbolic link, resolved against the folder of the link; null with errno set when it cannot be
 * read. */
static const char *read_link(Arena *arena, const char *path)
{
    const char *directory = output_directory(arena, path);
    size_t capacity = 128;

    for (;;) {
        char *text = arena_alloc(arena, capacity + 1);
        ssize_t length = readlink(path, text, capacity);
        if (length < 0) {
            return NULL;
        }
        if ((size_t)length < capacity) {
            return text[0] == '/' ? text : arena_printf(arena, "%s/%s", directory, text);
        }
        capacity *= 2;
    }
}

/* Follows all symbolic links of a path's last part, whether or not there is a file; null with errno set. */
static const char *follow_links(Arena *arena, const char *path)
{
    struct stat status;

    for (int i = 0; path && i < MAX_LINKS; i++) {
        if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode)) {
            return path;
        }
        path = read_link(arena, path);
    }
    errno = path ? ELOOP : errno;
    return NULL;
}

static void set_identity(OutputFile *file, const struct stat *status, const char *base)
{
    file->device = (uint64_t)status->st_dev;
    file->inode = (uint64_t)status->st_ino;
    file->base = base;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Fills `stream`, `target` and the identity of an output that is a path. */
static bool look_up(Output *output, OutputFile *file)
{
    Arena *arena = output->arena;
    struct stat status;
    struct stat behind;
    size_t length = strlen(file->path);
    bool exists = stat(file->path, &status) == 0;

    if (length == 0 || file->path[length - 1] == '/' || (exists && S_ISDIR(status.st_mode))) {
        diag_report(output->diag, DIAG_ERROR, "E_USAGE", diag_nowhere(file->path),
                    length ? "the output is a directory" : "an output without a name");
        return false;
    }
    if (!exists && errno != ENOENT) {
        return output_fail(output, file->path, "cannot be looked up");
    }
    file->target = file->path;
    file->stream = exists && !S_ISREG(status.st_mode);
    if (!file->stream) {
        file->target = follow_links(arena, file->path);
        if (!file->target) {
            return output_fail(output, file->path, "cannot be looked up");
        }
    }
    if (exists) {
        /* Links below /proc do not say where they lead; an open file there can only be written directly. */
        if (!file->stream && (stat(file->target, &behind) != 0 || !is_same_file(&behind, &status))) {
            file->stream = true;
            file->target = file->path;
        }
        set_identity(file, &status, "");
        return true;
    }
    if (stat(output_directory(arena, file->target), &status) == 0) {
        set_identity(file, &status, str_base_name(file->target));
    } else {
        file->base = file->target; /* with device 0: identified by name alone */
    }
    return true;
}

/* ---- collecting ---- */

static uint64_t hash_identity(const OutputFile *file)
{
    uint64_t hash = (file->device * UINT64_C(0x9e3779b97f4a7c15)) ^ file->inode;

    for (const char *at = file->base; *at; at++) {
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    }
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

/* The slot of an output that is the same file, or the empty one where it would be. */
static OutputFile **find_slot(const Output *output, const OutputFile *file)
{
    size_t at = (size_t)hash_identity(file) & (output->num_slots - 1);
    const OutputFile *there = NULL;

    while ((there = output->slots[at]) != NULL &&
           !(there->device == file->device && there->inode == file->inode && strcmp(there->base, file->base) == 0)) {
        at = (at + 1) & (output->num_slots - 1);
    }
    return &output->slots[at];
}

static void grow_slots(Output *output)
{
    output->num_slots = output->num_slots ? output->num_slots * 2 : 16;
    output->slots = ARENA_ARRAY(output->arena, OutputFile *, output->num_slots);
    for (OutputFile *file = output->first; file; file = file->next) {
        *find_slot(output, file) = file;
    }
}

/* Outputs of one name, in whatever folders, are a list. */
static void add_name(Output *output, OutputFile *file)
{
    const char *name = str_base_name(file->target);
    const TableEntry *entry = table_add(&output->names, name, strlen(name), 0, (uint32_t)output->num_names);

    if (entry) {
        file->same_name = output->named[entry->index];
        output->named[entry->index] = file;
        return;
    }
    if ((output->num_names & (output->num_names - 1)) == 0) { /* a power of two, or 0: full */
        output->named = arena_grow(output->arena, output->named, output->num_names * sizeof file,
                                   (2 * output->num_names + 1) * sizeof file);
    }
    output->named[output->num_names++] = file;
}

bool output_add(Output *output, const char *path, const char *data, size_t length)
{
    OutputFile *file = ARENA_NEW(output->arena, OutputFile);
    OutputFile **slot = NULL;
    struct stat status;

    file->path = path;
    file->data = data;
    file->length = length;
    file->base = "-"; /* device 0 and inode 0, which no file has */
    if (strcmp(path, "-") == 0) {
        file->stream = true;
        if (fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)) {
            set_identity(file, &status, "");
        }
    } else if (!look_up(output, file)) {
        return false;
    }
    if (output->num_files >= output->num_slots / 2) {
        grow_slots(output);
    }
    slot = find_slot(output, file);
    /* A device such as /dev/null takes any number of outputs. */
    if (*slot && !(file->stream && file->target && (*slot)->target)) {
        diag_report(output->diag, DIAG_ERROR, "E_USAGE", diag_nowhere(path),
                    "two outputs are the same file: '%s' and '%s'", (*slot)->path, path);
        return false;
    }
    *slot = file;
    if (output->last) {
        output->last->next = file;
    } else {
        output->first = file;
    }
    output->last = file;
    output->num_files++;
    if (file->target) {
        add_name(output, file);
    }
    return true;
}

/* A file that another run has just replaced is a different file of the same name, so it is the name that counts. */
bool output_has(const Output *output, const char *path)
{
    const char *target = follow_links(output->arena, path);
    struct stat folder;
    struct stat other;

    if (!target || stat(output_directory(output->arena, target), &folder) != 0) {
        return false;
    }
    const char *name = str_base_name(target);
    const TableEntry *entry = table_find(&output->names, name, strlen(name));
    const OutputFile *file = entry ? output->named[entry->index] : NULL;
    while (file &&
           !(stat(output_directory(output->arena, file->target), &other) == 0 && is_same_file(&folder, &other))) {
        file = file->same_name;
    }
    return file != NULL;
}

bool output_add_long(Output *output, const char *path, const LongText *text)
{
    const bool added = output_add(output, path, NULL, long_text_length(text));
    if (added) {
        output->last->text = text;
    }
    return added;
}

bool output_add_once(Output *output, const char *path, const char *data, size_t length)
{
    const bool added = output_add(output, path, data, length);
    if (added) {
        output->last->once = true;
    }
    return added;
}

void output_find_leftovers(Output *output)
{
    output->leftovers = NULL;
    if (output->find_leftovers != NULL) {
        output->find_leftovers(output->leftovers_ctx, output);
    }
}

void output_remove(Output *output, const char *path)
{
    OutputLeftover *leftover = ARENA_NEW(output->arena, OutputLeftover);
    *leftover = (OutputLeftover){path, output->leftovers};
    output->leftovers = leftover;
}

bool output_each(const OutputFile *file, LongSink *sink, void *ctx)
{
    return file->text ? long_text_each(file->text, sink, ctx) : sink(ctx, file->data, file->length);
}

const char *output_folder(Arena *arena, const char *path)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    return strcmp(path, "-") != 0 && (!exists || S_ISREG(status.st_mode)) ? output_directory(arena, path) : NULL;
}

/* ---- reading existing files ---- */

ssize_t output_read(int descriptor, char *data, size_t length)
{
    ssize_t count = 0;

    do {
        count = read(descriptor, data, length);
    } while (count < 0 && errno == EINTR);
    return count;
}

/* Appends all of a file; false with errno set. */
static bool read_file(const char *path, Str *text)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t count = 0;
    int reason = 0;

    if (descriptor < 0) {
        return false;
    }
    do {
        str_reserve(text, CHUNK);
        count = output_read(descriptor, text->data + text->length, CHUNK);
        reason = errno;
        text->length += count > 0 ? (size_t)count : 0;
    } while (count > 0);
    str_add(text, "", 0);
    close(descriptor);
    errno = reason;
    return count == 0;
}

/* The length of `text` up to the end of its last line; all of it if there is none, or if nothing follows. */
static size_t whole_lines(const char *text, size_t length, bool last)
{
    size_t end = length;
    while (!last && end > 0 && text[end - 1] != '\n') {
        end--;
    }
    return end > 0 ? end : length;
}

void output_read_lines(const char *path, LongSink *sink, void *ctx)
{
    struct stat status;
    int descriptor = -1;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        (descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0) {
        return;
    }
    const size_t most = status.st_size < LINES ? (size_t)status.st_size + 1 : LINES;
    Arena arena;
    arena_init(&arena);
    char *text = arena_grow_dirty(&arena, NULL, 0, most + 1);
    size_t held = 0;
    for (bool more = true; more;) {
        const ssize_t count = output_read(descriptor, text + held, most - held);
        held += count > 0 ? (size_t)count : 0;
        const size_t told = whole_lines(text, held, count <= 0);
        const char kept = text[told];
        text[told] = '\0';
        more = count >= 0 && sink(ctx, text, told) && count > 0;
        text[told] = kept;
        held -= told;
        memmove(text, text + told, held);
    }
    arena_release(&arena);
    close(descriptor);
}

/* What was there before. */
typedef struct Target {
    int descriptor;
    int reason; /* why it cannot be read; 0: it can */
} Target;

/* Are these the next bytes of the target? */
static bool is_next(void *ctx, const char *data, size_t length)
{
    Target *target = ctx;
    char chunk[CHUNK];
    while (length > 0) {
        const ssize_t count = output_read(target->descriptor, chunk, length < CHUNK ? length : CHUNK);
        target->reason = count < 0 ? errno : 0;
        if (count <= 0 || memcmp(chunk, data, (size_t)count) != 0) {
            return false;
        }
        data += count;
        length -= (size_t)count;
    }
    return true;
}

bool output_is_there(const OutputFile *file, int *reason)
{
    struct stat status;
    char after = 0;
    Target target = {.descriptor = open(file->target, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    if (target.descriptor < 0) {
        *reason = errno;
        return false;
    }
    const bool there = fstat(target.descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                       (uint64_t)status.st_size == file->length && output_each(file, is_next, &target) &&
                       output_read(target.descriptor, &after, 1) == 0;
    close(target.descriptor);
    *reason = target.reason;
    return there;
}

/* As a diff that empties them would begin. */
static bool check_leftovers(const Output *output, Str *out)
{
    for (const OutputLeftover *leftover = output->leftovers; leftover; leftover = leftover->next) {
        str_printf(out, "--- %s\n+++ /dev/null\n", leftover->path);
    }
    return output->leftovers == NULL;
}

/* Shows how a target differs, which is not to be a stream. */
static void show_difference(const Output *output, const OutputFile *file, Str *out)
{
    Arena scratch;
    arena_init(&scratch);
    scratch.on_exhausted = output->arena->on_exhausted;
    scratch.exhausted_ctx = output->arena->exhausted_ctx;
    Str there = str_new(&scratch);
    const bool read = read_file(file->target, &there);
    const bool missing = !read && errno == ENOENT;
    if (!read && !missing) {
        output_fail(output, file->path, "cannot be read");
    } else {
        const char *text = file->text ? long_text_joined(file->text, &scratch) : file->data;
        output_diff(out, file->path, missing, (DiffText){str_text(&there), there.length},
                    (DiffText){text, file->length});
    }
    arena_release(&scratch);
}

bool output_check(Output *output, Str *out)
{
    output_find_leftovers(output);
    bool same = check_leftovers(output, out);

    for (OutputFile *file = output->first; file; file = file->next) {
        if (file->stream) {
            diag_report(output->diag, DIAG_ERROR, "E_USAGE", diag_nowhere(file->path),
                        "not a regular file: there is nothing to compare with");
            same = false;
            continue;
        }
        int reason = 0;
        file->unchanged = output_is_there(file, &reason);
        if (reason != 0 && reason != ENOENT) {
            errno = reason;
            output_fail(output, file->path, "cannot be read");
        } else if (!file->unchanged) {
            show_difference(output, file, out);
        }
        same = same && file->unchanged;
    }
    return same;
}
