/* SPDX-License-Identifier: MIT */
/*
 * program_python - the files of --emit-python: a CPython extension module in C, and its stub for type checkers. Graphs
 * are rendered one at a time; what the tables at the end of the module list is collected on the way.
 */
#include <string.h>

#include "base/table.h"
#include "program_private.h"

/* Rows of a table, and the names that have one. */
typedef struct Rows {
    Str text;
    Table names;
    uint32_t count;
} Rows;

typedef struct Python {
    Program *program;
    MustacheEngine *engine;
    Str *out;
    Str *annotations; /* the stub file's functions */
    bool has_limits;
    Rows functions; /* of graphs and kernels: only their names are used */
    Rows graphs;
    Rows kernels;
    Rows compiled;
    Rows types;
    Rows contexts;
    Rows signatures; /* of compiled functions: only their names are used */
} Python;

static Rows new_rows(Arena *arena)
{
    Rows rows = {.text = str_new(arena)};
    table_init(&rows.names, arena);
    return rows;
}

/* Is this the first time that the name is seen? */
static bool is_new(Arena *arena, Rows *rows, const char *name)
{
    const char *kept = arena_copy(arena, name, strlen(name));
    const bool added = table_add(&rows->names, kept, strlen(kept), 0, 0) == NULL;
    rows->count += added ? 1 : 0;
    return added;
}

static bool put(Python *python, const char *template, Value value, Str *out)
{
    return mustache_render(python->engine, template, value, out);
}

/* What a module has besides, and what its stub file calls what it imports. */
static bool is_own(const Program *program, bool has_limits, const char *name)
{
    static const char *const own[] = {"bind",         "bind_model", "guarded", "untraced", "bind_type",
                                      "bind_context", "_builtins",  "_torch",  "_typing"};
    bool found = (program->has_kernels && str_equal(name, "Key")) || (has_limits && str_equal(name, "limits"));
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        found = found || str_equal(own[i], name);
    }
    return found;
}

/* Can there be a function of that name? `field` is the name in the YAML. */
static bool is_free(Program *program, Python *python, const char *name, char *const *field)
{
    const bool taken = !is_new(program->arena, &python->functions, name) || is_own(program, python->has_limits, name);
    if (taken) {
        diag_report(program->diag, DIAG_ERROR, "E_NAME_CLASH", diag_value(field),
                    "the Python module already has a function '%s'", name);
    }
    return !taken;
}

static bool is_covered(Program *program, const void *where, const char *lacks)
{
    if (lacks != NULL) {
        diag_report(program->diag, DIAG_ERROR, "E_UNSUPPORTED", diag_mapping(where),
                    "--emit-python does not cover %s yet", lacks);
    }
    return lacks == NULL;
}

static bool is_clear(Program *program, Python *python, const Plan *plan)
{
    const bool free = is_free(program, python, view_python_name(program->arena, plan->graph->name), &plan->graph->name);
    python->graphs.count++;
    return is_covered(program, plan->graph, view_python_lacks(plan)) && free;
}

/* A module has one table of kinds for a compiled function: by another graph's, a float would be read as an int. */
static bool has_signature(Python *python, const char *signature, char *const *compiled, bool is_first)
{
    Program *program = python->program;
    const bool is_other = is_new(program->arena, &python->signatures, signature);
    if (is_other && !is_first) {
        diag_report(program->diag, DIAG_ERROR, "E_UNSUPPORTED", diag_value(compiled),
                    "--emit-python does not cover calls of '%s' with other kinds of arguments or results yet",
                    *compiled);
    }
    return is_first || !is_other;
}

static bool put_compiled(Python *python, Value value)
{
    return put(python, "python/compiled", value, python->out) &&
           put(python, "python/compiled_row", value, &python->compiled.text);
}

static bool put_callee(Python *python, const Plan *plan)
{
    Program *program = python->program;
    const bool is_generated = !plan->backward && plan->graph->kernel != NULL; /* a dispatcher */
    const bool is_typed = !plan->backward && plan->graph->convention == SPEC_DIRECT;
    char *const *compiled = plan->backward ? &plan->graph->backward->compiled : &plan->graph->compiled;
    if (is_generated || is_typed) {
        return true;
    }
    const bool is_first = is_new(program->arena, &python->compiled, *compiled);
    const bool agrees = has_signature(python, view_python_signature(program->arena, plan), compiled, is_first);
    return is_first ? put_compiled(python, view_python_callee(program->view, plan, python->compiled.count - 1))
                    : agrees;
}

static bool put_types(Python *python, Value list, Rows *rows, const char *template, const char *row)
{
    Program *program = python->program;
    bool done = true;
    for (uint32_t i = 0; i < list.as.list->count && done; i++) {
        const Value one = list.as.list->items[i];
        const ValueText name = one.as.object->entries[0].value.as.text;
        if (is_new(program->arena, rows, arena_copy(program->arena, name.data, name.length))) {
            done = put(python, template, one, python->out) && put(python, row, one, &rows->text);
        }
    }
    return done;
}

static bool put_graph(Python *python, const Lowered *lowered, uint32_t index)
{
    Program *program = python->program;
    Value types = value_null();
    Value contexts = value_null();
    view_use(program->view, &program->graph);
    if (!is_clear(program, python, lowered->plan)) {
        return false;
    }
    view_python_types(program->view, lowered->plan, lowered->backward, &types, &contexts);
    const Value graph = view_python(program->view, lowered->plan, lowered->backward, index);
    return put_types(python, types, &python->types, "python/type", "python/type_row") &&
           put_types(python, contexts, &python->contexts, "python/context", "python/context_row") &&
           put_callee(python, lowered->plan) && (lowered->backward == NULL || put_callee(python, lowered->backward)) &&
           put(python, "python/graph", graph, python->out) &&
           put(python, "python/graph_row", graph, &python->graphs.text) &&
           put(python, "python/annotation", graph, python->annotations);
}

/* The function may be that of an earlier variant, too. */
static bool put_variant(Python *python, const Kernel *kernel, const SpecVariant *variant, uint32_t index)
{
    Program *program = python->program;
    if (variant->graph != NULL) {
        return true;
    }
    const bool is_first = is_new(program->arena, &python->compiled, variant->symbol);
    const char *signature = view_python_variant_signature(program->arena, kernel, variant);
    const bool agrees = has_signature(python, signature, &variant->symbol, is_first);
    const uint32_t number = python->compiled.count - 1;
    return is_first ? put_compiled(python, view_python_variant(program->view, kernel, variant, index, number)) : agrees;
}

static bool put_kernel(Python *python, const Kernel *kernel, uint32_t index)
{
    Program *program = python->program;
    const SpecKernel *spec = kernel->spec;
    const char *name = view_python_name(program->arena, spec->name);
    view_use(program->view, &program->graph);
    bool clear = is_free(program, python, view_python_key_name(program->arena, kernel), &spec->name);
    clear = (spec->variants_count == 0 || is_free(program, python, name, &spec->name)) && clear;
    if (!is_covered(program, spec, view_python_kernel_lacks(kernel)) || !clear) {
        return false;
    }
    const Value value = view_python_kernel(program->view, kernel, index);
    python->kernels.count++;
    bool done = put(python, "python/kernel", value, python->out) &&
                put(python, "python/kernel_row", value, &python->kernels.text) &&
                put(python, "python/kernel_annotation", value, python->annotations);
    for (uint32_t i = 0; i < spec->variants_count; i++) {
        done = put_variant(python, kernel, &spec->variants[i], index) && done;
    }
    return done;
}

static void put_rows(Python *python, Value root, const char *key, const char *count, const Rows *rows)
{
    View *view = python->program->view;
    const char *text = NULL;
    if (rows->count > 0) { /* without the end of the last line, which the template has */
        text = arena_copy(python->program->arena, str_text(&rows->text), rows->text.length - 1);
    }
    view_set_text(view, root, key, text);
    view_set_text(view, root, count, arena_printf(python->program->arena, "%u", (unsigned)rows->count));
}

/* "wrappers" for "src/wrappers.c" */
static const char *module_name(Arena *arena, const char *file)
{
    const char *name = str_base_name(file);
    return arena_copy(arena, name, strlen(name) - strlen(".c"));
}

bool program_render_python(Program *program, TemplateStore *store, const char *file, const char *limits, Str *out,
                           Str *annotations)
{
    Arena *arena = program->arena;
    Python python = {.program = program,
                     .engine = program_engine(program, store, NULL),
                     .out = out,
                     .annotations = annotations,
                     .has_limits = limits != NULL,
                     .functions = new_rows(arena),
                     .graphs = new_rows(arena),
                     .kernels = new_rows(arena),
                     .compiled = new_rows(arena),
                     .types = new_rows(arena),
                     .contexts = new_rows(arena),
                     .signatures = new_rows(arena)};
    Lowered lowered;
    program_open_view(program, python.engine);
    const Value root = program_view(program, NULL);
    view_set_text(program->view, root, "module", module_name(arena, file));
    view_set_text(program->view, root, "limits_header", limits != NULL ? program_quoted(arena, limits) : NULL);
    view_set_text(program->view, root, "limits_prefix", program_limits_prefix(program));
    bool done = put(&python, "python/module", root, out) && put(&python, "python/annotations", root, annotations);
    uint32_t num_graphs = 0;
    uint32_t num_kernels = 0;
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        done = (lowered.kernel == NULL ? put_graph(&python, &lowered, num_graphs++)
                                       : put_kernel(&python, lowered.kernel, num_kernels++)) &&
               done;
    }
    if (!done) {
        return false;
    }
    view_use(program->view, arena);
    put_rows(&python, root, "graphs", "num_graphs", &python.graphs);
    put_rows(&python, root, "kernels", "num_kernels", &python.kernels);
    put_rows(&python, root, "compiled_functions", "num_compiled", &python.compiled);
    put_rows(&python, root, "types", "num_types", &python.types);
    put_rows(&python, root, "contexts", "num_contexts", &python.contexts);
    return put(&python, "python/module_end", root, out);
}
