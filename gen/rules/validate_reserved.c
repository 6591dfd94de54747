/* SPDX-License-Identifier: MIT */
/*
 * validate_reserved - names that generated code cannot use, because C, C++, their libraries or that code itself have
 * taken them: the lists of reserved.def. Each run puts all of them into one hash table. Functions of a library are fine
 * as struct members and stems of locals.
 */
#include "validate.h"

#include <string.h>

static const struct {
    Reserved kind;
    const char *names; /* separated by single spaces */
} lists[] = {
#define NAMES(kind, names) {RESERVED_##kind, names},
#include "reserved.def"
#undef NAMES
};

/* Which list has a name: `list` counts from 1, so that a zeroed slot is empty. */
typedef struct ReservedSlot {
    uint16_t list, start;
} ReservedSlot;

enum { NUM_SLOTS = 8192, NUM_LISTS = sizeof lists / sizeof lists[0] };

struct ReservedNames {
    ReservedSlot slots[NUM_SLOTS];
};

static bool slot_has(ReservedSlot slot, const char *name, size_t length)
{
    const char *found = lists[slot.list - 1].names + slot.start;
    return strncmp(found, name, length) == 0 && (found[length] == ' ' || found[length] == '\0');
}

/* The number of the slot of the name, or of the empty one where it belongs. */
static uint32_t slot_of(const ReservedNames *names, const char *name, size_t length, uint32_t hash)
{
    uint32_t number = hash % NUM_SLOTS;
    while (names->slots[number].list != 0 && !slot_has(names->slots[number], name, length)) {
        number = (number + 1) % NUM_SLOTS;
    }
    return number;
}

/* The first list that has a name counts. */
static void add_list(ReservedNames *names, uint16_t list)
{
    const char *text = lists[list - 1].names;
    for (size_t start = 0, length; text[start] != '\0'; start += length + (text[start + length] == ' ')) {
        length = strcspn(text + start, " ");
        ReservedSlot *slot = &names->slots[slot_of(names, text + start, length, table_hash(text + start, length))];
        if (slot->list == 0) {
            *slot = (ReservedSlot){list, (uint16_t)start};
        }
    }
}

const ReservedNames *reserved_new(Arena *arena)
{
    ReservedNames *names = ARENA_NEW(arena, ReservedNames);
    for (uint16_t list = 1; list <= NUM_LISTS; list++) {
        add_list(names, list);
    }
    return names;
}

Reserved reserved_kind(const ReservedNames *names, const char *name, uint32_t hash)
{
    const ReservedSlot slot = names->slots[slot_of(names, name, strlen(name), hash)];
    return slot.list != 0 ? lists[slot.list - 1].kind : RESERVED_NOT;
}
