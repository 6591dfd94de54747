/* SPDX-License-Identifier: MIT */
/* program_diff - the portraits of all graphs and kernels of a program, for --diff. */
#include "program_private.h"

static Portrait *portrait_of(Program *program, MustacheEngine *engine, const Lowered *lowered)
{
    const bool is_kernel = lowered->kernel != NULL;
    Str declarations = str_new(&program->graph);
    const Value value = program_lowered_view(program, lowered);
    if (!mustache_render(engine, is_kernel ? "kernel_declarations" : "graph_declarations", value, &declarations)) {
        return NULL;
    }
    return is_kernel ? portrait_kernel(program->arena, lowered->kernel, str_text(&declarations))
                     : portrait_graph(program->arena, lowered->plan, lowered->backward, str_text(&declarations));
}

bool program_portraits(Program *program, TemplateStore *store, Portraits *out)
{
    MustacheEngine *engine = program_engine(program, store, NULL);
    uint32_t capacity = program->num_graphs;
    Lowered lowered;
    for (size_t i = 0; i < program->num_sources; i++) {
        capacity += program->sources[i].spec->kernels_count;
    }
    *out = (Portraits){.at = ARENA_ARRAY(program->arena, Portrait *, capacity)};
    program_open_view(program, engine);
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        Portrait *portrait = portrait_of(program, engine, &lowered);
        if (portrait != NULL) {
            out->at[out->count++] = portrait;
        }
    }
    view_use(program->view, program->arena);
    return program->diag->num_errors == program->num_errors;
}
