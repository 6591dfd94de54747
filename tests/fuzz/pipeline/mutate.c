/* SPDX-License-Identifier: MIT */
/*
 * mutate - a file of the corpus and one to five changes, each guided by the schema: a place is drawn, then a way to
 * change it that the place allows. Most mutants are of the right shape, so that rules, lowering and templates see them.
 */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

/* ---- the corpus ---- */

static void add_file(Corpus *corpus, const char *name, const char *text, size_t length)
{
    Tree *tree = tree_parse(corpus->arena, text, length);
    if (tree == NULL || tree->kind != TREE_MAP) {
        return;
    }
    tree_annotate(tree);
    corpus->files = arena_grow(corpus->arena, corpus->files, corpus->num_files * sizeof(Tree *),
                               (corpus->num_files + 1) * sizeof(Tree *));
    corpus->names = arena_grow(corpus->arena, corpus->names, corpus->num_files * sizeof(char *),
                               (corpus->num_files + 1) * sizeof(char *));
    corpus->names[corpus->num_files] = arena_copy(corpus->arena, name, strlen(name));
    corpus->files[corpus->num_files++] = tree;
}

void corpus_add(Corpus *corpus, const char *name, const char *text, size_t length)
{
    static const char opening[] = "\n```yaml\n";
    const size_t name_length = strlen(name);
    if (name_length < 3 || strcmp(name + name_length - 3, ".md") != 0) {
        add_file(corpus, name, text, length);
        return;
    }
    for (const char *block = strstr(text, opening); block != NULL; block = strstr(block, opening)) {
        block += strlen(opening);
        const char *end = strstr(block, "\n```");
        add_file(corpus, name, block, end != NULL ? (size_t)(end + 1 - block) : strlen(block));
    }
}

static Shelf *find_shelf(const Corpus *corpus, const cyaml_schema_field_t *field, bool entry)
{
    for (size_t i = 0; i < corpus->num_shelves; i++) {
        if (corpus->shelves[i].field == field && corpus->shelves[i].entry == entry) {
            return &corpus->shelves[i];
        }
    }
    return NULL;
}

static void put_on_shelf(Corpus *corpus, Tree *tree)
{
    Shelf *shelf = find_shelf(corpus, tree->field, tree->entry);
    if (shelf == NULL) {
        const size_t count = corpus->num_shelves++;
        corpus->shelves =
            arena_grow(corpus->arena, corpus->shelves, count * sizeof(Shelf), (count + 1) * sizeof(Shelf));
        shelf = &corpus->shelves[count];
        *shelf = (Shelf){.field = tree->field, .entry = tree->entry};
    }
    shelf->trees =
        arena_grow(corpus->arena, shelf->trees, shelf->count * sizeof(Tree *), (shelf->count + 1) * sizeof(Tree *));
    shelf->trees[shelf->count++] = tree;
}

static void shelve(Corpus *corpus, Tree *tree)
{
    if (tree->field != NULL) {
        put_on_shelf(corpus, tree);
    }
    for (size_t i = 0; i < tree->count; i++) {
        shelve(corpus, tree->items[i]);
    }
}

void corpus_close(Corpus *corpus)
{
    for (size_t i = 0; i < corpus->num_files; i++) {
        shelve(corpus, corpus->files[i]);
    }
}

Tree *corpus_pick(const Corpus *corpus, Random *random, const cyaml_schema_field_t *field, bool entry)
{
    const Shelf *shelf = find_shelf(corpus, field, entry);
    return shelf != NULL ? shelf->trees[random_below(random, (uint32_t)shelf->count)] : NULL;
}

/* ---- changes ---- */

typedef struct Mutation {
    const Corpus *corpus;
    Arena *arena;
    Random random;
    Tree *root;
    TreePlace place;
} Mutation;

static uint32_t below(Mutation *mutation, size_t count)
{
    return random_below(&mutation->random, (uint32_t)count);
}

static bool set_value(Mutation *mutation)
{
    Tree *node = mutation->place.node;
    if (node->kind != TREE_SCALAR) {
        return false;
    }
    node->text = mutate_value(mutation->corpus, mutation->arena, &mutation->random, mutation->root, node);
    node->quoted = false;
    return true;
}

static bool nudge(Mutation *mutation)
{
    Tree *node = mutation->place.node;
    char *end = NULL;
    if (node->kind != TREE_SCALAR || *node->text == '\0') {
        return false;
    }
    const long long value = strtoll(node->text, &end, 10);
    if (*end != '\0' || value > INT64_MAX / 2 || value < INT64_MIN / 2) {
        return false;
    }
    static const long long steps[] = {1, -1, 2, -2, 8};
    const long long other = below(mutation, 6) == 0 ? -value / 2 : value / 2 * 2 + steps[below(mutation, 5)];
    node->text = arena_printf(mutation->arena, "%lld", other);
    return true;
}

/* What other files say below the same key. */
static bool replace(Mutation *mutation)
{
    const TreePlace *place = &mutation->place;
    const Tree *other = place->node->field != NULL
                            ? corpus_pick(mutation->corpus, &mutation->random, place->node->field, place->node->entry)
                            : NULL;
    if (other == NULL) {
        return false;
    }
    place->parent->items[place->at] = tree_clone(mutation->arena, other);
    return true;
}

static bool delete_it(Mutation *mutation)
{
    if (mutation->place.parent == NULL) {
        return false;
    }
    tree_remove(mutation->place.parent, mutation->place.at);
    return true;
}

/* Once more, with another name or with the same one. */
static bool duplicate(Mutation *mutation)
{
    const TreePlace *place = &mutation->place;
    if (place->parent == NULL || place->parent->kind != TREE_LIST) {
        return false;
    }
    const uint32_t times = below(mutation, 8) == 0 ? 2 + below(mutation, 30) : 1;
    const bool rename = below(mutation, 4) != 0;
    for (uint32_t i = 0; i < times; i++) {
        Tree *copy = tree_clone(mutation->arena, place->node);
        Tree *name = tree_find(copy, "name");
        if (name != NULL && name->kind == TREE_SCALAR && rename) {
            name->text = arena_printf(mutation->arena, "%s_%u", name->text, i + 2);
        }
        tree_insert(mutation->arena, place->parent, place->at, NULL, copy);
    }
    return true;
}

static bool swap_siblings(Mutation *mutation)
{
    Tree *parent = mutation->place.parent;
    if (parent == NULL || parent->count < 2) {
        return false;
    }
    const size_t other = below(mutation, parent->count);
    Tree *first = parent->items[mutation->place.at];
    parent->items[mutation->place.at] = parent->items[other];
    parent->items[other] = first;
    return true;
}

/* With a node of the same kind anywhere in the file: subclasses of inputs and tangents, sizes and strides. */
static bool swap_alike(Mutation *mutation)
{
    const TreePlaces places = tree_places(mutation->arena, mutation->root);
    const TreePlace *mine = &mutation->place;
    for (int tries = 0; tries < 16; tries++) {
        const TreePlace *other = &places.list[below(mutation, places.count)];
        if (other->parent == NULL || mine->parent == NULL || other->node->kind != mine->node->kind ||
            other->node->schema == NULL || mine->node->schema == NULL ||
            other->node->schema->type != mine->node->schema->type) {
            continue;
        }
        mine->parent->items[mine->at] = tree_clone(mutation->arena, other->node);
        if (below(mutation, 2) == 0) {
            other->parent->items[other->at] = tree_clone(mutation->arena, mine->node);
        }
        return true;
    }
    return false;
}

/* A key that is not there yet, as another file has it. */
static bool add_key(Mutation *mutation)
{
    Tree *node = mutation->place.node;
    const cyaml_schema_field_t *fields = node->kind == TREE_MAP ? tree_fields(node) : NULL;
    size_t count = 0;
    while (fields != NULL && fields[count].key != NULL) {
        count++;
    }
    for (int tries = 0; tries < 8 && count > 0; tries++) {
        const cyaml_schema_field_t *field = &fields[below(mutation, count)];
        const Tree *other = corpus_pick(mutation->corpus, &mutation->random, field, false);
        if (other == NULL || tree_find(node, field->key) != NULL) {
            continue;
        }
        tree_insert(mutation->arena, node, below(mutation, node->count + 1), field->key,
                    tree_clone(mutation->arena, other));
        return true;
    }
    return false;
}

/* An entry of another file's list: a number, an input, a whole graph. */
static bool add_entry(Mutation *mutation)
{
    Tree *node = mutation->place.node;
    if (node->kind != TREE_LIST || node->field == NULL) {
        return false;
    }
    const Tree *other = corpus_pick(mutation->corpus, &mutation->random, node->field, true);
    if (other == NULL) {
        return false;
    }
    tree_insert(mutation->arena, node, below(mutation, node->count + 1), NULL, tree_clone(mutation->arena, other));
    return true;
}

/* One text, everywhere it stands, becomes another: a renamed symbol, two that were different and are the same now. */
static bool rename_all(Mutation *mutation)
{
    const TreePlaces places = tree_places(mutation->arena, mutation->root);
    const Tree *node = mutation->place.node;
    if (node->kind != TREE_SCALAR) {
        return false;
    }
    const char *old = node->text;
    const char *text = mutate_value(mutation->corpus, mutation->arena, &mutation->random, mutation->root, node);
    for (size_t i = 0; i < places.count; i++) {
        if (places.list[i].node->kind == TREE_SCALAR && strcmp(places.list[i].node->text, old) == 0) {
            places.list[i].node->text = text;
        }
    }
    return true;
}

static bool empty(Mutation *mutation)
{
    Tree *node = mutation->place.node;
    if (node->kind == TREE_SCALAR || mutation->place.parent == NULL || below(mutation, 3) != 0) {
        return false;
    }
    node->count = 0;
    node->items = NULL;
    node->keys = NULL;
    return true;
}

static void change(Mutation *mutation)
{
    /* More than once: more often. */
    static bool (*const ways[])(Mutation *) = {set_value, set_value, set_value, nudge,         replace,    delete_it,
                                               duplicate, add_key,   add_key,   add_key,       swap_alike, rename_all,
                                               add_entry, add_entry, replace,   swap_siblings, empty};
    bool done = false;
    for (int tries = 0; tries < 50 && !done; tries++) {
        const TreePlaces places = tree_places(mutation->arena, mutation->root);
        mutation->place = places.list[below(mutation, places.count)];
        done = ways[below(mutation, sizeof ways / sizeof ways[0])](mutation);
    }
    tree_annotate(mutation->root);
}

Tree *mutate(const Corpus *corpus, Arena *arena, uint64_t seed, uint64_t number)
{
    Mutation mutation = {.corpus = corpus, .arena = arena, .random = random_from(seed, number)};
    mutation.root = tree_clone(arena, corpus->files[below(&mutation, corpus->num_files)]);
    static const uint32_t changes[] = {1, 1, 1, 1, 2, 2, 3, 5};
    const uint32_t count = changes[below(&mutation, sizeof changes / sizeof changes[0])];
    for (uint32_t i = 0; i < count; i++) {
        change(&mutation);
    }
    return mutation.root;
}
