/* SPDX-License-Identifier: MIT */
/*
 * require - looks at each piece of text once; a verb is required at its first call. A host answers most verbs
 * without a message, and is not asked again about those: after a few graphs a quick look at the text is enough.
 */
#include "require.h"

#include "view.h"

void require_init(Require *require, Arena *arena, Diag *diag, const Host *host)
{
    *require = (Require){.arena = arena, .diag = diag, .host = host};
    require->answers = ARENA_ARRAY(arena, VerbAnswer, (size_t)host->known->count + 1);
}

void require_begin(Require *require, const void *where, const char *what)
{
    for (uint32_t i = 0; i < require->host->known->count; i++) {
        require->answers[i] = require->answers[i] == VERB_FINE ? VERB_FINE : VERB_UNASKED;
    }
    require->where = where;
    require->what = what;
}

static void ask(void *ctx, uint32_t verb, const char *header)
{
    Require *require = ctx;
    const char *name = require->host->known->at[verb].name;
    const char *what = require->origin_what;
    const char *code = NULL;
    if (require->answers[verb] != VERB_UNASKED) {
        return;
    }
    if (require->host->asked != NULL) {
        require->host->asked[verb] = true;
        require->answers[verb] = VERB_FINE;
        return;
    }
    const char *caution = host_caution(require->host, name, &code);
    const bool has = host_has(require->host, name);
    require->answers[verb] = has && caution == NULL ? VERB_FINE : VERB_TOLD;
    if (header != NULL) {
        what = arena_printf(require->arena, "templates/core/%s calls it", header);
    }
    if (!has) {
        diag_report(require->diag, DIAG_ERROR, "E_HOST", diag_mapping(require->origin_where),
                    "this needs the verb '%s' (%s), which host '%s' does not have", name, what, require->host->name);
    } else if (caution != NULL) {
        diag_report(require->diag, DIAG_WARNING, code, diag_mapping(require->origin_where),
                    "this needs the verb '%s' (%s), which host '%s' %s", name, what, require->host->name, caution);
    }
}

void require_watch(void *ctx, const void *origin, const char *text, size_t length)
{
    Require *require = ctx;
    const ViewOrigin *known = origin;
    require->origin_where = known != NULL ? known->where : require->where;
    require->origin_what = known != NULL ? known->what : require->what;
    if (!verbs_are_among(require->host->known, text, length, require->answers)) {
        verbs_called(require->host->known, text, length, ask, require);
    }
}
