/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/yaml/memory.c: what libcyaml does with sequences, that blocks are used again and never by two, that
 * growth takes linear memory, and sizes that no machine has. Each block has a pattern of its own.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include "gen/yaml/memory.h"
#include "tests/unit/check.h"

static bool is_all(const unsigned char *data, size_t size, unsigned char byte)
{
    for (size_t i = 0; i < size; i++) {
        if (data[i] != byte) {
            return false;
        }
    }
    return true;
}

/* A long sequence gets one entry more each time, with a block between, so that nothing can grow in place. */
static void test_long(void)
{
    Arena arena = {0};
    Memory memory = {.arena = &arena};
    uint32_t *numbers = NULL;
    bool kept = true;
    const uint32_t count = 100000;

    for (uint32_t i = 0; i < count; i++) {
        numbers = memory_resize(&memory, numbers, (i + 1) * sizeof *numbers);
        numbers[i] = i;
        (void)memory_resize(&memory, NULL, 24);
    }
    for (uint32_t i = 0; i < count; i++) {
        kept = kept && numbers[i] == i;
    }
    check(kept, "an array that grew entry by entry has all entries");
    /* Doubling hands out at most 4 times the final size in all; a block of 24 takes 32 with its header. */
    check(arena.used < count * (4 * sizeof *numbers + 32), "growing entry by entry takes linear memory (%zu)",
          arena.used);
    check(!memory_resize(&memory, numbers, 0), "size 0 gives null");
    arena_release(&arena);
}

/* Many sequences of three entries of 100 bytes: each ends in a block of 300 bytes and its header of 4. The blocks of
 * 100 and 204 bytes that it grew out of serve the next. */
static void test_short(void)
{
    Arena arena = {0};
    Memory memory = {.arena = &arena};
    const size_t count = 1000;

    for (size_t i = 0; i < count; i++) {
        void *entries = NULL;
        for (size_t n = 1; n <= 3; n++) {
            entries = memory_resize(&memory, entries, n * 100);
            memset(entries, (int)n, n * 100);
        }
    }
    check(arena.used == count * (300 + 4) + (100 + 4) + (204 + 4), "short sequences have the room they need (%zu)",
          arena.used);
    arena_release(&arena);
}

enum { NUM_OBJECTS = 200 };

typedef struct Object {
    unsigned char *data;
    size_t size;
    unsigned char byte;
} Object;

static void test_random(void)
{
    static Object objects[NUM_OBJECTS];
    Arena arena = {0};
    Memory memory = {.arena = &arena};
    bool kept = true;

    srand(1);
    for (int i = 0; i < 20000; i++) {
        Object *object = &objects[rand() % NUM_OBJECTS];
        const size_t most = rand() % 20 ? 300 : 20000;
        const size_t size = rand() % 4 ? 1 + (size_t)rand() % most + object->size % 1000 : 0;
        kept = kept && is_all(object->data, object->size, object->byte);
        object->data = memory_resize(&memory, object->data, size);
        kept = kept && is_all(object->data, size < object->size ? size : object->size, object->byte) &&
               (uintptr_t)object->data % _Alignof(ArenaMember) == 0;
        object->size = size;
        object->byte = (unsigned char)i;
        if (size > 0) {
            memset(object->data, i, size);
        }
    }
    check(kept, "20000 random sizes, seed 1: no block touches another, and what was written stays");
    arena_release(&arena);
}

static void leap(void *ctx)
{
    longjmp(*(jmp_buf *)ctx, 1);
}

static void test_exhausted(void)
{
    Arena arena = {0};
    Memory memory = {.arena = &arena};
    jmp_buf back;
    volatile int num_leaps = 0;

    arena.on_exhausted = leap;
    arena.exhausted_ctx = &back;
    if (setjmp(back)) {
        num_leaps++;
    }
    if (num_leaps < 2) {
        (void)memory_resize(&memory, num_leaps ? memory_resize(&memory, NULL, 10) : NULL, SIZE_MAX - 4);
    }
    check(num_leaps == 2, "a size that cannot be had leaves by on_exhausted (%d of 2)", num_leaps);
    arena_release(&arena);
}

int main(void)
{
    test_long();
    test_short();
    test_random();
    test_exhausted();
    return check_done();
}
