/* SPDX-License-Identifier: MIT */
/*
 * plan_words - an op as a sentence: its effect in ops.def, with each operand's name replaced by what it is here.
 */
#include "plan.h"

#include <string.h>

bool op_is_test(OpKind kind)
{
    return strncmp(op_specs[kind].name, "check_", strlen("check_")) == 0 ||
           strncmp(op_specs[kind].name, "match_", strlen("match_")) == 0;
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
static void put_unsaid(const Plan *plan, const Op *op, uint32_t said, PlanPutOperand put, void *ctx, Str *out)
{
    const char *before = " (";
    for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
        const OperandSpec *operand = &op_specs[op->kind].operands[i];
        if ((said >> i & 1) != 0 || is_for_messages(operand)) {
            continue;
        }
        str_printf(out, "%s%s%s", before, operand->name, operand->type == OPERAND_FACTS ? ": " : " ");
        put(ctx, plan, &op->operands[i], out);
        before = ", ";
    }
    str_puts(out, before[0] == ',' ? ")" : "");
}

void plan_sentence(const Plan *plan, const Op *op, PlanPutOperand put, void *ctx, Str *out)
{
    const char *effect = op_specs[op->kind].effect;
    uint32_t said = 0;
    for (const char *next = effect; *next != '\0';) {
        size_t length = 0;
        while (str_is_of_identifier(next[length])) {
            length++;
        }
        const bool named = length > 0 && !is_plain_word(effect, next);
        const uint32_t operand = named ? find_operand(op, next, length) : op_num_operands(op->kind);
        if (operand < op_num_operands(op->kind)) {
            put(ctx, plan, &op->operands[operand], out);
            said |= UINT32_C(1) << operand;
        } else {
            str_add(out, next, length > 0 ? length : 1);
        }
        next += length > 0 ? length : 1;
    }
    put_unsaid(plan, op, said, put, ctx, out);
}
