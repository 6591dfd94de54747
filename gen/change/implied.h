/* SPDX-License-Identifier: MIT */
/* implied - does a guard of one version hold in every call that the guards of the other accept? */
#ifndef WRAPGEN_IMPLIED_H
#define WRAPGEN_IMPLIED_H

#include "portrait.h"

/* The guard behind a line of the one; false for every other line. To be in doubt is to say that it does not follow. */
bool implied_guard(Arena *arena, const Portrait *one, const char *line, const Portrait *other);

#endif /* WRAPGEN_IMPLIED_H */
