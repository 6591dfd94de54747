/* SPDX-License-Identifier: MIT */
/*
 * program_split - the graphs and kernels of a run in parts, each rendered as a program of its own: a source and a
 * header that hold only what belongs to its graphs and kernels. So a change of one of them changes one part, and a
 * compiler has to see that part again and no other.
 *
 * Nothing in a part may say how many graphs there are, which number a graph has or what the bytes of the input are.
 * What part a graph is in follows from its name, or its file. Graphs that are alike share code within a part, never
 * across parts.
 */
#include "program_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

/* ---- which part ---- */

static const char *item_symbol(const Program *program, const Spec *spec, uint32_t index)
{
    const char *prefix = program->options.prefix != NULL ? program->options.prefix : spec->prefix;
    const char *name =
        index < spec->graphs_count ? spec->graphs[index].name : spec->kernels[index - spec->graphs_count].name;
    return arena_printf(program->arena, "%s%s", prefix, name);
}

const char *program_file_part(Arena *arena, const char *path)
{
    const char *name = str_base_name(path);
    const char *dot = strrchr(name, '.');
    return arena_copy(arena, name, dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name));
}

/* The part of an item, `number` being its place in the order of files. */
static uint32_t choose_part(Program *program, uint32_t source, uint32_t index, uint32_t number)
{
    if (program->options.split == SPLIT_NOT) {
        return 0;
    }
    if (program->options.split == SPLIT_FILES) {
        return source;
    }
    const char *symbol = item_symbol(program, program->sources[source].spec, index);
    if (program->options.split == SPLIT_GRAPHS) {
        program->parts[number].name = symbol;
        return number;
    }
    const Hash hash = hash_add(hash_start(), symbol, strlen(symbol));
    return (uint32_t)((hash.value ^ hash.value >> 32) % program->num_parts); /* the low bits alone hardly mix */
}

static uint32_t count_parts(const Program *program)
{
    switch (program->options.split) {
    case SPLIT_NOT:
        return 1;
    case SPLIT_EVENLY:
        return program->options.num_parts;
    case SPLIT_GRAPHS:
        return program->num_items;
    case SPLIT_FILES:
        return (uint32_t)program->num_sources;
    }
    return 1;
}

static void name_parts(Program *program)
{
    for (uint32_t i = 0; i < program->num_parts; i++) {
        if (program->options.split == SPLIT_EVENLY) {
            program->parts[i].name = arena_printf(program->arena, "%" PRIu32, i);
        } else if (program->options.split == SPLIT_FILES) {
            program->parts[i].name = program_file_part(program->arena, program->sources[i].name);
        }
    }
}

/* Lists the items in the order of files. */
static void list_items(Program *program)
{
    uint32_t number = 0;
    uint32_t graph = 0;
    for (uint32_t i = 0; i < program->num_sources; i++) {
        const Spec *spec = program->sources[i].spec;
        for (uint32_t k = 0; k < spec->graphs_count + spec->kernels_count; k++) {
            program->items[number++] = (ProgramItem){i, k, graph};
            graph += k < spec->graphs_count;
        }
    }
}

/* Lists them part by part, each part in the order of files. */
static void order_items(Program *program)
{
    ProgramItem *ordered = ARENA_ARRAY(program->arena, ProgramItem, program->num_items);
    for (uint32_t i = 0; i < program->num_items; i++) {
        program->parts[program->part_of[i]].until++;
    }
    for (uint32_t i = 0; i < program->num_parts; i++) {
        ProgramPart *part = &program->parts[i];
        part->from = i > 0 ? part[-1].from + part[-1].until : 0;
    }
    for (uint32_t i = 0; i < program->num_parts; i++) {
        program->parts[i].until = program->parts[i].from;
    }
    for (uint32_t i = 0; i < program->num_items; i++) {
        ordered[program->parts[program->part_of[i]].until++] = program->items[i];
    }
    program->items = ordered;
}

void program_split(Program *program)
{
    uint32_t number = 0;
    program->part_headers = value_list(program->arena);
    program->first_of = ARENA_ARRAY(program->arena, uint32_t, program->num_sources);
    for (uint32_t i = 0; i < program->num_sources; i++) {
        const Spec *spec = program->sources[i].spec;
        program->first_of[i] = program->num_items;
        program->num_graphs += spec->graphs_count;
        program->num_items += spec->graphs_count + spec->kernels_count;
    }
    program->num_parts = count_parts(program);
    program->items = ARENA_ARRAY(program->arena, ProgramItem, program->num_items);
    program->part_of = ARENA_ARRAY(program->arena, uint32_t, program->num_items);
    program->parts = ARENA_ARRAY(program->arena, ProgramPart, program->num_parts);
    program->until = program->num_items;
    name_parts(program);
    for (uint32_t i = 0; i < program->num_sources; i++) {
        const Spec *spec = program->sources[i].spec;
        for (uint32_t k = 0; k < spec->graphs_count + spec->kernels_count; k++, number++) {
            program->part_of[number] = choose_part(program, i, k, number);
        }
    }
    list_items(program);
    order_items(program);
}

uint32_t program_part_of(const Program *program, uint32_t source, uint32_t graph_index)
{
    return program->part_of[program->first_of[source] + graph_index];
}

ProgramPart *program_parts(Program *program, uint32_t *num_parts)
{
    *num_parts = program->num_parts;
    return program->parts;
}

/* ---- what a part says ---- */

/* The files that its graphs and kernels are from. */
static const char *part_banner(const Program *program, const ProgramPart *part)
{
    Str out = str_new(program->arena);
    for (uint32_t i = part->from; i < part->until; i++) {
        const uint32_t source = program->items[i].source;
        if (i > part->from && source == program->items[i - 1].source) {
            continue;
        }
        str_printf(&out, "%s%s", i > part->from ? ", " : "", str_base_name(program->sources[source].name));
    }
    str_puts(&out, part->from == part->until ? "no graph" : "");
    return str_text(&out);
}

/* The headers of other parts with the graphs that this one's kernels choose. `listed` holds, by part, for which part it
 * was listed last, counted from 1. */
static Value part_headers(Program *program, const ProgramPart *part, uint32_t *listed)
{
    const uint32_t number = (uint32_t)(part - program->parts);
    Value headers = value_list(program->arena);
    listed[number] = number + 1;
    for (uint32_t i = part->from; i < part->until; i++) {
        const ProgramItem *item = &program->items[i];
        const Spec *spec = program->sources[item->source].spec;
        const SpecKernel *kernel =
            item->index < spec->graphs_count ? NULL : &spec->kernels[item->index - spec->graphs_count];
        for (uint32_t v = 0; kernel != NULL && v < kernel->variants_count; v++) {
            const SpecVariant *variant = &kernel->variants[v];
            const uint32_t other =
                variant->graph != NULL ? program_part_of(program, item->source, variant->graph_index) : number;
            if (listed[other] == number + 1) {
                continue;
            }
            Value header = view_root(program->view);
            view_set_text(program->view, header, "value",
                          program_quoted(program->arena, program->parts[other].header_name));
            value_push(program->arena, headers, header);
            listed[other] = number + 1;
        }
    }
    return headers;
}

static bool has_kernel(const Program *program, const ProgramPart *part)
{
    bool found = false;
    for (uint32_t i = part->from; i < part->until; i++) {
        const ProgramItem *item = &program->items[i];
        found = found || item->index >= program->sources[item->source].spec->graphs_count;
    }
    return found;
}

/* ---- rendering ---- */

/* Rendered elsewhere, so that what is kept has no more room than it needs. */
static bool render_part(Program *program, MustacheEngine *engine, ProgramPart *part, uint32_t *listed)
{
    Arena scratch;
    arena_init(&scratch);
    LongText source = long_text(&scratch, NULL);
    LongText header = long_text(&scratch, NULL);
    const Hash key = hash_add(hash_start(), part->name, strlen(part->name));
    view_use(program->view, program->arena);
    program->from = part->from;
    program->until = part->until;
    program->part_key = arena_printf(program->arena, "%016" PRIx64, key.value);
    program->part_headers = part_headers(program, part, listed);
    program->has_kernels = has_kernel(program, part);
    program->options.header_name = part->header_name;
    program->options.banner_name = part_banner(program, part);
    program->options.banner_hash = NULL;
    const bool rendered = program_render_texts(program, engine, &source, &header);
    part->source = long_text_joined(&source, program->arena);
    part->source_length = long_text_length(&source);
    part->header = long_text_joined(&header, program->arena);
    part->header_length = long_text_length(&header);
    arena_release(&scratch);
    return rendered;
}

/* The source and the header that include the parts. */
static bool render_lists(Program *program, MustacheEngine *engine, Str *source, Str *header)
{
    view_use(program->view, program->arena);
    Value root = program_view(program, NULL);
    Value parts = value_list(program->arena);
    for (uint32_t i = 0; i < program->num_parts; i++) {
        Value part = view_root(program->view);
        view_set_text(program->view, part, "part_source",
                      program_quoted(program->arena, program->parts[i].source_name));
        view_set_text(program->view, part, "part_header",
                      program_quoted(program->arena, program->parts[i].header_name));
        value_push(program->arena, parts, part);
    }
    view_set(program->view, root, "parts", parts);
    if (!mustache_render(engine, "split_source", root, source)) {
        return false;
    }
    view_set_text(program->view, root, "banner_hash", NULL); /* so that it stays the same until there are other parts */
    return mustache_render(engine, "split_header", root, header);
}

/* What else is written about the graphs and kernels is not in parts. */
static void unite(Program *program)
{
    for (size_t i = 0; i < program->num_sources; i++) {
        program->sources[i].spec->places_by_name = false;
    }
    program->part_key = NULL;
    program->part_headers = value_list(program->arena);
    program->from = 0;
    program->until = program->num_items;
    list_items(program);
}

bool program_render_parts(Program *program, TemplateStore *store, ProgramPart *parts, uint32_t num_parts,
                          LongText *source, LongText *header)
{
    const ProgramOptions options = program->options;
    const bool has_kernels = program->has_kernels;
    MustacheEngine *engine = program_begin(program, store, true);
    uint32_t *listed = ARENA_ARRAY(program->arena, uint32_t, num_parts);
    bool rendered = true;
    for (uint32_t i = 0; i < num_parts; i++) {
        rendered = render_part(program, engine, &parts[i], listed) && rendered;
    }
    program_end(program);
    program->options = options;
    program->has_kernels = has_kernels;
    unite(program);
    return rendered && render_lists(program, engine, &source->pieces[LONG_TOP].text, &header->pieces[LONG_TOP].text);
}
