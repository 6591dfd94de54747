/* SPDX-License-Identifier: MIT */
/*
 * A caller or a compiled function borrows pieces of one memory. Where both begin at one address, an offset says the
 * same place in both, and all is as with one storage. Where one begins elsewhere, what would take the offset of one for
 * a place in the other is refused, and nothing has changed.
 */
#include "wg_native.h"
#include "wrappers.h"

#include "../exec.h"

static float memory[16];
static int64_t piece_begins; /* of what a compiled function returns: an element of memory */
static int64_t piece_offset; /* from there */

static void fill(void)
{
    for (int i = 0; i < 16; i++) {
        memory[i] = (float)i;
    }
}

/* A row over all of memory from element `begins` on. */
static WgTensor *borrow(WgContext *ctx, int64_t begins, int64_t offset, int64_t size)
{
    const WgGeometry geometry = {&size, (const int64_t[]){1}, offset, 1};
    WgTensor *t = NULL;
    (void)wg_native_borrow(ctx, memory + begins, (16 - begins) * (int64_t)sizeof *memory, &geometry, WG_FLOAT32, WG_CPU,
                           NULL, NULL, &t);
    return t;
}

/* whole[0] = part[0], where part begins at element 2 of the base. */
int32_t run_merged(WgContext *ctx, const WgValue *inputs, size_t num_inputs, WgValue *outs, size_t *num_outs)
{
    float *base = wg_data(ctx, inputs[0].tensor);
    (void)num_inputs;
    (void)outs;
    base[0] = base[2];
    *num_outs = 0;
    return WG_OK;
}

/* Three elements of the input's memory. */
int32_t run_alias(WgContext *ctx, const WgValue *inputs, size_t num_inputs, WgValue *outs, size_t *num_outs)
{
    (void)inputs;
    (void)num_inputs;
    outs[0].tensor = borrow(ctx, piece_begins, piece_offset, 3);
    *num_outs = 1;
    return WG_OK;
}

/* A row, and three elements of its memory. */
int32_t run_alias_of_output(WgContext *ctx, const WgValue *inputs, size_t num_inputs, WgValue *outs, size_t *num_outs)
{
    (void)inputs;
    (void)num_inputs;
    outs[0].tensor = borrow(ctx, 0, 0, 8);
    outs[1].tensor = borrow(ctx, piece_begins, piece_offset, 3);
    *num_outs = 2;
    return WG_OK;
}

static void test_merged(WgContext *ctx)
{
    WgTensor *whole = borrow(ctx, 0, 0, 8);
    WgTensor *part = borrow(ctx, 0, 2, 4);
    WgTensor *elsewhere = borrow(ctx, 1, 2, 4);
    fill();
    const WgValue apart[] = {wg_value_tensor(whole), wg_value_tensor(elsewhere)};
    check(pieces_merged_boxed(ctx, apart, 2, NULL, 0) == WG_E_IDENTITY && error_says(ctx, "storage") && memory[0] == 0,
          "merged inputs, one of them over a piece that begins elsewhere, are refused");
    const WgValue together[] = {wg_value_tensor(whole), wg_value_tensor(part)};
    check(pieces_merged_boxed(ctx, together, 2, NULL, 0) == WG_OK && memory[0] == 2,
          "two pieces that begin at one address are merged");
    wg_release(ctx, whole);
    wg_release(ctx, part);
    wg_release(ctx, elsewhere);
}

typedef int32_t Boxed(WgContext *ctx, const WgValue *inputs, size_t num_inputs, WgValue *outs, size_t num_outs);

/* The last of `num_outs` results is a view of elements 3 to 5, or refused. */
static void test_alias(WgContext *ctx, Boxed *boxed, size_t num_outs, const char *right, const char *refused)
{
    WgTensor *x = borrow(ctx, 0, 0, 8);
    const WgValue inputs[] = {wg_value_tensor(x)};
    WgValue outs[2] = {{.tensor = NULL}, {.tensor = NULL}};
    fill();
    piece_begins = 0, piece_offset = 3;
    check(boxed(ctx, inputs, 1, outs, num_outs) == WG_OK &&
              holds(outs[num_outs - 1].tensor, 3, (const double[]){3, 4, 5}),
          right);
    for (size_t i = 0; i < num_outs; i++) {
        wg_release(ctx, outs[i].tensor);
    }
    piece_begins = 3, piece_offset = 0;
    check(boxed(ctx, inputs, 1, outs, num_outs) == WG_E_RESULT && error_says(ctx, "storage"), refused);
    wg_release(ctx, x);
}

static void test_metadata(WgContext *ctx)
{
    WgTensor *x = borrow(ctx, 0, 0, 8);
    const WgValue inputs[] = {wg_value_tensor(x)};
    fill();
    piece_begins = 3, piece_offset = 0;
    check(pieces_metadata_boxed(ctx, inputs, 1, NULL, 0) == WG_E_RESULT && error_says(ctx, "storage") &&
              wg_size(ctx, x, 0) == 8,
          "new metadata of a piece that begins elsewhere is refused, and the input stays as it was");
    piece_begins = 0, piece_offset = 3;
    check(pieces_metadata_boxed(ctx, inputs, 1, NULL, 0) == WG_OK && holds(x, 3, (const double[]){3, 4, 5}),
          "new metadata of one that begins at the same address is taken");
    wg_release(ctx, x);
}

int main(void)
{
    WgContext *ctx = NULL;
    Tracking tracking;
    tracking_begin(&tracking);
    if (wg_context_create(&tracking.allocator, &ctx) != WG_OK) {
        return 1;
    }
    test_merged(ctx);
    test_alias(ctx, pieces_alias_boxed, 1, "an alias of an input over a piece that begins at the same address is right",
               "an alias of an input over a piece that begins elsewhere is refused");
    test_alias(ctx, pieces_alias_of_output_boxed, 2, "and so is one of an output", "and so is one of an output");
    test_metadata(ctx);
    wg_context_destroy(ctx);
    check(tracking.live_blocks == 0, "nothing is left alive");
    return closing();
}
