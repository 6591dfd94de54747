/* SPDX-License-Identifier: MIT */
/*
 * program - lowers all graphs and kernels of a run one after another. What comes of them as code is rendered in
 * program_render.c; what is short, plans for people and the contract, is written here.
 */
#include "program_private.h"

#include "render/contract.h"

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
static const Likeness *find_likeness(Program *program)
{
    const Spec **specs = ARENA_ARRAY(program->arena, const Spec *, program->num_sources);
    uint32_t *groups = ARENA_ARRAY(program->arena, uint32_t, program->num_graphs);
    uint32_t number = 0;
    for (uint32_t i = 0; i < program->num_sources; i++) {
        specs[i] = program->sources[i].spec;
        for (uint32_t g = 0; g < specs[i]->graphs_count; g++) {
            groups[number++] = program_part_of(program, i, g);
        }
    }
    return likeness_find(program->arena, specs, program->num_sources, groups);
}

Program *program_build(Arena *arena, Diag *diag, const Source *sources, size_t num_sources, const Host *host,
                       const ProgramOptions *options)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.arena = arena, .diag = diag, .host = host, .options = *options, .sources = sources};
    program->num_sources = num_sources;
    program->num_errors = diag->num_errors;
    program->sizes.arena = arena;
    program->families = families_new(arena, NULL, 0);
    program_split(program);
    program->likeness = find_likeness(program);
    arena_init(&program->graph);
    for (size_t i = 0; i < num_sources; i++) {
        Spec *spec = sources[i].spec;
        spec->places_by_name = options->split != SPLIT_NOT; /* an added graph changes the numbers */
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
