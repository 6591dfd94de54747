/* SPDX-License-Identifier: 0BSD */
/* The native host's verbs, and wg_view_base as VERBS.md states it; enough to compile, never linked. */
#ifndef WG_GRAD_H
#define WG_GRAD_H

#include "wg_native.h"

extern const int32_t wg_host_grad_abi1;

int wg_is_view(WgContext *ctx, const WgTensor *t);
int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out);
int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out);

#endif /* WG_GRAD_H */
