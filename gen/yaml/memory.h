/* SPDX-License-Identifier: MIT */
/*
 * memory - what libcyaml gets its memory from: an arena, with the blocks that it gave back kept for the next ones.
 *
 * libcyaml makes a sequence one entry longer each time, and what it makes lives as long as the run. So a short sequence
 * has exactly the room that it needs, and the places that it grew out of serve others; a long one has up to twice the
 * room, so that growing it takes linear time.
 */
#ifndef WRAPGEN_MEMORY_H
#define WRAPGEN_MEMORY_H

#include <stddef.h>

#include "../base/arena.h"

enum { MEMORY_STEP = _Alignof(ArenaMember), MEMORY_EXACT = 4096 };

typedef struct Memory {
    Arena *arena;
    void *spare[MEMORY_EXACT / MEMORY_STEP + 1]; /* given back, by capacity */
} Memory;

/* As realloc, for any size: `ptr` may be null, a new_size of 0 gives the block back and returns null. New bytes are
 * undefined. Blocks are aligned for pointers and integers. */
void *memory_resize(Memory *memory, void *ptr, size_t new_size);

#endif /* WRAPGEN_MEMORY_H */
