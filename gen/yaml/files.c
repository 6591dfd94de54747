/* SPDX-License-Identifier: MIT */
/*
 * files - file names: the dependency rule, outputs that would destroy an input, folders.
 */
#include "files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/table.h"
#include "front.h"

/* Make takes such a target for an order to itself: ".PHONY". */
static bool is_special(const char *target)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return target[0] == '.' && target[1] != '\0' && target[1 + strspn(target + 1, letters)] == '\0';
}

/* Why Make would read something else than the name, however it is written: a command (;), an assignment (=), a
 * prerequisite that only has to be there (|), a pattern. Null: it reads the name. */
static const char *unheld(Arena *arena, const char *name, bool is_target)
{
    const char end = *name ? name[strlen(name) - 1] : '\0';
    const char *bad = strpbrk(name, ";=|%*?[");
    if (strpbrk(name, "\n\r") != NULL) {
        return "with a line break";
    }
    if (strchr(name, '\t') != NULL) {
        return "with a tab";
    }
    return bad != NULL                                                    ? arena_printf(arena, "with '%c'", *bad)
           : end == '\\'                                                  ? "that ends in a backslash"
           : end == ' '                                                   ? "that ends in a blank"
           : *name == '~'                                                 ? "that begins with '~'"
           : end == ')' && strchr(name, '(') != NULL                      ? "that looks like a member of an archive"
           : is_target && end == '&'                                      ? "of a target that ends in '&'"
           : is_target && is_special(name)                                ? "of a target that is an order to make"
           : strcmp(name, "define") == 0 || strcmp(name, "undefine") == 0 ? "that is a directive of make"
                                                                          : NULL;
}

/*
 * Writes a name so that GNU Make and Ninja read it back: `$` is doubled; a space, `#` or `:` gets a backslash, and
 * backslashes right before one are doubled (for `#` and `:` only Make reads it so); other characters are unchanged.
 */
static bool put_name(Diag *diag, const char *name, bool is_target, Str *out)
{
    const char *why = unheld(diag->arena, name, is_target);
    if (why != NULL) {
        diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL),
                    "a dependency file cannot hold a file name %s: '%s'", why,
                    diag_excerpt(diag->arena, name, strlen(name)));
        return false;
    }
    size_t backslashes = 0;
    for (const char *next = name; *next; next++) {
        const bool special = *next == ' ' || *next == '#' || *next == ':';
        for (size_t i = 0; special && i < backslashes; i++) {
            str_putc(out, '\\');
        }
        if (special || *next == '$') {
            str_putc(out, *next == '$' ? '$' : '\\');
        }
        str_putc(out, *next);
        backslashes = *next == '\\' ? backslashes + 1 : 0;
    }
    return true;
}

bool files_depfile(Diag *diag, const char *target, const FileList *read, Str *out)
{
    bool done = put_name(diag, target, true, out);
    str_putc(out, ':');
    for (size_t i = 0; i < read->count; i++) {
        str_puts(out, " \\\n  ");
        done = put_name(diag, read->paths[i], false, out) && done;
    }
    str_putc(out, '\n');
    return done;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A file, under whatever name, as the key of a table. */
typedef struct Identity {
    dev_t device;
    ino_t inode;
} Identity;

static Identity identity_of(const struct stat *status)
{
    Identity identity;
    memset(&identity, 0, sizeof identity); /* padding is part of the key */
    identity.device = status->st_dev;
    identity.inode = status->st_ino;
    return identity;
}

/* The files read, by identity; of several names for one file, the first. */
static Table identities(Arena *arena, const FileList *read)
{
    Table table;
    table_init(&table, arena);
    for (uint32_t i = 0; i < read->count; i++) {
        struct stat status;
        if (stat(read->paths[i], &status) == 0) {
            const Identity identity = identity_of(&status);
            (void)table_add(&table, arena_copy(arena, (const char *)&identity, sizeof identity), sizeof identity, 0, i);
        }
    }
    return table;
}

bool files_spare(Diag *diag, const FileList *read, bool standard_input, const Output *output)
{
    bool spared = true;
    const Table inputs = identities(output->arena, read);
    for (const OutputFile *file = output->first; file; file = file->next) {
        struct stat written;
        if (str_equal(file->path, "-") || stat(file->path, &written) != 0 || !S_ISREG(written.st_mode)) {
            continue; /* a file that does not exist, or a device, cannot be lost */
        }
        struct stat input;
        if (standard_input && fstat(STDIN_FILENO, &input) == 0 && is_same(&input, &written)) {
            diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL),
                        "output '%s' would overwrite standard input, which was read", file->path);
            spared = false;
        }
        const Identity identity = identity_of(&written);
        const TableEntry *known = table_find(&inputs, (const char *)&identity, sizeof identity);
        if (known != NULL) {
            diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL),
                        "output '%s' would overwrite '%s', which was read", file->path, read->paths[known->index]);
            spared = false;
        }
    }
    return spared;
}

bool files_make_folder(Arena *arena, Diag *diag, const char *path)
{
    char *folder = arena_copy(arena, path, strlen(path));
    for (char *end = folder;; end++) {
        if (*end != '/' && *end) {
            continue;
        }
        const char kept = *end;
        *end = '\0';
        struct stat found;
        if (end != folder && mkdir(folder, 0777) != 0 &&
            (errno != EEXIST || stat(folder, &found) != 0 || !S_ISDIR(found.st_mode))) {
            const int reason = errno == EEXIST ? ENOTDIR : errno;
            diag_report(diag, DIAG_ERROR, "E_IO", diag_nowhere(folder), "cannot make this folder: %s",
                        strerror(reason));
            return false;
        }
        *end = kept;
        if (!kept) {
            return true;
        }
    }
}

bool files_exist(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0;
}

static bool differs(Arena *arena, Diag *diag, const char *path, const char *text, size_t length)
{
    struct stat found;
    Source there = {0};
    if (lstat(path, &found) != 0 || S_ISCHR(found.st_mode) || S_ISFIFO(found.st_mode)) {
        return false;
    }
    if (!source_read_found(arena, diag, path, &there)) {
        return true;
    }
    if (there.length == length && memcmp(there.text, text, length) == 0) {
        return false;
    }
    diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(path), "this file exists and differs; it is left as it is");
    return true;
}

bool files_add_new(Output *output, const char *path, const char *text, size_t length)
{
    return !differs(output->arena, output->diag, path, text, length) && output_add_once(output, path, text, length);
}
