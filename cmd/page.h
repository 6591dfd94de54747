/* SPDX-License-Identifier: MIT */
/*
 * page - what --help says in the forms that an installation wants: a manual page, and completions for shells.
 */
#ifndef WRAPGEN_PAGE_H
#define WRAPGEN_PAGE_H

#include "args.h"

/* Prints the page `name`: "manual", in the macros of man(7), or completions for "bash", "zsh" or "fish". false: its
 * template is wrong, which was reported (E_TEMPLATE). */
bool page_print(Arena *arena, Diag *diag, const char *name, Str *out);

#endif /* WRAPGEN_PAGE_H */
