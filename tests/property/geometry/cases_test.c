/* SPDX-License-Identifier: MIT */
/*
 * Folds every line of cases.txt, whose results are PyTorch's (make_cases.py), and applies its operations one by one
 * with templates/selftest/views. Compares sizes, strides, offset, dtype and which sequences are errors. Two tests for
 * each operation, by the last one of a line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "templates/selftest/evaluate.h"
#include "tests/unit/check.h"
#include "view_text.h"

typedef struct Group {
    int cases;
    int wrong;
    int wrong_by_itself;
} Group;

/* What the fold gives, as the table would say it. */
static const char *fold_line(Arena *arena, const ViewText *text, const char **message)
{
    Integers *integers = integers_new(arena, NULL, 0);
    const Geometry base = view_text_base(arena, integers, text);
    ViewFold fold;
    GeometryError error;
    if (!geometry_fold(arena, integers, &base, text->views, text->num_views, &fold, &error)) {
        *message = error.message;
        return "error";
    }
    *message = "";
    Str result = str_new(arena);
    view_text_put(&result, integers, &fold.result);
    if (fold.num_guards > 0) {
        str_puts(&result, " under guards, though everything is a literal");
    }
    return str_text(&result);
}

static void put_list(Str *result, int32_t rank, const int64_t *list)
{
    for (int32_t i = 0; i < rank; i++) {
        str_printf(result, "%s%" PRId64, i > 0 ? "," : "[", list[i]);
    }
    str_puts(result, rank > 0 ? "] " : "[] ");
}

/* The same without a fold. */
static const char *applied_line(Arena *arena, const ViewText *text)
{
    const Symbols none = {NULL, NULL};
    ViewGeometry geometry = {.rank = (int32_t)text->sizes.text_count, .dtype = text->dtype};
    bool known = evaluate(&none, view_text_expr(arena, text->offset), &geometry.offset);
    for (int32_t i = 0; i < geometry.rank; i++) {
        known = known && evaluate(&none, text->sizes.expr[i], &geometry.sizes[i]) &&
                evaluate(&none, text->strides.expr[i], &geometry.strides[i]);
    }
    if (!known || evaluate_views(&none, text->views, text->num_views, &geometry) != NULL) {
        return known ? "error" : "no numbers";
    }
    Str result = str_new(arena);
    put_list(&result, geometry.rank, geometry.sizes);
    put_list(&result, geometry.rank, geometry.strides);
    str_printf(&result, "%" PRId64 " %s", geometry.offset, dtype_text(geometry.dtype));
    return str_text(&result);
}

static void run_line(const char *line, Group *groups)
{
    Arena arena;
    arena_init(&arena);
    const ViewText text = view_text_read(&arena, line);
    const char *message = NULL;
    const char *found = fold_line(&arena, &text, &message);
    Group *group = &groups[text.views[text.num_views - 1].op];
    group->cases++;
    if (strcmp(found, text.expected) != 0) {
        group->wrong++;
        printf("# %s# found: %s %s\n", line, found, message);
    }
    const char *applied = applied_line(&arena, &text);
    if (strcmp(applied, text.expected) != 0) {
        group->wrong_by_itself++;
        printf("# %s# applied one by one: %s\n", line, applied);
    }
    arena_release(&arena);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: cases_test cases.txt\n");
        return 2;
    }
    static Group groups[SPEC_VIEW__NEG_VIEW + 1];
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        if (*line != '#') {
            run_line(line, groups);
        }
    }
    free(line);
    fclose(file);
    for (int op = SPEC_VIEW_UNSET + 1; op < SPEC_VIEW__CONJ; op++) {
        check(groups[op].wrong == 0 && groups[op].cases > 0, "PyTorch's %s: %d cases, %d wrong",
              geometry_op_text((SpecViewOp)op), groups[op].cases, groups[op].wrong);
        check(groups[op].wrong_by_itself == 0, "PyTorch's %s, without a fold: %d wrong",
              geometry_op_text((SpecViewOp)op), groups[op].wrong_by_itself);
    }
    return check_done();
}
