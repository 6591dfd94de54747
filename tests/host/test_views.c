/* SPDX-License-Identifier: MIT */
/*
 * test_views.c - views: geometry, dtype, requires_grad, versions. Every expected value was read off PyTorch 2.13.0+cpu
 * with the call next to it (x.view(dtype).stride() and so on), or, for refusals, is the error it raised
 * there.
 */
#include "check.h"
#include "tracking.h"

#include <string.h>

static Tracking tracking;
static WgContext *ctx;

static void begin(void)
{
    tracking_begin(&tracking);
    CHECK_EQUAL(wg_context_create(&tracking.allocator, &ctx), 0);
}

static void end(void)
{
    wg_context_destroy(ctx);
    CHECK_EQUAL(tracking.live_blocks, 0);
}

static WgTensor *zeros(int32_t dtype, int32_t rank, const int64_t *sizes)
{
    WgTensor *t = NULL;
    CHECK_EQUAL(wg_native_zeros(ctx, dtype, rank, sizes, &t), 0);
    return t;
}

typedef struct Expected {
    int32_t status;
    int32_t rank;
    int64_t sizes[4];
    int64_t strides[4];
    int64_t offset;
    int32_t dtype;
} Expected;

static void check_view(int32_t status, WgTensor *view, const Expected *expected)
{
    CHECK_EQUAL(status, expected->status);
    CHECK((view != NULL) == (status == 0));
    if (view == NULL || status != expected->status) {
        wg_release(ctx, view);
        return;
    }
    CHECK_EQUAL(wg_rank(ctx, view), expected->rank);
    CHECK_EQUAL(wg_offset(ctx, view), expected->offset);
    CHECK_EQUAL(wg_dtype(ctx, view), expected->dtype);
    for (int32_t i = 0; i < expected->rank; i++) {
        CHECK_EQUAL(wg_size(ctx, view, i), expected->sizes[i]);
        CHECK_EQUAL(wg_stride(ctx, view, i), expected->strides[i]);
    }
    wg_release(ctx, view);
}

typedef struct DtypeCase {
    WgGeometry base; /* of torch.zeros(64, dtype=from) through as_strided */
    int32_t from;
    int32_t to;
    Expected expected;
} DtypeCase;

#define LIST(...)                                                                                                      \
    (const int64_t[])                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static const DtypeCase dtype_cases[] = {
    {{NULL, NULL, 3, 0}, WG_FLOAT32, WG_INT32, {0, 0, {0}, {0}, 3, WG_INT32}},
    /* "self.dim() cannot be 0 to view Float as Double (different element sizes)" */
    {{NULL, NULL, 0, 0}, WG_FLOAT32, WG_FLOAT64, {.status = WG_NATIVE_E_VIEW}},
    {{LIST(2, 2, 4), LIST(0, 8, 1), 2, 3}, WG_FLOAT32, WG_FLOAT64, {0, 3, {2, 2, 2}, {0, 4, 1}, 1, WG_FLOAT64}},
    {{LIST(2, 2, 4), LIST(0, 8, 1), 3, 3}, WG_FLOAT32, WG_INT16, {0, 3, {2, 2, 8}, {0, 16, 1}, 6, WG_INT16}},
    {{LIST(4), LIST(1), 0, 1}, WG_FLOAT32, WG_BOOL, {0, 1, {16}, {1}, 0, WG_BOOL}},
    {{LIST(4), LIST(1), 0, 1}, WG_FLOAT32, WG_COMPLEX64, {0, 1, {2}, {1}, 0, WG_COMPLEX64}},
    {{LIST(4), LIST(2), 1, 1}, WG_FLOAT32, WG_UINT32, {0, 1, {4}, {2}, 1, WG_UINT32}},
    /* "self.size(-1) must be divisible by 2 to view Float as Double" */
    {{LIST(3), LIST(1), 0, 1}, WG_FLOAT32, WG_FLOAT64, {.status = WG_NATIVE_E_VIEW}},
    /* "self.stride(-1) must be 1 to view Float as Double", "... as Short" */
    {{LIST(4, 2), LIST(1, 4), 0, 2}, WG_FLOAT32, WG_FLOAT64, {.status = WG_NATIVE_E_VIEW}},
    {{LIST(4, 2), LIST(1, 4), 0, 2}, WG_FLOAT32, WG_INT16, {.status = WG_NATIVE_E_VIEW}},
    {{LIST(2, 1), LIST(3, 2), 0, 2}, WG_FLOAT32, WG_INT16, {.status = WG_NATIVE_E_VIEW}},
    /* "self.storage_offset() must be divisible by 2 to view Float as Double" */
    {{LIST(4), LIST(1), 1, 1}, WG_FLOAT32, WG_FLOAT64, {.status = WG_NATIVE_E_VIEW}},
    /* "self.stride(0) must be divisible by 2 to view Float as Double", also without elements */
    {{LIST(2, 2), LIST(3, 1), 0, 2}, WG_FLOAT32, WG_FLOAT64, {.status = WG_NATIVE_E_VIEW}},
    {{LIST(0, 2), LIST(3, 1), 0, 2}, WG_FLOAT32, WG_FLOAT64, {.status = WG_NATIVE_E_VIEW}},
    {{LIST(2, 0), LIST(1, 1), 0, 2}, WG_FLOAT32, WG_FLOAT64, {.status = WG_NATIVE_E_VIEW}},
    {{LIST(2, 0), LIST(1, 1), 0, 2}, WG_FLOAT32, WG_INT16, {0, 2, {2, 0}, {2, 1}, 0, WG_INT16}},
    {{LIST(0, 3), LIST(3, 1), 0, 2}, WG_FLOAT32, WG_INT16, {0, 2, {0, 6}, {6, 1}, 0, WG_INT16}},
    {{LIST(2), LIST(1), 0, 1}, WG_FLOAT32, 14, {.status = WG_NATIVE_E_DTYPE}},
};

static void test_view_dtype(void)
{
    begin();
    for (size_t i = 0; i < sizeof dtype_cases / sizeof dtype_cases[0]; i++) {
        const DtypeCase *one = &dtype_cases[i];
        const int bad = check_bad;
        WgTensor *memory = zeros(one->from, 1, LIST(64));
        WgTensor *base = NULL;
        WgTensor *view = memory;
        CHECK_EQUAL(wg_as_strided(ctx, memory, &one->base, &base), 0);
        const int32_t status = wg_view_dtype(ctx, base, one->to, &view);
        check_view(status, view, &one->expected);
        wg_release(ctx, base);
        wg_release(ctx, memory);
        if (bad != check_bad) {
            printf("# case %d\n", (int)i);
        }
    }
    end();
}

static const DtypeCase complex_cases[] = {
    {{LIST(3, 2), LIST(4, 1), 6, 2}, WG_FLOAT32, 0, {0, 1, {3}, {2}, 3, WG_COMPLEX64}},
    {{LIST(2), LIST(1), 0, 1}, WG_FLOAT64, 0, {0, 0, {0}, {0}, 0, WG_COMPLEX128}},
    {{LIST(2), LIST(1), 0, 1}, WG_FLOAT16, 0, {0, 0, {0}, {0}, 0, WG_COMPLEX32}},
    {{LIST(0, 2), LIST(2, 1), 0, 2}, WG_FLOAT32, 0, {0, 1, {0}, {1}, 0, WG_COMPLEX64}},
    /* "Input tensor must have one or more dimensions" */
    {{NULL, NULL, 0, 0}, WG_FLOAT32, 0, {.status = WG_NATIVE_E_VIEW}},
    /* "Tensor must have a last dimension of size 2" */
    {{LIST(3), LIST(1), 0, 1}, WG_FLOAT32, 0, {.status = WG_NATIVE_E_VIEW}},
    /* "Tensor must have a last dimension with stride 1" */
    {{LIST(2, 2), LIST(2, 2), 0, 2}, WG_FLOAT32, 0, {.status = WG_NATIVE_E_VIEW}},
    /* "Tensor must have a stride divisible by 2 for all but last dimension" */
    {{LIST(2, 2), LIST(3, 1), 0, 2}, WG_FLOAT32, 0, {.status = WG_NATIVE_E_VIEW}},
    /* "Tensor must have a storage_offset divisible by 2" */
    {{LIST(2, 2), LIST(2, 1), 1, 2}, WG_FLOAT32, 0, {.status = WG_NATIVE_E_VIEW}},
    /* "view_as_complex is only supported for half, float and double tensors" */
    {{LIST(2), LIST(1), 0, 1}, WG_BFLOAT16, 0, {.status = WG_NATIVE_E_DTYPE}},
    {{LIST(2), LIST(1), 0, 1}, WG_INT32, 0, {.status = WG_NATIVE_E_DTYPE}},
    {{LIST(2), LIST(1), 0, 1}, WG_COMPLEX64, 0, {.status = WG_NATIVE_E_DTYPE}},
};

static const DtypeCase real_cases[] = {
    {{LIST(2, 3), LIST(5, 2), 1, 2}, WG_COMPLEX64, 0, {0, 3, {2, 3, 2}, {10, 4, 1}, 2, WG_FLOAT32}},
    {{NULL, NULL, 0, 0}, WG_COMPLEX128, 0, {0, 1, {2}, {1}, 0, WG_FLOAT64}},
    {{LIST(2), LIST(1), 0, 1}, WG_COMPLEX32, 0, {0, 2, {2, 2}, {2, 1}, 0, WG_FLOAT16}},
    /* "view_as_real is only supported for complex tensors" */
    {{LIST(2), LIST(1), 0, 1}, WG_FLOAT32, 0, {.status = WG_NATIVE_E_DTYPE}},
};

static void check_complex(const DtypeCase *one, int to_real)
{
    WgTensor *memory = zeros(one->from, 1, LIST(64));
    WgTensor *base = NULL;
    WgTensor *view = memory;
    CHECK_EQUAL(wg_as_strided(ctx, memory, &one->base, &base), 0);
    const int32_t status = to_real ? wg_view_as_real(ctx, base, &view) : wg_view_as_complex(ctx, base, &view);
    check_view(status, view, &one->expected);
    wg_release(ctx, base);
    wg_release(ctx, memory);
}

static void test_complex(void)
{
    begin();
    for (size_t i = 0; i < sizeof complex_cases / sizeof complex_cases[0]; i++) {
        check_complex(&complex_cases[i], 0);
    }
    for (size_t i = 0; i < sizeof real_cases / sizeof real_cases[0]; i++) {
        check_complex(&real_cases[i], 1);
    }
    end();
}

/* torch.ops.aten._unsafe_view(x, x.shape): strides of dimensions of size 1 are calculated anew. */
static void test_unsafe_view_strides(void)
{
    const DtypeCase cases[] = {
        {{LIST(1, 3, 1), LIST(7, 2, 5), 0, 3}, WG_FLOAT32, 0, {0, 3, {1, 3, 1}, {6, 2, 5}, 0, WG_FLOAT32}},
        {{LIST(0, 3, 1), LIST(7, 2, 5), 0, 3}, WG_FLOAT32, 0, {0, 3, {0, 3, 1}, {7, 2, 5}, 0, WG_FLOAT32}},
        {{LIST(0, 1, 3), LIST(7, 9, 2), 0, 3}, WG_FLOAT32, 0, {0, 3, {0, 1, 3}, {7, 9, 2}, 0, WG_FLOAT32}},
        {{LIST(2, 1, 3, 1), LIST(1, 50, 2, 9), 4, 4}, WG_FLOAT32, 0, {0, 4, {2, 1, 3, 1}, {1, 6, 2, 9}, 4, WG_FLOAT32}},
        {{LIST(3, 4), LIST(0, 0), 1, 2}, WG_FLOAT32, 0, {0, 2, {3, 4}, {0, 0}, 1, WG_FLOAT32}},
        {{LIST(1), LIST(9), 1, 1}, WG_FLOAT32, 0, {0, 1, {1}, {9}, 1, WG_FLOAT32}},
        {{NULL, NULL, 1, 0}, WG_FLOAT32, 0, {0, 0, {0}, {0}, 1, WG_FLOAT32}},
    };
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        WgTensor *memory = zeros(WG_FLOAT32, 1, LIST(64));
        WgTensor *base = NULL;
        WgTensor *view = NULL;
        CHECK_EQUAL(wg_as_strided(ctx, memory, &cases[i].base, &base), 0);
        const int32_t status = wg_unsafe_view(ctx, base, &view);
        check_view(status, view, &cases[i].expected);
        wg_release(ctx, base);
        wg_release(ctx, memory);
    }
    end();
}

/* An alias has its target's geometry and dtype over its base's memory. */
static void test_alias_like(void)
{
    begin();
    WgTensor *base = zeros(WG_COMPLEX64, 1, LIST(6));
    WgTensor *other = zeros(WG_FLOAT32, 1, LIST(12));
    WgTensor *target = NULL;
    WgTensor *alias = NULL;
    const WgGeometry geometry = {LIST(2, 2), LIST(4, 1), 3, 2};
    for (int i = 0; i < 12; i++) {
        wg_native_set_real(other, i, 100);
    }
    for (int i = 0; i < 6; i++) {
        wg_native_set_complex(base, i, 2 * i, 2 * i + 1);
    }
    CHECK_EQUAL(wg_as_strided(ctx, other, &geometry, &target), 0);
    CHECK_EQUAL(wg_alias_like(ctx, base, target, 0, &alias), 0);
    const double expected[4] = {3, 4, 7, 8}; /* torch.view_as_real(base).as_strided((2, 2), (4, 1), 3) */
    for (int i = 0; i < 4; i++) {
        CHECK(wg_native_real(alias, i) == expected[i]);
    }
    CHECK_EQUAL(wg_dtype(ctx, alias), WG_FLOAT32);
    wg_release(ctx, alias);
    /* the target's storage is larger than the base's: its geometry is checked against the base's */
    WgTensor *small = zeros(WG_FLOAT32, 1, LIST(8));
    CHECK_EQUAL(wg_alias_like(ctx, small, target, 0, &alias), WG_NATIVE_E_BOUNDS);
    CHECK(alias == NULL);
    wg_release(ctx, small);
    wg_release(ctx, target);
    wg_release(ctx, base);
    wg_release(ctx, other);
    end();
}

/* [requires_grad of the base][wanted][grad mode] -> [requires_grad, is_leaf] of gen_alias_from_base:
 * patch(x.as_strided()) */
static void test_patch(void)
{
    const int expected[2][2][2][2] = {{{{0, 1}, {0, 1}}, {{1, 1}, {1, 1}}}, {{{0, 1}, {0, 1}}, {{1, 1}, {1, 0}}}};
    begin();
    for (int i = 0; i < 8; i++) {
        const int base_requires = i >> 2;
        const int wanted = i >> 1 & 1;
        const int mode = i & 1;
        const int *flags = expected[base_requires][wanted][mode];
        WgTensor *base = zeros(WG_FLOAT32, 1, LIST(4));
        WgTensor *alias = NULL;
        WgTensor *view = NULL;
        CHECK_EQUAL(wg_set_requires_grad(ctx, base, base_requires), 0);
        wg_set_grad_mode(ctx, mode);
        CHECK_EQUAL(wg_alias_like(ctx, base, base, wanted, &alias), 0);
        CHECK_EQUAL(wg_requires_grad(ctx, alias), flags[0]);
        CHECK_EQUAL(alias->is_leaf, flags[1]);
        const WgGeometry geometry = {base->sizes, base->strides, 0, 1};
        CHECK_EQUAL(wg_as_strided(ctx, base, &geometry, &view), 0);
        CHECK_EQUAL(wg_requires_grad(ctx, view), base_requires);
        CHECK_EQUAL(wg_patch_requires_grad(ctx, base, &view, wanted), 0);
        CHECK_EQUAL(wg_requires_grad(ctx, view), flags[0]);
        CHECK_EQUAL(view->is_leaf, flags[1]);
        wg_release(ctx, view);
        wg_release(ctx, alias);
        wg_release(ctx, base);
    }
    end();
}

/* Views of another dtype: x.view(dtype) never requires grad, also for the same dtype; view_as_complex does. */
static void test_grad_of_dtype_views(void)
{
    begin();
    WgTensor *base = zeros(WG_FLOAT32, 2, LIST(4, 2));
    WgTensor *ints = zeros(WG_INT32, 1, LIST(4));
    WgTensor *whole = zeros(WG_COMPLEX64, 1, LIST(4));
    WgTensor *halves = zeros(WG_FLOAT16, 1, LIST(4));
    WgTensor *view = NULL;
    CHECK_EQUAL(wg_set_requires_grad(ctx, base, 1), 0);
    const int32_t dtypes[] = {WG_FLOAT32, WG_INT32, WG_FLOAT16, WG_COMPLEX64};
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(wg_view_dtype(ctx, base, dtypes[i], &view), 0);
        CHECK(!wg_requires_grad(ctx, view) && view->is_leaf);
        wg_release(ctx, view);
    }
    CHECK_EQUAL(wg_view_as_complex(ctx, base, &view), 0);
    CHECK(wg_requires_grad(ctx, view) && !view->is_leaf);
    wg_release(ctx, view);
    wg_set_grad_mode(ctx, 0);
    CHECK_EQUAL(wg_view_as_complex(ctx, base, &view), 0);
    CHECK(wg_requires_grad(ctx, view) && view->is_leaf);
    wg_release(ctx, view);
    CHECK_EQUAL(wg_unsafe_view(ctx, base, &view), 0);
    CHECK(!wg_requires_grad(ctx, view) && view->is_leaf);
    wg_release(ctx, view);
    wg_set_grad_mode(ctx, 1);
    CHECK_EQUAL(wg_unsafe_view(ctx, base, &view), 0);
    CHECK(wg_requires_grad(ctx, view) && !view->is_leaf);
    wg_release(ctx, view);
    /* an alias of another dtype: as view(dtype), but for view_as_complex */
    CHECK_EQUAL(wg_alias_like(ctx, base, halves, 1, &view), 0);
    CHECK(!wg_requires_grad(ctx, view));
    wg_release(ctx, view);
    CHECK_EQUAL(wg_alias_like(ctx, base, whole, 1, &view), 0);
    CHECK(wg_requires_grad(ctx, view));
    wg_release(ctx, view);
    /* "only Tensors of floating point dtype can require gradients" */
    CHECK_EQUAL(wg_alias_like(ctx, ints, ints, 1, &view), WG_NATIVE_E_GRAD);
    CHECK(view == NULL);
    WgTensor *all[] = {base, ints, whole, halves};
    for (int i = 0; i < 4; i++) {
        wg_release(ctx, all[i]);
    }
    end();
}

static void check_is_view(int32_t status, WgTensor **t, int expected)
{
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(wg_is_view(ctx, *t), expected);
    wg_release(ctx, *t);
}

/* Tensor._is_view() of what x = zeros(4, 2, requires_grad=r) gives in each way; grad mode makes no difference. */
static void test_is_view(void)
{
    begin();
    for (int i = 0; i < 4; i++) {
        const int requires_grad = i & 1;
        WgTensor *x = zeros(WG_FLOAT32, 2, LIST(4, 2));
        WgTensor *ints = zeros(WG_INT32, 1, LIST(4));
        WgTensor *whole = zeros(WG_COMPLEX64, 1, LIST(4));
        WgTensor *view = NULL;
        WgTensor *detached = NULL;
        const WgGeometry geometry = {x->sizes, x->strides, 0, 2};
        CHECK_EQUAL(wg_set_requires_grad(ctx, x, requires_grad), 0);
        wg_set_grad_mode(ctx, i >> 1);
        CHECK(!wg_is_view(ctx, x));
        check_is_view(wg_as_strided(ctx, x, &geometry, &view), &view, 1);
        check_is_view(wg_unsafe_view(ctx, x, &view), &view, 0);
        check_is_view(wg_view_dtype(ctx, x, WG_INT32, &view), &view, 0);
        check_is_view(wg_view_dtype(ctx, x, WG_FLOAT32, &view), &view, 0);
        check_is_view(wg_view_as_complex(ctx, x, &view), &view, 1);
        check_is_view(wg_view_as_real(ctx, whole, &view), &view, 1);
        check_is_view(wg_alias_like(ctx, x, x, 0, &view), &view, !requires_grad);
        check_is_view(wg_alias_like(ctx, x, x, 1, &view), &view, 1);
        check_is_view(wg_alias_like(ctx, x, ints, 0, &view), &view, 0);
        check_is_view(wg_alias_like(ctx, x, whole, 1, &view), &view, 1);
        check_is_view(wg_alias_as(ctx, x, &geometry, WG_FLOAT32, 0, &view), &view, !requires_grad);
        CHECK_EQUAL(wg_detach(ctx, x, &detached), 0);
        check_is_view(wg_as_strided(ctx, detached, &geometry, &view), &view, 1);
        CHECK_EQUAL(wg_as_strided(ctx, x, &geometry, &view), 0);
        wg_release(ctx, detached);
        check_is_view(wg_detach(ctx, view, &detached), &detached, 0);
        CHECK_EQUAL(wg_set_(ctx, view, x), 0); /* w = x[1:]; w.set_(...), w.data = ...: still a view */
        CHECK(wg_is_view(ctx, view));
        wg_native_set_inference(whole, 1); /* with inference_mode(): i = zeros(3); i[1:]._is_view() is False */
        check_is_view(wg_view_as_real(ctx, whole, &detached), &detached, 0);
        WgTensor *all[] = {x, ints, whole, view};
        for (int j = 0; j < 4; j++) {
            wg_release(ctx, all[j]);
        }
    }
    end();
}

int main(void)
{
    run("view(dtype) rescales and refuses as PyTorch", test_view_dtype);
    run("view_as_real and view_as_complex do as PyTorch", test_complex);
    run("_unsafe_view calculates strides as PyTorch", test_unsafe_view_strides);
    run("an alias reads its base's memory as its target reads its own", test_alias_like);
    run("requires_grad of aliases is that of gen_alias_from_base", test_patch);
    run("requires_grad of views of another dtype is PyTorch's", test_grad_of_dtype_views);
    run("what is a view is what PyTorch calls one", test_is_view);
    return finish();
}
