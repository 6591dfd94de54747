/* SPDX-License-Identifier: MIT */
/* Tests of gen/lower/family.c: every family of a run is lowered once, however many come after each other and whatever
 * is put into the arena of a plan while it is rendered. */
#include <stdlib.h>
#include <string.h>

#include "gen/lower/family.h"
#include "tests/unit/check.h"

static const char text[] =
    "wrapgen: 1\n"
    "graphs:\n"
    "  - {name: a0, mode: inference, compiled: k0, inputs: [{name: x, value: 0, kind: int}], outputs: []}\n"
    "  - {name: a1, mode: inference, compiled: k1, inputs: [{name: y, value: 0, kind: int}], outputs: []}\n"
    "  - {name: b0, mode: inference, compiled: k2, inputs: [{name: x, value: 1, kind: int}], outputs: []}\n"
    "  - {name: b1, mode: inference, compiled: k3, inputs: [{name: y, value: 1, kind: int}], outputs: []}\n"
    "  - {name: c0, mode: inference, compiled: k4, inputs: [{name: x, value: 2, kind: int}], outputs: []}\n"
    "  - {name: c1, mode: inference, compiled: k5, inputs: [{name: y, value: 2, kind: int}], outputs: []}\n";
enum { NUM_GRAPHS = 6 };

/* Renders nothing, but leaves in the plan's arena what the names and comments of a large graph would. */
static void render(const Plan *plan)
{
    char *comment = ARENA_ARRAY(plan->arena, char, 100000);
    comment[0] = '\0';
}

static void test_families(void)
{
    Arena arena;
    Arena of_graph;
    Diag diag;
    Source source = {.name = "f.yaml", .text = text, .length = strlen(text)};
    Source of_host = {0};
    arena_init(&arena);
    arena_init(&of_graph);
    diag_init(&diag, &arena);
    const Host *host = host_load(&arena, &diag, "native", diag_nowhere(NULL), &of_host);
    if (!check(host != NULL && source_load(&arena, &diag, &source) && validate_specs(&arena, &diag, &source, 1, NULL) &&
                   source.spec->graphs_count == NUM_GRAPHS,
               "six graphs are loaded")) {
        exit(1);
    }
    const Spec *const specs[] = {source.spec};
    Families *families = families_new(&arena, likeness_find(&arena, specs, 1, NULL), NUM_GRAPHS);
    const Op *first_op = NULL;
    for (uint32_t i = 0; i < NUM_GRAPHS; i++) {
        const FamilyMember member = {.number = i, .spec = source.spec, .index = i, .prefix = ""};
        Plans plans = {0};
        arena_reset(&of_graph);
        if (!check(families_lower(families, &of_graph, &diag, host, &member, &plans), "a graph is lowered")) {
            break;
        }
        if (i % 2 == 0) {
            first_op = plans.forward->ops.first;
        } else {
            check(plans.forward->ops.first == first_op, "the second of a family has the ops of the first");
        }
        render(plans.forward);
    }
    families_release(families);
    arena_release(&of_graph);
    arena_release(&arena);
}

int main(void)
{
    test_families();
    return check_done();
}
