/* SPDX-License-Identifier: MIT */
/*
 * likeness - every key of a graph is written down, with lengths and counts so that no two graphs give the same bytes,
 * and the bytes are compared. Every line of schema/spec.def is here by itself: a new key is compared as soon as it
 * exists. What is resolved follows from keys and need not be.
 */
#include "likeness.h"

#include <string.h>

#include "../base/str.h"
#include "../base/table.h"

/* ---- what a key says ---- */

static void put_count(Str *out, uint32_t count)
{
    char bytes[sizeof count];
    memcpy(bytes, &count, sizeof count);
    str_add(out, bytes, sizeof bytes);
}

static void put_presence(Str *out, const void *member)
{
    str_putc(out, member != NULL ? '+' : '-');
}

static void put_text(Str *out, const char *text)
{
    put_presence(out, text);
    if (text != NULL) {
        str_add(out, text, strlen(text) + 1);
    }
}

static void put_texts(Str *out, char *const *texts, uint32_t count)
{
    put_presence(out, texts);
    put_count(out, count);
    for (uint32_t i = 0; i < count; i++) {
        put_text(out, texts[i]);
    }
}

/* ---- structs: `x` is one ---- */

#define PUT_TEXT(member, format)     put_text(out, x->member);
#define PUT_WORD(member, list)       put_count(out, (uint32_t)x->member);
#define PUT_INTEGER(member, of)      put_text(out, x->member.text);
#define PUT_SCALAR(member, of)       put_text(out, x->member.text);
#define PUT_INTEGERS(member, of)     put_texts(out, x->member.text, x->member.text_count);
#define PUT_GUARDS(member, of)       put_texts(out, x->member.text, x->member.text_count);
#define PUT_TEXTS(member, format)    put_texts(out, x->member.text, x->member.text_count);
#define PUT_NAMES(member, least)     put_texts(out, x->member.text, x->member.text_count);
#define PUT_MAPPING(member, Inner)   put_##Inner(out, x->member, x->member != NULL ? 1 : 0);
#define PUT_ROOT(member, Inner)      PUT_MAPPING(member, Inner)
#define PUT_LIST(member, Inner)      put_##Inner(out, x->member, x->member##_count);
#define PUT_LIST_OF_1(member, Inner) PUT_LIST(member, Inner)
#define PUT_ROOTS(member, Inner)     PUT_LIST(member, Inner)

#define MAPPING(Type, text)          static void put_##Type(Str *out, const Type *list, uint32_t count);
#define END(Type)
#include "../../schema/spec.def"

#define MAPPING(Type, text)                                                                                            \
    static void put_##Type(Str *out, const Type *list, uint32_t count)                                                 \
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
static void put_file(Str *out, const Spec *spec)
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

/* `file` stands for what is common in the graph's file. Names of kernels mean something in their own file only. */
static void put_graph(Str *out, const SpecGraph *graph, uint32_t file, uint32_t own_file)
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

const Likeness *likeness_find(Arena *arena, const Spec *const *specs, size_t num_specs)
{
    Arena scratch;
    Table files;
    Table graphs;
    uint32_t num_graphs = 0;
    for (size_t i = 0; i < num_specs; i++) {
        num_graphs += specs[i]->graphs_count;
    }
    Likeness *list = ARENA_ARRAY(arena, Likeness, num_graphs);
    arena_init(&scratch);
    table_init(&files, &scratch);
    table_init(&graphs, &scratch);
    uint32_t number = 0;
    for (uint32_t i = 0; i < num_specs; i++) {
        Str common = str_new(&scratch);
        put_file(&common, specs[i]);
        const uint32_t file = number_of(&files, &common, i);
        for (uint32_t g = 0; g < specs[i]->graphs_count; g++, number++) {
            Str bytes = str_new(&scratch);
            put_graph(&bytes, &specs[i]->graphs[g], file, i);
            list[number].first = number_of(&graphs, &bytes, number);
            list[list[number].first].members++;
        }
    }
    arena_release(&scratch);
    return list;
}
