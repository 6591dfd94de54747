/* SPDX-License-Identifier: MIT */
/*
 * program - the middle and the end of a run, called by the pipeline: from trusted Specs to plans, from plans to text.
 */
#ifndef WRAPGEN_PROGRAM_H
#define WRAPGEN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "change/portrait.h"
#include "base/diag.h"
#include "base/long_text.h"
#include "dispatch/dispatch.h"
#include "yaml/front.h"
#include "host/host.h"
#include "base/progress.h"
#include "base/str.h"
#include "render/overrides.h"

typedef struct Program Program; /* all graphs and kernels of a run */

/* How the source of a run is divided into parts, each of them a source and a header. */
typedef enum ProgramSplit {
    SPLIT_NOT,
    SPLIT_EVENLY, /* into a number of parts, by a hash of the names of graphs and kernels */
    SPLIT_GRAPHS, /* a part for each graph and each kernel */
    SPLIT_FILES   /* a part for each file */
} ProgramSplit;

typedef struct ProgramOptions {
    const char *prefix; /* overrides the YAML's; or null */
    const char
        *header_name; /* base name of the header that the source includes, or null: declarations go into the source */
    const char *source_name; /* base name of the source, for the self-test and the proof to include; null without one */
    const char *banner_name; /* base name(s) of the input, for the banner */
    DispatchStrategy strategy; /* of dispatchers */
    bool measures;             /* program_report_sizes will be called */
    size_t most_bytes;         /* of an output; 0: any number */
    size_t most_steps;         /* see MustacheConfig */
    uint32_t loop_from;        /* how many similar ops make a loop; 0: never */
    size_t twin_from;          /* bytes of text from which on half of the graphs are rendered in a thread of its own */
    const char *banner_hash;   /* a hash of the input's bytes, hexadecimal; null: none is said */
    Progress progress;
    bool amalgamated;   /* code includes the one header of its host that has all */
    ProgramSplit split; /* program_render_parts will be called, instead of program_render */
    uint32_t num_parts; /* of SPLIT_EVENLY */
} ProgramOptions;

/* Graphs and kernels are lowered, verified and rendered one at a time, or two in two threads, so that memory use is
 * that of the input and of one of them. Features that generation does not support yet, or the host lacks, are reported
 * while the graphs are rendered or dumped (places unresolved), and so are bugs of ours that the verifier finds. */
Program *program_build(Arena *arena, Diag *diag, const Source *sources, size_t num_sources, const Host *host,
                       const ProgramOptions *options);

/* --dump plan (of one layer, or null: all) and --dump view */
void program_dump_plan(Program *program, const char *layer, Str *out);
void program_dump_view(Program *program, Str *out);

/* --emit-contract: what program_render produced, as JSON (contract.h); called after it, when nothing was reported. */
void program_contract(Program *program, Str *out);

/* Renders the source (and the header, unless `header` is null), into texts that are empty. false: reported. */
bool program_render(Program *program, TemplateStore *store, LongText *source, LongText *header);

/* A part: which graphs and kernels it has follows from their names (or files) alone, so a change of one changes the
 * text of its own part, and of those parts that have kernels which choose it when its declarations change. */
typedef struct ProgramPart {
    const char
        *name; /* what its files are told apart by: "3", a graph's external name, or a file's name without ".yaml" */
    const char *source_name; /* base names of its files, set by the caller */
    const char *header_name;
    const char *source;
    size_t source_length;
    const char *header;
    size_t header_length;
    uint32_t from; /* which of the program's items, until `until` */
    uint32_t until;
} ProgramPart;

/* The name of a file's part: "models/layer.yaml" becomes "layer". */
const char *program_file_part(Arena *arena, const char *path);

/* The parts of a program that is split, in the order of their numbers, or of graphs or files. */
ProgramPart *program_parts(Program *program, uint32_t *num_parts);

/* Renders all parts, and the source and the header that include them all. false: reported. */
bool program_render_parts(Program *program, TemplateStore *store, ProgramPart *parts, uint32_t num_parts,
                          LongText *source, LongText *header);

/* --size-report: what the two texts of program_render consist of; the header is empty without one. */
void program_report_sizes(const Program *program, const LongText *source, const LongText *header, Str *out);

/* What is left to write of a host, once program_render() has asked it for its verbs: those, and the few that
 * `make host-check` needs of any host, without those of `begun`, a host that is there already, or null. Their names,
 * with commas; empty: none. */
const char *program_skeleton_verbs(Program *program, const Host *begun);

/* Renders the files of --print-host-skeleton. false: reported. */
bool program_render_skeleton(Program *program, TemplateStore *store, Str *description, Str *header, Str *source);

/* Renders the same for a host that is there already: what is to be added to its files. false: reported. */
bool program_render_skeleton_rest(Program *program, TemplateStore *store, Str *out);

/* Renders the file of --emit-kernel-stub, which includes the header. false: reported. */
bool program_render_stub(Program *program, TemplateStore *store, Str *out);

/* --show, and --show-html: every graph and kernel explained. false: reported. */
bool program_show(Program *program, TemplateStore *store, bool html, Str *out);

/* --diff: what each graph, then each kernel, of a file is to those around it. */
typedef struct Portraits {
    Portrait **at;
    uint32_t count;
} Portraits;

bool program_portraits(Program *program, TemplateStore *store, Portraits *out); /* false: reported */

/* Renders the two files of --emit-python: the extension module, which is called after its file, "src/name.c", and
 * includes the header and that of --emit-limits, whose name is `limits`, null for none, and its stub for type checkers.
 * false: reported. */
bool program_render_python(Program *program, TemplateStore *store, const char *file, const char *limits, Str *out,
                           Str *annotations);

/* Renders the file of --emit-limits, whose include guard is made of its name. false: reported. */
bool program_render_limits(Program *program, TemplateStore *store, const char *file, Str *out);

/* Renders the file of --emit-proof; options.source_name is not null. false: reported. */
bool program_render_proof(Program *program, TemplateStore *store, Str *out);

/* Renders the file of --emit-selftest; options.source_name is not null. false: reported. */
bool program_render_selftest(Program *program, TemplateStore *store, Str *out);

#endif /* WRAPGEN_PROGRAM_H */
