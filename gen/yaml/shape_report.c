/* SPDX-License-Identifier: MIT */
/*
 * shape_report - what the shape checker says, and where it points.
 *
 * Codes: E_EMPTY E_DOCUMENT E_DEPTH (the file), E_TAG E_ALIAS (YAML beyond the format), E_UNKNOWN_KEY E_DUPLICATE_KEY
 * E_MISSING_KEY (keys), E_KIND (list, mapping or scalar in place of another), E_COUNT (entries of a list), E_NULL
 * (nothing, or null, where a value must be), E_VALUE (an unknown word), E_BYTES (a zero byte by way of an escape). A
 * message names the key, says what is wanted, and what to write where that is clear.
 */
#include "shape.h"

#include <string.h>

enum { MAX_SUGGESTED = 40 }; /* longer words are not compared with anything */

/* ---- reporting ---- */

static DiagPlace place_at(const Shape *shape, ShapeMark mark)
{
    DiagPlace place = diag_position(shape->source->name, mark.line, mark.column, mark.length);

    place.path = shape_path(shape);
    return place;
}

/* False after the last one that is shown. */
static bool count_error(Shape *shape, ShapeMark mark)
{
    shape->num_errors++;
    if (shape->num_errors == SHAPE_MAX_ERRORS + 1) {
        shape->stopped = true;
        diag_report(shape->diag, DIAG_ERROR, "E_LIMIT", place_at(shape, mark),
                    "more than %d errors; those after this place are not shown", SHAPE_MAX_ERRORS);
    }
    return shape->num_errors <= SHAPE_MAX_ERRORS;
}

DiagMessage *shape_error(Shape *shape, const char *code, ShapeMark mark, const char *format, ...)
{
    DiagMessage *message = NULL;
    va_list args;

    if (!shape->diag || !count_error(shape, mark)) {
        return NULL;
    }
    va_start(args, format);
    message = diag_vreport(shape->diag, DIAG_ERROR, code, place_at(shape, mark), format, args);
    va_end(args);
    return message;
}

/* Reports that something is missing in a node that has ended. */
__attribute__((format(printf, 4, 5))) static void report_missing(Shape *shape, const char *code, ShapeMark mark,
                                                                 const char *format, ...)
{
    va_list args;

    if (!shape->diag || !count_error(shape, mark)) {
        return;
    }
    va_start(args, format);
    diag_vreport(&shape->missing, DIAG_ERROR, code, place_at(shape, mark), format, args);
    va_end(args);
}

void shape_note(Shape *shape, DiagMessage *message, ShapeMark mark, const char *text)
{
    if (message) {
        diag_note(shape->diag, message, diag_position(shape->source->name, mark.line, mark.column, mark.length), "%s",
                  text);
    }
}

static const char *excerpt(const Shape *shape, const yaml_event_t *scalar)
{
    return diag_excerpt(shape->arena, (const char *)scalar->data.scalar.value, scalar->data.scalar.length);
}

/* ---- did you mean ---- */

/* The best of several candidates; call it with each. */
typedef struct Suggestion {
    const char *word;
    const char *best;
    size_t distance; /* of the best; one more than allowed while there is none */
} Suggestion;

static Suggestion suggest(const char *word, size_t length)
{
    Suggestion suggestion = {.word = word, .distance = length < 4 ? 2 : length / 3 + 2};

    if (length > MAX_SUGGESTED) {
        suggestion.distance = 0;
    }
    return suggestion;
}

static bool suggest_from(Suggestion *suggestion, const char *candidate)
{
    size_t distance = 0;

    if (suggestion->distance == 0) {
        return false;
    }
    distance = str_distance(suggestion->word, candidate, suggestion->distance - 1);
    if (distance >= suggestion->distance || distance >= strlen(candidate)) {
        return false;
    }
    suggestion->distance = distance;
    suggestion->best = candidate;
    return true;
}

/* ---- keys ---- */

/* What a key is called elsewhere: in numpy and PyTorch's Python, or one level up or down in this format. */
static const struct {
    const char *key;
    const char *here;
} other_names[] = {
    {"shape", "size"}, {"sizes", "size"},        {"strides", "stride"}, {"offset", "storage_offset"},
    {"views", "view"}, {"function", "compiled"}, {"of", "base"},
};

static bool is_other_name(const char *key, const char *candidate)
{
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++) {
        if (str_equal(key, other_names[i].key) && str_equal(candidate, other_names[i].here)) {
            return true;
        }
    }
    return false;
}

/* The field that an unknown key was meant to be, among those not given yet; null: none is near. */
static const cyaml_schema_field_t *meant_field(const ShapeFrame *frame, const char *key, size_t length)
{
    const cyaml_schema_field_t *fields = frame->schema->mapping.fields;
    const cyaml_schema_field_t *meant = NULL;
    Suggestion suggestion = suggest(key, length);

    for (size_t i = 0; fields[i].key; i++) {
        if (frame->seen[i].mark.line > 0) {
            continue;
        }
        if (is_other_name(key, fields[i].key)) {
            return &fields[i];
        }
        if (suggest_from(&suggestion, fields[i].key)) {
            meant = &fields[i];
        }
    }
    return meant;
}

enum { MAX_LISTED = 6 };

/* The keys that are known there, or only the nearest when there are many. */
static const char *known_keys(const Shape *shape, const cyaml_schema_field_t *fields, const char *key, size_t length)
{
    Str known = str_new(shape->arena);
    size_t count = 0;
    size_t listed = 0;
    while (fields[count].key) {
        count++;
    }
    for (size_t distance = 0; listed < MAX_LISTED && listed < count && distance <= MAX_SUGGESTED; distance++) {
        for (size_t i = 0; i < count && (count <= MAX_LISTED + 2 || listed < MAX_LISTED); i++) {
            const bool all = count <= MAX_LISTED + 2 || length > MAX_SUGGESTED;
            if (all ? distance == 0 : str_distance(key, fields[i].key, distance) == distance) {
                str_printf(&known, "%s%s", listed > 0 ? ", " : "", fields[i].key);
                listed++;
            }
        }
    }
    if (listed < count) {
        str_printf(&known, " and %zu more", count - listed);
    }
    return str_text(&known);
}

enum { MAX_PLACES = 3 };

/* Where else the key is known, as part of a sentence: nothing if it is known nowhere, or in too many places to help. */
static const char *known_elsewhere(const Shape *shape, const char *key)
{
    Str places = str_new(shape->arena);
    size_t count = 0;

    for (size_t i = 0; i < SPEC_NUM_MAPPINGS; i++) {
        for (size_t k = 0; k < spec_mappings[i].num_keys; k++) {
            if (str_equal(spec_mappings[i].fields[k].key, key)) {
                const bool top = spec_mappings[i].fields == spec_schema.mapping.fields;
                const char *text = spec_mappings[i].text;

                str_printf(&places, "%s%s%.*s", count == 0 ? ", which belongs " : " or ",
                           top ? "at the top level" : "to ", top ? 0 : (int)strcspn(text, ",:"), text);
                count++;
            }
        }
    }
    return count <= MAX_PLACES ? str_text(&places) : "";
}

void shape_unknown_key(Shape *shape, ShapeFrame *frame, const char *key, size_t length)
{
    const cyaml_schema_field_t *fields = frame->schema->mapping.fields;
    const cyaml_schema_field_t *meant = meant_field(frame, key, length);
    const char *shown = diag_excerpt(shape->arena, key, length);

    if (strlen(key) != length) {
        shape_error(shape, "E_BYTES", frame->key, "this key holds a zero byte");
        return;
    }
    if (str_equal(key, "<<")) {
        shape_error(shape, "E_ALIAS", frame->key,
                    "YAML merge keys are not part of the format; write out what it merges");
        return;
    }
    if (meant) {
        shape_error(shape, "E_UNKNOWN_KEY", frame->key, "unknown key '%s'; did you mean '%s'?", shown, meant->key);
        frame->seen[meant - fields].misspelt = true;
        return;
    }
    shape_error(shape, "E_UNKNOWN_KEY", frame->key, "unknown key '%s'%s; known here: %s", shown,
                known_elsewhere(shape, key), known_keys(shape, fields, key, length));
}

void shape_missing_keys(Shape *shape, const ShapeFrame *frame)
{
    const cyaml_schema_field_t *fields = frame->schema->mapping.fields;

    for (size_t i = 0; fields[i].key; i++) {
        bool optional = fields[i].value.flags & CYAML_FLAG_OPTIONAL;
        if (!optional && frame->seen[i].mark.line == 0 && !frame->seen[i].misspelt) {
            report_missing(shape, "E_MISSING_KEY", frame->mark, "missing key '%s'", fields[i].key);
        }
    }
}

/* ---- values ---- */

/* The node that the walk is at, as the subject of a sentence: 'size', an entry of 'size'. */
static const char *subject(const Shape *shape)
{
    const ShapeFrame *frame = shape->depth > 0 ? &shape->frames[shape->depth - 1] : NULL;

    if (!frame) {
        return "the document";
    }
    if (frame->schema->type == CYAML_MAPPING && frame->field) {
        return arena_printf(shape->arena, "'%s'", frame->field->key);
    }
    if (frame->schema->type == CYAML_SEQUENCE && shape->depth > 1 && frame[-1].field) {
        return arena_printf(shape->arena, frame->inside ? "an entry of '%s'" : "'%s'", frame[-1].field->key);
    }
    return "this";
}

/* Points at the key when the value is not there to point at. */
static ShapeMark mark_of_nothing(const Shape *shape, ShapeMark mark)
{
    const ShapeFrame *frame = shape->depth > 0 ? &shape->frames[shape->depth - 1] : NULL;

    return frame && frame->schema->type == CYAML_MAPPING && frame->inside ? frame->key : mark;
}

static bool is_null_word(const char *text)
{
    return str_equal(text, "~") || str_equal(text, "null") || str_equal(text, "Null") || str_equal(text, "NULL");
}

/* What YAML reads as null; quoted text is text. */
static bool is_null(const yaml_event_t *scalar)
{
    const char *text = (const char *)scalar->data.scalar.value;

    return scalar->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && (*text == '\0' || is_null_word(text));
}

static bool may_be_null(const cyaml_schema_value_t *schema)
{
    if (schema->type == CYAML_STRING) {
        return schema->flags & SPEC_FLAG_NULL;
    }
    for (uint32_t i = 0; schema->type == CYAML_ENUM && i < schema->enumeration.count; i++) {
        if (str_equal(schema->enumeration.strings[i].str, "null")) {
            return true;
        }
    }
    return false;
}

/* What to do instead of writing nothing or null. */
static const char *instead(const Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *scalar)
{
    const ShapeFrame *frame = shape->depth > 0 ? &shape->frames[shape->depth - 1] : NULL;

    if (may_be_null(schema)) {
        return "; write null";
    }
    if (schema->type == CYAML_SEQUENCE) {
        return "; an empty list is written as []";
    }
    if (schema->type == CYAML_STRING && schema->string.min == 0) {
        return scalar->data.scalar.length > 0 ? "; put it in quotes if it is text" : "; an empty text is written as ''";
    }
    if (frame && frame->schema->type == CYAML_MAPPING && schema->flags & CYAML_FLAG_OPTIONAL) {
        return "; leave the key out if there is nothing to say";
    }
    return "";
}

static void report_null(Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *scalar, ShapeMark mark)
{
    if (shape->depth == 0) {
        shape_error(shape, "E_EMPTY", mark, "the document is empty");
    } else if (scalar->data.scalar.length == 0) {
        shape_error(shape, "E_NULL", mark_of_nothing(shape, mark), "%s has no value%s", subject(shape),
                    instead(shape, schema, scalar));
    } else {
        shape_error(shape, "E_NULL", mark, "%s must not be %s%s", subject(shape), excerpt(shape, scalar),
                    instead(shape, schema, scalar));
    }
}

static const char *kind_of_schema(const cyaml_schema_value_t *schema)
{
    return schema->type == CYAML_MAPPING ? "a mapping" : schema->type == CYAML_SEQUENCE ? "a list" : "a single value";
}

static const char *kind_of_event(const yaml_event_t *event)
{
    return event->type == YAML_MAPPING_START_EVENT    ? "a mapping"
           : event->type == YAML_SEQUENCE_START_EVENT ? "a list"
                                                      : "a single value";
}

/* What to write for a text where a mapping should be: most mappings have a name, and a text is most likely that. */
static const char *as_mapping(const Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *event)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *text = (const char *)event->data.scalar.value;
    const bool is_name = schema->type == CYAML_MAPPING && schema->mapping.fields[0].key != NULL &&
                         strcmp(schema->mapping.fields[0].key, "name") == 0 && strlen(text) <= MAX_SUGGESTED &&
                         text[strspn(text, letters)] == '\0';
    return is_name ? arena_printf(shape->arena, "{name: %s}", excerpt(shape, event)) : NULL;
}

/* What to write for a text that is not what it should be, a list or a mapping. */
static const char *as_structure(const Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *event)
{
    if (schema->type != CYAML_SEQUENCE) {
        return as_mapping(shape, schema, event);
    }
    if (event->data.scalar.value[0] == '(') {
        return "[1, 2] for a list of two";
    }
    const char *entry = schema->sequence.entry->type == CYAML_STRING ? excerpt(shape, event)
                                                                     : as_mapping(shape, schema->sequence.entry, event);
    return entry != NULL ? arena_printf(shape->arena, "[%s]", entry) : NULL;
}

void shape_wrong_kind(Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *event, ShapeMark mark)
{
    const char *write = "";

    if (event->type == YAML_SCALAR_EVENT && is_null(event)) {
        report_null(shape, schema, event, mark);
        return;
    }
    if (event->type == YAML_MAPPING_START_EVENT && schema->type == CYAML_SEQUENCE &&
        schema->sequence.entry->type == CYAML_MAPPING) {
        write = "; an entry of a list begins with '- '";
    }
    const char *right = event->type == YAML_SCALAR_EVENT ? as_structure(shape, schema, event) : NULL;
    if (right != NULL) {
        write = arena_printf(shape->arena, "; write %s", right);
    }
    shape_error(shape, "E_KIND", mark, "%s must be %s, not %s%s", subject(shape), kind_of_schema(schema),
                kind_of_event(event), write);
}

void shape_wrong_count(Shape *shape, const ShapeFrame *frame)
{
    uint32_t min = frame->schema->sequence.min;
    uint32_t max = frame->schema->sequence.max;
    bool few = frame->count < min;

    if (few || frame->count > max) {
        report_missing(shape, "E_COUNT", frame->mark, "%s must have at %s %lu entr%s, not %lu", subject(shape),
                       few ? "least" : "most", (unsigned long)(few ? min : max), (few ? min : max) == 1 ? "y" : "ies",
                       (unsigned long)frame->count);
    }
}

/* ---- words ---- */

/* Spellings of booleans that YAML or other formats know. */
static const struct {
    const char *spelling;
    const char *word;
} other_spellings[] = {
    {"True", "true"},   {"TRUE", "true"}, {"yes", "true"}, {"Yes", "true"}, {"YES", "true"},  {"on", "true"},
    {"On", "true"},     {"ON", "true"},   {"y", "true"},   {"Y", "true"},   {"1", "true"},    {"False", "false"},
    {"FALSE", "false"}, {"no", "false"},  {"No", "false"}, {"NO", "false"}, {"off", "false"}, {"Off", "false"},
    {"OFF", "false"},   {"n", "false"},   {"N", "false"},  {"0", "false"},
};

static const char *meant_word(const cyaml_schema_value_t *schema, const char *text, size_t length)
{
    Suggestion suggestion = suggest(text, length);
    bool boolean = str_equal(schema->enumeration.strings[0].str, "true");

    for (size_t i = 0; boolean && i < sizeof other_spellings / sizeof other_spellings[0]; i++) {
        if (str_equal(text, other_spellings[i].spelling)) {
            return other_spellings[i].word;
        }
    }
    for (uint32_t i = 0; i < schema->enumeration.count; i++) {
        (void)suggest_from(&suggestion, schema->enumeration.strings[i].str);
    }
    return suggestion.best;
}

static void report_word(Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *scalar, ShapeMark mark)
{
    const char *text = (const char *)scalar->data.scalar.value;
    const char *meant = meant_word(schema, text, scalar->data.scalar.length);
    const uint32_t count = schema->enumeration.count;
    Str words = str_new(shape->arena);

    if (meant) {
        shape_error(shape, "E_VALUE", mark, "%s must not be '%s'; did you mean '%s'?", subject(shape),
                    excerpt(shape, scalar), meant);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *separator = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        str_printf(&words, "%s%s", separator, schema->enumeration.strings[i].str);
    }
    shape_error(shape, "E_VALUE", mark, "%s must be %s, not '%s'", subject(shape), str_text(&words),
                excerpt(shape, scalar));
}

static bool is_word(const cyaml_schema_value_t *schema, const char *text)
{
    for (uint32_t i = 0; i < schema->enumeration.count; i++) {
        if (str_equal(schema->enumeration.strings[i].str, text)) {
            return true;
        }
    }
    return false;
}

void shape_scalar(Shape *shape, const cyaml_schema_value_t *schema, const yaml_event_t *event, ShapeMark mark)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;

    if (strlen(text) != length) {
        shape_error(shape, "E_BYTES", mark, "%s holds a zero byte", subject(shape));
    } else if (schema->type == CYAML_ENUM && is_word(schema, text)) {
        return;
    } else if (is_null(event) && !(may_be_null(schema) && str_equal(text, "null"))) {
        report_null(shape, schema, event, mark);
    } else if (schema->type == CYAML_ENUM) {
        report_word(shape, schema, event, mark);
    } else if (schema->type == CYAML_STRING && length < schema->string.min) {
        shape_error(shape, "E_NULL", mark, "%s is empty", subject(shape));
    }
}

/* ---- events ---- */

const char *shape_path(const Shape *shape)
{
    Str path = str_new(shape->arena);

    for (size_t i = 0; i < shape->depth; i++) {
        const ShapeFrame *frame = &shape->frames[i];
        if (!frame->inside) {
            continue;
        }
        if (frame->schema->type == CYAML_SEQUENCE) {
            str_printf(&path, "[%lu]", (unsigned long)frame->count - 1);
        } else if (frame->field) {
            str_printf(&path, "%s%s", path.length > 0 ? "." : "", frame->field->key);
        }
    }
    return str_text(&path);
}
