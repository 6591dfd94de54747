/* SPDX-License-Identifier: MIT */
/*
 * view_loop - the ops of a plan with its long runs as loops (fold.h), and the constant tables that both read. A loop's
 * body is the first iteration, with `i` where the others differ from it.
 */
#include <string.h>

#include "../base/table.h"
#include "view_private.h"

/* ---- ops ---- */

static void push_op(View *view, const Plan *plan, Value ops, const Op *op, const char **said)
{
    if (fold_is_written(view->fold, op)) {
        value_push(view->arena, ops, view_op(view, plan, op, said));
    }
}

static Value keep_value(View *view, const char *array, const char *local)
{
    Value object = value_object(view->arena, 3);
    view_put_text(view, object, KEY_op, "loop_keep");
    view_put_text(view, object, KEY_array, array);
    view_put_text(view, object, KEY_value, local);
    view_put_text(view, object, KEY_origin, NULL);
    return object;
}

/* Keeps what the last op written defines, if ops after the loop read it. */
static void push_kept(View *view, const Plan *plan, Value body, const Op *op)
{
    for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
        const char *array = fold_kept(view->fold, view->run, view->position, i);
        if (array != NULL) {
            value_push(view->arena, body, keep_value(view, array, view_slot(view, plan, i, op->operands[i].as.slot)));
        }
    }
}

static Value body_value(View *view, const Plan *plan, const FoldRun *run, uint32_t length)
{
    Value body = value_list(view->arena);
    view->run = run;
    for (uint32_t i = 0; i < length; i++) {
        const Op *op = fold_op(view->fold, run, 0, i);
        const char *said = op->path; /* the path of one iteration among many says nothing */
        view->position = i;
        push_op(view, plan, body, op, &said);
        push_kept(view, plan, body, op);
    }
    view->run = NULL;
    return body;
}

/* A label at the end of a body is about the next iteration, and is already before the loop. */
static uint32_t body_length(const Fold *fold, const FoldRun *run)
{
    const uint32_t last = run->period - 1;
    return fold_op(fold, run, 0, last)->kind == OP_section ? last : run->period;
}

/* What ends a loop of nothing but questions whether any tensor requires grad: the first answer that is yes. */
static const char *until_text(const View *view, const FoldRun *run)
{
    const Op *first = fold_op(view->fold, run, 0, 0);
    bool asks = true;
    for (uint32_t i = 0; i < run->period && asks; i++) {
        asks = fold_op(view->fold, run, 0, i)->kind == OP_add_requires_grad;
    }
    return asks ? first->operands[0].as.integer.name : NULL;
}

static Value loop_value(View *view, const Plan *plan, const FoldRun *run)
{
    Value object = value_object(view->arena, 7);
    const uint32_t length = body_length(view->fold, run);
    const char *first = fold_op(view->fold, run, 0, 0)->path;
    const char *last = fold_op(view->fold, run, run->count - 1, length - 1)->path;
    view_put_text(view, object, KEY_op, "loop");
    view_put_text(view, object, KEY_origin, NULL);
    view_put_text(view, object, KEY_first, first);
    view_put_text(view, object, KEY_last, str_equal(first, last) ? NULL : last);
    view_put_number(view, object, KEY_count, run->count);
    view_put_text(view, object, KEY_until, until_text(view, run));
    view_put(view, object, KEY_body, body_value(view, plan, run, length));
    return object;
}

Value view_folded_ops(View *view, const Plan *plan)
{
    Value ops = value_list(view->arena);
    const char *said = NULL;
    const Op *op = plan->ops.first;
    for (uint32_t i = 0; i < view->fold->num_runs; i++) {
        const FoldRun *run = view->fold->runs[i];
        for (; op != fold_op(view->fold, run, 0, 0); op = op->next) {
            push_op(view, plan, ops, op, &said);
        }
        if (fold_has_body(view->fold, run)) {
            value_push(view->arena, ops, loop_value(view, plan, run));
        }
        op = fold_op(view->fold, run, run->count - 1, run->period - 1)->next;
        said = NULL;
    }
    for (; op != NULL; op = op->next) {
        push_op(view, plan, ops, op, &said);
    }
    return ops;
}

/* ---- constant tables ---- */

Value view_site(View *view, const Site *site, const char *graph_literal)
{
    Value item = value_object(view->arena, 6);
    view_put_text(view, item, KEY_site, site->symbol);
    view_put_text(view, item, KEY_graph_literal, graph_literal);
    view_put_text(view, item, KEY_argument_literal, view_literal(view, site->argument));
    view_put_text(view, item, KEY_rule_literal, view_literal(view, site->rule));
    view_put_text(view, item, KEY_code, site->code);
    view_put_text(view, item, KEY_kind, site->kind);
    return item;
}

void view_sites(View *view, const Plan *plan, Value object, const char *graph_literal)
{
    Value list = value_list(view->arena);
    for (uint32_t i = 0; i < plan->num_sites; i++) {
        value_push(view->arena, list, view_site(view, plan->sites[i], graph_literal));
    }
    view_put(view, object, KEY_sites, list);
}

static Value facts_value(View *view, const Facts *facts)
{
    Value item = value_object(view->arena, 2);
    view_put_text(view, item, KEY_table, facts->symbol);
    view_put(view, item, KEY_facts, view_facts(view, facts));
    return item;
}

static Value pointer_value(View *view, const Facts *facts)
{
    Value item = value_object(view->arena, 1);
    view_put_text(view, item, KEY_table, facts->symbol);
    return item;
}

/* Lists something once, under its name in C. */
typedef struct Listed {
    View *view;
    Table names;
    Value sites;
    Value facts;
    const char *graph_literal;
} Listed;

static bool is_new(Listed *listed, const char *symbol)
{
    return table_add(&listed->names, symbol, strlen(symbol), 0, 0) == NULL;
}

static void list_site(Listed *listed, const Site *site)
{
    if (is_new(listed, site->symbol)) {
        value_push(listed->view->arena, listed->sites, view_site(listed->view, site, listed->graph_literal));
    }
}

static void list_operand(Listed *listed, const Operand *operand)
{
    View *view = listed->view;
    for (uint32_t i = 0; operand->type == OPERAND_SITES && i < operand->num; i++) {
        list_site(listed, operand->as.sites[i]);
    }
    if (operand->type == OPERAND_SITE) {
        list_site(listed, operand->as.site);
    } else if (operand->type == OPERAND_FACTS && operand->as.facts->count > 0 && operand->as.facts->literal &&
               is_new(listed, operand->as.facts->symbol)) {
        value_push(view->arena, listed->facts, facts_value(view, operand->as.facts));
    }
}

/* What the rows of a table point to, if they do. */
static void list_rows(Listed *listed, const FoldRun *run, const FoldTable *table)
{
    for (uint32_t n = 0; table->repeats && table->is_first && n < run->count; n++) {
        list_operand(listed, &fold_op(listed->view->fold, run, n, table->position)->operands[table->operand]);
    }
}

static void list_op(Listed *listed, const FoldRun *run, uint32_t position, const Op *op)
{
    for (uint32_t i = 0; i < op_num_operands(op->kind); i++) {
        const FoldTable *table = run != NULL ? fold_table(run, position, i) : NULL;
        if (table != NULL) {
            list_rows(listed, run, table);
        } else {
            list_operand(listed, &op->operands[i]);
        }
    }
    for (const Op *inside = op->body != NULL ? op->body->first : NULL; inside != NULL; inside = inside->next) {
        list_op(listed, NULL, 0, inside);
    }
}

/* For a run, the names in its first iteration; if others have different ones there is a table. */
static void list_ops(Listed *listed, const Fold *fold)
{
    const Op *op = fold->plan->ops.first;
    for (uint32_t i = 0; i < fold->num_runs; i++) {
        const FoldRun *run = fold->runs[i];
        for (; op != fold_op(fold, run, 0, 0); op = op->next) {
            list_op(listed, NULL, 0, op);
        }
        for (uint32_t position = 0; position < run->period; position++) {
            list_op(listed, run, position, fold_op(fold, run, 0, position));
        }
        op = fold_op(fold, run, run->count - 1, run->period - 1)->next;
    }
    for (; op != NULL; op = op->next) {
        list_op(listed, NULL, 0, op);
    }
}

static Value table_value(Listed *listed, const FoldRun *run, const FoldTable *table)
{
    View *view = listed->view;
    Value item = value_object(view->arena, 3);
    Value rows = value_list(view->arena);
    for (uint32_t n = 0; n < run->count; n++) {
        const Operand *operand = &fold_op(view->fold, run, n, table->position)->operands[table->operand];
        value_push(view->arena, rows,
                   operand->type == OPERAND_SITE ? view_site(view, operand->as.site, listed->graph_literal)
                   : table->repeats              ? pointer_value(view, operand->as.facts)
                                                 : facts_value(view, operand->as.facts));
    }
    view_put_text(view, item, KEY_table, table->name);
    view_put(view, item, KEY_rows, rows);
    view_put_number(view, item, KEY_count,
                    fold_op(view->fold, run, 0, table->position)->operands[table->operand].type == OPERAND_SITE
                        ? 0
                        : fold_op(view->fold, run, 0, table->position)->operands[table->operand].as.facts->count);
    return item;
}

static void put_loop_tables(Listed *listed, Value object)
{
    View *view = listed->view;
    Value sites = value_list(view->arena);
    Value facts = value_list(view->arena);
    Value pointers = value_list(view->arena);
    for (uint32_t i = 0; i < view->fold->num_runs; i++) {
        const FoldRun *run = view->fold->runs[i];
        for (uint32_t t = 0; t < run->num_tables; t++) {
            const FoldTable *table = &run->tables[t];
            if (!table->is_first) {
                continue;
            }
            const OperandType type = fold_op(view->fold, run, 0, table->position)->operands[table->operand].type;
            Value list = type == OPERAND_SITE ? sites : table->repeats ? pointers : facts;
            value_push(view->arena, list, table_value(listed, run, table));
        }
    }
    view_put(view, object, KEY_loop_sites, sites);
    view_put(view, object, KEY_loop_facts, facts);
    view_put(view, object, KEY_loop_fact_pointers, pointers);
}

static void put_loop_arrays(View *view, Value object)
{
    Value arrays = value_list(view->arena);
    for (uint32_t i = 0; i < view->fold->num_arrays; i++) {
        Value item = value_object(view->arena, 3);
        view_put_text(view, item, KEY_array, view->fold->arrays[i]->name);
        view_put_number(view, item, KEY_count, view->fold->arrays[i]->count);
        view_put_bool(view, item, KEY_owned, view->fold->arrays[i]->owned);
        value_push(view->arena, arrays, item);
    }
    view_put(view, object, KEY_loop_arrays, arrays);
}

void view_tables(View *view, Value object, const char *graph_literal)
{
    Listed listed = {.view = view, .graph_literal = graph_literal};
    table_init(&listed.names, view->arena);
    listed.sites = value_list(view->arena);
    listed.facts = value_list(view->arena);
    list_ops(&listed, view->fold);
    view_put(view, object, KEY_sites, listed.sites);
    view_put(view, object, KEY_fact_tables, listed.facts);
    put_loop_tables(&listed, object);
    put_loop_arrays(view, object);
}
