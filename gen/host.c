/* SPDX-License-Identifier: MIT */
/*
 * host - reads a host's description: a small YAML file, loaded through a libcyaml table like the graphs.
 *
 * Header and symbol go into generated C as they are, so they are held to what an #include and an identifier can be. The
 * verbs that exist are those of the built-in native host, which has every verb of templates/hosts/VERBS.md (a test
 * compares).
 */
#include "host.h"

#include <string.h>

#include <cyaml/cyaml.h>

#include "builtin.h"
#include "front.h"

static const cyaml_schema_value_t TEXT = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED)};

static const cyaml_schema_field_t FIELDS[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, Host, name, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("header", CYAML_FLAG_POINTER, Host, header, 1, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("abi_symbol", CYAML_FLAG_POINTER, Host, abi_symbol, 1, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("verbs", CYAML_FLAG_POINTER, Host, verbs, &TEXT, 1, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t HOST = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, Host, FIELDS)};

/* The first line of libcyaml's log says what is wrong. */
typedef struct FirstLine {
    Arena *arena;
    char *text;
} FirstLine;

static void keep_first(cyaml_log_t level, void *ctx, const char *format, va_list args)
{
    static const char load[] = "Load: ";
    FirstLine *first = ctx;
    va_list again;
    (void)level;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (first->text || length < 0) {
        return;
    }
    char *line = arena_alloc(first->arena, (size_t)length + 1);
    vsnprintf(line, (size_t)length + 1, format, args);
    line[strcspn(line, "\n")] = '\0';
    first->text = str_starts(line, load) ? line + strlen(load) : line;
}

static Host *load(Arena *arena, Diag *diag, const char *name, const char *text, size_t length)
{
    FirstLine first = {arena, NULL};
    const cyaml_config_t config = {
        .log_fn = keep_first,
        .log_ctx = &first,
        .log_level = CYAML_LOG_ERROR,
        .mem_fn = arena_cyaml,
        .mem_ctx = arena,
        .flags = CYAML_CFG_NO_ALIAS,
    };
    cyaml_data_t *data = NULL;
    const cyaml_err_t error = cyaml_load_data((const uint8_t *)text, length, &config, &HOST, &data, NULL);
    if (error == CYAML_OK && data) {
        return data;
    }
    if (error == CYAML_OK) {
        first.text = arena_printf(arena, "the file is empty");
    }
    diag_report(diag, DIAG_ERROR, "E_HOST", diag_nowhere(name), "not the description of a host: %s",
                first.text ? first.text : cyaml_strerror(error));
    return NULL;
}

static bool is_header(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+";
    return *text && strspn(text, allowed) == strlen(text);
}

/* Built-in descriptions are held to the same rules; a test loads each of them. */
static bool check(Diag *diag, const char *file, const Host *host, const Host *vocabulary)
{
    const size_t before = diag->num_errors;
    if (!str_is_identifier(host->name)) {
        diag_report(diag, DIAG_ERROR, "E_HOST", diag_nowhere(file), "name '%s' is not an identifier", host->name);
    }
    if (!is_header(host->header)) {
        diag_report(diag, DIAG_ERROR, "E_HOST", diag_nowhere(file), "header '%s' is not a plain file name",
                    host->header);
    }
    if (!str_is_identifier(host->abi_symbol)) {
        diag_report(diag, DIAG_ERROR, "E_HOST", diag_nowhere(file), "abi_symbol '%s' is not an identifier",
                    host->abi_symbol);
    }
    for (uint32_t i = 0; vocabulary && i < host->verbs_count; i++) {
        const char *nearest = NULL;
        size_t distance = 3;
        for (uint32_t k = 0; k < vocabulary->verbs_count && distance; k++) {
            const size_t apart = str_distance(host->verbs[i], vocabulary->verbs[k], distance);
            nearest = apart < distance ? vocabulary->verbs[k] : nearest;
            distance = apart < distance ? apart : distance;
        }
        if (distance) {
            diag_report(diag, DIAG_ERROR, "E_HOST", diag_nowhere(file), "unknown verb '%s'%s%s%s", host->verbs[i],
                        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
        }
    }
    return diag->num_errors == before;
}

bool host_is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && str_equal(name + length - 5, ".yaml"));
}

bool host_load(Arena *arena, Diag *diag, const char *name, Host *host, const char **path)
{
    const Host *loaded = NULL;
    const Host *vocabulary = NULL;
    *path = NULL;
    if (host_is_path(name)) {
        Source source = {0};
        if (!source_read(arena, diag, name, &source)) {
            return false;
        }
        *path = name;
        const EmbeddedFile *native = embedded_find("hosts/native/host.yaml");
        vocabulary = load(arena, diag, "native", native->text, native->length);
        loaded = load(arena, diag, name, source.text, source.length);
    } else {
        const EmbeddedFile *file = builtin_host(diag, name);
        loaded = file ? load(arena, diag, name, file->text, file->length) : NULL;
    }
    if (!loaded || !check(diag, name, loaded, vocabulary)) {
        return false;
    }
    *host = *loaded;
    return true;
}

bool host_has(const Host *host, const char *verb)
{
    for (uint32_t i = 0; i < host->verbs_count; i++) {
        if (str_equal(host->verbs[i], verb)) {
            return true;
        }
    }
    return false;
}
