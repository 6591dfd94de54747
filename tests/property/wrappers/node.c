/* SPDX-License-Identifier: MIT */
/*
 * node - see node.h.
 */
#include "node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static Node *new_node(Arena *arena, NodeKind kind)
{
    Node *node = ARENA_NEW(arena, Node);
    node->kind = kind;
    return node;
}

Node *node_map(Arena *arena)
{
    return new_node(arena, NODE_MAP);
}

Node *node_list(Arena *arena)
{
    return new_node(arena, NODE_LIST);
}

Node *node_text(Arena *arena, const char *format, ...)
{
    char text[200];
    va_list arguments;
    Node *node = new_node(arena, NODE_TEXT);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    node->text = arena_copy(arena, text, strlen(text));
    return node;
}

static void make_room(Arena *arena, Node *parent)
{
    if (parent->count < parent->capacity) {
        return;
    }
    const uint32_t wider = parent->capacity == 0 ? 8 : parent->capacity * 2;
    const char **keys = ARENA_ARRAY(arena, const char *, wider);
    Node **items = ARENA_ARRAY(arena, Node *, wider);
    for (uint32_t i = 0; i < parent->count; i++) {
        keys[i] = parent->keys[i];
        items[i] = parent->items[i];
    }
    parent->keys = keys;
    parent->items = items;
    parent->capacity = wider;
}

Node *node_add(Arena *arena, Node *parent, const char *key, Node *item)
{
    node_restore(arena, parent, parent->count, key, item);
    return item;
}

void node_put(Arena *arena, Node *parent, const char *key, const char *text)
{
    node_add(arena, parent, key, node_text(arena, "%s", text));
}

Node *node_find(const Node *map, const char *key)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->keys[i] != NULL && strcmp(map->keys[i], key) == 0) {
            return map->items[i];
        }
    }
    return NULL;
}

Node *node_take(Node *parent, uint32_t index, const char **key)
{
    Node *item = parent->items[index];
    *key = parent->keys[index];
    parent->count--;
    for (uint32_t i = index; i < parent->count; i++) {
        parent->items[i] = parent->items[i + 1];
        parent->keys[i] = parent->keys[i + 1];
    }
    return item;
}

void node_restore(Arena *arena, Node *parent, uint32_t index, const char *key, Node *item)
{
    make_room(arena, parent);
    for (uint32_t i = parent->count; i > index; i--) {
        parent->items[i] = parent->items[i - 1];
        parent->keys[i] = parent->keys[i - 1];
    }
    parent->items[index] = item;
    parent->keys[index] = key;
    parent->count++;
}

static void write_flow(const Node *node, Str *out)
{
    if (node->kind == NODE_TEXT) {
        const char *quote = strpbrk(node->text, ",%!<>=") != NULL ? "'" : ""; /* of expressions: max(s0, 1) */
        str_printf(out, "%s%s%s", quote, node->text, quote);
        return;
    }
    str_putc(out, node->kind == NODE_MAP ? '{' : '[');
    for (uint32_t i = 0; i < node->count; i++) {
        str_puts(out, i > 0 ? ", " : "");
        if (node->kind == NODE_MAP) {
            str_printf(out, "%s: ", node->keys[i]);
        }
        write_flow(node->items[i], out);
    }
    str_putc(out, node->kind == NODE_MAP ? '}' : ']');
}

static void write_block(const Node *node, uint32_t depth, uint32_t flow_depth, bool in_line, Str *out)
{
    if (node->kind == NODE_TEXT || depth >= flow_depth || node->count == 0) {
        write_flow(node, out);
        str_putc(out, '\n');
        return;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        const Node *item = node->items[i];
        for (uint32_t k = 0; k < depth * 2 && !(in_line && i == 0); k++) {
            str_putc(out, ' ');
        }
        if (node->kind == NODE_LIST) {
            str_puts(out, "- ");
            write_block(item, depth + 1, flow_depth, true, out);
            continue;
        }
        str_printf(out, "%s:", node->keys[i]);
        const bool block = item->kind != NODE_TEXT && depth + 1 < flow_depth && item->count > 0;
        str_putc(out, block ? '\n' : ' ');
        write_block(item, depth + 1, flow_depth, false, out);
    }
}

void node_write(const Node *node, uint32_t flow_depth, Str *out)
{
    write_block(node, 0, flow_depth, false, out);
}
