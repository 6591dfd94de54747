/* SPDX-License-Identifier: MIT */
/* gen_private - the state of a run, shared by gen.c (its stages), gen_diff.c (two runs side by side) and gen_explain.c
 * (what its messages quote) only. */
#ifndef WRAPGEN_GEN_PRIVATE_H
#define WRAPGEN_GEN_PRIVATE_H

#include "base/output.h"
#include "gen.h"
#include "host/host.h"
#include "program.h"
#include "render/overrides.h"
#include "yaml/front.h"

typedef struct Run {
    Arena *arena;
    Diag *diag;
    const GenOptions *options;
    Source *sources;       /* the inputs, followed by the host's description */
    const char *host_path; /* the name of that description; null for a built-in host */
    const Host *host;
    Program *program;
    TemplateStore store;
    Str source;
    Str header;
    Str contract;
    Str selftest;
    Str proof;
    Str stub;
    Str python;
    Str annotations; /* of the Python module */
    Str *text;
    Limits limits;
} Run;

/* The stages from bytes to a program. False: reported. */
bool gen_prepare(Run *run);

/* gen_diff.c: --diff. False: reported, or the versions are not compatible, which is reported, too. */
bool gen_diff(Run *run);

/* Positions, order, and the texts that the messages quote. */
void gen_explain(Run *run, GenResult *result);

#endif /* WRAPGEN_GEN_PRIVATE_H */
