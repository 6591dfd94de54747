/* SPDX-License-Identifier: MIT */
/* gen_explain - finds the place of every message of a run, and the text around it. */
#include "gen_private.h"

#include "base/embedded.h"

/* The text of a file that a message points into but that is not an input: a template, the user's or built in. */
static bool find_text(const Run *run, const char *name, DiagFile *file)
{
    Diag unheard;
    Source source = {0};
    const EmbeddedFile *embedded = embedded_find(name);
    for (size_t i = 0; i < run->store.num_read; i++) {
        if (str_equal(run->store.read[i], name)) {
            embedded = NULL;
        }
    }
    if (embedded) {
        *file = (DiagFile){name, embedded->text, embedded->length};
        return true;
    }
    diag_init(&unheard, run->arena);
    if (!source_read_found(run->arena, &unheard, name, &source)) {
        return false;
    }
    *file = (DiagFile){name, source.text, source.length};
    return true;
}

static void add_file(Run *run, GenResult *result, const DiagPlace *place)
{
    if (!place->file || !place->line) {
        return;
    }
    for (size_t i = 0; i < result->num_files; i++) {
        if (str_equal(result->files[i].name, place->file)) {
            return;
        }
    }
    DiagFile file;
    if (!find_text(run, place->file, &file)) {
        return;
    }
    result->files =
        arena_grow(run->arena, result->files, result->num_files * sizeof file, (result->num_files + 1) * sizeof file);
    result->files[result->num_files++] = file;
}

void gen_explain(Run *run, GenResult *result)
{
    const size_t num_sources = run->sources ? run->options->num_inputs + (run->host_path != NULL) : 0;
    source_resolve(run->arena, run->diag, run->sources, num_sources);
    diag_sort(run->diag);
    result->files = ARENA_ARRAY(run->arena, DiagFile, num_sources);
    for (size_t i = 0; i < num_sources; i++) {
        result->files[result->num_files++] =
            (DiagFile){run->sources[i].name, run->sources[i].text, run->sources[i].length};
    }
    for (const DiagMessage *message = run->diag->first; message; message = message->next) {
        add_file(run, result, &message->place);
        for (const DiagNote *note = message->notes; note; note = note->next) {
            add_file(run, result, &note->place);
        }
    }
}
