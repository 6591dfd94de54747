/* SPDX-License-Identifier: MIT */
/*
 * mutate - one YAML file made of others: a mutant is a function of the corpus, the seed and its number, of nothing
 * else.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stdint.h>

#include "templates/selftest/random.h"
#include "tree.h"

/* Everything that stands below one key somewhere in the corpus. */
typedef struct Shelf {
    const cyaml_schema_field_t *field;
    bool entry;
    Tree **trees;
    size_t count;
} Shelf;

typedef struct Corpus {
    Arena *arena;
    Tree **files;
    const char **names;
    size_t num_files;
    Shelf *shelves;
    size_t num_shelves;
} Corpus;

/* Adds a YAML file, or every ```yaml block of a Markdown file. What libyaml refuses is left out. */
void corpus_add(Corpus *corpus, const char *name, const char *text, size_t length);

/* Sorts what was added onto shelves; nothing is added after this. */
void corpus_close(Corpus *corpus);

/* The mutant of that number, in `arena`. */
Tree *mutate(const Corpus *corpus, Arena *arena, uint64_t seed, uint64_t number);

/* A value for a scalar of that key: from the corpus, the schema's words, the extremes of its type, the names of the
 * file. */
const char *mutate_value(const Corpus *corpus, Arena *arena, Random *random, const Tree *root, const Tree *scalar);

/* What stands below that key elsewhere, or null. */
Tree *corpus_pick(const Corpus *corpus, Random *random, const cyaml_schema_field_t *field, bool entry);

#endif /* FUZZ_MUTATE_H */
