/* SPDX-License-Identifier: MIT */
/*
 * output_private - what output.c and output_write.c share.
 */
#ifndef WRAPGEN_OUTPUT_PRIVATE_H
#define WRAPGEN_OUTPUT_PRIVATE_H

#include <sys/types.h>

#include "output.h"

/* Reports `what` (E_IO), with the reason that errno gives. Always false. */
bool output_fail(const Output *output, const char *path, const char *what);

/* The folder a path is in: "." where it names none. */
const char *output_directory(Arena *arena, const char *path);

/* read() that goes on after a signal. */
ssize_t output_read(int descriptor, char *data, size_t length);

#endif /* WRAPGEN_OUTPUT_PRIVATE_H */
