/* SPDX-License-Identifier: MIT */
/*
 * generate - random graphs, valid by the rules of the YAML format: the same seed gives the same graph everywhere.
 *
 * Left out because nothing is generated for them yet (gen/lower refuses them by name): `kernel`, the convention
 * aoti. Each gets a draw of its own when it is there.
 */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdint.h>

#include "node.h"

/* Draws the graph of that seed; `number` makes its names unique in the file. */
Node *generate_graph(Arena *arena, uint64_t seed, uint32_t number);

/* A whole file around graphs; with the symbols that they use. */
Node *generate_file(Arena *arena, Node **graphs, uint32_t num_graphs);

#endif /* GENERATE_H */
