/* SPDX-License-Identifier: MIT */
/*
 * resolve - from the address of a loaded field to its place in the file, for all diagnostics at once.
 *
 * All places that still want a position are sorted by address. One walk over a source's events finds, for every struct
 * that a mapping filled, the places inside of it (they get the mapping's start, in case the field is not in the file),
 * and for every key and value the places with exactly that address. Structs do not overlap, so each place is met once
 * as "inside" and once as itself: the work is linear in the file, times the logarithm of the number of places.
 *
 * A mapping and its first member, or a list of text (SpecInts) and its pointer, have the same address: DiagPart tells
 * which of the first two is meant; the last two are the same thing.
 */
#include "shape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/utf8.h"

typedef struct Wanted {
    DiagPlace *place;
    size_t offset; /* the part of the scalar that is meant, as in diag.h */
    size_t length;
    bool found; /* the node itself, not only the mapping around it */
} Wanted;

typedef struct Places {
    Arena *arena;
    const Source *source;
    Wanted *wanted; /* by address */
    size_t count;
    size_t num_open; /* that no source had so far */
} Places;

static bool is_open(const DiagPlace *place)
{
    switch (place->part) {
    case DIAG_NOWHERE:
    case DIAG_POSITION:
        return false;
    case DIAG_VALUE:
    case DIAG_KEY:
    case DIAG_MAPPING:
        return true;
    }
    return false;
}

static int compare_wanted(const void *left, const void *right)
{
    uintptr_t a = (uintptr_t)((const Wanted *)left)->place->address;
    uintptr_t b = (uintptr_t)((const Wanted *)right)->place->address;

    return (a > b) - (a < b);
}

/* The first place at `address` or after it. */
static size_t find_first(const Places *places, uintptr_t address)
{
    size_t low = 0;
    size_t high = places->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)places->wanted[middle].place->address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void set_place(Places *places, Wanted *wanted, const char *path, ShapeMark mark)
{
    DiagPlace *place = wanted->place;

    places->num_open -= place->line == 0;
    place->file = places->source->name;
    place->line = mark.line;
    place->column = mark.column;
    place->length = mark.length;
    place->path = path;
}

/* Narrows a scalar to the part that is meant. Does so only when the file has the text exactly as it was read, apart
 * from quotes: with escapes or over several lines the whole scalar is good enough. */
static void narrow(const Wanted *wanted, const char *text, ShapeMark mark)
{
    const size_t characters = utf8_count(text, strlen(text));
    const size_t quotes = mark.length - characters;

    if (wanted->offset == 0 && wanted->length == 0) {
        return;
    }
    if (mark.length < characters || (quotes != 0 && quotes != 2)) {
        return;
    }
    const size_t rest = characters > wanted->offset ? characters - wanted->offset : 1;
    wanted->place->column += quotes / 2 + wanted->offset;
    wanted->place->length = wanted->length != 0 && wanted->length < rest ? wanted->length : rest;
}

static void hear_begin(void *ctx, const Shape *shape, const void *structure, size_t size, ShapeMark mark)
{
    Places *places = ctx;
    const char *path = NULL;
    uintptr_t begin = (uintptr_t)structure;

    for (size_t i = find_first(places, begin); i < places->count; i++) {
        if ((uintptr_t)places->wanted[i].place->address - begin >= size) {
            break;
        }
        path = path ? path : shape_path(shape);
        set_place(places, &places->wanted[i], path, mark);
    }
}

/* All places of one part at one address. */
static void hear(Places *places, const Shape *shape, DiagPart part, const void *address, const char *text,
                 ShapeMark mark)
{
    const char *path = NULL;

    for (size_t i = find_first(places, (uintptr_t)address); i < places->count; i++) {
        Wanted *wanted = &places->wanted[i];
        if (wanted->place->address != address) {
            break;
        }
        if (wanted->place->part == part && !wanted->found) {
            path = path ? path : shape_path(shape);
            set_place(places, wanted, path, mark);
            if (text) {
                narrow(wanted, text, mark);
            }
            wanted->found = true;
        }
    }
}

static void hear_mapping(void *ctx, const Shape *shape, const void *structure, ShapeMark mark)
{
    hear(ctx, shape, DIAG_MAPPING, structure, NULL, mark);
}

static void hear_key(void *ctx, const Shape *shape, const void *member, ShapeMark mark)
{
    hear(ctx, shape, DIAG_KEY, member, NULL, mark);
}

static void hear_value(void *ctx, const Shape *shape, const void *member, const char *text, ShapeMark mark)
{
    hear(ctx, shape, DIAG_VALUE, member, text, mark);
}

static void add_place(Places *places, DiagPlace *place)
{
    if (is_open(place)) {
        if (places->wanted) {
            places->wanted[places->count].place = place;
            places->wanted[places->count].offset = place->column;
            places->wanted[places->count].length = place->length;
        }
        places->count++;
    }
}

/* Counts them while there is no array yet, then fills it. */
static void collect(Places *places, Diag *diag)
{
    places->count = 0;
    for (DiagMessage *message = diag->first; message; message = message->next) {
        add_place(places, &message->place);
        for (DiagNote *note = message->notes; note; note = note->next) {
            add_place(places, &note->place);
        }
    }
}

/* A place that no source has is a mistake in the rule that named it; it is shown all the same, at the file. */
static void close_places(Places *places, const Source *sources, size_t num_sources)
{
    for (size_t i = 0; i < places->count; i++) {
        DiagPlace *place = places->wanted[i].place;
        if (place->line == 0) {
            place->part = DIAG_NOWHERE;
            place->file = num_sources == 1 ? sources[0].name : NULL;
        } else {
            place->part = DIAG_POSITION;
        }
    }
}

void source_resolve(Arena *arena, Diag *diag, const Source *sources, size_t num_sources)
{
    Places places = {.arena = arena};
    const ShapeListener listener = {&places, hear_begin, hear_mapping, hear_key, hear_value};

    collect(&places, diag);
    if (places.count == 0) {
        return;
    }
    places.wanted = ARENA_ARRAY(arena, Wanted, places.count);
    collect(&places, diag);
    qsort(places.wanted, places.count, sizeof places.wanted[0], compare_wanted);
    places.num_open = places.count;
    for (size_t i = 0; i < num_sources && places.num_open > 0; i++) {
        if (sources[i].data) {
            places.source = &sources[i];
            shape_listen(arena, &sources[i], &listener);
        }
    }
    close_places(&places, sources, num_sources);
}
