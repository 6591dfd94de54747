/* SPDX-License-Identifier: MIT */
/*
 * schema_json - the JSON schema of the YAML (draft 2020-12), for editors, printed from the tables that load it.
 *
 * Every mapping becomes one definition, named after the key under which it is met first, so that recursive ones need no
 * care. The schema says the shape only, as the tables do: it lets pass some files that wrapgen refuses, and refuses
 * none that wrapgen takes, with one exception: a word in quotes ("true", "null") is the word to wrapgen, and a text to
 * JSON.
 *
 * schema/graph.schema.json is this text; a test compares. To renew it: wrapgen --print-schema >schema/graph.schema.json
 */
#include "front.h"

#include <string.h>

#include "../base/str.h"
#include "../../schema/schema.h"

typedef struct Definition {
    const char *name;
    const cyaml_schema_field_t *fields;
} Definition;

typedef struct Printer {
    Arena *arena;
    Str *out;
    Definition *definitions; /* those met so far; printed in this order */
    size_t num_definitions;
} Printer;

static bool is_taken(const Printer *printer, const char *name)
{
    for (size_t i = 0; i < printer->num_definitions; i++) {
        if (str_equal(printer->definitions[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* The name of a mapping's definition; a table that was not met before gets one after `key`. */
static const char *definition_of(Printer *printer, const cyaml_schema_field_t *fields, const char *key)
{
    const char *name = key;
    size_t count = printer->num_definitions;

    for (size_t i = 0; i < count; i++) {
        if (printer->definitions[i].fields == fields) {
            return printer->definitions[i].name;
        }
    }
    for (unsigned n = 2; is_taken(printer, name); n++) {
        name = arena_printf(printer->arena, "%s_%u", key, n);
    }
    printer->definitions =
        arena_grow(printer->arena, printer->definitions, count * sizeof(Definition), (count + 1) * sizeof(Definition));
    printer->definitions[count] = (Definition){name, fields};
    printer->num_definitions++;
    return name;
}

/* Words that are no text in JSON either. */
static bool is_literal(const char *word)
{
    return str_equal(word, "true") || str_equal(word, "false") || str_equal(word, "null");
}

static void put_words(Str *out, const cyaml_schema_value_t *value)
{
    str_puts(out, "{\"enum\": [");
    for (uint32_t i = 0; i < value->enumeration.count; i++) {
        const char *word = value->enumeration.strings[i].str;
        str_puts(out, i > 0 ? ", " : "");
        if (is_literal(word)) {
            str_puts(out, word);
        } else {
            str_put_json(out, word);
        }
    }
    str_puts(out, "]}");
}

/* A number is text to wrapgen; in a free text a boolean may stand too. */
static void put_text(Str *out, const cyaml_schema_value_t *value)
{
    bool is_free = value->string.min == 0;

    str_printf(out, "{\"type\": [\"string\", \"number\"%s%s]", is_free ? ", \"boolean\"" : "",
               value->flags & SPEC_FLAG_NULL ? ", \"null\"" : "");
    if (!is_free) {
        str_printf(out, ", \"minLength\": %lu", (unsigned long)value->string.min);
    }
    str_puts(out, "}");
}

/* A value that is no list. */
static void put_single(Printer *printer, const cyaml_schema_value_t *value, const char *key)
{
    if (value->type == CYAML_MAPPING) {
        str_printf(printer->out, "{\"$ref\": \"#/$defs/%s\"}", definition_of(printer, value->mapping.fields, key));
    } else if (value->type == CYAML_ENUM) {
        put_words(printer->out, value);
    } else {
        put_text(printer->out, value);
    }
}

static void put_value(Printer *printer, const cyaml_schema_value_t *value, const char *key)
{
    if (value->type != CYAML_SEQUENCE) {
        put_single(printer, value, key);
        return;
    }
    str_puts(printer->out, "{\"type\": \"array\", \"items\": ");
    put_single(printer, value->sequence.entry, key);
    if (value->sequence.min > 0) {
        str_printf(printer->out, ", \"minItems\": %lu", (unsigned long)value->sequence.min);
    }
    if (value->sequence.max != CYAML_UNLIMITED) {
        str_printf(printer->out, ", \"maxItems\": %lu", (unsigned long)value->sequence.max);
    }
    str_puts(printer->out, "}");
}

static void put_required(Str *out, const cyaml_schema_field_t *fields, const char *indent)
{
    const char *separator = "";

    str_printf(out, "%s\"required\": [", indent);
    for (size_t i = 0; fields[i].key; i++) {
        if (!(fields[i].value.flags & CYAML_FLAG_OPTIONAL)) {
            str_printf(out, "%s\"%s\"", separator, fields[i].key);
            separator = ", ";
        }
    }
    str_puts(out, "]");
}

/* The members of the schema of a mapping, without the braces around. */
static void put_mapping(Printer *printer, const cyaml_schema_field_t *fields, const char *indent)
{
    Str *out = printer->out;

    str_printf(out, "%s\"type\": \"object\",\n%s\"properties\": {\n", indent, indent);
    for (size_t i = 0; fields[i].key; i++) {
        str_printf(out, "%s  \"%s\": ", indent, fields[i].key);
        put_value(printer, &fields[i].value, fields[i].key);
        str_puts(out, fields[i + 1].key ? ",\n" : "\n");
    }
    str_printf(out, "%s},\n", indent);
    put_required(out, fields, indent);
    str_printf(out, ",\n%s\"additionalProperties\": false", indent);
}

void schema_print_json(Arena *arena, Str *out)
{
    Printer printer = {.arena = arena, .out = out};

    str_puts(out, "{\n");
    str_puts(out, "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
    str_puts(out, "  \"title\": \"wrapgen: compiled graphs and kernels, format version 1\",\n");
    put_mapping(&printer, spec_schema.mapping.fields, "  ");
    str_puts(out, ",\n  \"$defs\": {\n");
    for (size_t i = 0; i < printer.num_definitions; i++) { /* grows while it is walked */
        str_printf(out, "%s    \"%s\": {\n", i > 0 ? ",\n" : "", printer.definitions[i].name);
        put_mapping(&printer, printer.definitions[i].fields, "      ");
        str_puts(out, "\n    }");
    }
    str_puts(out, "\n  }\n}\n");
}
