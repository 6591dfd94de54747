/* SPDX-License-Identifier: MIT */
/*
 * require - looks at each piece of text once; a verb is required at its first call.
 */
#include "require.h"

#include <string.h>

#include "../host/verbs.h"
#include "view.h"

void require_init(Require *require, Arena *arena, Diag *diag, const Host *host)
{
    *require = (Require){.arena = arena, .diag = diag, .host = host};
    require->asked = ARENA_ARRAY(arena, bool, (size_t)host->known->count + 1);
}

void require_begin(Require *require, const void *where, const char *what)
{
    memset(require->asked, 0, require->host->known->count * sizeof *require->asked);
    require->where = where;
    require->what = what;
}

static void ask(void *ctx, uint32_t verb, const char *header)
{
    Require *require = ctx;
    const char *name = require->host->known->at[verb].name;
    const char *what = require->origin_what;
    const char *code = NULL;
    if (require->asked[verb]) {
        return;
    }
    require->asked[verb] = true;
    const char *caution = host_caution(require->host, name, &code);
    if (header != NULL) {
        what = arena_printf(require->arena, "templates/core/%s calls it", header);
    }
    if (!host_has(require->host, name)) {
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
    verbs_called(require->host->known, text, length, ask, require);
}
