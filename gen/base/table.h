/* SPDX-License-Identifier: MIT */
/*
 * table - names to numbers: a hash map from text to a (kind, index) pair, in an arena.
 *
 * Keys are borrowed and need no terminator. Clearing costs nothing however large the table has grown, so one table
 * serves graph after graph. Nothing is ever removed.
 */
#ifndef WRAPGEN_TABLE_H
#define WRAPGEN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

typedef struct TableEntry {
    const char *key;
    uint32_t length;
    uint32_t hash;
    uint32_t generation; /* 0: never used */
    uint32_t kind;       /* chosen by the caller, as is index */
    uint32_t index;
} TableEntry;

typedef struct Table {
    Arena *arena;
    TableEntry *entries;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;
    uint32_t generation;
} Table;

void table_init(Table *table, Arena *arena);

/* Forgets all keys, keeps the memory. */
void table_clear(Table *table);

/* The two functions below for a key whose hash is known, so that it can be looked up in several tables. */
uint32_t table_hash(const char *key, size_t length);
TableEntry *table_find_hashed(const Table *table, const char *key, size_t length, uint32_t hash);
TableEntry *table_add_hashed(Table *table, const char *key, size_t length, uint32_t hash, uint32_t kind,
                             uint32_t index);

/* Null when the key is not there. The entry is valid until the next table_add(). */
TableEntry *table_find(const Table *table, const char *key, size_t length);

/* The entry of the key: null when it was not there and has now been added as (kind, index); the older one otherwise,
 * unchanged. So `if ((first = table_add(...)) != NULL)` is the test for a name given twice. */
TableEntry *table_add(Table *table, const char *key, size_t length, uint32_t kind, uint32_t index);

#endif /* WRAPGEN_TABLE_H */
