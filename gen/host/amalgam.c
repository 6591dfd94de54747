/* SPDX-License-Identifier: MIT */
/*
 * amalgam - a host's own files, those of the host that it builds on, and the core's. Each file comes once, where it is
 * first included; the files of the core and of a host have no two names alike at file level, so they can follow one
 * another. tests/cli/amalgamate.sh compiles what comes out.
 */
#include "amalgam.h"

#include <string.h>

#include "../base/embedded.h"
#include "../base/output.h"
#include "../base/str.h"
#include "../yaml/files.h"

typedef struct Host {
    const char *name;
    const char *base; /* the host whose tensors it has, or its own name */
} Host;

static const Host HOSTS[] = {{"native", "native"}, {"dlpack", "native"}, {"aoti", "aoti"}};

enum { NUM_HOSTS = sizeof HOSTS / sizeof HOSTS[0] };

/* What generated code includes besides its host's header. */
static const char *const PUBLIC[] = {"wg_key.h", "wg_dispatch.h"};

typedef struct Amalgam {
    Arena *arena;
    const Host *host;
    bool *written; /* by number of the embedded file */
} Amalgam;

bool amalgam_has(const char *host)
{
    for (size_t i = 0; i < NUM_HOSTS; i++) {
        if (str_equal(HOSTS[i].name, host)) {
            return true;
        }
    }
    return false;
}

const char *amalgam_hosts(Arena *arena)
{
    Str text = str_new(arena);
    for (size_t i = 0; i < NUM_HOSTS; i++) {
        str_printf(&text, "%s%s", i == 0 ? "" : i + 1 < NUM_HOSTS ? ", " : " and ", HOSTS[i].name);
    }
    return str_text(&text);
}

/* Folder i of those that a host consists of; null after the last. */
static const char *folder_of(const Amalgam *amalgam, size_t i)
{
    const Host *host = amalgam->host;
    const bool builds_on_another = !str_equal(host->base, host->name);
    const char *const folders[] = {"core", arena_printf(amalgam->arena, "hosts/%s", host->base),
                                   builds_on_another ? arena_printf(amalgam->arena, "hosts/%s", host->name) : NULL};
    return i < sizeof folders / sizeof folders[0] ? folders[i] : NULL;
}

/* The file of these folders that an #include names; null: it is of the C library. */
static const EmbeddedFile *file_of(const Amalgam *amalgam, const char *name)
{
    const EmbeddedFile *file = NULL;
    const char *folder = NULL;
    for (size_t i = 0; !file && (folder = folder_of(amalgam, i)) != NULL; i++) {
        file = embedded_find(arena_printf(amalgam->arena, "%s/%s", folder, name));
    }
    return file;
}

/* The name in `#include "name"`; null: the line is another one. */
static const char *included_by(const Amalgam *amalgam, const char *line)
{
    static const char begin[] = "#include \"";
    if (!str_starts(line, begin)) {
        return NULL;
    }
    const char *name = line + strlen(begin);
    return arena_copy(amalgam->arena, name, strcspn(name, "\"\n"));
}

/* Headers that are not written yet come in place of the lines that include them. */
static void put_file(Amalgam *amalgam, const EmbeddedFile *file, Str *out)
{
    bool *written = &amalgam->written[file - embedded_files];
    if (*written) {
        return;
    }
    *written = true;
    for (const char *line = file->text; *line;) {
        const size_t length = strcspn(line, "\n") + 1;
        const char *name = included_by(amalgam, line);
        const EmbeddedFile *included = name ? file_of(amalgam, name) : NULL;
        if (included) {
            put_file(amalgam, included, out);
        } else if (!str_starts(line, "/* SPDX-License-Identifier: ")) {
            str_add(out, line, length);
        }
        line += length;
    }
}

static void put_header(Amalgam *amalgam, Str *out)
{
    str_puts(out, "/* SPDX-License-Identifier: 0BSD */\n");
    str_printf(out,
               "/* All that code over the host %s includes, as wrapgen --print-templates --amalgamate writes it. */\n",
               amalgam->host->name);
    put_file(amalgam, file_of(amalgam, arena_printf(amalgam->arena, "wg_%s.h", amalgam->host->name)), out);
    for (size_t i = 0; i < sizeof PUBLIC / sizeof PUBLIC[0]; i++) {
        put_file(amalgam, file_of(amalgam, PUBLIC[i]), out);
    }
}

static bool is_source_in(const Amalgam *amalgam, const EmbeddedFile *file, const char *folder)
{
    const char *prefix = arena_printf(amalgam->arena, "%s/", folder);
    const size_t length = strlen(file->name);
    return str_starts(file->name, prefix) && !strchr(file->name + strlen(prefix), '/') &&
           str_equal(file->name + length - 2, ".c");
}

static void put_source(Amalgam *amalgam, Str *out)
{
    str_puts(out, "/* SPDX-License-Identifier: 0BSD */\n");
    str_printf(out, "/* The host %s and the core, as wrapgen --print-templates --amalgamate writes them. */\n",
               amalgam->host->name);
    str_printf(out, "#include \"wg_%s.h\"\n", amalgam->host->name);
    const char *folder = NULL;
    for (size_t k = 0; (folder = folder_of(amalgam, k)) != NULL; k++) {
        for (size_t i = 0; i < num_embedded_files; i++) {
            if (is_source_in(amalgam, &embedded_files[i], folder)) {
                str_printf(out, "\n/* ---- %s ---- */\n\n", embedded_files[i].name);
                put_file(amalgam, &embedded_files[i], out);
            }
        }
    }
}

bool amalgam_write(Arena *arena, Diag *diag, const char *folder)
{
    Output output;
    bool clear = true;
    output_init(&output, arena, diag);
    for (size_t i = 0; i < NUM_HOSTS; i++) {
        Amalgam amalgam = {arena, &HOSTS[i], ARENA_ARRAY(arena, bool, num_embedded_files)};
        Str texts[2] = {str_new(arena), str_new(arena)};
        put_header(&amalgam, &texts[0]);
        put_source(&amalgam, &texts[1]);
        for (size_t k = 0; k < 2; k++) {
            const char *path = arena_printf(arena, "%s/wg_%s.%c", folder, HOSTS[i].name, "hc"[k]);
            const char *text = str_text(&texts[k]);
            clear = files_add_new(&output, path, text, texts[k].length) && clear;
        }
    }
    return clear && files_make_folder(arena, diag, folder) && output_commit(&output);
}
