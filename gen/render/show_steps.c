/* SPDX-License-Identifier: MIT */
/*
 * show_steps - the ops of a plan as sentences (plan_words.c), in the names of the generated C:
 * "in_w.copy_(results[0].tensor)".
 */
#include <string.h>

#include "show_private.h"

/* A number with more characters than this keeps its name. */
enum { NUMBER_MOST = 160 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

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
    return first->role == OPERAND_DEF;
}

static void put_operand(void *ctx, const Plan *plan, const Operand *operand, Str *out)
{
    (void)ctx;
    plan_operand_text(plan, operand, out);
}

typedef struct Steps {
    View *view;
    const Plan *plan;
    Table numbers;      /* names of numbers that the plan computes */
    const char **texts; /* what each of those is, by its place in the table */
    uint32_t num_texts;
    uint32_t texts_capacity;
    Value list;       /* of sections */
    Value lines;      /* of the last one */
    Layer layer;      /* of the last one; LAYER_COUNT before the first */
    const char *path; /* of the last line */
} Steps;

/* The text with what numbers are in the place of their names: "fails unless in_z.size(0) = sym_n * 2". */
static const char *with_numbers(const Steps *steps, const char *text)
{
    Str out = str_new(steps->view->arena);
    while (*text != '\0') {
        const size_t length = strspn(text, LETTERS);
        const TableEntry *entry = length > 0 ? table_find(&steps->numbers, text, length) : NULL;
        const size_t taken = length > 0 ? length : 1;
        if (entry != NULL) {
            str_puts(&out, steps->texts[entry->index]);
        } else {
            str_add(&out, text, taken);
        }
        text += taken;
    }
    return str_text(&out);
}

static const char *sentence(Steps *steps, const Op *op)
{
    Str out = str_new(steps->view->arena);
    plan_sentence(steps->plan, op, put_operand, NULL, &out);
    return with_numbers(steps, str_text(&out));
}

/* A number gets its text, if that is not too long to be read where the number is used: else its line is shown, and its
 * name. Symbols have names that the YAML gave them. */
static bool defines_number(Steps *steps, const Op *op)
{
    const OperandSpec *first = &op_specs[op->kind].operands[0];
    const bool is_integer = first->role == OPERAND_DEF && first->type == OPERAND_INTEGER;
    const char *name = is_integer ? op->operands[0].as.integer.name : NULL;
    if (name == NULL || op->kind == OP_any_requires_grad || str_starts(name, "sym_")) {
        return is_quiet(op->kind);
    }
    const char *text = strstr(sentence(steps, op), " := ");
    if (text == NULL || strlen(text) > NUMBER_MOST) {
        return false;
    }
    text += strlen(" := ");
    if (steps->num_texts == steps->texts_capacity) {
        const uint32_t wider = steps->texts_capacity == 0 ? 16 : steps->texts_capacity * 2;
        steps->texts = arena_grow(steps->view->arena, steps->texts, steps->texts_capacity * sizeof(char *),
                                  wider * sizeof(char *));
        steps->texts_capacity = wider;
    }
    steps->texts[steps->num_texts] = strchr(text, ' ') == NULL ? text : arena_printf(steps->view->arena, "(%s)", text);
    TableEntry *known = table_add(&steps->numbers, name, strlen(name), 0, steps->num_texts);
    if (known != NULL) {
        known->index = steps->num_texts;
    }
    steps->num_texts++;
    return true;
}

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
    view_put_text(view, line, KEY_text, sentence(steps, op));
    view_put_text(view, line, KEY_indent, arena_printf(view->arena, "%*s", (int)(2 * depth), ""));
    view_put_text(view, line, KEY_kind, op_is_test(op->kind) ? "test" : "step");
    value_push(view->arena, steps->lines, line);
    steps->path = op->path;
}

static void push_ops(Steps *steps, const OpList *ops, uint32_t depth)
{
    for (const Op *op = ops->first; op != NULL; op = op->next) {
        if (!defines_number(steps, op)) {
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
    table_init(&steps.numbers, view->arena);
    push_ops(&steps, &plan->ops, 0);
    return steps.list;
}
