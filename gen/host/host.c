/* SPDX-License-Identifier: MIT */
/*
 * host - reads a host's description: a small YAML file, loaded through a libcyaml table like the graphs.
 *
 * Header and symbol go into generated C unchanged, so they must be valid in an #include and as an identifier. The verbs
 * that exist are those of templates/hosts/VERBS.md (verbs.h).
 */
#include "host.h"

#include <string.h>

#include "builtin.h"
#include "header_name.h"
#include "host_private.h"

static const cyaml_schema_value_t TEXT = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED)};

const cyaml_schema_field_t host_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, Host, name, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("header", CYAML_FLAG_POINTER, Host, header, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("abi_symbol", CYAML_FLAG_POINTER, Host, abi_symbol, 1, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("verbs", CYAML_FLAG_POINTER, Host, verbs, &TEXT, 1, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("by_program", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, Host, by_program, &TEXT, 0,
                         CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("no_effect", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, Host, no_effect, &TEXT, 0,
                         CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t HOST = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, Host, host_fields)};

static bool is_header(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+";
    return *text && strspn(text, allowed) == strlen(text);
}

static void complain(Diag *diag, const void *field, const char *what, const char *text, const char *why)
{
    diag_report(diag, DIAG_ERROR, "E_HOST", diag_value(field), "%s '%s' %s", what,
                diag_excerpt(diag->arena, text, strlen(text)), why);
}

static bool is_one_of(const char *verb, char *const *verbs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(verb, verbs[i])) {
            return true;
        }
    }
    return false;
}

/* The lists about verbs may only name verbs that the host has. */
static void check_subset(Diag *diag, const Host *host, char *const *verbs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!host_has(host, verbs[i])) {
            complain(diag, &verbs[i], "verb", verbs[i], "is not among this host's verbs");
        }
    }
}

static void check_verb(Diag *diag, char *const *verb, const Verbs *known)
{
    size_t distance = 3;
    if (verbs_find(known, *verb, strlen(*verb)) != NULL) {
        return;
    }
    const char *nearest = verbs_nearest(known, *verb, &distance);
    complain(diag, verb, "verb", *verb,
             nearest != NULL ? arena_printf(diag->arena, "is unknown; did you mean '%s'?", nearest) : "is unknown");
}

/* Built-in descriptions follow the same rules. */
static bool check(Diag *diag, const Host *host)
{
    const size_t before = diag->num_errors;
    if (!str_is_identifier(host->name)) {
        complain(diag, &host->name, "name", host->name, "is not an identifier");
    }
    if (!is_header(host->header)) {
        complain(diag, &host->header, "header", host->header, "is not a plain file name");
    }
    if (!str_is_identifier(host->abi_symbol)) {
        complain(diag, &host->abi_symbol, "abi_symbol", host->abi_symbol, "is not an identifier");
    }
    for (uint32_t i = 0; i < host->verbs_count; i++) {
        check_verb(diag, &host->verbs[i], host->known);
    }
    check_subset(diag, host, host->by_program, host->by_program_count);
    check_subset(diag, host, host->no_effect, host->no_effect_count);
    return diag->num_errors == before;
}

bool host_is_path(const char *name)
{
    static const char ending[] = ".yaml";
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > strlen(ending) && str_equal(name + length - strlen(ending), ending));
}

static Host *load_builtin(Arena *arena, Diag *diag, const char *name, DiagPlace named, Source *source)
{
    const EmbeddedFile *file = builtin_host(diag, name, named);
    if (!file) {
        return NULL;
    }
    *source =
        (Source){.name = arena_printf(arena, "templates/%s", file->name), .text = file->text, .length = file->length};
    return source_load_as(arena, diag, source, &HOST) ? source->data : NULL;
}

const Host *host_load(Arena *arena, Diag *diag, const char *name, DiagPlace named, Source *source)
{
    Host *host = NULL;
    if (!host_is_path(name)) {
        host = load_builtin(arena, diag, name, named, source);
    } else if (source_read(arena, diag, name, source) && source_load_as(arena, diag, source, &HOST)) {
        host = source->data;
    }
    if (!host) {
        return NULL;
    }
    host->known = verbs_new(arena);
    host->has = ARENA_NEW(arena, Table);
    table_init(host->has, arena);
    for (uint32_t i = 0; i < host->verbs_count; i++) {
        (void)table_add(host->has, host->verbs[i], strlen(host->verbs[i]), 0, i);
    }
    return check(diag, host) ? host : NULL;
}

const Host *host_unwritten(Arena *arena, const char *name)
{
    Host *host = ARENA_NEW(arena, Host);
    host->name = arena_copy(arena, name, strlen(name));
    host->header = arena_printf(arena, "wg_%s.h", name);
    host->abi_symbol = arena_printf(arena, "wg_host_%s_abi1", name);
    host->known = verbs_new(arena);
    host->has = ARENA_NEW(arena, Table);
    table_init(host->has, arena);
    host->asked = ARENA_ARRAY(arena, bool, (size_t)host->known->count + 1);
    return host;
}

bool host_has(const Host *host, const char *verb)
{
    return table_find(host->has, verb, strlen(verb)) != NULL;
}

const char *host_caution(const Host *host, const char *verb, const char **code)
{
    if (is_one_of(verb, host->by_program, host->by_program_count)) {
        *code = "W_HOST_PROGRAM";
        return "can only do with a callback from your program; its header says what happens without one";
    }
    if (is_one_of(verb, host->no_effect, host->no_effect_count)) {
        *code = "W_HOST_NO_EFFECT";
        return "accepts, with no effect";
    }
    return NULL;
}

const char *host_guard(Arena *arena, const Host *host)
{
    return header_guard(arena, host->header);
}
