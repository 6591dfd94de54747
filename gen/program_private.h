/* SPDX-License-Identifier: MIT */
/* program_private - shared by program.c (graphs and kernels, one after another), program_render.c (their code) and
 * program_show.c, program_python.c, program_proof.c and program_diff.c (pages about them, a Python module, a proof,
 * portraits of them) only. */
#ifndef WRAPGEN_PROGRAM_PRIVATE_H
#define WRAPGEN_PROGRAM_PRIVATE_H

#include "dispatch/kernel.h"
#include "facts/likeness.h"
#include "lower/family.h"
#include "program.h"
#include "render/require.h"
#include "render/sizes.h"
#include "render/view.h"

struct Program {
    Arena *arena;
    Diag *diag;
    const Host *host;
    ProgramOptions options;
    const Source *sources;
    size_t num_sources;
    Arena graph; /* holds one graph or kernel at a time: its plans and its view */
    View *view;
    Sizes sizes;              /* of what was rendered */
    Require require;          /* what is needed of the host */
    uint32_t source_of;       /* where the next one is */
    uint32_t index_of;        /* graphs first, then kernels */
    size_t num_errors;        /* the time when the program was built */
    const Likeness *likeness; /* of all graphs, counted over all files */
    uint32_t graph_of;        /* which of them is the next one */
    uint32_t num_graphs;
    Families *families; /* of what is rendered; dumps show every graph's own plan */
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

/* program_render.c: an engine over the store. `require` is null when the rendered text does not call the host; `check`
 * passes the texts of `{{x}}`. Then what views are made with, and the outermost object (`declarations` may be null). */
MustacheEngine *program_engine_for(Program *program, TemplateStore *store, Require *require, MustacheCheck check);
MustacheEngine *program_engine(Program *program, TemplateStore *store, Require *require); /* for C: tokens */
void program_open_view(Program *program, MustacheEngine *engine);
Value program_view(Program *program, const char *declarations);
Value program_lowered_view(Program *program, const Lowered *lowered); /* of the next one */

#endif /* WRAPGEN_PROGRAM_PRIVATE_H */
