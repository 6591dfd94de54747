/* SPDX-License-Identifier: MIT */
/*
 * facts.c - what the verbs of a host over libtorch do, one line a fact, for comparison with what eager PyTorch does
 * (facts.py, which says what each scenario is about). At the end it must have no tensor left.
 */
#include "scenario.h"

/* ---- telling ---- */

static double element(const WgTensor *t, const int64_t *index, int part)
{
    const int64_t *strides = wg_strides(ctx, t);
    int64_t at = 0;
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        at += index[i] * strides[i];
    }
    void *data = wg_data(ctx, t);
    switch (wg_dtype(ctx, t)) {
    case WG_INT8:
        return ((int8_t *)data)[at];
    case WG_INT32:
        return ((int32_t *)data)[at];
    case WG_INT64:
        return (double)((int64_t *)data)[at];
    case WG_FLOAT64:
        return ((double *)data)[at];
    case WG_COMPLEX64:
        return (double)((float *)data)[2 * at + part];
    default:
        return (double)((float *)data)[at];
    }
}

static void values(const WgTensor *t)
{
    int64_t index[8] = {0};
    const int32_t rank = wg_rank(ctx, t);
    const int parts = wg_dtype(ctx, t) == WG_COMPLEX64 ? 2 : 1;
    int64_t n = 1;
    printf("[");
    for (int32_t i = 0; i < rank; i++) {
        n *= wg_size(ctx, t, i);
    }
    for (int64_t done = 0; done < n; done++) {
        for (int part = 0; part < parts; part++) {
            printf("%s%g", done + part == 0 ? "" : " ", element(t, index, part));
        }
        for (int32_t i = rank; i-- > 0;) {
            index[i]++;
            if (index[i] < wg_size(ctx, t, i)) {
                break;
            }
            index[i] = 0;
        }
    }
    printf("]\n");
}

static void list(const int64_t *elements, int32_t n)
{
    printf("[");
    for (int32_t i = 0; i < n; i++) {
        printf("%s%lld", i == 0 ? "" : ", ", (long long)elements[i]);
    }
    printf("] ");
}

static void geometry(const char *label, const WgTensor *t)
{
    printf("%s: ", label);
    list(wg_sizes(ctx, t), wg_rank(ctx, t));
    list(wg_strides(ctx, t), wg_rank(ctx, t));
    printf("%lld ", (long long)wg_offset(ctx, t));
}

static void tell(const char *label, const WgTensor *t)
{
    geometry(label, t);
    printf("%s grad=%d version=%lld ", wg_dtype_name(wg_dtype(ctx, t)), wg_requires_grad(ctx, t),
           (long long)wg_version(ctx, t));
    values(t);
}

static void say(const char *label, int number)
{
    printf("%s: %d\n", label, number);
}

static void refused(const char *label, int32_t status)
{
    say(label, status != WG_OK);
}

/* A verb that must work; what it makes is told and released. */
static void tell_new(const char *label, int32_t status, WgTensor *made)
{
    if (status != WG_OK) {
        say(label, -1);
        return;
    }
    tell(label, made);
    wg_release(ctx, made);
}

static void must(int32_t status)
{
    if (status != WG_OK) {
        printf("failed: %s\n", host_message());
    }
}

static WgTensor *strided(WgTensor *base, const WgGeometry *of)
{
    WgTensor *view = NULL;
    must(wg_as_strided(ctx, base, of, &view));
    return view;
}

static WgTensor *detached_of(WgTensor *t)
{
    WgTensor *made = NULL;
    must(wg_detach(ctx, t, &made));
    return made;
}

/* Copies a new tensor, and lets it go. */
static int32_t copy_new(WgTensor *dst, WgTensor *src)
{
    const int32_t status = wg_copy_(ctx, dst, src);
    wg_release(ctx, src);
    return status;
}

static void release_all(WgTensor **tensors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, tensors[i]);
    }
}

#define RELEASE(...) release_all((WgTensor *[]){__VA_ARGS__}, sizeof((WgTensor *[]){__VA_ARGS__}) / sizeof(WgTensor *))

/* ---- scenarios ---- */

static void identity_of(WgTensor *t, WgTensor *other)
{
    WgTensor *again = NULL;
    WgTensor *apart = detached_of(t);
    must(wg_retain(ctx, t, &again));
    say("same as itself", (again != t) == retained_differs && wg_same(ctx, t, again));
    say("same as detached", wg_same(ctx, t, apart));
    say("same storage as detached", wg_same_storage(ctx, t, apart));
    say("same storage as another", wg_same_storage(ctx, t, other));
    RELEASE(t, other, again, apart);
}

static void identity(void)
{
    identity_of(make_of(0, NULL, 0, WG_FLOAT32), make_of(0, NULL, 0, WG_FLOAT32));
    identity_of(MAKE(0, 2, 3), MAKE(0, 2, 3));
    identity_of(MAKE(0, 1, 2, 1, 2, 1, 2, 1), MAKE(0, 1, 2, 1, 2, 1, 2, 1));
    tell_new("rank 0", 0, make_of(0, NULL, 0, WG_FLOAT32));
    tell_new("empty", 0, MAKE(0, 0, 3));
    WgTensor *a = MAKE(0, 0);
    WgTensor *b = MAKE(0, 0);
    say("same storage, empty", wg_same_storage(ctx, a, b));
    RELEASE(a, b);
}

static void copies(void)
{
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *row = strided(x, GEOMETRY(LIST(3), LIST(1), 3));
    WgTensor *repeated = strided(x, GEOMETRY(LIST(2, 2), LIST(0, 1), 0));
    must(copy_new(x, MAKE(10, 2, 3)));
    tell("copy", x);
    tell("view of what was copied to", row);
    must(copy_new(x, MAKE_OF(20, WG_INT64, 3)));
    tell("copy of integers, broadcast", x);
    must(copy_new(row, MAKE(30, 3)));
    tell("copy to a view", x);
    refused("copy of another shape", copy_new(x, MAKE(0, 4)));
    refused("copy to repeated elements", copy_new(repeated, MAKE(0, 2, 2)));
    tell("after refusals", x);
    WgTensor *y = MAKE(0, 6);
    WgTensor *first = strided(y, GEOMETRY(LIST(4), LIST(1), 0));
    WgTensor *last = strided(y, GEOMETRY(LIST(4), LIST(1), 2));
    WgTensor *whole = strided(y, GEOMETRY(LIST(6), LIST(1), 0));
    refused("copy between parts that overlap", wg_copy_(ctx, first, last));
    tell("after it", y);
    must(wg_copy_(ctx, y, whole));
    tell("copy to itself", y);
    RELEASE(x, row, repeated, y, first, last, whole);
}

static void leaves(void)
{
    const WgGeometry *part = GEOMETRY(LIST(2), LIST(1), 1);
    WgTensor *x = MAKE(0, 3);
    WgTensor *source = MAKE(7, 3);
    WgTensor *integers = MAKE_OF(0, WG_INT64, 3);
    must(wg_set_requires_grad(ctx, x, 1));
    say("leaf", wg_requires_grad(ctx, x));
    refused("copy to a leaf", copy_new(x, MAKE(5, 3)));
    tell("after it", x);
    must(wg_copy_leaf_(ctx, x, source));
    tell("copy_leaf_", x);
    wg_set_grad_mode(ctx, 0);
    must(copy_new(x, MAKE(9, 3)));
    tell("copy to a leaf, no grad", x);
    WgTensor *view = strided(x, part);
    wg_set_grad_mode(ctx, 1);
    say("view of a leaf, no grad", wg_requires_grad(ctx, view));
    WgTensor *tracked = strided(x, part);
    WgTensor *apart = detached_of(x);
    WgTensor *unsafe = NULL;
    WgTensor *unsafe_no_grad = NULL;
    must(wg_unsafe_view(ctx, x, &unsafe));
    wg_set_grad_mode(ctx, 0);
    must(wg_unsafe_view(ctx, x, &unsafe_no_grad));
    wg_set_grad_mode(ctx, 1);
    say("view of a leaf", wg_requires_grad(ctx, tracked));
    say("detached", wg_requires_grad(ctx, apart));
    say("unsafe view", wg_requires_grad(ctx, unsafe));
    say("unsafe view, no grad", wg_requires_grad(ctx, unsafe_no_grad));
    WgTensor *y = MAKE(0, 3);
    must(wg_copy_(ctx, y, x));
    tell("copy of a leaf", y);
    refused("integers cannot require grad", wg_set_requires_grad(ctx, integers, 1));
    refused("nor can what autograd made be told not to", wg_set_requires_grad(ctx, y, 0));
    must(wg_bump_version(ctx, x));
    tell("version raised", x);
    RELEASE(x, source, integers, view, tracked, apart, unsafe, unsafe_no_grad, y);
}

static void sets(void)
{
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *y = MAKE(50, 4);
    WgTensor *integers = MAKE_OF(0, WG_INT64, 4);
    WgTensor *view = strided(x, GEOMETRY(LIST(3), LIST(1), 0));
    must(copy_new(y, MAKE(60, 4)));
    must(copy_new(y, MAKE(70, 4)));
    must(wg_set_(ctx, x, y));
    tell("set_", x);
    tell("its source", y);
    tell("former view", view);
    say("same storage", wg_same_storage(ctx, x, y));
    refused("set_ of another dtype", wg_set_(ctx, x, integers));
    WgTensor *z = MAKE(80, 2, 2);
    must(copy_new(z, MAKE(81, 2, 2)));
    must(wg_shallow_copy_data_(ctx, z, y));
    tell(".data =", z);
    WgTensor *pair = MAKE_OF(5, WG_INT64, 2);
    must(wg_shallow_copy_data_(ctx, z, pair));
    tell(".data =, another dtype", z);
    WgTensor *p = MAKE(0, 2);
    WgTensor *longer = MAKE(90, 3);
    must(wg_set_requires_grad(ctx, p, 1));
    must(wg_shallow_copy_data_(ctx, p, longer));
    tell(".data = of a leaf", p);
    refused(".data = integers, of a leaf", wg_shallow_copy_data_(ctx, p, pair));
    RELEASE(x, y, integers, view, z, pair, p, longer);
}

static void restrides(void)
{
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *six = MAKE(0, 3, 2);
    WgTensor *like = strided(six, GEOMETRY(LIST(2, 2), LIST(1, 3), 1));
    WgTensor *view = strided(x, GEOMETRY(LIST(6), LIST(1), 0));
    WgTensor *wide = MAKE(0, 4, 4);
    WgTensor *p = MAKE(0, 2, 3);
    must(wg_restride_like_(ctx, x, like));
    tell("as_strided_", x);
    tell("its view", view);
    refused("beyond the storage", wg_restride_like_(ctx, x, wide));
    tell("after it", x);
    must(wg_set_requires_grad(ctx, p, 1));
    refused("of a leaf", wg_restride_like_(ctx, p, like));
    wg_set_grad_mode(ctx, 0);
    must(wg_restride_like_(ctx, p, like));
    wg_set_grad_mode(ctx, 1);
    tell("of a leaf, no grad", p);
    RELEASE(x, six, like, view, wide, p);
}

static void alias(const char *label, WgTensor *base, const WgTensor *target, int grad)
{
    WgTensor *made = NULL;
    const int32_t status = wg_alias_like(ctx, base, target, grad, &made);
    tell_new(label, status, made);
}

static void aliases(void)
{
    char label[64];
    WgTensor *twelve = MAKE(0, 2, 6);
    WgTensor *like = strided(twelve, GEOMETRY(LIST(3, 2), LIST(2, 1), 4));
    for (int of_base = 0; of_base < 2; of_base++) {
        for (int grad = 0; grad < 2; grad++) {
            WgTensor *base = MAKE(0, 2, 6);
            must(wg_set_requires_grad(ctx, base, of_base));
            snprintf(label, sizeof label, "alias %d %d", of_base, grad);
            alias(label, base, like, grad);
            wg_set_grad_mode(ctx, 0);
            snprintf(label, sizeof label, "alias, no grad %d %d", of_base, grad);
            alias(label, base, like, grad);
            wg_set_grad_mode(ctx, 1);
            wg_release(ctx, base);
        }
    }
    WgTensor *c = MAKE_OF(0, WG_COMPLEX64, 2, 3);
    WgTensor *real = strided(twelve, GEOMETRY(LIST(2, 3, 2), LIST(6, 2, 1), 0));
    WgTensor *pairs = MAKE(0, 2, 3, 2);
    alias("complex as real", c, real, 0);
    alias("real as complex", pairs, c, 0);
    WgTensor *integers = MAKE_OF(0, WG_INT32, 2, 6);
    WgTensor *bits = strided(integers, GEOMETRY(LIST(2, 2), LIST(6, 1), 3));
    WgTensor *ones = MAKE(1, 2, 6);
    for (int i = 0; i < 12; i++) {
        ((float *)wg_data(ctx, ones))[i] = 1.0F;
    }
    must(wg_set_requires_grad(ctx, ones, 1));
    alias("bits", ones, bits, 0);
    WgTensor *x = MAKE(0, 2, 6);
    WgTensor *y = NULL;
    must(wg_alias_like(ctx, x, like, 0, &y));
    must(copy_new(y, MAKE(100, 3, 2)));
    tell("written through an alias", x);
    RELEASE(twelve, like, c, real, pairs, integers, bits, ones, x, y);
}

static void views_of_bits(void)
{
    WgTensor *made = NULL;
    WgTensor *bytes = MAKE_OF(1, WG_INT8, 2, 8);
    int32_t status = wg_view_dtype(ctx, bytes, WG_INT32, &made);
    tell_new("view as int32", status, made);
    WgTensor *odd = MAKE_OF(0, WG_INT8, 3);
    refused("view of an odd width", wg_view_dtype(ctx, odd, WG_INT32, &made));
    WgTensor *c = MAKE_OF(0, WG_COMPLEX64, 2, 2);
    status = wg_view_as_real(ctx, c, &made);
    tell_new("view_as_real", status, made);
    WgTensor *pairs = MAKE(0, 3, 2);
    status = wg_view_as_complex(ctx, pairs, &made);
    tell_new("view_as_complex", status, made);
    WgTensor *triples = MAKE(0, 2, 3);
    refused("view_as_complex of triples", wg_view_as_complex(ctx, triples, &made));
    WgTensor *two = MAKE(0, 2);
    refused("as_strided beyond the storage", wg_as_strided(ctx, two, GEOMETRY(LIST(3), LIST(1), 0), &made));
    RELEASE(bytes, odd, c, pairs, triples, two);
}

static void views(void)
{
    views_of_bits();
    WgTensor *made = NULL;
    WgTensor *u = MAKE(0, 2, 3);
    must(copy_new(u, MAKE(4, 2, 3)));
    int32_t status = wg_unsafe_view(ctx, u, &made);
    tell_new("unsafe view", status, made);
    tell_new("detach", 0, detached_of(u));
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *view = strided(x, GEOMETRY(LIST(2), LIST(1), 2));
    WgTensor *base = NULL;
    must(wg_storage_base(ctx, view, &base));
    geometry("storage base", base);
    values(base);
    WgTensor *n = MAKE(0, 1, 2, 2, 2);
    WgTensor *itself = NULL;
    must(wg_contiguous(ctx, n, WG_CONTIGUOUS, &itself));
    tell("contiguous already", itself);
    say("is itself", wg_same(ctx, n, itself));
    status = wg_contiguous(ctx, n, WG_CHANNELS_LAST, &made);
    tell_new("channels last", status, made);
    status = wg_coerce_strides(ctx, x, GEOMETRY(LIST(2, 3), LIST(1, 2), 0), &made);
    tell_new("coerced", status, made);
    RELEASE(u, x, view, base, n, itself);
}

static void versions(void)
{
    WgTensor *x = MAKE(0, 2, 3);
    WgTensor *view = strided(x, GEOMETRY(LIST(2), LIST(1), 0));
    WgTensor *apart = detached_of(x);
    WgTensor *z = make_of(0, NULL, 0, WG_FLOAT32);
    WgTensor *e = MAKE(0, 0, 2);
    must(wg_bump_version(ctx, x));
    tell("raised", x);
    tell("its view", view);
    tell("its detached", apart);
    must(wg_bump_version(ctx, view));
    tell("raised by its view", x);
    must(wg_bump_version(ctx, z));
    tell("rank 0", z);
    must(wg_bump_version(ctx, e));
    tell("empty", e);
    RELEASE(x, view, apart, z, e);
}

typedef struct Scenario {
    const char *name;
    void (*play)(void);
} Scenario;

int main(void)
{
    static const Scenario scenarios[] = {
        {"identity", identity},   {"copies", copies},   {"leaves", leaves}, {"sets", sets},
        {"restrides", restrides}, {"aliases", aliases}, {"views", views},   {"versions", versions},
    };
    must(wg_context_create(host_table, &ctx));
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        printf("-- %s\n", scenarios[i].name);
        scenarios[i].play();
        must(wg_host_status(ctx));
        if (live_blobs != 0) {
            printf("%lld tensors are left\n", (long long)live_blobs);
        }
    }
    wg_context_destroy(ctx);
    return live_blobs != 0;
}
