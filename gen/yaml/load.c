/* SPDX-License-Identifier: MIT */
/*
 * load - bytes to structs: one libcyaml parse by the tables of schema/spec.c, strictly.
 *
 *   bytes ─ scan ─▶ nothing that libyaml chokes on ─ libcyaml ─▶ Spec
 *                        │ may nest too deep                 │ an error, or something that libcyaml blurs
 *                        └────────────▶ shape_check ◀────────┘
 *
 * A good file is parsed once. Any file that is not certainly good is walked by shape_check(), which can tell better
 * than libcyaml what is wrong and where. The two must agree: when libcyaml refuses a file and the walk finds nothing,
 * that is reported, never ignored.
 *
 * Two things that libcyaml takes for text, empty values and nulls, are detected in the memory that it allocates, once
 * the text is in it. (It allocates such sizes only for short texts.)
 */
#include "shape.h"

#include <string.h>

#include "../../schema/schema.h"
#include "memory.h"

/* What libcyaml does, as seen by its callbacks. */
typedef struct Loader {
    Arena *arena;
    Memory memory;
    const char *text; /* the last block of the size of a null word; it holds text by the next call */
    size_t size;
    bool doubtful;
    bool warned;
    const char *first_message;
} Loader;

static void look_at_text(Loader *loader)
{
    if (loader->text) {
        loader->doubtful |= loader->size == sizeof "" || memcmp(loader->text, "~", sizeof "~") == 0 ||
                            (loader->size == sizeof "null" && (memcmp(loader->text, "null", sizeof "null") == 0 ||
                                                               memcmp(loader->text, "Null", sizeof "null") == 0 ||
                                                               memcmp(loader->text, "NULL", sizeof "null") == 0));
    }
    loader->text = NULL;
}

static void *loader_memory(void *ctx, void *ptr, size_t size)
{
    Loader *loader = ctx;
    void *block = NULL;

    look_at_text(loader);
    block = memory_resize(&loader->memory, ptr, size);
    if (!ptr && (size == sizeof "" || size == sizeof "~" || size == sizeof "null")) {
        loader->text = block;
        loader->size = size;
    }
    return block;
}

static void loader_log(cyaml_log_t level, void *ctx, const char *format, va_list args)
{
    Loader *loader = ctx;
    va_list again;
    int length = 0;

    (void)level;
    loader->warned = true;
    if (loader->first_message) {
        return;
    }
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    loader->first_message = "";
    if (length > 0) {
        char *text = arena_alloc(loader->arena, (size_t)length + 1);
        (void)vsnprintf(text, (size_t)length + 1, format, args);
        text[strcspn(text, "\n")] = '\0';
        loader->first_message = text;
    }
}

/* The walk found nothing although libcyaml did. */
static bool report_disagreement(Diag *diag, const Source *source, const Loader *loader, cyaml_err_t error)
{
    diag_report(diag, DIAG_ERROR, "E_INTERNAL", diag_nowhere(source->name),
                "libcyaml refuses this file (%s: %s), but nothing wrong was found in it; please report this",
                cyaml_strerror(error), loader->first_message ? loader->first_message : "no message");
    return false;
}

static bool load(Arena *arena, Diag *diag, Source *source)
{
    Loader loader = {.arena = arena, .memory = {.arena = arena}};
    Scan scan;
    cyaml_data_t *data = NULL;
    cyaml_err_t error = CYAML_OK;
    const cyaml_config_t config = {
        .log_fn = loader_log,
        .log_ctx = &loader,
        .log_level = CYAML_LOG_WARNING,
        .mem_fn = loader_memory,
        .mem_ctx = &loader,
        .flags = CYAML_CFG_NO_ALIAS,
    };

    if (!scan_source(diag, source, &scan) || (scan.deep && !shape_check(arena, diag, source, NULL))) {
        return false;
    }
    error = cyaml_load_data((const uint8_t *)source->text, source->length, &config, source->schema, &data, NULL);
    look_at_text(&loader);
    if (error != CYAML_OK || !data || loader.warned) {
        return shape_check(arena, diag, source, NULL) ? report_disagreement(diag, source, &loader, error) : false;
    }
    if ((scan.doubtful || loader.doubtful) && !shape_check(arena, diag, source, data)) {
        return false;
    }
    source->data = data;
    return true;
}

bool source_load_as(Arena *arena, Diag *diag, Source *source, const struct cyaml_schema_value *schema)
{
    bool loaded = false;

    source->schema = schema;
    loaded = load(arena, diag, source);

    if (!loaded) {
        diag_sort(diag);
    }
    return loaded;
}

bool source_load(Arena *arena, Diag *diag, Source *source)
{
    bool loaded = source_load_as(arena, diag, source, &spec_schema);

    source->spec = loaded ? source->data : NULL;
    return loaded;
}
