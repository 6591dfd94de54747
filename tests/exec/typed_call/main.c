/* SPDX-License-Identifier: MIT */
/*
 * Typed calls of dispatchers. The kernels multiply small matrices; `faulty` makes them return something else, in each
 * way in which a function can be wrong, and whatever they return must be given back.
 */
#include "../exec.h"

#include "wrappers.h"

typedef enum Fault {
    RIGHT,
    FAILS,
    WITHOUT_TENSOR,
    OTHER_DTYPE,
    OTHER_RANK,
    OTHER_SIZE,
    OTHER_STRIDE,
    ONE_LESS,
    ONE_MORE,
    SAYS_NOTHING
} Fault;

static Fault fault;
static int num_calls;
static int wide;
static WgTensor *filled; /* the last tensor that was passed to be filled */

static double at(const WgTensor *t, int64_t row, int64_t column)
{
    return wg_native_real(t, row * t->sizes[1] + column);
}

/* As the YAML states it: stride [2*m, 2], of m*n / times elements each. */
static int32_t make_parts(WgContext *ctx, int64_t m, int64_t n, int64_t times, WgTensor **out)
{
    const int64_t sizes[] = {times - 1, m * n / times + (fault == OTHER_SIZE)};
    const int64_t strides[] = {2 * m, fault == OTHER_STRIDE ? 1 : 2};
    const WgGeometry geometry = {sizes, strides, 0, fault == OTHER_RANK ? 1 : 2};
    return wg_empty_strided(ctx, &geometry, fault == OTHER_DTYPE ? WG_FLOAT64 : WG_FLOAT32, WG_CPU, out);
}

static int32_t multiply(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const WgTensor *a = args[0].tensor;
    const WgTensor *b = args[1].tensor;
    WgTensor *c = args[3].tensor;
    double sum = 0;
    int32_t status = 0;
    num_calls++;
    if (num_args != 4 || *num_outs < 4 || fault == FAILS) {
        return 77;
    }
    filled = c;
    for (int64_t i = 0; i < a->sizes[0]; i++) {
        for (int64_t j = 0; j < b->sizes[1]; j++) {
            double value = 0;
            for (int64_t l = 0; l < a->sizes[1]; l++) {
                value += at(a, i, l) * at(b, l, j);
            }
            wg_native_set_real(c, i * b->sizes[1] + j, value);
            sum += value;
        }
    }
    if (fault != WITHOUT_TENSOR) {
        status = make_parts(ctx, a->sizes[0], b->sizes[1], args[2].integer, &outs[0].tensor);
    }
    outs[1].integer = num_calls;
    outs[2].integer = 1;
    outs[3].real = sum;
    *num_outs = fault == ONE_LESS ? 3 : fault == ONE_MORE ? 5 : fault == SAYS_NOTHING ? *num_outs : 4;
    return status;
}

int32_t matmul_2(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    wide = 0;
    return multiply(ctx, args, num_args, outs, num_outs);
}

int32_t matmul_any(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    wide = 1;
    return multiply(ctx, args, num_args, outs, num_outs);
}

/* Where arguments of every kind are, and the tensors after them; says what is wrong. */
int32_t columns_any(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const t_columns_args_options *options = args[1].pointer;
    const t_columns_args_ts *ts = args[2].pointer;
    const double *scale = args[3].pointer;
    const char *mode = args[4].pointer;
    (void)ctx;
    (void)outs;
    *num_outs = 0;
    if (num_args != 9 || options->item0 != 0.5 || options->item1.extra != 3 || options->item1.on != 1 ||
        ts->count != 2 || ts->items[1] != 8 || scale == NULL || *scale != 1.5 || strcmp(mode, "fast") != 0) {
        return 78;
    }
    for (int64_t i = 0; i < args[5].tensor->num_elements; i++) {
        wg_native_set_real(args[5].tensor, i, (double)i);
    }
    wg_native_set_real(args[7].tensor, 0, *scale);
    return 0;
}

int32_t pair_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const int64_t sizes[] = {args[0].tensor->sizes[0], 2 + (fault == OTHER_SIZE)};
    (void)num_args;
    *num_outs = 2;
    outs[1].integer = sizes[0];
    return wg_native_zeros(ctx, WG_FLOAT32, 2, sizes, &outs[0].tensor);
}

int32_t numbers_any(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    const int64_t size = 1;
    (void)num_args;
    *num_outs = 2;
    outs[0].integer = 2 * args[0].integer;
    return fault == WITHOUT_TENSOR ? 0 : wg_native_zeros(ctx, WG_INT64, 1, &size, &outs[1].tensor);
}

/* ---- calls ---- */

static const double A[] = {1, 2, 3, 4};
static const double B[] = {5, 6, 7, 8};
static const double AB[] = {19, 22, 43, 50};

static int is_empty(const t_matmul_outs *outs)
{
    return outs->c == NULL && outs->parts == NULL && outs->calls == 0 && outs->flag == 0 && outs->sum == 0;
}

static void test_right(WgContext *ctx, const t_matmul_args *args)
{
    t_matmul_outs outs;
    const int32_t status = t_matmul_call(ctx, args, &outs);
    check(status == WG_OK && !wide, "a call chooses a variant");
    check(outs.c == filled && holds(outs.c, 4, AB) && outs.c->strides[0] == 2 && outs.c->strides[1] == 1,
          "the tensor that the call made is what the variant filled");
    check(outs.parts->sizes[0] == 1 && outs.parts->sizes[1] == 2 && outs.parts->strides[0] == 4, "what it returned");
    check(outs.calls == num_calls && outs.flag == 1 && outs.sum == 134, "numbers of each kind");
    t_matmul_outs_release(ctx, &outs);
    check(outs.c == NULL && outs.parts == NULL, "outputs are given back");
}

static void test_faults(WgContext *ctx, const t_matmul_args *args)
{
    static const struct {
        Fault fault;
        WgStatus status;
        const char *says;
    } rows[] = {
        {FAILS, WG_E_COMPILED, "77"},
        {WITHOUT_TENSOR, WG_E_RESULT, "parts"},
        {OTHER_DTYPE, WG_E_RESULT, "float64"},
        {OTHER_RANK, WG_E_RESULT, "parts"},
        {OTHER_SIZE, WG_E_RESULT, "expected 2, found 3"},
        {OTHER_STRIDE, WG_E_RESULT, "stride"},
        {ONE_LESS, WG_E_OUTPUTS, "expected 4, found 3"},
        {ONE_MORE, WG_E_OUTPUTS, "expected 4, found 5"},
        {SAYS_NOTHING, WG_E_OUTPUTS, "expected 4, found 5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        t_matmul_outs outs;
        memset(&outs, 0x5a, sizeof outs);
        fault = rows[i].fault;
        const int32_t status = t_matmul_call(ctx, args, &outs);
        check(status == (int32_t)rows[i].status && error_says(ctx, rows[i].says), "a wrong result is refused");
        check(is_empty(&outs), "and nothing is delivered");
    }
    fault = RIGHT;
}

static void test_arguments(WgContext *ctx, t_matmul_args args)
{
    const int64_t sizes[] = {2, 3};
    const int64_t wide_sizes[] = {3, 65};
    const double values[195] = {1, 2, 3, 4, 5, 6};
    WgTensor *x = make(ctx, 2, sizes, values);
    WgTensor *y = make(ctx, 2, wide_sizes, values);
    t_matmul_outs outs;
    const int before = num_calls;
    memset(&outs, 0x5a, sizeof outs);
    t_matmul_args wrong = args;
    wrong.a = x;
    check(t_matmul_call(ctx, &wrong, &outs) == WG_E_NO_VARIANT && is_empty(&outs), "a miss");
    wrong.a = NULL;
    memset(&outs, 0x5a, sizeof outs);
    check(t_matmul_call(ctx, &wrong, &outs) == WG_E_NULL && is_empty(&outs), "a null tensor");
    wrong.a = x;
    wrong.b = y;
    memset(&outs, 0x5a, sizeof outs);
    check(t_matmul_call(ctx, &wrong, &outs) == WG_E_SYMBOL && error_says(ctx, "at most 64") && is_empty(&outs),
          "a symbol beyond its bounds");
    wrong = args;
    wrong.times = 0;
    memset(&outs, 0x5a, sizeof outs);
    check(t_matmul_call(ctx, &wrong, &outs) == WG_E_OVERFLOW && error_says(ctx, "parts") && is_empty(&outs),
          "a division by zero");
    wrong.times = INT64_MIN;
    memset(&outs, 0x5a, sizeof outs);
    check(t_matmul_call(ctx, &wrong, &outs) == WG_E_OVERFLOW && is_empty(&outs), "an overflow");
    wrong.times = -4;
    memset(&outs, 0x5a, sizeof outs);
    check(t_matmul_call(ctx, &wrong, &outs) == WG_E_SIZE && error_says(ctx, "found -5") && is_empty(&outs),
          "a size below 0");
    check(t_matmul_call(ctx, NULL, &outs) == WG_E_NULL && t_matmul_call(ctx, &args, NULL) == WG_E_NULL, "null structs");
    check(num_calls == before, "and no variant is called");
    wg_release(ctx, x);
    wg_release(ctx, y);
}

/* The same through the boxed entry, with an argument left out, and through a graph. */
static void test_boxed(WgContext *ctx, const t_matmul_args *args)
{
    const WgValue values[] = {{.tensor = args->a}, {.tensor = args->b}};
    WgValue outs[5];
    size_t num_outs = 5;
    check(t_matmul(ctx, values, 2, outs, &num_outs) == WG_OK && num_outs == 5, "the boxed entry returns all outputs");
    check(holds(outs[0].tensor, 4, AB) && outs[1].tensor->sizes[1] == 2 && outs[2].integer == num_calls &&
              outs[3].integer == 1 && outs[4].real == 134,
          "in their order");
    wg_release_run(ctx, outs, 2);
    num_outs = 4;
    check(t_matmul(ctx, values, 2, outs, &num_outs) == WG_E_COUNT, "with too little room it does not call");
    num_outs = 5;
    fault = OTHER_SIZE;
    check(t_matmul(ctx, values, 2, outs, &num_outs) == WG_E_RESULT, "it tests results");
    t_outer_inputs in = {args->a, args->b, 2};
    t_outer_outputs out;
    check(t_outer(ctx, &in, &out) == WG_E_RESULT && error_says(ctx, "parts"), "so does a graph that calls it");
    fault = RIGHT;
    check(t_outer(ctx, &in, &out) == WG_OK && holds(out.c, 4, AB) && out.sum == 134, "and gets them");
    t_outer_outputs_release(ctx, &out);
}

static void test_made(WgContext *ctx)
{
    const int64_t sizes[] = {2, 1, 3};
    const double values[] = {1, 2, 3, 4, 5, 6};
    const int64_t items[] = {7, 8};
    const double scale = 1.5;
    t_columns_args args;
    t_columns_outs outs;
    t_columns_defaults(&args);
    args.x = make(ctx, 3, sizes, values);
    args.options.item0 = 0.5;
    args.options.item1.extra = 3;
    args.options.item1.on = 1;
    args.ts.items = items;
    args.ts.count = 2;
    args.scale = &scale;
    args.mode = "fast";
    check(t_columns_call(ctx, &args, &outs) == WG_OK, "arguments of every kind arrive");
    check(outs.last->rank == 3 && outs.last->strides[0] == 3 && outs.last->strides[1] == 1 &&
              outs.last->strides[2] == 1 && wg_native_real(outs.last, 4) == 4,
          "stated strides");
    check(outs.fixed->rank == 3 && outs.fixed->dtype == WG_INT64 && outs.fixed->strides[0] == 3 &&
              outs.fixed->strides[1] == 3 && outs.fixed->num_elements == 0,
          "an empty tensor has PyTorch's strides");
    check(outs.scalar->rank == 0 && wg_native_real(outs.scalar, 0) == 1.5, "a scalar");
    check(outs.listed->sizes[0] == 5, "a length and an item of a record");
    t_columns_outs_release(ctx, &outs);
    args.options.item1.extra = -3;
    check(t_columns_call(ctx, &args, &outs) == WG_E_SIZE && outs.last == NULL, "a size below 0 from an int");
    args.mode = "slow";
    args.options.item1.extra = 3;
    check(t_columns_call(ctx, &args, &outs) == WG_E_COMPILED && outs.last == NULL, "a variant that fails");
    wg_release(ctx, args.x);
}

static void test_graph(WgContext *ctx, WgTensor *a)
{
    t_pairs_outs outs;
    const t_pairs_args args = {a};
    check(t_pairs_call(ctx, &args, &outs) == WG_OK && outs.y->sizes[1] == 2 && outs.rows == 2,
          "a variant that is a graph");
    t_pairs_outs_release(ctx, &outs);
    fault = OTHER_SIZE;
    check(t_pairs_call(ctx, &args, &outs) == WG_E_RESULT && outs.y == NULL, "what it returns is tested, too");
    fault = RIGHT;
}

static void test_trusted(WgContext *ctx)
{
    t_numbers_outs outs;
    const t_numbers_args args = {21, NULL};
    check(t_numbers_call(ctx, &args, &outs) == WG_OK && outs.twice == 42 && outs.copy != NULL, "with 'check: count'");
    t_numbers_outs_release(ctx, &outs);
    fault = WITHOUT_TENSOR;
    check(t_numbers_call(ctx, &args, &outs) == WG_E_RESULT && outs.twice == 0, "tensors are there all the same");
    fault = RIGHT;
}

/* Each allocation failing in turn; what was made before is given back, as the end of the program shows. */
static void test_memory(WgContext *ctx, Tracking *tracking, const t_matmul_args *args)
{
    enum { MOST = 20 };
    int whole = 1;
    int num_failed_calls = 0;
    for (int64_t n = 1; n < MOST; n++) {
        t_matmul_outs outs;
        tracking->fail_at = tracking->num_allocations + n;
        const int32_t status = t_matmul_call(ctx, args, &outs);
        tracking->fail_at = 0;
        num_failed_calls += status != WG_OK;
        whole = whole && (status == WG_OK || is_empty(&outs));
        if (status == WG_OK) {
            t_matmul_outs_release(ctx, &outs);
        }
    }
    check(num_failed_calls > 0 && whole, "when memory is refused nothing is delivered");
}

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    const int64_t sizes[] = {2, 2};
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 2;
    }
    t_matmul_args args;
    t_matmul_defaults(&args);
    args.a = make(ctx, 2, sizes, A);
    args.b = make(ctx, 2, sizes, B);
    test_right(ctx, &args);
    test_faults(ctx, &args);
    test_arguments(ctx, args);
    test_boxed(ctx, &args);
    test_made(ctx);
    test_graph(ctx, args.a);
    test_trusted(ctx);
    test_memory(ctx, &tracking, &args);
    wg_release(ctx, args.a);
    wg_release(ctx, args.b);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
