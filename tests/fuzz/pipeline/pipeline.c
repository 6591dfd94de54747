/* SPDX-License-Identifier: MIT */
/*
 * pipeline - a run of the tool as cmd/main.c makes it, but for the command line and for where the bytes end up.
 */
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

/* host: null is the YAML's. What is written goes to /dev/null, unless `twice`: then to files, which must come out the
 * same again. */
typedef struct Way {
    const char *name;
    const char *arguments;
    GenAction action;
    const char *host;
    const char *strategy;
    bool header;
    bool selftest;
    bool twice;
} Way;

static const Way ways[PIPELINE_WAYS] = {
    {"plain", "--header w.h", GEN_WRITE, NULL, NULL, true, false, false},
    {"self-test", "--header w.h --host native --emit-selftest self.c", GEN_WRITE, "native", NULL, true, true, false},
    {"native", "--header w.h --host native", GEN_WRITE, "native", NULL, true, false, false},
    {"aoti", "--header w.h --host aoti", GEN_WRITE, "aoti", NULL, true, false, false},
    {"mock", "--header w.h --host MOCK", GEN_WRITE, "MOCK", NULL, true, false, false},
    {"chain", "--dispatch-strategy chain --host MOCK", GEN_WRITE, "MOCK", "chain", false, false, false},
    {"tree", "--dispatch-strategy tree --host MOCK", GEN_WRITE, "MOCK", "tree", false, false, false},
    {"hash", "--dispatch-strategy hash --host MOCK", GEN_WRITE, "MOCK", "hash", false, false, false},
    {"twice", "--host MOCK", GEN_WRITE, "MOCK", NULL, false, false, true},
    {"plan", "--dump plan --host MOCK", GEN_DUMP_PLAN, "MOCK", NULL, false, false, false},
};

const char *pipeline_name(size_t way)
{
    return ways[way].name;
}

const char *pipeline_arguments(size_t way)
{
    return ways[way].arguments;
}

static void write_input(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(text, 1, length, file) != length || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

/* Messages are shown in both formats, as somebody would see them. */
static void show(Arena *arena, Diag *diag, const GenResult *result)
{
    for (int i = 0; i < 2; i++) {
        Str shown = str_new(arena);
        diag->format = i == 0 ? DIAG_TEXT : DIAG_JSON;
        diag_render(diag, result->files, result->num_files, i == 0, &shown);
    }
}

static const char *judge(Arena *arena, const Diag *diag, GenStatus status)
{
    if (status != GEN_DONE && diag->num_errors == 0) {
        return "it fails without an error";
    }
    for (const DiagMessage *message = diag->first; message != NULL; message = message->next) {
        if (strcmp(message->code, "E_INTERNAL") == 0 || strcmp(message->code, "E_TEMPLATE") == 0 ||
            strcmp(message->code, "E_STALE") == 0) {
            return arena_printf(arena, "%s: %s", message->code, message->message);
        }
        if (message->place.part != DIAG_POSITION && message->place.part != DIAG_NOWHERE) {
            return arena_printf(arena, "no place for %s: %s", message->code, message->message);
        }
    }
    return NULL;
}

static GenOptions options_of(const Pipeline *pipeline, Arena *arena, const Way *way, const char **input)
{
    const char *null = "/dev/null";
    *input = arena_printf(arena, "%s/graph.yaml", pipeline->scratch);
    return (GenOptions){
        .action = way->action,
        .inputs = input,
        .num_inputs = 1,
        .outputs[GEN_SOURCE] = way->twice ? arena_printf(arena, "%s/w.c", pipeline->scratch) : null,
        .outputs[GEN_HEADER] = way->header ? null : NULL,
        .outputs[GEN_LIMITS] = way->header ? null : NULL,
        .outputs[GEN_CONTRACT] = way->twice ? arena_printf(arena, "%s/w.json", pipeline->scratch) : null,
        .outputs[GEN_SELFTEST] = way->selftest ? null : NULL,
        .host = way->host != NULL && strcmp(way->host, "MOCK") == 0 ? pipeline->mock : way->host,
        .strategy = way->strategy,
    };
}

static GenStatus run_once(Arena *arena, GenOptions *options, const char **complaint)
{
    Diag diag;
    GenResult result = {.num_files = 0};
    diag_init(&diag, arena);
    const GenStatus status = gen_run(arena, &diag, options, &result);
    show(arena, &diag, &result);
    *complaint = judge(arena, &diag, status);
    return status;
}

PipelineResult pipeline_run(const Pipeline *pipeline, size_t way, const char *text, size_t length, char *complaint,
                            size_t capacity)
{
    Arena arena;
    const char *input = NULL;
    const char *wrong = NULL;
    arena_init(&arena);
    GenOptions options = options_of(pipeline, &arena, &ways[way], &input);
    write_input(input, text, length);
    GenStatus status = run_once(&arena, &options, &wrong);
    if (status == GEN_DONE && wrong == NULL && ways[way].twice) {
        options.action = GEN_CHECK;
        status = run_once(&arena, &options, &wrong);
    }
    if (wrong != NULL) {
        snprintf(complaint, capacity, "%s", wrong);
    }
    arena_release(&arena);
    return wrong != NULL ? PIPELINE_WRONG : status == GEN_DONE ? PIPELINE_ACCEPTED : PIPELINE_REFUSED;
}
