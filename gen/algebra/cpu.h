/* SPDX-License-Identifier: MIT */
/*
 * cpu - the features of CPUs that a variant may ask for, by their numbers in templates/core/wg_cpu.h, which lists them.
 */
#ifndef WRAPGEN_CPU_H
#define WRAPGEN_CPU_H

#include <stdint.h>

/* The number of "avx2"; -1: there is none of that name. */
int32_t cpu_feature(const char *word);

/* "avx2", and the constant "WG_CPU_AVX2"; null after the last one. */
const char *cpu_word(int32_t feature);
const char *cpu_constant(int32_t feature);

#endif /* WRAPGEN_CPU_H */
