/* SPDX-License-Identifier: MIT */
/* Tests of gen/lower/family.c: every family of a run is lowered once, however many come after each other and whatever
 * is put into the arena of a plan while it is rendered; also when its first graph is not among those that come. */
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
    "  - {name: c1, mode: inference, compiled: k5, inputs: [{name: y, value: 2, kind: int}], outputs: []}\n"
    "  - {name: a2, mode: inference, compiled: k6, inputs: [{name: x, value: 0, kind: int}], outputs: []}\n";
enum { NUM_GRAPHS = 7 };

/* Renders nothing, but leaves in the plan's arena what the names and comments of a large graph would. */
static void render(const Plan *plan)
{
    char *comment = ARENA_ARRAY(plan->arena, char, 100000);
    comment[0] = '\0';
}

typedef struct Fixture {
    Arena arena;
    Arena of_graph;
    Diag diag;
    Source source;
    const Host *host;
    const Likeness *likeness;
} Fixture;

static void begin(Fixture *fixture)
{
    Source of_host = {0};
    arena_init(&fixture->arena);
    arena_init(&fixture->of_graph);
    diag_init(&fixture->diag, &fixture->arena);
    fixture->source = (Source){.name = "f.yaml", .text = text, .length = strlen(text)};
    fixture->host = host_load(&fixture->arena, &fixture->diag, "native", diag_nowhere(NULL), &of_host);
    if (!check(fixture->host != NULL && source_load(&fixture->arena, &fixture->diag, &fixture->source) &&
                   validate_specs(&fixture->arena, &fixture->diag, &fixture->source, 1, NULL) &&
                   fixture->source.spec->graphs_count == NUM_GRAPHS,
               "seven graphs are loaded")) {
        exit(1);
    }
    const Spec *const specs[] = {fixture->source.spec};
    fixture->likeness = likeness_find(&fixture->arena, specs, 1, NULL);
}

static void end(Fixture *fixture)
{
    arena_release(&fixture->of_graph);
    arena_release(&fixture->arena);
}

static const Plan *lower(Fixture *fixture, Families *families, uint32_t number)
{
    const FamilyMember member = {.number = number, .spec = fixture->source.spec, .index = number, .prefix = ""};
    Plans plans = {0};
    arena_reset(&fixture->of_graph);
    if (!check(families_lower(families, &fixture->of_graph, &fixture->diag, fixture->host, &member, &plans),
               "a graph is lowered")) {
        exit(1);
    }
    return plans.forward;
}

static void test_families(void)
{
    Fixture fixture;
    begin(&fixture);
    Families *families = families_new(&fixture.arena, fixture.likeness, NUM_GRAPHS);
    const Op *first_op = NULL;
    for (uint32_t i = 0; i < 6; i++) {
        const Plan *plan = lower(&fixture, families, i);
        if (i % 2 == 0) {
            first_op = plan->ops.first;
        } else {
            check(plan->ops.first == first_op, "the second of a family has the ops of the first");
        }
        render(plan);
    }
    families_release(families);
    end(&fixture);
}

/* As in a run whose first graphs are rendered elsewhere. */
static void test_without_the_first(void)
{
    Fixture fixture;
    begin(&fixture);
    Families *families = families_new(&fixture.arena, fixture.likeness, NUM_GRAPHS);
    const Plan *second = lower(&fixture, families, 1);
    const Op *ops = second->ops.first;
    check_text(second->arguments.at[0].name, "y", "the second graph has its own names");
    render(second);
    const Plan *third = lower(&fixture, families, 6);
    check(third->ops.first == ops, "the third has the ops of the second");
    check_text(third->arguments.at[0].name, "x", "and its own names, which are those of the first");
    check_text(third->symbol, "a2", "and its own symbol");
    families_release(families);
    end(&fixture);
}

int main(void)
{
    test_families();
    test_without_the_first();
    return check_done();
}
