/* SPDX-License-Identifier: MIT */
/*
 * show_steps - the ops of a plan as sentences: the effect of ops.def with each operand's name replaced by what it is
 * here. "dst.copy_(src)" becomes "in_w.copy_(results[0].tensor)", in the names of the generated C.
 */
#include <string.h>

#include "show_private.h"

/* Ops that only prepare others: values that are read, numbers that are computed, arrays that are filled. What is in the
 * arrays stands in the lists of what the compiled function gets and returns. */
static bool is_quiet(OpKind kind)
{
    static const OpKind quiet[] = {
        OP_section,     OP_check_host,  OP_clear_results, OP_take_scratch, OP_pack_run,       OP_move_run,
        OP_pack_tensor, OP_move_tensor, OP_pack_integer,  OP_pack_pointer, OP_pack_null,      OP_pack_saved,
        OP_take_ranges, OP_byte_range,  OP_give_ranges,   OP_find_overlap, OP_check_overflow, OP_take_ranges_scratch};
    const OperandSpec *first = &op_specs[kind].operands[0];
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        if (quiet[i] == kind) {
            return true;
        }
    }
    return first->name != NULL && first->role == OPERAND_DEF;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The operand that the word names, or the number of operands. */
static uint32_t find_operand(const Op *op, const char *word, size_t length)
{
    const uint32_t count = op_num_operands(op->kind);
    uint32_t i = 0;
    while (i < count && !(strlen(op_specs[op->kind].operands[i].name) == length &&
                          strncmp(op_specs[op->kind].operands[i].name, word, length) == 0)) {
        i++;
    }
    return i;
}

/* After these words an operand's name is a word like any other: "fails unless tensor has these sizes". */
static bool is_plain_word(const char *effect, const char *word)
{
    static const char *const before[] = {"a ", "the ", "that ", "these ", "those "};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        const size_t length = strlen(before[i]);
        if ((size_t)(word - effect) >= length && strncmp(word - length, before[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Sites are what messages are made from, and so are dimensions of values that were read before. */
static bool is_for_messages(const OperandSpec *operand)
{
    return operand->type == OPERAND_SITE || operand->type == OPERAND_SITES || strcmp(operand->name, "dimension") == 0;
}

/* Operands that the words leave out, facts among them. */
static void put_unsaid(const Plan *plan, const Op *op, uint32_t said, Str *out)
{
    const char *before = " (";
    for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
        const OperandSpec *operand = &op_specs[op->kind].operands[i];
        if ((said >> i & 1) != 0 || is_for_messages(operand)) {
            continue;
        }
        str_printf(out, "%s%s%s", before, operand->name, operand->type == OPERAND_FACTS ? ": " : " ");
        plan_operand_text(plan, &op->operands[i], out);
        before = ", ";
    }
    str_puts(out, before[0] == ',' ? ")" : "");
}

static const char *sentence(View *view, const Plan *plan, const Op *op)
{
    Str out = str_new(view->arena);
    const char *effect = op_specs[op->kind].effect;
    uint32_t said = 0;
    for (const char *next = effect; *next != '\0';) {
        size_t length = 0;
        while (is_letter(next[length])) {
            length++;
        }
        const bool named = length > 0 && !is_plain_word(effect, next);
        const uint32_t operand = named ? find_operand(op, next, length) : op_num_operands(op->kind);
        if (operand < op_num_operands(op->kind)) {
            plan_operand_text(plan, &op->operands[operand], &out);
            said |= UINT32_C(1) << operand;
        } else {
            str_add(&out, next, length > 0 ? length : 1);
        }
        next += length > 0 ? length : 1;
    }
    put_unsaid(plan, op, said, &out);
    return str_text(&out);
}

static bool is_test(OpKind kind)
{
    return strncmp(op_specs[kind].name, "check_", strlen("check_")) == 0 ||
           strncmp(op_specs[kind].name, "match_", strlen("match_")) == 0;
}

typedef struct Steps {
    View *view;
    const Plan *plan;
    Value list;       /* of sections */
    Value lines;      /* of the last one */
    Layer layer;      /* of the last one; LAYER_COUNT before the first */
    const char *path; /* of the last line */
} Steps;

static void begin_section(Steps *steps, Layer layer)
{
    View *view = steps->view;
    if (layer == steps->layer) {
        return;
    }
    Value section = value_object(view->arena, 3);
    steps->lines = value_list(view->arena);
    steps->layer = layer;
    steps->path = NULL;
    view_put_text(view, section, KEY_name, layer_specs[layer].name);
    view_put_text(view, section, KEY_text, layer_specs[layer].what);
    view_put(view, section, KEY_lines, steps->lines);
    value_push(view->arena, steps->list, section);
}

static void push_line(Steps *steps, const Op *op, uint32_t depth)
{
    View *view = steps->view;
    Value line = value_object(view->arena, 4);
    const bool again = steps->path != NULL && strcmp(steps->path, op->path) == 0;
    view_put_text(view, line, KEY_about, again ? NULL : view_place(view, steps->plan, op->path));
    view_put_text(view, line, KEY_text, sentence(view, steps->plan, op));
    view_put_text(view, line, KEY_indent, arena_printf(view->arena, "%*s", (int)(2 * depth), ""));
    view_put_text(view, line, KEY_kind, is_test(op->kind) ? "test" : "step");
    value_push(view->arena, steps->lines, line);
    steps->path = op->path;
}

static void push_ops(Steps *steps, const OpList *ops, uint32_t depth)
{
    for (const Op *op = ops->first; op != NULL; op = op->next) {
        if (!is_quiet(op->kind)) {
            begin_section(steps, op->layer);
            push_line(steps, op, depth);
        }
        if (op->body != NULL) {
            push_ops(steps, op->body, depth + 1);
        }
    }
}

Value show_steps(View *view, const Plan *plan)
{
    Steps steps = {.view = view, .plan = plan, .list = value_list(view->arena), .layer = LAYER_COUNT};
    push_ops(&steps, &plan->ops, 0);
    return steps.list;
}
