/* SPDX-License-Identifier: MIT */
/*
 * overrides - the folder of --templates, walked once after rendering, in the order of names.
 */
#include "overrides.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/embedded.h"

enum { MAX_DEPTH = 8 }; /* of folders: built-in names have two levels, and a link must not lead us round in circles */

typedef struct Names {
    const char **at;
    size_t count;
} Names;

bool overrides_open(const TemplateStore *store)
{
    struct stat found;
    if (!store->directory) {
        return true;
    }
    errno = ENOTDIR;
    if (stat(store->directory, &found) == 0 && S_ISDIR(found.st_mode)) {
        return true;
    }
    diag_report(store->diag, DIAG_ERROR, "E_IO", diag_nowhere(store->directory), "cannot be used as a folder: %s",
                strerror(errno));
    return false;
}

static bool is_template(const char *name)
{
    static const char ending[] = ".mustache";
    const size_t length = strlen(name);
    return length > strlen(ending) && str_equal(name + length - strlen(ending), ending);
}

static bool was_read(const TemplateStore *store, const char *path)
{
    for (size_t i = 0; i < store->num_read; i++) {
        if (str_equal(store->read[i], path)) {
            return true;
        }
    }
    return false;
}

static const char *nearest_template(const char *name)
{
    const char *nearest = NULL;
    size_t distance = 3;
    for (size_t i = 0; i < num_embedded_files; i++) {
        const char *candidate = embedded_files[i].name;
        const size_t apart = is_template(candidate) ? str_distance(name, candidate, distance) : distance;
        if (apart < distance) {
            distance = apart;
            nearest = candidate;
        }
    }
    return nearest;
}

static void check_file(const TemplateStore *store, const char *name)
{
    const char *path = arena_printf(store->arena, "%s/%s", store->directory, name);
    if (!is_template(name) || embedded_find(name) || was_read(store, path)) {
        return;
    }
    const char *nearest = nearest_template(name);
    diag_report(store->diag, DIAG_WARNING, "W_UNUSED_TEMPLATE", diag_nowhere(path),
                "no template with this name is used%s%s%s", nearest ? "; did you mean '" : "", nearest ? nearest : "",
                nearest ? "'?" : "");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static Names list_folder(Arena *arena, const char *path)
{
    Names names = {NULL, 0};
    DIR *folder = opendir(path);
    struct dirent *entry = NULL;
    while (folder && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        names.at =
            arena_grow(arena, names.at, names.count * sizeof names.at[0], (names.count + 1) * sizeof names.at[0]);
        names.at[names.count++] = arena_copy(arena, entry->d_name, strlen(entry->d_name));
    }
    if (folder) {
        closedir(folder);
    }
    if (names.count) {
        qsort(names.at, names.count, sizeof names.at[0], compare_names);
    }
    return names;
}

/* `below` is the folder's name within the store's, "" or "op/". */
static void check_folder(const TemplateStore *store, const char *below, int depth)
{
    const Names names = list_folder(store->arena, arena_printf(store->arena, "%s/%s", store->directory, below));
    for (size_t i = 0; i < names.count; i++) {
        const char *name = arena_printf(store->arena, "%s%s", below, names.at[i]);
        struct stat found;
        if (stat(arena_printf(store->arena, "%s/%s", store->directory, name), &found) != 0) {
            continue;
        }
        if (!S_ISDIR(found.st_mode)) {
            check_file(store, name);
        } else if (depth < MAX_DEPTH) {
            check_folder(store, arena_printf(store->arena, "%s/", name), depth + 1);
        }
    }
}

void overrides_check(const TemplateStore *store)
{
    if (store->directory) {
        check_folder(store, "", 0);
    }
}
