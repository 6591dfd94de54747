/* SPDX-License-Identifier: MIT */
/* plain - see plain.h. */
#include "plain.h"

#include <string.h>

#include "../base/str.h"

static const char word_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char later_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

typedef struct Plain {
    Arena *arena;
    const char *at;
    const cyaml_schema_field_t *fields;
    char *data;
    const cyaml_schema_field_t *list; /* whose items may come; null: of none */
    size_t most;                      /* items: no list has more */
} Plain;

/* At most so many: each item ends a line, or has a comma after it. */
static size_t count_items(const char *text)
{
    size_t n = 1;
    for (; *text != '\0'; text++) {
        n += *text == '\n' || *text == ',';
    }
    return n;
}

/* Null: there is none, or YAML might take it for something else. */
static char *take_word(Plain *plain)
{
    const size_t length = strspn(plain->at, word_bytes) > 0 ? strspn(plain->at, later_bytes) : 0;
    char *word = length > 0 ? arena_copy(plain->arena, plain->at, length) : NULL;
    plain->at += length;
    return word;
}

static bool take(Plain *plain, const char *text)
{
    const bool found = str_starts(plain->at, text);
    plain->at += found ? strlen(text) : 0;
    return found;
}

static uint32_t *count_of(const Plain *plain)
{
    return (uint32_t *)(void *)(plain->data + plain->list->count_offset);
}

static bool take_item(Plain *plain)
{
    char *word = take_word(plain);
    if (word == NULL || plain->list == NULL) {
        return false;
    }
    char ***items = (char ***)(void *)(plain->data + plain->list->data_offset);
    uint32_t *count = count_of(plain);
    *items = *items != NULL ? *items : ARENA_ARRAY(plain->arena, char *, plain->most);
    (*items)[(*count)++] = word;
    return true;
}

static bool take_list(Plain *plain)
{
    bool good = take_item(plain);
    while (good && take(plain, ", ")) {
        good = take_item(plain);
    }
    return good && take(plain, "]");
}

/* A list without items is null in YAML. */
static bool is_filled(const Plain *plain)
{
    return plain->list == NULL || *count_of(plain) > 0;
}

/* "key: word", "key: [word, word]", or "key:" before lines with items. */
static bool take_key(Plain *plain)
{
    const cyaml_schema_field_t *field = plain->fields;
    const size_t length = strcspn(plain->at, ":\n");
    while (field->key != NULL && (strlen(field->key) != length || memcmp(field->key, plain->at, length) != 0)) {
        field++;
    }
    plain->at += length;
    if (field->key == NULL || !take(plain, ":") || !is_filled(plain)) {
        return false;
    }
    plain->list = field->value.type == CYAML_SEQUENCE ? field : NULL;
    if (plain->list != NULL && *count_of(plain) > 0) {
        return false;
    }
    if (plain->list != NULL) {
        return *plain->at == '\n' || (take(plain, " [") && take_list(plain));
    }
    char **text = (char **)(void *)(plain->data + field->data_offset);
    const bool first = *text == NULL && take(plain, " ");
    *text = first ? take_word(plain) : NULL;
    return *text != NULL;
}

static bool is_complete(const Plain *plain)
{
    bool complete = is_filled(plain);
    for (const cyaml_schema_field_t *field = plain->fields; field->key != NULL; field++) {
        const void *value = *(void **)(void *)(plain->data + field->data_offset);
        complete = complete && (value != NULL || (field->value.flags & CYAML_FLAG_OPTIONAL) != 0);
    }
    return complete;
}

bool plain_read(Arena *arena, const char *text, const cyaml_schema_field_t *fields, void *data)
{
    Plain plain = {.arena = arena, .at = text, .fields = fields, .data = data, .most = count_items(text)};
    bool good = true;
    while (good && *plain.at != '\0') {
        if (*plain.at == '#') {
            plain.at += strcspn(plain.at, "\n");
        } else if (*plain.at != '\n') {
            good = take(&plain, "  - ") ? take_item(&plain) : take_key(&plain);
        }
        good = good && take(&plain, "\n");
    }
    return good && is_complete(&plain);
}
