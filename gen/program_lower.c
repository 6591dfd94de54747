/* SPDX-License-Identifier: MIT */
/*
 * program_lower - the graphs and kernels of a program, one after the other, as plans.
 */
#include "program_private.h"

static bool lower_next_graph(Program *program, const FamilyMember *member, Lowered *lowered)
{
    Plans plans = {0};
    const bool done = families_lower(program->families, &program->graph, program->diag, program->host, member, &plans);
    *lowered = (Lowered){.plan = plans.forward, .graph = member->number, .backward = plans.backward};
    return done;
}

/* Graphs of a file come first, then its kernels. */
static bool program_lower(Program *program, const ProgramItem *item, Lowered *lowered)
{
    Arena *arena = &program->graph;
    const Spec *spec = program->sources[item->source].spec;
    const uint32_t index = item->index;
    const char *prefix = program->options.prefix != NULL ? program->options.prefix : spec->prefix;
    *lowered = (Lowered){0};
    if (index >= spec->graphs_count) {
        const uint32_t kernel = index - spec->graphs_count;
        const KernelHost host = {host_has(program->host, "wg_lazy"), host_has(program->host, "wg_matches")};
        lowered->kernel = lower_kernel(arena, program->diag, spec, kernel, prefix, host);
        if (lowered->kernel != NULL) {
            lowered->kernel->strategy = program->options.strategy;
        }
        return lowered->kernel != NULL;
    }
    const FamilyMember member = {item->graph, spec, index, prefix};
    return lower_next_graph(program, &member, lowered);
}

bool program_next(Program *program, uint32_t index, Lowered *lowered)
{
    if (index == 0) {
        program->next = program->from;
    }
    while (program->next < program->until) {
        arena_reset(&program->graph);
        if (program_lower(program, &program->items[program->next++], lowered)) {
            return true;
        }
    }
    arena_release(&program->graph);
    return false;
}
