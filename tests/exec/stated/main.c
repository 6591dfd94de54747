/* SPDX-License-Identifier: MIT */
/*
 * Results that are not as stated, over conventions and kinds of outputs: each kernel returns what the test has put
 * ready, right or with one thing wrong. `y` is stated as float32[n, 4], strides 4 and 1, offset 0, on the CPU; n is 3.
 */
#include "../exec.h"
#include "wrappers.h"

enum { N = 3, COLUMNS = 4, MOST = 4 };

/* What the next call returns: borrowed. */
static WgTensor *ready[MOST];
static size_t num_ready;
static int says_nothing; /* the kernel returns 0 and writes nothing */

static int32_t give(WgContext *ctx, WgValue *outs, size_t *num_outs)
{
    int32_t status = 0;
    for (size_t i = 0; i < num_ready && status == 0 && !says_nothing; i++) {
        status = ready[i] == NULL ? 0 : wg_retain(ctx, ready[i], &outs[i].tensor);
        outs[i].tensor = ready[i] == NULL ? NULL : outs[i].tensor;
    }
    if (!says_nothing) {
        *num_outs = num_ready;
    }
    return status;
}

#define KERNEL(name)                                                                                                   \
    int32_t name(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)                \
    {                                                                                                                  \
        (void)args;                                                                                                    \
        (void)num_args;                                                                                                \
        return give(ctx, outs, num_outs);                                                                              \
    }
KERNEL(boxed_kernel)
KERNEL(cheap_kernel)
KERNEL(count_kernel)
KERNEL(silent_kernel)
KERNEL(after_kernel)
KERNEL(lends_kernel)
KERNEL(trains_kernel)
KERNEL(trains_bw_kernel)
KERNEL(unsafe_kernel)
KERNEL(unsafe_bw_kernel)
KERNEL(tree_kernel)

int32_t direct_kernel(WgContext *ctx, WgTensor *arg0, WgTensor **out0)
{
    (void)arg0;
    return says_nothing || ready[0] == NULL ? 0 : wg_retain(ctx, ready[0], out0);
}

int32_t numbers_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)num_args;
    if (!says_nothing) {
        outs[0].integer = 7;
        outs[1].real = 0.5;
        *num_outs = 2;
    }
    return 0;
}

static const char *const two_names[] = {"a", "b"};
const WgType Two = {.name = "Two", .attribute_names = two_names, .num_attributes = 2};
const void *const two_context = two_names;

/* ---- tensors ---- */

static float memory[4 * N * COLUMNS];

/* What is wrong with a result. */
typedef enum Wrong { RIGHT, NOT_THERE, DTYPE, RANK, SIZE, STRIDE, OFFSET, DEVICE, TYPE, NUM_WRONGS } Wrong;
static const char *const rules[] = {NULL, "result", "dtype", "rank", "size", "stride", "offset", "device", "type"};

static WgTensor *result(WgContext *ctx, Wrong wrong)
{
    static const WgType other = {.name = "Other"};
    const int64_t sizes[] = {wrong == SIZE ? N + 1 : N, COLUMNS, 1};
    const int64_t strides[] = {wrong == STRIDE ? COLUMNS + 1 : COLUMNS, 1, 1};
    const WgGeometry geometry = {sizes, strides, wrong == OFFSET ? 1 : 0, wrong == RANK ? 3 : 2};
    WgTensor *t = NULL;
    if (wrong == NOT_THERE) {
        return NULL;
    }
    (void)wg_native_borrow(ctx, memory, sizeof memory, &geometry, wrong == DTYPE ? WG_INT8 : WG_FLOAT32,
                           wrong == DEVICE ? WG_CUDA * 256 : WG_CPU, NULL, NULL, &t);
    if (t != NULL && wrong == TYPE) {
        wg_native_set_type(t, &other);
    }
    return t;
}

/* ---- graphs, through their boxed entries; outs and saved hold garbage before ---- */

typedef int32_t Call(WgContext *ctx, WgTensor *x, WgValue *outs);

#define CALL(name)                                                                                                     \
    static int32_t call_##name(WgContext *ctx, WgTensor *x, WgValue *outs)                                             \
    {                                                                                                                  \
        const WgValue arg = wg_value_tensor(x);                                                                        \
        return t_##name##_boxed(ctx, &arg, 1, outs, 1);                                                                \
    }
#define CALL_TRAINING(name)                                                                                            \
    static int32_t call_##name(WgContext *ctx, WgTensor *x, WgValue *outs)                                             \
    {                                                                                                                  \
        const WgValue arg = wg_value_tensor(x);                                                                        \
        t_##name##_saved saved;                                                                                        \
        return t_##name##_boxed(ctx, &arg, 1, outs, 1, &saved);                                                        \
    }
CALL(boxed)
CALL(cheap)
CALL(count)
CALL(silent)
CALL(direct)
CALL(after)
CALL(lends)
CALL_TRAINING(trains)
CALL_TRAINING(unsafe)
CALL(tree)

/* Which wrong things are noticed, by a letter each: null, dtype, rank, size, stride, offset, device, type. No
 * offset is stated about "unsafe"; leaves state sizes and strides. The device of an alias is its base's: "lends"
 * returns what x is, and something on another device lies elsewhere. */
static const struct {
    const char *name;
    Call *call;
    size_t position;
    size_t num_results;
    const char *noticed;
    const char *argument;
} cases[] = {
    {"boxed", call_boxed, 0, 1, "ndrstovt", "'y'"},   {"cheap", call_cheap, 0, 1, "ndrsto.t", "'y'"},
    {"count", call_count, 0, 1, "........", "'y'"},   {"silent", call_silent, 0, 1, "n.......", "'y'"},
    {"direct", call_direct, 0, 1, "ndrstovt", "'y'"}, {"after", call_after, 1, 2, "ndrstovt", "'y'"},
    {"lends", call_lends, 0, 1, "ndrstovt", "'y'"},   {"trains", call_trains, 1, 2, "ndrstovt", "'y'"},
    {"unsafe", call_unsafe, 0, 1, "ndrst.vt", "'y'"}, {"tree", call_tree, 0, 2, "n.rst..t", "'y.a'"},
};

static int unchanged(const WgTensor *x)
{
    int same = 1;
    for (int64_t i = 0; i < N * COLUMNS; i++) {
        same = same && wg_native_real(x, i) == (double)i;
    }
    return same;
}

static int says(WgContext *ctx, const char *argument, const char *rule)
{
    char text[64];
    (void)snprintf(text, sizeof text, "(%s) [WG_E_RESULT]", rule);
    return error_says(ctx, argument) && error_says(ctx, text);
}

static void try_wrong(WgContext *ctx, WgTensor *x, size_t i, Wrong wrong)
{
    char name[80];
    const int noticed = wrong != RIGHT && cases[i].noticed[wrong - 1] != '.';
    WgTensor *other = result(ctx, RIGHT);
    const int lends = cases[i].call == call_lends;
    const char *rule = lends && wrong == DEVICE ? "storage" : rules[wrong];
    WgTensor *spoilt = NULL;
    if (lends && wrong == RIGHT) {
        (void)wg_retain(ctx, x, &spoilt);
    } else {
        spoilt = result(ctx, wrong);
    }
    WgValue outs[1];
    memset(outs, 0x5a, sizeof outs);
    for (size_t k = 0; k < MOST; k++) {
        ready[k] = k == cases[i].position ? spoilt : other;
    }
    /* of "trains" the row comes before its base, and is what a view of that gives */
    const int64_t columns = COLUMNS;
    const int64_t one = 1;
    const WgGeometry row_geometry = {&columns, &one, COLUMNS, 1};
    WgTensor *row = NULL;
    (void)wg_as_strided(ctx, other, &row_geometry, &row);
    ready[0] = cases[i].call == call_trains ? row : ready[0];
    num_ready = cases[i].num_results;
    const int32_t status = cases[i].call(ctx, x, outs);
    (void)snprintf(name, sizeof name, "%s: %s", cases[i].name, wrong == RIGHT ? "right" : rules[wrong]);
    if (noticed) {
        check(status == WG_E_RESULT && says(ctx, cases[i].argument, rule) && outs[0].tensor == NULL &&
                  (cases[i].call != call_after || unchanged(x)),
              name);
    } else {
        check(status == WG_OK, name);
        wg_release(ctx, outs[0].tensor);
    }
    for (int64_t k = 0; k < N * COLUMNS; k++) {
        wg_native_set_real(x, k, (double)k);
    }
    wg_release(ctx, row);
    wg_release(ctx, spoilt);
    wg_release(ctx, other);
}

/* A kernel that writes nothing: the caller's outs and the stack hold garbage, which must not be taken for a result. */
static void try_silence(WgContext *ctx, WgTensor *x, size_t i)
{
    char name[80];
    WgValue outs[1];
    memset(outs, 0x5a, sizeof outs);
    says_nothing = 1;
    const int32_t status = cases[i].call(ctx, x, outs);
    says_nothing = 0;
    (void)snprintf(name, sizeof name, "%s: a kernel that writes nothing", cases[i].name);
    check(outs[0].tensor == NULL && status == (cases[i].call == call_count ? WG_OK : WG_E_RESULT), name);
}

/* Strides that are never stepped along: of one row, and of no rows at all. */
static void try_rows(WgContext *ctx, int64_t rows, const char *name)
{
    const int64_t sizes[] = {rows, COLUMNS};
    const int64_t strides[] = {77, rows == 0 ? 5 : 1};
    const WgGeometry geometry = {sizes, strides, 0, 2};
    WgTensor *x = NULL;
    WgValue outs[1];
    (void)wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &x);
    (void)wg_native_borrow(ctx, memory, sizeof memory, &geometry, WG_FLOAT32, WG_CPU, NULL, NULL, &ready[0]);
    num_ready = 1;
    check(call_boxed(ctx, x, outs) == WG_OK && outs[0].tensor != NULL, name);
    wg_release(ctx, outs[0].tensor);
    wg_release(ctx, ready[0]);
    wg_release(ctx, x);
}

static void try_numbers(WgContext *ctx, WgTensor *x)
{
    const WgValue arg = wg_value_tensor(x);
    WgValue outs[2];
    check(t_numbers_boxed(ctx, &arg, 1, outs, 2) == WG_OK && outs[0].integer == 7 && outs[1].real == 0.5,
          "numbers: right");
    says_nothing = 1;
    check(t_numbers_boxed(ctx, &arg, 1, outs, 2) == WG_E_OUTPUTS && outs[0].integer == 0,
          "numbers: a kernel that writes nothing");
    says_nothing = 0;
}

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    const int64_t sizes[] = {N, COLUMNS};
    WgTensor *x = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0 || wg_native_empty(ctx, WG_FLOAT32, 2, sizes, &x) != 0) {
        return 1;
    }
    for (int64_t k = 0; k < N * COLUMNS; k++) {
        wg_native_set_real(x, k, (double)k);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (Wrong wrong = RIGHT; wrong < NUM_WRONGS; wrong++) {
            try_wrong(ctx, x, i, wrong);
        }
        try_silence(ctx, x, i);
    }
    try_rows(ctx, 1, "a stride of a dimension of size 1");
    try_rows(ctx, 0, "strides of a tensor without elements");
    try_numbers(ctx, x);
    wg_release(ctx, x);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
