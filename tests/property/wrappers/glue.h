/* SPDX-License-Identifier: MIT */
/*
 * glue - the C that lets one driver call every graph of a batch: structs filled field by field from an array of values
 * and read back, compiled functions in both conventions, and the array of entries that dlsym() finds.
 */
#ifndef GLUE_H
#define GLUE_H

#include "../../../templates/selftest/layout.h"
#include "../../../gen/base/str.h"

/* Writes the glue of all graphs; it includes the generated source `source` and becomes one translation unit with it. */
void glue_write(const Layout *layouts, uint32_t num_layouts, const char *prefix, const char *source, Str *out);

#endif /* GLUE_H */
