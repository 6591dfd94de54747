/* SPDX-License-Identifier: MIT */
/*
 * scenario - one call: what the caller gives, what the compiled function does, what fails. Everything follows from the
 * numbers in the struct, so both sides of a comparison see the same objects in the same order.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "evaluate.h"
#include "layout.h"
#include "mock.h"
#include "random.h"

/* What is wrong with one argument. */
#define DEFECTS(X)                                                                                                     \
    X(NONE)                                                                                                            \
    X(NULL)                                                                                                            \
    X(TYPE)                                                                                                            \
    X(DTYPE)                                                                                                           \
    X(RANK)                                                                                                            \
    X(SIZE)                                                                                                            \
    X(STRIDE)                                                                                                          \
    X(OFFSET)                                                                                                          \
    X(LAZY)                                                                                                            \
    X(DEVICE)                                                                                                          \
    X(ALIGNMENT)                                                                                                       \
    X(VALUE)                                                                                                           \
    X(BOUNDS)                                                                                                          \
    X(PRESENT)                                                                                                         \
    X(CONTEXT)                                                                                                         \
    X(IDENTITY)                                                                                                        \
    X(OWNER)                                                                                                           \
    X(GUARD)

typedef enum Defect {
#define X(name) DEFECT_##name,
    DEFECTS(X)
#undef X
        DEFECT_COUNT
} Defect;

/* How the compiled function behaves. */
#define OUTCOMES(X)                                                                                                    \
    X(RETURNS)                                                                                                         \
    X(FAILS)                                                                                                           \
    X(NESTED_FAILS)                                                                                                    \
    X(NESTED_RECOVERS)                                                                                                 \
    X(FEWER)                                                                                                           \
    X(MORE)                                                                                                            \
    X(WITHOUT_SYMINTS)                                                                                                 \
    X(NULL)                                                                                                            \
    X(SHAPE)                                                                                                           \
    X(WRONG)                                                                                                           \
    X(UNWRITTEN)

typedef enum Outcome {
#define X(name) OUTCOME_##name,
    OUTCOMES(X)
#undef X
        OUTCOME_COUNT
} Outcome;

/* What is wrong with the call itself. */
#define FAULTS(X)                                                                                                      \
    X(NONE)                                                                                                            \
    X(FEWER_ARGS)                                                                                                      \
    X(MORE_ARGS)                                                                                                       \
    X(FEWER_OUTS)                                                                                                      \
    X(MORE_OUTS)                                                                                                       \
    X(NO_ARGS)                                                                                                         \
    X(NO_OUTS)                                                                                                         \
    X(NO_SAVED)

typedef enum Fault {
#define X(name) FAULT_##name,
    FAULTS(X)
#undef X
        FAULT_COUNT
} Fault;

/* What becomes of the saved values between the forward and a backward. */
typedef enum SavedFate { SAVED_KEPT, SAVED_WRITTEN, SAVED_WRITTEN_LATER, SAVED_RELEASED } SavedFate;

typedef struct Scenario {
    uint64_t seed;
    bool boxed;    /* entry */
    bool backward; /* what is wrong below is wrong in the backward, after a good forward */
    uint32_t backward_calls;
    SavedFate fate;
    uint32_t written; /* which saved tensor */
    Fault fault;
    Defect defect;
    uint32_t input;     /* of the defect; in the backward a tangent */
    uint32_t node;      /* of the defect, in the input's tree: 0 is the input itself, then its parts, depth first */
    uint32_t dimension; /* of the defect; of GUARD its number */
    Outcome outcome;
    uint32_t position; /* of the outcome, in results; of NULL and WRONG among the flat ones */
    Defect wrong;      /* of WRONG: what of that one is not as stated, in `dimension` */
    uint32_t fail_effect_at;
    uint32_t fail_retain_at;
    uint32_t fail_read_at;
    uint32_t less_scratch; /* the context has so many values less than the graph may take */
    bool stale_error;      /* the context holds one of an earlier call */

    /* Zero unless a call is made on purpose at an edge. */
    int64_t delta;     /* by how much a size, stride, offset or value is wrong; 0: by one more */
    bool fixes_symbol; /* `symbol` has `symbol_value`, everything else follows */
    uint32_t symbol;
    int64_t symbol_value;
    bool at_edge; /* `symbol` is where guard number `dimension` begins or ceases to hold, whatever the others do */
    bool shares;  /* `input` lies in the storage of `other`, an earlier tensor */
    uint32_t other;
    bool alone; /* no other input than `input` requires grad, whatever is stated */
} Scenario;

/* A call that is ready to be made; also what the fake compiled function knows (ctx->user). */
typedef struct Prepared {
    const Layout *layout;
    const Scenario *scenario;
    int64_t *values; /* of all symbols */
    bool *bound;     /* all true */
    Symbols symbols;
    int64_t reach; /* bytes that storages usually have after what their tensors need */
    WgValue *args;
    MockObject **objects; /* of args: they are there when the handles are given away */
    uint32_t num_args;
    MockObject **bases; /* by synthetic base: what its members are views of, or null */
    MockModes modes;    /* before the call */
    bool backward;      /* which compiled function is called */
    uint32_t nth;       /* backward */
} Prepared;

/* Resets ctx and builds the arguments there. */
Prepared *scenario_prepare(WgContext *ctx, const Layout *layout, const Scenario *scenario);

/* The gradients of a backward call, one for each value that the forward returned; new handles. scenario_tree.c */
WgValue *scenario_gradients(WgContext *ctx, Prepared *prepared);

/* Some tensor of that tree: of an input, with what is stated, or of a tangent. */
typedef struct TreeMaker {
    WgContext *ctx;
    Prepared *prepared;
    Random *random;
    const SpecInput *input; /* null: a tangent */
    bool spoilt;
    uint32_t node; /* next */
} TreeMaker;
WgTensor *scenario_tree(TreeMaker *maker, const SpecSubclass *tree, const char *path);

/* Whether the input is waited for at that path, and what stands there until then. */
bool scenario_is_waited(const SpecInput *input, const char *path);
WgTensor *scenario_promise(WgContext *ctx, WgTensor *value);

/* What can be wrong with a tensor that is returned. */
enum { NUM_WRONGS = 7 };
extern const Defect scenario_wrongs[NUM_WRONGS];

/* Spoils a geometry in the way that is asked for. */
void scenario_spoil_geometry(const Scenario *scenario, ViewGeometry *g);

/* Some geometry without regard to a storage. */
ViewGeometry scenario_geometry(Random *random, int32_t dtype);

/* Some device that the statement is true of. */
int32_t scenario_device(Random *random, int32_t type, int32_t index);

/* Puts the stated facts into a geometry, as far as there are any. */
void scenario_state(const Symbols *symbols, const SpecInts *size, const SpecInts *stride, const SpecInt *offset,
                    ViewGeometry *geometry);

/* The compiled function of every graph, in both conventions (generated glue packs direct arguments). */
int32_t fake_compiled(WgContext *ctx, WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);

/* Where a nested wrapper fails in it. */
extern const WgSite fake_nested_site;

/* Codes that it fails with. */
enum { FAKE_FAILED = 9001, FAKE_NESTED = WG_E_SIZE };

/* All scenarios of one graph: calls `visit` for each until it returns false. */
typedef bool ScenarioVisit(void *user, const Scenario *scenario);
bool scenario_each(const Layout *layout, uint64_t seed, ScenarioVisit *visit, void *user);

/* Whether the graph's level looks at that fact, and the input states it. */
bool scenario_is_tested(const Layout *layout, const SpecInput *input, Defect defect, uint32_t dimension);

/* Can the compiled function return that output, which has views, in a shape that is noticed? */
bool scenario_may_misshape(const Layout *layout, const SpecOutput *output);

/* One line for people. */
void scenario_print(FILE *file, const Layout *layout, const Scenario *scenario);

#endif /* SCENARIO_H */
