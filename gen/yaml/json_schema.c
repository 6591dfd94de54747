/* SPDX-License-Identifier: MIT */
#include "json_schema.h"

void json_put_head(Str *out, const char *what, const char *title)
{
    str_puts(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
    str_printf(out, "  \"$id\": \"urn:wrapgen:%s:1\",\n  \"title\": ", what);
    str_put_json(out, title);
    str_puts(out, ",\n");
}

void json_put_required(Str *out, const cyaml_schema_field_t *fields, const char *indent)
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
