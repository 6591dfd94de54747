/* SPDX-License-Identifier: MIT */
/*
 * program - lowers all graphs and kernels of a run one after another and renders them into one source and one header.
 */
#include "program.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "render/contract.h"
#include "base/embedded.h"
#include "base/hash.h"
#include "dispatch/kernel.h"
#include "facts/likeness.h"
#include "lower/lower.h"
#include "render/require.h"
#include "render/selftest.h"
#include "render/sizes.h"
#include "base/table.h"
#include "render/view.h"

struct Program {
    Arena *arena;
    Diag *diag;
    const Host *host;
    ProgramOptions options;
    const Source *sources;
    size_t num_sources;
    Arena graph; /* holds one graph or kernel at a time: its plans and its view */
    View *view;
    Sizes sizes;              /* of what was rendered */
    Require require;          /* what is needed of the host */
    uint32_t source_of;       /* where the next one is */
    uint32_t index_of;        /* graphs first, then kernels */
    size_t num_errors;        /* the time when the program was built */
    const Likeness *likeness; /* of all graphs, counted over all files */
    uint32_t graph_of;        /* which of them is the next one */
    bool has_kernels;
    const void
        *top; /* what the includes of the source are made for: the first kernel, or the first graph if there is none */
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

/* Before anything is put into the Specs. */
static const Likeness *find_likeness(Arena *arena, const Source *sources, size_t num_sources)
{
    const Spec **specs = ARENA_ARRAY(arena, const Spec *, num_sources);
    for (size_t i = 0; i < num_sources; i++) {
        specs[i] = sources[i].spec;
    }
    return likeness_find(arena, specs, num_sources);
}

Program *program_build(Arena *arena, Diag *diag, const Source *sources, size_t num_sources, const Host *host,
                       const ProgramOptions *options)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.arena = arena, .diag = diag, .host = host, .options = *options, .sources = sources};
    program->num_sources = num_sources;
    program->num_errors = diag->num_errors;
    program->sizes.arena = arena;
    program->likeness = find_likeness(arena, sources, num_sources);
    arena_init(&program->graph);
    for (size_t i = 0; i < num_sources; i++) {
        Spec *spec = sources[i].spec;
        resolve_kernels(arena, spec, options->prefix);
        if (spec->kernels_count > 0 && !program->has_kernels) {
            program->has_kernels = true;
            program->top = &spec->kernels[0];
        } else if (program->top == NULL && spec->graphs_count > 0) {
            program->top = &spec->graphs[0];
        }
    }
    return program;
}

/* ---- one graph or kernel at a time ---- */

typedef struct Lowered {
    Plan *plan;     /* of a graph */
    uint32_t graph; /* its number, counted over all files */
    Plan *backward; /* null but for training */
    Kernel *kernel; /* or a kernel: the others are null then */
} Lowered;

/* Graphs of a file come first, then its kernels. */
static bool program_lower(Program *program, const Spec *spec, uint32_t index, Lowered *lowered)
{
    Arena *arena = &program->graph;
    const char *prefix = program->options.prefix != NULL ? program->options.prefix : spec->prefix;
    *lowered = (Lowered){0};
    if (index >= spec->graphs_count) {
        const uint32_t kernel = index - spec->graphs_count;
        lowered->kernel = lower_kernel(arena, program->diag, spec, kernel, prefix);
        if (lowered->kernel != NULL) {
            lowered->kernel->strategy = program->options.strategy;
        }
        return lowered->kernel != NULL;
    }
    lowered->graph = program->graph_of++;
    lowered->plan = lower_graph(arena, program->diag, spec, index, program->host, prefix);
    if (lowered->plan != NULL && spec->graphs[index].mode == SPEC_TRAINING) {
        lowered->backward = lower_backward(arena, program->diag, spec, index, program->host, prefix);
        return lowered->backward != NULL;
    }
    return lowered->plan != NULL;
}

/* Lowers the next one that can be generated; false after the last one. One that cannot is reported and skipped, and
 * nothing will be written. */
static bool program_next(Program *program, uint32_t index, Lowered *lowered)
{
    if (index == 0) {
        program->source_of = 0;
        program->index_of = 0;
        program->graph_of = 0;
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

/* Makes two lists in one pass, since graphs and kernels of several files take turns. */
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

/* A number for what a header declares, made from its text: neither its name nor its place is part of it, so that two
 * headers with the same name are not mistaken for each other. */
static const char *contract_number(Program *program, const char *declarations)
{
    const Hash hash = hash_add(hash_start(), declarations, strlen(declarations));
    return arena_printf(program->arena, "%016" PRIx64, hash.value);
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
    view_set_text(view, root, "contract", declarations != NULL ? contract_number(program, declarations) : NULL);
    view_set(view, root, "declares", value_bool(declarations != NULL && declarations[0] != '\0'));
    view_set_text(view, root, "host_header", quoted(program->arena, program->host->header));
    view_set_text(view, root, "host_abi_symbol", program->host->abi_symbol);
    view_set(view, root, "has_kernels", value_bool(program->has_kernels));
    view_set_text(view, root, "declarations", declarations);
    return root;
}

/* `require` is null when the rendered text does not call the host. */
static MustacheEngine *program_engine(Program *program, TemplateStore *store, Require *require)
{
    const MustacheConfig config = {
        .loader = load_template,
        .loader_ctx = store,
        .check = check_token,
        .watch = require != NULL ? require_watch : NULL,
        .watch_ctx = require,
        .measure = program->options.measures ? sizes_measure : NULL,
        .measure_ctx = &program->sizes,
        .strict = true,
    };
    return mustache_new(program->arena, program->diag, &config);
}

/* What graph number n shares with those that are like it. */
static ViewSharing sharing_of(Program *program, uint32_t n)
{
    const ProgramOptions *options = &program->options;
    const Source *source = program->sources;
    uint32_t first = program->likeness[n].first;
    while (first >= source->spec->graphs_count) {
        first -= source->spec->graphs_count;
        source++;
    }
    return (ViewSharing){
        .symbol =
            arena_printf(&program->graph, "%s%s", options->prefix != NULL ? options->prefix : source->spec->prefix,
                         source->spec->graphs[first].name),
        .path = arena_printf(&program->graph, "graphs[%" PRIu32 "]", first),
        .members = program->likeness[n].members,
    };
}

static Value lowered_view(Program *program, const Lowered *lowered)
{
    view_use(program->view, &program->graph);
    if (lowered->kernel != NULL) {
        return view_kernel(program->view, lowered->kernel);
    }
    const ViewSharing sharing = sharing_of(program, lowered->graph);
    return view_graph(program->view, lowered->plan, lowered->backward, &sharing);
}

static bool render_one(Program *program, MustacheEngine *engine, const Lowered *lowered, Str *definitions,
                       Str *declarations)
{
    const bool kernel = lowered->kernel != NULL;
    const Value value = lowered_view(program, lowered);
    if (kernel) {
        require_begin(&program->require, lowered->kernel->kernel, "the entries of the kernel and its choice");
    } else {
        require_begin(&program->require, lowered->plan->graph, "the entries and exits of the wrapper");
    }
    program->sizes.file = program->options.header_name != NULL ? SIZES_HEADER : SIZES_SOURCE;
    if (!mustache_render(engine, kernel ? "kernel_declarations" : "graph_declarations", value, declarations)) {
        return false;
    }
    program->sizes.file = SIZES_SOURCE;
    const size_t before = sizes_functions(&program->sizes);
    const bool rendered = mustache_render(engine, kernel ? "kernel" : "graph", value, definitions);
    if (!kernel && program->likeness[lowered->graph].members > 1) {
        sizes_share(&program->sizes, lowered->plan->symbol, program->likeness[lowered->graph].members, before);
    }
    return rendered;
}

/* Checked after each graph, so that an output that is too large is noticed before it fills the memory. */
static bool is_within(const Program *program, const Str *text)
{
    if (program->options.most_bytes == 0 || text->length <= program->options.most_bytes) {
        return true;
    }
    diag_report(program->diag, DIAG_ERROR, "E_LIMIT", diag_nowhere(NULL),
                "an output is longer than %zu bytes ('--limit output=N' raises that)", program->options.most_bytes);
    return false;
}

/* After an error the rest is still lowered and rendered, so that every error shows: rendering finds what the host
 * lacks. A template that fails would fail again. */
static bool render_all(Program *program, MustacheEngine *engine, Str *definitions, Str *declarations)
{
    bool rendered = true;
    Lowered lowered;
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        rendered = rendered && render_one(program, engine, &lowered, definitions, declarations) &&
                   is_within(program, definitions) && is_within(program, declarations);
    }
    return rendered && program->diag->num_errors == program->num_errors;
}

static bool render_top(Program *program, MustacheEngine *engine, const char *name, Value root, Str *out)
{
    require_begin(&program->require, program->top, "the top of the source");
    return mustache_render(engine, name, root, out);
}

static void open_view(Program *program, MustacheEngine *engine)
{
    program->view = view_new(program->arena, engine);
    view_loop_from(program->view, program->options.loop_from);
}

/* The source is its top followed by graphs and kernels one by one, appended in their final place. Only without a header
 * are they moved once more, since their declarations come first. */
bool program_render(Program *program, TemplateStore *store, Str *source, Str *header)
{
    require_init(&program->require, program->arena, program->diag, program->host);
    MustacheEngine *engine = program_engine(program, store, &program->require);
    Str declarations = str_new(program->arena);
    open_view(program, engine);
    if (header != NULL) {
        view_tell(program->view);
    }
    if (header != NULL && !render_top(program, engine, "source", program_view(program, NULL), source)) {
        return false;
    }
    if (!render_all(program, engine, source, &declarations)) {
        return false;
    }
    view_use(program->view, program->arena);
    const Value root = program_view(program, str_text(&declarations));
    program->sizes.file = header != NULL ? SIZES_HEADER : SIZES_SOURCE;
    sizes_counted_before(&program->sizes, declarations.length);
    if (header != NULL && !render_top(program, engine, "header", root, header)) {
        return false;
    }
    program->sizes.file = SIZES_SOURCE;
    if (header != NULL) {
        return render_top(program, engine, "source_end", root, source);
    }
    Str top = str_new(program->arena);
    const bool rendered = render_top(program, engine, "source", root, &top);
    str_prepend(source, str_text(&top), top.length);
    return rendered;
}

void program_report_sizes(const Program *program, const Str *source, const Str *header, Str *out)
{
    sizes_report(&program->sizes, source, header, out);
}

/* ---- the stub of compiled functions ---- */

typedef struct Stub {
    Program *program;
    MustacheEngine *engine;
    Table written; /* by name: two graphs may call one function */
    Str *out;
} Stub;

/* Is this the first time that the function is seen? */
static bool stub_begin(Stub *stub, const char *name)
{
    const char *kept = arena_copy(stub->program->arena, name, strlen(name));
    return table_add(&stub->written, kept, strlen(kept), 0, 0) == NULL;
}

static bool stub_plan(Stub *stub, const Plan *plan)
{
    const char *name = plan->backward ? plan->graph->backward->compiled : plan->graph->compiled;
    const bool generated = !plan->backward && plan->graph->kernel != NULL; /* a dispatcher */
    return generated || !stub_begin(stub, name) ||
           mustache_render(stub->engine, "stub_function", view_callee(stub->program->view, plan), stub->out);
}

static bool stub_variants(Stub *stub, const Kernel *kernel)
{
    bool done = true;
    for (uint32_t i = 0; i < kernel->kernel->variants_count && done; i++) {
        const SpecVariant *variant = &kernel->kernel->variants[i];
        done = variant->graph != NULL || !stub_begin(stub, variant->symbol) ||
               mustache_render(stub->engine, "stub_variant", view_variant(stub->program->view, kernel, variant->symbol),
                               stub->out);
    }
    return done;
}

bool program_render_stub(Program *program, TemplateStore *store, Str *out)
{
    Stub stub = {.program = program, .engine = program_engine(program, store, NULL), .out = out};
    Lowered lowered;
    table_init(&stub.written, program->arena);
    open_view(program, stub.engine);
    bool done = mustache_render(stub.engine, "stub", program_view(program, NULL), out);
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        view_use(program->view, &program->graph);
        done = done && (lowered.kernel != NULL ? stub_variants(&stub, lowered.kernel)
                                               : stub_plan(&stub, lowered.plan) &&
                                                     (lowered.backward == NULL || stub_plan(&stub, lowered.backward)));
    }
    return done;
}

bool program_render_selftest(Program *program, TemplateStore *store, Str *out)
{
    MustacheEngine *engine = program_engine(program, store, NULL);
    if (!selftest_supported(program->diag, program->sources, program->num_sources)) {
        return false;
    }
    open_view(program, engine);
    const Value root = program_view(program, NULL);
    selftest_view(program->view, program->arena, root, program->sources, program->num_sources, program->host,
                  program->options.prefix, program->options.source_name);
    return mustache_render(engine, "selftest", root, out);
}

void program_dump_view(Program *program, Str *out)
{
    TemplateStore store = {.arena = program->arena, .diag = program->diag};
    Lowered lowered;
    open_view(program, program_engine(program, &store, NULL));
    view_dump(program->view, program_view(program, NULL), 0, out);
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        str_puts(out, "-");
        view_dump(program->view, lowered_view(program, &lowered), 2, out);
    }
}
