/* SPDX-License-Identifier: MIT */
/*
 * validate_report - what all rules share: how a mistake is reported, suggestions, keys by table and their defaults, and
 * the words for kinds in messages.
 */
#include "validate.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "../base/str.h"

static const struct {
    const char *code;
    unsigned doubts;
} rules[RULE_COUNT] = {
#define RULE(name, doubts, words) {"E_" #name, doubts},
    VALIDATE_RULES(RULE)
#undef RULE
};

/* ---- reporting ---- */

const char *validate_code(Rule rule)
{
    return rules[rule].code;
}

DiagMessage *validate_error(Validator *v, Rule rule, DiagPlace place, const char *format, ...)
{
    Str text = str_new(v->arena);
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        str_reserve(&text, (size_t)length + 1);
        (void)vsnprintf(text.data, (size_t)length + 1, format, again);
    }
    va_end(again);
    v->doubts |= rules[rule].doubts;
    return diag_report(v->diag, DIAG_ERROR, rules[rule].code, place, "%s", length > 0 ? text.data : format);
}

DiagPlace validate_inside(const void *field, size_t offset)
{
    DiagPlace place = diag_value(field);
    place.column = offset;
    return place;
}

/* Up to a third of the name may be wrong, and always one letter. */
static size_t nearest_limit(const char *name)
{
    const size_t third = strlen(name) / 3;
    return third < 1 ? 1 : third > 4 ? 4 : third;
}

Nearest nearest_start(const char *name)
{
    const Nearest nearest = {name, NULL, nearest_limit(name) + 1, false};
    return nearest;
}

void nearest_offer(Validator *v, Nearest *nearest, const char *candidate)
{
    if (v->suggestions_left == 0 || candidate == NULL) {
        return;
    }
    v->suggestions_left--;
    const bool capitals = strcasecmp(nearest->name, candidate) == 0; /* nothing else differs */
    const size_t distance = capitals ? 0 : str_distance(nearest->name, candidate, nearest->distance);
    if (distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
        nearest->ambiguous = false;
    } else if (distance == nearest->distance && nearest->best != NULL) {
        nearest->ambiguous = nearest->ambiguous || !str_equal(nearest->best, candidate);
    }
}

/* When two are equally near, suggests neither: 'gpu' is no closer to 'cpu' than to 'xpu'. */
const char *nearest_text(Validator *v, const Nearest *nearest)
{
    return nearest->best == NULL || nearest->ambiguous ? ""
                                                       : arena_printf(v->arena, "; did you mean '%s'?", nearest->best);
}

const char *subject_text(Validator *v, Subject subject)
{
    const char *own =
        subject.name == NULL ? subject.what : arena_printf(v->arena, "%s '%s'", subject.what, subject.name);
    return subject.attr == NULL ? own : arena_printf(v->arena, "attribute '%s' of %s", subject.attr, own);
}

/* ---- keys by table ---- */

_Static_assert(sizeof(SpecBool) == sizeof(int), "words are read and written as int");
_Static_assert(sizeof(SpecMemoryFormat) == sizeof(int), "words are read and written as int");
#define MAPPING(Type, text) _Static_assert(Type##_num_keys < 64, "a bit for each key of a mapping");
#define END(Type)
#include "../../schema/spec.def"

static const void *member_of(const void *structure, Keys keys, size_t i)
{
    return (const char *)structure + keys.mapping->fields[i].data_offset;
}

/* A key was given. */
static bool is_there(const void *structure, Keys keys, size_t i)
{
    const void *pointer = NULL;
    int word = 0; /* an enum of the spec: 0 is absent */
    if ((keys.bits & UINT64_C(1) << i) == 0) {
        return false;
    }
    if (keys.mapping->fields[i].value.type == CYAML_ENUM) {
        memcpy(&word, member_of(structure, keys, i), sizeof word);
        return word != 0;
    }
    memcpy(&pointer, member_of(structure, keys, i), sizeof pointer);
    return pointer != NULL;
}

const void *keys_first(const void *structure, Keys keys)
{
    for (size_t i = 0; i < keys.mapping->num_keys; i++) {
        if (is_there(structure, keys, i)) {
            return member_of(structure, keys, i);
        }
    }
    return NULL;
}

bool validate_no_keys(Validator *v, Rule rule, const void *structure, Keys keys, Subject subject, const char *why)
{
    const void *first = keys_first(structure, keys);
    Str names = {0};
    if (first == NULL) {
        return true;
    }
    names = str_new(v->arena);
    for (size_t i = 0; i < keys.mapping->num_keys; i++) {
        if (is_there(structure, keys, i)) {
            str_printf(&names, "%s'%s'", names.length == 0 ? "" : ", ", keys.mapping->fields[i].key);
        }
    }
    validate_error(v, rule, diag_key(first), "%s takes no %s%s", subject_text(v, subject), names.data, why);
    return false;
}

/* ---- defaults ---- */

/* What leaving a key out is the same as. */
struct Preset {
    enum { PRESET_NONE, PRESET_WORD, PRESET_ABSENT, PRESET_TEXT } kind; /* ABSENT: so is a word, `null` */
    int word;
    const char *text;
};

static int word_of(const cyaml_schema_value_t *value, const char *word)
{
    uint32_t i = 0;
    while (!str_equal(value->enumeration.strings[i].str, word)) {
        i++;
    }
    return (int)value->enumeration.strings[i].val;
}

static Preset preset_of(const SpecKey *key, const cyaml_schema_value_t *value)
{
    const bool is_null = key->preset != NULL && str_equal(key->preset, "null");
    if (key->preset != NULL && value->type == CYAML_ENUM) {
        return (Preset){is_null ? PRESET_ABSENT : PRESET_WORD, word_of(value, key->preset), NULL};
    }
    const bool is_text = key->preset != NULL && value->type == CYAML_STRING && key->format != SPEC_FORMAT_INTEGER &&
                         key->format != SPEC_FORMAT_SCALAR && !is_null;
    if (is_text) {
        return (Preset){PRESET_TEXT, 0, str_equal(key->preset, "''") ? "" : key->preset};
    }
    return (Preset){PRESET_NONE, 0, NULL};
}

/* Of every key of a mapping, found out once. */
static const Preset *presets_of(Validator *v, const SpecMapping *mapping)
{
    Preset **known = &v->presets[mapping - spec_mappings];
    if (*known == NULL) {
        *known = ARENA_ARRAY(&v->tables, Preset, mapping->num_keys);
        for (size_t i = 0; i < mapping->num_keys; i++) {
            (*known)[i] = preset_of(&mapping->keys[i], &mapping->fields[i].value);
        }
    }
    return *known;
}

static void default_word(void *member, const Preset *preset)
{
    int word = 0;
    memcpy(&word, member, sizeof word);
    if (preset->kind == PRESET_WORD && word == 0) {
        memcpy(member, &preset->word, sizeof word);
    } else if (preset->kind == PRESET_ABSENT && word == preset->word) {
        memset(member, 0, sizeof word);
    }
}

void keys_default(Validator *v, void *structure, Keys keys)
{
    const SpecMapping *mapping = keys.mapping;
    const Preset *presets = presets_of(v, mapping);
    for (size_t i = 0; i < mapping->num_keys; i++) {
        if (presets[i].kind == PRESET_NONE || (keys.bits & UINT64_C(1) << i) == 0) {
            continue;
        }
        char *member = (char *)structure + mapping->fields[i].data_offset;
        if (presets[i].kind != PRESET_TEXT) {
            default_word(member, &presets[i]);
        } else if (!is_there(structure, keys, i)) {
            char *copy = arena_copy(v->arena, presets[i].text, strlen(presets[i].text));
            memcpy(member, &copy, sizeof copy);
        }
    }
}

/* ---- words ---- */

const char *validate_kind_reason(Validator *v, SpecKind kind)
{
    return kind == SPEC_TENSOR ? "; it is a tensor"
                               : arena_printf(&v->scratch, "; it is of kind %s", spec_kind_text(kind));
}

const char *spec_ref_text(SpecRefKind kind)
{
    switch (kind) {
    case SPEC_REF_NONE:
        break;
    case SPEC_REF_INPUT:
        return "an input";
    case SPEC_REF_OUTPUT:
        return "an output";
    case SPEC_REF_BASE:
        return "an intermediate base";
    case SPEC_REF_SYNTHETIC:
        return "a synthetic base";
    }
    return "?";
}
