/* SPDX-License-Identifier: MIT */
/*
 * program_render - one source and one header of a run: what stands around its graphs and kernels; and the other files:
 * the stub of compiled functions, the self-test.
 */
#include "program_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/table.h"
#include "plan/callee.h"
#include "render/selftest.h"

/* ---- values ---- */

/* A number for what a header declares, made from its text: neither its name nor its place is part of it, so that two
 * headers with the same name are not mistaken for each other. */
static const char *contract_number(Program *program)
{
    return arena_printf(program->arena, "%016" PRIx64, program->contract.value);
}

const char *program_quoted(Arena *arena, const char *text)
{
    Str out = str_new(arena);
    str_put_c_literal(&out, text);
    return str_text(&out);
}

Value program_view(Program *program, const char *declarations)
{
    View *view = program->view;
    Value root = view_root(view);
    const ProgramOptions *options = &program->options;
    Str banner = str_new(program->arena);
    str_put_c_comment(&banner, options->banner_name);
    view_set_text(view, root, "banner_name", str_text(&banner));
    view_set_text(view, root, "banner_hash", options->banner_hash);
    view_set_text(view, root, "header_name",
                  options->header_name != NULL ? program_quoted(program->arena, options->header_name) : NULL);
    view_set_text(view, root, "contract", declarations != NULL ? contract_number(program) : NULL);
    view_set(view, root, "declares", value_bool(declarations != NULL && declarations[0] != '\0'));
    view_set_text(view, root, "part", program->part_key);
    view_set(view, root, "part_headers", program->part_headers);
    view_set_text(view, root, "host_header", program_quoted(program->arena, program->host->header));
    view_set_text(view, root, "whole_header",
                  options->amalgamated ? program_quoted(program->arena, program->host->header) : NULL);
    view_set_text(view, root, "host_abi_symbol", program->host->abi_symbol);
    view_set(view, root, "has_kernels", value_bool(program->has_kernels));
    view_set_text(view, root, "declarations", declarations);
    return root;
}

/* ---- texts ---- */

static bool render_top(Program *program, MustacheEngine *engine, const char *name, Value root, Str *out)
{
    require_begin(&program->require, program->top, "the top of the source");
    program->failed = program->failed || !mustache_render(engine, name, root, out);
    return !program->failed;
}

/* Replaces the declarations while the text around them is rendered: they can be as long as the source. Nothing else
 * that is rendered has such bytes. */
static const char placeholder[] = "\001declarations\001";

/* Puts the text around the declarations into the pieces before and after them. */
static bool render_around(Program *program, MustacheEngine *engine, const char *name, Value root, LongText *text)
{
    Arena scratch;
    arena_init(&scratch);
    Str around = str_new(&scratch);
    const bool rendered = render_top(program, engine, name, root, &around);
    const char *before = str_text(&around);
    const char *at = strstr(before, placeholder);
    if (rendered && at != NULL) {
        str_add(&text->pieces[LONG_TOP].text, before, (size_t)(at - before));
        str_puts(&text->pieces[LONG_MIDDLE].text, at + strlen(placeholder));
    }
    arena_release(&scratch);
    return rendered && at != NULL;
}

/* Templates of the user's may do anything with the declarations, so they get all of them and put them where they like.
 */
static bool render_with(Program *program, MustacheEngine *engine, const char *name, Value root, LongText *text)
{
    const bool rendered = render_top(program, engine, name, root, &text->pieces[LONG_TOP].text);
    text->pieces[LONG_DECLARATIONS].text.length = 0;
    return rendered;
}

bool program_render_texts(Program *program, MustacheEngine *engine, LongText *source, LongText *header)
{
    LongText *declaring = header != NULL ? header : source;
    const Piece *declarations = &declaring->pieces[LONG_DECLARATIONS];
    view_use(program->view, program->arena);
    if (header != NULL) {
        (void)render_top(program, engine, "source", program_view(program, NULL), &source->pieces[LONG_TOP].text);
    }
    if (!program_render_items(program, engine, source, declaring)) {
        return false;
    }
    const bool apart = program->places_declarations && piece_length(declarations) > 0;
    const char *shown = apart ? placeholder : str_text(&declarations->text);
    view_use(program->view, program->arena);
    const Value root = program_view(program, shown);
    program->sizes.file = header != NULL ? SIZES_HEADER : SIZES_SOURCE;
    sizes_counted_before(&program->sizes, strlen(shown));
    const bool rendered =
        (apart ? render_around : render_with)(program, engine, header ? "header" : "source", root, declaring);
    program->sizes.file = SIZES_SOURCE;
    return rendered &&
           (header == NULL || render_top(program, engine, "source_end", root, &source->pieces[LONG_REST].text));
}

bool program_render(Program *program, TemplateStore *store, LongText *source, LongText *header)
{
    MustacheEngine *engine = program_begin(program, store, header != NULL);
    const bool rendered = program_render_texts(program, engine, source, header);
    program_end(program);
    return rendered;
}

void program_report_sizes(const Program *program, const LongText *source, const LongText *header, Str *out)
{
    sizes_report(&program->sizes, long_text_length(source), long_text_length(header), out);
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
    const char *name = callee_symbol(plan);
    const bool generated = !plan->backward && plan->graph->kernel != NULL; /* a dispatcher */
    return generated || !stub_begin(stub, name) ||
           mustache_render(stub->engine, "stub_function", view_callee(stub->program->view, plan), stub->out);
}

static bool stub_variants(Stub *stub, const Kernel *kernel)
{
    bool done = true;
    for (uint32_t i = 0; i < kernel->spec->variants_count && done; i++) {
        const SpecVariant *variant = &kernel->spec->variants[i];
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
    program_open_view(program, stub.engine);
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
    program_open_view(program, engine);
    const Value root = program_view(program, NULL);
    selftest_view(program->view, program->arena, root, program->sources, program->num_sources, program->host,
                  program->options.prefix, program->options.source_name);
    return mustache_render(engine, "selftest", root, out);
}

void program_dump_view(Program *program, Str *out)
{
    TemplateStore store = {.arena = program->arena, .diag = program->diag};
    Lowered lowered;
    program_open_view(program, program_engine(program, &store, NULL));
    view_dump(program->view, program_view(program, NULL), 0, out);
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        str_puts(out, "-");
        view_dump(program->view, program_lowered_view(program, &lowered), 2, out);
    }
}
