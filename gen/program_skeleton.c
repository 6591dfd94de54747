/* SPDX-License-Identifier: MIT */
/*
 * program_skeleton - the files of a host that is yet to be written: the verbs that it was asked for, declared as
 * VERBS.md has them, comments included, and defined so that each fails with its name.
 */
#include <ctype.h>
#include <string.h>

#include "base/embedded.h"
#include "program_private.h"

typedef struct Skeleton {
    Arena *arena;
    MustacheEngine *engine;
} Skeleton;

static void set(const Skeleton *skeleton, Value object, const char *key, Value value)
{
    value_set(skeleton->arena, object, mustache_intern(skeleton->engine, key), value);
}

static void set_text(const Skeleton *skeleton, Value object, const char *key, const char *text)
{
    set(skeleton, object, key, value_text(text));
}

/* ---- a prototype of VERBS.md ---- */

/* The lines of a verb: its prototype and its comment, without the indent of all. A line that is indented further
 * continues it. */
static const char *lines_of(Arena *arena, const Verb *verb)
{
    Str lines = str_new(arena);
    const char *line = verb->line;
    for (;;) {
        const size_t length = strcspn(line, "\n");
        str_add(&lines, line, length);
        line += length;
        if (!str_starts(line, "\n     ")) {
            return str_text(&lines);
        }
        str_puts(&lines, "\n");
        line += strlen("\n    ");
    }
}

/* The prototype alone, on one line, up to its semicolon. */
static const char *prototype_of(Arena *arena, const Verb *verb)
{
    Str out = str_new(arena);
    bool space = false;
    for (const char *next = verb->line; *next != ';' && *next != '\0'; next++) {
        if (isspace((unsigned char)*next)) {
            space = true;
            continue;
        }
        str_puts(&out, space ? " " : "");
        str_putc(&out, *next);
        space = false;
    }
    return str_text(&out);
}

/* Is that parameter (`WgTensor **out`) a place for what the verb makes? `view` and `attrs` bring something. */
static bool is_output(const char *parameter, const char *name)
{
    return strstr(parameter, "**") != NULL && !str_equal(name, "view") && !str_equal(name, "attrs");
}

/* Names of parameters but the context: first places for results, which become null, then those that are not used. */
static void add_parameters(const Skeleton *skeleton, Value verb, const char *parameters)
{
    Value outputs = value_list(skeleton->arena);
    Value ignored = value_list(skeleton->arena);
    for (const char *at = parameters; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const char *parameter = arena_copy(skeleton->arena, at, length);
        const char *name = parameter + length;
        while (name > parameter && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
            name--;
        }
        if (!str_equal(name, "ctx")) {
            Value item = value_object(skeleton->arena, 1);
            set_text(skeleton, item, "parameter", name);
            value_push(skeleton->arena, is_output(parameter, name) ? outputs : ignored, item);
        }
        at += length + (at[length] == ',');
    }
    set(skeleton, verb, "outputs", outputs);
    set(skeleton, verb, "ignored", ignored);
}

/* What a verb returns that has failed and has no status: nothing, null, or 0 in its type. */
static void add_result(const Skeleton *skeleton, Value verb, const char *type, bool has_status)
{
    const bool is_pointer = strchr(type, '*') != NULL;
    const bool is_void = str_equal(type, "void");
    const bool is_struct = str_starts(type, "Wg") && !is_pointer;
    set(skeleton, verb, "returns_status", value_bool(has_status));
    set(skeleton, verb, "returns_null", value_bool(!has_status && is_pointer));
    set(skeleton, verb, "returns_struct", value_bool(!has_status && is_struct));
    set(skeleton, verb, "returns_zero", value_bool(!has_status && !is_void && !is_pointer && !is_struct));
}

static Value verb_value(const Skeleton *skeleton, const Verb *verb, const char *number)
{
    Arena *arena = skeleton->arena;
    Value value = value_object(arena, 16);
    const char *prototype = prototype_of(arena, verb);
    const char *open = strchr(prototype, '(');
    const size_t before = (size_t)(open - prototype) - strlen(verb->name);
    size_t end = before;
    while (end > 0 && prototype[end - 1] == ' ') {
        end--;
    }
    const char *type = arena_copy(arena, prototype, end);
    const char *parameters = arena_copy(arena, open + 1, strcspn(open + 1, ")"));
    const bool is_host_status = str_equal(verb->name, "wg_host_status");
    set_text(skeleton, value, "name", verb->name);
    set_text(skeleton, value, "number", number);
    set_text(skeleton, value, "lines", lines_of(arena, verb));
    set_text(skeleton, value, "prototype", prototype);
    set_text(skeleton, value, "type", type);
    set(skeleton, value, "is_host_status", value_bool(is_host_status));
    add_parameters(skeleton, value, parameters);
    add_result(skeleton, value, type, !verb->reads && str_equal(type, "int32_t"));
    return value;
}

/* ---- all of them ---- */

/* "Read (return the value; ...)" is the section "Read". */
static const char *heading_of(Arena *arena, const char *line)
{
    size_t length = strcspn(line, "(\n");
    while (length > 0 && line[length - 1] == ' ') {
        length--;
    }
    return arena_copy(arena, line, length);
}

/* Sections with verbs; what was asked for, in the order of VERBS.md. */
static Value sections_of(const Skeleton *skeleton, const Verbs *known, const bool *asked)
{
    Arena *arena = skeleton->arena;
    Value sections = value_list(arena);
    Value verbs = value_null();
    const char *section = NULL;
    for (uint32_t i = 0; i < known->count; i++) {
        const Verb *verb = &known->at[i];
        if (!asked[i]) {
            continue;
        }
        if (verb->section != section) {
            Value item = value_object(arena, 4);
            section = verb->section;
            verbs = value_list(arena);
            set_text(skeleton, item, "heading", heading_of(arena, section));
            set(skeleton, item, "verbs", verbs);
            value_push(arena, sections, item);
        }
        value_push(arena, verbs, verb_value(skeleton, verb, arena_printf(arena, "%u", (unsigned)(i + 1))));
    }
    return sections;
}

static const char *upper(Arena *arena, const char *name)
{
    char *copy = arena_copy(arena, name, strlen(name));
    for (char *next = copy; *next != '\0'; next++) {
        *next = (char)toupper((unsigned char)*next);
    }
    return copy;
}

static bool *asked_of(const Host *host, const char *verb)
{
    return &host->asked[verbs_find(host->known, verb, strlen(verb)) - host->known->at];
}

static bool is_there(const Host *host, const Host *begun, const char *verb)
{
    return *asked_of(host, verb) || (begun && host_has(begun, verb));
}

/* What tests/host_check/check.sh makes, fills, reads and releases tensors with; the second of a row will do, too. */
static void ask_for_check(const Host *host, const Host *begun)
{
    static const char *const needed[][2] = {
        {"wg_rank", NULL}, {"wg_size", "wg_sizes"},    {"wg_stride", "wg_strides"}, {"wg_dtype", NULL},
        {"wg_data", NULL}, {"wg_empty_strided", NULL}, {"wg_release", NULL},
    };
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!needed[i][1] || !is_there(host, begun, needed[i][1])) {
            *asked_of(host, needed[i][0]) = true;
        }
    }
}

const char *program_skeleton_verbs(Program *program, const Host *begun)
{
    const Host *host = program->host;
    Str names = str_new(program->arena);
    ask_for_check(host, begun);
    for (uint32_t i = 0; i < host->known->count; i++) {
        host->asked[i] = host->asked[i] && !(begun && host_has(begun, host->known->at[i].name));
        if (host->asked[i]) {
            str_printf(&names, "%s%s", names.length ? ", " : "", host->known->at[i].name);
        }
    }
    return str_text(&names);
}

/* The verbs that read parts of a context: what it begins with is theirs. */
static Value root_of(const Skeleton *skeleton, const Program *program)
{
    const Host *host = program->host;
    Value root = value_object(program->arena, 16);
    set_text(skeleton, root, "host", host->name);
    set_text(skeleton, root, "HOST", upper(program->arena, host->name));
    set_text(skeleton, root, "guard", host_guard(program->arena, host));
    set_text(skeleton, root, "banner_name", program->options.banner_name);
    set(skeleton, root, "has_grad_mode", value_bool(*asked_of(host, "wg_grad_mode")));
    set(skeleton, root, "has_scratch", value_bool(*asked_of(host, "wg_scratch_take")));
    set(skeleton, root, "sections", sections_of(skeleton, host->known, host->asked));
    return root;
}

bool program_render_skeleton(Program *program, TemplateStore *store, Str *description, Str *header, Str *source)
{
    const Skeleton skeleton = {program->arena, program_engine(program, store, NULL)};
    Value root = root_of(&skeleton, program);
    return mustache_render(skeleton.engine, "skeleton_description", root, description) &&
           mustache_render(skeleton.engine, "skeleton_header", root, header) &&
           mustache_render(skeleton.engine, "skeleton_source", root, source);
}

bool program_render_skeleton_rest(Program *program, TemplateStore *store, Str *out)
{
    const Skeleton skeleton = {program->arena, program_engine(program, store, NULL)};
    return mustache_render(skeleton.engine, "skeleton_rest", root_of(&skeleton, program), out);
}
