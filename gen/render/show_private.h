/* SPDX-License-Identifier: MIT */
/* show_private - shared by show.c (values), show_steps.c (ops in words), show_picture.c,
 * show_kernel.c and show_dispatch.c only. */
#ifndef WRAPGEN_SHOW_PRIVATE_H
#define WRAPGEN_SHOW_PRIVATE_H

#include "../dispatch/prove.h"
#include "show.h"
#include "view_private.h"

/* An item {number, name, text, mark} of a list; the texts are borrowed. */
Value show_row(View *view, Value list, uint32_t number, const char *name, const char *text);

/* The plan's ops in their order: sections with their lines. */
Value show_steps(View *view, const Plan *plan);

/* The plan as boxes and arrows: what comes in, the compiled function, what comes out. */
Value show_picture(View *view, const Plan *plan);

/* How the dispatcher finds a variant; null if there are none. */
Value show_dispatch(View *view, const Kernel *kernel, const Dispatch *dispatch, const DispatchPlan *plan,
                    const Proof *proof);

#endif /* WRAPGEN_SHOW_PRIVATE_H */
