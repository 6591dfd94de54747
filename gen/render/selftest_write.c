/* SPDX-License-Identifier: MIT */
/*
 * selftest_write - C tables as values for the template: one initializer a struct, one table a list, what others point
 * to first. Members that are zero are left out.
 */
#include "selftest_private.h"

#include <inttypes.h>

/* ---- tables and rows ---- */

void tables_add(Tables *t, const char *c_type, const char *name, Value rows, uint32_t count, bool is_const)
{
    Value table = view_root(t->view);
    view_set_text(t->view, table, "c_type", c_type);
    view_set_text(t->view, table, "table", name);
    view_set_text(t->view, table, "count", arena_printf(t->arena, "%" PRIu32, count));
    view_set(t->view, table, "const_table", value_bool(is_const));
    view_set(t->view, table, "stated", value_bool(rows.as.list->count > 0)); /* C has no empty initializer */
    view_set(t->view, table, "rows", rows);
    value_push(t->arena, t->list, table);
}

const char *tables_new(Tables *t, const char *c_type, Value rows, uint32_t count)
{
    const char *name = arena_printf(t->arena, "wg_selftest_%" PRIu32 "_%" PRIu32, t->number, t->count++);
    tables_add(t, c_type, name, rows, count, false);
    return name;
}

void tables_push(Tables *t, Value rows, Value members, const char *single)
{
    Value row = view_root(t->view);
    view_set(t->view, row, "members", members);
    view_set_text(t->view, row, "single", single);
    value_push(t->arena, rows, row);
}

void tables_put(Tables *t, Value members, const char *name, const char *value)
{
    Value member = view_root(t->view);
    view_set_text(t->view, member, "member", name);
    view_set_text(t->view, member, "value", value);
    value_push(t->arena, members, member);
}

void tables_put_number(Tables *t, Value members, const char *name, int64_t value)
{
    if (value == INT64_MIN) {
        tables_put(t, members, name, "INT64_MIN");
    } else if (value != 0) {
        tables_put(t, members, name,
                   arena_printf(t->arena, value > INT32_MAX || value < INT32_MIN ? "INT64_C(%" PRId64 ")" : "%" PRId64,
                                value));
    }
}

static const char *quoted(Tables *t, const char *text)
{
    Str out = str_new(t->arena);
    str_put_c_literal(&out, text);
    return str_text(&out);
}

void tables_put_text(Tables *t, Value members, const char *name, const char *text)
{
    if (text != NULL) {
        tables_put(t, members, name, quoted(t, text));
    }
}

/* ---- expressions ---- */

static const char *expression(Tables *t, const Expr *expr)
{
    static const char *const kinds[] = {
        "EXPR_LITERAL",
        "EXPR_SYMBOL",
#define OPERATOR(NAME, name, token, level) "EXPR_" #NAME,
#include "../algebra/operators.def"
    };
    Value members = value_list(t->arena);
    if (expr == NULL) {
        return "NULL";
    }
    tables_put(t, members, "kind", kinds[expr->kind]);
    if (expr->kind == EXPR_LITERAL) {
        tables_put_number(t, members, "literal", expr->literal);
    } else if (expr->kind == EXPR_SYMBOL) {
        tables_put_number(t, members, "symbol", expr->symbol);
    } else {
        tables_put(t, members, "lhs", expression(t, expr->lhs));
        tables_put(t, members, "rhs", expression(t, expr->rhs));
    }
    tables_push(t, t->expressions, members, NULL);
    return arena_printf(t->arena, "&wg_selftest_%" PRIu32 "_expressions[%" PRIu32 "]", t->number, t->num_expressions++);
}

/* An empty list is not an absent one: its pointer is not null. */
static const char *texts(Tables *t, char *const *text, uint32_t count)
{
    Value rows = value_list(t->arena);
    for (uint32_t i = 0; i < count; i++) {
        tables_push(t, rows, value_null(), quoted(t, text[i]));
    }
    if (count == 0) {
        tables_push(t, rows, value_null(), "NULL");
    }
    return tables_new(t, "char *", rows, count > 0 ? count : 1);
}

void tables_put_names(Tables *t, Value members, const char *name, const SpecNames *names)
{
    if (names->text != NULL) {
        tables_put(
            t, members, name,
            arena_printf(t->arena, "{%s, %" PRIu32 "}", texts(t, names->text, names->text_count), names->text_count));
    }
}

void tables_put_ints(Tables *t, Value members, const char *name, const SpecInts *ints)
{
    const char *table = "NULL";
    if (ints->text == NULL) {
        return;
    }
    if (ints->expr != NULL && ints->text_count > 0) {
        Value rows = value_list(t->arena);
        for (uint32_t i = 0; i < ints->text_count; i++) {
            tables_push(t, rows, value_null(), expression(t, ints->expr[i]));
        }
        table = tables_new(t, "const Expr *", rows, ints->text_count);
    }
    tables_put(t, members, name,
               arena_printf(t->arena, "{%s, %" PRIu32 ", %s}", texts(t, ints->text, ints->text_count), ints->text_count,
                            table));
}

void tables_put_int(Tables *t, Value members, const char *name, const SpecInt *integer)
{
    if (integer->text != NULL) {
        tables_put(t, members, name,
                   arena_printf(t->arena, "{%s, %s}", quoted(t, integer->text), expression(t, integer->expr)));
    }
}

const char *tables_numbers(Tables *t, const uint32_t *values, uint32_t count)
{
    Value rows = value_list(t->arena);
    for (uint32_t i = 0; i < count; i++) {
        tables_push(t, rows, value_null(), arena_printf(t->arena, "%" PRIu32, values[i]));
    }
    return tables_new(t, "uint32_t ", rows, count);
}

const char *tables_flags(Tables *t, const bool *values, uint32_t count)
{
    Value rows = value_list(t->arena);
    for (uint32_t i = 0; i < count; i++) {
        tables_push(t, rows, value_null(), values[i] ? "true" : "false");
    }
    return tables_new(t, "bool ", rows, count);
}

/* ---- enums ---- */

void tables_put_ref(Tables *t, Value members, const char *name, SpecRef ref)
{
    static const char *const kinds[] = {"SPEC_REF_NONE", "SPEC_REF_INPUT", "SPEC_REF_OUTPUT", "SPEC_REF_BASE",
                                        "SPEC_REF_SYNTHETIC"};
    _Static_assert(sizeof kinds / sizeof *kinds == SPEC_REF_SYNTHETIC + 1, "one name for each");
    tables_put(t, members, name, arena_printf(t->arena, "{%s, %" PRIu32 "}", kinds[ref.kind], ref.index));
}

void tables_put_enum(Tables *t, Value members, const char *name, const char *const *names, uint32_t value)
{
    if (value != 0) {
        tables_put(t, members, name, names[value]);
    }
}
