/* SPDX-License-Identifier: MIT */
/*
 * args - the command line. options.c has one table of options; parsing, --help and "did you mean" all come from it.
 */
#ifndef WRAPGEN_ARGS_H
#define WRAPGEN_ARGS_H

#include <stdbool.h>

#include "../gen/gen.h"

#define WRAPGEN_VERSION "0.1.0"

typedef struct Args {
    GenOptions gen;
    bool help;        /* print args_help() and stop */
    bool version;     /* print args_version() and stop */
    const char *page; /* print this page (page.h) and stop; null: none */
    bool init;        /* write a first project (init.h) into `folder` and stop */
    const char *folder;
    bool cmake; /* with a CMakeLists.txt */
} Args;

/* Fills args, and in diag the format, the colour and what -W says. false: every mistake was reported (E_USAGE). Texts
 * point into argv; nothing is read or written. */
bool args_parse(Arena *arena, Diag *diag, int argc, char **argv, Args *args);

void args_help(Str *out);
void args_version(Str *out);

/* As a shell reads it: in quotes if it needs them. */
void args_put_quoted(Str *out, const char *text);

#endif /* WRAPGEN_ARGS_H */
