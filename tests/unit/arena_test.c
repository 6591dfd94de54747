/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/base/arena.c: alignment, zeroes, distinct objects, growth in place and by moving, exhaustion; then a
 * random run in which each object holds a pattern of its own, so that two that overlap are found.
 */
#include <setjmp.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/base/arena.h"
#include "tests/unit/check.h"

/* Sizes around the borders inside arena.c (32 KiB for a block of its own, 256 KiB blocks), and far from them. */
static const size_t sizes[] = {0, 1, 15, 16, 17, 4000, 32767, 32768, 32769, 262143, 262144, 5000000};

enum { NUM_SIZES = sizeof sizes / sizeof sizes[0] };

static bool is_all(const unsigned char *data, size_t size, unsigned char byte)
{
    for (size_t i = 0; i < size; i++) {
        if (data[i] != byte) {
            return false;
        }
    }
    return true;
}

static void test_alloc(void)
{
    Arena arena = {0};
    unsigned char *objects[NUM_SIZES];

    for (size_t i = 0; i < NUM_SIZES; i++) {
        objects[i] = arena_alloc(&arena, sizes[i]);
        check((uintptr_t)objects[i] % _Alignof(max_align_t) == 0, "%zu bytes are aligned", sizes[i]);
        check(is_all(objects[i], sizes[i], 0), "%zu bytes are zero", sizes[i]);
        memset(objects[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < NUM_SIZES; i++) {
        check(is_all(objects[i], sizes[i], (unsigned char)(i + 1)), "%zu bytes keep what was written", sizes[i]);
    }
    check(arena_alloc(&arena, 0) != arena_alloc(&arena, 0), "two objects of no bytes are two");
    arena_release(&arena);
    check(is_all(arena_alloc(&arena, 100), 100, 0), "a released arena can be used again");
    arena_release(&arena);
}

/* Leads of every size, between texts that end anywhere, as long as there is room and in a new block. */
static void test_behind(void)
{
    Arena arena = {0};
    bool aligned = true;
    bool kept = true;
    unsigned char *before = NULL;

    for (size_t i = 0; i < 2000; i++) {
        const size_t lead = i % 23;
        const size_t size = i % 7 == 0 ? 4096 : 4 + 8 * (i % 5);
        unsigned char *object = arena_alloc_after(&arena, lead, size);
        aligned = aligned && (uintptr_t)(object + lead) % _Alignof(ArenaMember) == 0;
        memset(object, (int)i, lead + size);
        kept = kept && (before == NULL || is_all(before, 4, (unsigned char)(i - 1)));
        before = object + lead + size - 4;
        (void)arena_copy(&arena, "text", i % 5);
    }
    check(aligned && kept, "data is aligned, whatever header is before it");
    arena_release(&arena);
}

static void test_grow(void)
{
    Arena arena;
    unsigned char *object = NULL;
    unsigned char *other = NULL;
    size_t size = 0;

    arena_init(&arena);
    for (size_t i = 0; i < NUM_SIZES; i++) {
        object = arena_grow(&arena, object, size, sizes[i]);
        check(is_all(object, size, 7), "grown to %zu bytes, the old ones are kept", sizes[i]);
        check(is_all(object + size, sizes[i] - size, 0), "grown to %zu bytes, the new ones are zero", sizes[i]);
        memset(object, 7, sizes[i]);
        size = sizes[i];
    }
    object = arena_alloc(&arena, 100);
    check(arena_grow(&arena, object, 100, 200) == object, "the last object grows in place");
    other = arena_alloc(&arena, 1);
    memset(object, 7, 200);
    *other = 9;
    object = arena_grow(&arena, object, 200, 300);
    check(is_all(object, 200, 7) && is_all(object + 200, 100, 0) && *other == 9, "one that is not moves");
    check(arena_grow(&arena, object, 300, 10) == object, "nothing shrinks");
    arena_release(&arena);
}

static void test_reset(void)
{
    Arena arena = {0};
    unsigned char *first = arena_alloc(&arena, 1000);

    memset(first, 7, 1000);
    arena_reset(&arena);
    check(arena.used == 0 && arena_alloc(&arena, 1000) == first, "a small arena that is reset keeps its block");
    check(is_all(first, 1000, 0), "and gives out zeroes");
    memset(arena_alloc(&arena, 200000), 7, 200000);
    memset(arena_alloc(&arena, 100000), 7, 100000);
    arena_reset(&arena);
    check(is_all(arena_alloc(&arena, 30000), 30000, 0), "a large one gives out zeroes as well");
    arena_release(&arena);
    arena_reset(&arena);
    check(is_all(arena_alloc(&arena, 10), 10, 0), "and so does an empty one");
    arena_release(&arena);
}

/* Two large objects are neighbours in the chain of blocks; growing each in turn must not lose the other. */
static void test_grow_large(void)
{
    Arena arena = {0};
    unsigned char *objects[4];
    size_t size = 70000;
    bool kept = true;

    for (size_t i = 0; i < 4; i++) {
        objects[i] = arena_alloc(&arena, size);
        memset(objects[i], (int)i + 1, size);
    }
    for (int round = 0; round < 6; round++) {
        for (size_t i = 0; i < 4; i++) {
            objects[i] = arena_grow(&arena, objects[i], size, size * 2);
            kept = kept && is_all(objects[i], size, (unsigned char)(i + 1)) && is_all(objects[i] + size, size, 0);
            memset(objects[i], (int)i + 1, size * 2);
        }
        size *= 2;
    }
    check(kept, "large objects that grow in turn keep their bytes");
    arena_release(&arena);
}

/* Of three large objects each is given back once, with a small one between them or none. */
static void test_drop(void)
{
    const size_t size = 70000;
    bool kept = true;

    for (size_t i = 0; i < 6; i++) {
        Arena arena = {0};
        unsigned char *objects[3];
        for (size_t n = 0; n < 3; n++) {
            objects[n] = arena_alloc(&arena, size);
            memset(objects[n], (int)n + 1, size);
            (void)(i < 3 ? NULL : arena_alloc(&arena, 1));
        }
        const size_t used = arena.used;
        arena_drop(&arena, objects[i % 3], size);
        kept = kept && arena.used == used - size;
        for (size_t n = 0; n < 3; n++) {
            objects[n] = n == i % 3 ? arena_alloc(&arena, size) : arena_grow(&arena, objects[n], size, 2 * size);
            kept = kept && is_all(objects[n], size, n == i % 3 ? 0 : (unsigned char)(n + 1));
        }
        arena_drop(&arena, NULL, 0);
        arena_release(&arena);
    }
    check(kept, "a large object that is given back takes no other with it");
}

static void test_text(void)
{
    Arena arena = {0};

    check_text(arena_copy(&arena, "wrapper", 4), "wrap", "a copy ends where it was told to");
    check_text(arena_copy(&arena, NULL, 0), "", "a copy of nothing");
    check_text(arena_printf(&arena, "%s_%d", "arg", 12), "arg_12", "printf");
    check_text(arena_printf(&arena, "%s", ""), "", "printf of nothing");
    check_text(arena_printf(&arena, "%d %d %u.", 0, INT32_MIN, UINT32_MAX), "0 -2147483648 4294967295.",
               "printf of the edges of int");
    check_text(arena_printf(&arena, "%" PRId64 "|%" PRIu64 "|%" PRId64, INT64_MIN, UINT64_MAX, (int64_t)-7),
               "-9223372036854775808|18446744073709551615|-7", "printf of the edges of 64 bits");
    check_text(arena_printf(&arena, "%d%s%c%.*s%3d%%", 1, "two", '3', 2, "four", 5), "1two3fo  5%",
               "printf of what is rare");
    char wide[400];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    for (size_t length = 250; length < 262; length++) { /* around the length of a short text */
        const char *text = arena_printf(&arena, "%s%d", wide + sizeof wide - 1 - length, 12);
        check(strlen(text) == length + 2 && memcmp(text, wide, length) == 0 && strcmp(text + length, "12") == 0,
              "printf of a long text");
    }
    arena_release(&arena);
}

static void leap(void *ctx)
{
    longjmp(*(jmp_buf *)ctx, 1);
}

static void test_exhausted(void)
{
    Arena arena = {0};
    jmp_buf back;
    volatile int num_leaps = 0;
    int status = 0;
    pid_t child = 0;

    arena.on_exhausted = leap;
    arena.exhausted_ctx = &back;
    if (setjmp(back)) {
        num_leaps++;
    }
    switch (num_leaps) {
    case 0:
        arena_alloc(&arena, SIZE_MAX - 4);
        break;
    case 1:
        arena_array(&arena, SIZE_MAX / 4 + 2, 4); /* 4 bytes, if it wrapped around */
        break;
    case 2:
        arena_grow(&arena, arena_alloc(&arena, 100000), 100000, SIZE_MAX - 4);
        break;
    default:
        break;
    }
    check(num_leaps == 3, "each call that can run out of memory leaves by on_exhausted (%d of 3)", num_leaps);
    arena_release(&arena);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        arena.on_exhausted = NULL;
        (void)!freopen("/dev/null", "w", stderr);
        arena_alloc(&arena, SIZE_MAX - 4);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3,
          "without on_exhausted the process ends with exit code 3");
}

typedef struct Object {
    unsigned char *data;
    size_t size;
    unsigned char byte;
} Object;

static void test_random(void)
{
    Arena arena = {0};
    Object objects[200] = {0};
    bool kept = true;

    srand(1);
    for (int i = 0; i < 20000; i++) {
        Object *object = &objects[rand() % 200];
        size_t size = (size_t)(rand() % 50 ? rand() % 300 : rand() % 200000);
        kept = kept && is_all(object->data, object->size, object->byte);
        if (rand() % 3) {
            object->data = arena_alloc(&arena, size);
            object->size = size;
        } else {
            size += object->size;
            object->data = arena_grow(&arena, object->data, object->size, size);
            object->size = size > object->size ? size : object->size;
        }
        object->byte = (unsigned char)i;
        memset(object->data, i, object->size);
        if (object->size > 1000000) {
            *object = (Object){0};
        }
    }
    check(kept, "20000 random allocations and growths, seed 1: no object touches another");
    arena_release(&arena);
}

int main(void)
{
    test_alloc();
    test_behind();
    test_grow();
    test_reset();
    test_grow_large();
    test_drop();
    test_text();
    test_exhausted();
    test_random();
    return check_done();
}
