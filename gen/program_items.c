/* SPDX-License-Identifier: MIT */
/*
 * program_items - renders the graphs and kernels of a run, one after another; of a large run, half of them at the same
 * time on another processor.
 */
#include "program_private.h"

#include <setjmp.h>

#include "base/lane.h"

/* What the twin renders at a time is in memory until it is taken, so it stops once it has so many bytes. */
enum { TWIN_MOST = 512 * 1024 };

/* Some of the program's items, up to `until`. */
typedef struct Span {
    uint32_t from;
    uint32_t until;
} Span;

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
        .path = plan_graph_path(&program->graph, source->spec, first),
        .members = program->likeness[n].members,
        .named = program->likeness[program->likeness[n].first].named,
        .renamed = program->likeness[n].renamed,
    };
}

Value program_lowered_view(Program *program, const Lowered *lowered)
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
    const Value value = program_lowered_view(program, lowered);
    if (kernel) {
        require_begin(&program->require, lowered->kernel->spec, "the entries of the kernel and its choice");
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
static bool is_within(const Program *program, const Piece *piece)
{
    if (program->options.most_bytes == 0 || piece_length(piece) <= program->options.most_bytes) {
        return true;
    }
    diag_report(program->diag, DIAG_ERROR, "E_LIMIT", diag_nowhere(NULL),
                "an output is longer than %zu bytes ('--limit output=N' raises that)", program->options.most_bytes);
    return false;
}

/* What follows when an item's text is complete; of the twin's items, once they are taken. */
static void finish_item(Program *program, LongText *source, LongText *declaring, size_t before)
{
    const Str *declarations = &declaring->pieces[LONG_DECLARATIONS].text;
    program->contract = hash_add(program->contract, str_text(declarations) + before, declarations->length - before);
    long_text_move(source, LONG_REST);
    if (program->places_declarations) {
        long_text_move(declaring, LONG_DECLARATIONS);
    }
    progress_tell(&program->options.progress, "graphs", program->next, program->num_items);
}

/* After an error the rest is still lowered and rendered, so that every error shows: rendering finds what the host
 * lacks. A template that fails would fail again. */
static void render_items(Program *program, MustacheEngine *engine, Span span, LongText *source, LongText *declaring)
{
    Piece *definitions = &source->pieces[LONG_REST];
    Piece *declarations = &declaring->pieces[LONG_DECLARATIONS];
    Lowered lowered;
    program->from = span.from;
    program->until = span.until;
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        const size_t before = declarations->text.length;
        program->failed = program->failed ||
                          !render_one(program, engine, &lowered, &definitions->text, &declarations->text) ||
                          !is_within(program, definitions) || !is_within(program, declarations);
        if (!program->is_twin) {
            finish_item(program, source, declaring, before);
        } else if (piece_length(definitions) + piece_length(declarations) > TWIN_MOST) {
            return;
        }
    }
}

/* ---- the twin ---- */

/* Renders other items of the same program on another processor. It has its own copy of everything that is written
 * meanwhile. What it renders is used only if it has nothing to report: then it is what the program would render. */
struct ProgramTwin {
    Arena arena;
    Diag diag;
    TemplateStore store;
    Program program;
    MustacheEngine *engine;
    Lane lane;
    Span span;
    LongText text;
    jmp_buf exhausted; /* within twin_work() */
    bool is_done;
};

static ProgramTwin *twin_new(Program *program, bool has_header)
{
    ProgramTwin *twin = ARENA_NEW(program->arena, ProgramTwin);
    diag_init(&twin->diag, &twin->arena);
    twin->diag.disabled = program->diag->disabled;
    twin->store = (TemplateStore){.arena = &twin->arena, .diag = &twin->diag};
    twin->text = long_text(&twin->arena, NULL);
    twin->program = *program;
    twin->program.arena = &twin->arena;
    twin->program.diag = &twin->diag;
    twin->program.is_twin = true;
    twin->program.sizes = (Sizes){.arena = &twin->arena};
    arena_init(&twin->program.graph);
    verbs_look_at_ops(program->host->known);
    twin->engine = program_begin(&twin->program, &twin->store, has_header);
    return twin;
}

static void twin_release(ProgramTwin *twin)
{
    families_release(twin->program.families);
    arena_release(&twin->program.graph);
    arena_release(&twin->arena);
}

static void twin_leave(void *ctx)
{
    ProgramTwin *twin = ctx;
    longjmp(twin->exhausted, 1);
}

/* Not done: there is not enough memory for two, but maybe for one. */
static void twin_work(void *ctx)
{
    ProgramTwin *twin = ctx;
    Arena *const arenas[] = {&twin->arena, &twin->program.graph};
    for (int i = 0; i < 2; i++) {
        arenas[i]->on_exhausted = twin_leave;
        arenas[i]->exhausted_ctx = twin;
    }
    twin->is_done = false;
    if (setjmp(twin->exhausted) == 0) {
        render_items(&twin->program, twin->engine, twin->span, &twin->text, &twin->text);
        twin->is_done = true;
    }
}

static void twin_start(ProgramTwin *twin, Span span)
{
    twin->text.pieces[LONG_REST].text.length = 0;
    twin->text.pieces[LONG_DECLARATIONS].text.length = 0;
    twin->span = span;
    lane_start(&twin->lane, true, twin_work, twin);
}

static bool fits(const Program *program, const Piece *piece, const Piece *more)
{
    return program->options.most_bytes == 0 || piece_length(piece) + piece_length(more) <= program->options.most_bytes;
}

/* Adds what the twin has rendered. False: nothing is added, and its items are to be rendered here, for the messages. */
static bool twin_take(Program *program, const ProgramTwin *twin, LongText *source, LongText *declaring)
{
    Piece *definitions = &source->pieces[LONG_REST];
    Piece *declarations = &declaring->pieces[LONG_DECLARATIONS];
    const Piece *its_definitions = &twin->text.pieces[LONG_REST];
    const Piece *its_declarations = &twin->text.pieces[LONG_DECLARATIONS];
    if (!twin->is_done || twin->diag.num_reported > 0 || !fits(program, definitions, its_definitions) ||
        !fits(program, declarations, its_declarations)) {
        return false;
    }
    const size_t before = declarations->text.length;
    str_add(&definitions->text, str_text(&its_definitions->text), its_definitions->text.length);
    str_add(&declarations->text, str_text(&its_declarations->text), its_declarations->text.length);
    program->next = twin->program.next;
    finish_item(program, source, declaring, before);
    return true;
}

/* ---- who renders what ---- */

/* How many of the items that are left the program and its twin render each, when `done` items made `bytes` of text:
 * none if a thread would take about as long to start, and at first few, since later ones may be longer. */
static uint32_t twin_share(const Program *program, uint32_t done, size_t bytes, uint32_t left)
{
    if (!program->may_have_twin || done == 0) {
        return 0;
    }
    const size_t each = bytes / done + 1;
    const size_t most = TWIN_MOST / each + 1;
    const uint32_t share = left / 2 < 8 * done ? left / 2 : 8 * done;
    return each * left < program->options.twin_from ? 0 : most < share ? (uint32_t)most : share;
}

/* Renders the first half of the span while the twin renders the second, or the beginning of it. */
static void render_both(Program *program, MustacheEngine *engine, Span span, LongText *source, LongText *declaring)
{
    const uint32_t middle = span.from + (span.until - span.from) / 2;
    if (program->twin == NULL) {
        program->twin = twin_new(program, source != declaring);
    }
    twin_start(program->twin, (Span){middle, span.until});
    render_items(program, engine, (Span){span.from, middle}, source, declaring);
    lane_join(&program->twin->lane);
    if (!twin_take(program, program->twin, source, declaring)) {
        arena_release(&program->twin->program.graph);
        render_items(program, engine, program->twin->span, source, declaring);
        program->may_have_twin = false;
    }
}

bool program_render_items(Program *program, MustacheEngine *engine, LongText *source, LongText *declaring)
{
    const Span all = {program->from, program->until};
    program->contract = hash_start();
    for (Span left = all; left.from < left.until;) {
        const size_t bytes =
            piece_length(&source->pieces[LONG_REST]) + piece_length(&declaring->pieces[LONG_DECLARATIONS]);
        const uint32_t share = twin_share(program, left.from - all.from, bytes, left.until - left.from);
        const uint32_t count = share > 0 ? 2 * share : left.from == all.from ? 1 : left.until - left.from;
        const Span span = {left.from, left.from + count};
        (share > 0 ? render_both : render_items)(program, engine, span, source, declaring);
        left.from = program->next;
    }
    program->from = all.from;
    program->until = all.until;
    return !program->failed && program->diag->num_errors == program->num_errors;
}

void program_end(Program *program)
{
    if (program->twin != NULL) {
        twin_release(program->twin);
        program->twin = NULL;
    }
    families_release(program->families);
    program->families = families_new(program->arena, NULL, 0);
}
