/* SPDX-License-Identifier: MIT */
/*
 * gen_skeleton - --print-host-skeleton: the graphs are generated for a host that is yet to be written, which notes what
 * it is asked for; that is what its files then have.
 */
#include "gen_private.h"

#include <string.h>

#include "yaml/files.h"

/* "hosts/mine/" is the host `mine`. */
const Host *gen_skeleton_host(Run *run)
{
    const char *folder = run->options->subject;
    size_t end = strlen(folder);
    while (end > 0 && folder[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && folder[start - 1] != '/') {
        start--;
    }
    const char *name = arena_copy(run->arena, folder + start, end - start);
    if (!str_is_identifier(name)) {
        diag_report(run->diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL),
                    "the folder of '--print-host-skeleton' is called like the host, so '%s' must be an identifier",
                    diag_excerpt(run->arena, name, strlen(name)));
        return NULL;
    }
    return host_unwritten(run->arena, name);
}

/* Nothing that the user has written since is lost. */
static bool write_all(Run *run, const char *const *names, const Str *texts, size_t n)
{
    Output output;
    output_init(&output, run->arena, run->diag);
    bool clear = true;
    for (size_t i = 0; i < n; i++) {
        const char *path = arena_printf(run->arena, "%s/%s", run->options->subject, names[i]);
        const char *text = str_text(&texts[i]);
        clear = !files_differ(run->arena, run->diag, path, text, texts[i].length) &&
                output_add_once(&output, path, text, texts[i].length) && clear;
    }
    return clear && files_make_folder(run->arena, run->diag, run->options->subject) && output_commit(&output);
}

enum { SKELETON_FILES = 3 };

bool gen_skeleton(Run *run)
{
    Str texts[SKELETON_FILES] = {str_new(run->arena), str_new(run->arena), str_new(run->arena)};
    if (!gen_prepare(run) || !gen_render(run) || run->diag->num_errors ||
        !program_render_skeleton(run->program, &run->store, &texts[0], &texts[1], &texts[2])) {
        return false;
    }
    const char *const names[SKELETON_FILES] = {"host.yaml", run->host->header,
                                               arena_printf(run->arena, "wg_%s.c", run->host->name)};
    return write_all(run, names, texts, SKELETON_FILES);
}
