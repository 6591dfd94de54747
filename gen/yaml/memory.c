/* SPDX-License-Identifier: MIT */
/*
 * memory - each block has its capacity before it; one that was given back has the next of its size in it.
 *
 *   small:                     | capacity | data ........ |      4 bytes, then 4, 12, 20 ... bytes
 *   large: | capacity | unused |        0 | data ........ |      sizes above MEMORY_EXACT
 *
 * Nearly all blocks are small: a number and its terminator take 8 bytes with what is before them. The capacities make
 * the data of each begin where a pointer may lie.
 */
#include "memory.h"

#include <stdint.h>
#include <string.h>

typedef uint32_t Capacity; /* before the data; 0: of a large block, which has a header of its own */

typedef struct LargeBlock {
    _Alignas(ArenaMost) size_t capacity;
    unsigned char unused[16 - sizeof(size_t) - sizeof(Capacity)];
    Capacity none; /* is right before the data */
} LargeBlock;

_Static_assert(sizeof(LargeBlock) % _Alignof(ArenaMost) == 0, "the data of a large block is aligned");
_Static_assert(offsetof(LargeBlock, none) + sizeof(Capacity) == sizeof(LargeBlock),
               "the mark is right before the data");

static LargeBlock *large_of(void *data)
{
    return (LargeBlock *)data - 1;
}

static size_t capacity_of(void *data)
{
    const Capacity small = ((Capacity *)data)[-1];
    return small != 0 ? small : large_of(data)->capacity;
}

/* What is asked for, rounded up so that the next block's data is aligned, too. */
static size_t rounded(size_t size)
{
    const size_t lead = sizeof(Capacity);
    return (size + lead + MEMORY_STEP - 1) / MEMORY_STEP * MEMORY_STEP - lead;
}

static void give_back(Memory *memory, void *data)
{
    const size_t capacity = capacity_of(data);
    if (capacity <= MEMORY_EXACT && capacity >= sizeof data) { /* a link fits */
        void **spare = &memory->spare[capacity / MEMORY_STEP];
        memcpy(data, spare, sizeof *spare);
        *spare = data;
    }
}

static void *take_large(Memory *memory, size_t capacity)
{
    LargeBlock *block = arena_alloc(memory->arena, sizeof *block + capacity);
    block->capacity = capacity;
    return block + 1;
}

static void *take(Memory *memory, size_t capacity)
{
    if (capacity > MEMORY_EXACT) {
        return take_large(memory, capacity);
    }
    void **spare = &memory->spare[capacity / MEMORY_STEP];
    void *data = *spare;
    if (data != NULL) {
        memcpy(spare, data, sizeof *spare);
        return data;
    }
    Capacity *block = arena_alloc_after(memory->arena, sizeof *block, capacity);
    *block = (Capacity)capacity;
    return block + 1;
}

static void *enlarge(Memory *memory, void *old, size_t capacity)
{
    const size_t before = capacity_of(old);
    if (before > MEMORY_EXACT) { /* the arena moves large blocks without copying where the system can */
        LargeBlock *block =
            arena_grow_dirty(memory->arena, large_of(old), sizeof *block + before, sizeof *block + capacity);
        block->capacity = capacity;
        return block + 1;
    }
    void *data = take(memory, capacity);
    memcpy(data, old, before);
    give_back(memory, old);
    return data;
}

void *memory_resize(Memory *memory, void *ptr, size_t new_size)
{
    if (new_size > PTRDIFF_MAX / 4) {
        return arena_alloc(memory->arena, new_size); /* which ends the run: no system has so much memory */
    }
    if (new_size == 0) {
        if (ptr != NULL) {
            give_back(memory, ptr);
        }
        return NULL;
    }
    size_t capacity = rounded(new_size);
    if (ptr == NULL) {
        return take(memory, capacity);
    }
    const size_t before = capacity_of(ptr);
    if (new_size <= before) {
        return ptr;
    }
    if (capacity > MEMORY_EXACT && capacity < 2 * before) {
        capacity = rounded(2 * before);
    }
    return enlarge(memory, ptr, capacity);
}
