/* SPDX-License-Identifier: MIT */
/*
 * verbs.c - what the verbs of a host do, a line a fact, for comparison with what eager PyTorch does (verbs.py;
 * verbs.txt is what it printed). `verbs wg_copy_` tells the facts about one verb, `verbs` lists the parts that there
 * are.
 *
 * Any host: check.sh writes offered.h, which defines HAS_<verb> for each verb of its description and includes its
 * header, and parts.h, a row for each function play_... below; a part whose verbs are not all offered is left out.
 * Tensors are made by wg_empty_strided and filled through wg_data. Leaks are found by the sanitizer under which each
 * part runs, as a process of its own.
 */
#include "offered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static WgContext *ctx;

/* ---- telling ---- */

static int64_t size_of(const WgTensor *t, int32_t dimension)
{
#ifdef HAS_wg_size
    return wg_size(ctx, t, dimension);
#else
    return wg_sizes(ctx, t)[dimension];
#endif
}

static int64_t stride_of(const WgTensor *t, int32_t dimension)
{
#ifdef HAS_wg_stride
    return wg_stride(ctx, t, dimension);
#else
    return wg_strides(ctx, t)[dimension];
#endif
}

static double element(const WgTensor *t, int64_t at)
{
    const void *data = wg_data(ctx, t);
    switch (wg_dtype(ctx, t)) {
    case WG_INT8:
        return ((const int8_t *)data)[at];
    case WG_INT32:
        return ((const int32_t *)data)[at];
    case WG_INT64:
        return (double)((const int64_t *)data)[at];
    default: /* float32, and complex64 by parts */
        return (double)((const float *)data)[at];
    }
}

static int64_t count(const WgTensor *t)
{
    int64_t n = 1;
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        n *= size_of(t, i);
    }
    return n;
}

/* The place of the element that is number `position` in row-major order. */
static int64_t place(const WgTensor *t, int64_t position)
{
    int64_t at = 0;
    for (int32_t i = wg_rank(ctx, t); i-- > 0;) {
        at += position % size_of(t, i) * stride_of(t, i);
        position /= size_of(t, i);
    }
    return at;
}

static void tell(const char *label, const WgTensor *t)
{
    const int is_complex = wg_dtype(ctx, t) == WG_COMPLEX64;
    printf("%s: sizes", label);
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        printf(" %lld", (long long)size_of(t, i));
    }
    printf("; strides");
    for (int32_t i = 0; i < wg_rank(ctx, t); i++) {
        printf(" %lld", (long long)stride_of(t, i));
    }
#ifdef HAS_wg_offset
    printf("; offset %lld", (long long)wg_offset(ctx, t));
#else
    printf("; offset ?");
#endif
    printf("; %s", wg_dtype_name(wg_dtype(ctx, t)));
#ifdef HAS_wg_requires_grad
    printf("; grad %d", wg_requires_grad(ctx, t) != 0);
#else
    printf("; grad ?");
#endif
#ifdef HAS_wg_version
    printf("; version %lld", (long long)wg_version(ctx, t));
#else
    printf("; version ?");
#endif
    printf("; values");
    for (int64_t i = 0; i < count(t); i++) {
        const int64_t at = place(t, i);
        if (is_complex) {
            printf(" %g %g", element(t, 2 * at), element(t, 2 * at + 1));
        } else {
            printf(" %g", element(t, at));
        }
    }
    printf("\n");
}

static void say(const char *label, int number)
{
    printf("%s: %d\n", label, number);
}

static void refused(const char *label, int32_t status)
{
    say(label, status != 0);
}

static void must(const char *verb, int32_t status)
{
    if (status != 0) {
        const char *name = wg_host_code_name(status);
        printf("%s failed: %d %s\n", verb, (int)status, name == NULL ? "" : name);
        exit(1);
    }
}

/* ---- making ---- */

static void fill(WgTensor *t, double first)
{
    void *data = wg_data(ctx, t);
    const int32_t dtype = wg_dtype(ctx, t);
    const int64_t n = dtype == WG_COMPLEX64 ? 2 * count(t) : count(t);
    for (int64_t i = 0; i < n; i++) {
        const int64_t integer = (int64_t)first + i;
        if (dtype == WG_INT8) {
            ((int8_t *)data)[i] = (int8_t)integer;
        } else if (dtype == WG_INT32) {
            ((int32_t *)data)[i] = (int32_t)integer;
        } else if (dtype == WG_INT64) {
            ((int64_t *)data)[i] = integer;
        } else {
            ((float *)data)[i] = (float)integer;
        }
    }
}

/* Consecutive numbers, compact. */
static WgTensor *make_of(int32_t rank, const int64_t *sizes, double first, int32_t dtype)
{
    int64_t strides[8];
    int64_t next = 1;
    WgTensor *t = NULL;
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = next;
        next *= sizes[i] == 0 ? 1 : sizes[i];
    }
    const WgGeometry geometry = {sizes, strides, 0, rank};
    must("wg_empty_strided", wg_empty_strided(ctx, &geometry, dtype, WG_CPU, &t));
    fill(t, first);
    return t;
}

#define RANK_OF(...)               ((int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
#define MAKE_OF(first, dtype, ...) make_of(RANK_OF(__VA_ARGS__), (const int64_t[]){__VA_ARGS__}, first, dtype)
#define MAKE(first, ...)           MAKE_OF(first, WG_FLOAT32, __VA_ARGS__)
#define LIST(...)                  ((const int64_t[]){__VA_ARGS__})
#define GEOMETRY(size, stride, at) (&(const WgGeometry){size, stride, at, (int32_t)(sizeof(size) / sizeof(int64_t))})
#define RELEASE(...)               release_all((WgTensor *[]){__VA_ARGS__}, sizeof((WgTensor *[]){__VA_ARGS__}) / sizeof(WgTensor *))

static void release_all(WgTensor **tensors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, tensors[i]);
    }
}

/* Tells about what a verb made, and lets it go. */
static void tell_new(const char *label, int32_t status, WgTensor *made)
{
    if (status != 0) {
        say(label, -1);
        return;
    }
    tell(label, made);
    wg_release(ctx, made);
}

/* ---- the verbs: a part each, in the order of VERBS.md ---- */

#define CAN_wg_rank
static void play_wg_rank(void)
{
    WgTensor *scalar = make_of(0, NULL, 4, WG_FLOAT32);
    WgTensor *none = MAKE(0, 0, 3);
    say("rank 0", wg_rank(ctx, scalar));
    tell("a scalar", scalar);
    tell("no elements", none);
    RELEASE(scalar, none);
}

#if defined(HAS_wg_sizes) && defined(HAS_wg_size)
#define CAN_wg_sizes
static void play_wg_sizes(void)
{
    WgTensor *t = MAKE(0, 2, 3, 4);
    for (int32_t i = 0; i < 3; i++) {
        say("as wg_size", wg_sizes(ctx, t)[i] == wg_size(ctx, t, i));
    }
    RELEASE(t);
}
#endif

#if defined(HAS_wg_strides) && defined(HAS_wg_stride)
#define CAN_wg_strides
static void play_wg_strides(void)
{
    WgTensor *t = MAKE(0, 2, 3, 4);
    const int64_t *strides = wg_strides(ctx, t);
    for (int32_t i = 0; i < 3; i++) {
        say("as wg_stride", strides == NULL || strides[i] == wg_stride(ctx, t, i));
    }
    RELEASE(t);
}
#endif

#ifdef HAS_wg_device
#define CAN_wg_device
static void play_wg_device(void)
{
    WgTensor *t = MAKE(0, 2);
    say("the CPU", wg_device(ctx, t));
    RELEASE(t);
}
#endif

#ifdef HAS_wg_is_plain
#define CAN_wg_is_plain
static void play_wg_is_plain(void)
{
    WgTensor *t = MAKE(0, 2);
    say("a new tensor", wg_is_plain(ctx, t));
    RELEASE(t);
}
#endif

#if defined(HAS_wg_is_view) && defined(HAS_wg_as_strided) && defined(HAS_wg_detach)
#define CAN_wg_is_view
static void play_wg_is_view(void)
{
    WgTensor *t = MAKE(0, 4);
    WgTensor *view = NULL;
    WgTensor *apart = NULL;
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(2), LIST(1), 1), &view));
    must("wg_detach", wg_detach(ctx, view, &apart));
    say("a new tensor", wg_is_view(ctx, t));
    say("a view", wg_is_view(ctx, view));
    say("a detached view", wg_is_view(ctx, apart));
    RELEASE(t, view, apart);
}
#endif

#if defined(HAS_wg_same) && defined(HAS_wg_retain)
#define CAN_wg_same
static void play_wg_same(void)
{
    WgTensor *t = MAKE(0, 2);
    WgTensor *other = MAKE(0, 2);
    WgTensor *again = NULL;
    must("wg_retain", wg_retain(ctx, t, &again));
    say("itself", wg_same(ctx, t, again));
    say("another", wg_same(ctx, t, other));
    RELEASE(t, other, again);
}
#endif

#if defined(HAS_wg_byte_range) && defined(HAS_wg_as_strided)
#define CAN_wg_byte_range
static void play_wg_byte_range(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *other = MAKE(0, 2, 3);
    WgTensor *none = MAKE(0, 0, 3);
    WgTensor *first = NULL;
    WgTensor *last = NULL;
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(2), LIST(2), 0), &first));
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(3), LIST(1), 3), &last));
    const WgByteRange range = wg_byte_range(ctx, t);
    const WgByteRange of_first = wg_byte_range(ctx, first);
    const WgByteRange empty = wg_byte_range(ctx, none);
    say("bytes", (int)(range.end - range.first));
    say("bytes of every second", (int)(of_first.end - of_first.first));
    say("a view meets it", wg_ranges_meet(range, of_first));
    say("its parts meet", wg_ranges_meet(of_first, wg_byte_range(ctx, last)));
    say("another meets it", wg_ranges_meet(range, wg_byte_range(ctx, other)));
    say("nothing meets it", wg_ranges_meet(range, empty));
    say("nothing is empty", empty.first >= empty.end);
    RELEASE(t, other, none, first, last);
}
#endif

#if defined(HAS_wg_same_storage) && defined(HAS_wg_detach)
#define CAN_wg_same_storage
static void play_wg_same_storage(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *other = MAKE(0, 2, 3);
    WgTensor *apart = NULL;
    must("wg_detach", wg_detach(ctx, t, &apart));
    say("detached", wg_same_storage(ctx, t, apart));
    say("another", wg_same_storage(ctx, t, other));
    RELEASE(t, other, apart);
}
#endif

#if defined(HAS_wg_version) && defined(HAS_wg_bump_version) && defined(HAS_wg_detach) && defined(HAS_wg_as_strided)
#define CAN_wg_bump_version
static void play_wg_bump_version(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *none = MAKE(0, 0, 2);
    WgTensor *view = NULL;
    WgTensor *apart = NULL;
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(2), LIST(1), 0), &view));
    must("wg_detach", wg_detach(ctx, t, &apart));
    must("wg_bump_version", wg_bump_version(ctx, t));
    tell("raised", t);
    tell("its view", view);
    tell("its detached", apart);
    must("wg_bump_version", wg_bump_version(ctx, view));
    tell("raised by its view", t);
    must("wg_bump_version", wg_bump_version(ctx, none));
    tell("no elements", none);
    RELEASE(t, none, view, apart);
}
#endif

#ifdef HAS_wg_host_status
#define CAN_wg_host_status
static void play_wg_host_status(void)
{
    say("nothing has failed", wg_host_status(ctx));
}
#endif

#ifdef HAS_wg_copy_
#define CAN_wg_copy_
static void play_wg_copy_(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *source = MAKE(10, 2, 3);
    WgTensor *integers = MAKE_OF(20, WG_INT64, 3);
    WgTensor *wrong = MAKE(0, 4);
    must("wg_copy_", wg_copy_(ctx, t, source));
    tell("copied to", t);
    tell("copied from", source);
    must("wg_copy_", wg_copy_(ctx, t, integers));
    tell("integers, broadcast", t);
    refused("another shape", wg_copy_(ctx, t, wrong));
    tell("after it", t);
    must("wg_copy_", wg_copy_(ctx, t, t));
    tell("to itself", t);
    RELEASE(t, source, integers, wrong);
}
#endif

#if defined(HAS_wg_copy_) && defined(HAS_wg_as_strided)
#define CAN_wg_copy___views
static void play_wg_copy___views(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *integers = MAKE_OF(20, WG_INT64, 3);
    WgTensor *two = MAKE(0, 2, 2);
    WgTensor *three = MAKE(30, 3, 2);
    WgTensor *row = NULL;
    WgTensor *repeated = NULL;
    WgTensor *turned = NULL;
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(3), LIST(1), 3), &row));
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(2, 2), LIST(0, 1), 0), &repeated));
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(3, 2), LIST(1, 3), 0), &turned));
    must("wg_copy_", wg_copy_(ctx, row, integers));
    tell("to a view", t);
    must("wg_copy_", wg_copy_(ctx, turned, three));
    tell("to a transposed view", t);
    refused("to repeated elements", wg_copy_(ctx, repeated, two));
    tell("after that", t);
    RELEASE(t, integers, two, three, row, repeated, turned);
}
#endif

#if defined(HAS_wg_copy_) && defined(HAS_wg_set_requires_grad)
#define CAN_wg_copy___leaves
static void play_wg_copy___leaves(void)
{
    WgTensor *source = MAKE(10, 2, 3);
    WgTensor *leaf = MAKE(1, 2, 3);
    WgTensor *target = MAKE(0, 2, 3);
    must("wg_set_requires_grad", wg_set_requires_grad(ctx, leaf, 1));
    refused("to a leaf", wg_copy_(ctx, leaf, source));
    tell("the leaf", leaf);
    must("wg_copy_", wg_copy_(ctx, target, leaf));
    tell("of a leaf", target);
    RELEASE(source, leaf, target);
}
#endif

#if defined(HAS_wg_copy_leaf_) && defined(HAS_wg_set_requires_grad)
#define CAN_wg_copy_leaf_
static void play_wg_copy_leaf_(void)
{
    WgTensor *leaf = MAKE(0, 3);
    WgTensor *source = MAKE(7, 3);
    WgTensor *wrong = MAKE(0, 4);
    must("wg_set_requires_grad", wg_set_requires_grad(ctx, leaf, 1));
    must("wg_copy_leaf_", wg_copy_leaf_(ctx, leaf, source));
    tell("to a leaf", leaf);
    refused("another shape", wg_copy_leaf_(ctx, leaf, wrong));
    tell("after it", leaf);
    RELEASE(leaf, source, wrong);
}
#endif

#if defined(HAS_wg_set_) && defined(HAS_wg_bump_version)
#define CAN_wg_set_
static void play_wg_set_(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *source = MAKE(50, 4);
    WgTensor *integers = MAKE_OF(0, WG_INT64, 4);
    must("wg_bump_version", wg_bump_version(ctx, source));
    must("wg_bump_version", wg_bump_version(ctx, source));
    must("wg_set_", wg_set_(ctx, t, source));
    tell("set", t);
    tell("its source", source);
    refused("of another dtype", wg_set_(ctx, t, integers));
    tell("after it", t);
    RELEASE(t, source, integers);
}
#endif

#if defined(HAS_wg_shallow_copy_data_) && defined(HAS_wg_bump_version)
#define CAN_wg_shallow_copy_data_
static void play_wg_shallow_copy_data_(void)
{
    WgTensor *t = MAKE(80, 2, 2);
    WgTensor *source = MAKE(70, 4);
    WgTensor *pair = MAKE_OF(5, WG_INT64, 2);
    must("wg_bump_version", wg_bump_version(ctx, t));
    must("wg_shallow_copy_data_", wg_shallow_copy_data_(ctx, t, source));
    tell("data", t);
    must("wg_shallow_copy_data_", wg_shallow_copy_data_(ctx, t, pair));
    tell("another dtype", t);
    RELEASE(t, source, pair);
}
#endif

#if defined(HAS_wg_restride_like_) && defined(HAS_wg_as_strided)
#define CAN_wg_restride_like_
static void play_wg_restride_like_(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *six = MAKE(0, 3, 2);
    WgTensor *wide = MAKE(0, 4, 4);
    WgTensor *like = NULL;
    must("wg_as_strided", wg_as_strided(ctx, six, GEOMETRY(LIST(2, 2), LIST(1, 3), 1), &like));
    must("wg_restride_like_", wg_restride_like_(ctx, t, like));
    tell("restrided", t);
    refused("beyond the storage", wg_restride_like_(ctx, t, wide));
    tell("after it", t);
    RELEASE(t, six, wide, like);
}
#endif

#if defined(HAS_wg_alias_like) && defined(HAS_wg_as_strided)
#define CAN_wg_alias_like
static void play_wg_alias_like(void)
{
    WgTensor *twelve = MAKE(0, 2, 6);
    WgTensor *base = MAKE(0, 2, 6);
    WgTensor *whole = MAKE_OF(0, WG_COMPLEX64, 2, 3);
    WgTensor *like = NULL;
    WgTensor *parts = NULL;
    WgTensor *made = NULL;
    must("wg_as_strided", wg_as_strided(ctx, twelve, GEOMETRY(LIST(3, 2), LIST(2, 1), 4), &like));
    must("wg_as_strided", wg_as_strided(ctx, twelve, GEOMETRY(LIST(2, 3, 2), LIST(6, 2, 1), 0), &parts));
    int32_t status = wg_alias_like(ctx, base, like, 0, &made);
    tell_new("plain", status, made);
    status = wg_alias_like(ctx, base, like, 1, &made);
    tell_new("that requires grad", status, made);
    status = wg_alias_like(ctx, whole, parts, 0, &made);
    tell_new("complex as real", status, made);
    RELEASE(twelve, base, whole, like, parts);
}
#endif

#ifdef HAS_wg_alias_as
#define CAN_wg_alias_as
static void play_wg_alias_as(void)
{
    WgTensor *base = MAKE(0, 2, 6);
    WgTensor *made = NULL;
    int32_t status = wg_alias_as(ctx, base, GEOMETRY(LIST(3, 2), LIST(2, 1), 4), WG_FLOAT32, 0, &made);
    tell_new("plain", status, made);
    status = wg_alias_as(ctx, base, GEOMETRY(LIST(3, 2), LIST(2, 1), 4), WG_FLOAT32, 1, &made);
    tell_new("that requires grad", status, made);
    status = wg_alias_as(ctx, base, GEOMETRY(LIST(2, 3), LIST(3, 1), 0), WG_COMPLEX64, 0, &made);
    tell_new("real as complex", status, made);
    made = NULL;
    refused("beyond the storage", wg_alias_as(ctx, base, GEOMETRY(LIST(2), LIST(1), 11), WG_FLOAT32, 0, &made));
    say("and nothing made", made == NULL);
    RELEASE(base);
}
#endif

#ifdef HAS_wg_view_dtype
#define CAN_wg_view_dtype
static void play_wg_view_dtype(void)
{
    WgTensor *bytes = MAKE_OF(1, WG_INT8, 2, 8);
    WgTensor *odd = MAKE_OF(0, WG_INT8, 3);
    WgTensor *words = MAKE_OF(1, WG_INT32, 2, 2);
    WgTensor *made = NULL;
    int32_t status = wg_view_dtype(ctx, bytes, WG_INT32, &made);
    tell_new("bytes as words", status, made);
    status = wg_view_dtype(ctx, words, WG_INT8, &made);
    tell_new("words as bytes", status, made);
    refused("an odd width", wg_view_dtype(ctx, odd, WG_INT32, &made));
    RELEASE(bytes, odd, words);
}
#endif

#ifdef HAS_wg_view_as_real
#define CAN_wg_view_as_real
static void play_wg_view_as_real(void)
{
    WgTensor *t = MAKE_OF(0, WG_COMPLEX64, 2, 3);
    WgTensor *real = MAKE(0, 2);
    WgTensor *made = NULL;
    const int32_t status = wg_view_as_real(ctx, t, &made);
    tell_new("parts", status, made);
    refused("of a real tensor", wg_view_as_real(ctx, real, &made));
    RELEASE(t, real);
}
#endif

#ifdef HAS_wg_view_as_complex
#define CAN_wg_view_as_complex
static void play_wg_view_as_complex(void)
{
    WgTensor *pairs = MAKE(0, 3, 2);
    WgTensor *triples = MAKE(0, 2, 3);
    WgTensor *made = NULL;
    const int32_t status = wg_view_as_complex(ctx, pairs, &made);
    tell_new("pairs", status, made);
    refused("triples", wg_view_as_complex(ctx, triples, &made));
    RELEASE(pairs, triples);
}
#endif

#ifdef HAS_wg_as_strided
#define CAN_wg_as_strided
static void play_wg_as_strided(void)
{
    WgTensor *t = MAKE(0, 2, 6);
    WgTensor *made = NULL;
    int32_t status = wg_as_strided(ctx, t, GEOMETRY(LIST(3, 2), LIST(1, 4), 2), &made);
    tell_new("a view", status, made);
    made = NULL;
    refused("beyond the storage", wg_as_strided(ctx, t, GEOMETRY(LIST(13), LIST(1), 0), &made));
    say("and nothing made", made == NULL);
    RELEASE(t);
}
#endif

#ifdef HAS_wg_detach
#define CAN_wg_detach
static void play_wg_detach(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *made = NULL;
#ifdef HAS_wg_set_requires_grad
    must("wg_set_requires_grad", wg_set_requires_grad(ctx, t, 1));
#endif
    const int32_t status = wg_detach(ctx, t, &made);
    tell_new("detached", status, made);
    RELEASE(t);
}
#endif

#if defined(HAS_wg_unsafe_view) && defined(HAS_wg_bump_version)
#define CAN_wg_unsafe_view
static void play_wg_unsafe_view(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *made = NULL;
    must("wg_bump_version", wg_bump_version(ctx, t));
    const int32_t status = wg_unsafe_view(ctx, t, &made);
    tell_new("of a tensor that was changed", status, made);
    RELEASE(t);
}
#endif

#if defined(HAS_wg_patch_requires_grad) && defined(HAS_wg_set_requires_grad) && defined(HAS_wg_as_strided)
#define CAN_wg_patch_requires_grad
static void play_wg_patch_requires_grad(void)
{
    for (int of_base = 0; of_base < 2; of_base++) {
        for (int wanted = 0; wanted < 2; wanted++) {
            WgTensor *base = MAKE(0, 4);
            WgTensor *view = NULL;
            must("wg_set_requires_grad", wg_set_requires_grad(ctx, base, of_base));
            must("wg_as_strided", wg_as_strided(ctx, base, GEOMETRY(LIST(2), LIST(1), 1), &view));
            must("wg_patch_requires_grad", wg_patch_requires_grad(ctx, base, &view, wanted));
            tell("patched", view);
            RELEASE(base, view);
        }
    }
}
#endif

#ifdef HAS_wg_set_requires_grad
#define CAN_wg_set_requires_grad
static void play_wg_set_requires_grad(void)
{
    WgTensor *t = MAKE(0, 2);
    WgTensor *integers = MAKE_OF(0, WG_INT64, 2);
    must("wg_set_requires_grad", wg_set_requires_grad(ctx, t, 1));
    tell("on", t);
    must("wg_set_requires_grad", wg_set_requires_grad(ctx, t, 0));
    tell("off", t);
    refused("integers", wg_set_requires_grad(ctx, integers, 1));
    tell("they", integers);
    RELEASE(t, integers);
}
#endif

#define CAN_wg_empty_strided
static void play_wg_empty_strided(void)
{
    WgTensor *t = NULL;
    must("wg_empty_strided", wg_empty_strided(ctx, GEOMETRY(LIST(2, 3), LIST(1, 2), 0), WG_INT64, WG_CPU, &t));
    for (int64_t i = 0; i < 6; i++) {
        ((int64_t *)wg_data(ctx, t))[i] = i;
    }
    tell("transposed", t);
    RELEASE(t);
    t = NULL;
    refused("a negative size", wg_empty_strided(ctx, GEOMETRY(LIST(2, -3), LIST(1, 2), 0), WG_INT64, WG_CPU, &t));
    say("and nothing made", t == NULL);
}

#ifdef HAS_wg_zeros
#define CAN_wg_zeros
static void play_wg_zeros(void)
{
    WgTensor *made = NULL;
    int32_t status = wg_zeros(ctx, LIST(2, 3), 2, WG_FLOAT32, WG_CPU, &made);
    tell_new("float32", status, made);
    status = wg_zeros(ctx, NULL, 0, WG_INT64, WG_CPU, &made);
    tell_new("a scalar", status, made);
    status = wg_zeros(ctx, LIST(0, 2), 2, WG_FLOAT32, WG_CPU, &made);
    tell_new("no elements", status, made);
}
#endif

#if defined(HAS_wg_storage_base) && defined(HAS_wg_as_strided)
#define CAN_wg_storage_base
static void play_wg_storage_base(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *view = NULL;
    WgTensor *made = NULL;
    must("wg_as_strided", wg_as_strided(ctx, t, GEOMETRY(LIST(2), LIST(1), 2), &view));
    must("wg_storage_base", wg_storage_base(ctx, view, &made));
    for (int64_t i = 0; i < count(made); i++) {
        say("element", (int)element(made, i));
    }
    RELEASE(t, view, made);
}
#endif

#ifdef HAS_wg_contiguous
#define CAN_wg_contiguous
static void play_wg_contiguous(void)
{
    WgTensor *t = MAKE(0, 1, 2, 2, 2);
    WgTensor *flat = MAKE(0, 2, 3);
    WgTensor *made = NULL;
    must("wg_contiguous", wg_contiguous(ctx, t, WG_CONTIGUOUS, &made));
    tell("already", made);
    say("is itself", wg_data(ctx, made) == wg_data(ctx, t));
    wg_release(ctx, made);
    int32_t status = wg_contiguous(ctx, t, WG_CHANNELS_LAST, &made);
    tell_new("channels last", status, made);
    refused("channels last of rank 2", wg_contiguous(ctx, flat, WG_CHANNELS_LAST, &made));
    RELEASE(t, flat);
}
#endif

#ifdef HAS_wg_coerce_strides
#define CAN_wg_coerce_strides
static void play_wg_coerce_strides(void)
{
    WgTensor *t = MAKE(0, 2, 3);
    WgTensor *made = NULL;
    must("wg_coerce_strides", wg_coerce_strides(ctx, t, GEOMETRY(LIST(2, 3), LIST(3, 1), 0), &made));
    say("is itself", wg_data(ctx, made) == wg_data(ctx, t));
    wg_release(ctx, made);
    const int32_t status = wg_coerce_strides(ctx, t, GEOMETRY(LIST(2, 3), LIST(1, 2), 0), &made);
    tell_new("transposed", status, made);
    RELEASE(t);
}
#endif

#if defined(HAS_wg_grad_mode) && defined(HAS_wg_set_grad_mode)
#define CAN_wg_set_grad_mode
static void play_wg_set_grad_mode(void)
{
    say("at first", wg_grad_mode(ctx) != 0);
    wg_set_grad_mode(ctx, 0);
    say("off", wg_grad_mode(ctx) != 0);
    wg_set_grad_mode(ctx, 1);
    say("on", wg_grad_mode(ctx) != 0);
}
#endif

#if defined(HAS_wg_view_replay) && defined(HAS_wg_set_view_replay)
#define CAN_wg_set_view_replay
static void play_wg_set_view_replay(void)
{
    say("at first", wg_view_replay(ctx) != 0);
    wg_set_view_replay(ctx, 1);
    say("on", wg_view_replay(ctx) != 0);
    wg_set_view_replay(ctx, 0);
    say("off", wg_view_replay(ctx) != 0);
}
#endif

#if defined(HAS_wg_autocast_off) && defined(HAS_wg_autocast_restore)
#define CAN_wg_autocast_off
static void play_wg_autocast_off(void)
{
    const uint32_t saved = wg_autocast_off(ctx);
    say("still on", wg_autocast_off(ctx) != 0);
    wg_autocast_restore(ctx, saved);
    say("as before", wg_autocast_off(ctx) == saved);
}
#endif

#ifdef HAS_wg_deterministic
#define CAN_wg_deterministic
static void play_wg_deterministic(void)
{
    say("at first", wg_deterministic(ctx) != 0);
}
#endif

#ifdef HAS_wg_retain
#define CAN_wg_retain
static void play_wg_retain(void)
{
    WgTensor *t = MAKE(0, 2);
    WgTensor *again = NULL;
    must("wg_retain", wg_retain(ctx, t, &again));
    wg_release(ctx, t);
    tell("what remains", again);
    wg_release(ctx, again);
}
#endif

#define CAN_wg_release
static void play_wg_release(void)
{
    WgTensor *t = MAKE(0, 2);
    wg_release(ctx, NULL);
    wg_release(ctx, t);
    say("null is allowed", 1);
}

#ifdef HAS_wg_release_run
#define CAN_wg_release_run
static void play_wg_release_run(void)
{
    WgValue values[3];
    values[0].tensor = MAKE(0, 2);
    values[1].tensor = NULL;
    values[2].tensor = MAKE(0, 3);
    wg_release_run(ctx, values, 3);
    say("all null", values[0].tensor == NULL && values[1].tensor == NULL && values[2].tensor == NULL);
}
#endif

#if defined(HAS_wg_scratch_take) && defined(HAS_wg_scratch_give)
#define CAN_wg_scratch_take
static void play_wg_scratch_take(void)
{
    say("without any", wg_scratch_take(ctx, 1) == NULL);
    must("wg_context_reserve", wg_context_reserve(ctx, 4));
    WgValue *first = wg_scratch_take(ctx, 3);
    WgValue *second = wg_scratch_take(ctx, 1);
    say("apart", first != NULL && second != NULL && (second >= first + 3 || second < first));
    say("too many", wg_scratch_take(ctx, 1) == NULL);
    wg_scratch_give(ctx, 1);
    wg_scratch_give(ctx, 3);
    first = wg_scratch_take(ctx, 4);
    say("given back", first != NULL);
    wg_scratch_give(ctx, 4);
}
#endif

/* ---- all of them ---- */

typedef struct Part {
    const char *verb;
    void (*play)(void);
} Part;

static const Part parts[] = {
#define PART(verb) {#verb, play_##verb},
#include "parts.h"
#undef PART
};

/* A verb of the description that is not there does not compile or link. */
typedef void (*AnyVerb)(void);
static volatile AnyVerb offered[] = {
#define OFFERED(verb) (AnyVerb) verb,
#include "verbs_offered.h"
#undef OFFERED
};

/* Overwrites what a part has left on the stack: a pointer there would hide from the sanitizer that its tensor leaked.
 */
static void scrub(void)
{
    volatile unsigned char room[1 << 16];
    for (size_t i = 0; i < sizeof room; i++) {
        room[i] = 0;
    }
}

int main(int argc, char **argv)
{
    void (*const volatile wipe)(void) = scrub; /* not to be made a part of main */
    setvbuf(stdout, NULL, _IONBF, 0);          /* what was told stays told when a sanitizer ends the process */
    (void)offered[0];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (argc < 2) {
            puts(parts[i].verb);
        } else if (strcmp(argv[1], parts[i].verb) == 0) {
            must("wg_context_create", check_context(&ctx));
            parts[i].play();
            wg_context_destroy(ctx);
            wipe();
        }
    }
    return 0;
}
