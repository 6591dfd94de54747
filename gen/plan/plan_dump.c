/* SPDX-License-Identifier: MIT */
/*
 * plan_dump - the text form of a plan: one op per line, operands by their names in ops.def, the YAML path after a
 * semicolon. Ops of a layer follow its `section`; a layer that was requested is shown alone, along with the bodies of
 * its ops.
 *
 *     copy_ dst=in_x src=results[0].tensor site=site_copy_x  ; graphs[0].inputs[0]
 */
#include "plan.h"

#include <inttypes.h>

#include "../base/real.h"
#include "../algebra/geometry.h"

static const char *const fact_names[] = {"dtype",  "rank",        "size",      "stride", "offset",
                                         "device", "device_type", "alignment", "lazy"};

_Static_assert(sizeof fact_names / sizeof *fact_names == FACT_LAZY + 1, "one name per rule");

static void dump_integer(IntegerRef integer, Str *out)
{
    if (integer.name != NULL) {
        str_puts(out, integer.name);
    } else {
        str_printf(out, "%" PRId64, integer.literal);
    }
}

static void dump_integers(IntegerRefs integers, Str *out)
{
    str_putc(out, '[');
    for (uint32_t i = 0; i < integers.count; i++) {
        str_puts(out, i > 0 ? ", " : "");
        dump_integer(integers.at[i], out);
    }
    str_putc(out, ']');
}

void plan_fact_text(const Fact *fact, Str *out)
{
    str_puts(out, fact_names[fact->rule]);
    if (fact->dimension >= 0) {
        str_printf(out, "[%" PRId32 "]", fact->dimension);
    }
}

static void dump_facts(const Facts *facts, Str *out)
{
    str_putc(out, '{');
    for (uint32_t i = 0; i < facts->count; i++) {
        const Fact *fact = &facts->at[i];
        str_puts(out, i > 0 ? ", " : "");
        plan_fact_text(fact, out);
        if (fact->rule == FACT_DTYPE) {
            str_printf(out, " %s", dtype_text((int32_t)fact->expected.literal));
        } else {
            str_putc(out, ' ');
            dump_integer(fact->expected, out);
        }
    }
    str_putc(out, '}');
}

static void dump_slots(const Plan *plan, const Operand *operand, Str *out)
{
    str_putc(out, '[');
    for (uint32_t i = 0; i < operand->num; i++) {
        str_puts(out, i > 0 ? ", " : "");
        str_puts(out, plan->slots[operand->as.slots[i]].text);
    }
    str_putc(out, ']');
}

static void dump_dims(const Operand *operand, Str *out)
{
    str_putc(out, '[');
    for (uint32_t i = 0; i < operand->num; i++) {
        str_printf(out, "%s%" PRId64, i > 0 ? ", " : "", operand->as.dims[i]);
    }
    str_putc(out, ']');
}

void plan_operand_text(const Plan *plan, const Operand *operand, Str *out)
{
    switch (operand->type) {
    case OPERAND_NONE:
        break;
    case OPERAND_TENSOR:
        str_puts(out, plan->slots[operand->as.slot].text);
        break;
    case OPERAND_INTEGER:
        dump_integer(operand->as.integer, out);
        break;
    case OPERAND_INTEGERS:
        dump_integers(operand->as.integers, out);
        break;
    case OPERAND_REAL:
        real_text(operand->as.bits, out);
        break;
    case OPERAND_COUNT:
        str_printf(out, "%" PRId64, operand->as.count);
        break;
    case OPERAND_TEXT:
    case OPERAND_NAME:
        str_puts(out, operand->as.text);
        break;
    case OPERAND_SITE:
        str_puts(out, operand->as.site->symbol);
        break;
    case OPERAND_FACTS:
        dump_facts(operand->as.facts, out);
        break;
    case OPERAND_GEOMETRY:
        str_puts(out, "(");
        dump_integers(operand->as.geometry->sizes, out);
        str_puts(out, ", ");
        dump_integers(operand->as.geometry->strides, out);
        str_puts(out, ", ");
        dump_integer(operand->as.geometry->offset, out);
        str_puts(out, ")");
        break;
    case OPERAND_DTYPE:
        str_puts(out, operand->as.dtype < 0 ? "base's" : dtype_text(operand->as.dtype));
        break;
    case OPERAND_FLAG:
        str_puts(out, operand->as.flag ? "true" : "false");
        break;
    case OPERAND_VALUES:
        dump_slots(plan, operand, out);
        break;
    case OPERAND_DIMS:
        dump_dims(operand, out);
        break;
    case OPERAND_SITES:
        for (uint32_t i = 0; i < operand->num; i++) {
            str_printf(out, "%s%s", i > 0 ? "," : "", operand->as.sites[i]->symbol);
        }
        break;
    }
}

static void dump_list(const Plan *plan, const OpList *list, Layer layer, int indent, Str *out)
{
    for (const Op *op = list->first; op != NULL; op = op->next) {
        const OpSpec *spec = &op_specs[op->kind];
        if (layer != LAYER_COUNT && op->layer != layer) {
            continue;
        }
        str_printf(out, "%*s%s", indent, "", spec->name);
        for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
            str_printf(out, " %s=", spec->operands[i].name);
            plan_operand_text(plan, &op->operands[i], out);
        }
        if (op->body != NULL) {
            str_puts(out, " {");
        }
        str_printf(out, "  ; %s\n", op->path);
        if (op->body != NULL) {
            dump_list(plan, op->body, LAYER_COUNT, indent + 2, out);
            str_printf(out, "%*s}\n", indent, "");
        }
    }
}

void plan_dump(const Plan *plan, Layer layer, Str *out)
{
    if (plan->graph == NULL) {
        str_printf(out, "plan %s  ; %s\n", plan->symbol, plan->path);
        dump_list(plan, &plan->ops, LAYER_COUNT, 2, out);
        return;
    }
    str_printf(out, "plan %s%s: %s, %" PRIu32 " inputs, %" PRIu32 " results, %" PRIu32 " outputs  ; %s\n", plan->symbol,
               plan->backward ? "_backward" : "", plan->graph->mode == SPEC_TRAINING ? "training" : "inference",
               plan->num_args, plan->num_results, plan->num_outs, plan->path);
    str_printf(out, "  layers %s\n", plan_chain(plan));
    dump_list(plan, &plan->ops, layer, 2, out);
}
