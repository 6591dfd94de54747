/* SPDX-License-Identifier: MIT */
/*
 * selftest - what a file of --emit-selftest does once it is compiled: every graph's and kernel's calls, in groups,
 * reported in TAP.
 *
 * The file includes the wrappers, and has the metadata as tables; this code and the rest of the reference are the
 * library that it is linked with (README.md).
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "check.h"
#include "selftest_kernels.h"

/* One graph of the file. */
typedef struct SelftestGraph {
    const Spec *spec;
    uint32_t index; /* of the graph */
    Entry entry;
    size_t scratch; /* values that its wrapper may take */
} SelftestGraph;

/* What the wrappers are linked with, by name; the lists end with null. */
typedef struct SelftestNames {
    const char *const *types; /* of subclasses */
    const char *const *contexts;
    const WgType *const *type_of;
    const void *const *const *context_of;
    bool has_ranges; /* what the wrappers' host has: see MockTables */
    bool turns_tangents;
    bool tells_lazy;
    bool marks_parts;
} SelftestNames;

/* Plays every compiled function; that the wrapper calls the right one is part of the test. */
int32_t wg_selftest_compiled(WgContext *ctx, const char *name, const WgValue *args, size_t num_args, WgValue *outs,
                             size_t *num_outs);

/* What the file tests. */
typedef struct SelftestFile {
    const SelftestGraph *graphs;
    const SelftestKernel *kernels;
    uint32_t num_graphs;
    uint32_t num_kernels;
    const SelftestNames *names;
} SelftestFile;

/* Tests all of it; argv[1]: how many rounds of random calls (10). Returns the exit status: 0 when nothing failed. */
int selftest_run(const SelftestFile *file, int argc, char **argv);

#endif /* SELFTEST_H */
