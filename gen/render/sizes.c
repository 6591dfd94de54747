/* SPDX-License-Identifier: MIT */
/*
 * sizes - every piece of text comes with the template that it is from and, inside a graph's function, the op that it
 * was made for.
 */
#include "sizes.h"

#include <string.h>

#include "view.h"

typedef struct PartRow {
    const char *name;
    bool in_functions;
    const char *what;
} PartRow;

static const PartRow part_rows[SIZES_PARTS] = {
#define PART(name, in_functions, what) [SIZES_##name] = {#name, in_functions, what},
#include "sizes.def"
};

typedef struct TemplateRow {
    const char *name;
    SizesPart part;
} TemplateRow;

static const TemplateRow template_rows[] = {
#define TEMPLATE(name, part) {name, SIZES_##part},
#include "sizes.def"
};

static SizesPart part_of(const char *template)
{
    for (size_t i = 0; i < sizeof template_rows / sizeof template_rows[0]; i++) {
        const char *name = template_rows[i].name;
        const bool folder = name[strlen(name) - 1] == '/';
        if (folder ? str_starts(template, name) : str_equal(template, name)) {
            return template_rows[i].part;
        }
    }
    return SIZES_other;
}

void sizes_measure(void *ctx, const char *template, const void *origin, size_t length)
{
    Sizes *sizes = ctx;
    const ViewOrigin *known = origin;
    const SizesPart part = part_of(template);
    const bool in_layer = known != NULL && known->in_layer && part != SIZES_cold;
    sizes->bytes[sizes->file][in_layer ? SIZES_PARTS + (size_t)known->layer : (size_t)part] += length;
}

void sizes_counted_before(Sizes *sizes, size_t length)
{
    sizes->bytes[sizes->file][SIZES_top] -= length;
}

size_t sizes_functions(const Sizes *sizes)
{
    size_t sum = 0;
    for (size_t row = 0; row < SIZES_ROWS; row++) {
        sum += row >= SIZES_PARTS || part_rows[row].in_functions ? sizes->bytes[SIZES_SOURCE][row] : 0;
    }
    return sum;
}

void sizes_share(Sizes *sizes, const char *symbol, uint32_t members, size_t before)
{
    const SizesShared shared = {arena_printf(sizes->arena, "%s", symbol), sizes_functions(sizes) - before, members};
    sizes->shared = arena_grow(sizes->arena, sizes->shared, sizes->num_shared * sizeof shared,
                               (sizes->num_shared + 1) * sizeof shared);
    sizes->shared[sizes->num_shared++] = shared;
}

static void put_row(Str *out, size_t bytes, const char *name, const char *what)
{
    if (bytes > 0) {
        str_printf(out, "%12zu  %-30s%s%s\n", bytes, name, *what ? " " : "", what);
    }
}

static void put_file(const Sizes *sizes, SizesFile file, const char *name, size_t length, Str *out)
{
    str_printf(out, "bytes of the %s:\n", name);
    for (size_t row = 0; row < SIZES_ROWS; row++) {
        const bool layer = row >= SIZES_PARTS;
        put_row(out, sizes->bytes[file][row], layer ? layer_specs[row - SIZES_PARTS].name : part_rows[row].name,
                layer ? layer_specs[row - SIZES_PARTS].what : part_rows[row].what);
    }
    str_printf(out, "%12zu  in all\n", length);
}

void sizes_report(const Sizes *sizes, size_t source, size_t header, Str *out)
{
    size_t saved = 0;
    put_file(sizes, SIZES_SOURCE, "source", source, out);
    if (header > 0) {
        put_file(sizes, SIZES_HEADER, "header", header, out);
    }
    str_puts(out, sizes->num_shared > 0 ? "functions that graphs share:\n" : "no graphs share functions\n");
    for (uint32_t i = 0; i < sizes->num_shared; i++) {
        const SizesShared *shared = &sizes->shared[i];
        const size_t less = shared->bytes * (shared->members - 1);
        str_printf(out, "%12zu  for %u graphs, from %s on: saves %zu\n", shared->bytes, (unsigned)shared->members,
                   shared->symbol, less);
        saved += less;
    }
    if (sizes->num_shared > 0) {
        str_printf(out, "%12zu  saved by sharing\n", saved);
    }
}
