/* SPDX-License-Identifier: MIT */
/* selftest_tables - a validated Spec as tables of C: graphs are in selftest_graph.c, kernels in selftest_kernel.c. */
#include "selftest_private.h"

#include <inttypes.h>

static void row_of_Spec(Tables *t, Value m, const Spec *x)
{
    TEXT(prefix);
    TEXT(host);
    LIST(SpecSymbol, symbols);
    if (x->subclasses_count > 0) {
        tables_put(t, m, "subclasses", t->subclass_types);
        NUMBER(subclasses_count);
    }
    LIST(SpecGraph, graphs);
    LIST(SpecKernel, kernels);
}
STRUCTS(Spec)

/* Expressions point to each other and everything else to them: their table comes first, though it is known last. */
const char *selftest_tables(View *view, Arena *arena, Value list, const Spec *spec, uint32_t number)
{
    Tables t = {.view = view, .arena = arena, .list = value_list(arena), .spec = spec, .number = number};
    t.expressions = value_list(arena);
    t.subclass_types = table_of_SpecSubclassType(&t, spec->subclasses, spec->subclasses_count);
    const char *name = table_of_Spec(&t, spec, 1);
    const Value tables = t.list;
    t.list = list;
    if (spec->graphs_count == 0 && spec->kernels_count == 0) { /* nobody would use them */
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
