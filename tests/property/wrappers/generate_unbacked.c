/* SPDX-License-Identifier: MIT */
/*
 * generate_unbacked - unbacked symbols of random graphs: which ones are used, and results that define the rest of them.
 */
#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

bool generate_uses_symbols(const Node *node)
{
    for (const char *text = node->kind == NODE_TEXT ? node->text : ""; *text != '\0'; text++) {
        if ((text[0] == 's' || text[0] == 'u') && text[1] >= '0' && text[1] <= '9') {
            return true;
        }
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (generate_uses_symbols(node->items[i])) {
            return true;
        }
    }
    return false;
}

/* Marks each symbol that a text is, or, with `whole` false, that is somewhere in one. */
static void mark(const Node *node, bool whole, bool *marks)
{
    const char *text = node->kind == NODE_TEXT ? node->text : "";
    for (const char *at = text; *at != '\0'; at++) {
        const bool symbol = at[0] == 'u' && at[1] >= '0' && at[1] < '0' + NUM_UNBACKED;
        if (symbol && (!whole || (at == text && at[2] == '\0'))) {
            marks[at[1] - '0'] = true;
        }
    }
    for (uint32_t i = 0; i < node->count; i++) {
        mark(node->items[i], whole, marks);
    }
}

/* What a result defines: its sizes, or its value. */
static void mark_defined(const Node *list, bool *defined)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        const Node *type = node_find(list->items[i], "type");
        const Node *size = node_find(list->items[i], "size");
        const Node *value = node_find(list->items[i], "value");
        if (size != NULL && (type == NULL || strcmp(type->text, "is_input") != 0)) {
            mark(size, true, defined);
        }
        if (value != NULL) {
            mark(value, true, defined);
        }
    }
}

static void add_definition(Draw *draw, Node *outputs, int symbol)
{
    Node *map = node_add(draw->arena, outputs, NULL, node_map(draw->arena));
    const Node *text = node_text(draw->arena, "u%d", symbol);
    node_put(draw->arena, map, "name", generate_name(draw, "y"));
    if (random_chance(&draw->unbacked, 40)) {
        node_put(draw->arena, map, "kind", "int");
        node_put(draw->arena, map, "value", text->text);
    } else {
        Node *size = node_add(draw->arena, map, "size", node_list(draw->arena));
        node_put(draw->arena, size, NULL, "3");
        node_put(draw->arena, size, NULL, text->text);
    }
    node_put(draw->arena, map, "type", "non_alias");
}

void generate_missing_definitions(Draw *draw, Node *outputs)
{
    bool used[NUM_UNBACKED] = {false};
    bool defined[NUM_UNBACKED] = {false};
    mark(draw->graph, false, used);
    mark_defined(node_find(draw->graph, "intermediate_bases"), defined);
    mark_defined(outputs, defined);
    for (int i = 0; i < NUM_UNBACKED; i++) {
        if (used[i] && !defined[i]) {
            add_definition(draw, outputs, i);
        }
    }
}
