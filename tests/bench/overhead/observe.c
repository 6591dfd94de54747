/* SPDX-License-Identifier: MIT */
/*
 * observe.c - holds the three contestants of a case to the same results: everything that can be seen after two calls is
 * written down as text, with arguments as they should be and with each kind of fault at the first, a middle and the
 * last of them.
 */
#include "observe.h"
#include "fixture.h"

enum { TEXT = 1 << 20, ROUNDS = 2 };

/* ---- what can be seen of a fixture, as text ---- */

typedef struct Text {
    char *at;
    char *end;
} Text;

#define PUT(text, ...)                                                                                                 \
    do {                                                                                                               \
        must((text)->at < (text)->end, "too much text");                                                               \
        (text)->at += snprintf((text)->at, (size_t)((text)->end - (text)->at), __VA_ARGS__);                           \
    } while (0)

/* Which of the fixture's tensors a pointer is: a letter and an index; what is new is described. */
static void put_tensor(Text *text, const Fixture *fixture, const WgTensor *t)
{
    for (size_t i = 0; i < fixture->num_nodes; i++) {
        if (t == fixture->nodes[i]) {
            PUT(text, " input%zu", i);
            return;
        }
    }
    if (t >= fixture->tensors && t < fixture->tensors + fixture->num_tensors) {
        PUT(text, " result%td", t - fixture->tensors);
        return;
    }
    PUT(text, t == NULL ? " null" : " new");
}

static void put_state(Text *text, const Fixture *fixture, const WgTensor *t)
{
    if (t == NULL) {
        PUT(text, " null\n");
        return;
    }
    put_tensor(text, fixture, t);
    PUT(text, " count %lld version %lld rank %d dtype %d offset %lld grad %d leaf %d view %d [",
        (long long)t->references, (long long)wg_version(NULL, t), t->rank, t->dtype, (long long)t->offset,
        t->requires_grad, t->is_leaf, t->is_view);
    for (int32_t d = 0; d < t->rank; d++) {
        PUT(text, " %lld:%lld", (long long)t->sizes[d], (long long)t->strides[d]);
    }
    for (int64_t i = 0; i < t->num_elements && t->data != NULL; i++) {
        PUT(text, " %g", (double)((const float *)(const void *)t->data)[i]); /* all are compact float32 */
    }
    for (size_t i = 0; i < fixture->num_args; i++) {
        if (fixture->args[i].tensor != NULL && t->storage == fixture->args[i].tensor->storage) {
            PUT(text, " shares input%zu", i);
            break;
        }
    }
    PUT(text, " ]\n");
    if (t->subclass != NULL) {
        WgTensor *attr = NULL;
        PUT(text, "type %s context %d\n", t->type->name, wg_native_type_context(t) == two_context);
        for (int32_t i = 0; wg_attr(NULL, t, i, &attr) == 0; i++) {
            put_state(text, fixture, attr);
        }
    }
}

/* What the compiled function was given. */
static void put_seen(Text *text, const Fixture *fixture)
{
    const Seen *seen = fixture->seen;
    PUT(text, "compiled with %d %d %u:", seen->grad_mode, seen->view_replay, (unsigned)seen->autocast);
    for (size_t i = 0; i < seen->num_args; i++) {
        put_tensor(text, fixture, seen->args[i].tensor);
    }
    PUT(text, "\n");
}

static void put_fixture(Text *text, const Fixture *fixture, int32_t status)
{
    const WgContext *ctx = fixture->ctx;
    PUT(text, "status %d modes %d %d %d scratch %zu\n", status, ctx->grad_mode, ctx->view_replay, (int)ctx->autocast,
        ctx->scratch_used);
    if (status != 0) {
        const WgError *error = wg_error(ctx);
        PUT(text, "error %d of %s\n", error->status, error->site->argument == NULL ? "-" : error->site->argument);
    }
    put_seen(text, fixture);
    for (size_t i = 0; i < fixture->num_args; i++) {
        put_state(text, fixture, fixture->args[i].tensor);
    }
    for (size_t i = 0; i < fixture->num_outs; i++) {
        put_state(text, fixture, fixture->outs[i].tensor);
    }
    for (size_t i = 0; i < fixture->num_tensors; i++) {
        put_state(text, fixture, &fixture->tensors[i]);
    }
    for (int32_t i = 0; i < fixture->one->graph->num_saved; i++) {
        put_tensor(text, fixture, fixture->call.arrays.tensors[i]);
        PUT(text, " %lld\n", (long long)fixture->call.arrays.versions[i]);
    }
    for (int32_t i = 0; i < fixture->one->graph->num_unchecked; i++) {
        put_tensor(text, fixture, fixture->call.arrays.unchecked[i]);
    }
}

/* ---- faults ---- */

/* What is done to argument `index` of a call. */
typedef enum Fault {
    FAULT_NONE,
    FAULT_NULL,
    FAULT_DTYPE,
    FAULT_RANK,
    FAULT_SIZE,
    FAULT_STRIDE,
    FAULT_OFFSET,
    FAULT_GRAD,
    FAULT_STORAGE,
    FAULT_TYPE,
    FAULT_FEW,    /* too few results */
    FAULT_RESULT, /* result `index` is null */
    FAULT_SAME,   /* an output is argument `index` itself */
    FAULT_TWICE,  /* two outputs are one object */
    NUM_FAULTS
} Fault;

static const WgType other_type = {.name = "Other"};

/* The outputs that alias nothing, of a forward without subclasses. */
static size_t own_outputs(const Fixture *fixture)
{
    const LoopGraph *graph = fixture->one->graph;
    return fixture->one->is_backward || graph->tree != NULL ? 0 : (size_t)(graph->num_outputs - graph->num_aliases);
}

static WgValue *own_output(Fixture *fixture)
{
    return &fixture->results[fixture->one->graph->num_written + fixture->one->graph->num_aliases];
}

static void spoil(Fixture *fixture, Fault fault, size_t index)
{
    WgTensor *t = fixture->nodes[index < fixture->num_nodes ? index : 0];
    switch (fault) {
    case FAULT_NONE:
    case NUM_FAULTS:
        break;
    case FAULT_NULL:
        fixture->args[index < fixture->num_args ? index : 0].tensor = NULL;
        break;
    case FAULT_DTYPE:
        t->dtype = WG_INT32;
        break;
    case FAULT_RANK:
        t->sizes[t->rank] = 1;
        t->strides[t->rank] = 1;
        t->rank++;
        break;
    case FAULT_SIZE:
        t->sizes[t->rank - 1]++;
        break;
    case FAULT_STRIDE:
        t->strides[0]++;
        break;
    case FAULT_OFFSET:
        t->offset++;
        break;
    case FAULT_GRAD:
        t->requires_grad = 1;
        break;
    case FAULT_STORAGE:
        t->storage = &fixture->storages[MOST - 1];
        break;
    case FAULT_TYPE:
        t->type = &other_type;
        break;
    case FAULT_FEW:
        fixture->num_results -= fixture->num_results > 0;
        break;
    case FAULT_RESULT:
        if (index < fixture->num_results) {
            fixture->results[index].tensor = NULL;
        }
        break;
    case FAULT_SAME:
        if (own_outputs(fixture) > 0) {
            own_output(fixture)->tensor = t;
            for (int i = 0; i < ROUNDS; i++) { /* each call gives one away */
                wg_native_keep(&t->references);
            }
        }
        break;
    case FAULT_TWICE:
        if (own_outputs(fixture) > 1) {
            own_output(fixture)[1] = own_output(fixture)[0];
        }
        break;
    }
}

/* Everything that can be seen after two calls (so that what the first left behind counts), with a fault or without. */
static int32_t observe(const Case *one, int who, Fault fault, size_t index, char *buffer)
{
    Fixture *fixture = fixture_make(one);
    Text text = {buffer, buffer + TEXT};
    int32_t status = 0;
    WgValue whole[MOST];
    memcpy(whole, fixture->args, sizeof whole);
    WgTensor *t = fixture->nodes[index < fixture->num_nodes ? index : 0];
    const WgTensor before = *t;
    static Seen seen;
    seen.num_args = 0;
    fixture->seen = &seen;
    spoil(fixture, fault, index);
    for (int round = 0; round < ROUNDS; round++) {
        fixture_use(fixture);
        wg_release_run(fixture->ctx, fixture->outs, fixture->num_outs);
        memset(fixture->outs, 0x55, fixture->num_outs * sizeof *fixture->outs);
        status = one->run[who](&fixture->call);
    }
    put_fixture(&text, fixture, status);
    memcpy(fixture->args, whole, sizeof whole);
    t->storage = before.storage; /* mend what was spoiled, so that it can be released */
    t->type = before.type;
    fixture_end(fixture);
    return status;
}

static char *texts[NUM_CONTESTANTS];

static size_t num_passed;
static size_t num_failed;

static void compare(const Case *one, Fault fault, size_t index)
{
    int32_t status[NUM_CONTESTANTS];
    for (int who = 0; who < NUM_CONTESTANTS; who++) {
        status[who] = observe(one, who, fault, index, texts[who]);
    }
    int same = 1;
    for (int who = 1; who < NUM_CONTESTANTS; who++) {
        if (strcmp(texts[0], texts[who]) != 0) {
            size_t at = 0;
            while (texts[0][at] == texts[who][at]) {
                at++;
            }
            same = 0;
            printf("not ok - %s, fault %d of %zu: %s returned %d, %s %d; from %zu on: \"%.60s\" against \"%.60s\"\n",
                   one->name, (int)fault, index, contestant_names[0], status[0], contestant_names[who], status[who], at,
                   texts[0] + at, texts[who] + at);
        }
    }
    must(fault != FAULT_NONE || status[0] == 0, "a call without fault failed");
    num_passed += (size_t)same;
    num_failed += (size_t)!same;
}

int observe_all(void)
{
    for (int who = 0; who < NUM_CONTESTANTS; who++) {
        texts[who] = malloc(TEXT);
        must(texts[who] != NULL, "no memory");
    }
    for (size_t i = 0; i < num_cases; i++) {
        const Case *one = &cases[i];
        const size_t failed = num_failed;
        const size_t count = one->is_backward           ? (size_t)one->graph->num_outputs
                             : one->graph->tree != NULL ? 5
                                                        : (size_t)one->graph->num_inputs;
        const size_t places[] = {0, count / 2, count - 1};
        for (int fault = 0; fault < NUM_FAULTS; fault++) {
            for (size_t p = 0; p < (fault == FAULT_NONE || fault == FAULT_FEW || fault == FAULT_TWICE ? 1 : 3); p++) {
                compare(one, (Fault)fault, places[p]);
            }
        }
        if (failed == num_failed) {
            printf("ok - %s: the three do the same, also with each argument broken\n", one->name);
        }
    }
    printf("%zu passed, %zu failed, 0 skipped\n", num_passed, num_failed);
    return num_failed != 0;
}
