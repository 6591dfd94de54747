/* SPDX-License-Identifier: MIT */
/*
 * arena - a bump allocator with blocks that start at 4 KiB and double up to 256 KiB.
 *
 *   block: | header | object | object | ...... free ...... |
 *                                      ^next               ^end
 *
 * Objects are zeroed as they are handed out, not by the block: a page that no object needs is never touched, and a
 * block that is reset costs nothing. Text is not zeroed, since it is written at once. An object larger than ARENA_LARGE
 * gets its own block from calloc, chained after the newest one, so that the free rest of that one is not lost, and
 * growing such an object is a realloc (on Linux mostly a move of pages, not a copy). So an object's size alone tells
 * which of the two kinds it is.
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

enum { ARENA_FIRST = 4 * 1024, ARENA_BLOCK = 256 * 1024, ARENA_LARGE = 32 * 1024, ARENA_ALIGN = _Alignof(ArenaMost) };

struct ArenaBlock {
    _Alignas(ArenaMost) ArenaBlock *older;
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
    ArenaBlock *block = malloc(size);
    if (!block) {
        exhausted(arena, size);
    }
    *block = (ArenaBlock){.older = arena->block};
    if (block->older) {
        block->older->newer = block;
    }
    arena->block = block;
    arena->next = block_data(block);
    arena->end = (char *)block + size;
    ASAN_POISON_MEMORY_REGION(arena->next, (size_t)(arena->end - arena->next));
}

/* What must be skipped so that the place `lead` bytes after it is aligned to `align`, a power of two. */
static size_t padding_for(const Arena *arena, size_t lead, size_t align)
{
    return (size_t)(-((uintptr_t)arena->next + lead) & (align - 1));
}

/* What is not larger than ARENA_LARGE is not zeroed. */
static void *take_after(Arena *arena, size_t lead, size_t size, size_t align)
{
    size_t padding = padding_for(arena, lead, align);
    size_t room = (size_t)(arena->end - arena->next);
    char *object = NULL;

    if (size == 0) {
        size = 1; /* a pointer of its own */
    }
    if (size > ARENA_LARGE) {
        return alloc_large(arena, size);
    }
    if (room < padding + size + ARENA_GAP) {
        new_block(arena, align + size + ARENA_GAP);
        padding = padding_for(arena, lead, align);
    }
    object = arena->next + padding;
    arena->next = object + size + ARENA_GAP;
    arena->used += size;
    ASAN_UNPOISON_MEMORY_REGION(object, size);
    return object;
}

static void *take(Arena *arena, size_t size, size_t align)
{
    return take_after(arena, 0, size, align);
}

static void *take_zeroed(Arena *arena, size_t size)
{
    void *object = take(arena, size, ARENA_ALIGN);
    return size > ARENA_LARGE ? object : memset(object, 0, size);
}

void *arena_alloc(Arena *arena, size_t size)
{
    return take_zeroed(arena, size);
}

void *arena_array(Arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        exhausted(arena, SIZE_MAX);
    }
    return take_zeroed(arena, count * size);
}

void *arena_alloc_after(Arena *arena, size_t lead, size_t size)
{
    return take_after(arena, lead, lead + size, _Alignof(ArenaMember));
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
    copy[length] = '\0';
    return copy;
}

/* A short text while it is put together. */
typedef struct Short {
    char text[256]; /* nearly every text fits */
    size_t length;
    bool fits;
} Short;

static void put(Short *out, const char *text, size_t length)
{
    out->fits = out->fits && length <= sizeof out->text - out->length;
    if (out->fits) {
        memcpy(out->text + out->length, text, length);
        out->length += length;
    }
}

static void put_decimal(Short *out, bool negative, uint64_t magnitude)
{
    char digits[24]; /* the longest number has 20 characters */
    char *next = digits + sizeof digits;
    do {
        *--next = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    if (negative) {
        *--next = '-';
    }
    put(out, next, (size_t)(digits + sizeof digits - next));
}

static void put_integer(Short *out, int64_t number)
{
    put_decimal(out, number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/* Most formats contain only text, "%s" and plain decimals; those are put together without vsnprintf, which is ten times
 * slower. False for any other, and for a text that is not short. */
static bool put_format(Short *out, const char *format, va_list args)
{
    for (const char *at = format; *at != '\0' && out->fits; at++) {
        const char *percent = strchr(at, '%');
        const size_t plain = percent != NULL ? (size_t)(percent - at) : strlen(at);
        put(out, at, plain);
        if (percent == NULL) {
            return out->fits;
        }
        at = percent + 1;
        const bool is_long = *at == 'l';
        at += is_long ? 1 : 0;
        if (*at == 's' && !is_long) {
            const char *text = va_arg(args, const char *);
            put(out, text, strlen(text));
        } else if (*at == 'u') {
            put_decimal(out, false, is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned int));
        } else if (*at == 'd') {
            put_integer(out, is_long ? va_arg(args, long) : va_arg(args, int));
        } else {
            return false;
        }
    }
    return out->fits;
}

char *arena_vprintf(Arena *arena, const char *format, va_list args)
{
    Short quick;
    quick.length = 0; /* its text is not zeroed first: that would take as long as most texts do */
    quick.fits = true;
    va_list again;
    char *text = NULL;

    va_copy(again, args);
    const bool put_together = put_format(&quick, format, again);
    va_end(again);
    if (put_together) {
        return arena_copy(arena, quick.text, quick.length);
    }
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) { /* only a text of over 2 GiB or a wide character conversion gets here */
        exhausted(arena, SIZE_MAX);
    }
    text = take(arena, (size_t)length + 1, ARENA_TEXT_ALIGN);
    (void)vsnprintf(text, (size_t)length + 1, format, again);
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

void arena_drop(Arena *arena, void *ptr, size_t size)
{
    if (!ptr) {
        return;
    }
    if (size <= ARENA_LARGE) {
        ASAN_POISON_MEMORY_REGION(ptr, size);
        return;
    }
    ArenaBlock *block = (ArenaBlock *)(void *)((char *)ptr - sizeof(ArenaBlock));
    if (block == arena->block) {
        arena->block = block->older;
    }
    if (block->newer) {
        block->newer->older = block->older;
    }
    if (block->older) {
        block->older->newer = block->newer;
    }
    arena->used -= size;
    free(block);
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

    const bool zeroed = new_size > ARENA_LARGE && (!ptr || old_size <= ARENA_LARGE); /* by calloc */
    if (new_size > old_size && !zeroed) {
        memset(object + old_size, 0, new_size - old_size);
    }
    return object;
}
