/* SPDX-License-Identifier: MIT */
/*
 * builtin - the embedded files that users see: a host's description, the meaning of a code, and all of templates/
 * written out (which is also how to get the C files that generated code is compiled with).
 */
#include "builtin.h"

#include <stdio.h>
#include <string.h>

#include "../yaml/files.h"
#include "../base/output.h"

const char *builtin_host_name(Arena *arena, const EmbeddedFile *file)
{
    static const char before[] = "hosts/";
    static const char after[] = "/host.yaml";
    const size_t length = strlen(file->name);
    const size_t around = strlen(before) + strlen(after);
    if (length <= around || !str_starts(file->name, before) || !str_equal(file->name + length - strlen(after), after)) {
        return NULL;
    }
    return arena_copy(arena, file->name + strlen(before), length - around);
}

const EmbeddedFile *builtin_host(Diag *diag, const char *name, DiagPlace named)
{
    const EmbeddedFile *found = embedded_find(arena_printf(diag->arena, "hosts/%s/host.yaml", name));
    if (found) {
        return found;
    }
    Str all = str_new(diag->arena);
    const char *nearest = NULL;
    for (size_t i = 0; i < num_embedded_files; i++) {
        const char *host = builtin_host_name(diag->arena, &embedded_files[i]);
        if (!host) {
            continue;
        }
        str_printf(&all, "%s%s", all.length ? ", " : "", host);
        if (str_distance(name, host, 2) <= 2) {
            nearest = host;
        }
    }
    if (nearest) {
        diag_report(diag, DIAG_ERROR, "E_HOST", named, "no built-in host '%s'; did you mean '%s'?", name, nearest);
    } else {
        diag_report(diag, DIAG_ERROR, "E_HOST", named,
                    "no built-in host '%s'; the built-in hosts are: %s (name your own description by its path)", name,
                    str_text(&all));
    }
    return NULL;
}

bool builtin_print_host(Diag *diag, const char *name, Str *out)
{
    const EmbeddedFile *host = builtin_host(diag, name, diag_nowhere(NULL));
    if (host) {
        str_add(out, host->text, host->length);
    }
    return host != NULL;
}

/* The code that a file of schema/codes is about. */
static const char *code_of(Arena *arena, const EmbeddedFile *file)
{
    return arena_copy(arena, file->name, strlen(file->name) - strlen(".txt"));
}

/* A line for each code: its name, then its title, which the first line of its file has after the name. */
static void list_codes(Arena *arena, Str *out)
{
    for (size_t i = 0; i < num_embedded_codes; i++) {
        const char *code = code_of(arena, &embedded_codes[i]);
        const char *title = embedded_codes[i].text + strlen(code) + strlen(": ");
        str_printf(out, "%-22s %.*s\n", code, (int)strcspn(title, "\n"), title);
    }
}

static const char *upper_case(Arena *arena, const char *word)
{
    char *copy = arena_copy(arena, word, strlen(word));
    for (char *at = copy; *at != '\0'; at++) {
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    }
    return copy;
}

bool builtin_explain(Diag *diag, const char *named, Str *out)
{
    if (strcmp(named, "list") == 0) {
        list_codes(diag->arena, out);
        return true;
    }
    const char *code = upper_case(diag->arena, named);
    const char *nearest = NULL;
    size_t distance = 3; /* one more than the most that counts as a slip */
    for (size_t i = 0; i < num_embedded_codes; i++) {
        const EmbeddedFile *file = &embedded_codes[i];
        const char *name = code_of(diag->arena, file);
        const size_t apart = str_distance(code, name, distance);
        if (apart == 0) {
            str_add(out, file->text, file->length);
            return true;
        }
        nearest = apart < distance ? name : nearest;
        distance = apart < distance ? apart : distance;
    }
    if (nearest) {
        diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL), "no message has the code '%s'; did you mean '%s'?",
                    named, nearest);
    } else {
        diag_report(diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL),
                    "no message has the code '%s'; a code is at the end of its message, in brackets ('list' lists all)",
                    named);
    }
    return false;
}

bool builtin_write_all(Arena *arena, Diag *diag, const char *folder)
{
    Output output;
    output_init(&output, arena, diag);
    bool clear = true;
    for (size_t i = 0; i < num_embedded_files; i++) {
        const EmbeddedFile *file = &embedded_files[i];
        const char *path = arena_printf(arena, "%s/%s", folder, file->name);
        clear = files_add_new(&output, path, file->text, file->length) && clear;
    }
    for (const OutputFile *file = output.first; file && clear; file = file->next) {
        clear = files_make_folder(arena, diag,
                                  arena_copy(arena, file->path, (size_t)(strrchr(file->path, '/') - file->path)));
    }
    return clear && output_commit(&output);
}
