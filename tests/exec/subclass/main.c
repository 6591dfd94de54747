/* SPDX-License-Identifier: MIT */
/*
 * Trees of subclasses by hand: what the compiled function must be given at every flat position, what is made of what it
 * returns, which level an error names, and that nothing is left alive, also when the n-th allocation fails.
 *
 * The rules are AOTAutograd's: depth first, of a leaf the tensor and its own sizes and strides, of a subclass its
 * attributes and then its symbolic outer sizes and outer strides; and a running index over what comes back.
 */
#include "../exec.h"
#include "wrappers.h"

enum { MOST = 20, NUM_LEVELS = 4 };

static const char *const two_names[] = {"a", "b"};
static const char *const box_names[] = {"inner"};
static const char *const jagged_names[] = {"values", "lengths", "ragged"};
static const char *const promise_names[] = {"promise"};

static int num_waits;
static int64_t unflatten_sizes[2];
static int64_t unflatten_strides[2];
static int unflatten_had_lengths;

static int32_t wait_for(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    num_waits++;
    return wg_attr(ctx, t, 0, waited);
}

/* A nested int reaches it as -1; no geometry of memory could. */
static int32_t unflatten_jagged(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs,
                                size_t num_attrs, const WgGeometry *outer, WgTensor **out)
{
    for (int i = 0; outer != NULL && outer->rank == 2 && i < 2; i++) {
        unflatten_sizes[i] = outer->sizes[i];
        unflatten_strides[i] = outer->strides[i];
    }
    unflatten_had_lengths = attrs[1] != NULL;
    return wg_native_subclass(ctx, type, type_context, attrs, num_attrs, NULL, out);
}

const WgType Two = {.name = "Two", .attribute_names = two_names, .num_attributes = 2};
const WgType Box = {.name = "Box", .attribute_names = box_names, .num_attributes = 1};
const WgType Jagged = {
    .name = "Jagged", .attribute_names = jagged_names, .num_attributes = 3, .unflatten = unflatten_jagged};
static const WgType other_type = {.name = "Other", .attribute_names = two_names, .num_attributes = 2};
static const WgType other_box = {.name = "OtherBox", .attribute_names = box_names, .num_attributes = 1};
static const WgType promise_type = {
    .name = "Promise", .attribute_names = promise_names, .num_attributes = 1, .wait = wait_for};
static const char contexts[4];
const void *const y_context = &contexts[0];
const void *const inner_context = &contexts[1];
const void *const z_context = &contexts[2];

/* Takes its parts; null when one is null or memory is refused. rank 0: the geometry of the first part. */
static WgTensor *join(WgContext *ctx, const WgType *type, const void *context, WgTensor *a, WgTensor *b, int32_t rank,
                      const int64_t *sizes, const int64_t *strides)
{
    WgTensor *parts[2] = {a, b};
    const WgGeometry outer = {sizes, strides, 0, rank};
    WgTensor *t = NULL;
    (void)wg_native_subclass(ctx, type, context, parts, (size_t)type->num_attributes, rank > 0 ? &outer : NULL, &t);
    return t;
}

static WgTensor *part(WgContext *ctx, const WgTensor *t, int32_t index)
{
    WgTensor *attr = NULL;
    return t != NULL && wg_attr(ctx, t, index, &attr) == 0 ? attr : NULL;
}

static WgTensor *counted(WgContext *ctx, int32_t rank, int64_t rows, int64_t columns, double start)
{
    const int64_t sizes[2] = {rows, columns};
    double values[MOST];
    for (int i = 0; i < MOST; i++) {
        values[i] = start + i;
    }
    return make(ctx, rank, sizes, values);
}

/* ---- four levels ---- */

static WgValue seen[MOST];
static size_t num_seen;
static enum { WITH_SYMINTS, WITHOUT_SYMINTS, TOO_FEW } returns;

static size_t wrong_symint; /* the position of one that is not what its symbol is; 0: none */

/* What the symbols are: s2, s1 and s4, then s0 and s3, no two alike. */
int32_t deep_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    static const int64_t symints[10] = {0, 5, 3, 9, 0, 2, 7, 0, 0, 0};
    static const double values[10] = {0, 0, 0, 0, 40, 0, 0, 7, 80, 90};
    const size_t is_symint = 0x6E; /* positions 1, 2, 3, 5, 6 */
    size_t n = 0;
    memcpy(seen, args, (num_args < MOST ? num_args : MOST) * sizeof *args);
    num_seen = num_args;
    int32_t status = *num_outs == 10 ? 0 : 1;
    for (size_t i = 0; i < 10 && status == 0; i++) {
        if (i == 7) {
            outs[n++].integer = 77;
        } else if ((is_symint >> i & 1) == 0) {
            outs[n].tensor = counted(ctx, 1, i == 9 ? 6 : 5, 0, values[i]);
            status = outs[n].tensor == NULL ? 78 : 0;
            n += status == 0;
        } else if (returns != WITHOUT_SYMINTS) {
            outs[n++].integer = symints[i] + (i == wrong_symint);
        }
    }
    if (status != 0) { /* only tensors may be released, and 77 is not one */
        for (size_t i = 0; i < n; i++) {
            const size_t integer = returns != WITHOUT_SYMINTS ? 0xEE : 0x4;
            if ((integer >> i & 1) == 0) {
                wg_release(ctx, outs[i].tensor);
            }
        }
        return status;
    }
    if (returns == TOO_FEW) {
        wg_release(ctx, outs[--n].tensor);
    }
    *num_outs = n;
    return 0;
}

/* Box(2 by 3, strides 7 1) of Two(2 by 3, strides 1 9) of a plain 2 by 3, and Box(3 by 2) of Two(5) of 5 and 5. `wrong`
 * is the level whose type is another, 0: none; 5 and 6: the first and the last leaf are not plain tensors. */
static WgTensor *make_deep(WgContext *ctx, int wrong, int64_t last_size)
{
    static const int64_t sizes[2] = {2, 3};
    static const int64_t turned[2] = {3, 2};
    static const int64_t ones[2] = {1, 1};
    static const int64_t five[1] = {5};
    static const int64_t strides_7_1[2] = {7, 1};
    static const int64_t strides_1_9[2] = {1, 9};
    WgTensor *leaf = counted(ctx, 2, 2, 3, 0);
    WgTensor *last = counted(ctx, 1, last_size, 0, 20);
    leaf = wrong == 5 ? join(ctx, &Box, NULL, leaf, NULL, 0, NULL, NULL) : leaf;
    last = wrong == 6 ? join(ctx, &Box, NULL, last, NULL, 0, NULL, NULL) : last;
    WgTensor *t4 = join(ctx, wrong == 4 ? &other_type : &Two, NULL, counted(ctx, 1, 5, 0, 10), last, 1, five, ones);
    WgTensor *t3 = join(ctx, wrong == 3 ? &other_box : &Box, NULL, t4, NULL, 2, turned, ones);
    WgTensor *t2 = join(ctx, wrong == 2 ? &other_type : &Two, NULL, leaf, t3, 2, sizes, strides_1_9);
    return join(ctx, wrong == 1 ? &other_box : &Box, NULL, t2, NULL, 2, sizes, strides_7_1);
}

static int32_t call_deep(WgContext *ctx, WgTensor *x, t_deep_outputs *out)
{
    WgTensor *last = counted(ctx, 1, 2, 0, 0);
    const t_deep_inputs in = {42, x, last};
    const int32_t status = t_deep(ctx, &in, out);
    wg_release(ctx, last);
    return status;
}

static void test_deep_arguments(WgContext *ctx)
{
    WgTensor *x = make_deep(ctx, 0, 5);
    WgTensor *two = part(ctx, x, 0);
    WgTensor *deepest = part(ctx, part(ctx, two, 1), 0);
    t_deep_outputs out = {0};
    returns = WITH_SYMINTS;
    check(call_deep(ctx, x, &out) == WG_OK && num_seen == 17, "four levels: 17 flat arguments");
    check(seen[0].integer == 42, "0: what stands before");
    check(seen[1].tensor == part(ctx, two, 0), "1: x.inner.a");
    check(seen[2].integer == 3 && seen[3].integer == 3, "2, 3: its size 1 and its stride 0");
    check(seen[4].tensor == part(ctx, deepest, 0) && seen[5].tensor == part(ctx, deepest, 1), "4, 5: the deepest two");
    check(seen[6].integer == 5, "6: the last leaf's size 0");
    check(seen[7].integer == 5, "7: the fourth level's size");
    check(seen[8].integer == 3 && seen[9].integer == 2, "8, 9: the third level's sizes; its strides are literals");
    check(seen[10].integer == 2 && seen[11].integer == 3 && seen[12].integer == 9, "10 to 12: the second's, and s4");
    check(seen[13].integer == 2 && seen[14].integer == 3 && seen[15].integer == 7, "13 to 15: the first's, and s3");
    check(seen[16].tensor != NULL && wg_rank(ctx, seen[16].tensor) == 1, "16: what comes after");
    t_deep_outputs_release(ctx, &out);
    wg_release(ctx, x);
}

static int has_geometry(WgContext *ctx, const WgTensor *t, int64_t size0, int64_t size1, int64_t stride0,
                        int64_t stride1)
{
    return t != NULL && wg_rank(ctx, t) == 2 && wg_size(ctx, t, 0) == size0 && wg_size(ctx, t, 1) == size1 &&
           wg_stride(ctx, t, 0) == stride0 && wg_stride(ctx, t, 1) == stride1;
}

static void test_deep_results(WgContext *ctx)
{
    WgTensor *x = make_deep(ctx, 0, 5);
    for (int i = 0; i < 2; i++) {
        t_deep_outputs out = {0};
        returns = i == 0 ? WITH_SYMINTS : WITHOUT_SYMINTS;
        check(call_deep(ctx, x, &out) == WG_OK,
              i == 0 ? "results with symbolic sizes" : "and without them, where the arguments say what they are");
        WgTensor *box = part(ctx, out.y, 0);
        check(out.y != NULL && wg_is_type(ctx, out.y, &Two) && wg_is_type(ctx, box, &Box) &&
                  wg_native_type_context(out.y) == y_context && wg_native_type_context(box) == inner_context,
              "y is a Two with its context, of a Box with its own");
        check(has_geometry(ctx, box, 5, 3, 2, 9),
              i == 0 ? "y.a has the sizes at 1, 2 and the stride at 3" : "y.a is s2 by s1 with stride s4");
        check(has_geometry(ctx, out.y, 2, 4, 7, 1),
              i == 0 ? "y has the size at 5 and the stride at 6, after y.b" : "y is s0 by 4 with stride s3");
        const double at_4[5] = {40, 41, 42, 43, 44};
        check(holds(part(ctx, out.y, 1), 5, at_4), "y.b is the tensor at 4");
        check(out.n == 77, "n is the integer at 7");
        const double at_8[5] = {80, 81, 82, 83, 84};
        check(out.z != NULL && holds(part(ctx, out.z, 0), 5, at_8) && wg_native_type_context(out.z) == z_context,
              "z.a is the tensor at 8");
        check(out.z != NULL && wg_size(ctx, out.z, 0) == 6, "z takes its size from z.b, of 6, not from z.a or s2");
        t_deep_outputs_release(ctx, &out);
    }
    t_deep_outputs none = {0};
    returns = TOO_FEW;
    check(call_deep(ctx, x, &none) == WG_E_OUTPUTS && none.y == NULL && none.z == NULL, "another count is refused");
    returns = WITH_SYMINTS;
    static const struct {
        size_t position;
        const char *text;
    } wrongs[] = {{1, "'y.a': value that the compiled function returned of dimension 0: expected 5, found 6 (size)"},
                  {2, "'y.a': value that the compiled function returned of dimension 1: expected 3, found 4 (size)"},
                  {3, "'y.a': value that the compiled function returned of dimension 1: expected 9, found 10 (stride)"},
                  {5, "'y': value that the compiled function returned of dimension 0: expected 2, found 3 (size)"},
                  {6, "'y': value that the compiled function returned of dimension 0: expected 7, found 8 (stride)"}};
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        wrong_symint = wrongs[i].position;
        check(call_deep(ctx, x, &none) == WG_E_RESULT && error_says(ctx, wrongs[i].text) && none.y == NULL,
              wrongs[i].text);
    }
    wrong_symint = 0;
    wg_release(ctx, x);
}

static void test_deep_errors(WgContext *ctx)
{
    static const char *const names[7] = {"",
                                         "'x': tensor type: expected Box, found OtherBox",
                                         "'x.inner': tensor type: expected Two, found Other",
                                         "'x.inner.b': tensor type: expected Box, found OtherBox",
                                         "'x.inner.b.inner': tensor type: expected Two, found Other",
                                         "'x.inner.a': tensor type: expected tensor, found Box",
                                         "'x.inner.b.inner.b': tensor type: expected tensor, found Box"};
    t_deep_outputs out = {0};
    num_seen = 0;
    for (int wrong = 1; wrong < 7; wrong++) {
        WgTensor *x = make_deep(ctx, wrong, 5);
        check(call_deep(ctx, x, &out) == WG_E_TYPE && error_says(ctx, names[wrong]), names[wrong]);
        wg_release(ctx, x);
    }
    WgTensor *x = make_deep(ctx, 0, 6);
    check(call_deep(ctx, x, &out) == WG_E_SIZE && error_says(ctx, "'x.inner.b.inner.b': size of dimension 0"),
          "a size that is another than its symbol, four levels down");
    wg_release(ctx, x);
    check(call_deep(ctx, NULL, &out) != WG_OK && error_says(ctx, "'x'"), "no x at all");
    check(num_seen == 0, "the compiled function was never called");
}

/* ---- leaves ---- */

/* An object that is not counted: what an opaque attribute is to this host. */
static WgTensor *opaque_object(WgContext *ctx, WgStorage *storage, WgTensor *tensor)
{
    static float data[1];
    static const int64_t none[1];
    const WgGeometry scalar = {none, none, 0, 0};
    return wg_native_begin(ctx, data, sizeof data, &scalar, WG_FLOAT32, WG_CPU * 256, storage, tensor) == 0 ? tensor
                                                                                                            : NULL;
}

int32_t leaves_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    memcpy(seen, args, (num_args < MOST ? num_args : MOST) * sizeof *args);
    num_seen = num_args;
    outs[0].tensor = counted(ctx, 2, 2, 1, 5);
    outs[1].pointer = args[1].tensor;
    *num_outs = 2;
    return outs[0].tensor == NULL ? 78 : 0;
}

static WgTensor *jagged(WgContext *ctx, WgTensor *lengths, WgTensor *ragged)
{
    WgTensor *parts[3] = {counted(ctx, 2, 2, 1, 1), lengths, ragged};
    WgTensor *t = NULL;
    (void)wg_native_subclass(ctx, &Jagged, NULL, parts, 3, NULL, &t);
    return t;
}

static WgTensor *promised(WgContext *ctx, double start)
{
    return join(ctx, &promise_type, NULL, counted(ctx, 1, 2, 0, start), NULL, 0, NULL, NULL);
}

static void test_leaves(WgContext *ctx)
{
    WgStorage storage;
    WgTensor object;
    WgTensor *ragged = opaque_object(ctx, &storage, &object);
    WgTensor *promise_b = promised(ctx, 30);
    WgTensor *x = join(ctx, &Two, NULL, counted(ctx, 1, 2, 0, 0), promise_b, 0, NULL, NULL);
    t_leaves_inputs in = {jagged(ctx, NULL, ragged), jagged(ctx, counted(ctx, 1, 2, 0, 3), ragged), NULL, x,
                          promised(ctx, 50)};
    t_leaves_outputs out = {0};
    num_waits = 0;
    check(t_leaves(ctx, &in, &out) == WG_OK && num_seen == 9, "leaves: 9 flat arguments");
    check(seen[0].tensor == part(ctx, in.j, 0) && seen[1].tensor == ragged, "j: values, then the opaque object");
    check(seen[2].tensor == part(ctx, in.k, 0) && seen[3].tensor == part(ctx, in.k, 1) && seen[4].tensor == ragged,
          "k: values, lengths, the opaque object");
    check(seen[5].tensor == NULL, "a frozen subclass is one null");
    check(seen[6].tensor == part(ctx, x, 0) && seen[7].tensor == part(ctx, promise_b, 0),
          "x.b is waited on, what arrives is passed");
    check(seen[8].tensor == part(ctx, in.p, 0) && num_waits == 2, "so is p, a plain input");
    check(out.y != NULL && wg_is_type(ctx, out.y, &Jagged) && part(ctx, out.y, 1) == NULL && !unflatten_had_lengths &&
              part(ctx, out.y, 2) == ragged,
          "y is rebuilt without lengths, with the opaque object");
    check(unflatten_sizes[0] == 2 && unflatten_sizes[1] == -1 && unflatten_strides[0] == -1 &&
              unflatten_strides[1] == 1,
          "a nested int is -1 to its unflatten function");
    t_leaves_outputs_release(ctx, &out);

    WgTensor *plain = counted(ctx, 1, 3, 0, 0);
    t_leaves_inputs changed = in;
    changed.p = plain;
    num_waits = 0;
    check(t_leaves(ctx, &changed, &out) == WG_OK && seen[8].tensor == plain && num_waits == 1,
          "a p that is there already is passed as it is");
    t_leaves_outputs_release(ctx, &out);
    changed = in;
    changed.j = in.k;
    check(t_leaves(ctx, &changed, &out) == WG_E_TYPE && error_says(ctx, "'j.lengths'"), "lengths that must be absent");
    changed = in;
    changed.k = in.j;
    check(t_leaves(ctx, &changed, &out) == WG_E_NULL && error_says(ctx, "'k.lengths'"), "lengths that must be there");
    WgTensor *swapped = join(ctx, &Two, NULL, promised(ctx, 0), counted(ctx, 1, 2, 0, 0), 0, NULL, NULL);
    changed = in;
    changed.x = swapped;
    check(t_leaves(ctx, &changed, &out) == WG_E_TYPE && error_says(ctx, "'x.a'"),
          "x.a is not waited on: it must be plain");
    wg_release(ctx, swapped);
    wg_release(ctx, plain);
    wg_release(ctx, in.j);
    wg_release(ctx, in.k);
    wg_release(ctx, in.x);
    wg_release(ctx, in.p);
    wg_native_end(ctx, ragged);
}

/* ---- mutations ---- */

/* updated: ten times as much; then what `same` is an alias of, which is not read */
int32_t mutate_out_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != 2 || *num_outs != 4) {
        return 77;
    }
    for (int i = 0; i < 4; i++) {
        outs[i].tensor = counted(ctx, 1, args[0].tensor->num_elements, 0, 0);
        if (outs[i].tensor == NULL) {
            wg_release_run(ctx, outs, (size_t)i);
            return 78;
        }
        for (int64_t n = 0; i < 2 && n < args[i].tensor->num_elements; n++) {
            wg_native_set_real(outs[i].tensor, n, 10 * wg_native_real(args[i].tensor, n));
        }
    }
    *num_outs = 4;
    return 0;
}

int32_t mutate_in_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx;
    (void)outs;
    if (num_args != 2 || *num_outs != 0) {
        return 77;
    }
    wg_native_set_real(args[0].tensor, 0, 100);
    wg_native_set_real(args[1].tensor, 1, 200);
    return 0;
}

static void test_mutations(WgContext *ctx)
{
    static const double ten_a[3] = {0, 10, 20};
    static const double ten_b[3] = {50, 60, 70};
    WgTensor *leaf = counted(ctx, 1, 3, 0, 0);
    WgTensor *box = join(ctx, &Box, inner_context, leaf, NULL, 0, NULL, NULL);
    WgTensor *b = counted(ctx, 1, 3, 0, 5);
    t_mutate_out_inputs in = {join(ctx, &Two, y_context, box, b, 0, NULL, NULL)};
    t_mutate_out_outputs out = {0};
    const int64_t version = wg_version(ctx, leaf);
    check(t_mutate_out(ctx, &in, &out) == WG_OK && holds(leaf, 3, ten_a) && holds(b, 3, ten_b),
          "out of the graph: the parts of x are written");
    check(part(ctx, part(ctx, in.x, 0), 0) == leaf && part(ctx, in.x, 1) == b, "x still consists of the same tensors");
    check(wg_version(ctx, leaf) == version + 1 && wg_version(ctx, b) == version + 1, "each one version later");
    check(out.same == in.x && wg_native_count(in.x) == 2, "`same` is x itself, once more");
    t_mutate_out_outputs_release(ctx, &out);
    wg_release(ctx, in.x);

    box = join(ctx, &Box, z_context, counted(ctx, 1, 3, 0, 0), NULL, 0, NULL, NULL);
    b = counted(ctx, 1, 3, 0, 5);
    in.x = join(ctx, &Two, y_context, box, b, 0, NULL, NULL);
    check(t_mutate_out(ctx, &in, &out) == WG_E_HOST && out.same == NULL && wg_native_real(b, 0) == 5,
          "another context inside: the copy is refused before anything is written");
    wg_release(ctx, in.x);

    t_mutate_in_inputs inside = {
        join(ctx, &Two, NULL, counted(ctx, 1, 2, 0, 0), counted(ctx, 1, 2, 0, 5), 0, NULL, NULL)};
    t_mutate_in_outputs none;
    const int64_t before = wg_version(ctx, inside.x);
    check(t_mutate_in(ctx, &inside, &none) == WG_OK && wg_version(ctx, inside.x) == before + 1,
          "in the graph: x is one version later");
    check(wg_native_real(part(ctx, inside.x, 0), 0) == 100 && wg_native_real(part(ctx, inside.x, 1), 1) == 200,
          "and holds what the compiled function wrote");
    wg_release(ctx, inside.x);
}

/* ---- training ---- */

static WgTensor *times(WgContext *ctx, const WgTensor *lhs, const WgTensor *rhs)
{
    WgTensor *t = counted(ctx, 2, 2, lhs->sizes[1], 0);
    for (int64_t i = 0; t != NULL && i < t->num_elements; i++) {
        wg_native_set_real(t, i, wg_native_real(lhs, i) * wg_native_real(rhs, i));
    }
    return t;
}

/* (x.a, x.b, s1, s1, weight) to y.a, y.b, s1, s1, and saved: x.a, x.b, weight, s1 */
int32_t train_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != 5 || *num_outs != 8) {
        return 77;
    }
    memset(outs, 0, 8 * sizeof *outs);
    outs[0].tensor = times(ctx, args[0].tensor, args[4].tensor);
    outs[1].tensor = times(ctx, args[1].tensor, args[4].tensor);
    outs[2].integer = args[2].integer;
    outs[3].integer = args[3].integer;
    if (outs[0].tensor == NULL || outs[1].tensor == NULL || wg_retain(ctx, args[0].tensor, &outs[4].tensor) != 0 ||
        wg_retain(ctx, args[1].tensor, &outs[5].tensor) != 0 || wg_retain(ctx, args[4].tensor, &outs[6].tensor) != 0) {
        wg_release_run(ctx, outs, 2);
        wg_release_run(ctx, &outs[4], 3);
        return 78;
    }
    outs[7].integer = args[2].integer;
    *num_outs = 8;
    return 0;
}

static int tangents_were_compact;

/* (s1, x.a, x.b, weight, tangent a, tangent b) to (gradients a, b, s1, s1, gradient of weight); zeros for nulls */
int32_t train_backward_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    if (num_args != 6 || *num_outs != 5) {
        return 77;
    }
    memcpy(seen, args, num_args * sizeof *args);
    num_seen = num_args;
    memset(outs, 0, 5 * sizeof *outs);
    tangents_were_compact = 1;
    WgTensor *weight_grad = counted(ctx, 2, 2, args[0].integer, 0);
    for (int64_t n = 0; weight_grad != NULL && n < weight_grad->num_elements; n++) {
        double sum = 0;
        for (int i = 0; i < 2 && args[4 + i].tensor != NULL; i++) {
            sum += wg_native_real(args[4 + i].tensor, n) * wg_native_real(args[1 + i].tensor, n);
        }
        wg_native_set_real(weight_grad, n, sum);
    }
    for (int i = 0; i < 2; i++) {
        const WgTensor *tangent = args[4 + i].tensor;
        tangents_were_compact = tangents_were_compact && tangent != NULL && tangent->is_compact;
        outs[i].tensor = times(ctx, tangent == NULL ? args[1].tensor : tangent, args[3].tensor);
    }
    outs[2].integer = args[0].integer;
    outs[3].integer = args[0].integer;
    outs[4].tensor = weight_grad;
    if (outs[0].tensor == NULL || outs[1].tensor == NULL || weight_grad == NULL) {
        wg_release_run(ctx, outs, 2);
        wg_release(ctx, weight_grad);
        return 78;
    }
    *num_outs = 5;
    return 0;
}

/* 2 by 3: a is 0 ... 5, b is 10 ... 15 */
static WgTensor *make_two(WgContext *ctx, const WgType *type, const void *context, double start)
{
    return join(ctx, type, context, counted(ctx, 2, 2, 3, start), counted(ctx, 2, 2, 3, start + 10), 0, NULL, NULL);
}

/* A part that holds 0 3 / 1 4 / 2 5 in memory and is 0 1 2 / 3 4 5. */
static WgTensor *make_turned(WgContext *ctx)
{
    static const int64_t sizes[2] = {2, 3};
    static const int64_t strides[2] = {1, 2};
    static const double values[6] = {0, 3, 1, 4, 2, 5};
    const int64_t memory[2] = {3, 2};
    const WgGeometry turned = {sizes, strides, 0, 2};
    WgTensor *base = make(ctx, 2, memory, values);
    WgTensor *t = NULL;
    (void)wg_as_strided(ctx, base, &turned, &t);
    wg_release(ctx, base);
    return t;
}

/* The weight is 2 3 4 5 6 7. */
static void test_training(WgContext *ctx)
{
    static const double y_a[6] = {0, 1 * 3, 2 * 4, 3 * 5, 4 * 6, 5 * 7};
    static const double grad_b[6] = {10 * 2, 11 * 3, 12 * 4, 13 * 5, 14 * 6, 15 * 7};
    static const double grad_weight[6] = {0 + 100, 1 + 121, 4 + 144, 9 + 169, 16 + 196, 25 + 225};
    static const int64_t sizes[2] = {2, 3};
    static const int64_t strides[2] = {3, 1};
    t_train_inputs in = {make_two(ctx, &Two, NULL, 0), counted(ctx, 2, 2, 3, 2)};
    t_train_outputs out = {0};
    t_train_saved saved;
    t_train_gradients gradients = {0};
    check(t_train(ctx, &in, &out, &saved) == WG_OK && !wg_requires_grad(ctx, out.y),
          "y does not require grad where no argument does");
    t_train_outputs_release(ctx, &out);
    t_train_saved_release(ctx, &saved);
    check(wg_set_requires_grad(ctx, in.weight, 1) == 0, "the weight requires grad");
    check(t_train(ctx, &in, &out, &saved) == WG_OK && holds(part(ctx, out.y, 0), 6, y_a),
          "forward: y.a is x.a * weight");
    check(saved.tensors[0] == part(ctx, in.x, 0) && saved.tensors[2] == in.weight && saved.symints[0] == 3,
          "saved after the flat results: x.a, weight, s1");
    check(wg_requires_grad(ctx, out.y), "y requires grad");
    WgTensor *turned = make_turned(ctx);
    WgTensor *tangent = join(ctx, &Two, y_context, turned, counted(ctx, 2, 2, 3, 10), 2, sizes, strides);
    t_train_tangents tangents = {tangent};
    check(t_train_backward(ctx, &saved, &tangents, &gradients) == WG_OK && tangents_were_compact,
          "backward: a part of the tangent in another layout is made contiguous");
    check(seen[5].tensor == part(ctx, tangent, 1) && seen[4].tensor != turned, "the other is passed as it is");
    check(holds(part(ctx, gradients.x, 0), 6, y_a) && holds(part(ctx, gradients.x, 1), 6, grad_b),
          "the gradient of x is tangent * weight, part by part");
    check(gradients.x != NULL && wg_is_type(ctx, gradients.x, &Two) && wg_stride(ctx, gradients.x, 0) == 3,
          "and a Two of 2 by s1");
    check(holds(gradients.weight, 6, grad_weight), "the gradient of weight is the sum of tangent * x");
    t_train_gradients_release(ctx, &gradients);
    tangents.y = NULL;
    check(t_train_backward(ctx, &saved, &tangents, &gradients) == WG_OK && seen[4].tensor == NULL &&
              seen[5].tensor == NULL && num_seen == 6,
          "a missing tangent is a null for each of its parts");
    t_train_gradients_release(ctx, &gradients);
    WgTensor *const wrong[3] = {make_two(ctx, &Two, z_context, 0), make_two(ctx, &other_type, y_context, 0),
                                join(ctx, &Two, y_context, counted(ctx, 2, 2, 3, 0),
                                     join(ctx, &Box, NULL, counted(ctx, 2, 2, 3, 0), NULL, 0, NULL, NULL), 0, NULL,
                                     NULL)};
    static const char *const texts[3] = {"'y'", "'y'", "'y.b'"};
    static const char *const names[3] = {"a tangent with another context", "of another type",
                                         "with another type inside"};
    for (int i = 0; i < 3; i++) {
        tangents.y = wrong[i];
        check(t_train_backward(ctx, &saved, &tangents, &gradients) == WG_E_TYPE && gradients.x == NULL &&
                  error_says(ctx, texts[i]),
              names[i]);
        wg_release(ctx, wrong[i]);
    }
    check(wg_bump_version(ctx, part(ctx, in.x, 1)) == 0 &&
              t_train_backward(ctx, &saved, &(t_train_tangents){tangent}, &gradients) == WG_E_VERSION &&
              error_says(ctx, "modified after it was saved: version of saved tensor 1: expected 0, found 1"),
          "a part of x that was modified since is noticed");
    wg_release(ctx, tangent);
    t_train_saved_release(ctx, &saved);
    t_train_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
    wg_release(ctx, in.weight);
}

/* ---- memory ---- */

static int32_t run_deep(WgContext *ctx)
{
    t_deep_outputs out = {0};
    WgTensor *x = make_deep(ctx, 0, 5);
    const int32_t status = x == NULL ? 1 : call_deep(ctx, x, &out);
    const int left = status != WG_OK && (out.y != NULL || out.z != NULL);
    t_deep_outputs_release(ctx, &out);
    wg_release(ctx, x);
    return left ? -1 : status;
}

static int32_t run_mutation(WgContext *ctx)
{
    t_mutate_out_outputs out = {0};
    WgTensor *box = join(ctx, &Box, inner_context, counted(ctx, 1, 3, 0, 0), NULL, 0, NULL, NULL);
    const t_mutate_out_inputs in = {join(ctx, &Two, y_context, box, counted(ctx, 1, 3, 0, 5), 0, NULL, NULL)};
    const int32_t status = in.x == NULL ? 1 : t_mutate_out(ctx, &in, &out);
    t_mutate_out_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
    return status;
}

static int32_t run_training(WgContext *ctx)
{
    const t_train_inputs in = {make_two(ctx, &Two, NULL, 0), counted(ctx, 2, 2, 3, 2)};
    const t_train_tangents tangents = {make_two(ctx, &Two, y_context, 0)};
    t_train_outputs out = {0};
    t_train_saved saved;
    t_train_gradients gradients = {0};
    memset(&saved, 0, sizeof saved);
    int32_t status = in.x == NULL || in.weight == NULL || tangents.y == NULL ? 1 : t_train(ctx, &in, &out, &saved);
    if (status == WG_OK) {
        status = t_train_backward(ctx, &saved, &tangents, &gradients);
    }
    t_train_gradients_release(ctx, &gradients);
    t_train_saved_release(ctx, &saved);
    t_train_outputs_release(ctx, &out);
    wg_release(ctx, tangents.y);
    wg_release(ctx, in.x);
    wg_release(ctx, in.weight);
    return status;
}

/* Every allocation fails in turn, those of the arguments too. */
static void test_memory(const char *name, int32_t (*run)(WgContext *ctx))
{
    int num_failures = 0;
    int clean = 1;
    int32_t status = -1;
    for (int64_t n = 1; n < 300 && status != WG_OK; n++) {
        Tracking tracking;
        WgContext *ctx = NULL;
        tracking_begin(&tracking);
        if (wg_context_create(&tracking.allocator, &ctx) != 0) {
            abort();
        }
        tracking.fail_at = tracking.num_allocations + n;
        status = run(ctx);
        num_failures += status != WG_OK;
        clean = clean && status != -1 && wg_grad_mode(ctx) == 1;
        wg_context_destroy(ctx);
        clean = clean && tracking.live_blocks == 0 && tracking.live_bytes == 0;
    }
    check(status == WG_OK && num_failures > 10 && clean, name);
}

int main(void)
{
    Tracking tracking;
    WgContext *ctx = NULL;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != 0) {
        return 2;
    }
    test_deep_arguments(ctx);
    test_deep_results(ctx);
    test_deep_errors(ctx);
    test_leaves(ctx);
    test_mutations(ctx);
    test_training(ctx);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0 && tracking.live_bytes == 0, "everything was given back");
    test_memory("four levels: nothing is left whichever allocation fails", run_deep);
    test_memory("mutation: nothing is left whichever allocation fails", run_mutation);
    test_memory("training: nothing is left whichever allocation fails", run_training);
    return closing();
}
