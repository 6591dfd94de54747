/* SPDX-License-Identifier: MIT */
/*
 * table - see table.h. Open addressing with linear probing, at most two thirds full; an entry whose generation is not
 * the table's counts as empty, which makes clearing free.
 */
#include "table.h"

#include <string.h>

/* Eight bytes a step, since names are read more often than anything else; a name of 4 to 7 bytes is read as two halves
 * that overlap. The bits are mixed at the end because only the low ones are used. */
uint32_t table_hash(const char *key, size_t length)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = length;
    uint64_t word = 0;
    for (; length >= sizeof word; key += sizeof word, length -= sizeof word) {
        memcpy(&word, key, sizeof word);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
    }
    word = 0;
    if (length >= 4) {
        uint32_t first = 0;
        uint32_t last = 0;
        memcpy(&first, key, sizeof first);
        memcpy(&last, key + length - sizeof last, sizeof last);
        word = (uint64_t)first << 32 | last;
    } else if (length > 0) {
        const unsigned char *bytes = (const unsigned char *)key;
        word = bytes[0] | (uint64_t)bytes[length / 2] << 8 | (uint64_t)bytes[length - 1] << 16;
    }
    hash = (hash ^ word) * factor;
    return (uint32_t)(hash ^ hash >> 32);
}

void table_init(Table *table, Arena *arena)
{
    memset(table, 0, sizeof *table);
    table->arena = arena;
    table->generation = 1;
}

void table_clear(Table *table)
{
    table->count = 0;
    table->generation++;
    if (table->generation == 0) { /* after 2^32 - 1 clears: the old marks would be mistaken for new ones */
        memset(table->entries, 0, table->capacity * sizeof *table->entries);
        table->generation = 1;
    }
}

/* The entry of the key, or the empty one where it belongs. */
static TableEntry *table_slot(const Table *table, const char *key, size_t length, uint32_t hash)
{
    const uint32_t mask = table->capacity - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        TableEntry *entry = &table->entries[at];
        if (entry->generation != table->generation) {
            return entry;
        }
        if (entry->hash == hash && entry->length == length && memcmp(entry->key, key, length) == 0) {
            return entry;
        }
    }
}

static bool is_full(const Table *table)
{
    return table->count >= table->capacity - table->capacity / 3;
}

static void grow(Table *table)
{
    const Table old = *table;
    table->capacity = table->capacity == 0 ? 32 : table->capacity * 2;
    table->entries = ARENA_ARRAY(table->arena, TableEntry, table->capacity);
    for (uint32_t i = 0; i < old.capacity; i++) {
        const TableEntry *entry = &old.entries[i];
        if (entry->generation == old.generation) {
            *table_slot(table, entry->key, entry->length, entry->hash) = *entry;
        }
    }
    arena_drop(table->arena, old.entries, old.capacity * sizeof *old.entries);
}

TableEntry *table_find_hashed(const Table *table, const char *key, size_t length, uint32_t hash)
{
    if (table->count == 0) {
        return NULL;
    }
    TableEntry *entry = table_slot(table, key, length, hash);
    return entry->generation == table->generation ? entry : NULL;
}

TableEntry *table_add_hashed(Table *table, const char *key, size_t length, uint32_t hash, uint32_t kind, uint32_t index)
{
    if (is_full(table)) {
        grow(table);
    }
    TableEntry *entry = table_slot(table, key, length, hash);
    if (entry->generation == table->generation) {
        return entry;
    }
    entry->key = key;
    entry->length = (uint32_t)length;
    entry->hash = hash;
    entry->generation = table->generation;
    entry->kind = kind;
    entry->index = index;
    table->count++;
    return NULL;
}

TableEntry *table_find(const Table *table, const char *key, size_t length)
{
    return table->count == 0 ? NULL : table_find_hashed(table, key, length, table_hash(key, length));
}

TableEntry *table_add(Table *table, const char *key, size_t length, uint32_t kind, uint32_t index)
{
    return table_add_hashed(table, key, length, table_hash(key, length), kind, index);
}
