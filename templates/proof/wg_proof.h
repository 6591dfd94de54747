/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/*
 * wg_proof.h - what a static analyser (Frama-C's Eva) may take for granted about everything that wrappers call: the
 * verbs of any host, functions of core that have a file of their own, compiled functions, and what compilers have built in.
 *
 * It takes the place of the host's header. A contract says in ACSL what a caller has to see to (`requires`: the analyser
 * reports each call for which it cannot show that), and leaves everything else open: a verb may return any number, fail
 * or not, and make any tensor. So what is shown holds for each host that keeps to templates/hosts/VERBS.md.
 *
 * A verb whose effect a contract can describe has no body. The others have one that does, in every way that is allowed,
 * what VERBS.md says. Three things are made stricter than any host is:
 *   - each tensor that a verb or a compiled function returns is an object of its own with one reference, so releasing it
 *     ends it: a use after that, or a second release, is an error;
 *   - out-parameters are null after a failure, and the slots of a compiled function that failed hold numbers;
 *   - arrays are as long as the caller of a wrapper says, and not a value longer.
 *
 * What is trusted is written in schema/SPEC.md, "Proof". This file has what the others stand on; wg_proof_verbs.h has the verbs,
 * wg_proof_cold.h the errors, wg_proof_cache.h the caches of keys, wg_proof_key.h parts of keys, wg_proof_core.h what else core
 * has in files of its own.
 */
#ifndef WG_PROOF_H
#define WG_PROOF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- values that can be anything ---- */

/*@ assigns \result \from \nothing;
  @ ensures 0 <= \result <= 1; */
int wg_proof_may(void); /* each time either */

/*@ assigns \result \from \nothing; */
int64_t wg_proof_integer(void); /* any, each time another; the same of the next three */

/*@ assigns \result \from \nothing; */
int32_t wg_proof_int32(void);

/*@ assigns \result \from \nothing; */
uint64_t wg_proof_bits(void);

/*@ assigns \result \from \nothing; */
double wg_proof_real(void); /* also an infinity, or not a number */

/*@ assigns \result \from \nothing;
  @ ensures least <= \result <= most; */
int64_t wg_proof_from(int64_t least, int64_t most);

/* Of a function that failed: any number but 0, for which these stand, as what is shown of intervals is shown around a
 * hole in them, too. */
/*@ assigns \result \from \nothing;
  @ ensures \subset(\result, {INT32_MIN, -1, 1, 100, INT32_MAX}); */
int32_t wg_proof_failure(void);

/* What these promise depends on how two numbers compare, or on an address, which intervals do not say; contracts stand for
 * them. */
#define wg_find_overlap  wg_proof_real_find_overlap
#define wg_check_overlap wg_proof_real_check_overlap
#define wg_floordiv      wg_proof_real_floordiv
#define wg_mod           wg_proof_real_mod
#define wg_seen_place    wg_proof_real_seen_place
#include "wg_core.h"
#undef wg_find_overlap
#undef wg_check_overlap
#undef wg_floordiv
#undef wg_mod
#undef wg_seen_place

/*@ requires \valid(overflow);
  @ assigns *overflow, \result \from a, b, *overflow; */
int64_t wg_floordiv(int64_t a, int64_t b, int *overflow);

/*@ requires \valid(overflow);
  @ assigns *overflow, \result \from a, b, *overflow; */
int64_t wg_mod(int64_t a, int64_t b, int *overflow);

/* Any place, whatever the address: a number made from one is not a number for the analysis. */
/*@ requires 1 <= bits <= 30;
  @ assigns \result \from bits;
  @ ensures 0 <= \result < (1 << bits); */
size_t wg_seen_place(uint32_t bits, const void *address);

/* Numbers of values, in order: each within 8 of none and of the right one, and every 32nd between. A wrapper compares the
 * number with the right one alone, so all that are wrong take one way. */
static inline size_t wg_proof_next_count(size_t n, size_t right)
{
    return n < 8 || n + 40 > right ? n + 1 : n + 32;
}

/* ---- objects ---- */

/* What a tensor may be asked depends on the number of its dimensions, and on whether it is a view, or plain. */
struct WgTensor {
    int32_t rank;
    int32_t is_view;
    int32_t is_plain;
};

struct WgContext {
    WgValue *scratch; /* taken last, and not given back */
};

struct WgType {
    char unused;
};

struct WgModel {
    char unused;
};

enum { WG_PROOF_RANK = 64 /* the most dimensions that PyTorch's tensors have */ };

/* The end of this array is the end of a tensor's sizes, and of its strides: it has as many as dimensions. */
extern int64_t wg_proof_dimensions[WG_PROOF_RANK];

/* The rank of the tensor whose sizes or strides were asked for last; each that it can be is analysed by itself. */
static int32_t wg_proof_rank_asked;

/*@ assigns \result \from address;
  @ ensures \subset(\result, {address, \null}); */
void *wg_proof_or_null(void *address);

static inline WgTensor *wg_proof_tensor(void)
{
    WgTensor *tensor = malloc(sizeof *tensor);
    tensor->rank = (int32_t)wg_proof_from(0, WG_PROOF_RANK);
    tensor->is_view = wg_proof_may();
    tensor->is_plain = wg_proof_may();
    return tensor;
}

/* An argument of a kernel: its key holds as many words as the tensor has dimensions, so each rank is analysed by itself,
 * and only the few that suffice to tell kernels apart; the last is more than a key may have. */
/*@ assigns \result \from \nothing;
  @ ensures \subset(\result, {0, 1, 2, 3, 4, 17}); */
int32_t wg_proof_rank(void);

static inline WgTensor *wg_proof_tensor_there(void)
{
    WgTensor *tensor = malloc(sizeof *tensor);
    tensor->rank = wg_proof_rank();
    tensor->is_view = wg_proof_may();
    tensor->is_plain = wg_proof_may();
    return tensor;
}

static inline WgTensor *wg_proof_kernel_tensor(void)
{
    return wg_proof_or_null(wg_proof_tensor_there());
}

/* A value of each kind that a slot can have. */
static inline WgTensor *wg_proof_value_tensor(void)
{
    return wg_proof_or_null(wg_proof_tensor());
}

static inline int64_t wg_proof_value_integer(void)
{
    return wg_proof_integer();
}

static inline double wg_proof_value_real(void)
{
    return wg_proof_real();
}

/* Of opaque values nothing is known but that they are addresses, or null. */
extern char wg_proof_opaque;

static inline void *wg_proof_value_pointer(void)
{
    return wg_proof_or_null(&wg_proof_opaque);
}

/* One of many inputs. Null are any, or all up to one that is: `there` holds a tensor for each. */
static inline WgTensor *wg_proof_there_tensor(void)
{
    return wg_proof_tensor();
}

#define wg_proof_there_integer        wg_proof_value_integer
#define wg_proof_there_real           wg_proof_value_real
#define wg_proof_there_pointer        wg_proof_value_pointer
#define wg_proof_maybe_tensor(there)  wg_proof_or_null(there)
#define wg_proof_maybe_integer(there) there
#define wg_proof_maybe_real(there)    there
#define wg_proof_maybe_pointer(there) there

/* It is the first that is null, and is there in the calls that follow. */
#define wg_proof_first_null_tensor(call, in, slot, there) \
    slot = NULL;                                          \
    call(in);                                             \
    slot = there
#define wg_proof_first_null_integer(call, in, slot, there) (void)0
#define wg_proof_first_null_real(call, in, slot, there)    (void)0
#define wg_proof_first_null_pointer(call, in, slot, there) (void)0

/* What else the arguments of kernels may be. */
enum { WG_PROOF_ITEMS = 2 /* at most, in a list */, WG_PROOF_BYTES = 16 /* at most, in a string */, WG_PROOF_TEXT = 64 };

extern char wg_proof_text[WG_PROOF_BYTES + 1];

static inline const char *wg_proof_string(void)
{
    wg_proof_text[WG_PROOF_BYTES] = '\0';
    return wg_proof_or_null(wg_proof_text);
}

static inline const void *wg_proof_nothing(void)
{
    return wg_proof_value_pointer();
}

static inline const int64_t *wg_proof_address_integer(void)
{
    int64_t *const address = malloc(sizeof *address);
    *address = wg_proof_integer();
    return wg_proof_or_null(address);
}

static inline const int32_t *wg_proof_address_int32(void)
{
    int32_t *const address = malloc(sizeof *address);
    *address = wg_proof_int32();
    return wg_proof_or_null(address);
}

static inline const double *wg_proof_address_real(void)
{
    double *const address = malloc(sizeof *address);
    *address = wg_proof_real();
    return wg_proof_or_null(address);
}

/* A context whose scratch is not taken. */
static inline void wg_proof_context(WgContext *ctx)
{
    ctx->scratch = NULL;
}

/* The first n of those values; where there are fewer, any others follow. */
static inline void wg_proof_pass(WgValue *values, size_t n, const WgValue *from, size_t num)
{
    memcpy(values, from, (n < num ? n : num) * sizeof *values);
    for (size_t i = num; i < n; i++) {
        values[i].integer = wg_proof_integer();
    }
}

/* An argument that a compiled function may keep. */
static inline void wg_proof_take_tensor(WgTensor *const *slot)
{
    free(*slot);
    *(WgTensor **)slot = NULL;
}

static inline void wg_proof_take_integer(const int64_t *slot)
{
    (void)slot;
}

static inline void wg_proof_take_real(const double *slot)
{
    (void)slot;
}

static inline void wg_proof_take_pointer(void *const *slot)
{
    (void)slot;
}

/* Never called: as a function whose result is compared with 0 keeps the two apart when it returns. */
static inline int32_t wg_proof_make(WgTensor **out);
static inline int wg_proof_compare(void)
{
    return wg_proof_make(NULL) == 0;
}

/* What most verbs that make a tensor do. */
static inline int32_t wg_proof_make(WgTensor **out)
{
    *out = NULL;
    if (wg_proof_may()) {
        return wg_proof_failure();
    }
    *out = wg_proof_tensor();
    return 0;
}

/* The same, of a tensor with as many dimensions as that. */
static inline int32_t wg_proof_make_of(WgTensor **out, int32_t rank)
{
    const int32_t status = wg_proof_make(out);
    if (status == 0) {
        (*out)->rank = rank;
    }
    return status;
}

/* As many values as that, which may be none, are there and were written. */
/*@ requires n == 0 || \valid_read(values + (0 .. n - 1));
  @ requires n == 0 || \initialized(values + (0 .. n - 1));
  @ assigns \nothing; */
void wg_proof_read_values(const WgValue *values, size_t n);

/* As many values as that can be written, and are null or 0. */
/*@ requires n == 0 || \valid(values + (0 .. n - 1));
  @ requires n == 0 || \initialized(values + (0 .. n - 1));
  @ assigns \nothing; */
void wg_proof_room(WgValue *values, size_t n);

/*@ requires value.integer == 0;
  @ assigns \nothing; */
void wg_proof_is_null(WgValue value);

/*@ requires \valid_read(geometry) && \initialized(geometry);
  @ requires 0 <= geometry->rank <= WG_PROOF_RANK;
  @ requires geometry->rank == 0 || \valid_read(geometry->sizes + (0 .. geometry->rank - 1));
  @ requires geometry->rank == 0 || \valid_read(geometry->strides + (0 .. geometry->rank - 1));
  @ requires geometry->rank == 0 || \initialized(geometry->sizes + (0 .. geometry->rank - 1));
  @ requires geometry->rank == 0 || \initialized(geometry->strides + (0 .. geometry->rank - 1));
  @ assigns \nothing; */
void wg_proof_geometry(const WgGeometry *geometry);

#endif /* WG_PROOF_H */
