/* SPDX-License-Identifier: MIT */
/*
 * gen - a whole run: everything that the command line asks for, from the files it names to the files it writes.
 *
 * It is re-entrant: everything lives in the arena that is passed, nothing is global. The one thing a run does not do is
 * print: text for standard output is returned, errors are in the Diag, and the caller shows both.
 */
#ifndef WRAPGEN_GEN_H
#define WRAPGEN_GEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/limits.h"
#include "base/progress.h"
#include "base/str.h"

/* Exit codes of the tool, and what gen_run() returns. */
typedef enum GenStatus {
    GEN_DONE = 0,
    GEN_STALE = 1 /* or not compatible */,
    GEN_REFUSED = 2,
    GEN_BROKEN = 3
} GenStatus;

/* WARNING(code without W_, what it is about): every warning, by its -W name in capitals. */
#define GEN_WARNINGS(WARNING)                                                                                          \
    WARNING(UNUSED_TEMPLATE, "a file below --templates that nothing uses")                                             \
    WARNING(HOST_PROGRAM, "the host needs a callback from your program")                                               \
    WARNING(HOST_NO_EFFECT, "the host accepts an operation that has no effect on it")                                  \
    WARNING(OVERLAP, "two variants of a kernel accept some of the same calls")                                         \
    WARNING(REFUSED, "a variant is chosen for calls that its graph refuses")                                           \
    WARNING(UNCOVERED, "a kernel has no variant for some calls")                                                       \
    WARNING(KEY, "calls with one key of a kernel get different variants")                                              \
    WARNING(UNPROVED, "the prover gave up on a question about a kernel's variants")

typedef enum GenAction {
    GEN_WRITE,        /* generate and write */
    GEN_CHECK,        /* generate and compare with the existing files */
    GEN_DUMP_PLAN,    /* the plan, as text */
    GEN_DUMP_VIEW,    /* the values that templates get, as text */
    GEN_SHOW,         /* graphs and kernels explained, as text */
    GEN_SHOW_HTML,    /* the same as a page */
    GEN_DIFF,         /* what the second of two inputs changes for those who use the first, as text */
    GEN_SIZE_REPORT,  /* how many bytes each part of the output has, and what sharing saves, as text */
    GEN_LIST_OUTPUTS, /* names of what GEN_WRITE would write; reads nothing, but the inputs when they say the names */
    GEN_PRINT_SCHEMA, /* the JSON schema of the input */
    GEN_PRINT_HOST_SCHEMA, /* that of a host's description */
    GEN_PRINT_HOST,        /* the description of the built-in host `subject` */
    GEN_PRINT_SKELETON,    /* writes a host with just the verbs that the input needs, into the folder `subject` */
    GEN_EXPLAIN,           /* the meaning of the code `subject` */
    GEN_PRINT_TEMPLATES,   /* writes the built-in files below the folder `subject` */
} GenAction;

/* The files of outputs.def. */
typedef enum GenOutput {
#define OUTPUT(name, option, letter, argument, help, render, traits) GEN_##name,
#define OUTPUT_WITH(name, of)                                        GEN_##name,
#include "outputs.def"
    GEN_NUM_OUTPUTS
} GenOutput;

/* What an output asks of others. */
enum {
    GEN_INCLUDED = 1,         /* an #include must be able to hold its name */
    GEN_INCLUDES_SOURCE = 2,  /* its text has an #include of the source, if there is one */
    GEN_INCLUDES_HEADER = 4,  /* it needs the header */
    GEN_GOES_WITH_SOURCE = 8, /* without a source it is not written, only included */
    GEN_WRITTEN_ONCE = 16,    /* the user's once it exists: never overwritten, and not compared by GEN_CHECK */
    GEN_IS_MODULE = 32        /* its name is that of a Python module, and ".c" */
};

/* What a command line says; pointers are borrowed, null is "not given". */
typedef struct GenOptions {
    GenAction action;
    const char *subject; /* the subject of the action; for GEN_DUMP_PLAN one layer, null for all */
    const char **inputs; /* paths, "-" is standard input */
    size_t num_inputs;
    /* Paths; null: not asked for. A source of "-" is standard output; with a stub there may be none. */
    const char *outputs[GEN_NUM_OUTPUTS];
    const char *host;
    const char *prefix;
    const char *templates;
    const char *strategy;  /* of dispatchers: chain, tree or hash; null: by cost */
    const char *split;     /* a number of parts, "graphs" or "files"; null: one source */
    const char *loop_from; /* a number: how many similar operations make a loop; null: the default */
    const char *depfile;
    const char *deptarget;
    bool amalgamate;           /* generated code includes one header, which GEN_PRINT_TEMPLATES then writes */
    bool fsync;                /* every output is on the disk before it replaces an old one */
    Limits limits;             /* all zero: the defaults */
    const char *write_command; /* a command line that does the same with GEN_WRITE, for GEN_CHECK to show */
    size_t twin_from;          /* see ProgramOptions; 0: LANE_WORTH */
    Progress progress;         /* told about graphs and kernels that have been rendered, then about files written */
} GenOptions;

typedef struct GenResult {
    Str text;        /* for standard output: a dump, a list, a diff */
    DiagFile *files; /* texts of what was read, for diag_render() */
    size_t num_files;
} GenResult;

/* Does the action read the YAML, and print instead of writing outputs? */
bool gen_only_prints(GenAction action);

/* Runs. All errors are in `diag`, resolved and sorted; if there are any, nothing was written. */
GenStatus gen_run(Arena *arena, Diag *diag, const GenOptions *options, GenResult *result);

/* Does Python reserve that word, so that no module can be called so? */
bool gen_is_python_keyword(const char *name);

/* The exit code that follows from what was reported so far. */
GenStatus gen_status(const Diag *diag);

#endif /* WRAPGEN_GEN_H */
