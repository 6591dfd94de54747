/* SPDX-License-Identifier: MIT */
/*
 * output_private - what output.c, output_write.c and output_sweep.c share.
 */
#ifndef WRAPGEN_OUTPUT_PRIVATE_H
#define WRAPGEN_OUTPUT_PRIVATE_H

#include <sys/types.h>

#include "output.h"

/* Reports `what` (E_IO), with the reason from errno. Always returns false. */
bool output_fail(const Output *output, const char *path, const char *what);

/* As LongText's: all bytes of an output. */
bool output_each(const OutputFile *file, LongSink *sink, void *ctx);

/* Has the target exactly the bytes of the output? One that cannot be read does not, and `reason` is why, else 0; nor
 * does anything but a plain file. */
bool output_is_there(const OutputFile *file, int *reason);

/* The folder that a path is in, "." if it names none. */
const char *output_directory(Arena *arena, const char *path);

/* Removes what runs that were killed left in the folders of the outputs. */
void output_sweep(Output *output);

/* Asks again what is to be removed. */
void output_find_leftovers(Output *output);

/* read() that continues after a signal. */
ssize_t output_read(int descriptor, char *data, size_t length);

#endif /* WRAPGEN_OUTPUT_PRIVATE_H */
