/* SPDX-License-Identifier: MIT */
/*
 * main - what is said about compiled functions, compared with what they get and return: each row that lowering noted in
 * a plan (PlanValue) is compared with the layout of the self-tests. That was written from AOTAutograd's definitions and
 * not from gen/, and the fake compiled functions of those tests are called and answer by it.
 *
 *     callee HOST.yaml COUNT SEED FILE...     the graphs of the files, and COUNT random ones of seeds from SEED on
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../gen/plan/callee.h"
#include "../../../gen/yaml/front.h"
#include "../../../gen/host/host.h"
#include "../../../gen/lower/lower.h"
#include "../wrappers/generate.h"
#include "../../../templates/selftest/layout.h"

typedef struct Totals {
    uint32_t graphs;
    uint32_t rows;
    uint32_t refused;
    uint32_t wrong;
} Totals;

/* One comparison: where it is, and what was found wrong first. */
typedef struct Check {
    const Plan *plan;
    const Layout *layout;
    Arena *arena;
    const char *what; /* null: nothing */
    uint32_t position;
    bool returned;
} Check;

static void expect(Check *check, bool holds, const char *what)
{
    if (!holds && check->what == NULL) {
        check->what = what;
    }
}

static SlotType type_of(SpecKind kind)
{
    return kind == SPEC_NONE ? SLOT_POINTER : plan_slot_type(kind);
}

/* "x" for "x" and "x.a" */
static bool is_of(const char *name, const char *whole)
{
    const size_t length = whole == NULL ? 0 : strlen(whole);
    return name != NULL && whole != NULL && strncmp(name, whole, length) == 0 &&
           (name[length] == '\0' || name[length] == '.');
}

/* ---- arguments ---- */

static const LayoutInner *inner_of(const Layout *layout, SpecRefKind kind, uint32_t index)
{
    for (uint32_t i = 0; i < layout->num_inner; i++) {
        if (layout->inner[i].ref.kind == kind && layout->inner[i].ref.index == index) {
            return &layout->inner[i];
        }
    }
    return NULL;
}

static const uint32_t NO_PLACE = UINT32_MAX;

/* How many tensors of the same input come before this argument: which part of the input it is. */
static uint32_t part_of(const LayoutCall *forward, const LayoutArgument *argument)
{
    uint32_t part = 0;
    for (const LayoutArgument *other = forward->arguments; other < argument; other++) {
        part +=
            other->source == argument->source && other->input == argument->input && other->kind == SPEC_TENSOR ? 1 : 0;
    }
    return part;
}

/* The path of the n-th tensor that a subclass consists of, ".a.b"; `n` counts down. */
static bool find_path(const SpecSubclass *tree, uint32_t *n, Str *path)
{
    const size_t length = path->length;
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        const SpecSubclass *inner = &tree->inner[i];
        path->length = length;
        str_printf(path, ".%s", inner->attr);
        if (inner->type != NULL ? find_path(inner, n, path) : !inner->opaque && (*n)-- == 0) {
            return true;
        }
    }
    return false;
}

static const char *path_of(Arena *arena, const SpecSubclass *tree, uint32_t n)
{
    Str path = str_new(arena);
    return tree == NULL ? (n == 0 ? "" : NULL) : find_path(tree, &n, &path) ? str_text(&path) : NULL;
}

/* Where the part with that path comes back; NO_PLACE: it does not, since the new value consists of other parts. */
static uint32_t place_of(Arena *arena, const LayoutCall *forward, const LayoutResult *result, const char *path)
{
    uint32_t part = 0;
    for (uint32_t i = 0; i < result->num_flat; i++) {
        if (forward->flat[result->first_flat + i].kind == SPEC_TENSOR &&
            str_equal(path_of(arena, result->tree, part++), path)) {
            return result->first_flat + i;
        }
    }
    return NO_PLACE;
}

static uint32_t returned_at(const Check *check, const LayoutArgument *argument, const LayoutInner *inner)
{
    const LayoutCall *forward = &check->layout->forward;
    const SpecSubclass *tree =
        argument->source == LAYOUT_PART ? check->layout->graph->inputs[argument->input].subclass : NULL;
    for (uint32_t i = 0; i < forward->num_results; i++) {
        const LayoutResult *result = &forward->results[i];
        if (result->role == LAYOUT_UPDATED && &check->layout->inner[result->index] == inner) {
            return place_of(check->arena, forward, result, path_of(check->arena, tree, part_of(forward, argument)));
        }
    }
    return NO_PLACE;
}

/* A tensor is written in place, or returned as the result that is named; a size or stride is neither. */
static void expect_mutation(Check *check, const PlanValue *row, const LayoutArgument *argument,
                            const LayoutInner *inner)
{
    const bool tensor = argument->kind == SPEC_TENSOR;
    const uint32_t place =
        tensor && inner->mutation == LAYOUT_OUT_GRAPH ? returned_at(check, argument, inner) : NO_PLACE;
    expect(check, row->in_place == (tensor && inner->mutation == LAYOUT_IN_GRAPH), "written in place");
    expect(check, row->has_updated == (place != NO_PLACE), "a new value is returned");
    expect(check, !row->has_updated || row->updated == place, "where the new value is returned");
}

static void expect_saved(Check *check, const PlanValue *row, SpecKind kind)
{
    const ValueRole role = row->role;
    const bool tensor = role == VALUE_saved || role == VALUE_saved_unchecked;
    expect(check,
           tensor ? kind == SPEC_TENSOR : role == (kind == SPEC_OPAQUE ? VALUE_saved_opaque : VALUE_saved_symint),
           "a saved value");
}

static void expect_argument(Check *check, const PlanValue *row, const LayoutArgument *argument)
{
    const SpecGraph *graph = check->layout->graph;
    const bool dimension = row->role == VALUE_size || row->role == VALUE_stride;
    expect(check, row->type == type_of(argument->kind), "the type");
    switch (argument->source) {
    case LAYOUT_NULL:
        expect(check, callee_is_null(row) && (row->role == VALUE_token || row->role == VALUE_frozen), "a null");
        break;
    case LAYOUT_INPUT:
        expect(check, row->role == VALUE_input || row->role == VALUE_detached, "an input");
        expect(check, (row->role == VALUE_detached) == check->layout->detached[argument->input], "detached");
        expect(check, !row->part && str_equal(row->name, graph->inputs[argument->input].name), "the input's name");
        expect_mutation(check, row, argument, inner_of(check->layout, SPEC_REF_INPUT, argument->input));
        break;
    case LAYOUT_MERGED:
        expect(check, row->role == VALUE_merged, "a merged input");
        expect(check, str_equal(row->name, graph->synthetic_bases[argument->input].name), "the base's name");
        expect_mutation(check, row, argument, inner_of(check->layout, SPEC_REF_SYNTHETIC, argument->input));
        break;
    case LAYOUT_PART:
        expect(check, row->part && (argument->kind == SPEC_INT ? dimension : row->role == VALUE_input), "a part");
        expect(check, is_of(row->name, graph->inputs[argument->input].name), "the name of a part");
        expect_mutation(check, row, argument, inner_of(check->layout, SPEC_REF_INPUT, argument->input));
        break;
    case LAYOUT_SIZE:
        expect(check, dimension && is_of(row->name, graph->inputs[argument->input].name), "a size");
        break;
    case LAYOUT_RNG:
        expect(check, row->role == VALUE_rng_seed || row->role == VALUE_rng_offset, "state of a generator");
        break;
    case LAYOUT_GENERATOR:
        expect(check, row->role == VALUE_generator && row->number == argument->input, "the generator's number");
        break;
    case LAYOUT_SAVED_VALUE:
        expect_saved(check, row, argument->kind);
        break;
    case LAYOUT_TANGENT:
        expect(check, argument->kind == SPEC_INT ? dimension : row->role == VALUE_tangent, "a tangent");
        expect(check, is_of(row->name, check->layout->tangents[argument->input].spec->of), "the tangent's name");
        expect(check, (check->layout->tangents[argument->input].spec->kept == SPEC_FALSE) == row->optional || dimension,
               "a tangent that may be null");
        break;
    }
}

/* ---- results ---- */

static ValueRole role_of(const Layout *layout, const LayoutResult *result)
{
    static const ValueRole roles[] = {[LAYOUT_TOKEN] = VALUE_new_token,
                                      [LAYOUT_UPDATED] = VALUE_updated,
                                      [LAYOUT_OUTPUT] = VALUE_output,
                                      [LAYOUT_MEMBER] = VALUE_member,
                                      [LAYOUT_BASE] = VALUE_base,
                                      [LAYOUT_NEW_OFFSET] = VALUE_new_rng_offset,
                                      [LAYOUT_SAVED] = VALUE_saved,
                                      [LAYOUT_SAVED_UNCHECKED] = VALUE_saved_unchecked,
                                      [LAYOUT_SAVED_OPAQUE] = VALUE_saved_opaque,
                                      [LAYOUT_SAVED_SYMINT] = VALUE_saved_symint};
    if (result->role != LAYOUT_GRADIENT) {
        return roles[result->role];
    }
    for (uint32_t i = 0; i < layout->num_gradients; i++) {
        if (&layout->backward.results[layout->gradients[i]] == result) {
            return VALUE_gradient;
        }
    }
    return VALUE_no_gradient;
}

static void expect_result(Check *check, const PlanValue *row, const LayoutResult *result, const LayoutFlat *flat,
                          uint32_t nth)
{
    const bool size = row->role == VALUE_size || row->role == VALUE_stride;
    const bool is_size = result->role == LAYOUT_GRADIENT && result->tree == NULL && nth > 0; /* of a size: none */
    expect(check, row->type == type_of(flat->kind), "the type");
    expect(check, size == flat->symint, "a symbolic size");
    expect(check, size || row->role == (is_size ? VALUE_no_gradient : role_of(check->layout, result)), "the role");
    expect(check, result->name == NULL || is_size || is_of(row->name, result->name), "the name");
    expect(check, is_size || row->part == (result->tree != NULL && result->tree->declared != NULL), "a part");
    const bool saved = result->role >= LAYOUT_SAVED && result->role <= LAYOUT_SAVED_SYMINT;
    expect(check, !saved || row->number == result->index, "the number");
}

/* ---- a function ---- */

static void names_are_distinct(Check *check, const Plan *plan)
{
    const uint32_t count = plan->arguments.count + plan->returns.count;
    for (uint32_t i = 0; i < count && check->what == NULL; i++) {
        const bool returned = i >= plan->arguments.count;
        const PlanValues *values = returned ? &plan->returns : &plan->arguments;
        const char *name = callee_name(plan, values, returned ? i - plan->arguments.count : i);
        for (uint32_t k = 0; k < i; k++) {
            const bool early = k < plan->arguments.count;
            const char *other = early ? callee_name(plan, &plan->arguments, k)
                                      : callee_name(plan, &plan->returns, k - plan->arguments.count);
            expect(check, !str_equal(name, other), "names are distinct");
        }
    }
}

static void compare(Check *check, const LayoutCall *call, Totals *totals)
{
    const Plan *plan = check->plan;
    expect(check, plan->arguments.count == call->num_arguments, "the number of arguments");
    expect(check, plan->returns.count == call->num_flat && plan->num_results == call->num_flat,
           "the number of results");
    for (uint32_t i = 0; i < plan->arguments.count && check->what == NULL; i++) {
        check->position = i;
        expect_argument(check, &plan->arguments.at[i], &call->arguments[i]);
    }
    check->returned = check->what == NULL;
    for (uint32_t r = 0; r < call->num_results && check->what == NULL; r++) {
        const LayoutResult *result = &call->results[r];
        for (uint32_t i = 0; i < result->num_flat && check->what == NULL; i++) {
            check->position = result->first_flat + i;
            expect_result(check, &plan->returns.at[check->position], result, &call->flat[check->position], i);
        }
    }
    names_are_distinct(check, plan);
    totals->rows += plan->arguments.count + plan->returns.count;
}

static void compare_plan(const Plan *plan, const Layout *layout, const LayoutCall *call, const char *file,
                         Totals *totals)
{
    Check check = {.plan = plan, .layout = layout, .arena = plan->arena};
    compare(&check, call, totals);
    if (check.what != NULL) {
        printf("# %s: %s%s, %s %" PRIu32 ": %s\n", file, plan->graph->name, plan->backward ? " backward" : "",
               check.returned ? "result" : "argument", check.position, check.what);
        totals->wrong++;
    }
}

static void compare_source(Arena *arena, const Host *host, Source *source, Totals *totals)
{
    Diag diag;
    diag_init(&diag, arena);
    if (!source_load(arena, &diag, source) || !validate_specs(arena, &diag, source, 1, NULL)) {
        totals->refused++;
        return;
    }
    for (uint32_t i = 0; i < source->spec->graphs_count; i++) {
        const SpecGraph *graph = &source->spec->graphs[i];
        const Plan *plan = lower_graph(arena, &diag, source->spec, i, host, "");
        const bool training = graph->mode == SPEC_TRAINING;
        const Plan *backward =
            plan != NULL && training ? lower_backward(arena, &diag, source->spec, i, host, "") : NULL;
        if (plan == NULL || (training && backward == NULL)) {
            totals->refused++;
            continue;
        }
        Layout layout = layout_of(arena, source->spec, graph);
        compare_plan(plan, &layout, &layout.forward, source->name, totals);
        if (backward != NULL) {
            compare_plan(backward, &layout, &layout.backward, source->name, totals);
        }
        totals->graphs++;
    }
}

static void compare_random(Arena *arena, const Host *host, uint64_t seed, Totals *totals)
{
    Node *node = generate_graph(arena, seed, 0);
    Str text = str_new(arena);
    node_write(generate_file(arena, &node, 1), 5, &text);
    Source source = {
        .name = arena_printf(arena, "seed %" PRIu64, seed), .text = str_text(&text), .length = text.length};
    compare_source(arena, host, &source, totals);
}

int main(int argc, char **argv)
{
    Arena lasting;
    Diag diag;
    Source description = {0};
    Totals files = {0};
    Totals random = {0};
    arena_init(&lasting);
    diag_init(&diag, &lasting);
    const Host *host = argc > 3 ? host_load(&lasting, &diag, argv[1], diag_nowhere(NULL), &description) : NULL;
    if (host == NULL) {
        fprintf(stderr, "usage: callee HOST.yaml COUNT SEED FILE...\n");
        return 2;
    }
    const uint64_t count = strtoull(argv[2], NULL, 0);
    const uint64_t seed = strtoull(argv[3], NULL, 0);
    for (int i = 4; i < argc; i++) {
        Arena arena;
        Source source = {0};
        arena_init(&arena);
        if (!source_read(&arena, &diag, argv[i], &source)) {
            files.wrong++;
        } else {
            compare_source(&arena, host, &source, &files);
        }
        arena_release(&arena);
    }
    for (uint64_t i = 0; i < count; i++) {
        Arena arena;
        arena_init(&arena);
        compare_random(&arena, host, seed + i, &random);
        arena_release(&arena);
    }
    printf("files %" PRIu32 " graphs, %" PRIu32 " rows, %" PRIu32 " refused, %" PRIu32 " wrong\n", files.graphs,
           files.rows, files.refused, files.wrong);
    printf("random %" PRIu32 " graphs, %" PRIu32 " rows, %" PRIu32 " refused, %" PRIu32 " wrong\n", random.graphs,
           random.rows, random.refused, random.wrong);
    arena_release(&lasting);
    return files.wrong + random.wrong == 0 ? 0 : 1;
}
