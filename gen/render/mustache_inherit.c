/* SPDX-License-Identifier: MIT */
/*
 * mustache_inherit - finds the template that a partial or parent includes, and the argument that a block shows.
 *
 * Each parent that is being rendered is a frame; a block takes its content from the outermost frame that has a block
 * with its name. While an argument is rendered, only frames outside its own count: its text belongs to the template in
 * which it was written.
 */
#include "mustache_render.h"

static Template *named_template(MustacheEngine *engine, Item *item)
{
    if (!item->target) {
        item->target = mustache_template(engine, item->name);
    }
    return item->target;
}

bool mustache_target(const Render *render, Item *item, Template **target)
{
    MustacheEngine *engine = render->engine;
    ValueText name;
    bool is_null = false;

    *target = NULL;
    if (item->dynamic) {
        if (!mustache_text(render, item, &name, &is_null)) {
            return false;
        }
        if (is_null || (name.length == 0 && !engine->config.strict)) {
            return true;
        }
        *target = mustache_template(engine, mustache_intern_n(engine, name.data, name.length));
    } else {
        *target = named_template(engine, item);
    }
    if ((*target)->missing && engine->config.strict) {
        const char *called = (*target)->file;
        return MUSTACHE_FAIL(render, item, "there is no template '%s'", called);
    }
    if ((*target)->broken) {
        return false; /* its own errors are enough */
    }
    *target = (*target)->missing ? NULL : *target;
    return true;
}

typedef enum Brought { BROUGHT_ADDED, BROUGHT_UNKNOWN, BROUGHT_BROKEN } Brought;

/* Adds to the list (by `visit` marks) the templates that `template` includes by name, unless it includes one by a
 * value, or one has errors, which are then reported. */
static Brought add_brought(MustacheEngine *engine, const Template *template, Template **last)
{
    for (uint32_t i = 0; i < template->num_items; i++) {
        Item *item = &template->items[i];
        if (item->kind != ITEM_PARTIAL && item->kind != ITEM_PARENT) {
            continue;
        }
        if (item->dynamic) {
            return BROUGHT_UNKNOWN;
        }
        if (named_template(engine, item)->broken) {
            return BROUGHT_BROKEN;
        }
        if (item->target->visit != engine->visit) {
            item->target->visit = engine->visit;
            item->target->next_visit = NULL;
            (*last)->next_visit = item->target;
            *last = item->target;
        }
    }
    return BROUGHT_ADDED;
}

static bool has_block(const Template *template, uint32_t name)
{
    for (uint32_t i = 0; i < template->num_items; i++) {
        if (template->items[i].kind == ITEM_BLOCK && template->items[i].name == name) {
            return true;
        }
    }
    return false;
}

/* An argument that no block takes would silently vanish. Templates included by a value are unknown, so nothing is
 * reported then. */
bool mustache_check_arguments(const Render *render, uint32_t index, Template *target)
{
    Item *parent = &render->template->items[index];
    Template *last = target;

    target->visit = ++render->engine->visit;
    target->next_visit = NULL;
    for (const Template *brought = target; brought; brought = brought->next_visit) {
        Brought added = add_brought(render->engine, brought, &last);
        if (added != BROUGHT_ADDED) {
            return added == BROUGHT_UNKNOWN;
        }
    }
    for (uint32_t i = index + 1; i < parent->end; i = render->template->items[i].end) {
        const Item *argument = &render->template->items[i];
        bool taken = false;
        for (const Template *brought = target; brought && !taken; brought = brought->next_visit) {
            taken = has_block(brought, argument->name);
        }
        if (!taken) {
            return MUSTACHE_FAIL(render, argument, "'%s' has no block '%s'", target->file,
                                 mustache_name(render->engine, argument->name));
        }
    }
    parent->checked = !parent->dynamic;
    return true;
}

const Frame *mustache_find_argument(const Render *render, uint32_t name, uint32_t *index)
{
    const Frame *found = NULL;

    for (const Frame *frame = render->frame; frame; frame = frame->outer) {
        const Item *items = frame->template->items;
        uint32_t first = (uint32_t)(frame->parent - items) + 1;
        for (uint32_t i = first; i < frame->parent->end; i = items[i].end) {
            if (items[i].name == name) {
                *index = i;
                found = frame;
                break;
            }
        }
    }
    return found;
}
