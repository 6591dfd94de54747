/* SPDX-License-Identifier: MIT */
/*
 * header_name - may a generated header have that name? The source includes it by its name alone, along with other
 * headers: if the names are the same, one hides the other.
 */
#ifndef WRAPGEN_HEADER_NAME_H
#define WRAPGEN_HEADER_NAME_H

#include <stdbool.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "host.h"

/* `name` is without folders. false: the owner of the name was reported (E_USAGE). */
bool header_name_is_free(Diag *diag, const char *name, const Host *host);

/* An include guard for a header of that name: "WG_DEMO_H" for "src/wg_demo.h", whatever folders and characters it has.
 */
const char *header_guard(Arena *arena, const char *file);

#endif /* WRAPGEN_HEADER_NAME_H */
