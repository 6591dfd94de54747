/* SPDX-License-Identifier: MIT */
/*
 * schema_json - the JSON schema of the YAML (draft 2020-12), for editors, printed from the tables that load it.
 *
 * Every mapping becomes one definition, named after the key under which it is met first, so that recursive ones need no
 * special care; so does every format of a text, in capitals. Descriptions are the texts of schema/spec.def. The schema
 * accepts some files that wrapgen refuses, and refuses none that wrapgen accepts, with one exception: a boolean in
 * quotes ("true") is the word to wrapgen, and a text to JSON.
 *
 * schema/graph.schema.json is this text; a test compares. To renew it: make schema
 */
#include "schema_json.h"

#include <string.h>

#include "../algebra/cpu.h"
#include "../algebra/geometry.h"
#include "../../schema/schema.h"
#include "../yaml/json_schema.h"

typedef struct Definition {
    const char *name;
    const cyaml_schema_field_t *fields;
} Definition;

typedef struct Printer {
    Arena *arena;
    Str *out;
    Definition *definitions; /* the ones met so far, printed in this order */
    size_t num_definitions;
} Printer;

/* ---- definitions ---- */

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

static const SpecMapping *mapping_of(const cyaml_schema_field_t *fields)
{
    size_t i = 0;
    while (spec_mappings[i].fields != fields && spec_roots[i] != fields) {
        i++;
    }
    return &spec_mappings[i];
}

/* What is said about a key; the outermost mapping of its kind does not have all of them. */
static const SpecKey *key_of(const cyaml_schema_field_t *fields, const char *key)
{
    const SpecMapping *mapping = mapping_of(fields);
    size_t i = 0;
    while (!str_equal(mapping->fields[i].key, key)) {
        i++;
    }
    return &mapping->keys[i];
}

/* ---- formats ---- */

#define DECIMAL "(0|[1-9][0-9]*)"

/* The pattern of a text; those of dtypes and devices are made from their tables. An integer that is not an expression
 * is an integer to YAML too. */
static const char any_text[] = "\"type\": [\"string\", \"number\", \"boolean\"]";
static const char *const format_schemas[SPEC_NUM_FORMATS] = {
    [SPEC_FORMAT_VERSION] = "\"enum\": [1, \"1\"]",
    [SPEC_FORMAT_NAME] = "\"type\": \"string\", \"pattern\": \"^" JSON_IDENTIFIER "$\"",
    [SPEC_FORMAT_LOCAL] = "\"type\": \"string\", \"pattern\": \"^" JSON_IDENTIFIER "$\"",
    [SPEC_FORMAT_SYMBOL] = "\"type\": \"string\", \"pattern\": \"^" JSON_IDENTIFIER "$\"",
    [SPEC_FORMAT_HOST] = "\"type\": \"string\", \"minLength\": 1",
    [SPEC_FORMAT_INTEGER] = "\"type\": [\"integer\", \"string\"], \"pattern\": \"^[A-Za-z0-9_+*/%(), -]+$\"",
    [SPEC_FORMAT_SCALAR] =
        "\"type\": [\"integer\", \"number\", \"boolean\", \"string\"], \"pattern\": \"^[A-Za-z0-9_+*/%(),. -]+$\"",
    [SPEC_FORMAT_GUARD] = "\"type\": \"string\", \"pattern\": \"^[A-Za-z0-9_+*/%(), <>=!-]+$\"",
    [SPEC_FORMAT_FORMULA] = "\"type\": \"string\", \"pattern\": \"^[A-Za-z0-9_+*/%(), <>=!-]+$\"",
    [SPEC_FORMAT_LITERAL] = "\"type\": [\"integer\", \"string\"], \"pattern\": \"^-?" DECIMAL "$\"",
    [SPEC_FORMAT_DIMENSION] = "\"type\": \"string\", \"pattern\": \"^(size|stride)[.]" DECIMAL "$\"",
    [SPEC_FORMAT_STREAM] = "\"type\": [\"integer\", \"string\", \"null\"], \"pattern\": \"^" DECIMAL "$\"",
    [SPEC_FORMAT_CONDITION] = "\"type\": [\"integer\", \"string\"], \"minLength\": 1",
    [SPEC_FORMAT_PATH] = "\"type\": \"string\", \"pattern\": \"^" JSON_IDENTIFIER "([.][A-Za-z0-9_]+)*$\"",
    [SPEC_FORMAT_RESULT] = "\"enum\": [\"tensor\", \"int\", \"float\", \"bool\", \"none\"]",
    [SPEC_FORMAT_EXTRA] = "\"enum\": [\"capability\", \"distributed\", \"user\"]",
    [SPEC_FORMAT_ATTRIBUTE] = "\"type\": \"string\"",
    [SPEC_FORMAT_PREFIX] = "\"type\": \"string\", \"pattern\": \"^(" JSON_IDENTIFIER ")?$\"",
};

static void put_dtypes(Str *out, const char *quote, const char *between)
{
    const char *separator = "";
    for (int32_t dtype = -1; dtype_next(&dtype); separator = between) {
        str_printf(out, "%s%s%s%s", separator, quote, dtype_text(dtype), quote);
    }
}

static void put_devices(Str *out)
{
    for (size_t i = 0; device_name(i) != NULL; i++) {
        str_printf(out, "%s%s", i > 0 ? "|" : "", device_name(i));
    }
}

static void put_format(Str *out, SpecFormat format)
{
    str_printf(out, "    \"%s\": {\"description\": ", spec_formats[format].name);
    str_put_json(out, spec_formats[format].text);
    if (format == SPEC_FORMAT_DTYPE) {
        str_puts(out, ", \"enum\": [");
        put_dtypes(out, "\"", ", ");
        str_puts(out, "]");
    } else if (format == SPEC_FORMAT_CPU) {
        str_puts(out, ", \"enum\": [");
        for (int32_t i = 0; cpu_word(i) != NULL; i++) {
            str_printf(out, "%s\"%s\"", i > 0 ? ", " : "", cpu_word(i));
        }
        str_puts(out, "]");
    } else if (format == SPEC_FORMAT_DTYPES) {
        str_puts(out, ", \"type\": \"string\", \"pattern\": \"^(");
        put_dtypes(out, "", "|");
        str_puts(out, ")([|](");
        put_dtypes(out, "", "|");
        str_puts(out, "))*$\"");
    } else if (format == SPEC_FORMAT_DEVICE) {
        str_puts(out, ", \"type\": \"string\", \"pattern\": \"^(");
        put_devices(out);
        str_puts(out, ")(:" DECIMAL ")?$\"");
    } else {
        str_printf(out, ", %s", format_schemas[format] != NULL ? format_schemas[format] : any_text);
    }
    str_puts(out, "}");
}

/* ---- keys ---- */

/* Words that are not text in JSON either. Where null is one of several words it is often written in quotes. */
static bool is_literal(const char *word)
{
    return str_equal(word, "true") || str_equal(word, "false") || str_equal(word, "null");
}

static void put_word(Str *out, const char *word)
{
    if (is_literal(word)) {
        str_puts(out, word);
    } else {
        str_put_json(out, word);
    }
}

static void put_words(Str *out, const cyaml_schema_value_t *value)
{
    const char *separator = "";
    str_puts(out, "\"enum\": [");
    for (uint32_t i = 0; i < value->enumeration.count; i++) {
        const char *word = value->enumeration.strings[i].str;
        str_puts(out, separator);
        put_word(out, word);
        separator = ", ";
        if (str_equal(word, "null") && !is_literal(value->enumeration.strings[0].str)) {
            str_puts(out, ", \"null\"");
        }
    }
    str_puts(out, "]");
}

/* A value that is not a list, without the braces. */
static void put_single(Printer *printer, const cyaml_schema_value_t *value, const char *key, SpecFormat format)
{
    if (value->type == CYAML_MAPPING) {
        str_printf(printer->out, "\"$ref\": \"#/$defs/%s\"", definition_of(printer, value->mapping.fields, key));
    } else if (value->type == CYAML_ENUM) {
        put_words(printer->out, value);
    } else {
        str_printf(printer->out, "\"$ref\": \"#/$defs/%s\"", spec_formats[format].name);
    }
}

static void put_value(Printer *printer, const cyaml_schema_value_t *value, const char *key, SpecFormat format)
{
    if (value->type != CYAML_SEQUENCE) {
        put_single(printer, value, key, format);
        return;
    }
    str_puts(printer->out, "\"type\": \"array\", \"items\": {");
    put_single(printer, value->sequence.entry, key, format);
    str_puts(printer->out, "}");
    if (value->sequence.min > 0) {
        str_printf(printer->out, ", \"minItems\": %lu", (unsigned long)value->sequence.min);
    }
}

/* The value that leaving the key out is the same as. */
static void put_preset(Str *out, const SpecKey *key)
{
    if (key->preset == NULL) {
        return;
    }
    str_puts(out, ", \"default\": ");
    if (str_equal(key->preset, "''")) {
        str_puts(out, "\"\"");
    } else if (str_equal(key->preset, "[]") || str_equal(key->preset, "0")) {
        str_puts(out, key->preset);
    } else {
        put_word(out, key->preset);
    }
}

/* The members of the schema of a mapping, without the braces around. */
static void put_mapping(Printer *printer, const cyaml_schema_field_t *fields, const char *indent)
{
    Str *out = printer->out;

    str_printf(out, "%s\"description\": ", indent);
    str_put_json(out, mapping_of(fields)->text);
    str_printf(out, ",\n%s\"type\": \"object\",\n%s\"properties\": {\n", indent, indent);
    for (size_t i = 0; fields[i].key; i++) {
        const SpecKey *key = key_of(fields, fields[i].key);
        str_printf(out, "%s  \"%s\": {\"description\": ", indent, fields[i].key);
        str_put_json(out, key->text);
        str_puts(out, ", ");
        put_value(printer, &fields[i].value, fields[i].key, key->format);
        put_preset(out, key);
        str_puts(out, fields[i + 1].key ? "},\n" : "}\n");
    }
    str_printf(out, "%s},\n", indent);
    json_put_required(out, fields, indent);
    str_printf(out, ",\n%s\"additionalProperties\": false", indent);
}

void schema_print_json(Arena *arena, Str *out)
{
    Printer printer = {.arena = arena, .out = out};

    json_put_head(out, "schema", "wrapgen: compiled graphs and kernels, format version 1");
    put_mapping(&printer, spec_schema.mapping.fields, "  ");
    str_puts(out, ",\n  \"$defs\": {\n");
    for (size_t i = 0; i < printer.num_definitions; i++) { /* grows while it is walked */
        str_printf(out, "    \"%s\": {\n", printer.definitions[i].name);
        put_mapping(&printer, printer.definitions[i].fields, "      ");
        str_puts(out, "\n    },\n");
    }
    for (int format = SPEC_FORMAT_NONE + 1; format < SPEC_NUM_FORMATS; format++) {
        put_format(out, (SpecFormat)format);
        str_puts(out, format + 1 < SPEC_NUM_FORMATS ? ",\n" : "\n");
    }
    str_puts(out, "  }\n}\n");
}
