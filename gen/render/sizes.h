/* SPDX-License-Identifier: MIT */
/*
 * sizes - how many bytes of the output each part of it has, counted as it is rendered, and what sharing saves: the
 * table of --size-report. sizes.def lists the parts.
 */
#ifndef WRAPGEN_SIZES_H
#define WRAPGEN_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/str.h"
#include "../plan/plan.h"

/* clang-format off */
typedef enum SizesPart {
#define PART(name, in_functions, what) SIZES_##name,
#include "sizes.def"
    SIZES_PARTS
} SizesPart;
/* clang-format on */

enum { SIZES_ROWS = SIZES_PARTS + LAYER_COUNT };

typedef enum SizesFile { SIZES_SOURCE, SIZES_HEADER, SIZES_FILES } SizesFile;

/* A function that several graphs share. */
typedef struct SizesShared {
    const char *symbol; /* of the first of them */
    size_t bytes;
    uint32_t members;
} SizesShared;

typedef struct Sizes {
    Arena *arena;
    SizesFile file; /* that is being rendered */
    size_t bytes[SIZES_FILES][SIZES_ROWS];
    SizesShared *shared;
    uint32_t num_shared;
} Sizes;

/* The MustacheMeasure of the engine; its context is a Sizes. */
void sizes_measure(void *ctx, const char *template, const void *origin, size_t length);

/* That much of what counts as the top of the source was counted before, when it was rendered by itself. */
void sizes_counted_before(Sizes *sizes, size_t length);

/* The bytes of functions of graphs so far. */
size_t sizes_functions(const Sizes *sizes);

/* So many graphs share what was counted since there were `before` bytes of functions. */
void sizes_share(Sizes *sizes, const char *symbol, uint32_t members, size_t before);

/* `source` and `header` are their lengths. */
void sizes_report(const Sizes *sizes, size_t source, size_t header, Str *out);

#endif /* WRAPGEN_SIZES_H */
