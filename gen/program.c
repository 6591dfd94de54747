/* SPDX-License-Identifier: MIT */
/*
 * program - all graphs and kernels of a run: lowered one after the other, rendered into one source and one header.
 */
#include "program.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "contract.h"
#include "embedded.h"
#include "kernel.h"
#include "lower.h"
#include "selftest.h"
#include "view.h"

struct Program {
    Arena *arena;
    Diag *diag;
    const Host *host;
    ProgramOptions options;
    const Source *sources;
    size_t num_sources;
    Arena graph; /* holds one graph or kernel at a time: its plans and its view */
    View *view;
    uint32_t source_of; /* where the one that comes next is */
    uint32_t index_of;  /* graphs first, then kernels */
    size_t num_errors;  /* when the program was built */
    bool has_kernels;
};

/* A graph that names a kernel calls its dispatcher, which is called like any compiled function. */
static void resolve_kernels(Arena *arena, Spec *spec, const char *prefix)
{
    for (uint32_t i = 0; i < spec->graphs_count; i++) {
        SpecGraph *graph = &spec->graphs[i];
        if (graph->kernel != NULL) {
            graph->compiled = arena_printf(arena, "%s%s", prefix != NULL ? prefix : spec->prefix, graph->kernel);
        }
    }
}

Program *program_build(Arena *arena, Diag *diag, const Source *sources, size_t num_sources, const Host *host,
                       const ProgramOptions *options)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.arena = arena, .diag = diag, .host = host, .options = *options, .sources = sources};
    program->num_sources = num_sources;
    program->num_errors = diag->num_errors;
    arena_init(&program->graph);
    for (size_t i = 0; i < num_sources; i++) {
        resolve_kernels(arena, sources[i].spec, options->prefix);
        program->has_kernels = program->has_kernels || sources[i].spec->kernels_count > 0;
    }
    return program;
}

/* ---- one graph or kernel at a time ---- */

typedef struct Lowered {
    Plan *plan;     /* of a graph */
    Plan *backward; /* null but for training */
    Kernel *kernel; /* or a kernel: the others are null then */
} Lowered;

/* Graphs of a file come first, then its kernels. */
static bool program_lower(Program *program, const Spec *spec, uint32_t index, Lowered *lowered)
{
    Arena *arena = &program->graph;
    const char *prefix = program->options.prefix != NULL ? program->options.prefix : spec->prefix;
    *lowered = (Lowered){NULL, NULL, NULL};
    if (index >= spec->graphs_count) {
        const uint32_t kernel = index - spec->graphs_count;
        lowered->kernel = lower_kernel(arena, program->diag, spec, kernel, program->host, prefix);
        if (lowered->kernel != NULL) {
            lowered->kernel->strategy = program->options.strategy;
        }
        return lowered->kernel != NULL;
    }
    lowered->plan = lower_graph(arena, program->diag, spec, index, program->host, prefix);
    if (lowered->plan != NULL && spec->graphs[index].mode == SPEC_TRAINING) {
        lowered->backward = lower_backward(arena, program->diag, spec, index, program->host, prefix);
        return lowered->backward != NULL;
    }
    return lowered->plan != NULL;
}

/* The next one that can be generated, lowered; false behind the last one. What cannot is reported and skipped: nothing
 * will be written then. */
static bool program_next(Program *program, uint32_t index, Lowered *lowered)
{
    if (index == 0) {
        program->source_of = 0;
        program->index_of = 0;
    }
    for (; program->source_of < program->num_sources; program->source_of++, program->index_of = 0) {
        const Spec *spec = program->sources[program->source_of].spec;
        while (program->index_of < spec->graphs_count + spec->kernels_count) {
            arena_reset(&program->graph);
            if (program_lower(program, spec, program->index_of++, lowered)) {
                return true;
            }
        }
    }
    arena_release(&program->graph);
    return false;
}

void program_dump_plan(Program *program, const char *layer, Str *out)
{
    Layer wanted = LAYER_COUNT;
    Lowered lowered;
    if (layer != NULL && !plan_layer(layer, &wanted)) {
        return;
    }
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        if (lowered.kernel != NULL) {
            if (wanted == LAYER_COUNT) { /* a kernel has no wrappers */
                kernel_dump(lowered.kernel, out);
            }
            continue;
        }
        plan_dump(lowered.plan, wanted, out);
        if (lowered.backward != NULL) {
            plan_dump(lowered.backward, wanted, out);
        }
    }
}

/* Two lists, made in one pass: graphs and kernels of several files take turns. */
void program_contract(Program *program, Str *out)
{
    Str kernels = str_new(program->arena);
    const char *before_graph = "\n    ";
    const char *before_kernel = "\n    ";
    Lowered lowered;
    str_puts(out, "{\n  \"contract\": 1,\n  \"input\": ");
    str_put_json(out, program->options.banner_name);
    str_printf(out, ",\n  \"input_hash\": \"%s\",\n  \"host\": ", program->options.banner_hash);
    str_put_json(out, program->host->name);
    str_puts(out, ",\n  \"graphs\": [");
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        if (lowered.kernel != NULL) {
            str_puts(&kernels, before_kernel);
            contract_kernel(lowered.kernel, &kernels);
            before_kernel = ",\n    ";
        } else {
            str_puts(out, before_graph);
            contract_graph(lowered.plan, lowered.backward, out);
            before_graph = ",\n    ";
        }
    }
    str_puts(out, "],\n  \"kernels\": [");
    str_add(out, str_text(&kernels), kernels.length);
    str_puts(out, "]\n}\n");
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

static Value program_view(Program *program, const char *declarations)
{
    View *view = program->view;
    Value root = view_root(view);
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
    view_set(view, root, "has_kernels", value_bool(program->has_kernels));
    view_set_text(view, root, "declarations", declarations);
    return root;
}

static MustacheEngine *program_engine(const Program *program, TemplateStore *store)
{
    const MustacheConfig config = {.loader = load_template, .loader_ctx = store, .check = check_token, .strict = true};
    return mustache_new(program->arena, program->diag, &config);
}

static Value lowered_view(Program *program, const Lowered *lowered)
{
    view_use(program->view, &program->graph);
    return lowered->kernel != NULL ? view_kernel(program->view, lowered->kernel)
                                   : view_graph(program->view, lowered->plan, lowered->backward);
}

static bool render_one(Program *program, MustacheEngine *engine, const Lowered *lowered, Str *definitions,
                       Str *declarations)
{
    const bool kernel = lowered->kernel != NULL;
    const Value value = lowered_view(program, lowered);
    return mustache_render(engine, kernel ? "kernel_declarations" : "graph_declarations", value, declarations) &&
           mustache_render(engine, kernel ? "kernel" : "graph", value, definitions);
}

/* With an error reported, what is left is lowered all the same, so that every error shows, but no longer rendered. */
static bool render_all(Program *program, MustacheEngine *engine, Str *definitions, Str *declarations)
{
    bool rendered = true;
    Lowered lowered;
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        rendered = rendered && program->diag->num_errors == program->num_errors &&
                   render_one(program, engine, &lowered, definitions, declarations);
    }
    return rendered && program->diag->num_errors == program->num_errors;
}

/* The source is its top and then graphs and kernels one by one, appended where they will stay. Only without a header do
 * they move once more, since their declarations come first. */
bool program_render(Program *program, TemplateStore *store, Str *source, Str *header)
{
    MustacheEngine *engine = program_engine(program, store);
    Str declarations = str_new(program->arena);
    program->view = view_new(program->arena, engine);
    if (header != NULL && !mustache_render(engine, "source", program_view(program, NULL), source)) {
        return false;
    }
    if (!render_all(program, engine, source, &declarations)) {
        return false;
    }
    view_use(program->view, program->arena);
    const Value root = program_view(program, str_text(&declarations));
    if (header != NULL) {
        return mustache_render(engine, "header", root, header);
    }
    Str top = str_new(program->arena);
    const bool rendered = mustache_render(engine, "source", root, &top);
    str_prepend(source, str_text(&top), top.length);
    return rendered;
}

bool program_render_selftest(Program *program, TemplateStore *store, Str *out)
{
    MustacheEngine *engine = program_engine(program, store);
    if (!selftest_supported(program->diag, program->sources, program->num_sources)) {
        return false;
    }
    program->view = view_new(program->arena, engine);
    const Value root = program_view(program, NULL);
    selftest_view(program->view, program->arena, root, program->sources, program->num_sources, program->host,
                  program->options.prefix, program->options.source_name);
    return mustache_render(engine, "selftest", root, out);
}

void program_dump_view(Program *program, Str *out)
{
    TemplateStore store = {.arena = program->arena, .diag = program->diag};
    Lowered lowered;
    program->view = view_new(program->arena, program_engine(program, &store));
    view_dump(program->view, program_view(program, NULL), 0, out);
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        str_puts(out, "-");
        view_dump(program->view, lowered_view(program, &lowered), 2, out);
    }
}
