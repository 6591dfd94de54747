/* SPDX-License-Identifier: MIT */
/*
 * validate - the second gate: what a graph.yaml says must make sense, across keys and across files.
 *
 * It goes source by source: the file's own lists (symbols, subclasses), then each kernel, then each graph; finally the
 * names of all sources together. It reports everything that is wrong, each mistake once; after the gate the resolved
 * members of schema/spec.h are filled in and trusted. validate.h has the rules and their codes. This file also has what
 * every part uses.
 */
#include "validate.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "../base/str.h"

enum { SUGGESTIONS_PER_RUN = 1000000 };

static const struct {
    const char *code;
    unsigned doubts;
} rules[RULE_COUNT] = {
#define RULE(name, doubts, words) {"E_" #name, doubts},
    VALIDATE_RULES(RULE)
#undef RULE
};

/* ---- reporting ---- */

DiagMessage *validate_error(Validator *v, Rule rule, DiagPlace place, const char *format, ...)
{
    Str text = str_new(v->arena);
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        str_reserve(&text, (size_t)length + 1);
        (void)vsnprintf(text.data, (size_t)length + 1, format, again);
    }
    va_end(again);
    v->doubts |= rules[rule].doubts;
    return diag_report(v->diag, DIAG_ERROR, rules[rule].code, place, "%s", length > 0 ? text.data : format);
}

DiagPlace validate_inside(const void *field, size_t offset)
{
    DiagPlace place = diag_value(field);
    place.column = offset;
    return place;
}

/* Up to a third of the name may be wrong, and always one letter. */
static size_t nearest_limit(const char *name)
{
    const size_t third = strlen(name) / 3;
    return third < 1 ? 1 : third > 4 ? 4 : third;
}

Nearest nearest_start(const char *name)
{
    const Nearest nearest = {name, NULL, nearest_limit(name) + 1, false};
    return nearest;
}

void nearest_offer(Validator *v, Nearest *nearest, const char *candidate)
{
    if (v->suggestions_left == 0 || candidate == NULL) {
        return;
    }
    v->suggestions_left--;
    const bool capitals = strcasecmp(nearest->name, candidate) == 0; /* nothing else differs */
    const size_t distance = capitals ? 0 : str_distance(nearest->name, candidate, nearest->distance);
    if (distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
        nearest->ambiguous = false;
    } else if (distance == nearest->distance && nearest->best != NULL) {
        nearest->ambiguous = nearest->ambiguous || !str_equal(nearest->best, candidate);
    }
}

/* When two are equally near, suggests neither: 'gpu' is no closer to 'cpu' than to 'xpu'. */
const char *nearest_text(Validator *v, const Nearest *nearest)
{
    return nearest->best == NULL || nearest->ambiguous ? ""
                                                       : arena_printf(v->arena, "; did you mean '%s'?", nearest->best);
}

const char *subject_text(Validator *v, Subject subject)
{
    const char *own =
        subject.name == NULL ? subject.what : arena_printf(v->arena, "%s '%s'", subject.what, subject.name);
    return subject.attr == NULL ? own : arena_printf(v->arena, "attribute '%s' of %s", subject.attr, own);
}

/* ---- keys by table ---- */

static const void *member_of(const void *structure, Keys keys, size_t i)
{
    return (const char *)structure + keys.mapping->fields[i].data_offset;
}

/* A key was given. */
static bool is_there(const void *structure, Keys keys, size_t i)
{
    const void *pointer = NULL;
    int word = 0; /* an enum of the spec: 0 is absent */
    if ((keys.bits & UINT64_C(1) << i) == 0) {
        return false;
    }
    if (keys.mapping->fields[i].value.type == CYAML_ENUM) {
        memcpy(&word, member_of(structure, keys, i), sizeof word);
        return word != 0;
    }
    memcpy(&pointer, member_of(structure, keys, i), sizeof pointer);
    return pointer != NULL;
}

_Static_assert(sizeof(SpecBool) == sizeof(int), "words are read and written as int");
_Static_assert(sizeof(SpecMemoryFormat) == sizeof(int), "words are read and written as int");
#define MAPPING(Type, text) _Static_assert(Type##_num_keys < 64, "a bit for each key of a mapping");
#define END(Type)
#include "../../schema/spec.def"

const void *keys_first(const void *structure, Keys keys)
{
    for (size_t i = 0; i < keys.mapping->num_keys; i++) {
        if (is_there(structure, keys, i)) {
            return member_of(structure, keys, i);
        }
    }
    return NULL;
}

bool validate_no_keys(Validator *v, Rule rule, const void *structure, Keys keys, Subject subject, const char *why)
{
    const void *first = keys_first(structure, keys);
    Str names = {0};
    if (first == NULL) {
        return true;
    }
    names = str_new(v->arena);
    for (size_t i = 0; i < keys.mapping->num_keys; i++) {
        if (is_there(structure, keys, i)) {
            str_printf(&names, "%s'%s'", names.length == 0 ? "" : ", ", keys.mapping->fields[i].key);
        }
    }
    validate_error(v, rule, diag_key(first), "%s takes no %s%s", subject_text(v, subject), names.data, why);
    return false;
}

/* ---- defaults ---- */

static int word_of(const cyaml_schema_value_t *value, const char *word)
{
    uint32_t i = 0;
    while (!str_equal(value->enumeration.strings[i].str, word)) {
        i++;
    }
    return (int)value->enumeration.strings[i].val;
}

static void default_word(void *member, const cyaml_schema_value_t *value, const char *preset)
{
    const int wanted = word_of(value, preset);
    int word = 0;
    memcpy(&word, member, sizeof word);
    if (str_equal(preset, "null")) {
        word = word == wanted ? 0 : word;
    } else {
        word = word == 0 ? wanted : word;
    }
    memcpy(member, &word, sizeof word);
}

void keys_default(Arena *arena, void *structure, Keys keys)
{
    for (size_t i = 0; i < keys.mapping->num_keys; i++) {
        const cyaml_schema_value_t *value = &keys.mapping->fields[i].value;
        const SpecKey *key = &keys.mapping->keys[i];
        char *member = (char *)structure + keys.mapping->fields[i].data_offset;
        if ((keys.bits & UINT64_C(1) << i) == 0 || key->preset == NULL) {
            continue;
        }
        if (value->type == CYAML_ENUM) {
            default_word(member, value, key->preset);
        } else if (value->type == CYAML_STRING && key->format != SPEC_FORMAT_INTEGER &&
                   key->format != SPEC_FORMAT_SCALAR && !str_equal(key->preset, "null") &&
                   !is_there(structure, keys, i)) {
            const char *text = str_equal(key->preset, "''") ? "" : key->preset;
            char *copy = arena_copy(arena, text, strlen(text));
            memcpy(member, &copy, sizeof copy);
        }
    }
}

/* ---- words ---- */

const char *spec_kind_text(SpecKind kind)
{
    switch (kind) {
    case SPEC_KIND_UNSET:
    case SPEC_TENSOR:
        return "tensor";
    case SPEC_INT:
        return "int";
    case SPEC_FLOAT:
        return "float";
    case SPEC_BOOLEAN:
        return "bool";
    case SPEC_OPAQUE:
        return "opaque";
    case SPEC_NONE:
        return "none";
    }
    return "?";
}

const char *spec_kind_reason(SpecKind kind)
{
    static const char *const reasons[] = {[SPEC_KIND_UNSET] = "",
                                          [SPEC_TENSOR] = "; it is a tensor",
                                          [SPEC_INT] = "; it is of kind int",
                                          [SPEC_FLOAT] = "; it is of kind float",
                                          [SPEC_BOOLEAN] = "; it is of kind bool",
                                          [SPEC_OPAQUE] = "; it is of kind opaque",
                                          [SPEC_NONE] = "; it is of kind none"};
    return reasons[kind];
}

const char *spec_output_type_text(SpecOutputType type)
{
    switch (type) {
    case SPEC_OUTPUT_UNSET:
        break;
    case SPEC_NON_ALIAS:
        return "non_alias";
    case SPEC_ALIAS_OF_INPUT:
        return "alias_of_input";
    case SPEC_IS_INPUT:
        return "is_input";
    case SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT:
        return "alias_of_intermediate_save_as_output";
    case SPEC_ALIAS_OF_INTERMEDIATE:
        return "alias_of_intermediate";
    case SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT:
        return "alias_of_intermediate_base_is_user_output";
    case SPEC_UNSAFE_VIEW_ALIAS:
        return "unsafe_view_alias";
    case SPEC_CUSTOM_FUNCTION_VIEW:
        return "custom_function_view";
    }
    return "?";
}

const char *spec_ref_text(SpecRefKind kind)
{
    switch (kind) {
    case SPEC_REF_NONE:
        break;
    case SPEC_REF_INPUT:
        return "an input";
    case SPEC_REF_OUTPUT:
        return "an output";
    case SPEC_REF_BASE:
        return "an intermediate base";
    case SPEC_REF_SYNTHETIC:
        return "a synthetic base";
    }
    return "?";
}

/* ---- the file ---- */

static void validate_head(Validator *v, const char *prefix)
{
    Spec *spec = v->spec;
    if (strcmp(spec->wrapgen, "1") != 0) {
        validate_error(v, RULE_VERSION, diag_value(&spec->wrapgen),
                       "format version '%s' is not supported; this tool reads version 1", spec->wrapgen);
    }
    keys_default(v->arena, spec, ALL_KEYS(Spec));
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
    diag_report(diag, DIAG_ERROR, rules[RULE_NAME].code, diag_nowhere(NULL),
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
    v->reserved = reserved_new(arena);
    v->suggestions_left = SUGGESTIONS_PER_RUN;
    v->scratch.on_exhausted = arena->on_exhausted;
    v->scratch.exhausted_ctx = arena->exhausted_ctx;
    table_init(&v->symbols, arena);
    table_init(&v->types, arena);
    table_init(&v->kernels, arena);
    table_init(&v->graphs, arena);
    table_init(&v->names, arena);
    table_init(&v->missing, arena);
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
    Externals *externals = externals_new(arena, &v);
    for (size_t i = 0; i < num_sources; i++) {
        validate_spec(&v, sources[i].spec, usable, externals);
    }
    externals_check(externals);
    arena_release(&v.scratch);
    return diag->num_errors == before;
}
