/* SPDX-License-Identifier: 0BSD */
/* wg_dlpack_text.c - why a tensor was refused, as text. It needs stdio, as wg_native_text.c does. */
#include "wg_dlpack.h"

#include <inttypes.h>
#include <stdio.h>

size_t wg_dlpack_refusal_text(const WgContext *ctx, char *buffer, size_t capacity)
{
    const WgNativeRefusal *refusal = &ctx->refusal;
    const char *text = wg_dlpack_code_text(refusal->code);
    const int64_t first = refusal->found[0];
    const int64_t second = refusal->found[1];
    int length = 0;
    if (refusal->code == WG_DLPACK_E_VERSION) {
        length = snprintf(buffer, capacity,
                          "%s: the tensor is of DLPack %" PRId64 ".%" PRId64 ", and this host reads DLPack 1.x", text,
                          first, second);
    } else if (refusal->code == WG_DLPACK_E_DTYPE) {
        length =
            snprintf(buffer, capacity, "%s: DLDataType code %" PRId64 " with %" PRId64 " bits", text, first, second);
    } else if (refusal->code == WG_DLPACK_E_LANES) {
        length = snprintf(buffer, capacity, "%s: %" PRId64, text, first);
    } else if (refusal->code == WG_DLPACK_E_DEVICE) {
        length = snprintf(buffer, capacity, "%s: device type %" PRId64 ", device %" PRId64, text, first, second);
    } else {
        length = snprintf(buffer, capacity, "%s", text == NULL ? "" : text);
    }
    return length < 0 ? 0 : (size_t)length;
}
