/* SPDX-License-Identifier: MIT */
/*
 * calls - the self-test of random kernels; and, for the extractor in Python, calls of them with the keys that are due.
 *
 *     calls [ROUNDS]     the self-test
 *     calls json FILE    FILE gets each fifth call, a line each, without words where the call is refused
 *
 * The latter fails if too few of all calls are refused, have the key of the call that they were made from, or have
 * expressions, or if arguments that may be null are mostly null, or hardly ever.
 *
 * self.c is what --emit-selftest wrote: it includes the wrappers, and has the facts of the YAML as tables.
 */
#define main selftest_main
#include "self.c"
#undef main

#include <inttypes.h>
#include <stdio.h>

enum { MAX_WORDS = 8192 };

typedef struct Calls {
    const Spec *spec;
    const SpecKernel *kernel;
    uint64_t words[MAX_WORDS];
    Arena arena;      /* of one call */
    const char *base; /* what the key of the call tells that others were made from; null: it is refused */
    FILE *out;
    long num_calls;
    long num_refused;
    long num_equal;
    long num_formulas;
    long num_optional[2]; /* arguments that may be null, as drawn: those that are there, and those that are null */
} Calls;

/* ---- JSON ---- */

/* A symbolic one is a pair: what wg_symbol says. */
static void print_dim(const KernelValue *tensor, int32_t d, bool stride, FILE *out)
{
    const int64_t number = stride ? tensor->geometry.strides[d] : tensor->geometry.sizes[d];
    fprintf(out, "%s", d > 0 ? ", " : "");
    if (kernel_is_symbolic(tensor, d, stride)) {
        fprintf(out, "[%d, %" PRIu64 "]", MOCK_ENVIRONMENT, mock_expression(number, stride));
    } else {
        fprintf(out, "%" PRId64, number);
    }
}

static void print_tensor(const KernelValue *tensor, FILE *out)
{
    fprintf(out, "{\"dtype\": \"%s\", \"device\": %d, \"plain\": %s", wg_dtype_name(tensor->geometry.dtype),
            (int)tensor->device, tensor->plain ? "true" : "false");
    if (tensor->object != 0) {
        fprintf(out, ", \"object\": %" PRIu32, tensor->object);
    }
    for (int stride = 0; stride < 2; stride++) {
        fprintf(out, ", \"%s\": [", stride ? "stride" : "size");
        for (int32_t d = 0; d < tensor->geometry.rank; d++) {
            print_dim(tensor, d, stride, out);
        }
        fprintf(out, "]");
    }
    fprintf(out, "}");
}

static void print_value(const KernelValue *value, FILE *out)
{
    const SpecKind kind = value->arg->kind;
    uint64_t bits = 0;
    if (value->null) {
        fprintf(out, "null");
    } else if (kind == SPEC_TENSOR) {
        print_tensor(value, out);
    } else if (kind == SPEC_FLOAT) {
        memcpy(&bits, &value->real, sizeof bits);
        fprintf(out, "{\"bits\": %" PRIu64 "}", bits);
    } else if (kind == SPEC_BOOLEAN) {
        fprintf(out, value->integer == 0 ? "false" : value->integer == 1 ? "true" : "2");
    } else if (kind == SPEC_STRING) {
        fprintf(out, "\"%s\"", value->text);
    } else if (kind == SPEC_DTYPE) {
        fprintf(out, "{\"name\": \"%s\"}", wg_dtype_name((int32_t)value->integer));
    } else if (!kernel_is_container(kind)) {
        fprintf(out, "%" PRId64, value->integer);
    } else {
        fprintf(out, "[");
        for (uint32_t i = 0; i < value->num_items; i++) {
            fprintf(out, "%s", i > 0 ? ", " : "");
            print_value(&value->items[i], out);
        }
        fprintf(out, "]");
    }
}

static void print_call(const Calls *calls, const KernelCall *call, size_t num_words)
{
    fprintf(calls->out, "{\"kernel\": \"%s\", \"args\": [", calls->kernel->name);
    for (uint32_t i = 0; i < call->num_given; i++) {
        fprintf(calls->out, "%s", i > 0 ? ", " : "");
        print_value(&call->args[i], calls->out);
    }
    fprintf(calls->out, "], \"extra\": [");
    for (int i = 0; i < KERNEL_NUM_EXTRA; i++) {
        fprintf(calls->out, "%s%" PRId64, i > 0 ? ", " : "", call->extra[i]);
    }
    fprintf(calls->out, "], \"words\": [");
    for (size_t i = 0; i < num_words; i++) {
        fprintf(calls->out, "%s%" PRIu64, i > 0 ? ", " : "", calls->words[i]);
    }
    fprintf(calls->out, "]}\n");
}

/* ---- calls ---- */

static bool has_formula(const SpecKernel *kernel)
{
    bool has = false;
    for (uint32_t i = 0; i < kernel->extra_count; i++) {
        has = has || kernel->extra[i].expr.text != NULL;
    }
    return has;
}

/* What the key of the call tells; null: the call is refused. */
static const char *described(const Calls *calls, Arena *arena, const KernelCall *call)
{
    bool bounds = false;
    const bool has_key = kernel_breach(calls->spec, calls->kernel, call, true).code == 0 &&
                         kernel_key_breach(arena, calls->spec, calls->kernel, call, &bounds).code == 0;
    return has_key ? kernel_describe(arena, calls->spec, calls->kernel, call) : NULL;
}

/* KernelVisit */
static void visit(void *user, const KernelCall *made)
{
    enum { EVERY = 5 };
    Calls *calls = user;
    arena_reset(&calls->arena);
    const KernelCall *call = kernel_united(&calls->arena, calls->kernel, made);
    if (!kernel_is_possible(calls->kernel, call)) {
        return;
    }
    size_t num_words = 0;
    const char *text = described(calls, &calls->arena, call);
    calls->num_calls++;
    if (text != NULL) {
        num_words = kernel_encode(&calls->arena, calls->spec, calls->kernel, call, calls->words, MAX_WORDS);
        calls->num_equal += calls->base != NULL && strcmp(text, calls->base) == 0;
        calls->num_formulas += has_formula(calls->kernel);
    } else {
        calls->num_refused++;
    }
    if (calls->num_calls % EVERY == 0) {
        print_call(calls, call, num_words);
    }
}

/* Any calls, and for some of them all that differ in one fact. */
static void try_kernel(Calls *calls, const SelftestKernel *kernel, uint64_t seed)
{
    enum { ANY = 40, CHANGED = 2 };
    Arena arena;
    arena_init(&arena);
    calls->spec = kernel->spec;
    calls->kernel = &kernel->spec->kernels[kernel->index];
    KernelDraw draw = kernel_draw_from(&arena, calls->spec, calls->kernel, seed);
    for (int i = 0; i < ANY; i++) {
        KernelCall call = kernel_draw_call(&draw);
        for (uint32_t k = 0; k < call.num_given; k++) {
            calls->num_optional[call.args[k].null] += spec_is(call.args[k].arg->nullable);
        }
        calls->base = NULL;
        visit(calls, &call);
        calls->base = i < CHANGED ? described(calls, &arena, &call) : NULL;
        if (calls->base != NULL) {
            kernel_each_change(&draw, NULL, &call, visit, calls);
        }
    }
    arena_release(&arena);
}

static int print_calls(const char *path)
{
    static Calls calls;
    calls.out = fopen(path, "w");
    if (calls.out == NULL) {
        return 2;
    }
    arena_init(&calls.arena);
    for (const SelftestKernel *kernel = wg_selftest_kernels; kernel->spec != NULL; kernel++) {
        try_kernel(&calls, kernel, kernel->index);
    }
    arena_release(&calls.arena);
    printf("# %ld calls, %ld refused, %ld with the key of the call that they were made from, %ld with expressions\n",
           calls.num_calls, calls.num_refused, calls.num_equal, calls.num_formulas);
    const bool thin = calls.num_calls < 1000 || calls.num_refused * 100 < calls.num_calls ||
                      calls.num_equal * 50 < calls.num_calls || calls.num_formulas * 20 < calls.num_calls ||
                      calls.num_optional[0] < calls.num_optional[1] ||
                      calls.num_optional[1] * 10 < calls.num_optional[0];
    return fclose(calls.out) != 0 || thin;
}

int main(int argc, char **argv)
{
    return argc == 3 && strcmp(argv[1], "json") == 0 ? print_calls(argv[2]) : selftest_main(argc, argv);
}
