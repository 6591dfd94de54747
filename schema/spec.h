/* SPDX-License-Identifier: MIT */
/*
 * spec - the YAML as C structs: what libcyaml fills, and what gen/rules adds to it. The members are in
 * spec.def, which also says how to add one.
 *
 * Members are named after the YAML's keys. Scalars arrive as text and keep it (for messages); booleans and kinds are
 * strict enums. What is RESOLVED in spec.def is zero until gen/rules has filled it; after that gate every consumer
 * reads the resolved members only and may trust them. Absent stays distinguishable: null text, null list pointer (an
 * empty list `[]` has a non-null pointer and count 0), the zero member of an enum.
 */
#ifndef WRAPGEN_SPEC_H
#define WRAPGEN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Expr;

/* ---- words ---- */

/* Of SpecBool: rules put in the default of an absent one, so that after them only TRUE and FALSE occur, except where
 * null is meaningful (SPEC_UNSET). Use spec_is(). */
#define WORDS(list, Type, ABSENT) typedef enum Type { ABSENT = 0,
#define WORD(word, CONSTANT)      CONSTANT,
#define END_WORDS(Type)                                                                                                \
    }                                                                                                                  \
    Type;
#define ENUM(Type, ABSENT)     WORDS(, Type, ABSENT)
#define MEMBER(word, CONSTANT) WORD(word, CONSTANT)
#define END_ENUM(Type)         END_WORDS(Type)
#include "spec.def"

/* The enum that the words of a list are of. */
#define WORDS(list, Type, ABSENT) typedef Type SpecWord_##list;
#define WORD(word, CONSTANT)
#define END_WORDS(Type)
#define SOME_WORDS(list, Type) typedef Type SpecWord_##list;
#define SOME_WORD(word, CONSTANT)
#define END_SOME_WORDS
#include "spec.def"

static inline bool spec_is(SpecBool value)
{
    return value == SPEC_TRUE;
}

/* As the YAML writes it: "tensor", "alias_of_input"; "?" for one that is absent. */
const char *spec_kind_text(SpecKind kind);
const char *spec_output_type_text(SpecOutputType type);

/* ---- what a member is ---- */

/* A list of integers or expressions. */
typedef struct SpecInts {
    char **text; /* null: absent; non-null with count 0: `[]` */
    uint32_t text_count;
    /* resolved: */
    const struct Expr **expr; /* text_count of them; null for the word `nested` of an outer size */
} SpecInts;

/* One integer or expression. */
typedef struct SpecInt {
    char *text; /* null: absent */
    /* resolved: */
    const struct Expr *expr;
} SpecInt;

/* A list of names or paths. */
typedef struct SpecNames {
    char **text;
    uint32_t text_count;
} SpecNames;

/* A reference to one of the graph's named values, resolved. */
typedef enum SpecRefKind {
    SPEC_REF_NONE = 0,
    SPEC_REF_INPUT,
    SPEC_REF_OUTPUT,
    SPEC_REF_BASE,
    SPEC_REF_SYNTHETIC
} SpecRefKind;

typedef struct SpecRef {
    SpecRefKind kind;
    uint32_t index; /* into inputs, outputs, intermediate_bases or synthetic_bases */
} SpecRef;

#define SPEC_NO_GRAPH       UINT32_MAX

/* ---- the structs ---- */

#define MAPPING(Type, text) typedef struct Type Type;
#define END(Type)
#include "spec.def"

#define SPEC_MEMBER_TEXT(name, of)     char *name;
#define SPEC_MEMBER_WORD(name, of)     SpecWord_##of name;
#define SPEC_MEMBER_INTEGER(name, of)  SpecInt name;
#define SPEC_MEMBER_SCALAR(name, of)   SpecInt name;
#define SPEC_MEMBER_INTEGERS(name, of) SpecInts name;
#define SPEC_MEMBER_GUARDS(name, of)   SpecInts name;
#define SPEC_MEMBER_FORMULA(name, of)  SpecInt name;
#define SPEC_MEMBER_TEXTS(name, of)    SpecNames name;
#define SPEC_MEMBER_NAMES(name, of)    SpecNames name;
#define SPEC_MEMBER_MAPPING(name, of)  of *name;
#define SPEC_MEMBER_ROOT(name, of)     of *name;
#define SPEC_MEMBER_LIST(name, of)                                                                                     \
    of *name;                                                                                                          \
    uint32_t name##_count;
#define SPEC_MEMBER_LIST_OF_1(name, of)                          SPEC_MEMBER_LIST(name, of)
#define SPEC_MEMBER_ROOTS(name, of)                              SPEC_MEMBER_LIST(name, of)

#define MAPPING(Type, text)                                      struct Type {
#define FIELD(Type, key, member, type, of, root, presence, text) SPEC_MEMBER_##type(member, of)
#define RESOLVED(Type, c_type, member, how, count, text)         c_type member;
#define END(Type)                                                                                                      \
    }                                                                                                                  \
    ;
#include "spec.def"

/* The conditions of a variant: those of every one, then its own. */
static inline uint32_t spec_conditions_count(const SpecKernel *kernel, const SpecVariant *variant)
{
    return kernel->always_count + variant->when_count;
}

static inline SpecWhen *spec_condition(const SpecKernel *kernel, const SpecVariant *variant, uint32_t i)
{
    return i < kernel->always_count ? &kernel->always[i] : &variant->when[i - kernel->always_count];
}

#endif /* WRAPGEN_SPEC_H */
