/* SPDX-License-Identifier: MIT */
/*
 * load_main - the first two stages alone: loads each file that is named and shows its diagnostics as the command line
 * does.
 *
 *     load_main [--json] [--color] FILE...
 *     load_main --schema                      the JSON schema, on standard output
 */
#include <stdio.h>
#include <string.h>

#include "gen/front.h"

static bool load_and_show(const char *path, DiagFormat format, bool color)
{
    Arena arena;
    Diag diag;
    Source source;
    Str out;
    bool loaded = false;

    arena_init(&arena);
    diag_init(&diag, &arena);
    diag.format = format;
    loaded = source_read(&arena, &diag, path, &source) && source_load(&arena, &diag, &source);
    out = str_new(&arena);
    diag_render(&diag, &(DiagFile){source.name, source.text, source.length}, 1, color, &out);
    fputs(str_text(&out), stderr);
    arena_release(&arena);
    return loaded;
}

static void print_schema(void)
{
    Arena arena;
    Str out;

    arena_init(&arena);
    out = str_new(&arena);
    schema_print_json(&arena, &out);
    fputs(str_text(&out), stdout);
    arena_release(&arena);
}

int main(int argc, char **argv)
{
    DiagFormat format = DIAG_TEXT;
    bool color = false;
    bool good = true;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            format = DIAG_JSON;
        } else if (strcmp(argv[i], "--color") == 0) {
            color = true;
        } else if (strcmp(argv[i], "--schema") == 0) {
            print_schema();
        } else {
            good = load_and_show(argv[i], format, color) && good;
        }
    }
    return good ? 0 : 2;
}
