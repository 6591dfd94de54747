/* SPDX-License-Identifier: MIT */
/* family - see family.h. */
#include "family.h"

#include <string.h>

#include "lower.h"

enum { KEPT_MOST = 32 * 1024 * 1024 };

typedef struct Family {
    Arena arena; /* of the plans */
    Plans plans; /* of the first that came; null once they have been given back */
    size_t size; /* of the arena when they were made; what is rendered from them is there too */
    uint32_t waiting;
} Family;

struct Families {
    Arena *arena;
    const Likeness *likeness;
    Family **of_first; /* null: not kept */
    uint32_t num_graphs;
    size_t kept;      /* bytes */
    Family *finished; /* whose last member is in use; given back when the next graph comes */
};

Families *families_new(Arena *arena, const Likeness *likeness, uint32_t num_graphs)
{
    Families *families = ARENA_NEW(arena, Families);
    *families = (Families){.arena = arena, .likeness = likeness, .num_graphs = likeness != NULL ? num_graphs : 0};
    families->of_first = ARENA_ARRAY(arena, Family *, families->num_graphs);
    return families;
}

static bool lower_both(Arena *arena, Diag *diag, const Host *host, const FamilyMember *member, Plans *plans)
{
    const bool training = member->spec->graphs[member->index].mode == SPEC_TRAINING;
    *plans = (Plans){.forward = lower_graph(arena, diag, member->spec, member->index, host, member->prefix)};
    if (plans->forward != NULL && training) {
        plans->backward = lower_backward(arena, diag, member->spec, member->index, host, member->prefix);
    }
    return plans->forward != NULL && (!training || plans->backward != NULL);
}

/* ---- names ---- */

/* What the graph that came first calls something, to what another one calls it. */
typedef struct Renaming {
    Arena *arena;
    Table names;
    const char **own;
} Renaming;

static void rename_to(Renaming *renaming, const char *name, const char *own)
{
    renaming->own[renaming->names.count] = own;
    (void)table_add(&renaming->names, name, strlen(name), 0, renaming->names.count);
}

/* Like graphs have lists of the same lengths. */
static Renaming renaming_of(Arena *arena, const SpecGraph *first, const SpecGraph *graph)
{
    Renaming renaming = {.arena = arena};
    const size_t most = (size_t)graph->inputs_count + graph->intermediate_bases_count + graph->outputs_count +
                        graph->synthetic_bases_count;
    renaming.own = ARENA_ARRAY(arena, const char *, most + 1);
    table_init(&renaming.names, arena);
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        rename_to(&renaming, first->inputs[i].name, graph->inputs[i].name);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        rename_to(&renaming, first->intermediate_bases[i].name, graph->intermediate_bases[i].name);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        rename_to(&renaming, first->outputs[i].name, graph->outputs[i].name);
    }
    for (uint32_t i = 0; i < graph->synthetic_bases_count; i++) {
        rename_to(&renaming, first->synthetic_bases[i].name, graph->synthetic_bases[i].name);
    }
    return renaming;
}

/* "w", or "w.a" for a part of it. */
static const char *renamed(const Renaming *renaming, const char *name)
{
    const size_t length = name != NULL ? strcspn(name, ".") : 0;
    const TableEntry *known = name != NULL ? table_find(&renaming->names, name, length) : NULL;
    if (known == NULL) {
        return name;
    }
    const char *own = renaming->own[known->index];
    return name[length] == '\0' ? own : arena_printf(renaming->arena, "%s%s", own, name + length);
}

static PlanValues renamed_values(const Renaming *renaming, const PlanValues *values)
{
    PlanValues own = {.count = values->count, .capacity = values->count};
    own.at = ARENA_ARRAY(renaming->arena, PlanValue, values->count);
    for (uint32_t i = 0; i < values->count; i++) {
        own.at[i] = values->at[i];
        own.at[i].name = renamed(renaming, values->at[i].name);
    }
    return own;
}

static void rename_plan(const Renaming *renaming, Plan *plan)
{
    Site **sites = ARENA_ARRAY(renaming->arena, Site *, plan->num_sites);
    for (uint32_t i = 0; i < plan->num_sites; i++) {
        sites[i] = ARENA_NEW(renaming->arena, Site);
        *sites[i] = *plan->sites[i];
        sites[i]->argument = renamed(renaming, sites[i]->argument);
    }
    plan->sites = sites;
    plan->arguments = renamed_values(renaming, &plan->arguments);
    plan->returns = renamed_values(renaming, &plan->returns);
}

/* ---- plans ---- */

/* Everything but names is that of the one that came first. */
static Plan *plan_for(Arena *arena, const Plan *first, const FamilyMember *member, const Renaming *renaming)
{
    Plan *plan = ARENA_NEW(arena, Plan);
    *plan = *first;
    plan->arena = arena;
    plan->spec = member->spec;
    plan->graph_index = member->index;
    plan->graph = &member->spec->graphs[member->index];
    plan->symbol = arena_printf(arena, "%s%s", member->prefix, plan->graph->name);
    plan->path = plan_graph_path(arena, member->spec, member->index);
    if (renaming != NULL) {
        rename_plan(renaming, plan);
    }
    return plan;
}

static void give_back(Families *families, Family *family)
{
    if (family != NULL) {
        families->kept -= family->size;
        arena_release(&family->arena);
        *family = (Family){0};
    }
}

/* The first of a family that comes, and what the others will need of it if there is room for that. */
static bool lower_first(Families *families, Arena *arena, Diag *diag, const Host *host, const FamilyMember *member,
                        Plans *plans)
{
    const uint32_t first = families->likeness[member->number].first;
    const uint32_t members = families->likeness[first].members;
    if (members == 1 || families->kept > KEPT_MOST) {
        return lower_both(arena, diag, host, member, plans);
    }
    const size_t reported = diag->num_errors + diag->num_warnings;
    Family *family = ARENA_NEW(families->arena, Family);
    family->arena =
        (Arena){.on_exhausted = families->arena->on_exhausted, .exhausted_ctx = families->arena->exhausted_ctx};
    family->waiting = members - 1;
    families->of_first[first] = family;
    const bool lowered = lower_both(&family->arena, diag, host, member, plans);
    family->plans = *plans;
    family->size = family->arena.used;
    families->kept += family->size;
    if (!lowered || diag->num_errors + diag->num_warnings != reported) {
        family->plans = (Plans){0}; /* each member shall report that */
    }
    return lowered;
}

bool families_lower(Families *families, Arena *arena, Diag *diag, const Host *host, const FamilyMember *member,
                    Plans *plans)
{
    if (families->num_graphs == 0) {
        return lower_both(arena, diag, host, member, plans);
    }
    give_back(families, families->finished);
    families->finished = NULL;
    const Likeness *likeness = &families->likeness[member->number];
    Family *family = families->of_first[likeness->first];
    if (family == NULL) {
        return lower_first(families, arena, diag, host, member, plans);
    }
    if (family->plans.forward == NULL) {
        return lower_both(arena, diag, host, member, plans);
    }
    const Plans *first = &family->plans;
    Renaming renaming = {.own = NULL};
    if (families->likeness[likeness->first].named) {
        renaming = renaming_of(arena, first->forward->graph, &member->spec->graphs[member->index]);
    }
    const Renaming *names = renaming.own != NULL ? &renaming : NULL;
    plans->forward = plan_for(arena, first->forward, member, names);
    plans->backward = first->backward != NULL ? plan_for(arena, first->backward, member, names) : NULL;
    families->finished = --family->waiting == 0 ? family : NULL;
    return true;
}

void families_release(Families *families)
{
    for (uint32_t i = 0; i < families->num_graphs; i++) {
        give_back(families, families->of_first[i]);
    }
}
