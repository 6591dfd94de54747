/* SPDX-License-Identifier: MIT */
/*
 * views_print - see views_print.c.
 */
#ifndef VIEWS_PRINT_H
#define VIEWS_PRINT_H

#include <stdint.h>
#include <stdio.h>

/* Prints that many sequences, of the seeds from `seed` on. */
void views_print(FILE *file, uint64_t seed, uint32_t count);

#endif /* VIEWS_PRINT_H */
