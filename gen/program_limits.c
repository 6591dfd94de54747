/* SPDX-License-Identifier: MIT */
/* program_limits - the file of --emit-limits: the rows of all graphs and kernels, one at a time, between
 * templates/limits. */
#include "host/header_name.h"
#include "program_private.h"
#include "render/limit_table.h"

const char *program_limits_prefix(const Program *program)
{
    const ProgramOptions *options = &program->options;
    const char *prefix = options->prefix != NULL ? options->prefix : program->sources[0].spec->prefix;
    return prefix != NULL ? prefix : "";
}

bool program_render_limits(Program *program, TemplateStore *store, const char *file, Str *out)
{
    Arena *arena = program->arena;
    MustacheEngine *engine = program_engine(program, store, NULL);
    LimitTable limits = limit_table_new(arena, program_limits_prefix(program));
    Lowered lowered;
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        if (lowered.kernel != NULL) {
            limit_table_kernel(&limits, lowered.kernel);
        } else {
            limit_table_graph(&limits, lowered.plan);
        }
    }
    program_open_view(program, engine);
    const Value root = program_view(program, NULL);
    View *view = program->view;
    view_set_text(view, root, "limits_guard", arena_printf(arena, "WG_LIMITS_IN_%s", header_guard(arena, file)));
    view_set_text(view, root, "limits_prefix", limits.prefix);
    view_set_text(view, root, "limit_ranges", str_text(&limits.ranges));
    view_set_text(view, root, "limit_numbers", str_text(&limits.numbers));
    view_set_text(view, root, "limit_arguments", str_text(&limits.arguments));
    view_set_text(view, root, "limit_variants", str_text(&limits.variants));
    view_set_text(view, root, "limits_rows", str_text(&limits.rows));
    return mustache_render(engine, "limits", root, out);
}
