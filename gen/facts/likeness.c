/* SPDX-License-Identifier: MIT */
/*
 * likeness - every key of a graph is written down, with lengths and counts so that no two graphs give the same bytes,
 * and the bytes are compared. Every line of schema/spec.def is here by itself: a new key is compared as soon as it
 * exists. What is resolved follows from keys and need not be.
 *
 * Inputs, outputs and bases are written as numbers, in the order in which the graph first names them. So two graphs
 * give the same bytes only if their names correspond one to one, at every place where a name may stand.
 */
#include "likeness.h"

#include <string.h>

#include "../base/str.h"
#include "../base/table.h"
#include "../../schema/schema.h"

/* What a graph, or a file, says. */
typedef struct Saying {
    Str bytes;
    Table numbers; /* of the names in a graph */
    Str names;     /* they themselves, in that order */
} Saying;

static Saying saying_new(Arena *arena)
{
    Saying saying = {.bytes = str_new(arena), .names = str_new(arena)};
    table_init(&saying.numbers, arena);
    return saying;
}

/* ---- what a key says ---- */

/* As str_add(), which is too slow for the few bytes of nearly all keys. */
static inline void put_bytes(Saying *out, const void *bytes, size_t length)
{
    Str *str = &out->bytes;
    if (str->capacity - str->length <= length) {
        str_reserve(str, length);
    }
    memcpy(str->data + str->length, bytes, length);
    str->length += length;
}

static void put_count(Saying *out, uint32_t count)
{
    put_bytes(out, &count, sizeof count);
}

static void put_presence(Saying *out, const void *member)
{
    put_bytes(out, member != NULL ? "+" : "-", 1);
}

static void put_name(Saying *out, const char *name)
{
    put_presence(out, name);
    if (name == NULL) {
        return;
    }
    const uint32_t next = out->numbers.count;
    const TableEntry *known = table_add(&out->numbers, name, strlen(name), 0, next);
    put_count(out, known != NULL ? known->index : next);
    if (known == NULL) {
        str_add(&out->names, name, strlen(name) + 1);
    }
}

static void put_names(Saying *out, char *const *names, uint32_t count)
{
    put_presence(out, names);
    put_count(out, count);
    for (uint32_t i = 0; i < count; i++) {
        put_name(out, names[i]);
    }
}

static void put_text(Saying *out, const char *text, SpecFormat format)
{
    if (format == SPEC_FORMAT_LOCAL) {
        put_name(out, text);
        return;
    }
    put_presence(out, text);
    if (text != NULL) {
        put_bytes(out, text, strlen(text) + 1);
    }
}

static void put_texts(Saying *out, char *const *texts, uint32_t count, SpecFormat format)
{
    put_presence(out, texts);
    put_count(out, count);
    for (uint32_t i = 0; i < count; i++) {
        put_text(out, texts[i], format);
    }
}

/* ---- structs: `x` is one ---- */

#define PUT_TEXT(member, format)     put_text(out, x->member, SPEC_FORMAT_##format);
#define PUT_WORD(member, list)       put_count(out, (uint32_t)x->member);
#define PUT_INTEGER(member, of)      put_text(out, x->member.text, SPEC_FORMAT_INTEGER);
#define PUT_SCALAR(member, of)       put_text(out, x->member.text, SPEC_FORMAT_SCALAR);
#define PUT_INTEGERS(member, of)     put_texts(out, x->member.text, x->member.text_count, SPEC_FORMAT_INTEGER);
#define PUT_GUARDS(member, of)       put_texts(out, x->member.text, x->member.text_count, SPEC_FORMAT_GUARD);
#define PUT_FORMULA(member, of)      put_text(out, x->member.text, SPEC_FORMAT_FORMULA);
#define PUT_TEXTS(member, format)    put_texts(out, x->member.text, x->member.text_count, SPEC_FORMAT_##format);
#define PUT_NAMES(member, least)     put_names(out, x->member.text, x->member.text_count);
#define PUT_MAPPING(member, Inner)   put_##Inner(out, x->member, x->member != NULL ? 1 : 0);
#define PUT_ROOT(member, Inner)      PUT_MAPPING(member, Inner)
#define PUT_LIST(member, Inner)      put_##Inner(out, x->member, x->member##_count);
#define PUT_LIST_OF_1(member, Inner) PUT_LIST(member, Inner)
#define PUT_ROOTS(member, Inner)     PUT_LIST(member, Inner)

#define MAPPING(Type, text)          static void put_##Type(Saying *out, const Type *list, uint32_t count);
#define END(Type)
#include "../../schema/spec.def"

#define MAPPING(Type, text)                                                                                            \
    static void put_##Type(Saying *out, const Type *list, uint32_t count)                                              \
    {                                                                                                                  \
        put_presence(out, list);                                                                                       \
        put_count(out, count);                                                                                         \
        for (const Type *x = list; x != NULL && x < list + count; x++) {
#define FIELD(Type, key, member, type, of, root, presence, text) PUT_##type(member, of)
#define END(Type)                                                                                                      \
    }                                                                                                                  \
    }
#include "../../schema/spec.def"

/* ---- graphs ---- */

/* What the graphs of a file have in common: symbols, subclasses. The prefix is part of names, and the host is one for
 * the whole run. */
static void put_file(Saying *out, const Spec *spec)
{
    Spec common = *spec;
    common.prefix = NULL;
    common.host = NULL;
    common.graphs = NULL;
    common.graphs_count = 0;
    common.kernels = NULL;
    common.kernels_count = 0;
    put_Spec(out, &common, 1);
}

/* `file` is what is common to the graph's file. Names of kernels mean something only in their own file. */
static void put_graph(Saying *out, const SpecGraph *graph, uint32_t file, uint32_t own_file)
{
    SpecGraph nameless = *graph;
    SpecBackward backward;
    nameless.name = NULL;
    nameless.compiled = NULL;
    if (graph->backward != NULL) {
        backward = *graph->backward;
        backward.compiled = NULL;
        nameless.backward = &backward;
    }
    put_count(out, graph->kernel != NULL ? own_file : file);
    put_SpecGraph(out, &nameless, 1);
}

/* The number under which these bytes came first; it is `number` if they had not come before. */
static uint32_t number_of(Table *table, const Str *bytes, uint32_t number)
{
    const TableEntry *known = table_add(table, str_text(bytes), bytes->length, 0, number);
    return known != NULL ? known->index : number;
}

/* ---- graphs that are alike ---- */

typedef struct Graph {
    const SpecGraph *keys;
    uint32_t group;
    uint32_t file; /* the first one that has the same in common */
    uint32_t own_file;
    uint32_t hash; /* of what it says */
    uint32_t next; /* a later graph with that hash that says something else; 0: none */
    Saying *kept;  /* null until another graph has that hash */
} Graph;

/* Graphs that are unlike all others are nearly all of a large file, so of most graphs only a hash is kept; what the
 * first with a hash says is written down again when the second comes. */
typedef struct Graphs {
    Arena arena;
    Table hashes; /* to the first graph with that hash */
    Saying now;   /* what the graph that is looked at says */
    Graph *at;
    uint32_t count;
} Graphs;

static void say(Saying *out, const Graph *graph)
{
    out->bytes.length = 0;
    out->names.length = 0;
    table_clear(&out->numbers);
    put_count(out, graph->group);
    put_graph(out, graph->keys, graph->file, graph->own_file);
}

static bool is_same(const Str *a, const Str *b)
{
    return a->length == b->length && memcmp(str_text(a), str_text(b), a->length) == 0;
}

static const Saying *kept(Graphs *graphs, Graph *graph)
{
    if (graph->kept == NULL) {
        graph->kept = ARENA_NEW(&graphs->arena, Saying);
        *graph->kept = saying_new(&graphs->arena);
        say(graph->kept, graph);
    }
    return graph->kept;
}

/* The first graph that says the same as `number`, which `now` has; itself if there is none. */
static uint32_t first_like(Graphs *graphs, uint32_t number)
{
    Graph *own = &graphs->at[number];
    const TableEntry *known =
        table_add_hashed(&graphs->hashes, (const char *)&own->hash, sizeof own->hash, own->hash, 0, number);
    uint32_t first = known != NULL ? known->index : number;
    while (first != number && !is_same(&kept(graphs, &graphs->at[first])->bytes, &graphs->now.bytes)) {
        Graph *other = &graphs->at[first];
        other->next = other->next != 0 ? other->next : number;
        first = other->next;
    }
    return first;
}

static void join(Graphs *graphs, Likeness *list, uint32_t number)
{
    Graph *own = &graphs->at[number];
    say(&graphs->now, own);
    own->hash = table_hash(str_text(&graphs->now.bytes), graphs->now.bytes.length);
    const uint32_t first = first_like(graphs, number);
    list[number].first = first;
    list[number].renamed = first != number && !is_same(&graphs->now.names, &graphs->at[first].kept->names);
    list[first].named = list[first].named || list[number].renamed;
    list[first].members++;
}

/* Of each file, the first one whose graphs have the same in common. */
static void list_graphs(Graphs *graphs, const Spec *const *specs, size_t num_specs, const uint32_t *groups)
{
    Table files;
    uint32_t number = 0;
    table_init(&files, &graphs->arena);
    for (uint32_t i = 0; i < num_specs; i++) {
        Saying common = saying_new(&graphs->arena);
        put_file(&common, specs[i]);
        const uint32_t file = number_of(&files, &common.bytes, i);
        for (uint32_t g = 0; g < specs[i]->graphs_count; g++, number++) {
            const uint32_t group = groups != NULL ? groups[number] : 0;
            graphs->at[number] = (Graph){.keys = &specs[i]->graphs[g], .group = group, .file = file, .own_file = i};
        }
    }
}

const Likeness *likeness_find(Arena *arena, const Spec *const *specs, size_t num_specs, const uint32_t *groups)
{
    Graphs graphs = {.count = 0};
    for (size_t i = 0; i < num_specs; i++) {
        graphs.count += specs[i]->graphs_count;
    }
    Likeness *list = ARENA_ARRAY(arena, Likeness, graphs.count);
    arena_init(&graphs.arena);
    graphs.at = ARENA_ARRAY(&graphs.arena, Graph, graphs.count);
    graphs.now = saying_new(&graphs.arena);
    table_init(&graphs.hashes, &graphs.arena);
    list_graphs(&graphs, specs, num_specs, groups);
    for (uint32_t number = 0; number < graphs.count; number++) {
        join(&graphs, list, number);
    }
    arena_release(&graphs.arena);
    return list;
}
