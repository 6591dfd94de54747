/* SPDX-License-Identifier: MIT */
/*
 * selftest_tables - a validated Spec as tables of C (selftest_write.c). Every line of schema/spec.def is here by
 * itself: a key as what its type is, what is resolved as it is said there.
 */
#include "selftest_private.h"

#include <inttypes.h>

/* ---- words ---- */

#define WORDS(list, Type, ABSENT) static const char *const names_of_##list[] = {#ABSENT,
#define WORD(word, CONSTANT)      [CONSTANT] = #CONSTANT,
#define END_WORDS(Type)                                                                                                \
    }                                                                                                                  \
    ;
#define SOME_WORDS(list, Type)    static const char *const names_of_##list[] = {
#define SOME_WORD(word, CONSTANT) [CONSTANT] = #CONSTANT,
#define END_SOME_WORDS                                                                                                 \
    }                                                                                                                  \
    ;
#include "../../schema/spec.def"

/* ---- structs: `x` is one, `m` its row ---- */

#define ROW_TEXT(member, format)  tables_put_text(t, m, #member, x->member);
#define ROW_WORD(member, list)    tables_put_enum(t, m, #member, names_of_##list, (uint32_t)x->member);
#define ROW_INTEGER(member, of)   tables_put_int(t, m, #member, &x->member);
#define ROW_SCALAR(member, of)    tables_put_int(t, m, #member, &x->member);
#define ROW_INTEGERS(member, of)  tables_put_ints(t, m, #member, &x->member);
#define ROW_GUARDS(member, of)    tables_put_ints(t, m, #member, &x->member);
#define ROW_FORMULA(member, of)   tables_put_int(t, m, #member, &x->member);
#define ROW_TEXTS(member, format) tables_put_names(t, m, #member, &x->member);
#define ROW_NAMES(member, least)  tables_put_names(t, m, #member, &x->member);
#define ROW_MAPPING(member, Inner)                                                                                     \
    if (x->member != NULL) {                                                                                           \
        tables_put(t, m, #member, table_of_##Inner(t, x->member, 1));                                                  \
    }
#define ROW_ROOT(member, Inner) ROW_MAPPING(member, Inner)
#define ROW_LIST(member, Inner)                                                                                        \
    if (x->member != NULL) {                                                                                           \
        tables_put(t, m, #member, table_of_##Inner(t, x->member, x->member##_count));                                  \
    }                                                                                                                  \
    tables_put_number(t, m, #member "_count", x->member##_count);
#define ROW_LIST_OF_1(member, Inner) ROW_LIST(member, Inner)
#define ROW_ROOTS(member, Inner)     ROW_LIST(member, Inner)

#define ROW_NUMBER(member, count)    tables_put_number(t, m, #member, (int64_t)x->member);
#define ROW_REF(member, count)       tables_put_ref(t, m, #member, x->member);
#define ROW_UNTOLD(member, count)
#define ROW_NUMBERS(member, count)                                                                                     \
    if (x->member != NULL && (count) > 0) {                                                                            \
        tables_put(t, m, #member, tables_numbers(t, x->member, count));                                                \
    }
#define ROW_FLAGS(member, count)                                                                                       \
    if (x->member != NULL && (count) > 0) {                                                                            \
        tables_put(t, m, #member, tables_flags(t, x->member, count));                                                  \
    }
#define ROW_DECLARED(member, count)                                                                                    \
    if (x->member != NULL) {                                                                                           \
        tables_put(t, m, #member,                                                                                      \
                   arena_printf(t->arena, "&%s[%td]", t->subclass_types, x->member - t->spec->subclasses));            \
    }

/* An empty list is there, but not its table. */
static const char *new_structs(Tables *t, const char *c_type, Value rows, uint32_t count)
{
    return count == 0 ? "NULL" : tables_new(t, c_type, rows, count);
}

/* Subclasses stand before the graphs that have some in the table of a Spec, so their table is known in time. */
static const char *remember(Tables *t, const void *list, const char *table)
{
    if (list == t->spec->subclasses) {
        t->subclass_types = table;
    }
    return table;
}

#define MAPPING(Type, text) static const char *table_of_##Type(Tables *t, const Type *list, uint32_t count);
#define END(Type)
#include "../../schema/spec.def"

#define MAPPING(Type, text)                                                                                            \
    static void row_of_##Type(Tables *t, Value m, const Type *x)                                                       \
    {
#define FIELD(Type, key, member, type, of, root, presence, text) ROW_##type(member, of)
#define RESOLVED(Type, c_type, member, how, count, text)         ROW_##how(member, count)
#define END(Type)                                                                                                      \
    }                                                                                                                  \
    static const char *table_of_##Type(Tables *t, const Type *list, uint32_t count)                                    \
    {                                                                                                                  \
        Value rows = value_list(t->arena);                                                                             \
        size_t stated = 0;                                                                                             \
        for (uint32_t i = 0; i < count; i++) {                                                                         \
            Value members = value_list(t->arena);                                                                      \
            row_of_##Type(t, members, &list[i]);                                                                       \
            tables_push(t, rows, members, NULL);                                                                       \
            stated += members.as.list->count;                                                                          \
        }                                                                                                              \
        return remember(t, list, new_structs(t, #Type " ", stated > 0 ? rows : value_list(t->arena), count));          \
    }
#include "../../schema/spec.def"

/* Expressions point to each other and everything else to them: their table comes first, though it is known last. */
const char *selftest_tables(View *view, Arena *arena, Value list, const Spec *spec, uint32_t number)
{
    Tables t = {.view = view, .arena = arena, .list = value_list(arena), .spec = spec, .number = number};
    t.expressions = value_list(arena);
    const char *name = table_of_Spec(&t, spec, 1);
    const Value tables = t.list;
    t.list = list;
    if (spec->graphs_count == 0 && spec->kernels_count == 0) { /* nothing would use them */
        return name;
    }
    if (t.num_expressions > 0) {
        tables_add(&t, "Expr ", arena_printf(arena, "wg_selftest_%" PRIu32 "_expressions", number), t.expressions,
                   t.num_expressions, true);
    }
    for (uint32_t i = 0; i < tables.as.list->count; i++) {
        value_push(arena, list, tables.as.list->items[i]);
    }
    return name;
}
