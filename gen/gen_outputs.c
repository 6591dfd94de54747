/* SPDX-License-Identifier: MIT */
/* gen_outputs - the files that a run writes, by the rows of outputs.def: their names, their texts, and their order. */
#include "gen_private.h"

#include <string.h>

#include "yaml/files.h"

/* ---- what makes the text of each ---- */

typedef bool Render(Run *run, Str *text);

static bool render_contract(Run *run, Str *text)
{
    program_contract(run->program, text);
    return true;
}

static bool render_limits(Run *run, Str *text)
{
    return program_render_limits(run->program, &run->store, run->options->outputs[GEN_LIMITS], text);
}

static bool render_selftest(Run *run, Str *text)
{
    return program_render_selftest(run->program, &run->store, text);
}

static bool render_proof(Run *run, Str *text)
{
    return program_render_proof(run->program, &run->store, text);
}

static bool render_stub(Run *run, Str *text)
{
    return program_render_stub(run->program, &run->store, text);
}

static bool render_python(Run *run, Str *text)
{
    const char *const *outputs = run->options->outputs;
    const char *limits = outputs[GEN_LIMITS] ? str_base_name(outputs[GEN_LIMITS]) : NULL;
    return program_render_python(run->program, &run->store, outputs[GEN_PYTHON], limits, text,
                                 &run->texts[GEN_ANNOTATIONS]);
}

typedef struct Row {
    Render *render; /* null: the program itself, or another row */
    int traits;
} Row;

static const Row rows[] = {
#define OUTPUT(name, option, letter, argument, help, render, traits) {render, traits},
#define OUTPUT_WITH(name, of)                                        {NULL, 0},
#include "outputs.def"
};

/* ---- all of them ---- */

/* "src/wrappers.c" becomes "src/wrappers.pyi". */
static const char *annotations_path(const Run *run)
{
    const char *module = run->options->outputs[GEN_PYTHON];
    return module ? arena_printf(run->arena, "%.*s.pyi", (int)(strlen(module) - strlen(".c")), module) : NULL;
}

/* Null: it is not written. */
static const char *path_of(const Run *run, GenOutput output)
{
    const GenOptions *options = run->options;
    if (output == GEN_ANNOTATIONS) {
        return annotations_path(run);
    }
    const bool lacks_source = (rows[output].traits & GEN_GOES_WITH_SOURCE) != 0 && !options->outputs[GEN_SOURCE];
    return lacks_source ? NULL : options->outputs[output];
}

/* Only the texts of a run that writes are not looked at as a whole. */
const char *gen_outputs_folder(const Run *run)
{
    const char *source = run->options->outputs[GEN_SOURCE];
    return run->options->action == GEN_WRITE && source ? output_folder(run->arena, source) : NULL;
}

bool gen_outputs_render(Run *run)
{
    bool rendered = true;
    for (int output = 0; output < GEN_NUM_OUTPUTS && rendered; output++) {
        if (rows[output].render && run->options->outputs[output]) {
            rendered = rows[output].render(run, &run->texts[output]);
        }
    }
    return rendered;
}

static bool add_once(Run *run, Output *output, const char *path, const Str *text)
{
    return run->options->action != GEN_WRITE || files_add_new(output, path, str_text(text), text->length);
}

static const LongText *long_text_of(const Run *run, GenOutput output)
{
    return output == GEN_SOURCE ? &run->source : output == GEN_HEADER ? &run->header : NULL;
}

bool gen_outputs_add(Run *run, Output *output)
{
    bool added = true;
    for (int i = 0; i < GEN_NUM_OUTPUTS; i++) {
        const char *path = path_of(run, (GenOutput)i);
        const Str *text = &run->texts[i];
        const LongText *whole = long_text_of(run, (GenOutput)i);
        if (path && whole) {
            added = output_add_long(output, path, whole) && added;
        } else if (path && (rows[i].traits & GEN_WRITTEN_ONCE) != 0) {
            added = add_once(run, output, path, text) && added;
        } else if (path) {
            added = output_add(output, path, str_text(text), text->length) && added;
        }
    }
    return added;
}

void gen_outputs_list(Run *run)
{
    for (int i = 0; i < GEN_NUM_OUTPUTS; i++) {
        const char *path = path_of(run, (GenOutput)i);
        if (path) {
            str_printf(run->text, "%s\n", path);
        }
    }
}
