/* SPDX-License-Identifier: MIT */
/*
 * mock - the test's own view of the mock host: its objects, the trace of events, injected failures, the books.
 *
 * A WgTensor is a *handle*: one owned reference to a MockObject. Retaining makes another handle, so a wrapper that
 * gives back the wrong one of two references to the same object is caught, as is one that compares addresses. Handles
 * and objects live until mock_reset(), so that a use after the release is noticed and named instead of crashing.
 *
 * Events are hard (effects whose order is part of the contract: mutations, new tensors, version bumps, the compiled
 * call, marks) or soft (retain, release, setting a mode: shown, not compared; modes are compared through every hard
 * event, which carries them). Objects are numbered in the order of their creation, so that equal traces have equal
 * numbers.
 */
#ifndef MOCK_H
#define MOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../gen/base/arena.h"
#include "views.h"
#include "wg_mock.h"

/* name, soft, what the status is numbered as (0: cannot be made to fail, 1: effect, 2: retain) */
#define MOCK_VERBS(X)                                                                                                  \
    X(compiled, false, 0)                                                                                              \
    X(copy_, false, 1)                                                                                                 \
    X(copy_leaf_, false, 1)                                                                                            \
    X(set_, false, 1)                                                                                                  \
    X(shallow_copy_data_, false, 1)                                                                                    \
    X(restride_like_, false, 1)                                                                                        \
    X(alias_like, false, 1)                                                                                            \
    X(alias_as, false, 1)                                                                                              \
    X(view_dtype, false, 1)                                                                                            \
    X(view_as_real, false, 1)                                                                                          \
    X(view_as_complex, false, 1)                                                                                       \
    X(conj, false, 1)                                                                                                  \
    X(neg_view, false, 1)                                                                                              \
    X(as_strided, false, 1)                                                                                            \
    X(mark_part, false, 1)                                                                                             \
    X(detach, false, 1)                                                                                                \
    X(unsafe_view, false, 1)                                                                                           \
    X(patch_requires_grad, false, 1)                                                                                   \
    X(set_requires_grad, false, 1)                                                                                     \
    X(empty_strided, false, 1)                                                                                         \
    X(zeros, false, 1)                                                                                                 \
    X(contiguous, false, 1)                                                                                            \
    X(coerce_strides, false, 1)                                                                                        \
    X(bump_version, false, 1)                                                                                          \
    X(mark_dynamic, false, 1)                                                                                          \
    X(rng_get, false, 1)                                                                                               \
    X(rng_set, false, 1)                                                                                               \
    X(generator_get, false, 1)                                                                                         \
    X(generator_state, false, 1)                                                                                       \
    X(generator_restore, false, 1)                                                                                     \
    X(coerce_tangent, false, 1)                                                                                        \
    X(rebuild, false, 1)                                                                                               \
    X(wait, false, 1)                                                                                                  \
    X(storage_base, false, 1)                                                                                          \
    X(view_base, false, 1)                                                                                             \
    X(attr, true, 2)                                                                                                   \
    X(retain, true, 2)                                                                                                 \
    X(release, true, 0)                                                                                                \
    X(set_grad_mode, true, 0)                                                                                          \
    X(set_view_replay, true, 0)                                                                                        \
    X(autocast_off, true, 0)                                                                                           \
    X(autocast_restore, true, 0)                                                                                       \
    X(range_begin, true, 0)                                                                                            \
    X(range_end, true, 0)

typedef enum MockVerb {
#define X(name, soft, numbered) MOCK_##name,
    MOCK_VERBS(X)
#undef X
        MOCK_VERB_COUNT
} MockVerb;

/* Codes of the mock's own refusals, as opposed to injected ones. */
enum { MOCK_REFUSED_BOUNDS = 7001, MOCK_REFUSED_GEOMETRY = 7002, MOCK_REFUSED_LEAF = 7003 };
enum { MOCK_INJECTED = 6001, MOCK_INJECTED_RETAIN = 6002, MOCK_INJECTED_READ = 6003 };

typedef struct MockStorage {
    uint32_t id;
    int64_t bytes;
    int64_t skew; /* bytes by which its address misses the largest alignment */
} MockStorage;

/* What views and detached tensors share; numbered so that sharing can be compared. */
typedef struct MockVersion {
    uint32_t id;
    int64_t count;
} MockVersion;

typedef struct MockObject {
    uint32_t id; /* from 1, in order of creation */
    ViewGeometry geometry;
    int32_t device;
    bool requires_grad;
    int32_t lazy; /* WgLazy */
    bool plain;
    bool is_view;    /* to autograd */
    bool unnumbered; /* see mock_unnumbered_alias() */
    MockStorage *storage;
    MockVersion *version;
    uint32_t handles; /* live ones */

    /* Of a subclass (plain is false). */
    int32_t type;            /* in the tables; -1: an unknown one */
    int32_t context;         /* in the tables; -1: none */
    struct WgTensor **attrs; /* handles, which go with the object; null where absent */
    uint32_t num_attrs;
    uint32_t symbolic_sizes; /* a bit each: not numbers, but expressions */
    uint32_t symbolic_strides;
    bool opaque;             /* no tensor at all: what an opaque attribute leads to, under a handle that is not live */
    struct WgTensor *waited; /* of an asynchronous value: what it turns into */
    struct MockObject *base; /* what it is a view of, for autograd */

    int64_t drawn;  /* of a generator's state: how far the generator was */
    int64_t nested; /* the number of the nested int that it owns: its own, unless a scenario says which */
} MockObject;

/* What a wrapper asks for by owner, index and device. An owner is an address, which differs from side to side: owners
 * are numbered in the order in which they are first seen. */
typedef struct MockGenerator {
    uint32_t id;
    const void *owner;
    uint32_t owner_number;
    int32_t index;
    int32_t device;
    int64_t drawn; /* begins at another number in each, so that a state tells whose it is */
    struct MockGenerator *next;
} MockGenerator;

/* Types and flattening contexts that the generated code refers to; in the order of the file. */
typedef struct MockTables {
    const WgType *const *types;
    const void *const *const *contexts;
    uint32_t num_types;
    uint32_t num_contexts;
    bool has_ranges;     /* the host of the generated code has wg_range_begin and wg_range_end */
    bool turns_tangents; /* and wg_coerce_tangent */
    bool tells_lazy;     /* and wg_lazy */
    bool marks_parts;    /* and wg_mark_part */
} MockTables;

struct WgTensor {
    MockObject *object;
    bool live;
};

typedef struct MockModes {
    bool grad;
    bool view_replay;
    uint32_t autocast;
    bool deterministic;
    bool in_range; /* of the profiler's */
} MockModes;

enum { MOCK_EVENT_OBJECTS = 3 };
enum { MOCK_SHARED = 64 };

typedef struct MockEvent {
    MockVerb verb;
    MockModes modes;
    int32_t status;
    uint32_t objects[MOCK_EVENT_OBJECTS]; /* ids: result first where there is one; 0: none */
    size_t first_number;                  /* in numbers: geometry, dtype, dimensions, arguments of the compiled call */
    size_t num_numbers;
} MockEvent;

struct WgContext {
    Arena arena; /* of one call */
    MockTables tables;
    MockModes modes;
    WgErrorSlot errors;
    MockEvent *events;
    size_t num_events;
    size_t events_capacity;
    int64_t *numbers;
    size_t num_numbers;
    size_t numbers_capacity;
    MockObject **objects;
    size_t num_objects;
    size_t objects_capacity;
    uint32_t last_id;
    uint32_t num_storages;
    uint32_t num_versions;
    uint64_t cpu;          /* what wg_cpu answers */
    const char *violation; /* the first breach of the ownership contract, or null */

    /* What is to fail: the n-th numbered verb of its class, from 1; 0: none. */
    uint32_t fail_effect_at;
    uint32_t fail_retain_at;
    uint32_t fail_read_at; /* that one notes a failure for wg_host_status */
    uint32_t num_effects;
    uint32_t num_retains;
    uint32_t num_reads;
    int32_t read_status;
    uint32_t num_ranges; /* that were begun */
    int64_t range_modes; /* when the last one ended */

    MockGenerator *generators; /* the last one first */

    WgValue *scratch;
    size_t scratch_size;
    size_t scratch_used;

    void *user; /* of the test: what the compiled function must do */
    WgTensor
        *shared[MOCK_SHARED]; /* of a kernel's call: tensors that it has more than once, by number (kernel_call.h) */
    struct KernelPlay *play;  /* of a test of a kernel: what came of its call; null in other tests */
};

extern const char *const mock_verb_names[MOCK_VERB_COUNT];
extern const bool mock_verb_soft[MOCK_VERB_COUNT];

/* A context starts zeroed. mock_reset() forgets everything of the last call and keeps the memory. */
void mock_reset(WgContext *ctx);
void mock_destroy(WgContext *ctx);

/* What a nested dimension looks like: all of them the same, so that one tensor can be copied into another. */
enum { MOCK_RAGGED = 7 };

/* New objects, outside the trace, each with one handle, which is returned. bytes: of a new storage. */
WgTensor *mock_tensor(WgContext *ctx, const ViewGeometry *geometry, int32_t device, int64_t bytes);
/* Its data lies there, unless it has no elements: then its address is 0. */
void mock_place(WgTensor *t, uint64_t address);
uint64_t mock_address(const WgTensor *t);
/* The environment of every symbolic size and stride, and the expression that one is. */
enum { MOCK_ENVIRONMENT = 3 };
uint64_t mock_expression(int64_t number, bool of_stride);
/* Shares storage and version of `of`. */
WgTensor *mock_alias(WgContext *ctx, const WgTensor *of, const ViewGeometry *geometry);
/* The same as another object that counts as the one it is made of: for a view that changes nothing, which a wrapper may
 * make or leave out as it likes. */
WgTensor *mock_unnumbered_alias(WgContext *ctx, const WgTensor *of);
/* A handle of that object, outside the trace. */
WgTensor *mock_handle(WgContext *ctx, MockObject *object);
/* Another handle of the same object, outside the trace. */
WgTensor *mock_again(WgContext *ctx, const WgTensor *t);
/* A subclass over these attributes, whose handles it takes; null for those that are absent. */
WgTensor *mock_subclass(WgContext *ctx, const ViewGeometry *outer, int32_t type, int32_t context, WgTensor **attrs,
                        uint32_t num_attrs);
/* What an opaque attribute is: a pointer that no verb may touch. */
WgTensor *mock_opaque(WgContext *ctx, uint32_t id);
/* Gives a handle back, outside the trace. Null is allowed. */
void mock_drop(WgContext *ctx, WgTensor *t);

/* The generator at that address; null, and a violation, when none is there. */
MockGenerator *mock_generator(WgContext *ctx, const void *generator, const char *verb);

/* The status of the effect that is about to happen: counts it, 0 or MOCK_INJECTED. */
int32_t mock_attempt(WgContext *ctx);
bool mock_broadcasts(const ViewGeometry *from, const ViewGeometry *to);
bool mock_fits(const ViewGeometry *geometry, const MockStorage *storage);

/* Lowest bytes a storage must have for that geometry. */
int64_t mock_bytes_needed(const ViewGeometry *geometry);

/* Notes an event; numbers are added with mock_number() right after it. */
MockEvent *mock_event(WgContext *ctx, MockVerb verb, const WgTensor *first, const WgTensor *second);
void mock_number(WgContext *ctx, int64_t number);
/* Adds what can be seen of a tensor: dtype, requires_grad, is_view, version object, offset, sizes, strides. */
void mock_note_tensor(WgContext *ctx, const WgTensor *t);

/* Notes the first violation only. */
void mock_violation(WgContext *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* False, and a violation, when t is null or was released. */
bool mock_alive(WgContext *ctx, const WgTensor *t, const char *verb);

void mock_print_event(FILE *file, const WgContext *ctx, const MockEvent *event);

#endif /* MOCK_H */
