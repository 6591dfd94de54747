/* SPDX-License-Identifier: MIT */
/*
 * validate - the second gate: what a graph.yaml says must make sense, across keys and across files.
 *
 * It goes source by source: the file's own lists (symbols, subclasses), then each kernel, then each graph; finally the
 * names of all sources together. It reports everything that is wrong, each mistake once; after the gate the resolved
 * members of schema/spec.h are filled in and trusted. validate.h has the rules and their codes.
 */
#include "validate.h"

#include <string.h>
#include <strings.h>

#include "../base/str.h"

enum { SUGGESTIONS_PER_RUN = 1000000 };

static void validate_head(Validator *v, const char *prefix)
{
    Spec *spec = v->spec;
    if (strcmp(spec->wrapgen, "1") != 0) {
        validate_error(v, RULE_VERSION, diag_value(&spec->wrapgen),
                       "format version '%s' is not supported; this tool reads version 1", spec->wrapgen);
    }
    keys_default(v, spec, ALL_KEYS(Spec));
    if (prefix != NULL) {
        spec->prefix = arena_copy(v->arena, prefix, strlen(prefix));
    } else if (spec->prefix[0] != '\0') {
        validate_name(v, &spec->prefix, NAME_PREFIX, "prefix");
    }
}

static void validate_callable_names(Validator *v)
{
    for (uint32_t i = 0; i < v->spec->kernels_count; i++) {
        const char *name = v->spec->kernels[i].name;
        (void)table_add(&v->kernels, name, strlen(name), 0,
                        i); /* two with the same name: validate_externals() reports it */
    }
    for (uint32_t i = 0; i < v->spec->graphs_count; i++) {
        const char *name = v->spec->graphs[i].name;
        (void)table_add(&v->graphs, name, strlen(name), 0, i);
    }
}

/* Goes file by file; a graph's external names are collected while it is at hand. */
static void validate_spec(Validator *v, Spec *spec, const char *prefix, Externals *externals)
{
    v->spec = spec;
    v->scope = (SymbolScope){0};
    v->integers = NULL;
    table_clear(&v->symbols);
    table_clear(&v->types);
    table_clear(&v->kernels);
    table_clear(&v->graphs);
    validate_head(v, prefix);
    validate_symbols(v);
    validate_types(v);
    validate_callable_names(v);
    for (uint32_t i = 0; i < spec->subclasses_count; i++) {
        externals_add_type(externals, &spec->subclasses[i]);
    }
    for (uint32_t i = 0; i < spec->kernels_count; i++) {
        validate_kernel(v, &spec->kernels[i]);
        externals_add_kernel(externals, &spec->kernels[i], spec->prefix);
    }
    for (uint32_t i = 0; i < spec->graphs_count; i++) {
        validate_graph(v, &spec->graphs[i]);
        externals_add_graph(externals, &spec->graphs[i], spec->prefix);
    }
    validate_variant_graphs(v);
}

/* The command line's prefix is not in any file. */
static bool validate_prefix(Diag *diag, const char *prefix)
{
    if (prefix == NULL || prefix[0] == '\0' || (str_is_identifier(prefix) && prefix[0] != '_')) {
        return true;
    }
    diag_report(diag, DIAG_ERROR, validate_code(RULE_NAME), diag_nowhere(NULL),
                "prefix '%s' (--prefix) is not the start of a C identifier; it may have letters, digits and '_', and "
                "starts with a letter",
                prefix);
    return false;
}

static void validator_init(Validator *v, Arena *arena, Diag *diag)
{
    memset(v, 0, sizeof *v);
    v->arena = arena;
    v->diag = diag;
    v->suggestions_left = SUGGESTIONS_PER_RUN;
    v->scratch.on_exhausted = arena->on_exhausted;
    v->scratch.exhausted_ctx = arena->exhausted_ctx;
    v->tables = v->scratch;
    v->reserved = reserved_new(&v->tables);
    table_init(&v->symbols, &v->tables);
    table_init(&v->types, &v->tables);
    table_init(&v->kernels, &v->tables);
    table_init(&v->graphs, &v->tables);
    table_init(&v->names, &v->tables);
    table_init(&v->missing, &v->tables);
}

bool validate_specs(Arena *arena, Diag *diag, Source *sources, size_t num_sources, const char *prefix)
{
    const Limits limits = limits_default();
    return validate_specs_within(arena, diag, sources, num_sources, prefix, &limits);
}

bool validate_specs_within(Arena *arena, Diag *diag, Source *sources, size_t num_sources, const char *prefix,
                           const Limits *limits)
{
    const size_t before = diag->num_errors;
    const char *usable = validate_prefix(diag, prefix) ? prefix : NULL;
    Validator v;
    validator_init(&v, arena, diag);
    v.limits = *limits;
    Externals *externals = externals_new(&v);
    for (size_t i = 0; i < num_sources; i++) {
        validate_spec(&v, sources[i].spec, usable, externals);
    }
    externals_check(externals);
    arena_release(&v.scratch);
    arena_release(&v.tables);
    return diag->num_errors == before;
}
