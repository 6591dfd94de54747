/* SPDX-License-Identifier: MIT */
/*
 * mustache_names - what scanning, building and rendering share: interned names, and errors with a place in a template.
 */
#include "mustache_private.h"

#include <stdarg.h>
#include <string.h>

#include "../base/table.h"
#include "../base/utf8.h"

void *mustache_room(Arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    uint32_t wanted = *capacity < 4 ? 4 : *capacity;

    if (count < *capacity) {
        return array;
    }
    if (*capacity >= 4) { /* the most is 64 GiB and more of values: the arena gives up before */
        wanted = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    }
    array = arena_grow(arena, array, (size_t)*capacity * size, (size_t)wanted * size);
    *capacity = wanted;
    return array;
}

/* Room for the names that a usual run looks up. */
enum { FIRST_NAMES = 64, FIRST_SLOTS = 2 * FIRST_NAMES };

/* Doubles the hash table. It is kept at most half full, so a search always ends at an empty slot. */
static void grow_slots(MustacheEngine *engine)
{
    uint32_t num_slots = engine->num_slots ? engine->num_slots * 2 : FIRST_SLOTS;
    uint32_t *slots = ARENA_ARRAY(engine->arena, uint32_t, num_slots);

    for (uint32_t i = 0; i < engine->num_names; i++) {
        uint32_t slot = engine->names[i].hash & (num_slots - 1);
        while (slots[slot]) {
            slot = (slot + 1) & (num_slots - 1);
        }
        slots[slot] = i + 1;
    }
    engine->slots = slots;
    engine->num_slots = num_slots;
}

/* A new entry, with the number of its frozen name if there is one. */
static Name new_name(MustacheEngine *engine, const char *name, size_t length)
{
    Name entry = {.length = length};
    if (mustache_num_frozen(engine) > 0 && mustache_find_frozen(engine->config.frozen, name, length, &entry.number)) {
        entry.text = mustache_frozen_name(engine->config.frozen, entry.number);
    } else {
        entry.text = arena_copy(engine->arena, name, length);
        entry.number = mustache_num_frozen(engine) + engine->num_names;
    }
    return entry;
}

uint32_t mustache_intern_n(MustacheEngine *engine, const char *name, size_t length)
{
    uint32_t hash = table_hash(name, length);
    uint32_t slot = 0;
    Name *entry = NULL;

    if (engine->num_names >= engine->num_slots / 2) {
        grow_slots(engine);
    }
    slot = hash & (engine->num_slots - 1);
    while (engine->slots[slot]) {
        entry = &engine->names[engine->slots[slot] - 1];
        if (entry->hash == hash && entry->length == length && memcmp(entry->text, name, length) == 0) {
            return entry->number;
        }
        slot = (slot + 1) & (engine->num_slots - 1);
    }
    if (engine->num_names == 0) {
        engine->names_capacity = FIRST_NAMES;
        engine->names = arena_grow_dirty(engine->arena, NULL, 0, FIRST_NAMES * sizeof *engine->names);
    }
    engine->names =
        mustache_room(engine->arena, engine->names, engine->num_names, &engine->names_capacity, sizeof *engine->names);
    entry = &engine->names[engine->num_names];
    *entry = new_name(engine, name, length);
    entry->hash = hash;
    engine->slots[slot] = ++engine->num_names;
    return entry->number;
}

const char *mustache_name(const MustacheEngine *engine, uint32_t number)
{
    const uint32_t num_frozen = mustache_num_frozen(engine);
    return number < num_frozen ? mustache_frozen_name(engine->config.frozen, number)
                               : engine->names[number - num_frozen].text;
}

DiagPlace mustache_place(const Template *template, uint32_t offset, uint32_t length)
{
    const char *at = template->source + offset;
    const char *start = template->source;
    const char *newline = NULL;
    size_t line = 1;

    while ((newline = memchr(start, '\n', (size_t)(at - start))) != NULL) {
        start = newline + 1;
        line++;
    }
    newline = length ? memchr(at, '\n', length) : NULL;
    length = newline ? (uint32_t)(newline - at) : length;
    return diag_position(template->file, line, 1 + utf8_count(start, (size_t)(at - start)),
                         length ? utf8_count(at, length) : 1);
}

DiagMessage *mustache_error(MustacheEngine *engine, const Template *template, uint32_t offset, uint32_t length,
                            const char *format, ...)
{
    Str message = str_new(engine->arena);
    va_list args;
    int needed = 0;

    va_start(args, format);
    needed = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (needed > 0) {
        str_reserve(&message, (size_t)needed);
        va_start(args, format);
        (void)vsnprintf(message.data, (size_t)needed + 1, format, args);
        va_end(args);
    }
    return diag_report(engine->diag, DIAG_ERROR, "E_TEMPLATE", mustache_place(template, offset, length), "%s",
                       str_text(&message));
}
