/* SPDX-License-Identifier: MIT */
/* portrait - see portrait.h: the plans of a graph, or of a kernel, as lines. */
#include "portrait.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"
#include "../plan/callee.h"

/* A number that is written out with more characters than this keeps its name: what is computed from itself again and
 * again would double in length each time. */
enum { NUMBER_MOST = 400 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

typedef struct Painter {
    Arena *arena;
    Portrait *portrait;
    const Plan *plan;
    const char *subject; /* starts each line: "backward: ", or nothing */
    Table names;         /* of numbers that the plan computes */
    const char **numbers;
    const Expr **trees; /* the same, of what is read */
    uint32_t num_numbers;
    uint32_t numbers_capacity;
    bool called; /* the compiled function, by now */
} Painter;

/* ---- operands ---- */

static const char *number_text(const Painter *painter, IntegerRef integer)
{
    if (integer.name == NULL) {
        return arena_printf(painter->arena, "%" PRId64, integer.literal);
    }
    const TableEntry *entry = table_find(&painter->names, integer.name, strlen(integer.name));
    return entry != NULL ? painter->numbers[entry->index] : integer.name;
}

static void put_numbers(const Painter *painter, IntegerRefs integers, Str *out)
{
    str_putc(out, '[');
    for (uint32_t i = 0; i < integers.count; i++) {
        str_printf(out, "%s%s", i > 0 ? ", " : "", number_text(painter, integers.at[i]));
    }
    str_putc(out, ']');
}

static void put_fact(const Painter *painter, const Fact *fact, Str *out)
{
    plan_fact_text(fact, out);
    if (fact->rule == FACT_DTYPE) {
        str_printf(out, " %s", dtype_text((int32_t)fact->expected.literal));
    } else {
        str_printf(out, " %s", number_text(painter, fact->expected));
    }
}

/* Is that the graph's own compiled function, and not a dispatcher of the file? */
static bool is_compiled(const Plan *plan, const char *name)
{
    return plan->graph != NULL && (plan->backward || plan->graph->kernel == NULL) &&
           str_equal(name, callee_symbol(plan));
}

static void put_operand(void *ctx, const Plan *plan, const Operand *operand, Str *out)
{
    const Painter *painter = ctx;
    if (operand->type == OPERAND_INTEGER) {
        str_puts(out, number_text(painter, operand->as.integer));
    } else if (operand->type == OPERAND_NAME && is_compiled(plan, operand->as.text)) {
        str_puts(out, "the compiled function"); /* which one is told by its declaration */
    } else if (operand->type == OPERAND_INTEGERS) {
        put_numbers(painter, operand->as.integers, out);
    } else if (operand->type == OPERAND_GEOMETRY) {
        const PlanGeometry *geometry = operand->as.geometry;
        str_puts(out, "sizes ");
        put_numbers(painter, geometry->sizes, out);
        str_puts(out, " strides ");
        put_numbers(painter, geometry->strides, out);
        str_printf(out, " offset %s", number_text(painter, geometry->offset));
        str_printf(out, " from %" PRId32 " %" PRId32, geometry->size_from, geometry->stride_from);
    } else {
        plan_operand_text(plan, operand, out);
    }
}

/* ---- numbers ---- */

/* Is its result a number that follows from nothing but its operands? */
static bool is_number(const Op *op)
{
    const OperandSpec *first = &op_specs[op->kind].operands[0];
    return first->role == OPERAND_DEF && first->type == OPERAND_INTEGER && op->kind != OP_any_requires_grad;
}

/* What comes after "dst := ". */
static const char *computation(Painter *painter, const Op *op)
{
    Str out = str_new(painter->arena);
    plan_sentence(painter->plan, op, put_operand, painter, &out);
    const char *text = strstr(str_text(&out), " := ");
    return text != NULL ? text + strlen(" := ") : str_text(&out);
}

static bool is_atom(const char *text)
{
    return strchr(text, ' ') == NULL;
}

static const Expr *tree_of(const Painter *painter, IntegerRef integer)
{
    const TableEntry *entry =
        integer.name != NULL ? table_find(&painter->names, integer.name, strlen(integer.name)) : NULL;
    Expr *tree = ARENA_NEW(painter->arena, Expr);
    *tree = (Expr){.kind = EXPR_LITERAL, .literal = integer.literal};
    return entry != NULL ? painter->trees[entry->index] : integer.name == NULL ? tree : NULL;
}

/* What an op computes as a tree over numbers that are read; null: it is not known. */
static const Expr *computed_tree(Painter *painter, const Op *op)
{
    static const OpKind ops[] = {
#define OPERATOR(NAME, name, token, level) OP_integer_##name,
#include "../algebra/operators.def"
    };
    Expr *tree = ARENA_NEW(painter->arena, Expr);
    for (uint32_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (op->kind == ops[i]) {
            tree->kind = (ExprKind)(EXPR_FIRST_OPERATION + i);
            tree->lhs = tree_of(painter, op->operands[1].as.integer);
            tree->rhs = tree_of(painter, op->operands[2].as.integer);
            return tree->lhs != NULL && tree->rhs != NULL ? tree : NULL;
        }
    }
    tree->kind = EXPR_SYMBOL;
    tree->symbol = painter->portrait->atoms.count;
    portrait_add(painter->arena, &painter->portrait->atoms, computation(painter, op));
    return tree;
}

static void define(Painter *painter, const Op *op)
{
    const char *name = op->operands[0].as.integer.name;
    const char *text = computation(painter, op);
    if (name == NULL || strlen(text) > NUMBER_MOST) {
        portrait_add(painter->arena, &painter->portrait->parts[PART_STEPS],
                     arena_printf(painter->arena, "%s%s := %s", painter->subject, name != NULL ? name : "", text));
        return;
    }
    if (painter->num_numbers == painter->numbers_capacity) {
        const uint32_t wider = painter->numbers_capacity == 0 ? 16 : painter->numbers_capacity * 2;
        painter->numbers = arena_grow(painter->arena, painter->numbers, painter->numbers_capacity * sizeof(char *),
                                      wider * sizeof(char *));
        painter->trees = arena_grow(painter->arena, painter->trees, painter->numbers_capacity * sizeof(Expr *),
                                    wider * sizeof(Expr *));
        painter->numbers_capacity = wider;
    }
    painter->trees[painter->num_numbers] = computed_tree(painter, op);
    painter->numbers[painter->num_numbers] = is_atom(text) ? text : arena_printf(painter->arena, "(%s)", text);
    TableEntry *known = table_add(&painter->names, name, strlen(name), 0, painter->num_numbers);
    if (known != NULL) {
        known->index = painter->num_numbers;
    }
    painter->num_numbers++;
}

static void pin(Painter *painter, const char *number, const char *literal)
{
    Portrait *portrait = painter->portrait;
    if (portrait->num_pins == portrait->pins_capacity) {
        const uint32_t wider = portrait->pins_capacity == 0 ? 16 : portrait->pins_capacity * 2;
        portrait->pins = arena_grow(painter->arena, portrait->pins, portrait->pins_capacity * sizeof(PortraitPin),
                                    wider * sizeof(PortraitPin));
        portrait->pins_capacity = wider;
    }
    portrait->pins[portrait->num_pins++] = (PortraitPin){number, literal};
}

/* A literal size of an argument, in the words of the op that would read it. A stride is none: one of a dim that turns
 * out to have size 1 is not tested. */
static void pin_fact(Painter *painter, uint32_t slot, const Fact *fact)
{
    Op op = {.kind = OP_integer_size};
    if (fact->rule != FACT_SIZE || fact->expected.name != NULL) {
        return;
    }
    op.operands[1] = (Operand){.type = OPERAND_TENSOR, .as.slot = slot};
    op.operands[2] = (Operand){.type = OPERAND_COUNT, .as.count = fact->dimension};
    pin(painter, computation(painter, &op), number_text(painter, fact->expected));
}

/* ---- ops ---- */

static const char *add(Painter *painter, PortraitPart part, const char *text)
{
    const char *line = arena_printf(painter->arena, "%s%s", painter->subject, text);
    portrait_add(painter->arena, &painter->portrait->parts[part], line);
    return line;
}

static void add_guard(Painter *painter, const char *line, const Expr *condition)
{
    Portrait *portrait = painter->portrait;
    const size_t size = sizeof *portrait->guards;
    if (condition != NULL) {
        portrait->guards = arena_grow(painter->arena, portrait->guards, portrait->num_guards * size,
                                      (portrait->num_guards + 1) * size);
        portrait->guards[portrait->num_guards++] = (PortraitGuard){line, condition};
    }
}

/* A line for each fact, so that one more is one more line. The first says what every such op tests. */
static void add_facts(Painter *painter, PortraitPart part, const Op *op, const char *what)
{
    const uint32_t slot = op->operands[0].as.slot;
    const Facts *facts = op->operands[1].as.facts;
    const char *tensor = painter->plan->slots[slot].text;
    add(painter, part, arena_printf(painter->arena, "%s: %s", tensor, what));
    for (uint32_t i = 0; i < facts->count; i++) {
        Str line = str_new(painter->arena);
        str_printf(&line, "%s: ", tensor);
        put_fact(painter, &facts->at[i], &line);
        add(painter, part, str_text(&line));
        if (part == PART_CALLS) {
            pin_fact(painter, slot, &facts->at[i]);
        }
    }
}

static void add_test(Painter *painter, const Op *op)
{
    const PortraitPart part = painter->called ? PART_RESULTS : PART_CALLS;
    Str line = str_new(painter->arena);
    if (op_num_operands(op->kind) > 1 && op->operands[1].type == OPERAND_FACTS) {
        const bool any_type = op->kind == OP_check_stated;
        add_facts(painter, part, op, any_type ? "of any type" : "not null, and plain");
        return;
    }
    plan_sentence(painter->plan, op, put_operand, painter, &line);
    const char *added =
        add(painter, part, arena_printf(painter->arena, "%s: %s", op_specs[op->kind].name, str_text(&line)));
    if (part == PART_CALLS && op->kind == OP_check_guard) {
        add_guard(painter, added, tree_of(painter, op->operands[0].as.integer));
    }
    if (part == PART_CALLS && op->kind == OP_check_equal && op->operands[1].as.integer.name == NULL) {
        pin(painter, number_text(painter, op->operands[0].as.integer),
            number_text(painter, op->operands[1].as.integer));
    }
}

static void add_ops(Painter *painter, const OpList *ops)
{
    for (const Op *op = ops->first; op != NULL; op = op->next) {
        const char *name = op_specs[op->kind].name;
        Str line = str_new(painter->arena);
        if (op->kind == OP_section) {
            continue;
        }
        if (is_number(op)) {
            define(painter, op);
            continue;
        }
        if (op_is_test(op->kind)) {
            add_test(painter, op);
            continue;
        }
        plan_sentence(painter->plan, op, put_operand, painter, &line);
        /* a float is read only to be tested; where it goes is told by what the compiled function gets */
        add(painter, op->kind == OP_load_value ? PART_CALLS : PART_STEPS,
            arena_printf(painter->arena, "%s: %s", name, str_text(&line)));
        painter->called = painter->called || op_is_call(op->kind);
        if (op->body != NULL) {
            add_ops(painter, op->body);
            add(painter, PART_STEPS, arena_printf(painter->arena, "end of %s", name));
        }
    }
}

static Painter painter_new(Arena *arena, Portrait *portrait, const Plan *plan, const char *subject)
{
    Painter painter = {.arena = arena, .portrait = portrait, .plan = plan, .subject = subject};
    table_init(&painter.names, arena);
    return painter;
}

/* ---- graphs ---- */

/* The words of callee.h have sizes as the YAML does, "float32[m, 3]"; here symbols are what they are bound to. */
static const char *with_numbers(const Painter *painter, const char *text)
{
    Str out = str_new(painter->arena);
    bool inside = false;
    while (*text != '\0') {
        const size_t word = strspn(text, LETTERS);
        const char *name = arena_printf(painter->arena, "sym_%.*s", (int)word, text);
        const TableEntry *entry = inside && word > 0 ? table_find(&painter->names, name, strlen(name)) : NULL;
        if (entry != NULL) {
            str_puts(&out, painter->numbers[entry->index]);
        } else {
            str_add(&out, text, word > 0 ? word : 1);
        }
        inside = *text == '[' || (inside && *text != ']');
        text += word > 0 ? word : 1;
    }
    return str_text(&out);
}

static void add_values(const Painter *painter, const PlanValues *values, const char *does)
{
    const Plan *plan = painter->plan;
    const char *symbol = callee_symbol(plan);
    PortraitLines *taken = &painter->portrait->parts[PART_TAKEN];
    for (uint32_t i = 0; i < values->count; i++) {
        portrait_add(painter->arena, taken,
                     arena_printf(painter->arena, "%s %s %s: %s", symbol, does, callee_place(plan, values, i),
                                  with_numbers(painter, callee_text(plan, &values->at[i]))));
    }
    portrait_add(painter->arena, taken,
                 arena_printf(painter->arena, "%s %s %" PRIu32 " values", symbol, does, values->count));
}

static void paint_graph(Arena *arena, Portrait *portrait, const Plan *plan, const char *subject)
{
    Painter painter = painter_new(arena, portrait, plan, subject);
    add_ops(&painter, &plan->ops);
    add_values(&painter, &plan->arguments, "gets");
    add_values(&painter, &plan->returns, "returns");
}

Portrait *portrait_graph(Arena *arena, const Plan *plan, const Plan *backward, const char *declarations)
{
    Portrait *portrait = ARENA_NEW(arena, Portrait);
    const char *provided[2] = {callee_symbol(plan), backward != NULL ? callee_symbol(backward) : NULL};
    portrait->symbol = arena_printf(arena, "%s", plan->symbol);
    portrait_declare(arena, portrait, declarations, provided, backward != NULL ? 2 : 1);
    paint_graph(arena, portrait, plan, "");
    if (backward != NULL) {
        paint_graph(arena, portrait, backward, "backward: ");
    }
    return portrait;
}

/* ---- kernels ---- */

/* What an argument and its parts are, in the text of a key, too; and what a call that leaves it out passes. */
static void add_arg(Arena *arena, Portrait *portrait, const KernelArg *arg)
{
    PortraitLines *steps = &portrait->parts[PART_STEPS];
    const char *text = spec_is(arg->spec->default_null) ? "null" : arg->spec->default_value;
    portrait_add(arena, steps, arena_printf(arena, "'%s' is a %s", arg->dotted, spec_kind_text(arg->kind)));
    if (text != NULL) {
        portrait_add(arena, steps, arena_printf(arena, "'%s' is %s if left out", arg->dotted, text));
    }
    for (uint32_t i = 0; i < arg->num_items; i++) {
        add_arg(arena, portrait, &arg->items[i]);
    }
}

/* The names of the arguments that a variant gets, if it does not get all of them. */
static void put_picked(const SpecVariant *variant, Str *out)
{
    for (uint32_t i = 0; i < variant->args.text_count; i++) {
        str_printf(out, "%s%s", i > 0 ? ", " : "(", variant->args.text[i]);
    }
    str_puts(out, variant->args.text_count > 0 ? ")" : "");
}

static void add_variants(Arena *arena, Portrait *portrait, const Dispatch *dispatch, const Kernel *kernel)
{
    for (uint32_t i = 0; i < dispatch->num_variants; i++) {
        const DispatchVariant *variant = &dispatch->variants[i];
        Str line = str_new(arena);
        str_puts(&line, kernel_callee(kernel, variant->spec));
        put_picked(variant->spec, &line);
        str_puts(&line, " if");
        for (uint32_t c = 0; c < variant->num_clauses; c++) {
            str_puts(&line, c > 0 ? ", and " : " ");
            str_puts(&line, dispatch_clause_text(arena, dispatch, &variant->clauses[c]));
        }
        str_puts(&line, variant->num_clauses == 0 ? " called" : "");
        portrait_add(arena, &portrait->parts[PART_VARIANTS], str_text(&line));
    }
}

static void add_returned(Arena *arena, PortraitLines *taken, uint32_t i, const char *kind)
{
    portrait_add(arena, taken, arena_printf(arena, "variants return outs[%" PRIu32 "]: %s", i, kind));
}

/* What variants return, if the kernel states it, and what they fill. */
static void add_results(Arena *arena, Portrait *portrait, const SpecKernel *kernel)
{
    PortraitLines *taken = &portrait->parts[PART_TAKEN];
    uint32_t n = 0;
    uint32_t filled = kernel->args_count;
    for (uint32_t i = 0; i < kernel->results.text_count; i++) {
        add_returned(arena, taken, n++, kernel->results.text[i]);
    }
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        if (kernel->outputs[i].allocate != NULL) {
            portrait_add(arena, taken, arena_printf(arena, "variants fill args[%" PRIu32 "]", filled++));
        } else {
            add_returned(arena, taken, n++, spec_kind_text(kernel->outputs[i].kind));
        }
    }
    if (kernel->results.text != NULL || kernel->outputs != NULL) {
        portrait_add(arena, taken, arena_printf(arena, "variants return %" PRIu32 " values", n));
    }
}

static void paint(Arena *arena, Portrait *portrait, const Plan *plan, const char *subject)
{
    Painter painter = painter_new(arena, portrait, plan, subject);
    add_ops(&painter, &plan->ops);
}

Portrait *portrait_kernel(Arena *arena, Kernel *kernel, const char *declarations)
{
    Portrait *portrait = ARENA_NEW(arena, Portrait);
    const Dispatch *dispatch = dispatch_new(arena, kernel->file, kernel->spec, kernel->host.tells_lazy);
    const char **provided = ARENA_ARRAY(arena, const char *, dispatch->num_variants + 1);
    uint32_t num_provided = 0;
    for (uint32_t i = 0; i < dispatch->num_variants; i++) {
        if (dispatch->variants[i].spec->graph == NULL) {
            provided[num_provided++] = kernel_callee(kernel, dispatch->variants[i].spec);
        }
    }
    portrait->symbol = arena_printf(arena, "%s", kernel->symbol);
    portrait->is_kernel = true;
    portrait_declare(arena, portrait, declarations, provided, num_provided);
    if (kernel->spec->check == SPEC_CHECK_FULL) {
        portrait_add(arena, &portrait->parts[PART_CALLS], "a variant is chosen only after these tests");
    }
    if (kernel->check != NULL) {
        paint(arena, portrait, kernel->check, "");
    }
    paint(arena, portrait, kernel->key, "key: ");
    paint(arena, portrait, kernel->key_any, "key of any tensors: ");
    for (uint32_t i = 0; i < kernel->num_args; i++) {
        add_arg(arena, portrait, &kernel->args[i]);
    }
    add_variants(arena, portrait, dispatch, kernel);
    if (kernel->call != NULL) {
        paint(arena, portrait, kernel->call, "");
    }
    add_results(arena, portrait, kernel->spec);
    return portrait;
}
