/* SPDX-License-Identifier: MIT */
/*
 * check_print - both traces side by side.
 */
#include "../../../templates/selftest/check.h"

#include <string.h>

enum { COLUMN = 68, LINE = 400 };

static void event_text(const WgContext *ctx, size_t at, char *text)
{
    FILE *file = fmemopen(text, LINE, "w");
    text[0] = '\0';
    if (file == NULL) {
        return;
    }
    if (at < ctx->num_events) {
        mock_print_event(file, ctx, &ctx->events[at]);
    }
    fclose(file);
    text[LINE - 1] = '\0';
}

/* Soft events stand in their column alone, hard ones face each other. */
void check_print(FILE *file, const Checker *c, Mismatch mismatch)
{
    char left[LINE];
    char right[LINE];
    size_t i = 0;
    size_t k = 0;
    fprintf(file, "differs: %s: %s\n", mismatch_text(mismatch), c->detail);
    fprintf(file, "  %-*s  %s\n", COLUMN, "generated", "reference");
    while (i < c->generated.num_events || k < c->reference.num_events) {
        const bool soft_left = i < c->generated.num_events && mock_verb_soft[c->generated.events[i].verb];
        const bool soft_right = k < c->reference.num_events && mock_verb_soft[c->reference.events[k].verb];
        event_text(&c->generated, soft_right && !soft_left ? SIZE_MAX : i, left);
        event_text(&c->reference, soft_left && !soft_right ? SIZE_MAX : k, right);
        i += soft_right && !soft_left ? 0 : 1;
        k += soft_left && !soft_right ? 0 : 1;
        fprintf(file, "  %-*.*s  %.*s\n", COLUMN, COLUMN, left, COLUMN, right);
    }
}
