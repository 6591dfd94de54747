/* SPDX-License-Identifier: MIT */
/*
 * options - the options of the command line as rows of a table: options.c has the rows, args.c parses by them.
 */
#ifndef WRAPGEN_OPTIONS_H
#define WRAPGEN_OPTIONS_H

#include "args.h"

typedef struct Option Option;

typedef struct Parse {
    Arena *arena;
    Diag *diag;
    Args *args;
    const Option *action; /* the option that chose args->gen.action, or null */
    const char **given;   /* by row: how the option was written; null: not given */
} Parse;

/* When an option may be given. */
typedef enum Use {
    USE_ALWAYS,
    USE_REPEATED,           /* the same, more than once */
    USE_GENERATING,         /* not with --print-..., which would ignore it */
    USE_GENERATING_REPEATED /* the same, more than once */
} Use;

struct Option {
    const char *name;     /* null: `help` is a heading. Ends in '=' or '-', or is "-W": the value is joined to it. A
                             word without a dash is a command: the first word of a command line, and nowhere else */
    const char *letter;   /* "-i" for "--in" */
    const char *argument; /* null: takes none; "a|b": one of these words */
    const char *help;
    void (*store)(Parse *parse, const Option *row, const char *value);
    size_t member; /* of GenOptions */
    GenAction action;
    Use use;
};

#define USAGE(parse, ...) diag_report((parse)->diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL), __VA_ARGS__)

extern const Option options[];
extern const size_t num_options;

/* Is the value joined to the name? */
bool option_is_joined(const Option *option);

bool option_is_command(const Option *option);

/* A limit, or a warning by its code. */
typedef struct OptionNumber {
    const char *name;
    const char *about;
    int number;    /* of a limit, its default */
    size_t member; /* of a limit, in Limits */
} OptionNumber;

extern const OptionNumber option_limits[];
extern const size_t num_option_limits;
extern const OptionNumber option_warnings[];
extern const size_t num_option_warnings;

/* What -W calls a warning: its code in small letters, "unused-template" for W_UNUSED_TEMPLATE. */
const char *option_warning(Arena *arena, size_t number);

/* What each exit code means. */
extern const char *const option_statuses[];
extern const size_t num_option_statuses;

#endif /* WRAPGEN_OPTIONS_H */
