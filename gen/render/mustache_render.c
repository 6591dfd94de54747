/* SPDX-License-Identifier: MIT */
/*
 * mustache_render - items and values to text.
 *
 * Indentation is decided here. `prefix` joins what all partials, parents and blocks that are being rendered put before
 * their lines; `fresh` says that the output is at the start of a line of a template. The next text then gets the
 * prefix, unless it is the end of the line: empty lines stay empty. A newline in a value does not set `fresh`, so the
 * lines of a value are left alone, as the specification requires.
 *
 * The only allocations are for the output, the stack of contexts and the prefix, and the latter two are kept.
 */
#include "mustache_render.h"

#include <string.h>

enum { MAX_NOTES = 8, MAX_SHOWN = 80 };

static bool render_items(Render *render, uint32_t first, uint32_t end);

/* ---- errors ---- */

bool mustache_fail(const Render *render, DiagMessage *message)
{
    const Caller *caller = render->caller;

    for (int i = 0; caller && i < MAX_NOTES; i++, caller = caller->outer) {
        diag_note(render->engine->diag, message,
                  mustache_place(caller->template, caller->item->offset, caller->item->length), "rendered from here");
    }
    return false;
}

/* The tag as the template has it, for messages. */
static Slice shown(const Render *render, const Item *item)
{
    uint32_t length = item->length < MAX_SHOWN ? item->length : MAX_SHOWN;

    return (Slice){.data = render->template->source + item->offset, .length = length};
}

static bool fail_kind(const Render *render, const Item *item, ValueKind kind)
{
    static const char *const names[] = {
        [VALUE_NULL] = "null",   [VALUE_FALSE] = "a boolean", [VALUE_TRUE] = "a boolean",
        [VALUE_TEXT] = "a text", [VALUE_LIST] = "a list",     [VALUE_OBJECT] = "an object"};
    Slice tag = shown(render, item);

    return MUSTACHE_FAIL(render, item, "'%.*s' is %s where a text is needed", (int)tag.length, tag.data, names[kind]);
}

/* ---- output ---- */

static void put(Render *render, const char *data, size_t length)
{
    Str *out = render->out;

    if (out->capacity - out->length <= length) {
        str_reserve(out, length);
    }
    memcpy(out->data + out->length, data, length);
    out->length += length;
}

static void put_prefix(Render *render)
{
    if (render->fresh && render->engine->prefix.length > 0) {
        put(render, render->engine->prefix.data, render->engine->prefix.length);
    }
    render->fresh = false;
}

static void put_template_text(Render *render, Slice text)
{
    const char *at = text.data;
    const char *end = at + text.length;

    if (render->engine->prefix.length == 0) {
        put(render, at, text.length);
        render->fresh = end[-1] == '\n';
        return;
    }
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        bool empty = at[0] == '\n' || (at[0] == '\r' && at + 1 == newline);
        if (!empty) {
            put_prefix(render);
        }
        put(render, at, (size_t)(next - at));
        render->fresh = newline != NULL;
        at = next;
    }
}

static size_t push_prefix(Render *render, Slice indent)
{
    size_t before = render->engine->prefix.length;

    if (indent.length > 0) {
        str_add(&render->engine->prefix, indent.data, indent.length);
    }
    return before;
}

/* ---- values ---- */

static void push_context(Render *render, Value value)
{
    MustacheEngine *engine = render->engine;

    if (render->num_contexts == engine->contexts_capacity) {
        uint32_t capacity = engine->contexts_capacity ? engine->contexts_capacity * 2 : 64;
        engine->contexts = arena_grow(engine->arena, engine->contexts, engine->contexts_capacity * sizeof(Value),
                                      capacity * sizeof(Value));
        engine->contexts_capacity = capacity;
    }
    engine->contexts[render->num_contexts++] = value;
}

static const Value *find_key(const ValueObject *object, uint32_t key, uint32_t *hint)
{
    if (*hint < object->count && object->entries[*hint].key == key) {
        return &object->entries[*hint].value;
    }
    const bool may_be_there = (object->keys & value_key_bit(key)) != 0;
    for (uint32_t i = 0; i < object->count && may_be_there; i++) {
        if (object->entries[i].key == key) {
            *hint = i;
            return &object->entries[i].value;
        }
    }
    return NULL;
}

/* The value that a path leads to; false if there is none. */
static bool look_up(const Render *render, Path *path, Value *value)
{
    const Value *contexts = render->engine->contexts;
    const Value *found = NULL;

    if (path->count == 0) {
        *value = contexts[render->num_contexts - 1];
        return true;
    }
    for (uint32_t i = render->num_contexts; i-- > 0 && !found;) {
        if (contexts[i].kind == VALUE_OBJECT) {
            found = find_key(contexts[i].as.object, path->first, &path->hint);
        }
    }
    for (uint32_t i = 0; found && i + 1 < path->count; i++) {
        uint32_t hint = UINT32_MAX;
        found = found->kind == VALUE_OBJECT ? find_key(found->as.object, path->rest[i], &hint) : NULL;
    }
    if (found) {
        *value = *found;
    }
    return found != NULL;
}

/* As look_up(), with null for what is missing; in strict mode that is an error. */
static bool resolve(const Render *render, Item *item, Value *value)
{
    Slice tag;

    if (look_up(render, &item->as.path, value)) {
        return true;
    }
    *value = value_null();
    if (!render->engine->config.strict) {
        return true;
    }
    tag = shown(render, item);
    return MUSTACHE_FAIL(render, item, "'%.*s' is not a name that exists here", (int)tag.length, tag.data);
}

static bool is_true(Value value)
{
    switch (value.kind) {
    case VALUE_NULL:
    case VALUE_FALSE:
        return false;
    case VALUE_TEXT:
        return value.as.text.length > 0;
    case VALUE_LIST:
        return value.as.list->count > 0;
    case VALUE_TRUE:
    case VALUE_OBJECT:
        break;
    }
    return true;
}

bool mustache_text(const Render *render, Item *item, ValueText *text, bool *is_null)
{
    Value value;

    *text = (ValueText){.data = "", .length = 0};
    if (!resolve(render, item, &value)) {
        return false;
    }
    *is_null = value.kind == VALUE_NULL;
    if (value.kind == VALUE_TEXT) {
        *text = value.as.text;
    } else if (render->engine->config.strict && !*is_null) {
        return fail_kind(render, item, value.kind);
    } else if (value.kind == VALUE_TRUE || value.kind == VALUE_FALSE) {
        *text = value_text(value.kind == VALUE_TRUE ? "true" : "false").as.text;
    }
    return true;
}

static bool render_value(Render *render, Item *item)
{
    const MustacheConfig *config = &render->engine->config;
    ValueText text;
    bool is_null = false;

    if (!mustache_text(render, item, &text, &is_null)) {
        return false;
    }
    if (text.length > 0) {
        put_prefix(render);
    }
    if (item->kind == ITEM_RAW || !config->check || is_null) {
        if (text.length > 0) {
            put(render, text.data, text.length);
        }
        return true;
    }
    if (!config->check(config->check_ctx, text.data, text.length, render->out)) {
        Slice tag = shown(render, item);
        return MUSTACHE_FAIL(render, item, "the value of '%.*s' cannot be written here: '%.*s'", (int)tag.length,
                             tag.data, (int)(text.length < MAX_SHOWN ? text.length : MAX_SHOWN), text.data);
    }
    return true;
}

/* ---- tags that enclose ---- */

static DiagPlace item_place(const Render *render, const Item *item)
{
    return mustache_place(render->template, item->offset, item->length);
}

/* Few and small templates can ask for any amount of text, or of work without text: ten that include each other ten
 * times. */
static bool is_within(Render *render, const Item *item)
{
    const MustacheConfig *config = &render->engine->config;
    const size_t length = render->out->length - render->begun;

    render->steps++;
    if (config->most_bytes != 0 && render->out->length > config->most_bytes) {
        return mustache_fail(render, diag_report(render->engine->diag, DIAG_ERROR, "E_LIMIT", item_place(render, item),
                                                 "an output is longer than %zu bytes ('--limit output=N' raises that)",
                                                 config->most_bytes));
    }
    if (config->most_steps != 0 && render->steps > length && render->steps - length > config->most_steps) {
        return mustache_fail(render, diag_report(render->engine->diag, DIAG_ERROR, "E_LIMIT", item_place(render, item),
                                                 "a text of %zu bytes takes %zu templates, sections and blocks "
                                                 "('--limit expansion=N' raises that); do some include each other?",
                                                 length, render->steps));
    }
    return true;
}

static bool go_deeper(Render *render, const Item *item)
{
    if (!is_within(render, item)) {
        return false;
    }
    if (render->depth == MUSTACHE_MAX_DEPTH) {
        return MUSTACHE_FAIL(render, item,
                             "more than %d sections and templates in each other; does one include itself?",
                             MUSTACHE_MAX_DEPTH);
    }
    render->depth++;
    return true;
}

/* Tells of what was written up to here; the text after it has another origin or is from another template. */
static void measure(Render *render)
{
    const MustacheConfig *config = &render->engine->config;

    if (config->measure && render->out->length > render->measured) {
        config->measure(config->measure_ctx, render->template->name, render->origin,
                        render->out->length - render->measured);
    }
    render->measured = render->out->length;
}

static void change_template(Render *render, Template *template)
{
    measure(render);
    render->template = template;
}

/* Shows what was written up to here with its origin; the text after it has a different one. */
static void change_origin(Render *render, const void *origin)
{
    const MustacheConfig *config = &render->engine->config;

    measure(render);
    if (config->watch && render->out->length > render->watched) {
        config->watch(config->watch_ctx, render->origin, render->out->data + render->watched,
                      render->out->length - render->watched);
    }
    render->watched = render->out->length;
    render->origin = origin;
}

/* Renders the content of a section for one value. */
static bool render_element(Render *render, Value value, uint32_t first, uint32_t end)
{
    const void *outer = render->origin;
    const bool has_origin = value.kind == VALUE_OBJECT && value.as.object->origin;
    bool done = false;

    if (has_origin) {
        change_origin(render, value.as.object->origin);
    }
    push_context(render, value);
    done = render_items(render, first, end);
    render->num_contexts--;
    if (has_origin) {
        change_origin(render, outer);
    }
    return done;
}

static bool render_section(Render *render, uint32_t index)
{
    Item *item = &render->template->items[index];
    bool done = true;
    Value value;

    if (!resolve(render, item, &value)) {
        return false;
    }
    if (is_true(value) == (item->kind == ITEM_INVERTED)) {
        return true;
    }
    if (!go_deeper(render, item)) {
        return false;
    }
    if (item->kind == ITEM_INVERTED) {
        done = render_items(render, index + 1, item->end);
    } else if (value.kind == VALUE_LIST) {
        for (uint32_t i = 0; i < value.as.list->count && done; i++) {
            done = is_within(render, item) && render_element(render, value.as.list->items[i], index + 1, item->end);
        }
    } else {
        done = render_element(render, value, index + 1, item->end);
    }
    render->depth--;
    return done;
}

/* A partial, or a parent with its arguments. */
static bool render_template(Render *render, uint32_t index)
{
    Template *here = render->template;
    Item *item = &here->items[index];
    Caller caller = {.template = here, .item = item, .outer = render->caller};
    Frame frame = {.template = here, .parent = item, .outer = render->frame};
    Template *target = NULL;
    size_t prefix = 0;
    bool done = false;

    if (!mustache_target(render, item, &target)) {
        return false;
    }
    if (!target) {
        return true;
    }
    if (render->engine->config.strict && item->end > index + 1 && !item->checked &&
        !mustache_check_arguments(render, index, target)) {
        return false;
    }
    if (!go_deeper(render, item)) {
        return false;
    }
    prefix = push_prefix(render, item->indent);
    change_template(render, target);
    render->caller = &caller;
    render->frame = item->end > index + 1 ? &frame : frame.outer;
    done = render_items(render, 0, target->num_items);
    render->frame = frame.outer;
    render->caller = caller.outer;
    change_template(render, here);
    render->engine->prefix.length = prefix;
    render->depth--;
    return done;
}

static bool render_block(Render *render, uint32_t index)
{
    Template *here = render->template;
    const Item *item = &here->items[index];
    const Frame *inside = render->frame;
    uint32_t argument = index;
    const Frame *frame = mustache_find_argument(render, item->name, &argument);
    size_t prefix = 0;
    bool done = false;

    if (!go_deeper(render, item)) {
        return false;
    }
    prefix = push_prefix(render, item->indent);
    if (frame) {
        change_template(render, frame->template);
        render->frame = frame->outer;
    }
    done = render_items(render, argument + 1, render->template->items[argument].end);
    render->frame = inside;
    change_template(render, here);
    render->engine->prefix.length = prefix;
    render->depth--;
    return done;
}

static bool render_items(Render *render, uint32_t first, uint32_t end)
{
    Item *items = render->template->items;

    for (uint32_t i = first; i < end; i = items[i].end) {
        bool done = true;
        switch (items[i].kind) {
        case ITEM_TEXT:
            put_template_text(render, items[i].as.text);
            break;
        case ITEM_VALUE:
        case ITEM_RAW:
            done = render_value(render, &items[i]);
            break;
        case ITEM_SECTION:
        case ITEM_INVERTED:
            done = render_section(render, i);
            break;
        case ITEM_PARTIAL:
        case ITEM_PARENT:
            done = render_template(render, i);
            break;
        case ITEM_BLOCK:
            done = render_block(render, i);
            break;
        }
        if (!done) {
            return false;
        }
    }
    return true;
}

bool mustache_render(MustacheEngine *engine, const char *name, Value value, Str *out)
{
    Template *template = mustache_template(engine, mustache_intern(engine, name));
    Render render = {.engine = engine,
                     .out = out,
                     .template = template,
                     .fresh = true,
                     .begun = out->length,
                     .watched = out->length,
                     .measured = out->length};
    bool done = false;

    if (template->missing) {
        diag_report(engine->diag, DIAG_ERROR, "E_TEMPLATE", diag_nowhere(template->file), "there is no such template");
        return false;
    }
    if (template->broken) {
        return false;
    }
    engine->prefix.length = 0;
    push_context(&render, value);
    done = render_items(&render, 0, template->num_items);
    str_add(out, "", 0); /* terminates even an empty output */
    change_origin(&render, NULL);
    return done;
}
