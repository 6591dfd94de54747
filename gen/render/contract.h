/* SPDX-License-Identifier: MIT */
/*
 * contract - what was generated, as JSON for programs: --emit-contract. For graphs: their entries, inputs, outputs,
 * what their compiled functions get and return (callee.h), and the wrappers at work as sections, each with the YAML
 * path it came from. For kernels: their arguments, how their key is made (templates/core/wg_key.h describes the words),
 * and test vectors: calls with their words and hash.
 *
 * templates/core/wg_key.py makes keys from it; "contract" is its version, which is raised when readers must adapt.
 */
#ifndef WRAPGEN_CONTRACT_H
#define WRAPGEN_CONTRACT_H

#include "../dispatch/kernel.h"
#include "../base/str.h"

/* One graph (backward is null except for training), one kernel, each as an object without a comma after it. */
void contract_graph(const Plan *plan, const Plan *backward, Str *out);
void contract_kernel(const Kernel *kernel, Str *out);

/* contract_vector.c: the list of test vectors. */
void contract_vectors(const Kernel *kernel, Str *out);

#endif /* WRAPGEN_CONTRACT_H */
