/* SPDX-License-Identifier: MIT */
/*
 * plain - reads YAML that is written plainly, as the descriptions of the built-in hosts are, without libcyaml, whose
 * start takes longer than much of a small graph's run: keys with a word or a list of words, nothing nested.
 */
#ifndef WRAPGEN_PLAIN_H
#define WRAPGEN_PLAIN_H

#include <stdbool.h>

#include <cyaml/cyaml.h>

#include "../base/arena.h"

/* Fills a struct of zeroes with what libcyaml would load by these fields: texts, and lists of texts. false: it is not
 * sure that it would, and what was filled in is of no use. */
bool plain_read(Arena *arena, const char *text, const cyaml_schema_field_t *fields, void *data);

#endif /* WRAPGEN_PLAIN_H */
