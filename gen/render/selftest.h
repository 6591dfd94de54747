/* SPDX-License-Identifier: MIT */
/*
 * selftest - the C file of --emit-selftest: the metadata of every graph and kernel as tables. Linked with mock host and
 * reference interpreter, the library that the tests of this project use too (templates/selftest/), it includes the
 * wrappers as they were written and calls them side by side with the reference.
 *
 * The tables are made of the validated Spec alone. Nothing here knows plans: what lowering or a template does wrong
 * must not find its way into what they are compared with.
 */
#ifndef WRAPGEN_SELFTEST_H
#define WRAPGEN_SELFTEST_H

#include "../base/diag.h"
#include "../yaml/front.h"
#include "../host/host.h"
#include "view.h"

/* What has no counterpart in the reference yet is reported (E_UNSUPPORTED), with false. */
bool selftest_supported(Diag *diag, const Source *sources, size_t num_sources);

/* Sets what templates/selftest.mustache uses in addition to the keys of the banner. wrappers_name is what the file
 * includes; prefix is null for each YAML's own. */
void selftest_view(View *view, Arena *arena, Value root, const Source *sources, size_t num_sources, const Host *host,
                   const char *prefix, const char *wrappers_name);

/* The tables of one Spec, appended to `list`: objects with c_type, table, count, const_table and rows of members.
 * Returns the name of the one that holds the Spec. */
const char *selftest_tables(View *view, Arena *arena, Value list, const Spec *spec, uint32_t number);

#endif /* WRAPGEN_SELFTEST_H */
