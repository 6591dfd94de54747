/* SPDX-License-Identifier: MIT */
/*
 * test_host.c - what eager PyTorch has no words for: codes and messages of failures, handles on error paths, overlap,
 * subclasses, contexts, the program's table, models that are not open. Every test ends without a tensor of the
 * program's left; what is expected of each is said in VERBS.md and computed by hand.
 */
#include "scenario.h"

#include "check.h"

static int64_t live_before;

#define BEGIN live_before = live_blobs
#define END   CHECK_EQUAL(live_blobs, live_before)

static WgTensor *view_of(WgTensor *base, const WgGeometry *of)
{
    WgTensor *view = NULL;
    CHECK_EQUAL(wg_as_strided(ctx, base, of, &view), WG_AOTI_OK);
    return view;
}

static int meet(const WgTensor *a, const WgTensor *b)
{
    return wg_ranges_meet(wg_byte_range(ctx, a), wg_byte_range(ctx, b));
}

/* [lowest, highest] byte ranges: elements 0..3, 2..5 and 4..5 of one memory, and an empty one. */
static void overlap(void)
{
    BEGIN;
    WgTensor *x = MAKE(0, 6);
    WgTensor *low = view_of(x, GEOMETRY(LIST(4), LIST(1), 0));
    WgTensor *middle = view_of(x, GEOMETRY(LIST(2), LIST(3), 2)); /* elements 2 and 5 */
    WgTensor *high = view_of(x, GEOMETRY(LIST(2), LIST(1), 4));
    WgTensor *empty = view_of(x, GEOMETRY(LIST(0), LIST(1), 2));
    WgTensor *other = MAKE(0, 6);
    CHECK(meet(x, low));
    CHECK(meet(low, middle));
    CHECK(meet(middle, high));
    CHECK(!meet(low, high));
    CHECK(!meet(x, empty));
    CHECK(!meet(empty, empty));
    CHECK(!meet(x, other));
    CHECK_EQUAL(wg_host_status(ctx), 0);
    WgTensor *all[] = {x, low, middle, high, empty, other};
    for (size_t i = 0; i < 6; i++) {
        wg_release(ctx, all[i]);
    }
    END;
}

/* Each fails and leaves no handle behind, and says why. */
static void failures(void)
{
    BEGIN;
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *wrong = MAKE(0, 5);
    WgTensor *out = x;
    CHECK_EQUAL(wg_copy_(ctx, x, wrong), WG_AOTI_E_TORCH);
    CHECK(strstr(wg_aoti_message(ctx), "size") != NULL);
    CHECK_EQUAL(wg_as_strided(ctx, x, GEOMETRY(LIST(9), LIST(1), 0), &out), WG_AOTI_E_TORCH);
    CHECK(out == NULL);
    CHECK_EQUAL(wg_as_strided(ctx, x, GEOMETRY(LIST(2), LIST(-1), 3), &out), WG_AOTI_E_TORCH);
    CHECK_EQUAL(wg_alias_as(ctx, x, GEOMETRY(LIST(9), LIST(1), 0), WG_FLOAT32, 0, &out), WG_AOTI_E_TORCH);
    CHECK(out == NULL);
    CHECK_EQUAL(wg_alias_as(ctx, x, GEOMETRY(LIST(9), LIST(1), 0), WG_INT32, 0, &out), WG_AOTI_E_TORCH);
    CHECK_EQUAL(wg_alias_as(ctx, x, GEOMETRY(LIST(1), LIST(1), 0), WG_INT32, 0, &out), WG_AOTI_OK);
    wg_release(ctx, out);
    CHECK_EQUAL(wg_alias_as(ctx, x, GEOMETRY(LIST(1), LIST(1), 0), 999, 0, &out), WG_AOTI_E_DTYPE);
    CHECK_EQUAL(wg_view_as_complex(ctx, x, &out), WG_AOTI_E_TORCH);
    CHECK_EQUAL(wg_restride_like_(ctx, wrong, x), WG_AOTI_E_TORCH);
    CHECK_EQUAL(wg_coerce_strides(ctx, x, GEOMETRY(LIST(7, 3), LIST(3, 1), 0), &out), WG_AOTI_E_TORCH);
    CHECK(out == NULL);
    CHECK_EQUAL(wg_empty_strided(ctx, GEOMETRY(LIST(2), LIST(1), 0), 999, 0, &out), WG_AOTI_E_DTYPE);
    CHECK(out == NULL);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    CHECK_EQUAL(wg_version(ctx, x), 0);
    wg_release(ctx, x);
    wg_release(ctx, wrong);
    END;
}

/* The bits of 1.0 as an 8-byte float are 0x3FF0000000000000: as int32, little end first, 0 and 0x3FF00000. */
static void widths(void)
{
    BEGIN;
    WgTensor *x = MAKE_OF(1, WG_FLOAT64, 3);
    WgTensor *half = NULL;
    WgTensor *back = NULL;
    CHECK_EQUAL(wg_alias_as(ctx, x, GEOMETRY(LIST(2), LIST(1), 0), WG_INT32, 0, &half), WG_AOTI_OK);
    const int32_t *found = wg_data(ctx, half);
    CHECK_EQUAL(found[0], 0);
    CHECK_EQUAL(found[1], 0x3FF00000);
    CHECK_EQUAL(wg_alias_as(ctx, half, GEOMETRY(LIST(2), LIST(1), 1), WG_FLOAT64, 0, &back), WG_AOTI_OK);
    CHECK(((double *)wg_data(ctx, back))[0] == 2.0);
    CHECK(wg_same_storage(ctx, back, x));
    CHECK_EQUAL(wg_bump_version(ctx, back), WG_AOTI_OK);
    CHECK_EQUAL(wg_version(ctx, x), 1); /* views of one base, with any dtype */
    wg_release(ctx, x);
    wg_release(ctx, half);
    wg_release(ctx, back);
    END;
}

static void no_effect(void)
{
    BEGIN;
    static const int32_t dims[] = {0, 1};
    static const int32_t beyond[] = {2};
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *waited = NULL;
    CHECK_EQUAL(wg_mark_dynamic(ctx, x, dims, 2), WG_AOTI_OK);
    CHECK_EQUAL(wg_mark_dynamic(ctx, x, beyond, 1), WG_AOTI_E_DIMENSION);
    CHECK_EQUAL(wg_wait(ctx, x, &waited), WG_AOTI_OK);
    CHECK(waited == x);
    CHECK_EQUAL(wg_device(ctx, x), 0);
    wg_release(ctx, x);
    END;
}

/* Every fact on its own: as it is, and with another number. What it is was said when the tensor was made. */
static void matches(void)
{
    BEGIN;
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *view = view_of(x, GEOMETRY(LIST(2, 2), LIST(3, 1), 1));
    static const WgFact facts[] = {{WG_RULE_DTYPE, -1, WG_FLOAT32},
                                   {WG_RULE_RANK, -1, 2},
                                   {WG_RULE_SIZE, 0, 2},
                                   {WG_RULE_SIZE, 1, 2},
                                   {WG_RULE_STRIDE, 0, 3},
                                   {WG_RULE_STRIDE, 1, 1},
                                   {WG_RULE_OFFSET, -1, 1},
                                   {WG_RULE_DEVICE, -1, WG_CPU * 256},
                                   {WG_RULE_DEVICE_TYPE, -1, WG_CPU},
                                   {WG_RULE_ALIGNMENT, -1, 4}};
    const size_t n = sizeof facts / sizeof facts[0];
    CHECK(wg_matches(ctx, view, facts, n));
    CHECK(wg_matches(ctx, view, NULL, 0));
    for (size_t i = 0; i < n; i++) {
        WgFact other = facts[i];
        CHECK(wg_matches(ctx, view, &other, 1));
        other.expected = facts[i].rule == WG_RULE_ALIGNMENT ? 8 : facts[i].expected + 1; /* malloc's 16 bytes, and 4 */
        CHECK(!wg_matches(ctx, view, &other, 1));
    }
    static const WgFact beyond[] = {{WG_RULE_SIZE, 2, 2}, {WG_RULE_STRIDE, 2, 1}};
    CHECK(!wg_matches(ctx, view, &beyond[0], 1));
    CHECK(!wg_matches(ctx, view, &beyond[1], 1));
    CHECK_EQUAL(wg_host_status(ctx), 0);
    wg_release(ctx, view);
    wg_release(ctx, x);
    END;
}

static WgTensor *made_by(const char *name, const WgTensor *t)
{
    WgTensor *made = NULL;
    WgAotiCall call = wg_aoti_begin(t);
    CHECK_EQUAL(wg_aoti_run_tensor(&call, name, "", &made), WG_AOTI_OK);
    return made;
}

/* What is said about x is found, by the verb and in the one call, and so is what is not. */
static void check_lazy(const WgTensor *x, int32_t lazy)
{
    CHECK_EQUAL(wg_lazy(ctx, x), lazy);
    for (int32_t other = 0; other < 4; other++) {
        const WgFact fact = {WG_RULE_LAZY, -1, other};
        CHECK_EQUAL(wg_matches(ctx, x, &fact, 1), other == lazy);
    }
}

static void lazy(void)
{
    BEGIN;
    static const WgFact usual = {WG_RULE_LAZY, -1, 0};
    static const WgSite site = {"graph", "z", "tensor", WG_E_TYPE, WG_KIND_NONE};
    char text[128];
    WgTensor *x = MAKE(0, 3, 2);
    WgTensor *negative = made_by("aten::_neg_view", x);
    WgTensor *z = made_by("aten::view_as_complex", x);
    WgTensor *conjugate = made_by("aten::_conj", z);
    WgTensor *both = made_by("aten::_neg_view", conjugate);
    WgTensor *again = made_by("aten::_conj", conjugate);
    check_lazy(x, 0);
    check_lazy(negative, WG_LAZY_NEG);
    check_lazy(z, 0);
    check_lazy(conjugate, WG_LAZY_CONJ);
    check_lazy(both, WG_LAZY_CONJ + WG_LAZY_NEG);
    check_lazy(again, 0);
    CHECK_EQUAL(wg_fail_tensor(ctx, &site, conjugate, &usual, 1), WG_E_LAZY);
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    CHECK(strcmp(text, "graph: 'z': lazy conjugation and negation: expected neither, found a conjugate (tensor) "
                       "[WG_E_LAZY]") == 0);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    wg_release(ctx, again);
    wg_release(ctx, both);
    wg_release(ctx, conjugate);
    wg_release(ctx, z);
    wg_release(ctx, negative);
    wg_release(ctx, x);
    END;
}

/* A sparse tensor is not a plain one and has no data: reading that fails, which is noted once, and forgotten by the
 * next call when a test names its error first. */
static void sparse(void)
{
    BEGIN;
    WgTensor *x = MAKE(0, 2, 2);
    WgTensor *made = NULL;
    WgAotiCall call = wg_aoti_begin(x);
    wg_aoti_put_integer(&call, 2);
    CHECK_EQUAL(wg_aoti_run_tensor(&call, "aten::to_sparse", "sparse_dim", &made), WG_AOTI_OK);
    CHECK(wg_is_plain(ctx, x));
    CHECK(!wg_is_plain(ctx, made));
    CHECK(!wg_matches(ctx, made, NULL, 0));
    CHECK(wg_data(ctx, made) == NULL);
    CHECK_EQUAL(wg_host_status(ctx), WG_AOTI_E_TORCH);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    static const WgSite site = {"graph", "x", "rule", WG_E_TYPE, WG_KIND_NONE};
    (void)wg_data(ctx, made);
    CHECK_EQUAL(wg_fail(ctx, &site, -1, wg_value_integer(0), wg_value_integer(0)), WG_E_TYPE);
    CHECK_EQUAL(wg_host_status(ctx), 0);
    wg_release(ctx, x);
    wg_release(ctx, made);
    END;
}

/* ---- subclasses ---- */

static const char *const pair_attributes[] = {"a", "b"};
static const WgType pair = {.name = "Pair", .attribute_names = pair_attributes, .num_attributes = 2};
static const WgType other_pair = {.name = "OtherPair", .attribute_names = pair_attributes, .num_attributes = 2};
static const char here[] = "a context";

static WgTensor *pair_of(const WgType *type, WgTensor *a, WgTensor *b)
{
    WgTensor *attrs[] = {a, b};
    WgTensor *made = NULL;
    CHECK_EQUAL(wg_aoti_subclass(ctx, type, here, attrs, 2, NULL, &made), WG_AOTI_OK);
    return made;
}

static void subclasses(void)
{
    BEGIN;
    WgTensor *a = MAKE(0, 2);
    WgTensor *p = pair_of(&pair, pair_of(&pair, a, MAKE(10, 3)), MAKE(20, 2));
    WgTensor *q = pair_of(&pair, pair_of(&pair, MAKE(100, 2), MAKE(110, 3)), MAKE(120, 2));
    WgTensor *r = pair_of(&pair, MAKE(0, 2), MAKE(0, 2));
    WgTensor *s = pair_of(&other_pair, MAKE(0, 2), MAKE(0, 2));
    WgTensor *again = NULL;
    WgTensor *attr = NULL;
    CHECK(!wg_is_plain(ctx, p) && wg_is_type(ctx, p, &pair) && !wg_is_type(ctx, s, &pair));
    CHECK(wg_has_context(ctx, p, here) && !wg_has_context(ctx, p, pair_attributes));
    CHECK_EQUAL(wg_rank(ctx, p), 1);
    CHECK_EQUAL(wg_size(ctx, p, 0), 2);
    CHECK_EQUAL(wg_dtype(ctx, p), WG_FLOAT32);
    CHECK_EQUAL(wg_retain(ctx, p, &again), WG_AOTI_OK);
    CHECK(wg_same(ctx, p, again) && !wg_same(ctx, p, q));
    CHECK_EQUAL(wg_copy_(ctx, p, q), WG_AOTI_OK);
    CHECK(((float *)wg_data(ctx, a))[1] == 101.0F);
    CHECK_EQUAL(wg_version(ctx, p), 1);
    CHECK_EQUAL(wg_version(ctx, a), 1);
    CHECK_EQUAL(wg_copy_(ctx, r, s), WG_AOTI_E_SUBCLASS);
    CHECK_EQUAL(wg_copy_(ctx, p, r), WG_AOTI_E_SUBCLASS);
    CHECK_EQUAL(wg_copy_(ctx, r, a), WG_AOTI_E_SUBCLASS);
    CHECK_EQUAL(wg_version(ctx, r), 0);
    CHECK_EQUAL(wg_bump_version(ctx, r), WG_AOTI_OK);
    CHECK_EQUAL(wg_version(ctx, r), 1);
    CHECK_EQUAL(wg_attr(ctx, p, 2, &attr), WG_AOTI_E_ATTRIBUTES);
    CHECK_EQUAL(wg_attr(ctx, a, 0, &attr), WG_AOTI_E_ATTRIBUTES);
    CHECK_EQUAL(wg_detach(ctx, r, &attr), WG_AOTI_OK);
    wg_release(ctx, attr);
    CHECK_EQUAL(wg_detach(ctx, p, &attr), WG_AOTI_E_SUBCLASS); /* an attribute is a subclass */
    CHECK_EQUAL(wg_set_(ctx, p, q), WG_AOTI_E_SUBCLASS);
    CHECK_EQUAL(wg_as_strided(ctx, p, GEOMETRY(LIST(1), LIST(1), 0), &attr), WG_AOTI_E_SUBCLASS);
    WgTensor *all[] = {p, q, r, s, again};
    for (size_t i = 0; i < 5; i++) {
        wg_release(ctx, all[i]);
    }
    END;
}

static int32_t attributes_contiguous(WgContext *context, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    CHECK_EQUAL(memory_format, WG_CHANNELS_LAST);
    return wg_retain(context, t, out);
}

/* A subclass in the format is given as it is; only its type can bring another one into it, and a format has its rank.
 */
static void subclass_formats(void)
{
    BEGIN;
    static const WgType able = {
        .name = "Able", .attribute_names = pair_attributes, .num_attributes = 2, .contiguous = attributes_contiguous};
    WgTensor *flat = pair_of(&pair, MAKE(0, 2, 3), MAKE(10, 2));
    WgTensor *image = pair_of(&pair, MAKE(0, 2, 3, 2, 2), MAKE(0, 2));
    WgTensor *known = pair_of(&able, MAKE(0, 2, 3, 2, 2), MAKE(0, 2));
    WgTensor *out = flat;
    CHECK_EQUAL(wg_contiguous(ctx, flat, WG_CHANNELS_LAST, &out), WG_AOTI_E_ARGUMENT);
    CHECK(out == NULL);
    CHECK_EQUAL(wg_contiguous(ctx, image, WG_CHANNELS_LAST_3D, &out), WG_AOTI_E_ARGUMENT);
    CHECK_EQUAL(wg_contiguous(ctx, image, WG_CHANNELS_LAST, &out), WG_AOTI_E_SUBCLASS);
    CHECK(out == NULL);
    CHECK_EQUAL(wg_contiguous(ctx, image, WG_CONTIGUOUS, &out), WG_AOTI_OK);
    CHECK(wg_same(ctx, out, image));
    wg_release(ctx, out);
    CHECK_EQUAL(wg_contiguous(ctx, known, WG_CHANNELS_LAST, &out), WG_AOTI_OK);
    CHECK(wg_same(ctx, out, known));
    WgTensor *all[] = {flat, image, known, out};
    for (size_t i = 0; i < 4; i++) {
        wg_release(ctx, all[i]);
    }
    END;
}

/* Attributes are taken in every case, also on failure. */
static void subclass_failures(void)
{
    BEGIN;
    WgTensor *out = NULL;
    WgTensor *one[] = {MAKE(0, 2)};
    CHECK_EQUAL(wg_rebuild(ctx, &pair, here, one, 1, NULL, &out), WG_AOTI_E_ATTRIBUTES);
    WgTensor *first[] = {NULL, MAKE(0, 2)};
    CHECK_EQUAL(wg_rebuild(ctx, &pair, here, first, 2, NULL, &out), WG_AOTI_E_ARGUMENT);
    WgTensor *two[] = {MAKE(0, 2), MAKE(0, 2)};
    const WgGeometry negative = {NULL, NULL, 0, -1};
    CHECK_EQUAL(wg_rebuild(ctx, &pair, here, two, 2, &negative, &out), WG_AOTI_E_ARGUMENT);
    CHECK(out == NULL);
    END;
}

/* Nested deeper than anything that walks on the stack could bear. */
static void deep(void)
{
    BEGIN;
    WgTensor *t = MAKE(0, 1);
    for (int i = 0; i < 100000; i++) {
        WgTensor *attrs[] = {t, NULL};
        CHECK_EQUAL(wg_aoti_subclass(ctx, &pair, here, attrs, 2, NULL, &t), WG_AOTI_OK);
    }
    CHECK_EQUAL(wg_copy_(ctx, t, t), WG_AOTI_E_SUBCLASS);
    wg_release(ctx, t);
    END;
}

/* ---- contexts, table, models ---- */

static int num_calls;

static uint32_t note_off(void *user)
{
    num_calls += *(int *)user;
    return 7;
}

static void note_restore(void *user, uint32_t saved)
{
    (void)user;
    num_calls += (int)saved;
}

static int view_or_not(void *user, struct AtenTensorOpaque *t)
{
    (void)user;
    (void)t;
    return 0;
}

static void table(void)
{
    BEGIN;
    static int one = 1;
    static const WgAotiTable filled = {
        .user = &one, .autocast_off = note_off, .autocast_restore = note_restore, .is_view = view_or_not};
    WgContext *parent = NULL;
    WgContext *child = NULL;
    WgTensor *x = MAKE(0, 2);
    WgTensor *seed = x;
    WgTensor *offset = x;
    CHECK_EQUAL(wg_context_create(&filled, &parent), WG_AOTI_OK);
    CHECK_EQUAL(wg_context_reserve(parent, 5), WG_AOTI_OK);
    CHECK_EQUAL(wg_context_fork(parent, &child), WG_AOTI_OK);
    wg_autocast_restore(child, wg_autocast_off(child));
    CHECK_EQUAL(num_calls, 8);
    CHECK(!wg_is_view(child, x) && wg_is_view(ctx, x)); /* without a function: may be one */
    CHECK_EQUAL(wg_autocast_off(ctx), 0);
    CHECK_EQUAL(wg_rng_get(ctx, &seed, &offset), WG_AOTI_E_TABLE);
    CHECK(seed == NULL && offset == NULL);
    CHECK_EQUAL(wg_rng_set(ctx, x), WG_AOTI_E_TABLE);
    CHECK(!wg_deterministic(ctx) && !wg_view_replay(ctx));
    WgValue *taken = wg_scratch_take(child, 5);
    CHECK(taken != NULL && wg_scratch_take(child, 1) == NULL);
    CHECK_EQUAL(wg_context_reserve(child, 9), WG_AOTI_E_ARGUMENT);
    wg_scratch_give(child, 5);
    wg_context_destroy(child);
    wg_context_destroy(parent);
    wg_context_destroy(NULL);
    wg_release(ctx, x);
    END;
}

static void models(void)
{
    BEGIN;
    WgModel model = {0};
    WgTensor *x = MAKE(0, 2);
    WgValue args[] = {wg_value_tensor(x)};
    WgValue outs[1];
    size_t num_outs = 1;
    CHECK_EQUAL(wg_call_model(ctx, &model, args, 1, outs, &num_outs), WG_AOTI_E_CLOSED);
    CHECK_EQUAL(wg_aoti_model_open(ctx, &model, "/nowhere/model.so", "cpu", 1, NULL), WG_AOTI_E_LIBRARY);
    CHECK(strstr(wg_aoti_message(ctx), "nowhere") != NULL);
    CHECK_EQUAL(wg_aoti_model_open(ctx, &model, "libc.so.6", "cpu", 1, NULL), WG_AOTI_E_LIBRARY);
    CHECK(strstr(wg_aoti_message(ctx), "AOTInductorModelContainerCreateWithDevice") != NULL);
    CHECK(model.library == NULL);
    wg_aoti_model_close(&model);
    static const WgSite site = {"graph", "x", "copy", WG_E_HOST, WG_KIND_STATUS};
    WgTensor *wrong = MAKE(0, 5);
    CHECK_EQUAL(wg_fail_host(ctx, &site, wg_copy_(ctx, x, wrong)), WG_E_HOST);
    CHECK(strstr(wg_aoti_message(ctx), "size") != NULL); /* libtorch's words now */
    wg_error_clear(ctx);
    wg_release(ctx, wrong);
    wg_release(ctx, x);
    END;
}

static void codes(void)
{
    CHECK(strcmp(wg_host_code_name(WG_AOTI_E_TORCH), "WG_AOTI_E_TORCH") == 0);
    CHECK(strcmp(wg_host_code_name(WG_AOTI_E_UNFIT), "WG_AOTI_E_UNFIT") == 0);
    CHECK(wg_host_code_name(WG_AOTI_E_BASE) == NULL && wg_host_code_name(WG_AOTI_E_UNFIT + 1) == NULL);
    CHECK(wg_aoti_code_text(0) == NULL && wg_aoti_code_text(WG_AOTI_E_MEMORY) != NULL);
}

int main(void)
{
    if (wg_context_create(NULL, &ctx) != WG_AOTI_OK) {
        return 2;
    }
    run("overlap by address", overlap);
    run("failures leave no handle and say why", failures);
    run("aliases of another width", widths);
    run("what has no effect", no_effect);
    run("facts asked at once", matches);
    run("what is lazily conjugated or negated", lazy);
    run("a sparse tensor is not plain", sparse);
    run("subclasses", subclasses);
    run("subclasses in memory formats", subclass_formats);
    run("subclasses that cannot be made take their attributes", subclass_failures);
    run("subclasses nested deep", deep);
    run("contexts and the program's table", table);
    run("models that are not there", models);
    run("codes", codes);
    wg_context_destroy(ctx);
    return finish();
}
