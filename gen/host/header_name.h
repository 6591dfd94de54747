/* SPDX-License-Identifier: MIT */
/*
 * header_name - may a generated header have that name? The source includes it by its name alone, beside headers of
 * others: one that is called like those stands in their place, or they in its.
 */
#ifndef WRAPGEN_HEADER_NAME_H
#define WRAPGEN_HEADER_NAME_H

#include <stdbool.h>

#include "../base/diag.h"
#include "host.h"

/* `name` is without folders. false: it was reported (E_USAGE) whose name it is. */
bool header_name_is_free(Diag *diag, const char *name, const Host *host);

#endif /* WRAPGEN_HEADER_NAME_H */
