/* SPDX-License-Identifier: MIT */
/*
 * arena - the one allocator of a run: objects are zeroed, blocks are added, and all is given back at once.
 *
 * Nothing calls free. Running out of memory does not return: the arena's `on_exhausted` longjmps out or, if there is
 * none, the process ends with exit code 3 and a message (a tool that runs for milliseconds has nothing better to do).
 */
#ifndef WRAPGEN_ARENA_H
#define WRAPGEN_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct ArenaBlock ArenaBlock;

/* As aligned as any object that the tool has. */
typedef union ArenaMost {
    long long integer;
    long double real;
    void *pointer;
} ArenaMost;

/* As aligned as any member of a struct that is read from YAML. */
typedef union ArenaMember {
    long long integer;
    void *pointer;
} ArenaMember;

typedef struct Arena {
    ArenaBlock *block;               /* the newest block; older ones are chained after it */
    char *next;                      /* first free byte of the newest block */
    char *end;                       /* one past its last byte */
    size_t used;                     /* bytes handed out so far, for tests and statistics */
    void (*on_exhausted)(void *ctx); /* must not return; null: the process ends with exit code 3 */
    void *exhausted_ctx;
} Arena;

/* A zeroed Arena is ready for use. */
void arena_init(Arena *arena);

/* Gives every block back; the arena may be used again. */
void arena_release(Arena *arena);

/* The same for an arena that is filled again at once: a single block is kept. */
void arena_reset(Arena *arena);

/* `size` zeroed bytes, aligned for any object; size 0 gives a valid, distinct pointer. Never null. */
void *arena_alloc(Arena *arena, size_t size);

/* count * size zeroed bytes, checked for overflow. */
void *arena_array(Arena *arena, size_t count, size_t size);

/* For small objects that have a header, at most 32 KiB: `lead` bytes for it, then `size` bytes that are aligned as
 * ArenaMember. All are undefined. Returns the header. */
void *arena_alloc_after(Arena *arena, size_t lead, size_t size);

/* Copies of text, always terminated. */
char *arena_copy(Arena *arena, const char *text, size_t length);
char *arena_vprintf(Arena *arena, const char *format, va_list args);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* realloc for a block from arena_alloc or arena_grow (ptr may be null, old_size then 0): grows in place when it was the
 * last one handed out, else moves, and the old pointer is then dead. New bytes are zeroed. Never shrinks. */
void *arena_grow(Arena *arena, void *ptr, size_t old_size, size_t new_size);

/* The same, but new bytes are undefined: for buffers that are written before they are read. */
void *arena_grow_dirty(Arena *arena, void *ptr, size_t old_size, size_t new_size);

/* Gives back an array that was replaced, if it is large; `ptr` may be null. */
void arena_drop(Arena *arena, void *ptr, size_t size);

/* `ARENA_NEW(arena, Type)`, `ARENA_ARRAY(arena, Type, n)` */
#define ARENA_NEW(arena, Type)          ((Type *)arena_alloc((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) ((Type *)arena_array((arena), (count), sizeof(Type)))

#endif /* WRAPGEN_ARENA_H */
