/* SPDX-License-Identifier: MIT */
/*
 * spec - spec.def as libcyaml's tables: every key that the YAML may hold, where it goes in the structs, what it may be.
 *
 * libcyaml loads by these tables, the shape checker compares libyaml's events with them to locate every mistake, and
 * the JSON schema is printed from them. They say the shape only (which keys, required or not, scalar, word, list or
 * mapping); what a scalar must look like, and rules across keys, belong to gen/rules.
 *
 * How things are said in libcyaml's terms:
 *   TEXT      a string of at least as many bytes as its format says; '' in the file has none
 *   INTEGER   a string too, which goes into the `text` of a SpecInt; and so for lists
 *   WORD      a strict enum; a zero member means that the key was absent
 *   null      a word of SpecBool where it has a meaning; SPEC_FLAG_NULL marks a text that may be null
 */
#include "schema.h"

#include "spec.h"

/* ---- words and formats ---- */

#define WORDS(list, Type, ABSENT) static const cyaml_strval_t words_##list[] = {
#define WORD(word, CONSTANT)      {word, CONSTANT},
#define END_WORDS(Type)                                                                                                \
    }                                                                                                                  \
    ;
#define SOME_WORDS(list, Type)    static const cyaml_strval_t words_##list[] = {
#define SOME_WORD(word, CONSTANT) {word, CONSTANT},
#define END_SOME_WORDS                                                                                                 \
    }                                                                                                                  \
    ;
#define ENUM(Type, ABSENT)     static const cyaml_strval_t words_##Type[] = {
#define MEMBER(word, CONSTANT) {word, CONSTANT},
#define END_ENUM(Type)                                                                                                 \
    }                                                                                                                  \
    ;
#include "spec.def"

static const char *word_of(const cyaml_strval_t *words, size_t count, int64_t value)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].val == value) {
            return words[i].str;
        }
    }
    return "?";
}

const char *spec_kind_text(SpecKind kind)
{
    return word_of(words_SpecKind, CYAML_ARRAY_LEN(words_SpecKind), kind);
}

const char *spec_output_type_text(SpecOutputType type)
{
    return word_of(words_output_type, CYAML_ARRAY_LEN(words_output_type), type);
}

enum {
#define FORMAT(name, least, null, text) LEAST_##name = (least), NULL_##name = (null) ? SPEC_FLAG_NULL : 0,
#include "spec.def"
};

/* The entries of lists of texts. */
static const cyaml_schema_value_t text_entries[] = {
#define FORMAT(name, least, null, text)                                                                                \
    [SPEC_FORMAT_##name] = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, least, CYAML_UNLIMITED)},
#include "spec.def"
};

const SpecFormatText spec_formats[SPEC_NUM_FORMATS] = {
#define FORMAT(name, least, null, text) [SPEC_FORMAT_##name] = {#name, text},
#include "spec.def"
};

/* ---- mappings ---- */

/* Mappings point to each other in any order. */
#define MAPPING(Type, text)                                                                                            \
    extern const cyaml_schema_field_t spec_fields_##Type[];                                                            \
    extern const cyaml_schema_value_t spec_entry_##Type;
#define END(Type)
#include "spec.def"

#define ROOTS_ONLY
#define MAPPING(Type, text)                                                                                            \
    extern const cyaml_schema_field_t spec_root_fields_##Type[];                                                       \
    extern const cyaml_schema_value_t spec_root_entry_##Type;
#define END(Type)
#include "spec.def"

#define IS_REQUIRED      CYAML_FLAG_DEFAULT
#define IS_OPTIONAL      CYAML_FLAG_OPTIONAL
#define IS_DEFAULT(word) CYAML_FLAG_OPTIONAL
#define IS_ELSE(what)    CYAML_FLAG_OPTIONAL

#define TEXT_OF(flags, Type, key, member, format)                                                                      \
    CYAML_FIELD_STRING_PTR(key, (flags) | NULL_##format, Type, member, LEAST_##format, CYAML_UNLIMITED)
#define SOME_OF(flags, Type, key, member, entry, least)                                                                \
    CYAML_FIELD_SEQUENCE(key, (flags) | CYAML_FLAG_POINTER, Type, member, entry, least, CYAML_UNLIMITED)

#define ROW_TEXT(flags, Type, key, member, format) TEXT_OF(flags, Type, key, member, format)
#define ROW_INTEGER(flags, Type, key, member, of)  TEXT_OF(flags, Type, key, member.text, INTEGER)
#define ROW_SCALAR(flags, Type, key, member, of)   TEXT_OF(flags, Type, key, member.text, SCALAR)
#define ROW_FORMULA(flags, Type, key, member, of)  TEXT_OF(flags, Type, key, member.text, FORMULA)
#define ROW_WORD(flags, Type, key, member, list)                                                                       \
    CYAML_FIELD_ENUM(key, (flags) | CYAML_FLAG_STRICT, Type, member, words_##list, CYAML_ARRAY_LEN(words_##list))
#define ROW_INTEGERS(flags, Type, key, member, of)                                                                     \
    SOME_OF(flags, Type, key, member.text, &text_entries[SPEC_FORMAT_INTEGER], 0)
#define ROW_GUARDS(flags, Type, key, member, of)                                                                       \
    SOME_OF(flags, Type, key, member.text, &text_entries[SPEC_FORMAT_GUARD], 0)
#define ROW_TEXTS(flags, Type, key, member, format)                                                                    \
    SOME_OF(flags, Type, key, member.text, &text_entries[SPEC_FORMAT_##format], 0)
#define ROW_NAMES(flags, Type, key, member, least)                                                                     \
    SOME_OF(flags, Type, key, member.text, &text_entries[SPEC_FORMAT_NAME], least)
#define ROW_MAPPING(flags, Type, key, member, Inner)                                                                   \
    CYAML_FIELD_MAPPING_PTR(key, flags, Type, member, spec_fields_##Inner)
#define ROW_ROOT(flags, Type, key, member, Inner)                                                                      \
    CYAML_FIELD_MAPPING_PTR(key, flags, Type, member, spec_root_fields_##Inner)
#define ROW_LIST(flags, Type, key, member, Inner)      SOME_OF(flags, Type, key, member, &spec_entry_##Inner, 0)
#define ROW_LIST_OF_1(flags, Type, key, member, Inner) SOME_OF(flags, Type, key, member, &spec_entry_##Inner, 1)
#define ROW_ROOTS(flags, Type, key, member, Inner)     SOME_OF(flags, Type, key, member, &spec_root_entry_##Inner, 0)

#define ENTRY(Type, fields)                                                                                            \
    {                                                                                                                  \
        CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, Type, fields)                                                          \
    }

#define MAPPING(Type, text)                                      const cyaml_schema_field_t spec_fields_##Type[] = {
#define FIELD(Type, key, member, type, of, root, presence, text) ROW_##type(IS_##presence, Type, key, member, of),
#define END(Type)                                                                                                      \
    CYAML_FIELD_END                                                                                                    \
    }                                                                                                                  \
    ;                                                                                                                  \
    const cyaml_schema_value_t spec_entry_##Type = ENTRY(Type, spec_fields_##Type);
#include "spec.def"

/* The same where the outermost stands: a key may be ABSENT there. */
#define THERE_ABSENT(...)
#define THERE_REQUIRED(...) __VA_ARGS__
#define THERE_OPTIONAL(...) __VA_ARGS__
#define THERE_DEFAULT(word) THERE_OPTIONAL
#define THERE_ELSE(what)    THERE_OPTIONAL
#define IS_ABSENT

#define ROOTS_ONLY
#define MAPPING(Type, text) const cyaml_schema_field_t spec_root_fields_##Type[] = {
#define FIELD(Type, key, member, type, of, root, presence, text)                                                       \
    THERE_##root(ROW_##type(IS_##root, Type, key, member, of), )
#define END(Type)                                                                                                      \
    CYAML_FIELD_END                                                                                                    \
    }                                                                                                                  \
    ;                                                                                                                  \
    const cyaml_schema_value_t spec_root_entry_##Type = ENTRY(Type, spec_root_fields_##Type);
#include "spec.def"

const cyaml_schema_value_t spec_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, Spec, spec_fields_Spec),
};

/* ---- what is said about them ---- */

#define FORMAT_TEXT(format)    SPEC_FORMAT_##format
#define FORMAT_WORD(list)      SPEC_FORMAT_NONE
#define FORMAT_INTEGER(of)     SPEC_FORMAT_INTEGER
#define FORMAT_INTEGERS(of)    SPEC_FORMAT_INTEGER
#define FORMAT_SCALAR(of)      SPEC_FORMAT_SCALAR
#define FORMAT_GUARDS(of)      SPEC_FORMAT_GUARD
#define FORMAT_FORMULA(of)     SPEC_FORMAT_FORMULA
#define FORMAT_TEXTS(format)   SPEC_FORMAT_##format
#define FORMAT_NAMES(least)    SPEC_FORMAT_NAME
#define FORMAT_MAPPING(Type)   SPEC_FORMAT_NONE
#define FORMAT_LIST(Type)      SPEC_FORMAT_NONE
#define FORMAT_LIST_OF_1(Type) SPEC_FORMAT_NONE
#define FORMAT_ROOT(Type)      SPEC_FORMAT_NONE
#define FORMAT_ROOTS(Type)     SPEC_FORMAT_NONE

#define SAID_REQUIRED
#define SAID_OPTIONAL
#define SAID_DEFAULT(word)   .preset = (word),
#define SAID_ELSE(what)      .instead = (what),

#define MAPPING(Type, text_) static const SpecKey keys_##Type[] = {
#define FIELD(Type, key, member, type, of, root, presence, text_)                                                      \
    {.format = FORMAT_##type(of), SAID_##presence.text = (text_)},
#define END(Type)                                                                                                      \
    }                                                                                                                  \
    ;
#include "spec.def"

const SpecMapping spec_mappings[SPEC_NUM_MAPPINGS] = {
#define MAPPING(Type, text)                                                                                            \
    [SPEC_OF_##Type] = {#Type, text, spec_fields_##Type, keys_##Type, CYAML_ARRAY_LEN(keys_##Type)},
#define END(Type)
#include "spec.def"
};

const cyaml_schema_field_t *const spec_roots[SPEC_NUM_MAPPINGS] = {
#define ROOTS_ONLY
#define MAPPING(Type, text) [SPEC_OF_##Type] = spec_root_fields_##Type,
#define END(Type)
#include "spec.def"
};
