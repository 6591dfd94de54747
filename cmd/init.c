/* SPDX-License-Identifier: MIT */
/*
 * init - writes the embedded files of templates/init/. They are the same on every machine, so they can be committed;
 * where the tool is stands only in the command that is printed.
 */
#include "init.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../gen/base/embedded.h"
#include "../gen/base/output.h"
#include "../gen/rules/schema_json.h"
#include "../gen/yaml/files.h"

static const struct {
    const char *name;
    const char *about;
    bool make;  /* is it of a folder with a Makefile? */
    bool cmake; /* of one with a CMakeLists.txt? */
} FILES[] = {
    {"graph.yaml", "describes the compiled function", true, true},
    {"graph.schema.json", "explains graph.yaml to an editor", true, true},
    {"kernel.c", "the compiled function", true, true},
    {"main.c", "calls its wrapper", true, true},
    {"Makefile", "generates the wrapper, builds, runs", true, false},
    {"CMakeLists.txt", "generates the wrapper, builds", false, true},
};

enum { NUM_FILES = sizeof FILES / sizeof FILES[0] };

static bool is_wanted(const Args *args, size_t i)
{
    return args->cmake ? FILES[i].cmake : FILES[i].make;
}

static const char *path_of(Arena *arena, const Args *args, const char *name)
{
    return str_equal(args->folder, ".") ? name : arena_printf(arena, "%s/%s", args->folder, name);
}

static Str text_of(Arena *arena, size_t i)
{
    Str text = str_new(arena);
    const EmbeddedFile *file = embedded_find(arena_printf(arena, "init/%s", FILES[i].name));
    if (file) {
        str_add(&text, file->text, file->length);
    } else {
        schema_print_json(arena, &text);
    }
    return text;
}

static bool write_files(Arena *arena, Diag *diag, const Args *args)
{
    Output output;
    bool clear = true;
    output_init(&output, arena, diag);
    for (size_t i = 0; i < NUM_FILES; i++) {
        if (!is_wanted(args, i)) {
            continue;
        }
        const Str text = text_of(arena, i);
        const char *path = path_of(arena, args, FILES[i].name);
        clear = files_add_new(&output, path, str_text(&text), text.length) && clear;
    }
    return clear && files_make_folder(arena, diag, args->folder) && output_commit(&output);
}

/* Null if the system does not say. */
static const char *working_folder(Arena *arena)
{
    for (size_t size = 256;; size *= 2) {
        char *here = ARENA_ARRAY(arena, char, size);
        if (getcwd(here, size)) {
            return here;
        }
        if (errno != ERANGE) {
            return NULL;
        }
    }
}

/* The tool's place from anywhere; null if a shell finds it by its name. */
static const char *place_of(Arena *arena, const char *program)
{
    if (!strchr(program, '/')) {
        return NULL;
    }
    const char *here = program[0] == '/' ? NULL : working_folder(arena);
    return here ? arena_printf(arena, "%s/%s", here, program) : program;
}

static void put_make(Str *out, const Args *args, const char *place)
{
    str_puts(out, "  make");
    if (!str_equal(args->folder, ".")) {
        str_puts(out, " -C ");
        args_put_quoted(out, args->folder);
    }
    if (place) {
        str_puts(out, " WRAPGEN=");
        args_put_quoted(out, place);
    }
    str_puts(out, "\n");
}

/* CMake finds an installation whose bin/ is in PATH, or is told about one. */
static void put_cmake(Arena *arena, Str *out, const Args *args, const char *place)
{
    static const char installed[] = "/bin/wrapgen";
    const char *build = path_of(arena, args, "build");
    const size_t length = place ? strlen(place) : 0;
    const bool known = length > strlen(installed) && str_equal(place + length - strlen(installed), installed);
    str_puts(out, "  cmake -S ");
    args_put_quoted(out, args->folder);
    str_puts(out, " -B ");
    args_put_quoted(out, build);
    if (place) {
        str_puts(out, " -DCMAKE_PREFIX_PATH=");
        args_put_quoted(out, known ? arena_copy(arena, place, length - strlen(installed)) : "PREFIX");
    }
    str_puts(out, " && cmake --build ");
    args_put_quoted(out, build);
    str_puts(out, " && ");
    args_put_quoted(out, arena_printf(arena, "%s%s/app", strchr(build, '/') ? "" : "./", build));
    str_puts(out, "\n");
    if (place && !known) {
        str_puts(out, "CMake needs an installed wrapgen: PREFIX is that of 'make install PREFIX=...'\n");
    }
}

bool init_write(Arena *arena, Diag *diag, const Args *args, const char *program, Str *out)
{
    const char *place = place_of(arena, program);
    if (!write_files(arena, diag, args)) {
        return false;
    }
    for (size_t i = 0; i < NUM_FILES; i++) {
        if (is_wanted(args, i)) {
            str_printf(out, "%-24s  %s\n", path_of(arena, args, FILES[i].name), FILES[i].about);
        }
    }
    str_puts(out, "\nBuild and run it:\n");
    if (args->cmake) {
        put_cmake(arena, out, args, place);
    } else {
        put_make(out, args, place);
    }
    return true;
}
