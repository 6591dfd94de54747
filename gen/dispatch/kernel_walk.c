/* SPDX-License-Identifier: MIT */
/*
 * kernel_walk - what is needed for each value of a kernel in turn: where it is loaded from, the set of what it may be,
 * and what an op of it belongs to.
 */
#include "kernel_walk.h"

#include <inttypes.h>
#include <string.h>

int64_t walk_first_of(uint64_t set)
{
    int64_t first = 0;
    while (first < 63 && (set >> first & 1) == 0) {
        first++;
    }
    return first;
}

const char *walk_set_text(Arena *arena, uint64_t set)
{
    return arena_printf(arena, "UINT64_C(0x%" PRIx64 ")", set);
}

Operand walk_site(Walk *walk, const KernelArg *arg, const char *rule, const char *code, const char *kind)
{
    return operand_site(plan_site_of(walk->plan, arg->suffix, arg->dotted, rule, code, kind));
}

/* ---- locals ---- */

uint32_t walk_load(Walk *walk, const KernelArg *arg, const char *source)
{
    const bool container = kind_is_container(arg->kind);
    const char *type = arg->by_address || container ? arena_printf(walk->arena, "const %s*const ", arg->c_type)
                       : arg->c_type[strlen(arg->c_type) - 1] == '*'
                           ? arena_printf(walk->arena, "%sconst ", arg->c_type)
                           : arena_printf(walk->arena, "const %s", arg->c_type);
    const char *text = arena_printf(walk->arena, "%s_%s", walk->role, arg->suffix);
    const uint32_t slot = plan_slot(walk->plan, SLOT_BORROWED, SLOT_POINTER, 0, text, arg->dotted);
    const bool address = container && !arg->by_address;
    walk->path = arg->path;
    walk->where = arg->spec;
    EMIT(walk, load_field, operand_tensor(slot), operand_text(type),
         operand_text(address ? arena_printf(walk->arena, "&%s", source) : source));
    return slot;
}

OpList *walk_enter(Walk *walk, Op *op)
{
    OpList *outer = walk->list;
    walk->list = op->body;
    return outer;
}

const char *walk_member(Walk *walk, uint32_t slot, const char *name)
{
    return arena_printf(walk->arena, "%s->%s", walk->plan->slots[slot].text, name);
}
