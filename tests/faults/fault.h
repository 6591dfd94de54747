/* SPDX-License-Identifier: MIT */
/* fault.h - what takes the place of an operand in a faulty wrapper. run.sh puts it at the top of a self-test. */
#include "wg_core.h"

WgTensor *wg_fault_other(WgContext *ctx, const void *tensor);
int64_t wg_fault_number(WgContext *ctx, int64_t value);

/* Another value: a tensor that is another one, or a number that is greater by one. */
#define WG_FAULT_VALUE(v)                                                                                              \
    _Generic((v), WgTensor * : wg_fault_other, const WgTensor * : wg_fault_other, default : wg_fault_number)(ctx, (v))

extern const WgType wg_fault_type;
static const WgSite wg_fault_site = {"other", "other", "other", WG_E_INTERNAL, WG_KIND_NONE};

/* Of names, those that have a counterpart. */
#define WG_FAULT_wg_size                wg_stride
#define WG_FAULT_wg_stride              wg_size
#define WG_FAULT_wg_key_type(ctx, t)    (wg_key_type(ctx, t) ^ 1)
#define WG_FAULT_wg_key_type_on(ctx, t) (wg_key_type_on(ctx, t) ^ 1)
#define WG_FAULT_WG_CONTIGUOUS          WG_CHANNELS_LAST
#define WG_FAULT_WG_CHANNELS_LAST       WG_CONTIGUOUS
#define WG_FAULT_WG_CHANNELS_LAST_3D    WG_CONTIGUOUS
#define WG_FAULT_tensors                symints
#define WG_FAULT_symints                tensors
#define WG_FAULT_call_args              results
#define WG_FAULT_args                   outs
#define WG_FAULT_results                call_args
#define WG_FAULT_NULL                   (&wg_fault_type)
