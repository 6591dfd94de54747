/* SPDX-License-Identifier: MIT */
/* gen_private - the state of a run, shared by the files gen_*.c only: gen.c has its stages, gen_outputs.c what it
 * writes, gen_split.c and gen_skeleton.c outputs of their own, gen_diff.c two runs side by side, gen_explain.c what its
 * messages quote. */
#ifndef WRAPGEN_GEN_PRIVATE_H
#define WRAPGEN_GEN_PRIVATE_H

#include "base/hash.h"
#include "base/long_text.h"
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
    Hash hash;             /* of the inputs' bytes */
    const char *host_path; /* the name of that description; null for a built-in host */
    const Host *host;
    Program *program;
    TemplateStore store;
    LongText source; /* the C, and the header with it */
    LongText header;
    Str texts[GEN_NUM_OUTPUTS]; /* of all other outputs */
    ProgramPart *parts;         /* of a source that is split; null: it is not */
    const char **part_paths;    /* the source of each, then the header of each */
    uint32_t num_parts;
    Str *text;
    Limits limits;
} Run;

/* The stages from bytes to a program. False: reported. */
bool gen_prepare(Run *run);

/* gen_outputs.c: the rows of outputs.def. The texts that are made in addition to the source; what is to be written; the
 * names. */
const char *gen_outputs_folder(const Run *run); /* for what is too long for memory; null: none */
bool gen_outputs_render(Run *run);
bool gen_outputs_add(Run *run, Output *output);
void gen_outputs_list(Run *run);

/* gen_split.c: --split. gen_split_kind says how; then the stage before anything is read, the stage that finds the
 * parts, once there is a program, and what becomes of their texts. */
ProgramSplit gen_split_kind(const GenOptions *options);
bool gen_split_check(Run *run);
bool gen_split(Run *run);
bool gen_split_add(Run *run, Output *output);

/* Takes away the parts that an earlier run made, split in another way, and that this one does not. */
void gen_split_clean(void *run, Output *output);

/* The names of the parts' files. False: reported. */
bool gen_split_list(Run *run);

/* What the outputs consist of. False: reported. */
bool gen_render(Run *run);

/* gen_skeleton.c: --print-host-skeleton. The host that is to be written (null: reported, as its name does not do), and
 * the whole action, which takes the stages above. */
const Host *gen_skeleton_host(Run *run);
bool gen_skeleton(Run *run);

/* gen_diff.c: --diff. False: reported, or the versions are not compatible, which is reported, too. */
bool gen_diff(Run *run);

/* Positions, order, and the texts that the messages quote. */
void gen_explain(Run *run, GenResult *result);

#endif /* WRAPGEN_GEN_PRIVATE_H */
