/* SPDX-License-Identifier: MIT */
/*
 * validate_reserved - names that generated code cannot use, because C, C++, their libraries or that code itself have
 * taken them: the lists of reserved.def. The first names that are asked for are looked up in the lists by halving; a
 * hash table of all of them, which takes as long to make as ASKED_FIRST such searches, serves the rest. Functions of a
 * library are fine as struct members and stems of locals.
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

enum { NUM_SLOTS = 8192, NUM_LISTS = sizeof lists / sizeof lists[0], ASKED_FIRST = 200 };

struct ReservedNames {
    Arena *arena;
    uint32_t asked;
    size_t lengths[NUM_LISTS];
    ReservedSlot *slots; /* null until ASKED_FIRST names were asked for */
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

/* Is the name in a list that is sorted? */
static bool list_has(const char *text, size_t end, const char *name, size_t length)
{
    for (size_t begin = 0; begin < end;) {
        size_t start = begin + (end - begin) / 2;
        while (start > begin && text[start - 1] != ' ') {
            start--;
        }
        const int order = strncmp(name, text + start, length);
        if (order == 0 && (text[start + length] == ' ' || text[start + length] == '\0')) {
            return true;
        }
        if (order <= 0) { /* what only begins with the name comes after it */
            end = start;
        } else {
            begin = start + strcspn(text + start, " ") + 1;
        }
    }
    return false;
}

ReservedNames *reserved_new(Arena *arena)
{
    ReservedNames *names = ARENA_NEW(arena, ReservedNames);
    names->arena = arena;
    for (size_t i = 0; i < NUM_LISTS; i++) {
        names->lengths[i] = strlen(lists[i].names);
    }
    return names;
}

static void fill_slots(ReservedNames *names)
{
    names->slots = ARENA_ARRAY(names->arena, ReservedSlot, NUM_SLOTS);
    for (uint16_t list = 1; list <= NUM_LISTS; list++) {
        add_list(names, list);
    }
}

Reserved reserved_kind(ReservedNames *names, const char *name, uint32_t hash)
{
    const size_t length = strlen(name);
    if (names->slots == NULL && ++names->asked < ASKED_FIRST) {
        for (size_t i = 0; i < NUM_LISTS; i++) {
            if (list_has(lists[i].names, names->lengths[i], name, length)) {
                return lists[i].kind;
            }
        }
        return RESERVED_NOT;
    }
    if (names->slots == NULL) {
        fill_slots(names);
    }
    const ReservedSlot slot = names->slots[slot_of(names, name, length, hash)];
    return slot.list != 0 ? lists[slot.list - 1].kind : RESERVED_NOT;
}
