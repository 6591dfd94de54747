/* SPDX-License-Identifier: MIT */
/* program_show - all graphs and kernels of a run for people, one after another: --show and --show-html. */
#include "program_private.h"
#include "render/show.h"

/* In a page, `{{x}}` may be any text. */
static bool escape_html(void *ctx, const char *text, size_t length, Str *out)
{
    (void)ctx;
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '&':
            str_puts(out, "&amp;");
            break;
        case '<':
            str_puts(out, "&lt;");
            break;
        case '>':
            str_puts(out, "&gt;");
            break;
        case '"':
            str_puts(out, "&quot;");
            break;
        default:
            str_putc(out, text[i]);
        }
    }
    return true;
}

static bool show_one(Program *program, MustacheEngine *engine, bool html, const Lowered *lowered, Str *out)
{
    if (lowered->kernel != NULL) {
        return mustache_render(engine, html ? "show_kernel_html" : "show_kernel",
                               show_kernel(program->view, lowered->kernel), out);
    }
    return mustache_render(engine, html ? "show_graph_html" : "show_graph",
                           show_graph(program->view, lowered->plan, lowered->backward), out);
}

bool program_show(Program *program, TemplateStore *store, bool html, Str *out)
{
    MustacheEngine *engine = program_engine_for(program, store, NULL, html ? escape_html : NULL);
    Lowered lowered;
    program_open_view(program, engine);
    bool done = !html || mustache_render(engine, "show_html", program_view(program, NULL), out);
    for (uint32_t i = 0; program_next(program, i, &lowered); i++) {
        view_use(program->view, &program->graph);
        str_puts(out, html || out->length == 0 ? "" : "\n");
        done = done && show_one(program, engine, html, &lowered, out);
    }
    view_use(program->view, program->arena);
    return done && (!html || mustache_render(engine, "show_html_end", program_view(program, NULL), out));
}
