/* SPDX-License-Identifier: MIT */
/*
 * mustache_frozen - finds names and templates among those that were compiled when the tool was built.
 */
#include "frozen.h"
#include "mustache_private.h"

#include <string.h>

uint32_t mustache_num_frozen(const MustacheEngine *engine)
{
    return engine->config.frozen != NULL ? engine->config.frozen->num_names : 0;
}

const char *mustache_frozen_name(const MustacheFrozen *frozen, uint32_t name)
{
    return frozen->names + frozen->name_at[name];
}

bool mustache_find_frozen(const MustacheFrozen *frozen, const char *name, size_t length, uint32_t *number)
{
    uint32_t low = 0;
    uint32_t high = memchr(name, '\0', length) == NULL ? frozen->num_names : 0; /* of ours none has a zero byte */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const char *other = mustache_frozen_name(frozen, frozen->sorted[middle]);
        const int order = strncmp(name, other, length);
        if (order == 0 && other[length] == '\0') {
            *number = frozen->sorted[middle];
            return true;
        }
        if (order > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

static Item thaw_item(const MustacheFrozen *frozen, const FrozenItem *from)
{
    const Slice text = {.data = frozen->texts + from->text, .length = from->text_length};
    Item item = {.kind = (ItemKind)from->kind,
                 .dynamic = from->dynamic != 0,
                 .end = from->end,
                 .offset = from->offset,
                 .length = from->length};
    if (item.kind == ITEM_TEXT) {
        item.as.text = text;
        return item;
    }
    item.indent = text;
    if (item.kind == ITEM_BLOCK || (!item.dynamic && (item.kind == ITEM_PARTIAL || item.kind == ITEM_PARENT))) {
        item.name = from->name;
    } else if (from->num_names > 0) {
        const uint32_t *names = frozen->paths + from->name;
        item.as.path = (Path){.count = from->num_names, .first = names[0], .rest = names + 1};
    }
    return item;
}

bool mustache_thaw(MustacheEngine *engine, uint32_t name, Template *template)
{
    const MustacheFrozen *frozen = engine->config.frozen;
    if (name >= mustache_num_frozen(engine) || frozen->template_of[name] == 0) {
        return false;
    }
    const uint32_t *first = &frozen->first_item[frozen->template_of[name] - 1];
    template->num_items = first[1] - first[0];
    template->items = arena_grow_dirty(engine->arena, NULL, 0, template->num_items * sizeof(Item));
    for (uint32_t i = 0; i < template->num_items; i++) {
        template->items[i] = thaw_item(frozen, &frozen->items[first[0] + i]);
    }
    return true;
}
