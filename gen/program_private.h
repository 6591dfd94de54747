/* SPDX-License-Identifier: MIT */
/* program_private - shared by the files program*.c only: program.c takes graphs and kernels one after another,
 * program_lower.c makes their plans, program_render.c and program_split.c their code, and the others what else is made
 * of them: pages, a Python module, a proof, portraits, a host's skeleton. */
#ifndef WRAPGEN_PROGRAM_PRIVATE_H
#define WRAPGEN_PROGRAM_PRIVATE_H

#include "base/hash.h"
#include "dispatch/kernel.h"
#include "facts/likeness.h"
#include "lower/family.h"
#include "program.h"
#include "render/require.h"
#include "render/sizes.h"
#include "render/view.h"

typedef struct ProgramTwin ProgramTwin;

/* A graph or a kernel. */
typedef struct ProgramItem {
    uint32_t source; /* its file */
    uint32_t index;  /* in it: graphs first, then kernels */
    uint32_t graph;  /* a graph's number, counted over all files */
} ProgramItem;

struct Program {
    Arena *arena;
    Diag *diag;
    const Host *host;
    ProgramOptions options;
    const Source *sources;
    size_t num_sources;
    Arena graph; /* holds one graph or kernel at a time: its plans and its view */
    View *view;
    Sizes sizes;        /* of what was rendered */
    Require require;    /* what is needed of the host */
    ProgramItem *items; /* all, part by part */
    uint32_t num_items;
    uint32_t from;      /* those that are the program's for now, */
    uint32_t until;     /* up to here, */
    uint32_t next;      /* and the next one of them */
    ProgramPart *parts; /* one, without a name, of a program that is not split */
    uint32_t num_parts;
    uint32_t *part_of;        /* of each item in the order of files */
    uint32_t *first_of;       /* of each file, its first item in that order */
    bool failed;              /* a template did: no other is rendered */
    bool places_declarations; /* our templates do, once; the user's have the whole text, to do with it what they want */
    Hash contract;            /* of all declarations */
    const char *part_key;     /* what tells the part from others in C; null: the program is not split */
    Value part_headers;       /* headers of other parts, whose functions those of this one call */
    size_t num_errors;        /* the time when the program was built */
    const Likeness *likeness; /* of all graphs, counted over all files */
    uint32_t num_graphs;
    Families *families; /* of what is rendered; dumps show every graph's own plan */
    bool may_have_twin; /* nothing of what is rendered leaves a trace but its text and messages */
    ProgramTwin *twin;  /* null until there is one */
    bool is_twin;
    bool has_kernels;
    const void
        *top; /* what the includes of the source are made for: the first kernel, or the first graph if there is none */
};

typedef struct Lowered {
    Plan *plan;     /* of a graph */
    uint32_t graph; /* its number, counted over all files */
    Plan *backward; /* null but for training */
    Kernel *kernel; /* or a kernel: the others are null then */
} Lowered;

/* Lowers the next one that can be generated; false after the last one. One that cannot is reported and skipped, and
 * nothing will be written. `index` is 0 to begin anew. */
bool program_next(Program *program, uint32_t index, Lowered *lowered);

/* program_split.c: puts every graph and kernel into its part, and lists them part by part. */
void program_split(Program *program);

/* The number of the part of a graph. */
uint32_t program_part_of(const Program *program, uint32_t source, uint32_t graph_index);

/* program_engine.c: an engine over the store. `require` is null when the rendered text does not call the host; `check`
 * passes the texts of `{{x}}`. Then what views are made with, and the outermost object (`declarations` may be null). */
MustacheEngine *program_engine_for(Program *program, TemplateStore *store, Require *require, MustacheCheck check);
MustacheEngine *program_engine(Program *program, TemplateStore *store, Require *require); /* for C: tokens */
void program_open_view(Program *program, MustacheEngine *engine);

/* program_render.c */
Value program_view(Program *program, const char *declarations);
const char *program_quoted(Arena *arena, const char *text); /* as an #include or a literal of C has it */
const char *program_limits_prefix(const Program *program);  /* of the names in --emit-limits' file */

/* Begins to render code, with plans that serve several graphs, until program_end. */
MustacheEngine *program_begin(Program *program, TemplateStore *store, bool has_header);
void program_end(Program *program);

/* program_items.c: the next one; then the text of all from `from` until `until`, and its hash. false: reported. */
Value program_lowered_view(Program *program, const Lowered *lowered);
bool program_render_items(Program *program, MustacheEngine *engine, LongText *source, LongText *declaring);

/* The source is its top followed by graphs and kernels one by one. Their declarations are a piece of the header or,
 * without one (null), of the source. Those that are rendered are the ones from `from` until `until`. */
bool program_render_texts(Program *program, MustacheEngine *engine, LongText *source, LongText *header);

#endif /* WRAPGEN_PROGRAM_PRIVATE_H */
