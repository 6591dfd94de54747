/* SPDX-License-Identifier: MIT */
/*
 * spec - the YAML as C structs: what libcyaml fills (spec.c has the tables) and what validation resolves beside it.
 *
 * Members are named after the YAML keys. Scalars arrive as text and keep it (for messages); booleans and kinds are
 * strict enums. Everything under "resolved" is zero until gen/validate has filled it; behind that gate every consumer
 * reads the resolved members only and may trust them. Absent stays distinguishable: null text, null list pointer (an
 * empty list `[]` has a non-null pointer and count 0), SPEC_UNSET.
 *
 * To add a key: a member here, a line in spec.c, its rule in gen/validate, an example in SPEC.md; a line in
 * gen/render/selftest_tables.c when the reference of the self-tests reads it.
 */
#ifndef WRAPGEN_SPEC_H
#define WRAPGEN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Expr;

/* Booleans: absent has its default applied by validate, so that behind the gate only TRUE and FALSE occur, except where
 * null is meaningful (SPEC_UNSET). Use spec_is(). */
typedef enum SpecBool { SPEC_UNSET = 0, SPEC_FALSE, SPEC_TRUE, SPEC_NULL } SpecBool;

static inline bool spec_is(SpecBool value)
{
    return value == SPEC_TRUE;
}

typedef enum SpecMode { SPEC_MODE_UNSET = 0, SPEC_INFERENCE, SPEC_TRAINING } SpecMode;
typedef enum SpecConvention { SPEC_CONVENTION_UNSET = 0, SPEC_BOXED, SPEC_DIRECT, SPEC_AOTI } SpecConvention;
typedef enum SpecRng { SPEC_RNG_UNSET = 0, SPEC_RNG_NONE, SPEC_RNG_FUNCTIONALIZED, SPEC_RNG_GRAPHSAFE } SpecRng;
typedef enum SpecCheck {
    SPEC_CHECK_UNSET = 0,
    SPEC_CHECK_NONE,
    SPEC_CHECK_COUNT,
    SPEC_CHECK_CHEAP,
    SPEC_CHECK_FULL
} SpecCheck;
typedef enum SpecKind {
    SPEC_KIND_UNSET = 0,
    SPEC_TENSOR,
    SPEC_INT,
    SPEC_FLOAT,
    SPEC_BOOLEAN,
    SPEC_OPAQUE,
    SPEC_NONE /* outputs and grad_inputs only */
} SpecKind;

/* The eight OutputType values of AOTAutograd (torch/_functorch/_aot_autograd/schemas.py). */
typedef enum SpecOutputType {
    SPEC_OUTPUT_UNSET = 0,
    SPEC_NON_ALIAS,
    SPEC_ALIAS_OF_INPUT,
    SPEC_IS_INPUT,
    SPEC_ALIAS_OF_INTERMEDIATE_SAVE_AS_OUTPUT,
    SPEC_ALIAS_OF_INTERMEDIATE,
    SPEC_ALIAS_OF_INTERMEDIATE_BASE_IS_USER_OUTPUT,
    SPEC_UNSAFE_VIEW_ALIAS,
    SPEC_CUSTOM_FUNCTION_VIEW
} SpecOutputType;

typedef enum SpecMemoryFormat {
    SPEC_MEMORY_FORMAT_UNSET = 0,
    SPEC_CONTIGUOUS,
    SPEC_CHANNELS_LAST,
    SPEC_CHANNELS_LAST_3D
} SpecMemoryFormat;

/* A list of integers or expressions. */
typedef struct SpecInts {
    char **text; /* null: absent; non-null with count 0: `[]` */
    uint32_t text_count;
    /* resolved: */
    const struct Expr **expr; /* text_count of them */
} SpecInts;

/* One integer or expression. */
typedef struct SpecInt {
    char *text; /* null: absent */
    /* resolved: */
    const struct Expr *expr;
} SpecInt;

/* A list of names or paths. */
typedef struct SpecNames {
    char **text;
    uint32_t text_count;
} SpecNames;

/* symbols: [{name, min, max, multiple_of}] */
typedef struct SpecSymbol {
    char *name;
    char *min;
    char *max;
    char *multiple_of;
    /* resolved: */
    bool has_min;
    bool has_max;
    int64_t min_value;
    int64_t max_value;
    int64_t multiple_of_value; /* 1 when absent */
} SpecSymbol;

/* subclasses: [{name, symbol, attrs: [{name, optional, kind}]}] */
typedef struct SpecAttr {
    char *name;
    SpecBool optional;
    SpecKind kind; /* SPEC_TENSOR (default) or SPEC_OPAQUE */
} SpecAttr;

typedef struct SpecSubclassType {
    char *name;
    char *symbol; /* validate: = name when absent */
    SpecAttr *attrs;
    uint32_t attrs_count;
} SpecSubclassType;

typedef enum SpecOuterDim { SPEC_OUTER_INTEGER, SPEC_OUTER_NESTED } SpecOuterDim;

typedef struct SpecSubclass SpecSubclass;

/* One attribute of a subclass: a plain leaf, an opaque one (by the declaration), or a subclass again (type is set). */
struct SpecSubclass {
    char *attr; /* null at the root */
    char *type; /* null: plain or opaque leaf */
    char *context;
    SpecInts size;                  /* leaf */
    SpecInts stride;                /* leaf */
    char *storage_offset_text;      /* reserved: always null */
    SpecNames symbol_args;          /* leaf: "size.0", "stride.1" */
    SpecMemoryFormat memory_format; /* under tangents */
    SpecInts outer_size;            /* entries: integers or the word `nested` (expr null then) */
    SpecInts outer_stride;
    SpecBool symints; /* validate: default applied, inherited */
    char *outer_size_from;
    char *outer_stride_from;
    SpecSubclass *inner;
    uint32_t inner_count;
    /* resolved: */
    const SpecSubclassType *declared; /* null for a leaf */
    bool opaque;                      /* leaf of kind opaque */
    int32_t outer_size_attr;          /* index into inner, -1: none */
    int32_t outer_stride_attr;
    uint32_t attr_index; /* index of this attribute in its parent's declaration */
};

/* A reference to one of the graph's named values, resolved. */
typedef enum SpecRefKind {
    SPEC_REF_NONE = 0,
    SPEC_REF_INPUT,
    SPEC_REF_OUTPUT,
    SPEC_REF_BASE,
    SPEC_REF_SYNTHETIC
} SpecRefKind;

typedef struct SpecRef {
    SpecRefKind kind;
    uint32_t index; /* into inputs, outputs, intermediate_bases or synthetic_bases */
} SpecRef;

typedef struct SpecInput {
    char *name;
    SpecKind kind; /* validate: SPEC_TENSOR when absent */
    SpecInt value;
    char *dtype;
    SpecInts size;
    SpecInts stride;
    SpecInt storage_offset;
    char *device;
    SpecNames symbol_args;
    SpecBool requires_grad;
    SpecBool is_leaf;
    SpecBool mutates_data;
    SpecBool mutates_metadata;
    SpecBool mutates_storage_metadata;
    SpecBool mutation_is_shallow_copy_data;
    SpecBool mutation_inductor_storage_resize;
    SpecBool mutations_hidden_from_autograd;
    SpecBool mutations_under_no_grad_or_inference_mode;
    char *stream; /* "null" counts as absent: validate makes it null */
    SpecBool frozen;
    SpecNames wait;
    SpecSubclass *subclass;
    SpecSubclass *updated;
    /* resolved: */
    int32_t dtype_code;     /* WgDtype number, -1: not stated */
    int32_t device_type;    /* -1: not stated */
    int32_t device_index;   /* -1: not stated */
    int64_t stream_index;   /* -1: none */
    int32_t duplicate_of;   /* index of the kept input, -1: not a duplicate */
    int32_t synthetic_base; /* index of the synthetic base it is a member of, -1: none */
} SpecInput;

typedef struct SpecBase {
    char *name;
    char *dtype;
    SpecInts size;
    SpecInts stride;
    SpecInt storage_offset;
    char *device;
    SpecSubclass *subclass;
    /* resolved: */
    int32_t dtype_code;
    int32_t device_type;
    int32_t device_index;
} SpecBase;

/* View operations. Which members an operation takes is in gen/geometry (a table). */
typedef enum SpecViewOp {
    SPEC_VIEW_UNSET = 0,
    SPEC_VIEW_AS_STRIDED,
    SPEC_VIEW_VIEW,
    SPEC_VIEW_RESHAPE,
    SPEC_VIEW_EXPAND,
    SPEC_VIEW_TRANSPOSE,
    SPEC_VIEW_PERMUTE,
    SPEC_VIEW_T,
    SPEC_VIEW_ALIAS,
    SPEC_VIEW_DETACH,
    SPEC_VIEW_VIEW_AS_REAL,
    SPEC_VIEW_VIEW_AS_COMPLEX,
    SPEC_VIEW_SQUEEZE,
    SPEC_VIEW_UNSQUEEZE,
    SPEC_VIEW_SELECT,
    SPEC_VIEW_SLICE,
    SPEC_VIEW_VIEW_DTYPE,
    SPEC_VIEW_DIAGONAL,
    SPEC_VIEW_UNFOLD,
    SPEC_VIEW_MOVEDIM,
    SPEC_VIEW_FLATTEN,
    SPEC_VIEW_UNFLATTEN,
    SPEC_VIEW_SPLIT,
    SPEC_VIEW_SPLIT_WITH_SIZES,
    SPEC_VIEW_CHUNK,
    SPEC_VIEW_UNBIND,
    SPEC_VIEW_NARROW,
    SPEC_VIEW__CONJ,    /* refused by name */
    SPEC_VIEW__NEG_VIEW /* refused by name */
} SpecViewOp;

typedef struct SpecView {
    SpecViewOp op;
    SpecInts size;
    SpecInts stride;
    SpecInt offset;
    SpecInts dims;
    SpecInt dim;
    SpecInt dim1;
    SpecInt dim2;
    SpecInt index;
    SpecInt start;
    SpecInt end;
    SpecInt step;
    SpecInt length;
    SpecInts source;
    SpecInts destination;
    SpecInt start_dim;
    SpecInt end_dim;
    SpecInt split_size;
    SpecInts sizes;
    SpecInt chunks;
    char *dtype;
    /* resolved: */
    int32_t dtype_code;
} SpecView;

typedef struct SpecAsStrided {
    SpecInts size;
    SpecInts stride;
    SpecInt offset;
} SpecAsStrided;

typedef struct SpecOutput {
    char *name;
    SpecKind kind;
    SpecOutputType type;
    char *base;
    char *dtype;
    SpecInts size;
    SpecInts stride;
    SpecInt storage_offset;
    char *device;
    SpecBool requires_grad;
    SpecBool requires_grad_for_backward; /* validate: = requires_grad when absent */
    SpecInts dynamic_dims;               /* literals */
    SpecView *view;
    uint32_t view_count;
    SpecAsStrided *as_strided;
    SpecSubclass *subclass;
    /* resolved: */
    int32_t dtype_code;
    int32_t device_type;
    int32_t device_index;
    SpecRef base_ref;
} SpecOutput;

typedef struct SpecDuplicate {
    char *input;
    char *of;
    /* resolved: */
    uint32_t input_index;
    uint32_t of_index;
} SpecDuplicate;

typedef enum SpecSyntheticKind {
    SPEC_SYNTHETIC_UNSET = 0,
    SPEC_SYNTHETIC_STORAGE,
    SPEC_SYNTHETIC_VIEW_BASE
} SpecSyntheticKind;

typedef struct SpecSynthetic {
    char *name;
    SpecSyntheticKind base;
    SpecNames members;
    /* resolved: */
    uint32_t *member_index; /* into inputs, in the order given */
} SpecSynthetic;

typedef struct SpecSavedDynamic {
    SpecInt index;
    SpecInts dims;
} SpecSavedDynamic;

typedef struct SpecSaved {
    SpecInt tensors;
    SpecInt tensors_no_version_check;
    SpecInt opaque;
    SpecInt symints;
    SpecInts graph_inputs;
    SpecSavedDynamic *dynamic;
    uint32_t dynamic_count;
    SpecInts donated;
    /* resolved: */
    uint32_t num_tensors;
    uint32_t num_no_version_check;
    uint32_t num_opaque;
    uint32_t num_symints;
    bool *is_graph_input; /* num_tensors + num_no_version_check flags */
} SpecSaved;

typedef struct SpecTangent {
    char *of;
    SpecMemoryFormat memory_format;
    SpecInts size;
    SpecInts stride;
    SpecBool kept; /* default true */
    SpecSubclass *subclass;
    /* resolved: */
    SpecRef of_ref;
} SpecTangent;

typedef struct SpecGradInput {
    char *of;
    SpecKind kind; /* SPEC_TENSOR (default) or SPEC_NONE */
    SpecSubclass *subclass;
    /* resolved: */
    SpecRef of_ref;
} SpecGradInput;

typedef struct SpecBackward {
    char *compiled;
    SpecInt tokens;
    SpecBool deterministic; /* SPEC_UNSET: null */
    SpecNames mutated_in_backward;
    SpecTangent *tangents;
    uint32_t tangents_count;
    SpecGradInput *grad_inputs;
    uint32_t grad_inputs_count;
    /* resolved: */
    uint32_t num_tokens;
    uint32_t *mutated_index;    /* into inputs */
    uint32_t *tangent_order;    /* index into tangents, in the order in which the backward takes them */
    uint32_t *grad_input_order; /* index into grad_inputs, in the order of the inner function's arguments */
} SpecBackward;

typedef struct SpecExpect {
    SpecInt num_outputs;
    SpecInt num_outputs_aliased;
    SpecInt num_intermediate_bases;
    SpecInt num_forward_returns;
    SpecInt num_forward;
    SpecInt num_tangents;
    SpecInt num_flat_inputs;
    SpecInt num_flat_outputs;
    SpecInts mutated_inp_runtime_indices;
    SpecInts mutated_graph_handled_indices;
    SpecInts aliased_out_indices;
} SpecExpect;

typedef struct SpecGraph {
    char *name;
    SpecMode mode;
    char *compiled;
    char *kernel;
    SpecConvention convention;
    SpecBool consume_inputs;
    SpecBool keep_input_mutations;
    SpecBool disable_amp;
    SpecBool grad_enabled_mutation; /* SPEC_UNSET: null */
    SpecInt tokens;
    SpecRng rng;
    SpecInt rng_states;
    char *rng_device;
    SpecBool debug_assert;
    SpecCheck check;
    SpecInput *inputs;
    uint32_t inputs_count;
    SpecBase *intermediate_bases;
    uint32_t intermediate_bases_count;
    SpecOutput *outputs;
    uint32_t outputs_count;
    SpecDuplicate *duplicates;
    uint32_t duplicates_count;
    SpecSynthetic *synthetic_bases;
    uint32_t synthetic_bases_count;
    SpecNames argument_order;
    SpecSaved *saved;
    SpecBackward *backward;
    SpecExpect *expect;
    /* resolved: */
    uint32_t num_tokens;
    uint32_t num_rng_states;
    int32_t rng_device_code; /* type * 256 + index */
    uint32_t kernel_index;
    SpecRef *argument_ref; /* of argument_order; null: it is not stated */
} SpecGraph;

/* ---- kernels ---- */

typedef enum SpecIndexDtype {
    SPEC_INDEX_UNSET = 0,
    SPEC_INDEX_AUTO,
    SPEC_INDEX_INT32,
    SPEC_INDEX_INT64
} SpecIndexDtype;
typedef enum SpecBuckets { SPEC_BUCKETS_UNSET = 0, SPEC_BUCKETS_GENERALIZE, SPEC_BUCKETS_ZERO_ONE } SpecBuckets;
typedef enum SpecArgKind {
    SPEC_ARG_UNSET = 0,
    SPEC_ARG_TENSOR,
    SPEC_ARG_INT,
    SPEC_ARG_FLOAT,
    SPEC_ARG_BOOL,
    SPEC_ARG_STRING,
    SPEC_ARG_DTYPE,
    SPEC_ARG_DEVICE,
    SPEC_ARG_NULL,
    SPEC_ARG_TUPLE,
    SPEC_ARG_LIST,
    SPEC_ARG_RECORD
} SpecArgKind;
typedef enum SpecExtraOf { SPEC_EXTRA_UNSET = 0, SPEC_EXTRA_SIZE, SPEC_EXTRA_STRIDE } SpecExtraOf;
typedef enum SpecLayout { SPEC_LAYOUT_UNSET = 0, SPEC_LAYOUT_CONTIGUOUS, SPEC_LAYOUT_CHANNELS_LAST } SpecLayout;

typedef struct SpecArg SpecArg;

struct SpecArg {
    char *name; /* absent in `of` and in items of tuple */
    SpecArgKind kind;
    char *ndim;  /* a condition on an integer */
    char *dtype; /* alternatives: float16|bfloat16 */
    SpecInts static_dims;
    SpecBool subclass_ok;
    SpecBool nullable;
    SpecBool default_null;
    SpecBool constexpr_value; /* key: constexpr */
    char *default_value;      /* key: default */
    char *length;             /* list: a condition on an integer */
    SpecArg *of;              /* list */
    SpecArg *items;           /* tuple, record */
    uint32_t items_count;
};

typedef struct SpecExtra {
    char *arg;
    SpecExtraOf of;
    SpecInt dim;
} SpecExtra;

typedef struct SpecWhen {
    char *arg;
    char *dtype;
    char *ndim;
    SpecNames size; /* one condition per dim */
    SpecNames stride;
    SpecInt align;
    char *device;
    SpecLayout layout;
    SpecBool is_null;
    char *value;
    char *length;
} SpecWhen;

#define SPEC_NO_GRAPH UINT32_MAX

typedef struct SpecVariant {
    char *symbol; /* this or graph */
    char *graph;
    SpecWhen *when;
    uint32_t when_count;
    /* resolved: */
    uint32_t graph_index; /* or SPEC_NO_GRAPH */
} SpecVariant;

typedef struct SpecKernel {
    char *name;
    SpecBool static_shapes;
    SpecIndexDtype index_dtype;
    SpecBuckets buckets;
    SpecBool device_in_key;
    SpecNames key_extra;
    SpecCheck check; /* of preconditions, at run time */
    SpecArg *args;
    uint32_t args_count;
    SpecExtra *extra;
    uint32_t extra_count;
    SpecVariant *variants;
    uint32_t variants_count;
} SpecKernel;

typedef struct Spec {
    char *wrapgen; /* format version: "1" */
    char *prefix;  /* validate: "" when absent */
    char *host;    /* validate: "native" when absent */
    SpecSymbol *symbols;
    uint32_t symbols_count;
    SpecSubclassType *subclasses;
    uint32_t subclasses_count;
    SpecGraph *graphs;
    uint32_t graphs_count;
    SpecKernel *kernels;
    uint32_t kernels_count;
} Spec;

#endif /* WRAPGEN_SPEC_H */
