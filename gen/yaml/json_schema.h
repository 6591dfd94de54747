/* SPDX-License-Identifier: MIT */
/*
 * json_schema - what the JSON schemas (draft 2020-12) of graphs and of hosts have in common.
 */
#ifndef WRAPGEN_JSON_SCHEMA_H
#define WRAPGEN_JSON_SCHEMA_H

#include <cyaml/cyaml.h>

#include "../base/str.h"

#define JSON_IDENTIFIER "[A-Za-z_][A-Za-z0-9_]*" /* as a pattern */

/* The brace that opens, and the first members; `what` becomes part of the identity, urn:wrapgen:schema:1. */
void json_put_head(Str *out, const char *what, const char *title);

/* The member "required": the keys of a mapping that are not optional. */
void json_put_required(Str *out, const cyaml_schema_field_t *fields, const char *indent);

#endif /* WRAPGEN_JSON_SCHEMA_H */
