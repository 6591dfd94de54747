/* SPDX-License-Identifier: MIT */
/* covers: wg_fail wg_fail_compiled wg_fail_host wg_fail_tensor wg_check_stated wg_check_returned wg_fail_type */
/* covers: wg_fail_shape wg_fail_guard wg_fail_null wg_fail_boxed wg_fail_as wg_fail_in wg_error wg_error_clear */
/* covers: wg_status_name wg_dtype_name wg_device_type_name */
/*
 * Errors over a record that holds any earlier one, of tensors that are null, plain or of another type, have 0 to 3
 * dimensions and any facts; of up to 9 values of symbols, and up to 2 names. What wg_core.h says that
 * each returns is asserted. The text of errors is in cold_text.c.
 */
#include "driver.h"

#include "wg_cold.c"

struct WgContext {
    WgErrorSlot slot;
};

struct WgTensor {
    int32_t rank;
};

struct WgType {
    char unused;
};

static const WgType other_type;

WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    return &ctx->slot;
}

const WgType *wg_host_type(WgContext *ctx, const WgTensor *tensor)
{
    (void)ctx, (void)tensor;
    return any_bool() ? &other_type : NULL;
}

int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    (void)ctx, (void)dimension;
    return rule == WG_RULE_RANK ? tensor->rank : any_integer();
}

static const WgSite sites[] = {{"graph", "x", "rule", WG_E_DTYPE, WG_KIND_DTYPE},
                               {NULL, "x", NULL, WG_E_OVERLAP, WG_KIND_NONE},
                               {NULL, NULL, NULL, WG_E_COUNT, WG_KIND_INTEGER}};

/* A context with no error, or with any. */
static void before(WgContext *ctx)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->slot.error.status = (int32_t)any_from(1, INT32_MAX);
    if (any_bool()) {
        ctx->slot.error.site = &sites[any_from(0, 2)];
        ctx->slot.error.symbols = any_bool() ? "y" : NULL;
    }
}

static void of_tensor(const WgSite *site, const WgTensor *tensor, const WgFact *facts, size_t num_facts)
{
    WgContext ctx;
    before(&ctx);
    const int32_t failed = wg_fail_tensor(&ctx, site, tensor, facts, num_facts);
    //@ assert WG_E_NULL <= failed <= WG_E_INTERNAL;
    const int32_t other = wg_fail_type(&ctx, site, tensor, &other_type);
    //@ assert WG_E_NULL <= other <= WG_E_INTERNAL;
    const int32_t returned = wg_check_returned(&ctx, site, tensor, facts, num_facts);
    if (tensor == NULL) {
        //@ assert returned == site->code;
        return;
    }
    //@ assert returned == WG_OK || returned == WG_E_RESULT;
    const int32_t stated = wg_check_stated(&ctx, site, tensor, facts, num_facts);
    //@ assert stated == WG_OK || stated == WG_E_RESULT;
}

static void of_rank(int32_t rank)
{
    WgTensor *const tensor = malloc(sizeof *tensor);
    int64_t *const sizes = malloc(3 * sizeof *sizes);
    WgFact facts[3];
    WgContext ctx;
    tensor->rank = rank;
    for (int i = 0; i < 3; i++) {
        sizes[i] = any_integer();
    }
    for (int32_t rule = WG_RULE_DTYPE; rule <= WG_RULE_LAZY; rule++) {
        const WgFact fact = {rule, 0, rule == WG_RULE_ALIGNMENT ? 16 : any_integer()};
        facts[0] = fact;
        facts[1] = fact;
        facts[2] = fact;
        of_tensor(&sites[0], tensor, facts, 3);
    }
    before(&ctx);
    for (int32_t stated = 0; stated <= 3; stated++) {
        const int32_t failed = wg_fail_shape(&ctx, &sites[0], tensor, sizes + 3 - stated, stated);
        //@ assert failed == WG_E_DTYPE || failed == WG_E_INTERNAL;
    }
}

/* A tensor of another rank than is stated is never as stated. */
static void of_wrong_rank(void)
{
    WgTensor tensor = {2};
    WgContext ctx;
    const WgFact fact = {WG_RULE_RANK, -1, 3};
    before(&ctx);
    const int32_t stated = wg_check_stated(&ctx, &sites[0], &tensor, &fact, 1);
    //@ assert stated == WG_E_RESULT;
    const int32_t returned = wg_check_returned(&ctx, &sites[0], &tensor, &fact, 1);
    //@ assert returned == WG_E_RESULT;
}

static void of_arrays(size_t num_args, size_t num_outs, int args_are_there, int outs_are_there)
{
    WgContext ctx;
    WgValue *const args = args_are_there ? malloc(num_args * sizeof *args) : NULL;
    WgValue *const outs = outs_are_there ? malloc(num_outs * sizeof *outs) : NULL;
    before(&ctx);
    const int32_t failed = wg_fail_boxed(&ctx, "graph", args, num_args, 2, outs, num_outs, 3);
    //@ assert failed == WG_E_NULL || failed == WG_E_COUNT;
    if (outs_are_there) {
        //@ assert \initialized(outs + (0 .. num_outs - 1));
    }
    const int32_t null = wg_fail_null(&ctx, "graph", outs, outs_are_there ? num_outs * sizeof *outs : 0);
    //@ assert null == WG_E_NULL;
}

static void of_values(void)
{
    static const char *const names[] = {"x", "y"};
    static const char *const own[] = {"input", "other"};
    for (size_t n = 0; n <= 9; n++) {
        WgContext ctx;
        int64_t v[9];
        any_words((uint64_t *)v, 9);
        before(&ctx);
        const int32_t failed =
            wg_fail_guard(&ctx, &sites[0], "s0, s1", n, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
        //@ assert failed == WG_E_DTYPE;
    }
    for (size_t n = 0; n <= 2; n++) {
        WgContext ctx;
        before(&ctx);
        wg_fail_as(&ctx, names + 2 - n, own + 2 - n, n);
        wg_fail_in(&ctx, "graph");
        (void)wg_error(&ctx);
        wg_error_clear(&ctx);
    }
}

static void of_site(const WgSite *site)
{
    WgContext ctx;
    before(&ctx);
    const int32_t compiled = wg_fail_compiled(&ctx, site, (int32_t)any_integer());
    //@ assert compiled != 0;
    const int32_t failed = wg_fail(&ctx, site, -1, wg_value_integer(any_integer()), wg_value_real(any_real()));
    //@ assert failed == site->code;
    const int32_t host = wg_fail_host(&ctx, site, (int32_t)any_integer());
    //@ assert host == WG_E_HOST;
}

void driver(void)
{
    for (int i = 0; i < 3; i++) {
        of_site(&sites[i]);
    }
    of_tensor(&sites[0], NULL, NULL, 0);
    for (int32_t rank = 0; rank <= 3; rank++) {
        of_rank(rank);
    }
    of_wrong_rank();
    of_arrays(1, 3, 1, 1);
    of_arrays(2, 4, 1, 1);
    of_arrays(2, 3, 0, 1);
    of_arrays(2, 3, 1, 0);
    of_values();
    (void)wg_status_name((int32_t)any_integer());
    (void)wg_dtype_name((int32_t)any_integer());
    (void)wg_device_type_name((int32_t)any_integer());
}
