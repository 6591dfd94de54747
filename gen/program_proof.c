/* SPDX-License-Identifier: MIT */
/*
 * program_proof - the C file of --emit-proof: the contracts of everything that wrappers call (templates/proof/), the
 * wrappers as they were written, and functions that call each entry in every way that its declaration allows. A static
 * analyser that finds nothing in it has shown that no such call leaves an array, reads what was never written,
 * overflows, or uses what has been released.
 */
#include "program_private.h"

#include <string.h>

#include "base/embedded.h"
#include "base/table.h"
#include "plan/callee.h"

enum { BATCH = 50 /* graphs and kernels of one analysis, so that it fits a small machine */ };

typedef struct ProofFile {
    Program *program;
    MustacheEngine *engine;
    Table functions; /* compiled ones, each once: two graphs may call one */
    Value batches;
    Value batch;
    uint32_t num_shown;
    Str *out;
} ProofFile;

static bool is_first(ProofFile *file, const char *name)
{
    const char *kept = arena_copy(file->program->arena, name, strlen(name));
    return table_add(&file->functions, kept, strlen(kept), 0, 0) == NULL;
}

static bool proof_callee(ProofFile *file, const Plan *plan)
{
    const bool generated = !plan->backward && plan->graph->kernel != NULL; /* a dispatcher */
    return generated || !is_first(file, callee_symbol(plan)) ||
           mustache_render(file->engine, "proof_function", view_callee(file->program->view, plan), file->out);
}

static bool proof_variants(ProofFile *file, const Kernel *kernel)
{
    bool done = true;
    for (uint32_t i = 0; i < kernel->spec->variants_count && done; i++) {
        const SpecVariant *variant = &kernel->spec->variants[i];
        done = variant->graph != NULL || !is_first(file, variant->symbol) ||
               mustache_render(file->engine, "proof_variant",
                               view_variant(file->program->view, kernel, variant->symbol), file->out);
    }
    return done;
}

/* The names outlive the graph. */
static void proof_push(ProofFile *file, const char *symbol)
{
    Program *program = file->program;
    Value item = view_root(program->view);
    if (file->num_shown % BATCH == 0) {
        Value batch = view_root(program->view);
        file->batch = value_list(program->arena);
        view_set_text(program->view, batch, "batch", arena_printf(program->arena, "%u", file->num_shown / BATCH));
        view_set(program->view, batch, "shown", file->batch);
        value_push(program->arena, file->batches, batch);
    }
    view_set_text(program->view, item, "symbol", arena_copy(program->arena, symbol, strlen(symbol)));
    view_set_text(program->view, item, "number", arena_printf(program->arena, "%u", file->num_shown));
    value_push(program->arena, file->batch, item);
    file->num_shown++;
}

static bool proof_one(ProofFile *file, const Lowered *lowered)
{
    Program *program = file->program;
    const Value value = program_lowered_view(program, lowered);
    bool done = true;
    if (lowered->kernel != NULL) {
        done = proof_variants(file, lowered->kernel) && mustache_render(file->engine, "proof_kernel", value, file->out);
    } else {
        done = proof_callee(file, lowered->plan) &&
               (lowered->backward == NULL || proof_callee(file, lowered->backward)) &&
               mustache_render(file->engine, "proof_graph", value, file->out);
    }
    view_use(program->view, program->arena);
    proof_push(file, lowered->kernel != NULL ? lowered->kernel->symbol : lowered->plan->symbol);
    return done;
}

/* One text, since the file needs nothing but core. */
static const char *contracts(Arena *arena)
{
    static const char *const files[] = {"proof/wg_proof.h",       "proof/wg_proof_verbs.h", "proof/wg_proof_cold.h",
                                        "proof/wg_proof_cache.h", "proof/wg_proof_key.h",   "proof/wg_proof_core.h"};
    Str out = str_new(arena);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        str_puts(&out, embedded_find(files[i])->text);
    }
    return str_text(&out);
}

static Value proof_view(Program *program, Value batches)
{
    Value root = program_view(program, NULL);
    Str quoted = str_new(program->arena);
    str_put_c_literal(&quoted, program->options.source_name);
    view_set_text(program->view, root, "wrappers_name", str_text(&quoted));
    view_set_text(program->view, root, "host_guard", host_guard(program->arena, program->host));
    view_set_text(program->view, root, "contracts", contracts(program->arena));
    view_set(program->view, root, "batches", batches);
    return root;
}

bool program_render_proof(Program *program, TemplateStore *store, Str *out)
{
    ProofFile file = {.program = program, .engine = program_engine(program, store, NULL), .out = out};
    Lowered lowered;
    table_init(&file.functions, program->arena);
    program_open_view(program, file.engine);
    file.batches = value_list(program->arena);
    bool done = mustache_render(file.engine, "proof", proof_view(program, file.batches), out);
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        done = done && proof_one(&file, &lowered);
    }
    return done && mustache_render(file.engine, "proof_end", proof_view(program, file.batches), out);
}
