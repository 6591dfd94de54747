/* SPDX-License-Identifier: MIT */
/*
 * validate_externals - no clash among the external C names of all sources, which make one output.
 *
 * A graph or kernel (a stem) makes several names: its prefix, its name and each suffix of its table below. Two stems
 * make the same one only when one full name is the other plus the difference of two suffixes, so it is enough to cut
 * each such difference off each name and to look up what is left: linear, and the tables are all there is to extend.
 * Enumerators are the same in upper case. Symbols that the user gives (`compiled`, `context`, `symbol`) must be none of
 * those, and each be used in one way: C declares it once.
 */
#include "validate.h"

#include <string.h>

#include "str.h"

/* What a graph and a kernel generate. Extend these with the templates. */
static const char *const graph_suffixes[] = {
    "",          "_boxed",          "_inputs",   "_outputs",   "_outputs_release",   "_saved", "_saved_release",
    "_backward", "_backward_boxed", "_tangents", "_gradients", "_gradients_release", NULL,
};
static const char *const kernel_suffixes[] = {"", "_args", "_select", "_explain", "_key", "_key_of", NULL};

typedef enum StemKind { STEM_GRAPH, STEM_KERNEL } StemKind;

static const char *const *const suffixes_of[] = {[STEM_GRAPH] = graph_suffixes, [STEM_KERNEL] = kernel_suffixes};
static const char *const stem_words[] = {[STEM_GRAPH] = "graph", [STEM_KERNEL] = "kernel"};

/* Of these every graph or kernel may make any. */
static const char *const enumerators[] = {"_NUM_INPUTS",   "_NUM_OUTPUTS", "_SCRATCH",
                                          "_NUM_VARIANTS", "_NUM_ARGS",    NULL};

typedef struct Stem {
    StemKind kind;
    char *const *field;
    const char *name;
    const char *full;  /* with its prefix */
    const char *upper; /* what its enumerators begin with */
} Stem;

/* A stem of `longer_kind` that is another of `shorter_kind` plus `difference` makes `clash` too. */
typedef struct Difference {
    StemKind longer_kind;
    StemKind shorter_kind;
    const char *difference;
    size_t length;
    const char *suffix; /* that the shorter one appends to make the same name */
} Difference;

/* How a C symbol of the user's is declared. */
typedef enum SymbolRole { ROLE_BOXED, ROLE_CONSUMING, ROLE_DIRECT, ROLE_AOTI, ROLE_TYPE, ROLE_CONTEXT } SymbolRole;

static const char *const role_words[] = {
    [ROLE_BOXED] = "a boxed function",
    [ROLE_CONSUMING] = "a boxed function that consumes its inputs",
    [ROLE_DIRECT] = "a function called directly",
    [ROLE_AOTI] = "a function of an AOTInductor model",
    [ROLE_TYPE] = "the type of a subclass",
    [ROLE_CONTEXT] = "the context of a subclass",
};

typedef struct Externals {
    Validator v; /* to report with */
    Stem *stems;
    uint32_t num_stems;
    Table full;
    Table upper;
    Difference *differences;
    uint32_t num_differences;
    Table used; /* the user's symbols; kind: SymbolRole, index into places */
    const void **places;
    uint32_t num_places;
    uint32_t places_capacity;
} Externals;

static bool ends_with(const char *text, size_t length, const char *end, size_t end_length)
{
    return length > end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

static void list_differences(Externals *e, StemKind longer, StemKind shorter)
{
    for (size_t i = 0; suffixes_of[shorter][i] != NULL; i++) {
        for (size_t j = 0; suffixes_of[longer][j] != NULL; j++) {
            const char *suffix = suffixes_of[shorter][i];
            const char *rest = suffixes_of[longer][j];
            const size_t length = strlen(suffix);
            const size_t rest_length = strlen(rest);
            if (length > rest_length && strcmp(suffix + length - rest_length, rest) == 0) {
                const char *difference = arena_copy(e->v.arena, suffix, length - rest_length);
                e->differences[e->num_differences++] =
                    (Difference){longer, shorter, difference, length - rest_length, suffix};
            }
        }
    }
}

static char *upper_copy(Arena *arena, const char *text)
{
    char *upper = arena_copy(arena, text, strlen(text));
    for (char *c = upper; *c != '\0'; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
    return upper;
}

static void clash(Externals *e, const Stem *stem, const Stem *other, const char *made, const char *suffix)
{
    DiagMessage *message =
        validate_error(&e->v, RULE_NAME_CLASH, diag_value(stem->field), "%s '%s' and %s '%s' both make '%s%s'",
                       stem_words[stem->kind], stem->name, stem_words[other->kind], other->name, made, suffix);
    diag_note(e->v.diag, message, diag_value(other->field), "%s '%s'", stem_words[other->kind], other->name);
}

/* The prefix of a file was checked in its place; what it makes of a name is checked here. */
static void add_stem(Externals *e, StemKind kind, char *const *field, const char *prefix)
{
    if (!validate_name(&e->v, field, NAME_STEM, stem_words[kind])) {
        return;
    }
    Arena *arena = e->v.arena;
    Stem *stem = &e->stems[e->num_stems];
    *stem = (Stem){kind, field, *field, *field, NULL};
    if (prefix[0] != '\0') {
        stem->full = arena_printf(arena, "%s%s", prefix, *field);
    }
    const char *objection = validate_name_objection(stem->full, NAME_EXTERNAL);
    if (objection == NULL && stem->full[0] == '_') {
        objection = "begins with '_', which C reserves for its own external names";
    }
    if (objection != NULL) {
        validate_error(&e->v, RULE_NAME, diag_value(field), "%s '%s' makes the C name '%s', which %s", stem_words[kind],
                       *field, stem->full, objection);
        return;
    }
    stem->upper = upper_copy(arena, stem->full);
    const TableEntry *same = table_add(&e->full, stem->full, strlen(stem->full), 0, e->num_stems);
    if (same != NULL) {
        clash(e, stem, &e->stems[same->index], stem->full, "");
        return;
    }
    same = table_add(&e->upper, stem->upper, strlen(stem->upper), 0, e->num_stems);
    if (same != NULL) {
        clash(e, stem, &e->stems[same->index], stem->upper, enumerators[0]);
        return;
    }
    e->num_stems++;
}

static void add_stems(Externals *e, const Source *sources, size_t num_sources)
{
    size_t most = 0;
    for (size_t i = 0; i < num_sources; i++) {
        most += (size_t)sources[i].spec->graphs_count + sources[i].spec->kernels_count;
    }
    e->stems = ARENA_ARRAY(e->v.arena, Stem, most + 1);
    for (size_t i = 0; i < num_sources; i++) {
        Spec *spec = sources[i].spec;
        if (spec->prefix[0] != '\0' && validate_name_objection(spec->prefix, NAME_PREFIX) != NULL) {
            continue; /* reported; nothing that begins with it is worth looking at */
        }
        for (uint32_t j = 0; j < spec->graphs_count; j++) {
            add_stem(e, STEM_GRAPH, &spec->graphs[j].name, spec->prefix);
        }
        for (uint32_t j = 0; j < spec->kernels_count; j++) {
            add_stem(e, STEM_KERNEL, &spec->kernels[j].name, spec->prefix);
        }
    }
}

/* The stem among whose enumerators `name` is, or null. */
static const Stem *enumerator_owner(const Externals *e, const char *name, size_t length, const char **enumerator)
{
    for (size_t i = 0; enumerators[i] != NULL; i++) {
        const size_t end = strlen(enumerators[i]);
        if (ends_with(name, length, enumerators[i], end)) {
            const TableEntry *entry = table_find(&e->upper, name, length - end);
            *enumerator = enumerators[i];
            return entry == NULL ? NULL : &e->stems[entry->index];
        }
    }
    return NULL;
}

static void check_stem(Externals *e, const Stem *stem)
{
    const size_t length = strlen(stem->full);
    for (uint32_t i = 0; i < e->num_differences; i++) {
        const Difference *difference = &e->differences[i];
        if (difference->longer_kind != stem->kind ||
            !ends_with(stem->full, length, difference->difference, difference->length)) {
            continue;
        }
        const TableEntry *entry = table_find(&e->full, stem->full, length - difference->length);
        if (entry != NULL && e->stems[entry->index].kind == difference->shorter_kind) {
            const Stem *other = &e->stems[entry->index];
            clash(e, stem, other, other->full, difference->suffix);
            return; /* one of the names is enough */
        }
    }
    const char *enumerator = NULL;
    const Stem *owner = enumerator_owner(e, stem->full, length, &enumerator);
    if (owner != NULL) {
        clash(e, stem, owner, owner->upper, enumerator);
    }
}

/* ---- symbols of the user's ---- */

/* The stem that generates `name`, or null. */
static const Stem *generated_by(const Externals *e, const char *name)
{
    const size_t length = strlen(name);
    const char *enumerator = NULL;
    for (size_t kind = 0; kind < sizeof suffixes_of / sizeof suffixes_of[0]; kind++) {
        for (size_t i = 0; suffixes_of[kind][i] != NULL; i++) {
            const size_t end = strlen(suffixes_of[kind][i]);
            if (!ends_with(name, length, suffixes_of[kind][i], end)) {
                continue;
            }
            const TableEntry *entry = table_find(&e->full, name, length - end);
            if (entry != NULL && e->stems[entry->index].kind == (StemKind)kind) {
                return &e->stems[entry->index];
            }
        }
    }
    return enumerator_owner(e, name, length, &enumerator);
}

static uint32_t add_place(Externals *e, const void *place)
{
    if (e->num_places == e->places_capacity) {
        const size_t old = (size_t)e->places_capacity * sizeof *e->places;
        e->places_capacity = e->places_capacity == 0 ? 64 : e->places_capacity * 2;
        e->places = arena_grow(e->v.arena, e->places, old, (size_t)e->places_capacity * sizeof *e->places);
    }
    e->places[e->num_places] = place;
    return e->num_places++;
}

static void use_symbol(Externals *e, char *const *field, SymbolRole role)
{
    if (*field == NULL) {
        return;
    }
    const TableEntry *first = table_add(&e->used, *field, strlen(*field), role, e->num_places);
    if (first != NULL) {
        if (first->kind != (uint32_t)role) {
            DiagMessage *message = validate_error(&e->v, RULE_NAME_CLASH, diag_value(field),
                                                  "'%s' is declared as %s here, and elsewhere as %s", *field,
                                                  role_words[role], role_words[first->kind]);
            diag_note(e->v.diag, message, diag_value(e->places[first->index]), "%s", role_words[first->kind]);
        }
        return;
    }
    (void)add_place(e, field);
    if (!validate_name(&e->v, field, NAME_EXTERNAL, "symbol")) {
        return;
    }
    const Stem *stem = generated_by(e, *field);
    if (stem != NULL) {
        DiagMessage *message =
            validate_error(&e->v, RULE_NAME_CLASH, diag_value(field), "'%s' is a name that is generated for %s '%s'",
                           *field, stem_words[stem->kind], stem->name);
        diag_note(e->v.diag, message, diag_value(stem->field), "%s '%s'", stem_words[stem->kind], stem->name);
    }
}

static void use_tree(Externals *e, SpecSubclass *tree)
{
    if (tree == NULL) {
        return;
    }
    use_symbol(e, &tree->context, ROLE_CONTEXT);
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        use_tree(e, &tree->inner[i]);
    }
}

static SymbolRole role_of(const SpecGraph *graph)
{
    switch (graph->convention) {
    case SPEC_CONVENTION_UNSET:
    case SPEC_BOXED:
        return spec_is(graph->consume_inputs) ? ROLE_CONSUMING : ROLE_BOXED;
    case SPEC_DIRECT:
        return ROLE_DIRECT;
    case SPEC_AOTI:
        return ROLE_AOTI;
    }
    return ROLE_BOXED;
}

static void use_graph(Externals *e, SpecGraph *graph)
{
    use_symbol(e, &graph->compiled, role_of(graph));
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        use_tree(e, graph->inputs[i].subclass);
        use_tree(e, graph->inputs[i].updated); /* perhaps a copy of the former: the same symbols again */
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        use_tree(e, graph->intermediate_bases[i].subclass);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        use_tree(e, graph->outputs[i].subclass);
    }
    SpecBackward *backward = graph->backward;
    if (backward == NULL) {
        return;
    }
    use_symbol(e, &backward->compiled, ROLE_BOXED);
    for (uint32_t i = 0; i < backward->tangents_count; i++) {
        use_tree(e, backward->tangents[i].subclass);
    }
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        use_tree(e, backward->grad_inputs[i].subclass);
    }
}

static void use_spec(Externals *e, Spec *spec)
{
    for (uint32_t i = 0; i < spec->subclasses_count; i++) {
        use_symbol(e, &spec->subclasses[i].symbol, ROLE_TYPE);
    }
    for (uint32_t i = 0; i < spec->graphs_count; i++) {
        use_graph(e, &spec->graphs[i]);
    }
    for (uint32_t i = 0; i < spec->kernels_count; i++) {
        for (uint32_t j = 0; j < spec->kernels[i].variants_count; j++) {
            use_symbol(e, &spec->kernels[i].variants[j].symbol, ROLE_BOXED);
        }
    }
}

void validate_externals(Arena *arena, Diag *diag, const Source *sources, size_t num_sources)
{
    Externals e = {.v = {.arena = arena, .diag = diag}};
    table_init(&e.full, arena);
    table_init(&e.upper, arena);
    table_init(&e.used, arena);
    const size_t most =
        sizeof graph_suffixes / sizeof graph_suffixes[0] + sizeof kernel_suffixes / sizeof kernel_suffixes[0];
    e.differences = ARENA_ARRAY(arena, Difference, most * most);
    for (int longer = STEM_GRAPH; longer <= STEM_KERNEL; longer++) {
        for (int shorter = STEM_GRAPH; shorter <= STEM_KERNEL; shorter++) {
            list_differences(&e, (StemKind)longer, (StemKind)shorter);
        }
    }
    add_stems(&e, sources, num_sources);
    for (uint32_t i = 0; i < e.num_stems; i++) {
        check_stem(&e, &e.stems[i]);
    }
    for (size_t i = 0; i < num_sources; i++) {
        use_spec(&e, sources[i].spec);
    }
}
