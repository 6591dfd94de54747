/* SPDX-License-Identifier: MIT */
/*
 * check - makes recorded inputs tensors of the native host, and compares what a call left behind with what PyTorch
 * left.
 */
#ifndef DEMO_CHECK_H
#define DEMO_CHECK_H

#include "data.h"
#include "wg_native.h"

/* One call's arguments on the native host. Storages are memory of ours, so that bytes which no tensor shows can be
 * compared too. */
typedef struct DemoArguments {
    WgValue *values; /* one per recorded input */
    size_t num_values;
    unsigned char **memory; /* one per storage before the call */
    size_t num_memory;
} DemoArguments;

/* What has been compared so far. */
typedef struct DemoReport {
    const char *graph;
    const char *call;
    int64_t num_values; /* elements and scalars held against PyTorch's */
    int64_t num_wrong;
} DemoReport;

/* Makes the tensors of `state`, aliasing, requires_grad and versions included. Status of the host, 0 when done; after a
 * failure too demo_release_arguments() is due. */
int32_t demo_make_arguments(WgContext *ctx, const DemoState *state, DemoArguments *out);
void demo_release_arguments(WgContext *ctx, const DemoState *state, DemoArguments *arguments);

/* Compares everything there is to compare with `after`; prints each difference. `arguments` were made from `before`,
 * `outs` has a value for each output of `after`. */
void demo_check_state(WgContext *ctx, const DemoState *before, const DemoState *after, const DemoArguments *arguments,
                      const WgValue *outs, DemoReport *report);

/* One element as text, floats with that many digits. */
void demo_element_text(int32_t dtype, const unsigned char *bytes, int digits, char *buffer, size_t capacity);

/* Address, inside the recorded storage, of the element at a row-major position of a recorded tensor. */
const unsigned char *demo_element(const DemoValue *value, int64_t position);

int64_t demo_num_elements(const DemoValue *value);

#endif /* DEMO_CHECK_H */
