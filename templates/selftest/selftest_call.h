/* SPDX-License-Identifier: MIT */
/* selftest_call - one call of a kernel while it is compared: what selftest_kernels.c and its helpers share. */
#ifndef SELFTEST_CALL_H
#define SELFTEST_CALL_H

#include <stdarg.h>

#include "selftest_kernels.h"

/* What a test line is about; in this order. */
#define KERNEL_GROUPS(X)                                                                                               \
    X(STRUCTS, "arguments as structs")                                                                                 \
    X(CHOICE, "the variant that is chosen")                                                                            \
    X(DISPATCH, "calls of the dispatcher")                                                                             \
    X(EXPLAIN, "why a variant is chosen, or none")                                                                     \
    X(KEY, "words of keys")                                                                                            \
    X(EQUAL, "equal and different keys")                                                                               \
    X(TEXT, "keys as text")                                                                                            \
    X(CACHE, "what a cache finds")                                                                                     \
    X(FAULT, "wrong counts and null structs")                                                                          \
    X(VERB, "each read failing in turn")

typedef enum KernelGroup {
#define X(name, text) KERNEL_##name,
    KERNEL_GROUPS(X)
#undef X
        KERNEL_GROUP_COUNT
} KernelGroup;

/* What was put into the cache under test. */
enum { CACHE_ROOM = 4 };

/* A key. */
typedef struct SelftestWords {
    uint64_t *at;
    size_t n;
    uint64_t hash;
} SelftestWords;

typedef struct KernelKept {
    uint64_t *words;
    size_t n;
    char values[2]; /* the caller's: their addresses, one after the other */
    int turn;
} KernelKept;

typedef struct KernelTest {
    const SelftestKernel *kernel;
    const Spec *spec;
    const SpecKernel *declared;
    WgContext *ctx;
    Arena arena; /* of one call */
    uint64_t calls[KERNEL_GROUP_COUNT];
    bool failed[KERNEL_GROUP_COUNT];
    bool *hit; /* by variant */
    uint64_t num_accepted;

    const KernelCall *call; /* that is compared */
    KernelBreach all;       /* of its declarations */
    KernelBreach first;     /* of those that are tested before conditions are looked at */
    WgValue *values;

    /* Keys: the one that others are compared with, the one that is due and those that were found. */
    Arena *memory; /* of the test */
    bool has_base;
    const char *base_text;
    const char *base_print;
    SelftestWords base;
    SelftestWords due;
    SelftestWords found;
    SelftestWords boxed;
    void *cache;
    KernelKept kept[CACHE_ROOM];
    uint32_t num_kept;
} KernelTest;

/* A group fails with the first thing that is not good; that is shown. */
void test_expect(KernelTest *test, KernelGroup group, bool good, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The call's values, in a context that has done nothing yet. */
void test_pass(KernelTest *test, KernelPlay *play);
void test_no_violation(KernelTest *test, KernelGroup group);
/* Is the last error that one? */
bool test_is_noted(const KernelTest *test, const KernelBreach *breach);

/* selftest_choice.c */
/* The array that a caller has: what is left out is not in it. */
WgValue *test_as_given(KernelTest *test);
void test_unbox(KernelTest *test);
void test_choice(KernelTest *test);
void test_faults(KernelTest *test);

/* selftest_outputs.c: the same for a kernel that states its outputs, whose variant is a function, or null for none. And
 * with a verb failing: false if there is no such verb. */
void test_outputs(KernelTest *test, const SelftestVariant *variant);
bool test_outputs_failing(KernelTest *test, uint32_t n, bool effect);

/* selftest_keys.c; values and extra as in SelftestKernel */
int32_t test_key_of(KernelTest *test, const WgValue *values, const int64_t *extra, SelftestWords *words);
int32_t test_key_boxed(KernelTest *test, const WgValue *values, size_t num_values, SelftestWords *words);
void test_open(KernelTest *test, Arena *arena);
/* From now on keys are compared with that of this call. */
void test_base(KernelTest *test, const KernelCall *call);
void test_key(KernelTest *test);

#endif /* SELFTEST_CALL_H */
