/* SPDX-License-Identifier: MIT */
/*
 * program - all graphs of a run: lowered one after the other, rendered into one source and one header.
 */
#include "program.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "embedded.h"
#include "lower.h"
#include "view.h"

struct Program {
    Arena *arena;
    Diag *diag;
    const Host *host;
    ProgramOptions options;
    Plan **plans;
    Plan **backwards; /* beside plans; null but for training */
    size_t num_plans;
};

static size_t count_graphs(const Source *sources, size_t num_sources)
{
    size_t n = 0;
    for (size_t i = 0; i < num_sources; i++) {
        n += sources[i].spec->graphs_count;
    }
    return n;
}

static void refuse_kernels(Diag *diag, const Spec *spec)
{
    for (uint32_t i = 0; i < spec->kernels_count; i++) {
        diag_report(diag, DIAG_ERROR, "E_UNSUPPORTED", diag_mapping(&spec->kernels[i]),
                    "a kernel (specialization key and dispatch) is not generated yet");
    }
}

static void add_graph(Program *program, const Spec *spec, uint32_t index, const char *prefix)
{
    Plan *plan = lower_graph(program->arena, program->diag, spec, index, program->host, prefix);
    if (plan == NULL) {
        return;
    }
    if (spec->graphs[index].mode == SPEC_TRAINING) {
        program->backwards[program->num_plans] =
            lower_backward(program->arena, program->diag, spec, index, program->host, prefix);
    }
    program->plans[program->num_plans++] = plan;
}

Program *program_build(Arena *arena, Diag *diag, const Source *sources, size_t num_sources, const Host *host,
                       const ProgramOptions *options)
{
    const size_t errors = diag->num_errors;
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.arena = arena, .diag = diag, .host = host, .options = *options};
    program->plans = ARENA_ARRAY(arena, Plan *, count_graphs(sources, num_sources) + 1);
    program->backwards = ARENA_ARRAY(arena, Plan *, count_graphs(sources, num_sources) + 1);
    for (size_t i = 0; i < num_sources; i++) {
        const Spec *spec = sources[i].spec;
        const char *prefix = options->prefix != NULL ? options->prefix : spec->prefix;
        refuse_kernels(diag, spec);
        for (uint32_t g = 0; g < spec->graphs_count; g++) {
            add_graph(program, spec, g, prefix);
        }
    }
    return diag->num_errors == errors ? program : NULL;
}

void program_dump_plan(const Program *program, Str *out)
{
    for (size_t i = 0; i < program->num_plans; i++) {
        plan_dump(program->plans[i], out);
        if (program->backwards[i] != NULL) {
            plan_dump(program->backwards[i], out);
        }
    }
}

/* ---- rendering ---- */

/* One file of the user's folder; false when it is not there (or could not be read, which was reported). */
static bool read_template(TemplateStore *store, const char *path, const char **text, size_t *length, const char **file)
{
    const char *full = arena_printf(store->arena, "%s/%s", store->directory, path);
    Source source = {0};
    if (access(full, F_OK) != 0 || !source_read(store->arena, store->diag, full, &source)) {
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

/* WRAPPERS_H for "wrappers.h" */
static const char *header_guard(Arena *arena, const char *header_name)
{
    Str guard = str_new(arena);
    str_puts(&guard, "WG_GENERATED_");
    for (const char *next = header_name; *next != '\0'; next++) {
        const char c = (char)(*next >= 'a' && *next <= 'z' ? *next - 'a' + 'A' : *next);
        const bool word = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        str_putc(&guard, word ? c : '_');
    }
    return str_text(&guard);
}

static const char *quoted(Arena *arena, const char *text)
{
    Str out = str_new(arena);
    str_put_c_literal(&out, text);
    return str_text(&out);
}

static Value program_view(const Program *program, View *view)
{
    Value root = view_root(view);
    Value graphs = value_list(program->arena);
    for (size_t i = 0; i < program->num_plans; i++) {
        value_push(program->arena, graphs, view_graph(view, program->plans[i], program->backwards[i]));
    }
    const ProgramOptions *options = &program->options;
    Str banner = str_new(program->arena);
    str_put_c_comment(&banner, options->banner_name);
    view_set_text(view, root, "banner_name", str_text(&banner));
    view_set_text(view, root, "banner_hash", options->banner_hash);
    view_set_text(view, root, "header_name",
                  options->header_name != NULL ? quoted(program->arena, options->header_name) : NULL);
    view_set_text(view, root, "guard",
                  options->header_name != NULL ? header_guard(program->arena, options->header_name) : NULL);
    view_set_text(view, root, "host_header", quoted(program->arena, program->host->header));
    view_set_text(view, root, "host_abi_symbol", program->host->abi_symbol);
    view_set(view, root, "graphs", graphs);
    return root;
}

static MustacheEngine *program_engine(const Program *program, TemplateStore *store)
{
    const MustacheConfig config = {.loader = load_template, .loader_ctx = store, .check = check_token, .strict = true};
    return mustache_new(program->arena, program->diag, &config);
}

bool program_render(Program *program, TemplateStore *store, Str *source, Str *header)
{
    MustacheEngine *engine = program_engine(program, store);
    View *view = view_new(program->arena, engine);
    const Value root = program_view(program, view);
    return mustache_render(engine, "source", root, source) &&
           (header == NULL || mustache_render(engine, "header", root, header));
}

void program_dump_view(const Program *program, Str *out)
{
    TemplateStore store = {.arena = program->arena, .diag = program->diag};
    View *view = view_new(program->arena, program_engine(program, &store));
    view_dump(view, program_view(program, view), 0, out);
}
