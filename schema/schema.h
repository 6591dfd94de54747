/* SPDX-License-Identifier: MIT */
/*
 * schema - the libcyaml tables of spec.c, as data: what the loader, the shape checker and the JSON schema printer walk.
 */
#ifndef WRAPGEN_SCHEMA_H
#define WRAPGEN_SCHEMA_H

#include <cyaml/cyaml.h>

/* Marks a text that may also be null. libcyaml looks at this flag when it saves, which nobody does here; its own flags
 * for null also take an empty value and hide the difference. */
#define SPEC_FLAG_NULL CYAML_FLAG_SCALAR_PLAIN

/* The top-level value: a pointer to a mapping, a Spec. */
extern const cyaml_schema_value_t spec_schema;

#endif /* WRAPGEN_SCHEMA_H */
