/* SPDX-License-Identifier: MIT */
/*
 * load_bench - what the strict loader costs over libcyaml alone, as a ratio, in one run.
 *
 *     load_bench FILE [LIMIT [ROUNDS]]
 *
 * Both load the same bytes in turns, ROUNDS times (default 9); the shortest time of each counts. "alone" is
 * cyaml_load_data by the same tables with its default memory functions, and cyaml_free; "strict" is source_load() with
 * an arena, and its release. Exit status 1 when the ratio is above LIMIT (default 1.15), or when something does not
 * load.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gen/yaml/front.h"
#include "schema/schema.h"

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool load_alone(const Source *source, double *seconds)
{
    const cyaml_config_t config = {
        .log_level = CYAML_LOG_ERROR,
        .log_fn = cyaml_log,
        .mem_fn = cyaml_mem,
        .flags = CYAML_CFG_NO_ALIAS,
    };
    cyaml_data_t *data = NULL;
    double begin = now();
    cyaml_err_t error =
        cyaml_load_data((const uint8_t *)source->text, source->length, &config, &spec_schema, &data, NULL);

    cyaml_free(&config, &spec_schema, data, 0);
    *seconds = now() - begin;
    return error == CYAML_OK;
}

static bool load_strictly(const Source *source, double *seconds)
{
    Arena arena;
    Diag diag;
    Source copy = *source;
    double begin = now();
    bool loaded = false;

    arena_init(&arena);
    diag_init(&diag, &arena);
    loaded = source_load(&arena, &diag, &copy);
    arena_release(&arena);
    *seconds = now() - begin;
    return loaded;
}

static bool compare(const Source *source, double limit, int rounds)
{
    double best_alone = 1e9;
    double best_strict = 1e9;
    double ratio = 0;

    for (int i = 0; i < rounds; i++) {
        double alone = 0;
        double strict = 0;
        if (!load_alone(source, &alone) || !load_strictly(source, &strict)) {
            fprintf(stderr, "load_bench: %s does not load\n", source->name);
            return false;
        }
        best_alone = alone < best_alone ? alone : best_alone;
        best_strict = strict < best_strict ? strict : best_strict;
    }
    ratio = best_strict / best_alone;
    printf("%s: %.1f MB, libcyaml alone %.1f ms, strict %.1f ms, ratio %.2f (limit %.2f)\n", source->name,
           1e-6 * (double)source->length, 1e3 * best_alone, 1e3 * best_strict, ratio, limit);
    return ratio <= limit;
}

int main(int argc, char **argv)
{
    double limit = argc > 2 ? strtod(argv[2], NULL) : 1.15;
    int rounds = argc > 3 ? atoi(argv[3]) : 9;
    Arena arena;
    Diag diag;
    Source source;
    bool good = false;

    if (argc < 2) {
        fprintf(stderr, "usage: load_bench FILE [LIMIT [ROUNDS]]\n");
        return 2;
    }
    arena_init(&arena);
    diag_init(&diag, &arena);
    if (source_read(&arena, &diag, argv[1], &source)) {
        good = compare(&source, limit, rounds);
    } else {
        fprintf(stderr, "load_bench: %s\n", diag.first->message);
    }
    arena_release(&arena);
    return good ? 0 : 1;
}
