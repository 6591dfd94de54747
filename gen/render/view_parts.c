/* SPDX-License-Identifier: MIT */
/*
 * view_parts - what views of graphs, calls and compiled functions share: C types, runs of tensors, sizes of arrays,
 * whether an op is there.
 */

#include "view_private.h"

const char *view_c_type(SlotType type)
{
    switch (type) {
    case SLOT_TENSOR:
        break;
    case SLOT_INTEGER:
        return "int64_t ";
    case SLOT_REAL:
        return "double ";
    case SLOT_POINTER:
        return "void *";
    }
    return "WgTensor *";
}

/* ---- fields and parameters ---- */

const Op *view_find_op(const OpList *list, OpKind kind)
{
    for (const Op *op = list->first; op != NULL; op = op->next) {
        const Op *inside = op->body != NULL ? view_find_op(op->body, kind) : NULL;
        if (op->kind == kind || inside != NULL) {
            return op->kind == kind ? op : inside;
        }
    }
    return NULL;
}

/* ---- runs of tensors in an array of values ---- */

void view_push_run(View *view, Value list, const char *array, uint32_t first, uint32_t count)
{
    Value item = value_object(view->arena, 4);
    view_put_text(view, item, KEY_array, array);
    view_put_number(view, item, KEY_first, first);
    view_put_number(view, item, KEY_end, (int64_t)first + count);
    view_put_number(view, item, KEY_count, count);
    value_push(view->arena, list, item);
}

Value view_slot_runs(View *view, const Plan *plan, const char *array, uint32_t first_slot, uint32_t count)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        while (i + n < count && plan->slots[first_slot + i + n].type == SLOT_TENSOR) {
            n++;
        }
        if (n > 0) {
            view_push_run(view, list, array, i, n);
        }
        i += n == 0 ? 1 : n;
    }
    return list;
}

/* ---- locals ---- */

Value view_array_size(View *view, uint32_t count)
{
    if (count == 0) {
        return value_null();
    }
    Value object = value_object(view->arena, 1);
    view_put_number(view, object, KEY_value, count);
    return object;
}

bool view_notes_overflow(const Plan *plan)
{
    static const OpKind ops[] = {OP_integer_add, OP_integer_sub, OP_integer_mul, OP_integer_floordiv, OP_integer_mod};
    bool found = view_find_op(&plan->ops, OP_check_overflow) != NULL;
    for (size_t i = 0; !found && i < sizeof ops / sizeof ops[0]; i++) {
        found = view_find_op(&plan->ops, ops[i]) != NULL;
    }
    return found;
}
