/* SPDX-License-Identifier: MIT */
/*
 * make_text - cases as text, so that a failing one can be read and put into a test of its own.
 */
#include "make.h"

#include <inttypes.h>
#include <stdio.h>

#include "gen/base/str.h"

static void put_expr(Str *text, const Expr *expr)
{
    if (expr->kind == EXPR_LITERAL) {
        str_printf(text, "%" PRId64, expr->literal);
    } else if (expr->kind == EXPR_SYMBOL) {
        str_putc(text, (char)('a' + (int)expr->symbol));
    } else {
        const Operator operation = expr_operator(expr);
        const bool is_call = operator_level(operation) == LEVEL_CALL;
        str_printf(text, "%s(", is_call ? operator_token(operation) : "");
        put_expr(text, expr->lhs);
        str_puts(text, is_call ? "," : operator_token(operation));
        put_expr(text, expr->rhs);
        str_puts(text, ")");
    }
}

char *make_expr_text(Arena *arena, const Expr *expr)
{
    Str text = str_new(arena);
    put_expr(&text, expr);
    return arena_copy(arena, str_text(&text), text.length);
}

static void print_list(const SpecInts *argument, const char *name)
{
    if (!argument->text) {
        return;
    }
    printf("%s=[", name);
    for (uint32_t i = 0; i < argument->text_count; i++) {
        printf("%s%s", i > 0 ? "," : "", argument->text[i]);
    }
    printf("] ");
}

static void print_one(const SpecInt *argument, const char *name)
{
    if (argument->text) {
        printf("%s=%s ", name, argument->text);
    }
}

static void print_view(const SpecView *view)
{
    printf("| %s ", geometry_op_text(view->op));
    print_list(&view->size, "size");
    print_list(&view->stride, "stride");
    print_list(&view->dims, "dims");
    print_list(&view->source, "source");
    print_list(&view->destination, "destination");
    print_list(&view->sizes, "sizes");
    print_one(&view->offset, "offset");
    print_one(&view->dim, "dim");
    print_one(&view->dim1, "dim1");
    print_one(&view->dim2, "dim2");
    print_one(&view->index, "index");
    print_one(&view->start, "start");
    print_one(&view->end, "end");
    print_one(&view->step, "step");
    print_one(&view->length, "length");
    print_one(&view->start_dim, "start_dim");
    print_one(&view->end_dim, "end_dim");
    print_one(&view->split_size, "split_size");
    print_one(&view->chunks, "chunks");
    if (view->dtype) {
        printf("dtype=%s ", view->dtype);
    }
}

static void print_exprs(const Expr *const *exprs, uint32_t count)
{
    Arena arena;
    arena_init(&arena);
    printf("[");
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%s", i > 0 ? "," : "", exprs[i] ? make_expr_text(&arena, exprs[i]) : "?");
    }
    printf("] ");
    arena_release(&arena);
}

void make_print(const Case *made)
{
    printf("#   %s ", dtype_text(made->dtype));
    print_exprs(made->sizes, made->rank);
    print_exprs(made->strides, made->rank);
    print_exprs(&made->offset, 1);
    for (uint32_t i = 0; i < made->num_views; i++) {
        print_view(&made->views[i]);
    }
    printf("\n#   ");
    for (uint32_t i = 0; i < MAKE_SYMBOLS; i++) {
        const IntegerRange *range = &made->ranges[i];
        printf("%c=%" PRId64 " in ", (char)('a' + (int)i), made->symbols[i]);
        if (range->has_min) {
            printf("%" PRId64, range->min);
        }
        printf("..");
        if (range->has_max) {
            printf("%" PRId64, range->max);
        }
        printf(" ");
    }
    printf("\n");
}
