/* SPDX-License-Identifier: 0BSD */
/*
 * wg_core.h - what generated wrappers, their callers and compiled functions share, for any host.
 *
 * A host is one header that defines the verbs (wg_rank, wg_copy_, ...) over its own tensor type; this file only knows
 * that tensors exist. C11 and C++17. Numbers of dtypes and device types are PyTorch's (c10/core/ScalarType.h,
 * DeviceType.h), so a host over libtorch passes them through.
 */
#ifndef WG_CORE_H
#define WG_CORE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wg_compiler.h"
#include "wg_ranges.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct WgTensor WgTensor;   /* a tensor object of the host; reference counted, see wg_retain */
typedef struct WgContext WgContext; /* modes, allocator, scratch and the last error; one thread at a time */
typedef struct WgType WgType;       /* an exact tensor type that is not the plain one (a tensor subclass) */
typedef struct WgStorage WgStorage; /* what tensors that alias share */
typedef struct WgModel WgModel;     /* a compiled model that the host itself can call, see wg_call_model */

/* One flat value. Its kind is known when code is generated, so it carries no tag. */
typedef union WgValue {
    WgTensor *tensor;
    alignas(8) int64_t integer; /* int, and bool as 0 or 1 */
    double real;
    void *pointer; /* opaque objects */
} WgValue;

/* A size or stride that is not a number but an expression of symbols: one number for the environment (no two that are
 * alive at the same time share it), and one for the expression (equal in one environment exactly when the expressions
 * are equal). */
typedef struct WgSymbol {
    uint64_t environment;
    uint64_t expression;
} WgSymbol;

/* A literal geometry: sizes and strides in elements, `offset` absolute, in elements of the base's storage. */
typedef struct WgGeometry {
    const int64_t *sizes;
    const int64_t *strides;
    int64_t offset;
    int32_t rank;
} WgGeometry;

/* Every int32_t that a wrapper returns is one of these, or the code of a nested wrapper. */
typedef enum WgStatus {
    WG_OK = 0,
    WG_E_NULL,       /* a tensor, struct or array that must be there is a null pointer */
    WG_E_COUNT,      /* number of arguments or of output slots */
    WG_E_TYPE,       /* exact tensor type */
    WG_E_DTYPE,      /* element type */
    WG_E_RANK,       /* number of dimensions */
    WG_E_SIZE,       /* size of a dimension */
    WG_E_STRIDE,     /* stride of a dimension */
    WG_E_OFFSET,     /* storage offset */
    WG_E_DEVICE,     /* device type or index */
    WG_E_ALIGNMENT,  /* data pointer is not aligned to its element */
    WG_E_OVERLAP,    /* a mutated input shares memory with another input */
    WG_E_VALUE,      /* value of a number or bool argument */
    WG_E_SYMBOL,     /* a symbolic integer outside its declared bounds */
    WG_E_OVERFLOW,   /* 64-bit overflow or division by zero in a size expression */
    WG_E_IDENTITY,   /* arguments that must be one object are not */
    WG_E_GRAD,       /* an argument requires grad and must not */
    WG_E_OUTPUTS,    /* the compiled function returned a different number of values than it was built for */
    WG_E_RESULT,     /* the compiled function returned a value that cannot be right */
    WG_E_COMPILED,   /* the compiled function failed; found holds its code */
    WG_E_HOST,       /* a verb of the host failed; found holds the host's code */
    WG_E_SCRATCH,    /* the context has less scratch than the graph's *_SCRATCH says */
    WG_E_VERSION,    /* a saved tensor was modified after it was saved */
    WG_E_MODE,       /* a mode (deterministic algorithms, grad mode) that the call does not allow */
    WG_E_NO_VARIANT, /* no kernel variant accepts the arguments */
    WG_E_STREAM,     /* mutation of an input that has a user-specified stream */
    WG_E_SPENT,      /* a second backward, though some saved values are donated: the first may have reused them */
    WG_E_GUARD,      /* a condition over sizes for which the graph was compiled does not hold */
    WG_E_LAZY,    /* a tensor is lazily conjugated or negated, or is not, unlike the one the graph was compiled for */
    WG_E_INTERNAL /* a state that generated code cannot reach */
} WgStatus;

/* How to read `expected` and `found` of an error. */
typedef enum WgKind {
    WG_KIND_NONE = 0,
    WG_KIND_INTEGER,
    WG_KIND_DTYPE,
    WG_KIND_DEVICE,
    WG_KIND_TYPE,
    WG_KIND_STATUS,
    WG_KIND_DEVICE_TYPE,
    WG_KIND_REAL,
    WG_KIND_LAZY /* of WgLazy */
} WgKind;

/* Element types: PyTorch's ScalarType numbers. */
typedef enum WgDtype {
    WG_UINT8 = 0,
    WG_INT8 = 1,
    WG_INT16 = 2,
    WG_INT32 = 3,
    WG_INT64 = 4,
    WG_FLOAT16 = 5,
    WG_FLOAT32 = 6,
    WG_FLOAT64 = 7,
    WG_COMPLEX32 = 8,
    WG_COMPLEX64 = 9,
    WG_COMPLEX128 = 10,
    WG_BOOL = 11,
    WG_BFLOAT16 = 15,
    WG_FLOAT8_E5M2 = 23,
    WG_FLOAT8_E4M3FN = 24,
    WG_FLOAT8_E5M2FNUZ = 25,
    WG_FLOAT8_E4M3FNUZ = 26,
    WG_UINT16 = 27,
    WG_UINT32 = 28,
    WG_UINT64 = 29
} WgDtype;

/* Device types: PyTorch's DeviceType numbers. A device is type * 256 + index (wg_device); the CPU has index 0. */
typedef enum WgDeviceType {
    WG_CPU = 0,
    WG_CUDA = 1,
    WG_HIP = 6,
    WG_XLA = 9,
    WG_XPU = 12,
    WG_MPS = 13,
    WG_META = 14,
    WG_HPU = 15,
    WG_PRIVATEUSE1 = 20
} WgDeviceType;

/* What is still to be done to the elements that a tensor's memory holds [Tensor.is_conj(), Tensor.is_neg()]. */
typedef enum WgLazy { WG_LAZY_CONJ = 1, WG_LAZY_NEG = 2 } WgLazy;

/* Memory formats: PyTorch's numbers (c10/core/MemoryFormat.h). */
typedef enum WgMemoryFormat { WG_CONTIGUOUS = 0, WG_CHANNELS_LAST = 2, WG_CHANNELS_LAST_3D = 3 } WgMemoryFormat;

/* One place in generated code that can fail: constant, never freed. argument and rule may be null. */
typedef struct WgSite {
    const char *graph;
    const char *argument;
    const char *rule;
    int32_t code; /* WgStatus */
    int32_t kind; /* WgKind of expected and found */
} WgSite;

enum { WG_ERROR_VALUES = 8 /* of symbols that an error keeps */ };

/* The last error of a context. site is null when there is none; it stays valid until the next error in that context. */
typedef struct WgError {
    const WgSite *site;
    WgValue expected;
    WgValue found;
    int32_t status;
    int32_t dimension;   /* for WG_E_VERSION the position among the saved tensors; -1 when neither applies */
    const char *symbols; /* for WG_E_GUARD "s0, s1": the symbols of the condition; the first ones ... */
    size_t num_values; /* ... have these values; for WG_E_OVERLAP the name of the other input, and WgOverlapValues; for
                          WG_E_RESULT the name of the argument that the result is, and no values */
    int64_t values[WG_ERROR_VALUES];
    const struct WgDispatchTable *table;   /* for WG_E_NO_VARIANT (wg_dispatch.h): the kernel, ... */
    const struct WgDispatchClause *clause; /* ... the first condition that fails of the ... */
    uint32_t variant;                      /* ... nearest variant, and ... */
    uint32_t num_failing;                  /* ... how many of its conditions do */
} WgError;

/* Of WG_E_OVERLAP: the first and last byte of both tensors, counted from the lower first one; and whether they share a
 * byte, or only may. */
typedef enum WgOverlapValues {
    WG_OVERLAP_FIRST,
    WG_OVERLAP_LAST,
    WG_OVERLAP_OTHER_FIRST,
    WG_OVERLAP_OTHER_LAST,
    WG_OVERLAP_CERTAIN,
    WG_OVERLAP_VALUES
} WgOverlapValues;

/* What is known about one tensor, one fact per entry. Generated code tests them all in one expression; only when that
 * is false does wg_fail_tensor() (wg_check_returned() for a result) walk them in order to name the first that does not
 * hold. */
typedef enum WgRule {
    WG_RULE_DTYPE,
    WG_RULE_RANK,
    WG_RULE_SIZE,
    WG_RULE_STRIDE,
    WG_RULE_OFFSET,
    WG_RULE_DEVICE,      /* type and index */
    WG_RULE_DEVICE_TYPE, /* type only */
    WG_RULE_ALIGNMENT,   /* data pointer divisible by `expected` bytes; a tensor without elements passes */
    WG_RULE_LAZY         /* the sum of WgLazy */
} WgRule;

typedef struct WgFact {
    int32_t rule;      /* WgRule */
    int32_t dimension; /* for WG_RULE_SIZE and WG_RULE_STRIDE, else -1 */
    int64_t expected;
} WgFact;

/*
 * Errors. They are cold: compiled once, in the host's cold file or in wg_cold.c, and called only after a test has
 * failed; the attribute makes the compiler move the branches to them out of the way of the code that runs. Each records
 * the error in the context and returns site->code.
 */
#define WG_COLD __attribute__((cold))

WG_COLD int32_t wg_fail(WgContext *ctx, const WgSite *site, int32_t dimension, WgValue expected, WgValue found);

/* Names the first thing that is wrong with a tensor argument: null, not plain, then the facts in order. It records and
 * returns the code of what it found (WG_E_NULL, WG_E_TYPE, WG_E_DTYPE, ...), not site->code. */
WG_COLD int32_t wg_fail_tensor(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts,
                               size_t num_facts);

/* A tensor argument is null, or not exactly of `type`. */
WG_COLD int32_t wg_fail_type(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgType *type);

/* A tensor that the compiled function returned is null, not plain, or not as stated; the error (WG_E_RESULT) names the
 * rule that it breaks. Returns WG_OK when the only differences have no effect: the stride of a dimension of size 1, or
 * strides and offset of a tensor without elements. */
WG_COLD int32_t wg_check_returned(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts,
                                  size_t num_facts);

/* Checks the facts alone; the tensor is not null and may have any type. */
WG_COLD int32_t wg_check_stated(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts,
                                size_t num_facts);

/* A tensor that the compiled function returned does not have the shape `sizes`: names the rank, or the first size that
 * differs. */
WG_COLD int32_t wg_fail_shape(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const int64_t *sizes,
                              int32_t rank);

/* A result is an argument itself, of that name, a literal. */
WG_COLD int32_t wg_fail_argument(WgContext *ctx, const WgSite *site, const char *name, WgTensor *argument);

/* A guard does not hold for these values of its symbols, int64_t each, whose names are joined by ", " and outlive the
 * context. They are not in an array, since gcc would then load two arguments by one instruction in calls that do not
 * fail, which waits for both to be written. */
WG_COLD int32_t wg_fail_guard(WgContext *ctx, const WgSite *site, const char *symbols, size_t num_values, ...);

/*
 * In wg_overlap.c. Ranges of addresses meet without a shared byte where tensors interleave, as columns of a matrix do.
 *
 * wg_find_shared() finds, among the pairs whose ranges meet, the first that shares a byte: the written argument that
 * comes first, and of those that it shares with, again the first. It is exact unless that takes more than
 * WG_OVERLAP_STEPS steps for each of the n ranges, a dtype is unknown, or tensors have too many dimensions; such a pair
 * is taken to share, and is_certain says that this is not known. Reorders the ranges.
 *
 * wg_fail_if_shared() asks it about two tensors, fails for the first if they share, or may, and else returns WG_OK.
 * `argument` is the other one, or the subclass that it is an attribute of, and `name`, which outlives the context, is
 * the name of that; wg_fail_overlap() fails for what was found.
 */
enum { WG_OVERLAP_STEPS = 16384 /* one takes a few nanoseconds */ };

WG_COLD void wg_find_shared(WgContext *ctx, WgRange *ranges, size_t n, size_t num_written, WgOverlap *overlap);
WG_COLD int32_t wg_fail_overlap(WgContext *ctx, const WgSite *site, const WgOverlap *overlap, const char *name,
                                WgTensor *argument);
WG_COLD int32_t wg_fail_if_shared(WgContext *ctx, const WgSite *site, WgRange written, WgRange other, const char *name,
                                  WgTensor *argument);

/* The same for tensors whose ranges may not even meet. */
static inline int32_t wg_check_overlap(WgContext *ctx, const WgSite *site, WgRange written, WgRange other,
                                       const char *name, WgTensor *argument)
{
    return wg_ranges_meet(written.bytes, other.bytes) ? wg_fail_if_shared(ctx, site, written, other, name, argument)
                                                      : WG_OK;
}

/* A typed entry was given a null struct. `out` may be null; else its `size` bytes are zeroed. */
WG_COLD int32_t wg_fail_null(WgContext *ctx, const char *graph, void *out, size_t size);

/* A boxed entry was given a null array, or the wrong number of arguments or outputs. Zeroes the outputs that were
 * passed. */
WG_COLD int32_t wg_fail_boxed(WgContext *ctx, const char *graph, const WgValue *args, size_t num_args,
                              size_t expected_args, WgValue *outs, size_t num_outs, size_t expected_outs);

/* A compiled function returned `status`: when a nested wrapper has recorded its own error in ctx since
 * wg_error_clear(), that error stays and its code is returned; otherwise records WG_E_COMPILED with `status` as found.
 */
WG_COLD int32_t wg_fail_compiled(WgContext *ctx, const WgSite *site, int32_t status);

/* A verb of the host returned a `status` other than 0: records WG_E_HOST with it as found. */
WG_COLD int32_t wg_fail_host(WgContext *ctx, const WgSite *site, int32_t status);

/* Code that several graphs share has failed for `graph`: its sites name no graph, so the error, if it names none yet,
 * now names this one. */
WG_COLD void wg_fail_in(WgContext *ctx, const char *graph);

/* Before that, if the graph calls its arguments by other names: the argument names[i] of an error that names no graph
 * is now called own[i]. */
WG_COLD void wg_fail_as(WgContext *ctx, const char *const *names, const char *const *own, size_t num_names);

/* The last error, never null; owned by the context. */
const WgError *wg_error(const WgContext *ctx);
void wg_error_clear(WgContext *ctx);

/* Writes the error as one line of text, always terminated when capacity > 0; returns the length that a large enough
 * buffer would have held, as snprintf does. */
size_t wg_error_text(const WgError *error, char *buffer, size_t capacity);

/* "float32", "cuda", "WG_E_DTYPE": static text; "?" for a number without a name. */
const char *wg_dtype_name(int32_t dtype);
const char *wg_device_type_name(int32_t device_type);
const char *wg_status_name(int32_t status);

/*
 * What wg_cold.c, which has the functions above for every host, needs from the host: plain functions in its cold file.
 */

/* Each context has one, all zero at first. wg_fail_tensor() makes a general site specific in `site`. */
typedef struct WgErrorSlot {
    WgError error;
    WgSite site;
} WgErrorSlot;

WgErrorSlot *wg_host_error_slot(WgContext *ctx);

/* The exact type of a tensor, null for the plain one; and a type's name ("tensor" for null). */
const WgType *wg_host_type(WgContext *ctx, const WgTensor *tensor);
const char *wg_host_type_name(const WgType *type);

/* The value that `rule` checks; -1 for a dimension that the tensor does not have. For WG_RULE_ALIGNMENT it is the
 * address of the first element, 0 when there are none. For WG_RULE_DEVICE_TYPE it is the type alone. */
int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension);

/* The name of one of the host's own codes, null when it has none for that number. */
const char *wg_host_code_name(int32_t code);

static inline WgValue wg_value_tensor(WgTensor *tensor)
{
    WgValue value;
    value.tensor = tensor;
    return value;
}

static inline WgValue wg_value_integer(int64_t integer)
{
    WgValue value;
    value.integer = integer;
    return value;
}

static inline WgValue wg_value_real(double real)
{
    WgValue value;
    value.real = real;
    return value;
}

static inline WgValue wg_value_pointer(void *pointer)
{
    WgValue value;
    value.pointer = pointer;
    return value;
}

/* Whether a float is the one with these bits: 0.0 is not -0.0, and every NaN is the same. */
static inline int wg_is_real(double value, int64_t bits)
{
    double wanted = 0;
    int64_t found = 0;
    memcpy(&wanted, &bits, sizeof wanted);
    memcpy(&found, &value, sizeof found);
    return found == bits || (value != value && wanted != wanted);
}

/*
 * 64-bit integers of size expressions. An overflow, or a division by zero, sets *overflow (never clears it) and gives
 * 0; generated code looks at it once per expression group.
 */
static inline int64_t wg_add(int64_t a, int64_t b, int *overflow)
{
    int64_t result = 0;
    if (wg_ckd_add(&result, a, b)) {
        *overflow = 1;
        return 0;
    }
    return result;
}

static inline int64_t wg_sub(int64_t a, int64_t b, int *overflow)
{
    int64_t result = 0;
    if (wg_ckd_sub(&result, a, b)) {
        *overflow = 1;
        return 0;
    }
    return result;
}

static inline int64_t wg_mul(int64_t a, int64_t b, int *overflow)
{
    int64_t result = 0;
    if (wg_ckd_mul(&result, a, b)) {
        *overflow = 1;
        return 0;
    }
    return result;
}

/* Rounds towards minus infinity, as `//` does in Python and in the YAML. */
static inline int64_t wg_floordiv(int64_t a, int64_t b, int *overflow)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        *overflow = 1;
        return 0;
    }
    const int64_t quotient = a / b;
    return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/* Has the sign of the divisor, as `%` has in Python and in the YAML. */
static inline int64_t wg_mod(int64_t a, int64_t b, int *overflow)
{
    if (b == 0) {
        *overflow = 1;
        return 0;
    }
    const int64_t remainder = b == -1 ? 0 : a % b; /* INT64_MIN % -1 overflows in C */
    return remainder + (remainder != 0 && (remainder < 0) != (b < 0) ? b : 0);
}

/* Sets n values from an array of one of their members, which has `size` bytes: by one copy where that is all of a
 * value, so wherever pointers have 64 bits. */
static inline void wg_pack(WgValue *values, const void *members, size_t size, size_t n)
{
    if (size == sizeof *values) {
        memcpy(values, members, n * size);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(&values[i], (const char *)members + i * size, size);
    }
}

/* How many of the slots [first, last) are below n, that is, need releasing when only n values came back. */
static inline size_t wg_span(size_t first, size_t last, size_t n)
{
    return n <= first ? 0 : (n < last ? n : last) - first;
}

/*
 * Places in a table of 2^bits (bits: 1 to 30), half of it free, of what was seen. One tensor has one array of sizes, so
 * it is looked for by that address: from its first place on, up to a free one.
 */
static inline size_t wg_seen_place(uint32_t bits, const void *address)
{
    return (size_t)((uint64_t)(uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
}

/* The one after it; after the last one comes the first. */
static inline size_t wg_seen_next(uint32_t bits, size_t place)
{
    return (place + 1) & (((size_t)1 << bits) - 1);
}

static inline int64_t wg_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t wg_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_CORE_H */
