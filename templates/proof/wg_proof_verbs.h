/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/* wg_proof_verbs.h - the contract of each verb of templates/hosts/VERBS.md, in its order; see wg_proof.h. */
#ifndef WG_PROOF_VERBS_H
#define WG_PROOF_VERBS_H

/* ---- reads ---- */

/* Expressions, so that the analyser learns from a comparison what it says about the tensor. */
#define wg_rank(ctx, t)     ((void)(ctx), (t)->rank)
#define wg_is_view(ctx, t)  ((void)(ctx), (t)->is_view)
#define wg_is_plain(ctx, t) ((void)(ctx), (t)->is_plain)

/*@ requires \valid_read(t);
  @ requires 0 <= dimension < t->rank;
  @ assigns \result \from *t, dimension; */
int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension);

/*@ requires \valid_read(t);
  @ requires 0 <= dimension < t->rank;
  @ assigns \result \from *t, dimension; */
int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension);

/* One analysis for each rank that the tensor can have here, until another is asked for its own. */
static inline const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    wg_proof_rank_asked = t->rank;
    //@ split wg_proof_rank_asked;
    return wg_proof_dimensions + (WG_PROOF_RANK - t->rank);
}

static inline const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    (void)ctx;
    wg_proof_rank_asked = t->rank;
    //@ split wg_proof_rank_asked;
    return wg_proof_or_null(wg_proof_dimensions + (WG_PROOF_RANK - t->rank));
}

/*@ requires \valid_read(t);
  @ assigns \result \from *t; */
int64_t wg_offset(WgContext *ctx, const WgTensor *t);

/*@ requires \valid_read(t);
  @ assigns \result \from *t; */
int32_t wg_dtype(WgContext *ctx, const WgTensor *t);

/*@ requires \valid_read(t);
  @ assigns \result \from *t; */
int32_t wg_device(WgContext *ctx, const WgTensor *t);

/* Any address, with or without memory behind it. */
/*@ requires \valid_read(t);
  @ assigns \result \from *t; */
void *wg_data(WgContext *ctx, const WgTensor *t);

/*@ requires \valid_read(t);
  @ assigns \result \from *t;
  @ ensures 0 <= \result <= 3; */
int32_t wg_lazy(WgContext *ctx, const WgTensor *t);

/*@ requires \valid_read(t);
  @ assigns \result \from *t; */
int wg_requires_grad(WgContext *ctx, const WgTensor *t);

/* Facts that hold include the rank. */
/*@ requires \valid_read(t);
  @ requires num_facts == 0 || \valid_read(facts + (0 .. num_facts - 1));
  @ requires num_facts == 0 || \initialized(facts + (0 .. num_facts - 1)); */
static inline int wg_matches(WgContext *ctx, const WgTensor *t, const WgFact *facts, size_t num_facts)
{
    (void)ctx;
    for (size_t i = 0; i < num_facts; i++) {
        if (facts[i].rule == WG_RULE_RANK && t->rank != facts[i].expected) {
            return 0;
        }
    }
    return wg_proof_may();
}

/* Never of a plain tensor. */
/*@ requires \valid_read(t);
  @ requires 0 <= dimension < t->rank;
  @ requires \valid(symbol); */
static inline int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)ctx;
    (void)of_stride;
    if (!t->is_plain && wg_proof_may()) {
        symbol->environment = wg_proof_bits();
        symbol->expression = wg_proof_bits();
        return 1;
    }
    return 0;
}

/*@ requires \valid_read(t) && type != \null;
  @ assigns \result \from *t, type; */
int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type);

/*@ requires \valid_read(t);
  @ assigns \result \from *t, type_context; */
int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context);

/*@ requires \valid_read(a) && \valid_read(b);
  @ assigns \result \from a, b; */
int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b);

/*@ requires \valid_read(t); */
static inline WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t)
{
    WgByteRange range;
    (void)ctx;
    (void)t;
    range.first = (uintptr_t)wg_proof_bits();
    range.end = (uintptr_t)wg_proof_bits();
    return range;
}

/*@ requires \valid_read(a) && \valid_read(b);
  @ assigns \result \from *a, *b; */
int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b);

/*@ requires \valid_read(t);
  @ assigns \result \from *t; */
int64_t wg_nested_int(WgContext *ctx, const WgTensor *t);

/*@ requires \valid_read(t);
  @ assigns \result \from *t; */
int64_t wg_version(WgContext *ctx, const WgTensor *t);

/*@ requires \valid(ctx);
  @ assigns \result \from *ctx; */
int32_t wg_host_status(WgContext *ctx);

/* ---- changes: any status; those that give a tensor another geometry leave it with any rank ---- */

/*@ requires \valid(dst) && \valid_read(src);
  @ assigns \result \from *dst, *src; */
int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src);

/*@ requires \valid(dst) && \valid_read(src);
  @ assigns \result \from *dst, *src; */
int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src);

/*@ requires \valid(dst) && \valid_read(src);
  @ assigns *dst, \result \from *dst, *src;
  @ ensures 0 <= dst->rank <= WG_PROOF_RANK && 0 <= dst->is_view <= 1 && 0 <= dst->is_plain <= 1; */
int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src);

/*@ requires \valid(dst) && \valid_read(src);
  @ assigns *dst, \result \from *dst, *src;
  @ ensures 0 <= dst->rank <= WG_PROOF_RANK && 0 <= dst->is_view <= 1 && 0 <= dst->is_plain <= 1; */
int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src);

/*@ requires \valid(dst) && \valid_read(like);
  @ assigns *dst, \result \from *dst, *like;
  @ ensures 0 <= dst->rank <= WG_PROOF_RANK && 0 <= dst->is_view <= 1 && 0 <= dst->is_plain <= 1; */
int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like);

/* ---- new tensors: on success *out is an owned reference, on failure null ---- */

/*@ requires \valid(base) && \valid_read(target) && \valid(out); */
static inline int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    (void)ctx, (void)requires_grad;
    return wg_proof_make_of(out, target->rank);
}

/*@ requires \valid(base) && \valid(out); */
static inline int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad, WgTensor **out)
{
    (void)ctx, (void)dtype, (void)requires_grad;
    wg_proof_geometry(geometry);
    return wg_proof_make_of(out, geometry->rank);
}

/*@ requires \valid(base) && \valid(out); */
static inline int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    (void)ctx, (void)dtype;
    return wg_proof_make(out);
}

/*@ requires \valid(base) && \valid(out); */
static inline int32_t wg_conj(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    (void)ctx;
    return wg_proof_make_of(out, base->rank);
}

/*@ requires \valid(base) && \valid(out); */
static inline int32_t wg_neg_view(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    (void)ctx;
    return wg_proof_make_of(out, base->rank);
}

/*@ requires \valid(base) && \valid(out); */
static inline int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    (void)ctx;
    return wg_proof_make(out);
}

/*@ requires \valid(base) && \valid(out); */
static inline int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    (void)ctx;
    return wg_proof_make(out);
}

/*@ requires \valid(base) && \valid(out); */
static inline int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    (void)ctx;
    wg_proof_geometry(geometry);
    return wg_proof_make_of(out, geometry->rank);
}

/*@ requires \valid(t) && \valid(out); */
static inline int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    (void)ctx;
    return wg_proof_make_of(out, t->rank);
}

/*@ requires \valid(t) && \valid(out); */
static inline int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    (void)ctx;
    return wg_proof_make(out);
}

/* When it succeeds, the view is another object. */
/*@ requires \valid_read(base) && \valid(view) && \valid(*view); */
static inline int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    (void)ctx, (void)requires_grad;
    if (wg_proof_may()) {
        return wg_proof_failure();
    }
    free(*view);
    *view = wg_proof_tensor();
    return 0;
}

/*@ requires \valid(t);
  @ assigns \result \from *t, requires_grad; */
int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad);

/*@ requires \valid(out); */
static inline int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    (void)ctx, (void)dtype, (void)device;
    wg_proof_geometry(geometry);
    return wg_proof_make_of(out, geometry->rank);
}

/*@ requires \valid(out) && 0 <= rank <= WG_PROOF_RANK;
  @ requires rank == 0 || \valid_read(sizes + (0 .. rank - 1));
  @ requires rank == 0 || \initialized(sizes + (0 .. rank - 1)); */
static inline int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    (void)ctx, (void)dtype, (void)device;
    return wg_proof_make_of(out, rank);
}

/*@ requires \valid(src) && \valid(out); */
static inline int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    (void)ctx;
    return wg_proof_make(out);
}

/* Null for a tensor that is not a view. */
/*@ requires \valid(src) && \valid(out); */
static inline int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    (void)ctx;
    *out = NULL;
    if (wg_proof_may()) {
        return wg_proof_failure();
    }
    *out = src->is_view ? wg_proof_tensor() : NULL;
    return 0;
}

/*@ requires \valid(t) && \valid(out); */
static inline int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    (void)ctx;
    (void)memory_format;
    return wg_proof_make_of(out, t->rank);
}

/*@ requires \valid(t) && \valid(out); */
static inline int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    (void)ctx;
    wg_proof_geometry(geometry);
    return wg_proof_make_of(out, geometry->rank);
}

/* ---- state ---- */

/*@ requires \valid(ctx); assigns \result \from *ctx; */
int wg_grad_mode(WgContext *ctx);

/*@ requires \valid(ctx);
  @ assigns \nothing; */
void wg_set_grad_mode(WgContext *ctx, int enabled);

/*@ requires \valid(ctx); assigns \result \from *ctx; */
int wg_view_replay(WgContext *ctx);

/*@ requires \valid(ctx);
  @ assigns \nothing; */
void wg_set_view_replay(WgContext *ctx, int enabled);

/*@ requires \valid(ctx);
  @ assigns \result \from *ctx; */
uint32_t wg_autocast_off(WgContext *ctx);

/*@ requires \valid(ctx);
  @ assigns \nothing; */
void wg_autocast_restore(WgContext *ctx, uint32_t saved);

/*@ requires \valid(ctx); assigns \result \from *ctx; */
int wg_deterministic(WgContext *ctx);
/*@ requires \valid(ctx); assigns \result \from *ctx; */
uint64_t wg_cpu(WgContext *ctx);

/*@ requires \valid(ctx) && valid_read_string(name);
  @ assigns \nothing; */
void wg_range_begin(WgContext *ctx, const char *name);

/*@ requires \valid(ctx);
  @ assigns \nothing; */
void wg_range_end(WgContext *ctx);

/*@ requires \valid(t); assigns \result \from *t; */
int32_t wg_bump_version(WgContext *ctx, WgTensor *t);
/*@ requires \valid(view); assigns \result \from *view; */
int32_t wg_mark_part(WgContext *ctx, WgTensor *view);

/*@ requires \valid(t);
  @ requires num_dimensions == 0 || \valid_read(dimensions + (0 .. num_dimensions - 1));
  @ requires num_dimensions == 0 || \initialized(dimensions + (0 .. num_dimensions - 1));
  @ assigns \result \from *t; */
int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions);

/*@ requires \valid(seed) && \valid(offset); */
static inline int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset)
{
    (void)ctx;
    *seed = NULL;
    *offset = NULL;
    if (wg_proof_may()) {
        return wg_proof_failure();
    }
    *seed = wg_proof_tensor();
    *offset = wg_proof_tensor();
    return 0;
}

/*@ requires \valid_read(offset);
  @ assigns \result \from *offset; */
int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset);

/*@ requires owner != \null && index >= 0 && \valid(generator); */
static inline int32_t wg_generator_get(WgContext *ctx, const void *owner, int32_t index, int32_t device, void **generator)
{
    (void)ctx;
    (void)device;
    *generator = NULL;
    if (wg_proof_may()) {
        return wg_proof_failure();
    }
    *generator = &wg_proof_opaque;
    return 0;
}

/*@ requires generator != \null && \valid(state); */
static inline int32_t wg_generator_state(WgContext *ctx, const void *generator, WgTensor **state)
{
    (void)ctx;
    return wg_proof_make(state);
}

/* A null state is refused, but allowed. */
/*@ requires generator != \null && (state == \null || \valid_read(state));
  @ assigns \result \from generator, state; */
int32_t wg_generator_restore(WgContext *ctx, void *generator, const WgTensor *state);

/* ---- lifetime ---- */

/*@ requires \valid(t) && \valid(owned); */
static inline int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    (void)ctx;
    return wg_proof_make(owned);
}

/*@ requires t == \null || \valid(t); */
static inline void wg_release(WgContext *ctx, WgTensor *t)
{
    (void)ctx;
    free(t);
}

/*@ requires n == 0 || \valid(values + (0 .. n - 1)); */
static inline void wg_release_run(WgContext *ctx, WgValue *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, values[i].tensor);
        values[i].tensor = NULL;
    }
}

/* Values that hold nothing yet. */
/*@ requires \valid(ctx) && n > 0; */
static inline WgValue *wg_scratch_take(WgContext *ctx, size_t n)
{
    WgValue *values = wg_proof_may() ? malloc(n * sizeof *values) : NULL;
    ctx->scratch = values;
    return values;
}

/* A use after this is an error. */
/*@ requires \valid(ctx); */
static inline void wg_scratch_give(WgContext *ctx, size_t n)
{
    (void)n;
    free(ctx->scratch);
    ctx->scratch = NULL;
}

/* ---- subclasses ---- */

/* Borrowed: only its owner ends it. */
/*@ requires \valid_read(t) && index >= 0 && \valid(attr); */
static inline int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr)
{
    (void)ctx;
    (void)index;
    *attr = NULL;
    if (wg_proof_may()) {
        return wg_proof_failure();
    }
    *attr = wg_proof_value_tensor();
    return 0;
}

/* Takes the attributes in every case. */
/*@ requires type != \null && \valid(out);
  @ requires num_attrs == 0 || \valid_read(attrs + (0 .. num_attrs - 1));
  @ requires num_attrs == 0 || \initialized(attrs + (0 .. num_attrs - 1)); */
static inline int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                                 const WgGeometry *outer, WgTensor **out)
{
    (void)type_context;
    if (outer != NULL) {
        wg_proof_geometry(outer);
    }
    for (size_t i = 0; i < num_attrs; i++) {
        wg_release(ctx, attrs[i]);
    }
    return wg_proof_make(out);
}

/* Null for one that cannot be converted. */
/*@ requires \valid(t) && \valid(out); */
static inline int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    (void)ctx, (void)type, (void)type_context;
    *out = NULL;
    if (wg_proof_may()) {
        return wg_proof_failure();
    }
    *out = wg_proof_value_tensor();
    return 0;
}

/* Borrowed. */
/*@ requires \valid(t) && \valid(waited); */
static inline int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    (void)ctx;
    return wg_proof_make(waited);
}

static inline int wg_proof_compare_verbs(void) /* never called, see wg_proof_compare: wrappers do not compare these at once */
{
    return wg_view_base(NULL, NULL, NULL) == 0 || wg_storage_base(NULL, NULL, NULL) == 0 || wg_attr(NULL, NULL, 0, NULL) == 0;
}

#endif /* WG_PROOF_VERBS_H */
