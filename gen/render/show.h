/* SPDX-License-Identifier: MIT */
/*
 * show - graphs and kernels explained to a person: --show and --show-html.
 *
 * What is shown is made from what lowering recorded: values in the words of callee.h, each op in the words of ops.def,
 * conditions in those of a miss. So it cannot differ from the generated code. The templates show*.mustache arrange it.
 */
#ifndef WRAPGEN_SHOW_H
#define WRAPGEN_SHOW_H

#include "view.h"

/* What templates/show_graph.mustache and show_graph_html.mustache use; backward is null except for training. */
Value show_graph(View *view, const Plan *plan, const Plan *backward);

/* The same for show_kernel.mustache and show_kernel_html.mustache. */
Value show_kernel(View *view, Kernel *kernel);

#endif /* WRAPGEN_SHOW_H */
