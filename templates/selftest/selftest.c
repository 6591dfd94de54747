/* SPDX-License-Identifier: MIT */
/*
 * selftest - see selftest.h. Which calls are made at the edges is in selftest_edges.c.
 */
#include "selftest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_flat.h"
#include "selftest_edges.h"

/* What a test line is about; in this order. */
#define GROUPS(X)                                                                                                      \
    X(RIGHT, "right calls")                                                                                            \
    X(DEFECT, "an argument that is wrong")                                                                             \
    X(SYMBOL, "symbols at their bounds")                                                                               \
    X(SHARED, "arguments that share memory")                                                                           \
    X(FAULT, "wrong counts and null structs")                                                                          \
    X(OUTCOME, "what the compiled function may do wrong")                                                              \
    X(VERB, "each verb failing in turn")                                                                               \
    X(BACKWARD, "a right forward and then the backward")                                                               \
    X(THROUGH, "through the dispatcher that has it as a variant")

typedef enum Group {
#define X(name, text) GROUP_##name,
    GROUPS(X)
#undef X
        GROUP_COUNT
} Group;

typedef struct Selftest {
    Checker checker;
    const SelftestGraph *graph;
    const Layout *layout;
    const SelftestKernel *through; /* calls are made through its dispatcher; null: by themselves */
    uint32_t variant;              /* that they must get there */
    uint64_t calls[GROUP_COUNT];   /* of this graph */
    uint64_t good;                 /* calls that ended well */
    bool failed[GROUP_COUNT];
    Scenario most[MOCK_VERB_COUNT];  /* of the calls that end well, the one that does most of a verb */
    uint32_t count[MOCK_VERB_COUNT]; /* how much; 0: no such call was made */
    uint64_t made[MOCK_VERB_COUNT];  /* number of that call */
    SelftestReport report;
} Selftest;

int32_t wg_selftest_compiled(WgContext *ctx, const char *name, const WgValue *args, size_t num_args, WgValue *outs,
                             size_t *num_outs)
{
    if (ctx->play != NULL) {
        return kernel_play(ctx, name, args, num_args, outs, num_outs);
    }
    const Prepared *prepared = ctx->user;
    const SpecGraph *graph = prepared->layout->graph;
    const bool chooses = graph->kernel != NULL && !prepared->backward;
    const char *due = chooses              ? kernel_flat_callee(ctx, prepared->layout, args)
                      : prepared->backward ? graph->backward->compiled
                                           : graph->compiled;
    if (due == NULL || strcmp(name, due) != 0) {
        mock_violation(ctx, "'%s' was called in place of '%s'", name, due != NULL ? due : "nothing");
        return FAKE_FAILED;
    }
    return fake_compiled(ctx, (WgValue *)(uintptr_t)args, num_args, outs, num_outs);
}

/* ---- report ---- */

static void print_trace(const char *who, const WgContext *ctx)
{
    printf("#   %s:\n", who);
    for (size_t i = 0; i < ctx->num_events; i++) {
        printf("#     ");
        mock_print_event(stdout, ctx, &ctx->events[i]);
        printf("\n");
    }
}

static void print_difference(const Selftest *s, Mismatch mismatch, const Scenario *scenario)
{
    printf("# %s: %s\n#   ", mismatch_text(mismatch), s->checker.detail);
    scenario_print(stdout, s->layout, scenario);
    print_trace("the wrapper did", &s->checker.generated);
    print_trace("the reference did", &s->checker.reference);
}

static void report_groups(Selftest *s)
{
    static const char *const texts[] = {
#define X(name, text) text,
        GROUPS(X)
#undef X
    };
    const SpecGraph *graph = s->layout->graph;
    for (int group = 0; group < GROUP_COUNT; group++) {
        if (group == GROUP_RIGHT && s->good == 0 && !s->failed[group]) {
            selftest_fail(&s->report, graph->name, "no call could be made up that the graph accepts");
        } else if (s->calls[group] > 0) {
            selftest_line(&s->report, !s->failed[group], graph->name, texts[group], s->calls[group]);
        }
    }
}

/* ---- calls ---- */

static bool fails_on_purpose(const Scenario *scenario)
{
    return scenario->fail_effect_at + scenario->fail_retain_at + scenario->fail_read_at + scenario->less_scratch != 0;
}

static Group group_of(const Scenario *scenario)
{
    if (scenario->backward || scenario->backward_calls > 0) {
        return GROUP_BACKWARD;
    }
    if (fails_on_purpose(scenario)) {
        return GROUP_VERB;
    }
    if (scenario->fault != FAULT_NONE) {
        return GROUP_FAULT;
    }
    if (scenario->fixes_symbol || scenario->shares) {
        return scenario->shares ? GROUP_SHARED : GROUP_SYMBOL;
    }
    if (scenario->defect != DEFECT_NONE) {
        return GROUP_DEFECT;
    }
    return scenario->outcome != OUTCOME_RETURNS ? GROUP_OUTCOME : GROUP_RIGHT;
}

/* Which verbs fail in turn is decided when all calls were made: a verb of few calls must fail there, too. */
static void count_verbs(Selftest *s, const Scenario *scenario)
{
    const WgContext *ctx = &s->checker.generated;
    uint32_t count[MOCK_VERB_COUNT] = {0};
    for (size_t i = 0; i < ctx->num_events; i++) {
        count[ctx->events[i].verb]++;
    }
    for (int verb = 0; verb < MOCK_VERB_COUNT; verb++) {
        if (count[verb] > s->count[verb]) {
            s->count[verb] = count[verb];
            s->most[verb] = *scenario;
            s->made[verb] = s->checker.calls;
        }
    }
}

/* One call on both sides; the first difference of a group is shown. */
static bool compare_with(Selftest *s, const Entry *entry, const Scenario *scenario, Group group)
{
    const Mismatch mismatch = check_call(&s->checker, s->layout, entry, scenario);
    s->calls[group]++;
    s->good += group == GROUP_RIGHT && s->checker.error.code == 0 ? 1 : 0;
    if (mismatch != MISMATCH_NONE && !s->failed[group]) {
        s->failed[group] = true;
        print_difference(s, mismatch, scenario);
        fflush(stdout);
    }
    if (s->checker.generated_status == 0 && !fails_on_purpose(scenario) &&
        scenario->backward_calls == (scenario->backward ? 1 : 0)) {
        count_verbs(s, scenario);
    }
    return true;
}

static bool compare_call(void *user, const Scenario *scenario)
{
    Selftest *s = user;
    return compare_with(s, &s->graph->entry, scenario, group_of(scenario));
}

/* The same through a dispatcher, of those calls that get there. */
static bool compare_through(void *user, const Scenario *scenario)
{
    Selftest *s = user;
    const Spec *spec = s->through->spec;
    const Entry entry = {.boxed = s->through->through, .release = s->graph->entry.release};
    Scenario boxed = *scenario;
    KernelBreach breach;
    boxed.boxed = true;
    if (scenario->fault != FAULT_NONE || scenario->fail_read_at + scenario->less_scratch != 0) {
        return true;
    }
    const Prepared *prepared = scenario_prepare(&s->checker.reference, s->layout, &boxed);
    const int32_t variant =
        kernel_flat_match(&s->checker.reference, spec, &spec->kernels[s->through->index], prepared->args, &breach);
    return variant != (int32_t)s->variant || compare_with(s, &entry, &boxed, GROUP_THROUGH);
}

/* The n-th effect, retain or read fails, for every n that there is: until the call has fewer. */
static void fail_in_turn(Selftest *s, const Scenario *scenario, uint32_t *at, const uint32_t *count)
{
    for (uint32_t n = 1; n == 1 || *count >= n - 1; n++) {
        *at = n;
        (void)compare_call(s, scenario);
    }
    *at = 0;
}

static Scenario right_call(uint64_t seed, bool backward)
{
    Scenario scenario;
    memset(&scenario, 0, sizeof scenario);
    scenario.seed = seed;
    scenario.boxed = seed % 2 != 0;
    scenario.backward = backward;
    scenario.backward_calls = backward;
    return scenario;
}

static void fail_verbs(Selftest *s, Scenario scenario)
{
    WgContext *ctx = &s->checker.generated;
    fail_in_turn(s, &scenario, &scenario.fail_effect_at, &ctx->num_effects);
    fail_in_turn(s, &scenario, &scenario.fail_retain_at, &ctx->num_retains);
    fail_in_turn(s, &scenario, &scenario.fail_read_at, &ctx->num_reads);
}

/* What few calls do is done by one of these. */
static void make_many_calls(Selftest *s, bool backward)
{
    enum { MANY = 60, DETERMINISTIC = 5 };
    for (uint64_t seed = 1; seed <= MANY; seed++) {
        const Scenario scenario = right_call(seed, backward);
        if (!backward || seed % DETERMINISTIC != 0) { /* that one is refused */
            (void)compare_call(s, &scenario);
        }
    }
}

/* Is the call that does most of a verb none that does most of an earlier one, too? */
static bool is_another_call(const Selftest *s, int verb)
{
    bool another = s->count[verb] > 0;
    for (int before = 0; before < verb && another; before++) {
        another = s->count[before] == 0 || s->made[before] != s->made[verb];
    }
    return another;
}

/* In a context that has less than what the graph's *_SCRATCH says: by one value, and none at all. */
static void lack_scratch(Selftest *s, Scenario scenario)
{
    WgContext *ctx = &s->checker.generated;
    const size_t whole = s->graph->scratch;
    const uint32_t lacks[] = {1, (uint32_t)whole};
    for (size_t i = 0; whole > 0 && i < sizeof lacks / sizeof lacks[0]; i++) {
        scenario.less_scratch = lacks[i];
        ctx->scratch_size = whole - lacks[i];
        (void)compare_call(s, &scenario);
    }
    ctx->scratch_size = whole;
}

static void fail_in_busiest_calls(Selftest *s)
{
    for (int verb = 0; verb < MOCK_VERB_COUNT; verb++) {
        if (is_another_call(s, verb)) {
            fail_verbs(s, s->most[verb]);
            lack_scratch(s, s->most[verb]);
        }
    }
}

/* A mock's scratch is as large as the wrapper says, and no larger than it must be to find one that takes more. */
static bool give_scratch(WgContext *ctx, size_t size)
{
    free(ctx->scratch);
    ctx->scratch = calloc(size + 1, sizeof *ctx->scratch);
    ctx->scratch_size = size;
    return ctx->scratch != NULL;
}

static void test_graph(Selftest *s, uint32_t rounds)
{
    const char *gap = selftest_gap(s->layout);
    if (gap != NULL) {
        selftest_skip(&s->report, s->layout->graph->name, gap);
        return;
    }
    memset(s->calls, 0, sizeof s->calls);
    memset(s->failed, 0, sizeof s->failed);
    memset(s->count, 0, sizeof s->count);
    s->good = 0;
    if (!give_scratch(&s->checker.generated, s->graph->scratch) || !give_scratch(&s->checker.reference, 0)) {
        selftest_skip(&s->report, s->layout->graph->name, "out of memory");
        return;
    }
    for (uint32_t round = 1; round <= rounds; round++) {
        (void)scenario_each(s->layout, round, compare_call, s);
    }
    selftest_edges(s->layout, compare_call, s);
    for (uint32_t round = 1; round <= rounds; round++) {
        fail_verbs(s, right_call(round, false));
    }
    make_many_calls(s, false);
    if (s->layout->graph->backward != NULL) {
        make_many_calls(s, true);
    }
    fail_in_busiest_calls(s);
    report_groups(s);
}

static uint32_t index_of(const char *const *names, const char *name)
{
    uint32_t i = 0;
    while (names[i] != NULL && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

/* The types and contexts of a graph's file in its own order, which is what objects of the mock state. */
static MockTables tables_of(Arena *arena, const Layout *layout, const SelftestNames *names)
{
    const uint32_t num_types = layout->spec->subclasses_count;
    const WgType **types = ARENA_ARRAY(arena, const WgType *, num_types + 1);
    const void *const **contexts = ARENA_ARRAY(arena, const void *const *, layout->num_contexts + 1);
    for (uint32_t i = 0; i < num_types; i++) {
        types[i] = names->type_of[index_of(names->types, layout->spec->subclasses[i].symbol)];
    }
    for (uint32_t i = 0; i < layout->num_contexts; i++) {
        contexts[i] = names->context_of[index_of(names->contexts, layout->contexts[i])];
    }
    return (MockTables){
        .types = types,
        .contexts = contexts,
        .num_types = num_types,
        .num_contexts = layout->num_contexts,
        .has_ranges = names->has_ranges,
        .turns_tangents = names->turns_tangents,
        .tells_lazy = names->tells_lazy,
        .marks_parts = names->marks_parts,
    };
}

static void open_graph(Selftest *s, Arena *arena, const SelftestFile *file, uint32_t index, Layout *layout)
{
    const SelftestGraph *graph = &file->graphs[index];
    *layout = layout_of(arena, graph->spec, &graph->spec->graphs[graph->index]);
    s->graph = graph;
    s->layout = layout;
    s->checker.generated.tables = tables_of(arena, layout, file->names);
    s->checker.reference.tables = s->checker.generated.tables;
}

/* A graph that is a variant, called as one. */
static void test_through(Selftest *s, Arena *arena, const SelftestFile *file, uint32_t rounds)
{
    const SelftestVariant *variant = &s->through->variants[s->variant];
    const SpecKernel *kernel = &s->through->spec->kernels[s->through->index];
    Layout layout;
    open_graph(s, arena, file, variant->graph, &layout);
    const char *gap = selftest_gap(&layout);
    gap = gap != NULL ? gap : kernel_flat_gap(kernel);
    if (gap == NULL && kernel->variants[s->variant].args.text != NULL) {
        gap = "results of a graph that gets some of the arguments; by itself the graph is tested";
    }
    if (gap != NULL || !give_scratch(&s->checker.generated, s->graph->scratch)) {
        selftest_skip(&s->report, s->through->symbol, gap != NULL ? gap : "out of memory");
        return;
    }
    s->calls[GROUP_THROUGH] = 0;
    s->failed[GROUP_THROUGH] = false;
    for (uint32_t round = 1; round <= rounds; round++) {
        (void)scenario_each(&layout, round, compare_through, s);
    }
    const char *name = arena_printf(arena, "%s, variant '%s'", s->through->symbol, variant->symbol);
    if (s->calls[GROUP_THROUGH] > 0) {
        selftest_line(&s->report, !s->failed[GROUP_THROUGH], name, "what its graph returns", s->calls[GROUP_THROUGH]);
    } else {
        selftest_skip(&s->report, name, "no call of its graph could be made up that chooses it");
    }
}

static void test_kernels(Selftest *s, Arena *arena, const SelftestFile *file, uint32_t rounds)
{
    for (uint32_t i = 0; i < file->num_kernels; i++) {
        s->through = &file->kernels[i];
        s->checker.generated.tables.tells_lazy = file->names->tells_lazy;
        selftest_kernel(&s->report, &s->checker.generated, s->through, rounds);
        const uint32_t num_variants = s->through->spec->kernels[s->through->index].variants_count;
        for (s->variant = 0; s->variant < num_variants; s->variant++) {
            if (s->through->variants[s->variant].boxed != NULL) {
                test_through(s, arena, file, rounds);
            }
        }
        fflush(stdout);
    }
}

static void test_graphs(Selftest *s, Arena *arena, const SelftestFile *file, uint32_t rounds)
{
    for (uint32_t i = 0; i < file->num_graphs; i++) {
        Layout layout;
        open_graph(s, arena, file, i, &layout);
        test_graph(s, rounds);
        fflush(stdout);
    }
}

int selftest_run(const SelftestFile *file, int argc, char **argv)
{
    Arena arena;
    Selftest s;
    memset(&s, 0, sizeof s);
    const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
    if (argc > 2 || rounds < 1 || rounds > 1000000) {
        fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
        return 2;
    }
    arena_init(&arena);
    selftest_begin(&s.report, &arena);
    test_graphs(&s, &arena, file, (uint32_t)rounds);
    test_kernels(&s, &arena, file, (uint32_t)rounds);
    const int status = selftest_end(&s.report);
    mock_destroy(&s.checker.generated);
    mock_destroy(&s.checker.reference);
    arena_release(&arena);
    return status;
}
