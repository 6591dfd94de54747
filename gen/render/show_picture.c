/* SPDX-License-Identifier: MIT */
/*
 * show_picture - a plan as a picture: on the left what comes in, in the middle the compiled function, on the right what
 * comes out. An arrow from the function back to an argument is a write, a dashed one from an argument to an output says
 * that the output is a view of it, or the same tensor. All numbers are in pixels, and none depends on a font. In a
 * box higher than HIGH the text is where a screen shows it first. A picture higher than TALL fits no sheet of paper.
 */
#include <string.h>

#include "../plan/callee.h"
#include "show_private.h"

enum { ROW = 30, BOX_HEIGHT = 24, BOX_WIDTH = 230, COLUMN = 340, TOP = 10, LETTERS = 28, HIGH = 450, TALL = 1200 };

enum { COLUMN_IN, COLUMN_MIDDLE, COLUMN_OUT };

typedef struct Picture {
    View *view;
    const Plan *plan;
    Value boxes;
    Value arrows;
    uint32_t num_rows; /* of the longer side */
} Picture;

static int64_t row_top(uint32_t row)
{
    return TOP + (int64_t)ROW * row;
}

static int64_t row_middle(uint32_t row)
{
    return row_top(row) + BOX_HEIGHT / 2;
}

static int64_t left_of(int column)
{
    return TOP + (int64_t)COLUMN * column;
}

/* What fits into a box, of a text in ASCII; the whole is its title. Long names differ at their ends more often than at
 * their beginnings, so the middle is left out. */
static const char *shortened(View *view, const char *text)
{
    const size_t length = strlen(text);
    const int head = LETTERS / 3;
    return length <= LETTERS ? text
                             : arena_printf(view->arena, "%.*s…%s", head, text, text + length - (LETTERS - head));
}

static void push_box(Picture *picture, int column, uint32_t row, uint32_t num_rows, const char *kind, const char *name,
                     const char *text)
{
    View *view = picture->view;
    Value box = value_object(view->arena, 8);
    const int64_t height = (int64_t)ROW * num_rows - (ROW - BOX_HEIGHT);
    view_put_text(view, box, KEY_kind, kind);
    view_put_text(view, box, KEY_name, shortened(view, name));
    view_put_text(view, box, KEY_text, arena_printf(view->arena, "%s: %s", name, text));
    view_put_number(view, box, KEY_x, left_of(column));
    view_put_number(view, box, KEY_y, row_top(row));
    view_put_number(view, box, KEY_width, BOX_WIDTH);
    view_put_number(view, box, KEY_height, height);
    view_put_number(view, box, KEY_x_text, left_of(column) + BOX_WIDTH / 2);
    view_put_number(view, box, KEY_y_text, row_top(row) + (height < HIGH ? height : HIGH) / 2 + 4);
    value_push(view->arena, picture->boxes, box);
}

/* From one side of a box to one of another: a curve that leaves and arrives level. */
static void push_arrow(Picture *picture, const char *kind, int64_t x, int64_t y, int64_t to_x, int64_t to_y)
{
    View *view = picture->view;
    Value arrow = value_object(view->arena, 2);
    const int64_t bend = (to_x - x) / 2;
    view_put_text(view, arrow, KEY_kind, kind);
    view_put_text(view, arrow, KEY_path,
                  arena_printf(view->arena, "M%lld %lld C%lld %lld %lld %lld %lld %lld", (long long)x, (long long)y,
                               (long long)(x + bend), (long long)y, (long long)(to_x - bend), (long long)to_y,
                               (long long)to_x, (long long)to_y));
    value_push(view->arena, picture->arrows, arrow);
}

/* "gradient of x" of "gradient of x, float32[4, 4]". */
static const char *without_type(View *view, const char *text)
{
    const char *comma = strchr(text, ',');
    return comma == NULL ? text : arena_printf(view->arena, "%.*s", (int)(comma - text), text);
}

static uint32_t num_in(const Plan *plan)
{
    return plan->backward ? plan->arguments.count : plan->graph->inputs_count;
}

static void put_in(Picture *picture, uint32_t i)
{
    const Plan *plan = picture->plan;
    const int64_t right = left_of(COLUMN_IN) + BOX_WIDTH;
    const int64_t middle = row_middle(i);
    const bool written = !plan->backward && plan->facts.mutation_type[i] != NOT_MUTATED;
    const char *text =
        plan->backward ? callee_text(plan, &plan->arguments.at[i]) : view_input_comment(picture->view, plan, i);
    const char *name = plan->backward ? without_type(picture->view, text) : plan->graph->inputs[i].name;
    push_box(picture, COLUMN_IN, i, 1, written ? "written" : "read", name, text);
    push_arrow(picture, "flow", right, middle - (written ? 4 : 0), left_of(COLUMN_MIDDLE), middle - (written ? 4 : 0));
    if (written) {
        push_arrow(picture, "write", left_of(COLUMN_MIDDLE), middle + 5, right, middle + 5);
    }
}

static void put_returned(Picture *picture, uint32_t i)
{
    const Plan *plan = picture->plan;
    const char *text = callee_text(plan, &plan->returns.at[i]);
    push_box(picture, COLUMN_OUT, i, 1, "read", without_type(picture->view, text), text);
    if (plan->returns.at[i].role != VALUE_no_gradient) {
        push_arrow(picture, "flow", left_of(COLUMN_MIDDLE) + BOX_WIDTH, row_middle(i), left_of(COLUMN_OUT),
                   row_middle(i));
    }
}

/* Outputs are in their order, and a view is not above the input that it is a view of: arrows across the picture are
 * level where they can be, and 300 of them are not a tangle. */
static uint32_t output_row(const Plan *plan, uint32_t i, uint32_t first_free)
{
    const SpecRef *base = &plan->graph->outputs[i].base_ref;
    return base->kind == SPEC_REF_INPUT && base->index > first_free ? base->index : first_free;
}

static uint32_t rows_out(const Plan *plan)
{
    uint32_t rows = plan->backward ? plan->returns.count : 0;
    for (uint32_t i = 0; !plan->backward && i < plan->graph->outputs_count; i++) {
        rows = output_row(plan, i, rows) + 1;
    }
    return rows;
}

/* An output that is a view of an input has an arrow from there; one of an intermediate base, or of another output, says
 * so in its box. */
static void put_output(Picture *picture, uint32_t i, uint32_t row)
{
    const Plan *plan = picture->plan;
    const SpecOutput *output = &plan->graph->outputs[i];
    const bool aliases = output->base_ref.kind != SPEC_REF_NONE;
    const bool of_input = output->base_ref.kind == SPEC_REF_INPUT;
    const char *name =
        aliases ? arena_printf(picture->view->arena, "%s, of %s", output->name, output->base) : output->name;
    const int64_t left = left_of(COLUMN_OUT);
    const int64_t middle = row_middle(row);
    push_box(picture, COLUMN_OUT, row, 1, aliases ? "alias" : "read", name,
             view_output_comment(picture->view, plan, output));
    push_arrow(picture, of_input ? "alias" : "flow",
               of_input ? left_of(COLUMN_IN) + BOX_WIDTH : left_of(COLUMN_MIDDLE) + BOX_WIDTH,
               of_input ? row_middle(output->base_ref.index) : middle, left, middle);
}

static void put_outputs(Picture *picture)
{
    const Plan *plan = picture->plan;
    for (uint32_t i = 0; plan->backward && i < plan->returns.count; i++) {
        put_returned(picture, i);
    }
    uint32_t first_free = 0;
    for (uint32_t i = 0; !plan->backward && i < plan->graph->outputs_count; i++) {
        const uint32_t row = output_row(plan, i, first_free);
        put_output(picture, i, row);
        first_free = row + 1;
    }
}

Value show_picture(View *view, const Plan *plan)
{
    Picture picture = {.view = view, .plan = plan, .boxes = value_list(view->arena), .arrows = value_list(view->arena)};
    const uint32_t in = num_in(plan);
    const uint32_t out = rows_out(plan);
    const uint32_t rows = in > out ? in : out;
    picture.num_rows = rows > 0 ? rows : 1;
    push_box(&picture, COLUMN_MIDDLE, 0, picture.num_rows, "compiled", callee_symbol(plan), "the compiled function");
    for (uint32_t i = 0; i < in; i++) {
        put_in(&picture, i);
    }
    put_outputs(&picture);
    const int64_t height = row_top(picture.num_rows) + TOP;
    Value object = value_object(view->arena, 5);
    view_put_number(view, object, KEY_width, left_of(COLUMN_OUT) + BOX_WIDTH + TOP);
    view_put_number(view, object, KEY_height, height);
    view_put_bool(view, object, KEY_tall, height > TALL);
    view_put(view, object, KEY_boxes, picture.boxes);
    view_put(view, object, KEY_arrows, picture.arrows);
    return object;
}
