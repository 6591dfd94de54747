/* SPDX-License-Identifier: MIT */
/* kinds - what a kind of values is in C, in Python and in words: the table of kinds.def. */
#ifndef WRAPGEN_KINDS_H
#define WRAPGEN_KINDS_H

#include "../../schema/spec.h"

typedef enum KindForm {
    FORM_NOTHING, /* it has no value to look at */
    FORM_TENSOR,
    FORM_NUMBER, /* an int, a float, a bool */
    FORM_CODE,   /* a dtype or a device, as an int32_t */
    FORM_TEXT,
    FORM_LIST,
    FORM_STRUCT /* a tuple, a record */
} KindForm;

typedef struct KindSpec {
    KindForm form;
    const char *c_type;
    const char *proof;
    const char *key;
    const char *python;
    const char *annotation;
    const char *article;
    const char *note;
} KindSpec;

extern const KindSpec kind_specs[];

static inline KindForm kind_form(SpecKind kind)
{
    return kind_specs[kind].form;
}

/* Neither a tensor, nor a container, nor null. */
bool kind_is_scalar(SpecKind kind);

/* A list, a tuple, a record. */
bool kind_is_container(SpecKind kind);

/* Is it a pointer in C, so that null needs no address of its own? */
bool kind_is_pointer(SpecKind kind);

/* An int32_t in a struct; where no types are, one is cut from an integer. */
bool kind_is_int32(SpecKind kind);

/* Are two literals of the kind one value? 1.0 and 1 are, 0.0 and -0.0 are two. */
bool kind_same_literal(SpecKind kind, const char *a, const char *b);

#endif /* WRAPGEN_KINDS_H */
