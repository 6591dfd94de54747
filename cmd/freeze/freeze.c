/* SPDX-License-Identifier: MIT */
/*
 * freeze - compiles templates by the parser of the tool, and prints them as C (gen/render/frozen.h). The Makefile runs
 * it for build/frozen.c, on the machine that builds.
 *
 *     freeze FILE...      each templates/NAME.mustache, or the same below another folder
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../gen/render/frozen.h"
#include "../../gen/render/mustache_private.h"

static const char FOLDER[] = "templates/";
static const char ENDING[] = ".mustache";

typedef struct Source {
    const char *file;
    const char *name; /* of the template */
} Source;

typedef struct Freeze {
    Arena arena;
    Diag diag;
    MustacheEngine *engine;
    Source *sources; /* by name: what is printed does not depend on the order of the files */
    uint32_t num_sources;
    Str texts; /* of items, and the names in paths */
    uint32_t *paths;
    uint32_t num_paths;
    uint32_t room;
} Freeze;

/* "build/templates/op/copy_.mustache" is op/copy_; null for what is not a template. */
static const char *name_of(Arena *arena, const char *file)
{
    const char *name = NULL;
    for (const char *at = file; (at = strstr(at, FOLDER)) != NULL;) {
        at += strlen(FOLDER);
        name = at;
    }
    const char *ending = name != NULL ? strstr(name, ENDING) : NULL;
    return ending != NULL ? arena_copy(arena, name, (size_t)(ending - name)) : NULL;
}

/* A MustacheLoader. */
static bool load(void *ctx, const char *name, const char **text, size_t *length, const char **file)
{
    Freeze *freeze = ctx;
    for (uint32_t i = 0; i < freeze->num_sources; i++) {
        const Source *source = &freeze->sources[i];
        FILE *stream = str_equal(source->name, name) ? fopen(source->file, "rb") : NULL;
        if (stream != NULL) {
            Str content = str_new(&freeze->arena);
            for (int c = getc(stream); c != EOF; c = getc(stream)) {
                str_putc(&content, (char)c);
            }
            *text = str_text(&content);
            *length = content.length;
            *file = source->file;
            const bool whole = ferror(stream) == 0;
            return fclose(stream) == 0 && whole;
        }
    }
    return false;
}

/* ---- the C ---- */

static void print_numbers(const char *name, const uint32_t *numbers, uint32_t count)
{
    printf("\nstatic const uint32_t %s[] = {", name);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%u,", i % 16 == 0 ? "\n    " : "", numbers[i]);
    }
    printf("\n    0};\n");
}

static void print_bytes(const char *name, const Str *bytes)
{
    printf("\nstatic const unsigned char %s[] = {", name);
    for (size_t i = 0; i < bytes->length; i++) {
        printf("%s%d,", i % 32 == 0 ? "\n    " : "", (unsigned char)bytes->data[i]);
    }
    printf("\n    0};\n");
}

/* Adds a path to all paths; returns where it begins. */
static uint32_t add_path(Freeze *freeze, const Path *path)
{
    const uint32_t first = freeze->num_paths;
    for (uint32_t i = 0; i < path->count; i++) {
        freeze->paths =
            mustache_room(&freeze->arena, freeze->paths, freeze->num_paths, &freeze->room, sizeof *freeze->paths);
        freeze->paths[freeze->num_paths++] = i == 0 ? path->first : path->rest[i - 1];
    }
    return first;
}

static void print_item(Freeze *freeze, const Item *item)
{
    const bool named = item->kind == ITEM_PARTIAL || item->kind == ITEM_PARENT || item->kind == ITEM_BLOCK;
    const bool has_path = item->kind != ITEM_TEXT && (!named || item->dynamic);
    const Slice text = item->kind == ITEM_TEXT ? item->as.text : item->indent;
    const uint32_t name = has_path ? add_path(freeze, &item->as.path) : item->name;
    printf("    {%d, %d, %u, %u, %u, %u, %u, %zu, %u},\n", (int)item->kind, item->dynamic,
           has_path ? item->as.path.count : 0, item->end, item->offset, item->length, name, freeze->texts.length,
           text.length);
    if (text.length > 0) {
        str_add(&freeze->texts, text.data, text.length);
    }
}

static void print_templates(Freeze *freeze, const uint32_t *names)
{
    uint32_t *first = ARENA_ARRAY(&freeze->arena, uint32_t, freeze->num_sources + 1);
    printf("\nstatic const FrozenItem items[] = {\n");
    for (uint32_t i = 0; i < freeze->num_sources; i++) {
        const Template *template = mustache_template(freeze->engine, names[i]);
        for (uint32_t k = 0; k < template->num_items; k++) {
            print_item(freeze, &template->items[k]);
        }
        first[i + 1] = first[i] + template->num_items;
    }
    printf("    {0}};\n");
    print_numbers("first_item", first, freeze->num_sources + 1);
    print_numbers("paths", freeze->paths, freeze->num_paths);
    print_bytes("texts", &freeze->texts);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const Name *const *)a)->text, (*(const Name *const *)b)->text);
}

static void print_names(Freeze *freeze)
{
    const uint32_t count = freeze->engine->num_names;
    const Name **order = ARENA_ARRAY(&freeze->arena, const Name *, count);
    uint32_t *at = ARENA_ARRAY(&freeze->arena, uint32_t, count);
    uint32_t *sorted = ARENA_ARRAY(&freeze->arena, uint32_t, count);
    Str names = str_new(&freeze->arena);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = &freeze->engine->names[i];
        at[i] = (uint32_t)names.length;
        str_add(&names, order[i]->text, order[i]->length + 1);
    }
    qsort(order, count, sizeof *order, compare_names);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = order[i]->number;
    }
    print_bytes("names", &names);
    print_numbers("name_at", at, count);
    print_numbers("sorted", sorted, count);
}

static void print_all(Freeze *freeze, const uint32_t *names)
{
    printf("/* Made by cmd/freeze; do not edit. */\n#include \"gen/render/frozen.h\"\n");
    print_templates(freeze, names);
    print_names(freeze);
    uint32_t *template_of = ARENA_ARRAY(&freeze->arena, uint32_t, freeze->engine->num_names);
    for (uint32_t i = 0; i < freeze->num_sources; i++) {
        template_of[names[i]] = i + 1;
    }
    print_numbers("template_of", template_of, freeze->engine->num_names);
    printf("\nconst MustacheFrozen mustache_frozen = {(const char *)names, name_at, sorted, template_of, %u,\n"
           "    first_item, items, paths, (const char *)texts};\n",
           freeze->engine->num_names);
}

/* Compiles all of them; false when one has an error. */
static bool compile(Freeze *freeze, uint32_t *names)
{
    bool compiled = true;
    /* clang-format off */
#define KEY(key_name) (void)mustache_intern(freeze->engine, #key_name);
#include "../../gen/render/view_keys.def"
#undef KEY
    /* clang-format on */
    for (uint32_t i = 0; i < freeze->num_sources; i++) {
        names[i] = mustache_intern(freeze->engine, freeze->sources[i].name);
    }
    for (uint32_t i = 0; i < freeze->num_sources; i++) {
        const Template *template = mustache_template(freeze->engine, names[i]);
        compiled = compiled && !template->missing && !template->broken;
    }
    return compiled;
}

static int compare_sources(const void *a, const void *b)
{
    return strcmp(((const Source *)a)->name, ((const Source *)b)->name);
}

/* Takes the files of the command line; false when one is not a template. */
static bool take_sources(Freeze *freeze, char **files, uint32_t count)
{
    freeze->sources = ARENA_ARRAY(&freeze->arena, Source, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = name_of(&freeze->arena, files[i]);
        if (name == NULL) {
            fprintf(stderr, "freeze: %s is not %s...%s\n", files[i], FOLDER, ENDING);
            return false;
        }
        freeze->sources[freeze->num_sources++] = (Source){.file = files[i], .name = name};
    }
    qsort(freeze->sources, count, sizeof *freeze->sources, compare_sources);
    return true;
}

int main(int argc, char **argv)
{
    Freeze freeze = {.num_sources = 0};
    arena_init(&freeze.arena);
    diag_init(&freeze.diag, &freeze.arena);
    const MustacheConfig config = {.loader = load, .loader_ctx = &freeze, .strict = true};
    freeze.engine = mustache_new(&freeze.arena, &freeze.diag, &config);
    freeze.texts = str_new(&freeze.arena);
    uint32_t *names = ARENA_ARRAY(&freeze.arena, uint32_t, (size_t)argc);
    const bool taken = take_sources(&freeze, argv + 1, argc > 1 ? (uint32_t)argc - 1 : 0);
    const bool compiled = taken && compile(&freeze, names);
    if (compiled) {
        print_all(&freeze, names);
    } else if (taken) {
        Str shown = str_new(&freeze.arena);
        diag_render(&freeze.diag, NULL, 0, false, &shown);
        fprintf(stderr, "%sfreeze: a template has an error, or cannot be read\n", str_text(&shown));
    }
    arena_release(&freeze.arena);
    return compiled && fflush(stdout) == 0 ? 0 : 1;
}
