/* SPDX-License-Identifier: MIT */
/* gen_diff - --diff: two versions of a description, each prepared on its own, and what changes between them. */
#include "gen_private.h"

#include <inttypes.h>

#include "change/change.h"
#include "facts/likeness.h"

enum { OLD, NEW, NUM_VERSIONS };

typedef struct Version {
    Run run;
    Diag diag;
    GenOptions options;
    Portraits portraits;
    uint32_t *families; /* of its graphs */
} Version;

/* Errors of a version become those of the whole run, along with the texts that they point into. */
static bool give_up(Run *run, const Version *version)
{
    Diag *diag = run->diag;
    *diag = version->diag;
    *run = version->run;
    run->diag = diag;
    return false;
}

/* From the YAML to plans. Warnings about one of the versions are not about their difference, and are not shown. */
static bool prepare(Run *run, Version *version, size_t number)
{
    version->options = *run->options;
    version->options.inputs = &run->options->inputs[number];
    version->options.num_inputs = 1;
    version->diag = *run->diag;
    version->run = *run;
    version->run.options = &version->options;
    version->run.diag = &version->diag;
    return gen_prepare(&version->run) || give_up(run, version);
}

/* Graphs that differ in names only are compared as such. */
static void tell_families(Arena *arena, Version *versions)
{
    const Spec *const specs[] = {versions[OLD].run.sources->spec, versions[NEW].run.sources->spec};
    const Likeness *likeness = likeness_find(arena, specs, NUM_VERSIONS, NULL);
    for (size_t v = 0; v < NUM_VERSIONS; v++) {
        versions[v].families = ARENA_ARRAY(arena, uint32_t, specs[v]->graphs_count);
        for (uint32_t i = 0; i < specs[v]->graphs_count; i++) {
            versions[v].families[i] = (likeness++)->first + 1;
        }
    }
}

/* The portraits of graphs come first, in the order of the file. */
static bool make_portraits(Run *run, Version *version)
{
    if (!program_portraits(version->run.program, &version->run.store, &version->portraits)) {
        return give_up(run, version);
    }
    for (uint32_t i = 0; i < version->run.sources->spec->graphs_count; i++) {
        version->portraits.at[i]->family = version->families[i];
    }
    return true;
}

/* Tensors of another library are other objects under the same name, so callers that hold one cannot go on. */
static Change compare_hosts(Run *run, const Version *versions)
{
    const char *old = versions[OLD].run.host->name;
    const char *new = versions[NEW].run.host->name;
    if (str_equal(old, new)) {
        return CHANGE_NONE;
    }
    str_printf(run->text, "the host: %s\n    - %s\n    + %s\n", change_words(CHANGE_BUILD), old, new);
    return CHANGE_BUILD;
}

static void conclude(Run *run, Change change)
{
    const char *const *inputs = run->options->inputs;
    str_printf(run->text, "%s, compared with %s: %s\n", inputs[NEW], inputs[OLD], change_words(change));
    if (change > CHANGE_COMPATIBLE) {
        diag_report(run->diag, DIAG_ERROR, "E_INCOMPATIBLE", diag_nowhere(NULL), "'%s' %s", inputs[NEW],
                    change_words(change));
    }
}

bool gen_diff(Run *run)
{
    Version *versions = ARENA_ARRAY(run->arena, Version, NUM_VERSIONS);
    for (size_t i = 0; i < NUM_VERSIONS; i++) {
        if (!prepare(run, &versions[i], i)) {
            return false;
        }
    }
    tell_families(run->arena, versions);
    for (size_t i = 0; i < NUM_VERSIONS; i++) {
        if (!make_portraits(run, &versions[i])) {
            return false;
        }
    }
    const Portraits *old = &versions[OLD].portraits;
    const Portraits *new = &versions[NEW].portraits;
    const Change host = compare_hosts(run, versions);
    const Change code = change_of(run->arena, old->at, old->count, new->at, new->count, run->text);
    const Change change = host > code ? host : code;
    conclude(run, change);
    return change <= CHANGE_COMPATIBLE;
}
