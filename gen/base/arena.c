/* SPDX-License-Identifier: MIT */
/*
 * arena - a bump allocator with blocks that start at 4 KiB and double up to 256 KiB.
 *
 *   block: | header | object | object | ...... free ...... |
 *                                      ^next               ^end
 *
 * Blocks come zeroed from calloc. The first is small because many arenas live for only one question, and zeroing a
 * large block costs more than most answers. An object larger than ARENA_LARGE gets its own block, chained after the
 * newest one, so that the free rest of that one is not lost, and growing such an object is a realloc (on Linux mostly a
 * move of pages, not a copy). So an object's size alone tells which of the two kinds it is.
 *
 * Under AddressSanitizer the free rest and a gap after each object are poisoned, so overruns of single objects are
 * found as if each came from malloc.
 */
#include "arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
enum { ARENA_GAP = 16, ARENA_TEXT_ALIGN = 8 };
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
enum { ARENA_GAP = 0, ARENA_TEXT_ALIGN = 1 };
#endif

enum { ARENA_FIRST = 4 * 1024, ARENA_BLOCK = 256 * 1024, ARENA_LARGE = 32 * 1024, ARENA_ALIGN = _Alignof(max_align_t) };

struct ArenaBlock {
    _Alignas(max_align_t) ArenaBlock *older;
    ArenaBlock *newer; /* only so that a large block that moves can update both its neighbours */
};

_Static_assert(sizeof(ArenaBlock) % ARENA_ALIGN == 0, "what follows a header must be aligned");
_Static_assert(ARENA_LARGE + 2 * ARENA_ALIGN < ARENA_BLOCK - (int)sizeof(ArenaBlock), "a small object fits a block");

static _Noreturn void exhausted(Arena *arena, size_t size)
{
    if (arena->on_exhausted) {
        arena->on_exhausted(arena->exhausted_ctx);
    }
    fprintf(stderr, "wrapgen: error: out of memory (%zu more bytes wanted, %zu in use)\n", size, arena->used);
    exit(3);
}

void arena_init(Arena *arena)
{
    memset(arena, 0, sizeof *arena);
}

static void free_blocks(ArenaBlock *block)
{
    while (block) {
        ArenaBlock *older = block->older;
        free(block);
        block = older;
    }
}

void arena_release(Arena *arena)
{
    free_blocks(arena->block);
    arena->block = NULL;
    arena->next = NULL;
    arena->end = NULL;
    arena->used = 0;
}

static char *block_data(ArenaBlock *block)
{
    return (char *)(block + 1);
}

void arena_reset(Arena *arena)
{
    if (!arena->end) { /* nothing, or nothing but large objects */
        arena_release(arena);
        return;
    }
    char *first = block_data(arena->block);
    free_blocks(arena->block->older);
    arena->block->older = NULL;
    ASAN_UNPOISON_MEMORY_REGION(first, (size_t)(arena->next - first));
    memset(first, 0, (size_t)(arena->next - first));
    ASAN_POISON_MEMORY_REGION(first, (size_t)(arena->end - first));
    arena->next = first;
    arena->used = 0;
}

/* An object with its own block, after the newest. */
static void *alloc_large(Arena *arena, size_t size)
{
    ArenaBlock *block = NULL;

    if (size <= PTRDIFF_MAX - sizeof(ArenaBlock)) {
        block = calloc(1, sizeof(ArenaBlock) + size);
    }
    if (!block) {
        exhausted(arena, size);
    }
    if (arena->block) {
        block->newer = arena->block;
        block->older = arena->block->older;
        arena->block->older = block;
    } else {
        arena->block = block; /* next and end stay equal: nothing in it is free */
    }
    if (block->older) {
        block->older->newer = block;
    }
    arena->used += size;
    return block_data(block);
}

/* A block with room for `least` bytes, twice as large as the newest, up to ARENA_BLOCK. */
static void new_block(Arena *arena, size_t least)
{
    const size_t newest = arena->end ? (size_t)(arena->end - (char *)arena->block) : 0;
    size_t size = newest < ARENA_BLOCK / 2 ? 2 * newest : ARENA_BLOCK;

    for (size = size < ARENA_FIRST ? ARENA_FIRST : size; size < sizeof(ArenaBlock) + least;) {
        size *= 2;
    }
    ArenaBlock *block = calloc(1, size);
    if (!block) {
        exhausted(arena, size);
    }
    block->older = arena->block;
    if (block->older) {
        block->older->newer = block;
    }
    arena->block = block;
    arena->next = block_data(block);
    arena->end = (char *)block + size;
    ASAN_POISON_MEMORY_REGION(arena->next, (size_t)(arena->end - arena->next));
}

/* `align` is a power of two. */
static void *take(Arena *arena, size_t size, size_t align)
{
    size_t padding = (size_t)(-(uintptr_t)arena->next & (align - 1));
    size_t room = (size_t)(arena->end - arena->next);
    char *object = NULL;

    if (size == 0) {
        size = 1; /* a pointer of its own */
    }
    if (size > ARENA_LARGE) {
        return alloc_large(arena, size);
    }
    if (room < padding + size + ARENA_GAP) {
        new_block(arena, size + ARENA_GAP);
        padding = 0;
    }
    object = arena->next + padding;
    arena->next = object + size + ARENA_GAP;
    arena->used += size;
    ASAN_UNPOISON_MEMORY_REGION(object, size);
    return object;
}

void *arena_alloc(Arena *arena, size_t size)
{
    return take(arena, size, ARENA_ALIGN);
}

void *arena_array(Arena *arena, size_t count, size_t size)
{
    size_t total = 0;

    if (__builtin_mul_overflow(count, size, &total)) {
        exhausted(arena, SIZE_MAX);
    }
    return take(arena, total, ARENA_ALIGN);
}

char *arena_copy(Arena *arena, const char *text, size_t length)
{
    char *copy = NULL;

    if (length == SIZE_MAX) {
        exhausted(arena, length);
    }
    copy = take(arena, length + 1, ARENA_TEXT_ALIGN);
    if (length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

/* Most formats contain only text and "%s"; those are joined without vsnprintf, which is ten times slower. */
static char *join(Arena *arena, const char *format, va_list args)
{
    va_list again;
    size_t length = 0;

    va_copy(again, args);
    for (const char *at = format; *at; at++) {
        if (*at == '%') {
            if (*++at != 's') {
                va_end(again);
                return NULL;
            }
            length += strlen(va_arg(again, const char *)) - 1;
        }
        length++;
    }
    va_end(again);
    char *text = take(arena, length + 1, ARENA_TEXT_ALIGN);
    char *end = text;
    for (const char *at = format; *at; at++) {
        if (*at == '%') {
            const char *part = va_arg(args, const char *);
            const size_t part_length = strlen(part);
            memcpy(end, part, part_length);
            end += part_length;
            at++;
        } else {
            *end++ = *at;
        }
    }
    return text;
}

char *arena_vprintf(Arena *arena, const char *format, va_list args)
{
    va_list for_join;
    va_copy(for_join, args);
    char *joined = join(arena, format, for_join);
    va_end(for_join);
    if (joined) {
        return joined;
    }
    char first[256]; /* nearly every text fits, and is then formatted only once */
    va_list again;
    char *text = NULL;

    va_copy(again, args);
    const int length = vsnprintf(first, sizeof first, format, args);
    if (length < 0) { /* only a text of over 2 GiB or a wide character conversion gets here */
        exhausted(arena, SIZE_MAX);
    }
    if ((size_t)length < sizeof first) {
        text = arena_copy(arena, first, (size_t)length);
    } else {
        text = take(arena, (size_t)length + 1, ARENA_TEXT_ALIGN);
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

static void *grow_large(Arena *arena, char *ptr, size_t old_size, size_t new_size)
{
    ArenaBlock *block = (ArenaBlock *)(void *)(ptr - sizeof(ArenaBlock));
    bool newest = block == arena->block;
    ArenaBlock *moved = NULL;

    if (new_size <= PTRDIFF_MAX - sizeof(ArenaBlock)) {
        moved = realloc(block, sizeof(ArenaBlock) + new_size);
    }
    if (!moved) {
        exhausted(arena, new_size);
    }
    if (newest) {
        arena->block = moved;
    }
    if (moved->newer) {
        moved->newer->older = moved;
    }
    if (moved->older) {
        moved->older->newer = moved;
    }
    arena->used += new_size - old_size;
    return block_data(moved);
}

void *arena_grow_dirty(Arena *arena, void *ptr, size_t old_size, size_t new_size)
{
    char *old = ptr;
    void *object = NULL;

    if (new_size <= old_size && ptr) {
        return ptr;
    }
    if (ptr && old_size > ARENA_LARGE) {
        return grow_large(arena, ptr, old_size, new_size);
    }
    if (ptr && new_size <= ARENA_LARGE && old + old_size + ARENA_GAP == arena->next &&
        new_size - old_size <= (size_t)(arena->end - arena->next)) {
        arena->next += new_size - old_size;
        arena->used += new_size - old_size;
        ASAN_UNPOISON_MEMORY_REGION(old, new_size);
        return ptr;
    }
    object = take(arena, new_size, ARENA_ALIGN);
    if (ptr && old_size > 0) {
        memcpy(object, ptr, old_size);
        if (old_size <= ARENA_LARGE) {
            ASAN_POISON_MEMORY_REGION(ptr, old_size);
        }
    }
    return object;
}

void *arena_grow(Arena *arena, void *ptr, size_t old_size, size_t new_size)
{
    char *object = arena_grow_dirty(arena, ptr, old_size, new_size);

    /* Only memory from realloc is not zero already. */
    if (ptr && old_size > ARENA_LARGE && new_size > old_size) {
        memset(object + old_size, 0, new_size - old_size);
    }
    return object;
}
