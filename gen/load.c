/* SPDX-License-Identifier: MIT */
/*
 * load - bytes to structs: one libcyaml parse by the tables of schema/spec.c, strictly.
 */
#include "front.h"

#include <string.h>

#include "../schema/schema.h"

static void ignore_log(cyaml_log_t level, void *ctx, const char *format, va_list args)
{
    (void)level;
    (void)ctx;
    (void)format;
    (void)args;
}

bool source_load(Arena *arena, Diag *diag, Source *source)
{
    const cyaml_config_t config = {
        .log_fn = ignore_log,
        .log_level = CYAML_LOG_WARNING,
        .mem_fn = arena_cyaml,
        .mem_ctx = arena,
        .flags = CYAML_CFG_NO_ALIAS,
    };
    cyaml_data_t *data = NULL;
    cyaml_err_t error =
        cyaml_load_data((const uint8_t *)source->text, source->length, &config, &spec_schema, &data, NULL);

    if (error != CYAML_OK || !data) {
        diag_report(diag, DIAG_ERROR, "E_SYNTAX", diag_nowhere(source->name), "%s",
                    error != CYAML_OK ? cyaml_strerror(error) : "the file is empty");
        return false;
    }
    source->spec = data;
    return true;
}

void source_resolve(Arena *arena, Diag *diag, const Source *sources, size_t num_sources)
{
    (void)arena;
    for (DiagMessage *message = diag->first; message; message = message->next) {
        if (message->place.part != DIAG_NOWHERE && !message->place.file && num_sources > 0) {
            message->place.file = sources[0].name;
        }
    }
}
