/* SPDX-License-Identifier: MIT */
/*
 * init - `wrapgen init DIR`: a first project, whose files are those of templates/init/ and the schema for editors.
 */
#ifndef WRAPGEN_INIT_H
#define WRAPGEN_INIT_H

#include "args.h"

/* Writes the files into args->folder, which is made if it is missing, and prints their names and the command that
 * builds and runs them; `program` is how the tool was called. false: reported. A file that exists with other bytes is
 * reported by name (E_USAGE), and then nothing is written. */
bool init_write(Arena *arena, Diag *diag, const Args *args, const char *program, Str *out);

#endif /* WRAPGEN_INIT_H */
