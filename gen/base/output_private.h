/* SPDX-License-Identifier: MIT */
/*
 * output_private - what output.c and output_write.c share.
 */
#ifndef WRAPGEN_OUTPUT_PRIVATE_H
#define WRAPGEN_OUTPUT_PRIVATE_H

#include <sys/types.h>

#include "output.h"

/* Reports `what` (E_IO), with the reason from errno. Always returns false. */
bool output_fail(const Output *output, const char *path, const char *what);

/* The folder that a path is in, "." if it names none. */
const char *output_directory(Arena *arena, const char *path);

/* read() that continues after a signal. */
ssize_t output_read(int descriptor, char *data, size_t length);

#endif /* WRAPGEN_OUTPUT_PRIVATE_H */
