/* SPDX-License-Identifier: MIT */
/*
 * model - a random kernel as the test sees it: conditions as they are written in the YAML, and a matcher that follows
 * the words of SPEC.md one by one, as slowly and plainly as can be. It shares no code with the tool.
 *
 * Every kernel has the same arguments (Call), so one struct fits all of them.
 */
#ifndef DISPATCH_MODEL_H
#define DISPATCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    MAX_RANK = 4,
    MAX_ITEMS = 3,
    MAX_ALTERNATIVES = 3,
    MAX_ENTRIES = 12,
    NUM_SYMBOLS = 3,
    NUM_SUBJECTS = 12,
    MAX_GUARDS = 2,
    NUM_FEATURES = 3
};

/* A tensor of a call. */
typedef struct Tensor {
    bool null;
    int32_t dtype;
    int32_t device;
    int64_t rank;
    int64_t sizes[MAX_RANK + 1];
    int64_t strides[MAX_RANK + 1];
    uint64_t address;
    int64_t offset;
    int object; /* tensors of a call that have one number are one tensor; 0: it is one by itself */
} Tensor;

/* kernel(a, b, n, mode, x, to, where, flag, ts) */
typedef struct Call {
    Tensor a;
    Tensor b; /* nullable */
    int64_t n;
    int mode; /* of MODES */
    int x;    /* of REALS */
    int32_t to;
    int32_t where;
    int32_t flag;
    int64_t length;
    Tensor ts[MAX_ITEMS];
    unsigned cpu; /* of the machine: a bit for each of FEATURES */
} Call;

extern const char *const MODES[4];
extern const char *const REALS[4];
extern const int32_t DTYPES[4];
extern const char *const DTYPE_NAMES[4];
extern const char *const FEATURES[NUM_FEATURES];
extern const char *const RELATIONS[6];
extern const int32_t DEVICES[3]; /* cpu, cuda:0, cuda:1 */

/* One integer's condition. */
typedef struct Range {
    bool has_min;
    bool has_max;
    int64_t min;
    int64_t max;
    int64_t multiple; /* 0: none */
} Range;

typedef enum IntegerKind { INTEGER_ANY, INTEGER_SYMBOL, INTEGER_RANGES } IntegerKind;

typedef struct Integer {
    IntegerKind kind;
    int symbol;
    int num_ranges;
    Range ranges[MAX_ALTERNATIVES];
} Integer;

typedef enum Subject { A, B, TS0, TS1, N, MODE, X, TO, WHERE, FLAG, TS } Subject;

typedef enum What { DTYPE, NDIM, SIZE, STRIDE, OFFSET, ALIGN, DEVICE, LAYOUT, SAME, IS_NULL, VALUE, LENGTH } What;

/* One thing said about one argument. */
typedef struct Entry {
    Subject subject;
    What what;
    Subject other;   /* of SAME: another tensor */
    unsigned dtypes; /* of DTYPES */
    int num_dims;
    Integer dims[MAX_RANK]; /* the first one: of NDIM, OFFSET, LENGTH, VALUE of n */
    int64_t align;
    int literal; /* DEVICE, WHERE: 0 cpu, 1 cuda, 2 cuda:1; LAYOUT: 1 channels_last; SAME: 0 it is
                    not; IS_NULL; MODE, X, FLAG */
} Entry;

/* An operand of a guard: symbol * factor + addend, or that // or % a divisor, or the least or greatest of both. */
typedef enum Arithmetic { SUM, QUOTIENT, REMAINDER, LEAST, GREATEST, PRODUCT, NUM_ARITHMETIC } Arithmetic;

typedef struct Term {
    Arithmetic arithmetic;
    int symbol;
    int other; /* of LEAST, GREATEST, PRODUCT: a symbol */
    int64_t factor;
    int64_t addend;
    int64_t divisor; /* not 0 */
} Term;

/* `left` compared with `right`; a second comparison may follow. */
typedef struct Comparison {
    Term left;
    Term right;
    int relation; /* of RELATIONS */
    bool negated;
} Comparison;

typedef enum Junction { ALONE, BOTH, EITHER } Junction;

typedef struct GuardText {
    Junction junction;
    Comparison comparisons[2];
} GuardText;

typedef struct Variant {
    int num_entries;
    Entry entries[MAX_ENTRIES];
    int num_guards;
    GuardText guards[MAX_GUARDS];
    unsigned cpu; /* of FEATURES; it needs all of them */
    int symbol;   /* what it is called: v<symbol> */
} Variant;

/* What is tested of declarations; below cheap a call that does not satisfy them must not be made. */
typedef enum Check { CHECK_CHEAP, CHECK_NONE, CHECK_COUNT, CHECK_FULL, NUM_CHECKS } Check;

typedef struct Kernel {
    int num_variants;
    Variant *variants;
    Variant always; /* entries that all variants begin with: said once */
    bool has_ndim;
    Integer ndim;    /* of a */
    unsigned dtypes; /* of a; 0: any */
    Check check;
    bool same_in_key;
} Kernel;

/* The symbols of every kernel: s0 anything, s1 2..16, s2 multiples of 4. */
bool symbol_allows(int symbol, int64_t value);

uint64_t random_below(uint64_t n);
void random_seed(uint64_t seed);

/* `plain`: literals on the same fields only, as a table of compiled shapes has. */
void random_kernel(Kernel *kernel, int num_variants, bool plain);
void random_variant(Variant *variant, bool long_one);
void add_always(const Kernel *kernel, Variant *variant);
void print_kernel(const Kernel *kernel, const char *name, FILE *out);
void print_symbols(FILE *out);

/* A call that tries to satisfy one of the variants, more or less. */
void random_call(const Kernel *kernel, Call *call);

/* May the call be made at all? */
bool call_is_allowed(const Kernel *kernel, const Call *call);
bool declared_holds(const Kernel *kernel, const Call *call);
bool variant_holds(const Variant *variant, const Call *call);
int first_match(const Kernel *kernel, const Call *call); /* -1: none */

/* All that the key of a call tells, as a text; with static shapes, and without anything that is constexpr. */
enum { KEY_TEXT = 4096 };
void key_text(const Kernel *kernel, const Call *call, char *text);

/* A tensor argument; null: the subject is none, or beyond the length of the list. */
Tensor *tensor_at(Call *call, Subject subject);
/* All tensors that are the same get its facts. */
void spread(Call *call, const Tensor *tensor);

#endif /* DISPATCH_MODEL_H */
