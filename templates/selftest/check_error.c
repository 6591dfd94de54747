/* SPDX-License-Identifier: MIT */
/* check_error - the status and the error of a call: what they must be, and what the generated code says. */
#include "check_private.h"

#include <inttypes.h>
#include <string.h>

bool check_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The error names symbols of the file, each with the value that it has. */
static bool same_symbols(const ReferenceError *due, const WgError *found)
{
    const Spec *spec = due->spec;
    const char *name = found->symbols;
    bool same = name != NULL && found->num_values > 0;
    for (size_t i = 0; same && i < found->num_values; i++) {
        const size_t length = strcspn(name, ",");
        uint32_t symbol = 0;
        while (symbol < spec->symbols_count && (strlen(spec->symbols[symbol].name) != length ||
                                                strncmp(spec->symbols[symbol].name, name, length) != 0)) {
            symbol++;
        }
        same = symbol < spec->symbols_count && due->symbols[symbol] == found->values[i];
        name += length + (name[length] == ',' ? 2 : 0);
    }
    return same;
}

/* Code that graphs share learns which of them was called. */
Mismatch check_graph(Checker *c)
{
    const WgSite *site = wg_error(&c->generated)->site;
    const bool nested =
        site != NULL && c->kernel != NULL && site->code == WG_E_HOST && check_same_text(site->graph, c->kernel);
    if (c->generated_status == 0 || site == NULL || c->error.passed_through || nested ||
        check_same_text(site->graph, c->graph)) {
        return MISMATCH_NONE;
    }
    return DIFFERS(c, MISMATCH_ERROR, "the error names graph '%s'", site->graph != NULL ? site->graph : "(none)");
}

/* It names the other input, and what bytes the two are. */
static bool same_overlap(const ReferenceError *due, const WgError *found)
{
    bool same = check_same_text(due->other_name, found->symbols) && found->num_values == WG_OVERLAP_VALUES &&
                found->values[WG_OVERLAP_CERTAIN] == 1;
    for (int i = 0; i < 4 && same && due->has_bytes; i++) {
        same = found->values[WG_OVERLAP_FIRST + i] == due->bytes[i];
    }
    return same;
}

Mismatch check_error(Checker *c)
{
    const ReferenceError *due = &c->error;
    const WgError *found = wg_error(&c->generated);
    const WgSite *site = found->site;
    const bool as_good = due->no_view && (c->generated_status == WG_E_VALUE || c->generated_status == WG_E_OVERFLOW);
    if (c->generated_status != due->code && !as_good) {
        return DIFFERS(c, MISMATCH_STATUS, "status is %s, due is %s (%s)", wg_status_name(c->generated_status),
                       wg_status_name(due->code), due->argument != NULL ? due->argument : "no argument");
    }
    if (due->code == 0) {
        return MISMATCH_NONE;
    }
    if (site == NULL) {
        return DIFFERS(c, MISMATCH_ERROR, "no error was noted");
    }
    if (due->passed_through) {
        const WgSite *nested = wg_error(&c->reference)->site; /* of a dispatcher, another site that says the same */
        return site->code == nested->code && check_same_text(site->graph, nested->graph)
                   ? MISMATCH_NONE
                   : DIFFERS(c, MISMATCH_ERROR, "the nested error is gone");
    }
    if (found->status != c->generated_status || site->code != c->generated_status) {
        return DIFFERS(c, MISMATCH_ERROR, "returned %d, noted %d, site says %d", (int)c->generated_status,
                       (int)found->status, (int)site->code);
    }
    if (!check_same_text(site->argument, due->argument)) {
        return DIFFERS(c, MISMATCH_ERROR, "%s names '%s', due is '%s'", wg_status_name(due->code),
                       site->argument != NULL ? site->argument : "(none)",
                       due->argument != NULL ? due->argument : "(none)");
    }
    if (due->no_view) {
        return MISMATCH_NONE;
    }
    if (due->rule != NULL && !check_same_text(site->rule, due->rule)) {
        return DIFFERS(c, MISMATCH_ERROR, "'%s' breaks rule '%s', due is '%s'", due->argument,
                       site->rule != NULL ? site->rule : "(none)", due->rule);
    }
    if (due->code == WG_E_GUARD && !same_symbols(due, found)) {
        return DIFFERS(c, MISMATCH_ERROR, "guard '%s' names '%s', with other values", due->rule,
                       found->symbols != NULL ? found->symbols : "(none)");
    }
    if ((due->code != WG_E_RESULT || due->rule != NULL) && found->dimension != due->dimension) {
        return DIFFERS(c, MISMATCH_ERROR, "%s of '%s' names dimension %d, due is %d", wg_status_name(due->code),
                       due->argument != NULL ? due->argument : "(none)", (int)found->dimension, (int)due->dimension);
    }
    if (due->has_values && (found->found.integer != due->found ||
                            (site->kind != WG_KIND_STATUS && found->expected.integer != due->expected))) {
        return DIFFERS(c, MISMATCH_ERROR,
                       "%s of '%s': expected %" PRId64 " found %" PRId64 ", due is expected %" PRId64 " found %" PRId64,
                       wg_status_name(due->code), due->argument != NULL ? due->argument : "(none)",
                       found->expected.integer, found->found.integer, due->expected, due->found);
    }
    if (due->other != 0 && found->found.tensor->object->id != due->other) {
        return DIFFERS(c, MISMATCH_ERROR, "%s of '%s': found is object %" PRIu32 ", due is %" PRIu32,
                       wg_status_name(due->code), due->argument, found->found.tensor->object->id, due->other);
    }
    if (due->code == WG_E_RESULT && due->other_name != NULL && !check_same_text(due->other_name, found->symbols)) {
        return DIFFERS(c, MISMATCH_ERROR, "'%s' is argument '%s', not '%s'", due->argument, due->other_name,
                       found->symbols != NULL ? found->symbols : "(none)");
    }
    if (due->code == WG_E_OVERLAP && !same_overlap(due, found)) {
        return DIFFERS(c, MISMATCH_ERROR, "overlap of '%s' with '%s' names '%s', or other bytes", due->argument,
                       due->other_name, found->symbols != NULL ? found->symbols : "(none)");
    }
    return MISMATCH_NONE;
}
