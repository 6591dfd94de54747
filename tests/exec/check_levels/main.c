/* SPDX-License-Identifier: MIT */
/*
 * What each level of a kernel's `check` tests, by SPEC.md's table. x is declared as float32 of rank 1 or 2, the items
 * of ts as rank 1; the first variant wants x of 3 columns and a second item of 2 elements, the other k = 7.
 */
#include "../exec.h"

#include "wrappers.h"

static int num_calls;

int32_t chosen_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)args;
    (void)outs;
    *num_outs = 0;
    num_calls++;
    return num_args == 4 ? 0 : 77;
}

typedef int32_t Kernel(WgContext *ctx, const WgValue *values, size_t num_values, WgValue *outs, size_t *num_outs);

static Kernel *const kernels[] = {t_nothing, t_count, t_cheap, t_full};
static const char *const names[] = {"none", "count", "cheap", "full"};

typedef struct Call {
    WgTensor *x;
    WgTensor *items[3];
    size_t num_items;
    int32_t flag;
    const int64_t *k;
    size_t num_values; /* 0: four */
} Call;

/* The four argument structs have the same members in the same order, as the same YAML gives them. */
static int32_t call_kernel(WgContext *ctx, int level, const Call *call)
{
    t_full_args_ts ts = {call->items, call->num_items};
    t_full_args_pair pair = {call->flag, 5};
    WgValue values[5];
    size_t num_outs = 0;
    values[0] = wg_value_tensor(call->x);
    values[1].pointer = &ts;
    values[2].pointer = &pair;
    values[3].integer = (int64_t)(intptr_t)call->k;
    values[4].integer = 0;
    num_calls = 0;
    return kernels[level](ctx, values, call->num_values == 0 ? 4 : call->num_values, NULL, &num_outs);
}

static int32_t select_variant(WgContext *ctx, int level, const Call *call)
{
#define SELECT(kernel)                                                                                                 \
    kernel##_select(ctx, &(const kernel##_args){call->x, {call->items, call->num_items}, {call->flag, 5}, call->k})
    return level == 0   ? SELECT(t_nothing)
           : level == 1 ? SELECT(t_count)
           : level == 2 ? SELECT(t_cheap)
                        : SELECT(t_full);
}

static int32_t key_of(WgContext *ctx, int level, const Call *call)
{
    static t_nothing_key nothing;
    static t_count_key count;
    static t_cheap_key cheap;
    static t_full_key full;
#define KEY_OF(kernel, key)                                                                                            \
    kernel##_key_of(ctx, &(const kernel##_args){call->x, {call->items, call->num_items}, {call->flag, 5}, call->k},    \
                    &(const kernel##_key_extra){1}, &(key))
    return level == 0   ? KEY_OF(t_nothing, nothing)
           : level == 1 ? KEY_OF(t_count, count)
           : level == 2 ? KEY_OF(t_cheap, cheap)
                        : KEY_OF(t_full, full);
}

enum { NOT_ASKED = -1 }; /* below `cheap`, making a key would read what is not there */

/* What is expected at each level: the dispatcher's status, the selected variant, the key's status. */
typedef struct Expected {
    int32_t status[4];
    int32_t selected[4];
    int32_t key[4];
} Expected;

static void check_call(WgContext *ctx, const char *what, const Call *call, const Expected *expected)
{
    char text[160];
    for (int level = 0; level < 4; level++) {
        const int32_t selected = select_variant(ctx, level, call);
        const int32_t key = expected->key[level] == NOT_ASKED ? NOT_ASKED : key_of(ctx, level, call);
        const int32_t status = call_kernel(ctx, level, call);
        const int called = num_calls == (expected->status[level] == WG_OK);
        (void)snprintf(text, sizeof text, "%s, check: %s", what, names[level]);
        check(status == expected->status[level] && selected == expected->selected[level] &&
                  key == expected->key[level] && called,
              text);
        if (status != expected->status[level] || selected != expected->selected[level] || key != expected->key[level]) {
            printf("# status %d, selected %d, key %d\n", (int)status, (int)selected, (int)key);
        }
    }
}

static const double VALUES[] = {1, 2, 3, 4, 5, 6};

static void test_levels(WgContext *ctx)
{
    static const int64_t seven = 7;
    WgTensor *x = make(ctx, 2, (const int64_t[]){2, 3}, VALUES);
    WgTensor *row = make(ctx, 1, (const int64_t[]){3}, VALUES);
    WgTensor *two = make(ctx, 1, (const int64_t[]){2}, VALUES);
    WgTensor *real = NULL;
    (void)wg_native_zeros(ctx, WG_FLOAT64, 2, (const int64_t[]){2, 3}, &real);
    const Expected good = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    const Expected miss = {{WG_E_NO_VARIANT, WG_E_NO_VARIANT, WG_E_NO_VARIANT, WG_E_NO_VARIANT}, {-1, -1, -1, -1}, {0}};

    check_call(ctx, "a call that fits", &(const Call){x, {two, two}, 2, 1, NULL, 0}, &good);
    check_call(ctx, "a lower rank than conditions ask", &(const Call){row, {two, two}, 2, 1, NULL, 0}, &miss);
    check_call(ctx, "a list too short", &(const Call){x, {two}, 1, 1, NULL, 0}, &miss);
    check_call(ctx, "an empty list", &(const Call){x, {NULL}, 0, 1, NULL, 0}, &miss);
    check_call(ctx, "a number behind null", &(const Call){x, {row, row}, 2, 1, NULL, 0}, &miss);
    check_call(ctx, "the dtype is not the declared one", &(const Call){real, {two, two}, 2, 1, NULL, 0},
               &(const Expected){{0, 0, WG_E_DTYPE, WG_E_DTYPE}, {0, 0, -1, -1}, {0, 0, WG_E_DTYPE, WG_E_DTYPE}});
    check_call(ctx, "an item that no condition looks at is null", &(const Call){x, {two, two, NULL}, 3, 1, &seven, 0},
               &(const Expected){{0, 0, 0, WG_E_NULL}, {0, 0, 0, -1}, {NOT_ASKED, NOT_ASKED, WG_E_NULL, WG_E_NULL}});
    check_call(ctx, "a bool is 2", &(const Call){x, {two, two}, 2, 2, NULL, 0},
               &(const Expected){{0, 0, 0, WG_E_VALUE}, {0, 0, 0, -1}, {0, 0, WG_E_VALUE, WG_E_VALUE}});
    check_call(ctx, "a value too many", &(const Call){x, {two, two}, 2, 1, NULL, 5},
               &(const Expected){{0, WG_E_COUNT, WG_E_COUNT, WG_E_COUNT}, {0, 0, 0, 0}, {0}});
    wg_release(ctx, x);
    wg_release(ctx, row);
    wg_release(ctx, two);
    wg_release(ctx, real);
}

static void test_pointers(WgContext *ctx)
{
    t_count_key key;
    WgValue values[4];
    size_t num_outs = 0;
    memset(values, 0, sizeof values);
    check(t_count(ctx, values, 4, NULL, &num_outs) == WG_E_NULL &&
              t_cheap(ctx, values, 4, NULL, &num_outs) == WG_E_NULL,
          "from count on a struct must be there");
    check(t_count(ctx, values, 2, NULL, &num_outs) == WG_E_COUNT, "and so must what has no default");
    check(t_count_key_of(ctx, NULL, &(const t_count_key_extra){1}, &key) == WG_E_NULL && key.num_words == 0,
          "and the arguments of a key");
    const t_count_args args = {NULL, {NULL, 0}, {0, 0}, NULL};
    check(t_count_key_of(ctx, &args, NULL, &key) == WG_E_NULL && key.num_words == 0, "and what else it holds");
}

/* A list that counts items and has none: nothing is read through its null pointer, and no condition on an item holds.
 */
static void test_no_items(WgContext *ctx)
{
    char text[256];
    WgTensor *x = make(ctx, 2, (const int64_t[]){2, 3}, VALUES);
    t_full_args_ts ts = {NULL, 2};
    t_full_args_pair pair = {1, 5};
    WgValue values[4] = {{x}, {NULL}, {NULL}, {NULL}};
    size_t num_outs = 0;
    values[1].pointer = &ts;
    values[2].pointer = &pair;
    values[3].integer = 0;
    const t_cheap_args args = {x, {NULL, 2}, {1, 5}, NULL};
    check(t_nothing_select(ctx, &(const t_nothing_args){x, {NULL, 2}, {1, 5}, NULL}) == -1 &&
              t_cheap_select(ctx, &args) == -1,
          "a list without its items fits no condition on an item");
    check(t_cheap_explain(ctx, &args, text, sizeof text) > 0, "and is explained");
    check(t_cheap(ctx, values, 4, NULL, &num_outs) == WG_E_COUNT &&
              t_full(ctx, values, 4, NULL, &num_outs) == WG_E_COUNT,
          "and a dispatcher that tests says so");
    wg_release(ctx, x);
}

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 2;
    }
    test_levels(ctx);
    test_pointers(ctx);
    test_no_items(ctx);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
