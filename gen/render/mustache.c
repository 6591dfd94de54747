/* SPDX-License-Identifier: MIT */
/*
 * mustache - the base of the engine: values, interned names, the cache of compiled templates, and the places of errors.
 *
 * Names of values, templates and blocks share one table. An entry's number never changes, so a caller that interns its
 * own names first has them as constants, and a dynamic partial finds its compiled template by one hash of its name.
 */
#include "mustache_private.h"

#include <string.h>

Value value_null(void)
{
    return (Value){.kind = VALUE_NULL};
}

Value value_bool(bool truth)
{
    return (Value){.kind = truth ? VALUE_TRUE : VALUE_FALSE};
}

Value value_text_n(const char *data, size_t length)
{
    return (Value){.kind = VALUE_TEXT, .as.text = {.data = data, .length = length}};
}

Value value_text(const char *text)
{
    return value_text_n(text, strlen(text));
}

Value value_list(Arena *arena)
{
    return (Value){.kind = VALUE_LIST, .as.list = ARENA_NEW(arena, ValueList)};
}

void value_push(Arena *arena, Value list, Value item)
{
    ValueList *items = list.as.list;

    items->items = mustache_room(arena, items->items, items->count, &items->capacity, sizeof *items->items);
    items->items[items->count++] = item;
}

Value value_object(Arena *arena, uint32_t capacity)
{
    ValueObject *object = ARENA_NEW(arena, ValueObject);

    if (capacity > 0) {
        object->entries = ARENA_ARRAY(arena, ValueEntry, capacity);
        object->capacity = capacity;
    }
    return (Value){.kind = VALUE_OBJECT, .as.object = object};
}

void value_set(Arena *arena, Value object, uint32_t key, Value value)
{
    ValueObject *fields = object.as.object;

    const bool may_be_there = (fields->keys & value_key_bit(key)) != 0;
    for (uint32_t i = 0; i < fields->count && may_be_there; i++) {
        if (fields->entries[i].key == key) {
            fields->entries[i].value = value;
            return;
        }
    }
    fields->keys |= value_key_bit(key);
    fields->entries = mustache_room(arena, fields->entries, fields->count, &fields->capacity, sizeof *fields->entries);
    fields->entries[fields->count].key = key;
    fields->entries[fields->count].value = value;
    fields->count++;
}

MustacheEngine *mustache_new(Arena *arena, Diag *diag, const MustacheConfig *config)
{
    MustacheEngine *engine = ARENA_NEW(arena, MustacheEngine);

    engine->arena = arena;
    engine->diag = diag;
    engine->config = *config;
    engine->prefix = str_new(arena);
    engine->templates = ARENA_ARRAY(arena, Template *, mustache_num_frozen(engine));
    return engine;
}

uint32_t mustache_intern(MustacheEngine *engine, const char *name)
{
    return mustache_intern_n(engine, name, strlen(name));
}

static Template *load_template(MustacheEngine *engine, uint32_t number, const char *name, size_t name_length)
{
    Template *template = ARENA_NEW(engine->arena, Template);
    size_t length = 0;
    /* A name with a zero byte comes from a value and would reach the loader cut short. */
    bool sound = memchr(name, '\0', name_length) == NULL;

    template->name = name;
    template->file = name;
    if (!sound ||
        !engine->config.loader(engine->config.loader_ctx, name, &template->source, &length, &template->file)) {
        template->missing = true;
        return template;
    }
    if (length >= UINT32_MAX) {
        diag_report(engine->diag, DIAG_ERROR, "E_TEMPLATE", diag_nowhere(template->file), "template is too large");
        template->broken = true;
        return template;
    }
    template->length = (uint32_t)length;
    template->broken = !mustache_thaw(engine, number, template) && !mustache_compile(engine, template);
    return template;
}

Template *mustache_template(MustacheEngine *engine, uint32_t name)
{
    const uint32_t num_frozen = mustache_num_frozen(engine);
    if (name < num_frozen) {
        if (!engine->templates[name]) {
            const char *text = mustache_frozen_name(engine->config.frozen, name);
            engine->templates[name] = load_template(engine, name, text, strlen(text));
        }
        return engine->templates[name];
    }
    const Name *entry = &engine->names[name - num_frozen];
    if (!entry->template) {
        Template *template = load_template(engine, name, entry->text, entry->length);
        engine->names[name - num_frozen].template = template; /* the table may have moved meanwhile */
        return template;
    }
    return entry->template;
}
