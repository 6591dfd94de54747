/* SPDX-License-Identifier: MIT */
/*
 * gen - the pipeline of a run. generate() is all of it, gen_prepare() its first half, one stage per line; each stage
 * reports all of its errors, and the next one starts only when there are none. After the proof of kernels, nothing is
 * refused but what is not generated and what the host lacks.
 *
 * To add a stage, add a function over Run here and a line in generate(). To add an action, add a value of GenAction, a
 * case in act() and a row in cmd/options.c.
 */
#include "gen_private.h"

#include <stdlib.h>
#include <string.h>

#include "host/amalgam.h"
#include "host/builtin.h"
#include "base/embedded.h"
#include "base/lane.h"
#include "yaml/files.h"
#include "plan/fold.h"
#include "host/header_name.h"
#include "render/view.h"
#include "dispatch/prove.h"
#include "rules/schema_json.h"

bool gen_only_prints(GenAction action)
{
    return action == GEN_DUMP_PLAN || action == GEN_DUMP_VIEW || action == GEN_SIZE_REPORT || action == GEN_SHOW ||
           action == GEN_SHOW_HTML || action == GEN_DIFF || action == GEN_PRINT_SKELETON;
}

/* ---- stages: each reports all of its errors; false stops the run ---- */

static bool read_sources(Run *run)
{
    const GenOptions *options = run->options;
    bool done = overrides_open(&run->store);
    run->sources = ARENA_ARRAY(run->arena, Source, options->num_inputs + 1);
    for (size_t i = 0; i < options->num_inputs; i++) {
        done = source_read(run->arena, run->diag, options->inputs[i], &run->sources[i]) && done;
    }
    return done;
}

static void hash_sources(void *ctx)
{
    Run *run = ctx;
    run->hash = hash_start();
    for (size_t i = 0; i < run->options->num_inputs; i++) {
        run->hash = hash_add(run->hash, run->sources[i].text, run->sources[i].length);
    }
}

/* Their hash, which takes a tenth as long, is computed meanwhile. */
static bool load_sources(Run *run)
{
    bool done = true;
    size_t length = 0;
    for (size_t i = 0; i < run->options->num_inputs; i++) {
        length += run->sources[i].length;
    }
    Lane hashing;
    lane_start(&hashing, length >= LANE_WORTH, hash_sources, run);
    for (size_t i = 0; i < run->options->num_inputs; i++) {
        done = source_load(run->arena, run->diag, &run->sources[i]) && done;
    }
    lane_join(&hashing);
    return done;
}

static bool check_rules(Run *run)
{
    return validate_specs_within(run->arena, run->diag, run->sources, run->options->num_inputs, run->options->prefix,
                                 &run->limits);
}

/* Checks what can be known about the variants of kernels before any call; memory is given back kernel by kernel. */
static bool prove_kernels(Run *run)
{
    for (size_t i = 0; i < run->options->num_inputs; i++) {
        const Spec *spec = run->sources[i].spec;
        for (uint32_t k = 0; k < spec->kernels_count; k++) {
            Arena scratch;
            arena_init(&scratch);
            Dispatch *dispatch = dispatch_new(&scratch, spec, &spec->kernels[k], true);
            dispatch_add_graphs(dispatch);
            const Proof proof = prove_dispatch(&scratch, dispatch);
            prove_report(run->diag, dispatch, &proof);
            arena_release(&scratch);
        }
    }
    return run->diag->num_errors == 0;
}

/* A host that the YAML names by path is looked up relative to the YAML, so that the current directory does not
 * matter. */
static const char *host_of(Run *run, const Source *source)
{
    const char *host = source->spec->host;
    const char *slash = strrchr(source->name, '/');
    if (!host_is_path(host) || host[0] == '/' || !slash) {
        return host;
    }
    return arena_printf(run->arena, "%.*s/%s", (int)(slash - source->name), source->name, host);
}

/* An output includes one host header, so the files of a run must agree, or --host decides. */
static bool choose_host(Run *run)
{
    if (run->options->action == GEN_PRINT_SKELETON) {
        run->host = gen_skeleton_host(run);
        return run->host != NULL;
    }
    const char *name = run->options->host ? run->options->host : host_of(run, &run->sources[0]);
    for (size_t i = 1; i < run->options->num_inputs && !run->options->host; i++) {
        const Spec *first = run->sources[0].spec;
        const Spec *spec = run->sources[i].spec;
        if (str_equal(name, host_of(run, &run->sources[i]))) {
            continue;
        }
        DiagMessage *message = diag_report(
            run->diag, DIAG_ERROR, "E_HOST", diag_value(&spec->host),
            "host '%s' differs from the first input's, '%s'; an output has one host, and --host can choose it",
            spec->host, first->host);
        diag_note(run->diag, message, diag_value(&first->host), "the first input's host");
    }
    if (!run->diag->num_errors) {
        run->host_path = host_is_path(name) ? name : NULL;
        const DiagPlace named = run->options->host ? diag_nowhere(NULL) : diag_value(&run->sources[0].spec->host);
        run->host = host_load(run->arena, run->diag, name, named, &run->sources[run->options->num_inputs]);
    }
    return run->host != NULL;
}

static bool check_python(Run *run)
{
    if (run->options->outputs[GEN_PYTHON] != NULL && !str_equal(run->host->name, "torch")) {
        diag_report(run->diag, DIAG_ERROR, "E_HOST", diag_nowhere(NULL),
                    "'--emit-python' makes a module for PyTorch's tensors, so it needs the host 'torch', not '%s'",
                    run->host->name);
        return false;
    }
    return true;
}

static bool check_amalgam(Run *run)
{
    if (run->options->amalgamate && (run->host_path || !amalgam_has(run->host->name))) {
        diag_report(run->diag, DIAG_ERROR, "E_HOST", diag_nowhere(NULL), "'--amalgamate' is for the hosts %s, not '%s'",
                    amalgam_hosts(run->arena), run->host->name);
        return false;
    }
    return true;
}

static bool check_header_name(Run *run)
{
    const char *header = run->options->outputs[GEN_HEADER];
    return header == NULL || header_name_is_free(run->diag, str_base_name(header), run->host);
}

static DispatchStrategy strategy_of(const char *name)
{
    if (name == NULL) {
        return STRATEGY_AUTO;
    }
    return str_equal(name, "chain") ? STRATEGY_CHAIN : str_equal(name, "tree") ? STRATEGY_TREE : STRATEGY_HASH;
}

static bool build_program(Run *run)
{
    const GenOptions *options = run->options;
    const char *const *outputs = options->outputs;
    Str names = str_new(run->arena);
    for (size_t i = 0; i < options->num_inputs; i++) {
        str_puts(&names, i ? ", " : "");
        str_puts(&names, str_base_name(run->sources[i].name));
    }
    const ProgramOptions program = {
        .prefix = options->prefix,
        .header_name = outputs[GEN_HEADER] ? str_base_name(outputs[GEN_HEADER]) : NULL,
        .source_name = outputs[GEN_SOURCE] ? str_base_name(outputs[GEN_SOURCE]) : NULL,
        .banner_name = str_text(&names),
        .strategy = strategy_of(options->strategy),
        .measures = options->action == GEN_SIZE_REPORT,
        .most_bytes = (size_t)run->limits.output,
        .most_steps = (size_t)run->limits.expansion,
        .progress = options->progress,
        .amalgamated = options->amalgamate,
        .split = gen_split_kind(options),
        .num_parts = options->split ? (uint32_t)strtoul(options->split, NULL, 10) : 0,
        .loop_from = options->loop_from ? (uint32_t)strtoul(options->loop_from, NULL, 10) : FOLD_LEAST_OPS,
        .twin_from = options->twin_from ? options->twin_from : LANE_WORTH,
        .banner_hash = arena_printf(run->arena, "%016llx", (unsigned long long)run->hash.value),
    };
    run->program = program_build(run->arena, run->diag, run->sources, options->num_inputs, run->host, &program);
    return run->program != NULL;
}

bool gen_render(Run *run)
{
    const GenOptions *options = run->options;
    if (options->action == GEN_DUMP_PLAN) {
        program_dump_plan(run->program, options->subject, run->text);
        return true;
    }
    if (options->action == GEN_DUMP_VIEW) {
        program_dump_view(run->program, run->text);
        return true;
    }
    if (options->action == GEN_SHOW || options->action == GEN_SHOW_HTML) {
        return program_show(run->program, &run->store, options->action == GEN_SHOW_HTML, run->text);
    }
    LongText *header = options->outputs[GEN_HEADER] ? &run->header : NULL;
    const bool rendered =
        run->parts ? program_render_parts(run->program, &run->store, run->parts, run->num_parts, &run->source, header)
                   : program_render(run->program, &run->store, &run->source, header);
    if (!rendered) {
        return false;
    }
    if (options->action == GEN_SIZE_REPORT) {
        program_report_sizes(run->program, &run->source, &run->header, run->text);
        return true;
    }
    if (!gen_outputs_render(run)) {
        return false;
    }
    overrides_check(&run->store);
    return true;
}

/* Everything that was read from files, inputs first. */
static FileList files_read(Run *run)
{
    const GenOptions *options = run->options;
    FileList list = {ARENA_ARRAY(run->arena, const char *, options->num_inputs + 1 + run->store.num_read), 0};
    for (size_t i = 0; i < options->num_inputs; i++) {
        if (!str_equal(options->inputs[i], "-")) {
            list.paths[list.count++] = options->inputs[i];
        }
    }
    if (run->host_path) {
        list.paths[list.count++] = run->host_path;
    }
    for (size_t i = 0; i < run->store.num_read; i++) {
        list.paths[list.count++] = run->store.read[i];
    }
    return list;
}

static bool reads_standard_input(const GenOptions *options)
{
    bool found = false;
    for (size_t i = 0; i < options->num_inputs; i++) {
        found = found || str_equal(options->inputs[i], "-");
    }
    return found;
}

static bool compare(Run *run, Output *output)
{
    if (output_check(output, run->text)) {
        return true;
    }
    if (run->diag->num_errors) {
        return false;
    }
    DiagMessage *message =
        diag_report(run->diag, DIAG_ERROR, "E_STALE", diag_nowhere(NULL), "an output is missing or stale");
    if (run->options->write_command) {
        diag_note(run->diag, message, diag_nowhere(NULL), "to write it: %s", run->options->write_command);
    }
    return false;
}

static bool emit(Run *run)
{
    const GenOptions *options = run->options;
    if (gen_only_prints(options->action)) {
        return true;
    }
    const FileList read = files_read(run);
    Str rule = str_new(run->arena);
    Output output;
    output_init(&output, run->arena, run->diag);
    output.synchronous = options->fsync;
    output.progress = options->progress;
    bool added = gen_outputs_add(run, &output);
    added = gen_split_add(run, &output) && added;
    if (options->depfile && options->action == GEN_WRITE) {
        added = files_depfile(run->diag, options->deptarget ? options->deptarget : options->outputs[GEN_SOURCE], &read,
                              &rule) &&
                output_add(&output, options->depfile, str_text(&rule), rule.length) && added;
    }
    if (!files_spare(run->diag, &read, reads_standard_input(options), &output) || !added) {
        return false;
    }
    output.find_leftovers = gen_split_clean;
    output.leftovers_ctx = run;
    return options->action == GEN_CHECK ? compare(run, &output) : output_commit(&output);
}

typedef bool Stage(Run *run);

static bool run_stages(Run *run, Stage *const *stages, size_t num_stages)
{
    bool done = true;
    for (size_t i = 0; i < num_stages && done; i++) {
        done = stages[i](run) && !run->diag->num_errors; /* -Werror counts even if a stage was content */
    }
    return done;
}

bool gen_prepare(Run *run)
{
    static Stage *const stages[] = {
        gen_split_check, read_sources, /* bytes */
        load_sources,                  /* Specs, of the right shape */
        check_rules,                   /* Specs, trusted */
        prove_kernels,                 /* variants that are never chosen, or overlap */
        choose_host,                   /* whether it has the verbs that are called is checked while rendering */
        check_python,    check_amalgam, check_header_name, build_program, /* plans, verified */
        gen_split,                                                        /* the parts of the source */
    };
    return run_stages(run, stages, sizeof stages / sizeof stages[0]);
}

/* From YAML to files. */
static bool generate(Run *run)
{
    static Stage *const stages[] = {
        gen_prepare, /* from bytes to plans */
        gen_render,  /* texts; long ones partly in files without a name */
        emit,        /* files, or a comparison with them */
    };
    return run_stages(run, stages, sizeof stages / sizeof stages[0]);
}

/* ---- a run ---- */

static bool list_outputs(Run *run)
{
    gen_outputs_list(run);
    return gen_split_list(run);
}

static bool act(Run *run)
{
    const GenOptions *options = run->options;
    switch (options->action) {
    case GEN_WRITE:
    case GEN_CHECK:
    case GEN_DUMP_PLAN:
    case GEN_DUMP_VIEW:
    case GEN_SIZE_REPORT:
    case GEN_SHOW:
    case GEN_SHOW_HTML:
        return generate(run);
    case GEN_DIFF:
        return gen_diff(run);
    case GEN_PRINT_SKELETON:
        return gen_skeleton(run);
    case GEN_LIST_OUTPUTS:
        return list_outputs(run);
    case GEN_PRINT_SCHEMA:
        schema_print_json(run->arena, run->text);
        return true;
    case GEN_PRINT_HOST_SCHEMA:
        host_print_schema(run->arena, run->text);
        return true;
    case GEN_PRINT_HOST:
        return builtin_print_host(run->diag, options->subject, run->text);
    case GEN_EXPLAIN:
        return builtin_explain(run->diag, options->subject, run->text);
    case GEN_PRINT_TEMPLATES:
        return (options->amalgamate ? amalgam_write : builtin_write_all)(run->arena, run->diag, options->subject);
    }
    return false;
}

bool gen_is_python_keyword(const char *name)
{
    return view_is_python_keyword(name);
}

GenStatus gen_status(const Diag *diag)
{
    GenStatus status = GEN_DONE;
    for (const DiagMessage *message = diag->first; message; message = message->next) {
        GenStatus own = GEN_REFUSED;
        if (message->severity != DIAG_ERROR) {
            own = GEN_DONE;
        } else if (str_equal(message->code, "E_STALE") || str_equal(message->code, "E_INCOMPATIBLE")) {
            own = GEN_STALE;
        } else if (str_equal(message->code, "E_IO") || str_equal(message->code, "E_INTERNAL")) {
            own = GEN_BROKEN;
        }
        if (own > status) {
            status = own;
        }
    }
    return status;
}

GenStatus gen_run(Arena *arena, Diag *diag, const GenOptions *options, GenResult *result)
{
    Run run = {
        .arena = arena,
        .diag = diag,
        .options = options,
        .store = {.arena = arena, .diag = diag, .directory = options->templates},
        .text = &result->text,
        .limits = options->limits.count ? options->limits : limits_default(),
    };
    *result = (GenResult){.text = str_new(arena)};
    for (int i = 0; i < GEN_NUM_OUTPUTS; i++) {
        run.texts[i] = str_new(arena);
    }
    run.source = long_text(arena, gen_outputs_folder(&run));
    run.header = long_text(arena, run.source.folder);
    if (!act(&run) && gen_status(diag) == GEN_DONE) {
        diag_report(diag, DIAG_ERROR, "E_INTERNAL", diag_nowhere(NULL), "stopped without a reason; please report it");
    }
    long_text_close(&run.source);
    long_text_close(&run.header);
    if (diag->first) {
        gen_explain(&run, result);
    }
    return gen_status(diag);
}
