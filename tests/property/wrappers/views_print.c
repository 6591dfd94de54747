/* SPDX-License-Identifier: MIT */
/*
 * views_print - random view sequences with what views.c makes of them, for views_torch.py to hold against PyTorch.
 *
 * One line each, in JSON: dtype, sizes, strides and offset of the base, the operations, and the same of the result. The
 * sequences are those of the graph generator under its first valuation, on bases that state everything.
 */
#include "views_print.h"

#include <inttypes.h>
#include <string.h>

#include "generate_private.h"

static void print_geometry(FILE *file, const ViewGeometry *g)
{
    fprintf(file, "{\"dtype\": \"%s\", \"offset\": %" PRId64 ", \"size\": [", generate_dtype_name(g->dtype), g->offset);
    for (int32_t i = 0; i < g->rank; i++) {
        fprintf(file, "%s%" PRId64, i > 0 ? ", " : "", g->sizes[i]);
    }
    fprintf(file, "], \"stride\": [");
    for (int32_t i = 0; i < g->rank; i++) {
        fprintf(file, "%s%" PRId64, i > 0 ? ", " : "", g->strides[i]);
    }
    fprintf(file, "]}");
}

static void print_node(FILE *file, const Node *node)
{
    if (node->kind == NODE_TEXT) {
        const bool word = node->text[0] >= 'a' && node->text[0] <= 'z';
        fprintf(file, word ? "\"%s\"" : "%s", node->text);
        return;
    }
    fprintf(file, node->kind == NODE_MAP ? "{" : "[");
    for (uint32_t i = 0; i < node->count; i++) {
        fprintf(file, i > 0 ? ", " : "");
        if (node->kind == NODE_MAP) {
            fprintf(file, "\"%s\": ", node->keys[i]);
        }
        print_node(file, node->items[i]);
    }
    fprintf(file, node->kind == NODE_MAP ? "}" : "]");
}

static bool uses_symbols(const Draw *draw)
{
    for (int i = 0; i < NUM_SYMBOLS; i++) {
        if (draw->wanted[i]) {
            return true;
        }
    }
    return false;
}

void views_print(FILE *file, uint64_t seed, uint32_t count)
{
    for (uint32_t n = 0; n < count; seed++) {
        Arena arena;
        Drawn base;
        Drawn result;
        arena_init(&arena);
        Draw *draw = ARENA_NEW(&arena, Draw);
        draw->arena = &arena;
        draw->random = random_from(seed, 5);
        memset(&base, 0, sizeof base);
        base.dtype = generate_dtype(draw, false);
        generate_facts(draw, node_map(&arena), &base, false, true);
        const Node *views = base.has_stride && base.has_offset ? generate_views(draw, &base, &result) : NULL;
        if (views != NULL && !uses_symbols(draw)) {
            fprintf(file, "{\"base\": ");
            print_geometry(file, &base.at[0]);
            fprintf(file, ", \"view\": ");
            print_node(file, views);
            fprintf(file, ", \"result\": ");
            print_geometry(file, &result.at[0]);
            fprintf(file, "}\n");
            n++;
        }
        arena_release(&arena);
    }
}
