/* SPDX-License-Identifier: MIT */
/*
 * builtin - the embedded files as the user meets them: a host's description, and all of templates/ written out (which
 * is also how one gets the C files that generated code is compiled with).
 */
#include "builtin.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "front.h"
#include "output.h"

/* "hosts/<name>/host.yaml" -> <name>; null for any other file */
static const char *host_name(Arena *arena, const EmbeddedFile *file)
{
    static const char before[] = "hosts/";
    static const char behind[] = "/host.yaml";
    const size_t length = strlen(file->name);
    const size_t around = strlen(before) + strlen(behind);
    if (length <= around || !str_starts(file->name, before) ||
        !str_equal(file->name + length - strlen(behind), behind)) {
        return NULL;
    }
    return arena_copy(arena, file->name + strlen(before), length - around);
}

const EmbeddedFile *builtin_host(Diag *diag, const char *name)
{
    const EmbeddedFile *found = embedded_find(arena_printf(diag->arena, "hosts/%s/host.yaml", name));
    if (found) {
        return found;
    }
    Str all = str_new(diag->arena);
    const char *nearest = NULL;
    for (size_t i = 0; i < num_embedded_files; i++) {
        const char *host = host_name(diag->arena, &embedded_files[i]);
        if (!host) {
            continue;
        }
        str_printf(&all, "%s%s", all.length ? ", " : "", host);
        if (str_distance(name, host, 2) <= 2) {
            nearest = host;
        }
    }
    if (nearest) {
        diag_report(diag, DIAG_ERROR, "E_HOST", diag_nowhere(NULL), "no built-in host '%s'; did you mean '%s'?", name,
                    nearest);
    } else {
        diag_report(diag, DIAG_ERROR, "E_HOST", diag_nowhere(NULL),
                    "no built-in host '%s'; there is: %s (a description of your own is named by its path)", name,
                    str_text(&all));
    }
    return NULL;
}

bool builtin_print_host(Diag *diag, const char *name, Str *out)
{
    const EmbeddedFile *host = builtin_host(diag, name);
    if (host) {
        str_add(out, host->text, host->length);
    }
    return host != NULL;
}

/* Is another file in the way of this one? */
static bool differs(Arena *arena, Diag *diag, const char *path, const EmbeddedFile *file)
{
    struct stat found;
    Source there = {0};
    if (lstat(path, &found) != 0) {
        return false;
    }
    if (!source_read(arena, diag, path, &there)) {
        return true;
    }
    if (there.length == file->length && memcmp(there.text, file->text, file->length) == 0) {
        return false;
    }
    diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(path), "this file is there and differs; it is left as it is");
    return true;
}

bool builtin_write_all(Arena *arena, Diag *diag, const char *folder)
{
    Output output;
    output_init(&output, arena, diag);
    bool clear = true;
    for (size_t i = 0; i < num_embedded_files; i++) {
        const EmbeddedFile *file = &embedded_files[i];
        const char *path = arena_printf(arena, "%s/%s", folder, file->name);
        clear = !differs(arena, diag, path, file) && output_add(&output, path, file->text, file->length) && clear;
    }
    for (const OutputFile *file = output.first; file && clear; file = file->next) {
        clear = files_make_folder(arena, diag,
                                  arena_copy(arena, file->path, (size_t)(strrchr(file->path, '/') - file->path)));
    }
    return clear && output_commit(&output);
}
