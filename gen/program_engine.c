/* SPDX-License-Identifier: MIT */
/*
 * program_engine - the engine that renders a program's templates, built-in ones or the user's, and what it is given.
 */
#include "program_private.h"

#include <unistd.h>

#include "base/embedded.h"
#include "render/frozen.h"

/* ---- templates ---- */

/* One file of the user's folder; false when it is not there (or could not be read, which was reported). */
static bool read_template(TemplateStore *store, const char *path, const char **text, size_t *length, const char **file)
{
    const char *full = arena_printf(store->arena, "%s/%s", store->directory, path);
    Source source = {0};
    if (access(full, F_OK) != 0 || !source_read_found(store->arena, store->diag, full, &source)) {
        return false;
    }
    store->read =
        arena_grow(store->arena, store->read, store->num_read * sizeof(char *), (store->num_read + 1) * sizeof(char *));
    store->read[store->num_read++] = full;
    *text = source.text;
    *length = source.length;
    *file = full;
    return true;
}

static bool load_template(void *ctx, const char *name, const char **text, size_t *length, const char **file)
{
    TemplateStore *store = ctx;
    const char *path = arena_printf(store->arena, "%s.mustache", name);
    if (store->directory != NULL && read_template(store, path, text, length, file)) {
        return true;
    }
    const EmbeddedFile *embedded = embedded_find(path);
    if (embedded == NULL) {
        return false;
    }
    *text = embedded->text;
    *length = embedded->length;
    *file = path;
    return true;
}

static bool check_token(void *ctx, const char *text, size_t length, Str *out)
{
    (void)ctx;
    if (!view_is_token(text, length)) {
        return false;
    }
    str_add(out, text, length);
    return true;
}

MustacheEngine *program_engine_for(Program *program, TemplateStore *store, Require *require, MustacheCheck check)
{
    const MustacheConfig config = {
        .loader = load_template,
        .loader_ctx = store,
        .check = check,
        .watch = require != NULL ? require_watch : NULL,
        .watch_ctx = require,
        .measure = program->options.measures ? sizes_measure : NULL,
        .measure_ctx = &program->sizes,
        .most_bytes = program->options.most_bytes,
        .most_steps = program->options.most_steps,
        .frozen = store->directory == NULL ? &mustache_frozen : NULL,
        .strict = true,
    };
    return mustache_new(program->arena, program->diag, &config);
}

MustacheEngine *program_engine(Program *program, TemplateStore *store, Require *require)
{
    return program_engine_for(program, store, require, check_token);
}

void program_open_view(Program *program, MustacheEngine *engine)
{
    program->view = view_new(program->arena, engine);
    view_loop_from(program->view, program->options.loop_from);
}

MustacheEngine *program_begin(Program *program, TemplateStore *store, bool has_header)
{
    require_init(&program->require, program->arena, program->diag, program->host);
    MustacheEngine *engine = program_engine(program, store, &program->require);
    program_open_view(program, engine);
    if (has_header) {
        view_tell(program->view);
    }
    if (store->directory == NULL) {
        view_plain(program->view);
    }
    program->failed = false;
    program->places_declarations = store->directory == NULL;
    program->may_have_twin = store->directory == NULL && !program->options.measures && program->host->asked == NULL &&
                             program->arena->on_exhausted == NULL;
    program->families = families_new(program->arena, program->likeness, program->num_graphs);
    return engine;
}
