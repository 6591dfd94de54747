/* SPDX-License-Identifier: MIT */
/* bound - does one test follow from another: is a number that is at most 5 at most 9? */
#ifndef WRAPGEN_BOUND_H
#define WRAPGEN_BOUND_H

#include <stdbool.h>

/* Lines of a portrait, "check_maximum: fails unless in_x.size(0) <= 9". False for all but tests of one thing for bounds
 * or divisors, which are literals: to be in doubt is to say that it does not follow. */
bool bound_follows(const char *line, const char *from);

#endif /* WRAPGEN_BOUND_H */
