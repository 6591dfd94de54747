/* SPDX-License-Identifier: MIT */
/*
 * shrink - see shrink.h. What makes the YAML invalid is refused by wrapgen and therefore put back: no rule is known
 * here.
 */
#include "shrink.h"

#include <string.h>

typedef struct Shrink {
    const Tools *tools;
    Node *graph;
    uint64_t seed;
    Mismatch mismatch;
    uint32_t tries;
    Arena kept; /* of the tree */
    bool smaller;
} Shrink;

static bool still_fails(Shrink *s)
{
    Arena arena;
    BatchResult result;
    BatchGraph graph = {s->seed, s->graph, false};
    s->tries--;
    arena_init(&arena);
    const BatchVerdict verdict = batch_run(&arena, s->tools, &graph, 1, 0, true, NULL, &result, NULL);
    arena_release(&arena);
    return verdict == BATCH_DIFFERS && result.mismatch == s->mismatch;
}

/* Removes each entry, the last first, and keeps what is not needed for the failure out. */
static void without_entries(Shrink *s, Node *parent)
{
    for (uint32_t i = parent->count; i > 0 && s->tries > 0; i--) {
        const char *key = NULL;
        Node *item = node_take(parent, i - 1, &key);
        if (still_fails(s)) {
            s->smaller = true;
        } else {
            node_restore(&s->kept, parent, i - 1, key, item);
        }
    }
}

/* Those of one depth before those below: whole outputs before their keys. */
static void at_depth(Shrink *s, Node *node, uint32_t depth)
{
    if (node->kind == NODE_TEXT) {
        return;
    }
    if (depth == 0) {
        without_entries(s, node);
        return;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        at_depth(s, node->items[i], depth - 1);
    }
}

void shrink(const Tools *tools, Node *graph, uint64_t seed, Mismatch mismatch, uint32_t most_tries)
{
    Shrink s = {.tools = tools, .graph = graph, .seed = seed, .mismatch = mismatch, .tries = most_tries};
    arena_init(&s.kept);
    do {
        s.smaller = false;
        for (uint32_t depth = 0; depth < 6; depth++) {
            at_depth(&s, graph, depth);
        }
    } while (s.smaller && s.tries > 0);
    /* the tree may hold lists of this arena: it lives as long as the process, which is about to report and go on */
}
