/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch.h - the `torch` host: PyTorch's own tensors through its C++, with or without Python in the process.
 *
 * A WgTensor * is a c10::TensorImpl * with another name, and a reference to it is one of PyTorch's own: wg_torch.hpp
 * has the conversions for programs in C++. This header is C, and so is generated code; the .cpp files of this folder
 * are compiled once per environment with PyTorch's headers (C++20) and linked with libtorch_cpu and libc10.
 *
 * Contracts of the verbs: VERBS.md. A comment next to a verb says what it is built on where that is more than the
 * operation which VERBS.md names. Every behaviour was measured with PyTorch 2.13 and is tested by tests/torch/cpp.
 * This host differs from VERBS.md in two points, as PyTorch does:
 *   - copy_ between tensors that overlap in part is refused;
 *   - version counters belong to tensors: wg_storage_base and wg_unsafe_view begin at 0, on their own.
 *
 * A verb in which PyTorch throws returns WG_TORCH_E_RAISED, and a read notes it for wg_host_status(); the text is
 * wg_torch_message(), and wg_torch.hpp has the exception itself. Nothing is thrown through C.
 *
 * Subclasses exist in Python alone. What asks about them is done by functions of the program (WgTorchTable), and so
 * are CUDA's random numbers and dynamic marks; the generator warns when a graph needs one of these.
 *
 * Training graphs: wg_torch_autograd.h. Modes live in libtorch, one set per thread.
 * Not here: wg_range_begin and wg_range_end; wrappers then mark no ranges for profilers.
 */
#ifndef WG_TORCH_H
#define WG_TORCH_H

#include "wg_core.h"
#include "wg_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Generated code refers to this, so linking it to another host, or to another ABI of this one, fails. */
extern const int32_t wg_host_torch_abi1;

/* The codes of this host: name, what is wrong. The numbers start above those of the other hosts. */
#define WG_TORCH_CODES(X)                                                                                              \
    X(WG_TORCH_E_RAISED, "PyTorch raised an exception; wg_torch_message() says why")                                   \
    X(WG_TORCH_E_MEMORY, "out of memory")                                                                              \
    X(WG_TORCH_E_ARGUMENT, "an argument makes no sense: a null pointer, a negative rank or count")                     \
    X(WG_TORCH_E_DTYPE, "a dtype is unknown, or the dtypes differ in a way that this operation cannot bridge")         \
    X(WG_TORCH_E_DIMENSION, "a dimension that the tensor does not have")                                               \
    X(WG_TORCH_E_TABLE, "the program gave this context no function for this (WgTorchTable)")                           \
    X(WG_TORCH_E_AUTOGRAD, "a training graph was described in a way that does not fit what its wrapper does")          \
    X(WG_TORCH_E_BUILD, "this host was built for another version of PyTorch than the one that is loaded")

typedef enum WgTorchCode {
    WG_TORCH_OK = 0,
    WG_TORCH_E_BASE = 4000, /* not used itself */
#define WG_TORCH_CODE(name, text) name,
    WG_TORCH_CODES(WG_TORCH_CODE)
#undef WG_TORCH_CODE
} WgTorchCode;

/*
 * What C++ alone cannot do; with Python in the process, an extension module can. Any of them may be null; then the
 * comment after it holds. Statuses and references are those of the verb of the same name. A function in C++ may throw
 * instead, as a verb of PyTorch's may.
 */
typedef struct WgTorchTable {
    void *user;                                     /* first argument of each */
    int (*is_plain)(void *user, const WgTensor *t); /* asked about tensors that C++ takes for plain ones: types that
                                                       only Python knows. Null: they are */
    int (*is_type)(void *user, const WgTensor *t, const WgType *type);           /* null: no tensor is of any type */
    int (*has_context)(void *user, const WgTensor *t, const void *type_context); /* null: no tensor has any */
    int (*symbol)(void *user, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol); /* null: none */
    int64_t (*nested_int)(void *user, const WgTensor *t);                           /* null: noted as an error */
    int32_t (*attr)(void *user, const WgTensor *t, int32_t index, WgTensor **attr); /* null: refused */
    int32_t (*rebuild)(void *user, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                       const WgGeometry *outer, WgTensor **out); /* null: refused */
    int32_t (*coerce_tangent)(void *user, WgTensor *t, const WgType *type, const void *type_context,
                              WgTensor **out);                   /* null: cannot be converted */
    int32_t (*wait)(void *user, WgTensor *t, WgTensor **waited); /* for a tensor that is not plain; null: t itself */
    int32_t (*mark_dynamic)(void *user, WgTensor *t, const int32_t *dimensions,
                            size_t num_dimensions);                     /* null: nothing is marked */
    int32_t (*rng_get)(void *user, WgTensor **seed, WgTensor **offset); /* null: refused */
    int32_t (*rng_set)(void *user, const WgTensor *offset);             /* null: refused */
    void (*hold)(void *user);                                           /* a node of autograd keeps this table, ... */
    void (*let_go)(void *user); /* ... and no longer does; both on any thread. Null: it outlives every node */
    void (*keep)(void *user,
                 void *object); /* a node of autograd keeps an opaque value that a compiled function saved, */
    void (*drop)(void *user,
                 void *object); /* and no longer does, before let_go. Null: such values outlive every node */
} WgTorchTable;

/* The part of a context that verbs read inline; the rest is C++. */
struct WgContext {
    int32_t pending;           /* of a read that failed */
    const WgTorchTable *table; /* never null */
    WgValue *scratch;
    size_t scratch_capacity;
    size_t scratch_used;
    WgCpu cpu;
};

/* An exact tensor type that is not the plain one: a constant of the program's, the same object for the same type. */
struct WgType {
    const char *name;
    void *object; /* for the program's functions */
};

/* An AOTInductor model. A program defines one for each graph with `convention: aoti`, opens it, and closes it; zero is
 * one that is closed. */
struct WgModel {
    void *runner;
    size_t num_inputs;
    size_t num_outputs;
};

/* ---- contexts ---- */

/* `table` may be null, which means a table of nulls. It must outlive the context. Returns a status; *out is null on
 * failure. WG_TORCH_E_BUILD: wg_torch_build_problem() says more. */
int32_t wg_context_create(const WgTorchTable *table, WgContext **out);
void wg_context_destroy(WgContext *ctx); /* null is allowed */

/* A context for another thread: it has the same table and amount of scratch, and no error. Modes are that thread's
 * own. */
int32_t wg_context_fork(const WgContext *parent, WgContext **out);

/* Makes room for at least n values of scratch in all; fails while some is taken (WG_TORCH_E_ARGUMENT). */
int32_t wg_context_reserve(WgContext *ctx, size_t n);

/* Why the last verb with this context failed, in PyTorch's words. Never null; until the next failure. */
const char *wg_torch_message(const WgContext *ctx);

/* Sets that text, for functions of the program and compiled functions in C. */
void wg_torch_say(WgContext *ctx, const char *message);

const char *wg_torch_code_text(int32_t code); /* "out of memory"; null for a number that is not a code */

/* Null, or one line that says which PyTorch this was built for and which one is loaded. */
const char *wg_torch_build_problem(void);

/* ---- verbs that read ---- */

int32_t wg_rank(WgContext *ctx, const WgTensor *t);
int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension);
int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension);
const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t);
const int64_t *wg_strides(WgContext *ctx, const WgTensor *t);
int64_t wg_offset(WgContext *ctx, const WgTensor *t);
int32_t wg_dtype(WgContext *ctx, const WgTensor *t);
int32_t wg_device(WgContext *ctx, const WgTensor *t);
void *wg_data(WgContext *ctx, const WgTensor *t);
int wg_requires_grad(WgContext *ctx, const WgTensor *t);
int32_t wg_lazy(WgContext *ctx, const WgTensor *t); /* [is_conj, is_neg] */

/* Strided, with numbers for sizes, and nothing between it and PyTorch's kernels: no Python, no functorch, not nested.
 */
int wg_is_plain(WgContext *ctx, const WgTensor *t);
int wg_matches(WgContext *ctx, const WgTensor *t, const WgFact *facts, size_t num_facts);
int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol);
int wg_is_view(WgContext *ctx, const WgTensor *t);
int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type);
int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context);
WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t);
int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b);
int64_t wg_nested_int(WgContext *ctx, const WgTensor *t);
int64_t wg_version(WgContext *ctx, const WgTensor *t); /* 0 for inference tensors, which have none */

static inline int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    (void)ctx;
    return a == b;
}

static inline int32_t wg_host_status(WgContext *ctx)
{
    const int32_t status = ctx->pending;
    ctx->pending = 0;
    return status;
}

/* ---- verbs that change or make tensors ---- */

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_set_(WgContext *ctx, WgTensor *dst,
                const WgTensor *src); /* refuses another dtype or device, as Python does */
int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src);
int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like);

/* [as_strided; view_as_real or view_as_complex first between real and complex of one width; between other dtypes a flat
 * view of the whole storage, view.dtype, as_strided, which share the version counter too] */
int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out);
int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out);
int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out);
int32_t wg_conj(WgContext *ctx, WgTensor *base, WgTensor **out);     /* [_conj] */
int32_t wg_neg_view(WgContext *ctx, WgTensor *base, WgTensor **out); /* [_neg_view] */
int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out);
int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out);
int32_t wg_mark_part(WgContext *ctx, WgTensor *view);
int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out);
int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out);
int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad);

/* Within wg_torch_train() it hangs the tensor on the call's node; else [requires_grad_]. */
int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad);
int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out);
int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out);
int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out);
int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out);
int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out);
int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out);

int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr);
int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out);
int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out);
int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited); /* [_c10d_functional::wait_tensor] of a plain tensor */

/* ---- state ---- */

int wg_grad_mode(WgContext *ctx);
void wg_set_grad_mode(WgContext *ctx, int enabled);
int wg_view_replay(WgContext *ctx);
void wg_set_view_replay(WgContext *ctx, int enabled);
uint32_t wg_autocast_off(WgContext *ctx); /* [torch._C._DisableAutocast] */
void wg_autocast_restore(WgContext *ctx, uint32_t saved);
int wg_deterministic(WgContext *ctx);

/* Read from the system at its first use. */
static inline uint64_t wg_cpu(WgContext *ctx)
{
    return wg_cpu_known(&ctx->cpu);
}

/* From now on variants are chosen as for a CPU with these features, a bit each (wg_cpu.h). Without those that not every
 * machine has, all machines call the same functions. A feature that the CPU lacks is for tests of the choice alone. */
static inline void wg_context_set_cpu(WgContext *ctx, uint64_t features)
{
    ctx->cpu.features = features;
    ctx->cpu.known = 1;
}
int32_t wg_bump_version(WgContext *ctx, WgTensor *t);
int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions);
int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset);
int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset);

/* *generator is a c10::GeneratorImpl *. */
int32_t wg_generator_get(WgContext *ctx, const void *owner, int32_t index, int32_t device, void **generator);
int32_t wg_generator_state(WgContext *ctx, const void *generator, WgTensor **state);
int32_t wg_generator_restore(WgContext *ctx, void *generator, const WgTensor *state);

/* ---- compiled models ---- */

/* Opens the shared library at `path` for up to `num_runners` calls at a time; further calls wait. The only device is
 * "cpu". Returns a status; on failure *model is closed. */
int32_t wg_torch_model_open(WgContext *ctx, WgModel *model, const char *path, const char *device, size_t num_runners);
void wg_torch_model_close(WgModel *model); /* one that is closed is allowed */

/* [AOTIModelContainerRunner.boxed_run] Whatever the model throws is the error, and so is another number of tensors. */
int32_t wg_call_model(WgContext *ctx, WgModel *model, const WgValue *args, size_t num_args, WgValue *outs,
                      size_t *num_outs);

/* ---- lifetime ---- */

int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned);
void wg_release(WgContext *ctx, WgTensor *t);
void wg_release_run(WgContext *ctx, WgValue *values, size_t n);

static inline WgValue *wg_scratch_take(WgContext *ctx, size_t n)
{
    if (n > ctx->scratch_capacity - ctx->scratch_used) {
        return NULL;
    }
    WgValue *taken = ctx->scratch + ctx->scratch_used;
    ctx->scratch_used += n;
    return taken;
}

static inline void wg_scratch_give(WgContext *ctx, size_t n)
{
    ctx->scratch_used -= n;
}

#ifdef __cplusplus
}
#endif

#endif /* WG_TORCH_H */
