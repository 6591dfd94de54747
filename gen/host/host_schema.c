/* SPDX-License-Identifier: MIT */
/*
 * host_schema - the JSON schema (draft 2020-12) of a host's description, for editors, from the table that loads it and
 * the verbs of templates/hosts/VERBS.md.
 *
 * schema/host.schema.json is this text; a test compares. To renew it: make schema
 */
#include "host.h"

#include "../yaml/json_schema.h"
#include "host_private.h"

typedef struct KeyText {
    const char *key;
    const char *text;
    const char *pattern; /* of a text; null: a list of verbs */
} KeyText;

static const KeyText KEYS[] = {
    {"name", "the host's name, part of its symbol", "^" JSON_IDENTIFIER "$"},
    {"header", "what generated C includes; its guard is made of it, WG_NATIVE_H for wg_native.h",
     "^[A-Za-z0-9_./+-]+$"},
    {"abi_symbol", "the symbol that generated C refers to, so that another host does not link",
     "^" JSON_IDENTIFIER "$"},
    {"verbs", "the verbs that the host has; a graph that needs another one is refused", NULL},
    {"by_program", "among them: those that work only if the program gives the host a function", NULL},
    {"no_effect", "among them: those that do nothing", NULL},
};

static const KeyText *text_of(const char *key)
{
    size_t i = 0;
    while (!str_equal(KEYS[i].key, key)) {
        i++;
    }
    return &KEYS[i];
}

static void put_property(Str *out, const cyaml_schema_field_t *field)
{
    const KeyText *said = text_of(field->key);
    str_printf(out, "    \"%s\": {\"description\": ", field->key);
    str_put_json(out, said->text);
    if (said->pattern != NULL) {
        str_puts(out, ", \"type\": \"string\", \"pattern\": ");
        str_put_json(out, said->pattern);
    } else {
        str_puts(out, ", \"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/verb\"}");
        if (field->value.sequence.min > 0) {
            str_printf(out, ", \"minItems\": %lu", (unsigned long)field->value.sequence.min);
        }
    }
    str_puts(out, field[1].key != NULL ? "},\n" : "}\n");
}

void host_print_schema(Arena *arena, Str *out)
{
    const Verbs *verbs = verbs_new(arena);
    json_put_head(out, "host", "wrapgen: the description of a host");
    str_puts(out, "  \"description\": \"what generated code can ask of the tensors of a program\",\n"
                  "  \"type\": \"object\",\n"
                  "  \"properties\": {\n");
    for (const cyaml_schema_field_t *field = host_fields; field->key != NULL; field++) {
        put_property(out, field);
    }
    str_puts(out, "  },\n");
    json_put_required(out, host_fields, "  ");
    str_puts(out, ",\n  \"additionalProperties\": false,\n"
                  "  \"$defs\": {\n"
                  "    \"verb\": {\"description\": \"a function that generated C calls, as templates/hosts/VERBS.md "
                  "describes it\", "
                  "\"enum\": [\n");
    for (uint32_t i = 0; i < verbs->count; i++) {
        str_printf(out, "      \"%s\"%s\n", verbs->at[i].name, i + 1 < verbs->count ? "," : "");
    }
    str_puts(out, "    ]}\n  }\n}\n");
}
