/* SPDX-License-Identifier: 0BSD */
/* variants.h - what the example's kernels tell its program. */
#ifndef VARIANTS_H
#define VARIANTS_H

/* The name of the variant that was called last. */
extern const char *last_variant;

#endif /* VARIANTS_H */
