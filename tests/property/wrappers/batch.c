/* SPDX-License-Identifier: MIT */
/*
 * batch - see batch.h. The calls run in a child, so that a wrapper that crashes costs its graph and not the run.
 */
#include "batch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../gen/base/diag.h"
#include "../../../gen/yaml/front.h"
#include "glue.h"

/* ---- files and commands ---- */

static bool write_text(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    const bool written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && written;
}

static char *read_text(Arena *arena, const char *path)
{
    Str text = str_new(arena);
    char block[4096];
    FILE *file = fopen(path, "rb");
    for (size_t n = 0; file != NULL && (n = fread(block, 1, sizeof block, file)) > 0;) {
        str_add(&text, block, n);
    }
    if (file != NULL) {
        fclose(file);
    }
    str_putc(&text, '\0');
    return text.data;
}

/* Exit status, or 128 and the signal. */
static int run_command(const char *command)
{
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* ---- wrapgen ---- */

static void count_refusal(Refusals *refusals, const char *line, const char *code, size_t length)
{
    uint32_t i = 0;
    while (i < refusals->num_codes &&
           (strlen(refusals->codes[i]) != length || strncmp(refusals->codes[i], code, length) != 0)) {
        i++;
    }
    if (i == sizeof refusals->counts / sizeof refusals->counts[0]) {
        return;
    }
    if (i == refusals->num_codes) {
        snprintf(refusals->codes[refusals->num_codes++], sizeof refusals->codes[0], "%.*s", (int)length, code);
        snprintf(refusals->first[i], sizeof refusals->first[i], "%s", line);
    }
    refusals->counts[i]++;
}

/* Marks the graphs that the messages name; how many were new. `numbers` maps graphs of the file to those of the batch.
 */
static uint32_t mark_refused(char *log, BatchGraph *graphs, const uint32_t *numbers, uint32_t count, Refusals *refusals)
{
    uint32_t marked = 0;
    for (char *line = strtok(log, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char *where = strstr(line, "graphs[");
        const char *code = strstr(line, "\"code\":");
        const unsigned long i = where != NULL ? strtoul(where + strlen("graphs["), NULL, 10) : count;
        if (i >= count || graphs[numbers[i]].refused) {
            continue;
        }
        graphs[numbers[i]].refused = true;
        marked++;
        if (refusals != NULL && code != NULL) {
            code += strlen("\"code\":");
            code += strspn(code, " \"");
            count_refusal(refusals, line, code, strcspn(code, "\""));
        }
    }
    return marked;
}

/* The file of what is not refused. */
static bool write_batch(Arena *arena, const Tools *tools, const BatchGraph *graphs, uint32_t n, uint32_t *numbers,
                        uint32_t *count)
{
    Node **nodes = ARENA_ARRAY(arena, Node *, (size_t)n + 1);
    Str text = str_new(arena);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!graphs[i].refused) {
            numbers[*count] = i;
            nodes[(*count)++] = graphs[i].node;
        }
    }
    node_write(generate_file(arena, nodes, *count), 5, &text);
    return write_text(arena_printf(arena, "%s/batch.yaml", tools->folder), text.data, text.length);
}

static int run_wrapgen(Arena *arena, const Tools *tools, const char *input)
{
    const char *templates = tools->templates == NULL ? "" : arena_printf(arena, "--templates '%s'", tools->templates);
    const char *loops = tools->loop_from == NULL ? "" : arena_printf(arena, "--loop-from '%s'", tools->loop_from);
    return run_command(arena_printf(arena,
                                    "'%s' --in '%s' --host '%s/%s.yaml' --out '%s/batch.c' "
                                    "--header '%s/batch.h' --diagnostics json %s %s >'%s/wrapgen.log' 2>&1",
                                    tools->wrapgen, input, tools->folder, tools->bare ? "mock_bare" : "mock",
                                    tools->folder, tools->folder, templates, loops, tools->folder));
}

/* Generates; graphs that are refused are left out and the rest tried again. */
static BatchVerdict generate(Arena *arena, const Tools *tools, BatchGraph *graphs, uint32_t n, uint32_t *numbers,
                             uint32_t *count, Refusals *refusals)
{
    for (int tries = 0; tries < 8; tries++) {
        if (!write_batch(arena, tools, graphs, n, numbers, count)) {
            return BATCH_BROKEN;
        }
        if (*count == 0) {
            return BATCH_REFUSED;
        }
        const int status = run_wrapgen(arena, tools, arena_printf(arena, "%s/batch.yaml", tools->folder));
        if (status == 0) {
            return BATCH_GOOD;
        }
        char *log = read_text(arena, arena_printf(arena, "%s/wrapgen.log", tools->folder));
        if (status != 2 || mark_refused(log, graphs, numbers, *count, refusals) == 0) {
            fprintf(stderr, "wrapgen ended with %d:\n%.2000s\n", status, log);
            return status == 2 ? BATCH_REFUSED : BATCH_BROKEN;
        }
    }
    return BATCH_REFUSED;
}

/* ---- the front end, in this process: the reference reads the same file ---- */

typedef struct Loaded {
    Layout *layouts;
    uint32_t count;
    const char *prefix;
} Loaded;

static bool load(Arena *arena, const char *path, Loaded *loaded)
{
    Diag diag;
    Source source;
    memset(&source, 0, sizeof source);
    diag_init(&diag, arena);
    if (!source_read(arena, &diag, path, &source) || !source_load(arena, &diag, &source) ||
        !validate_specs(arena, &diag, &source, 1, NULL)) {
        fprintf(stderr, "%s: wrapgen took it, the front end here did not\n", path);
        return false;
    }
    loaded->count = source.spec->graphs_count;
    loaded->prefix = source.spec->prefix;
    loaded->layouts = ARENA_ARRAY(arena, Layout, loaded->count);
    for (uint32_t i = 0; i < loaded->count; i++) {
        loaded->layouts[i] = layout_of(arena, source.spec, &source.spec->graphs[i]);
    }
    return true;
}

static bool compile(Arena *arena, const Tools *tools, const Loaded *loaded)
{
    Str glue = str_new(arena);
    glue_write(loaded->layouts, loaded->count, loaded->prefix, "batch.c", &glue);
    if (!write_text(arena_printf(arena, "%s/glue.c", tools->folder), glue.data, glue.length)) {
        return false;
    }
    const char *command =
        arena_printf(arena,
                     "%s -I '%s/templates/core' -I '%s/templates/selftest' -o '%s/batch.so' "
                     "'%s/glue.c' >'%s/compile.log' 2>&1",
                     tools->compiler, tools->source, tools->source, tools->folder, tools->folder, tools->folder);
    if (run_command(command) != 0) {
        char *log = read_text(arena, arena_printf(arena, "%s/compile.log", tools->folder));
        fprintf(stderr, "%s\n%.3000s\n", command, log);
        return false;
    }
    return true;
}

/* ---- calls, in the child ---- */

typedef struct Caller {
    Checker checker;
    const Layout *layout;
    const Entry *entry;
    BatchResult *result;
    FILE *report;
    uint64_t spent_seed; /* the failing verb asked for with this seed is never reached: nor are later ones */
} Caller;

static bool call_once(void *user, const Scenario *scenario)
{
    Caller *caller = user;
    const bool failing = scenario->fail_effect_at + scenario->fail_retain_at != 0;
    if (failing && scenario->seed == caller->spent_seed) {
        return true;
    }
    caller->result->scenario = *scenario;
    const Mismatch mismatch = check_call(&caller->checker, caller->layout, caller->entry, scenario);
    const WgContext *ctx = &caller->checker.generated;
    if (ctx->num_effects < scenario->fail_effect_at || ctx->num_retains < scenario->fail_retain_at) {
        caller->spent_seed = scenario->seed;
    }
    caller->result->calls++;
    caller->result->mismatch = mismatch;
    if (mismatch != MISMATCH_NONE && caller->report != NULL) {
        scenario_print(caller->report, caller->layout, scenario);
        check_print(caller->report, &caller->checker, mismatch);
        fflush(caller->report);
    }
    return mismatch == MISMATCH_NONE;
}

static int call_all(const Tools *tools, Arena *arena, const Loaded *loaded, const uint64_t *seeds, uint32_t first,
                    FILE *report, BatchResult *result)
{
    void *library = dlopen(arena_printf(arena, "%s/batch.so", tools->folder), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const Entry *entries = (const Entry *)dlsym(library, "glue_entries");
    static Caller caller;
    caller.result = result;
    caller.report = report;
    if (loaded->count > 0) {
        const Layout *any = &loaded->layouts[0];
        const MockTables tables = {
            .types = (const WgType *const *)dlsym(library, "glue_types"),
            .contexts = (const void *const *const *)dlsym(library, "glue_contexts"),
            .num_types = any->spec->subclasses_count,
            .num_contexts = any->num_contexts,
            .has_ranges = !tools->bare,
            .turns_tangents = !tools->bare,
            .tells_lazy = true,
            .marks_parts = !tools->bare,
        };
        caller.checker.generated.tables = tables;
        caller.checker.reference.tables = tables;
    }
    for (uint32_t i = first; i < loaded->count; i++) {
        caller.layout = &loaded->layouts[i];
        caller.entry = &entries[i];
        result->graph = i;
        if (!scenario_each(caller.layout, seeds[i], call_once, &caller)) {
            return 1;
        }
    }
    mock_destroy(&caller.checker.generated);
    mock_destroy(&caller.checker.reference);
    return 0;
}

/* Memory that the child writes and the parent reads. */
static BatchResult *shared_result(Arena *arena, const Tools *tools)
{
    const char *path = arena_printf(arena, "%s/result", tools->folder);
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(BatchResult)) == 0) {
        memory = mmap(NULL, sizeof(BatchResult), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (file >= 0) {
        close(file);
    }
    return memory == MAP_FAILED ? NULL : memory;
}

static BatchVerdict call_in_child(Arena *arena, const Tools *tools, const Loaded *loaded, const uint64_t *seeds,
                                  uint32_t first, FILE *report, BatchResult *result)
{
    BatchResult *shared = shared_result(arena, tools);
    int status = 0;
    if (shared == NULL) {
        perror("shared memory");
        return BATCH_BROKEN;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        _exit(call_all(tools, arena, loaded, seeds, first, report, shared));
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        return BATCH_BROKEN;
    }
    *result = *shared;
    munmap(shared, sizeof *shared);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) {
        return WEXITSTATUS(status) == 0 ? BATCH_GOOD : BATCH_DIFFERS;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
        return BATCH_BROKEN;
    }
    result->mismatch = MISMATCH_CRASH;
    if (report != NULL && result->graph < loaded->count) {
        scenario_print(report, &loaded->layouts[result->graph], &result->scenario);
        fprintf(report, "differs: %s (signal %d)\n", mismatch_text(MISMATCH_CRASH),
                WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    return BATCH_DIFFERS;
}

BatchVerdict batch_run(Arena *arena, const Tools *tools, BatchGraph *graphs, uint32_t num_graphs, uint32_t first,
                       bool build, FILE *report, BatchResult *result, Refusals *refusals)
{
    Loaded loaded = {NULL, 0, NULL};
    uint32_t *numbers = ARENA_ARRAY(arena, uint32_t, (size_t)num_graphs + 1);
    uint64_t *seeds = ARENA_ARRAY(arena, uint64_t, (size_t)num_graphs + 1);
    uint32_t count = 0;
    uint32_t start = 0;
    const char *yaml = arena_printf(arena, "%s/batch.yaml", tools->folder);
    memset(result, 0, sizeof *result);
    if (build) {
        const BatchVerdict verdict = generate(arena, tools, graphs, num_graphs, numbers, &count, refusals);
        if (verdict != BATCH_GOOD) {
            return verdict;
        }
    } else if (!write_batch(arena, tools, graphs, num_graphs, numbers, &count)) {
        return BATCH_BROKEN;
    }
    if (!load(arena, yaml, &loaded) || loaded.count != count || (build && !compile(arena, tools, &loaded))) {
        return BATCH_BROKEN;
    }
    for (uint32_t i = 0; i < count; i++) {
        seeds[i] = graphs[numbers[i]].seed;
        start += numbers[i] < first ? 1 : 0;
    }
    const BatchVerdict verdict = call_in_child(arena, tools, &loaded, seeds, start, report, result);
    result->graph = result->graph < count ? numbers[result->graph] : 0;
    return verdict;
}

BatchVerdict batch_run_file(Arena *arena, const Tools *tools, const char *path, uint64_t seed, FILE *report,
                            BatchResult *result)
{
    Loaded loaded = {NULL, 0, NULL};
    memset(result, 0, sizeof *result);
    if (run_wrapgen(arena, tools, path) != 0) {
        fprintf(stderr, "%s\n", read_text(arena, arena_printf(arena, "%s/wrapgen.log", tools->folder)));
        return BATCH_REFUSED;
    }
    if (!load(arena, path, &loaded) || !compile(arena, tools, &loaded)) {
        return BATCH_BROKEN;
    }
    uint64_t *seeds = ARENA_ARRAY(arena, uint64_t, (size_t)loaded.count + 1);
    for (uint32_t i = 0; i < loaded.count; i++) {
        seeds[i] = seed;
    }
    return call_in_child(arena, tools, &loaded, seeds, 0, report, result);
}
