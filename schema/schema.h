/* SPDX-License-Identifier: MIT */
/*
 * schema - the lines of spec.def as data: libcyaml's tables, which the loader, the shape checker, the rules and the
 * JSON schema printer walk, and what libcyaml has no place for.
 */
#ifndef WRAPGEN_SCHEMA_H
#define WRAPGEN_SCHEMA_H

#include <stddef.h>

#include <cyaml/cyaml.h>

/* Marks a text that may also be null. libcyaml reads this flag only when it saves, which we never do; its own flags for
 * null also take an empty value and hide the difference. */
#define SPEC_FLAG_NULL CYAML_FLAG_SCALAR_PLAIN

/* The top-level value: a pointer to a mapping, a Spec. */
extern const cyaml_schema_value_t spec_schema;

/* What texts look like. */
#define FORMAT(name, least, null, text) SPEC_FORMAT_##name,
typedef enum SpecFormat {
    SPEC_FORMAT_NONE, /* not of a text */
#include "spec.def"
    SPEC_NUM_FORMATS
} SpecFormat;

typedef struct SpecFormatText {
    const char *name;
    const char *text;
} SpecFormatText;

extern const SpecFormatText spec_formats[SPEC_NUM_FORMATS];

/* What is said about a key. */
typedef struct SpecKey {
    SpecFormat format;   /* of the text, or of each in the list */
    const char *preset;  /* leaving it out is the same as this; null: it is not */
    const char *instead; /* what is used when it is left out, in words; null: nothing, or the preset */
    const char *text;
} SpecKey;

/* A mapping: keys[i] belongs to fields[i]. */
typedef struct SpecMapping {
    const char *name; /* of the struct */
    const char *text;
    const cyaml_schema_field_t *fields;
    const SpecKey *keys;
    size_t num_keys;
} SpecMapping;

/* The number of a mapping, SPEC_OF_<struct>, and of a key in it, <struct>_<member>. */
enum {
#define MAPPING(Type, text) SPEC_OF_##Type,
#define END(Type)
#include "spec.def"
    SPEC_NUM_MAPPINGS
};

#define MAPPING(Type, text)                                      enum {
#define FIELD(Type, key, member, type, of, root, presence, text) Type##_##member,
#define END(Type)                                                                                                      \
    Type##_num_keys                                                                                                    \
    }                                                                                                                  \
    ;
#include "spec.def"

extern const SpecMapping spec_mappings[SPEC_NUM_MAPPINGS];

/* The keys where the outermost of its kind stands, some of the above; null: it does not hold more of its kind. */
extern const cyaml_schema_field_t *const spec_roots[SPEC_NUM_MAPPINGS];

#endif /* WRAPGEN_SCHEMA_H */
