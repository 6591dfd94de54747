/* SPDX-License-Identifier: MIT */
/*
 * schema_json - what editors learn about the YAML.
 */
#ifndef WRAPGEN_SCHEMA_JSON_H
#define WRAPGEN_SCHEMA_JSON_H

#include "../base/arena.h"
#include "../base/str.h"

/* The JSON schema (draft 2020-12), made from schema/spec.def. */
void schema_print_json(Arena *arena, Str *out);

#endif /* WRAPGEN_SCHEMA_JSON_H */
