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

static const char *path_in(Run *run, const char *name)
{
    return arena_printf(run->arena, "%s/%s", run->options->subject, name);
}

/* Nothing that the user has written since is lost. */
static bool write_all(Run *run, const char *const *names, const Str *texts, size_t n)
{
    Output output;
    output_init(&output, run->arena, run->diag);
    bool clear = true;
    for (size_t i = 0; i < n; i++) {
        const char *path = path_in(run, names[i]);
        const char *text = str_text(&texts[i]);
        clear = files_add_new(&output, path, text, texts[i].length) && clear;
    }
    return clear && files_make_folder(run->arena, run->diag, run->options->subject) && output_commit(&output);
}

enum { SKELETON_FILES = 4 };

static bool write_new(Run *run)
{
    Str texts[SKELETON_FILES] = {str_new(run->arena), str_new(run->arena), str_new(run->arena), str_new(run->arena)};
    (void)program_skeleton_verbs(run->program, NULL);
    if (!program_render_skeleton(run->program, &run->store, &texts[0], &texts[1], &texts[2])) {
        return false;
    }
    host_print_schema(run->arena, &texts[3]);
    const char *const names[SKELETON_FILES] = {
        "host.yaml", run->host->header, arena_printf(run->arena, "wg_%s.c", run->host->name), "host.schema.json"};
    return write_all(run, names, texts, SKELETON_FILES);
}

/* The host is there already, and may be written in part: its files stay, and another one says what they lack. */
static bool write_rest(Run *run, const char *description)
{
    const Host *begun =
        host_load(run->arena, run->diag, description, diag_nowhere(NULL), &run->sources[run->options->num_inputs]);
    if (!begun) {
        return false;
    }
    const char *verbs = program_skeleton_verbs(run->program, begun);
    if (*verbs == '\0') {
        diag_report(run->diag, DIAG_NOTE, NULL, diag_nowhere(description),
                    "has every verb that is needed; nothing is written");
        return true;
    }
    const char *name = arena_printf(run->arena, "wg_%s_more.txt", run->host->name);
    Str text = str_new(run->arena);
    if (!program_render_skeleton_rest(run->program, &run->store, &text) || !write_all(run, &name, &text, 1)) {
        return false;
    }
    diag_report(run->diag, DIAG_NOTE, NULL, diag_nowhere(description), "lacks %s: '%s' has them, to be copied", verbs,
                path_in(run, name));
    return true;
}

bool gen_skeleton(Run *run)
{
    if (!gen_prepare(run) || !gen_render(run) || run->diag->num_errors) {
        return false;
    }
    const char *description = path_in(run, "host.yaml");
    return files_exist(description) ? write_rest(run, description) : write_new(run);
}
