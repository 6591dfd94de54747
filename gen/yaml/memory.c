/* SPDX-License-Identifier: MIT */
/*
 * memory - each block has its capacity before it; one that was given back has the next of its size in it.
 */
#include "memory.h"

#include <stdint.h>
#include <string.h>

struct MemoryBlock {
    _Alignas(ArenaMost) size_t capacity;
};

_Static_assert(sizeof(MemoryBlock *) <= MEMORY_STEP, "the smallest block has room for a link");

static void *data_of(MemoryBlock *block)
{
    return block + 1;
}

static void give_back(Memory *memory, MemoryBlock *block)
{
    if (block->capacity <= MEMORY_EXACT) {
        MemoryBlock **spare = &memory->spare[block->capacity / MEMORY_STEP];
        memcpy(data_of(block), spare, sizeof *spare);
        *spare = block;
    }
}

static MemoryBlock *take(Memory *memory, size_t capacity)
{
    MemoryBlock **spare = capacity <= MEMORY_EXACT ? &memory->spare[capacity / MEMORY_STEP] : NULL;
    MemoryBlock *block = spare != NULL ? *spare : NULL;
    if (block != NULL) {
        memcpy(spare, data_of(block), sizeof *spare);
        return block;
    }
    block = arena_alloc(memory->arena, sizeof *block + capacity);
    block->capacity = capacity;
    return block;
}

static MemoryBlock *enlarge(Memory *memory, MemoryBlock *old, size_t capacity)
{
    MemoryBlock *block = NULL;
    if (old->capacity > MEMORY_EXACT) { /* the arena moves large blocks without copying where the system can */
        block = arena_grow_dirty(memory->arena, old, sizeof *old + old->capacity, sizeof *old + capacity);
        block->capacity = capacity;
        return block;
    }
    block = take(memory, capacity);
    memcpy(data_of(block), data_of(old), old->capacity);
    give_back(memory, old);
    return block;
}

void *memory_resize(Memory *memory, void *ptr, size_t new_size)
{
    MemoryBlock *old = ptr != NULL ? (MemoryBlock *)ptr - 1 : NULL;
    size_t capacity = (new_size + MEMORY_STEP - 1) / MEMORY_STEP * MEMORY_STEP;
    if (new_size > PTRDIFF_MAX / 4) {
        return arena_alloc(memory->arena, new_size); /* which ends the run: no system has so much memory */
    }
    if (new_size == 0) {
        if (old != NULL) {
            give_back(memory, old);
        }
        return NULL;
    }
    if (old == NULL) {
        return data_of(take(memory, capacity));
    }
    if (new_size <= old->capacity) {
        return ptr;
    }
    if (capacity > MEMORY_EXACT && capacity < 2 * old->capacity) {
        capacity = 2 * old->capacity;
    }
    return data_of(enlarge(memory, old, capacity));
}
