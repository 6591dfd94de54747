/* SPDX-License-Identifier: MIT */
/*
 * kernel_call - one call of a kernel as facts, and what must come of it: the variant, the error, the words of the key.
 *
 * Everything is said about the YAML as it was read and by the words of schema/SPEC.md: conditions are texts, and are
 * looked at as texts, one by one. Nothing here knows how a dispatcher is made.
 */
#ifndef KERNEL_CALL_H
#define KERNEL_CALL_H

#include "mock.h"
#include "random.h"

typedef struct KernelValue KernelValue;

/* An argument of one call, or an item of one. */
struct KernelValue {
    const SpecArg *arg;
    bool null;       /* a null pointer */
    int64_t integer; /* int, bool, dtype, device */
    double real;
    const char *text;
    /* of a tensor: */
    ViewGeometry geometry;
    int32_t device;
    bool plain;
    int32_t lazy;            /* WgLazy; a host that does not tell has none */
    uint32_t symbolic_sizes; /* a bit each; for a subclass */
    uint32_t symbolic_strides;
    uint64_t address; /* of its data, where it has elements */
    uint32_t object;  /* a number, by which others are the same tensor; 0: it is one by itself */
    /* of a tuple, record or list: */
    KernelValue *items;
    uint32_t num_items;
};

enum { KERNEL_CAPABILITY, KERNEL_DISTRIBUTED, KERNEL_USER, KERNEL_NUM_EXTRA };

typedef struct KernelCall {
    KernelValue *args;  /* all of them: those left out have their defaults */
    uint32_t num_given; /* the rest is left out */
    int64_t extra[KERNEL_NUM_EXTRA];
    uint64_t cpu; /* features of the machine, a bit each (wg_cpu.h) */
} KernelCall;

/* The limits of a key; ranks are drawn up to VIEW_RANK. */
enum { KERNEL_MOST_RANK = 16, KERNEL_MOST_ITEMS = 63, KERNEL_MOST_BYTES = 504 };

/* How a wrong call is refused. */
typedef struct KernelBreach {
    int32_t code;    /* WgStatus; 0: nothing is wrong */
    const char *arg; /* the argument that it is about, or is in */
    bool has_values; /* the error says what was expected and found */
    int64_t expected;
    int64_t found;
} KernelBreach;

/* ---- kernel_text.c: texts of the YAML ---- */

/* `16`, `1..8`, `4..`, `16..%16`, `%16` */
typedef struct KernelRange {
    bool has_min;
    bool has_max;
    int64_t min;
    int64_t max;
    int64_t multiple; /* 0: none */
} KernelRange;

/* What symbols stand for in one variant. */
typedef struct KernelBound {
    bool *is_bound; /* by symbol */
    int64_t *value;
} KernelBound;

/* Reads one alternative; null after the last one. */
const char *kernel_next_range(const char *text, KernelRange *range);
bool kernel_range_holds(const KernelRange *range, int64_t value);
bool kernel_is_any(const char *text);
/* The symbol that the text is, or -1. */
int32_t kernel_symbol(const Spec *spec, const char *text);
bool kernel_integer_holds(const Spec *spec, const char *text, int64_t value, KernelBound *bound);
bool kernel_dtype_holds(const char *text, int64_t dtype);
/* The first one of the alternatives. */
int32_t kernel_first_dtype(const char *text);
bool kernel_device_holds(const char *text, int64_t device);
int32_t kernel_device(const char *text);
bool kernel_is_dtype(int64_t dtype);
bool kernel_is_complex(int64_t dtype);
bool kernel_is_number(SpecKind kind); /* dtype, device and bool are not */
bool kernel_is_container(SpecKind kind);
bool kernel_is_pointer(SpecKind kind); /* so that null needs no address of its own */
/* The value of a literal: a default, or a condition that is one. */
void kernel_set_literal(KernelValue *value, const char *text);
uint32_t kernel_num_required(const SpecKernel *kernel);

/* ---- kernel_same.c: tensors that are one object ---- */

enum { KERNEL_OBJECTS = MOCK_SHARED }; /* numbers are below */

/* Those of the call that are not null, in the order in which a key has them. */
KernelValue **kernel_tensors(Arena *arena, const SpecKernel *kernel, const KernelCall *call, uint32_t *n);
bool kernel_is_same(const KernelValue *a, const KernelValue *b);
/* `other` becomes the tensor that `first` is. */
void kernel_make_same(const KernelValue *first, KernelValue *other);
/* Makes two tensors one, with all that are the same as either, or `other` one by itself. */
void kernel_set_same(Arena *arena, const SpecKernel *kernel, const KernelCall *call, KernelValue *one,
                     KernelValue *other, bool same);
/* All that are the same tensor get its facts. */
void kernel_spread(Arena *arena, const SpecKernel *kernel, const KernelCall *call, const KernelValue *value);
/* A number that no tensor of the call has; 0: there is none left. */
uint32_t kernel_new_object(Arena *arena, const SpecKernel *kernel, const KernelCall *call);
/* What was changed of the first one of several that are the same is so of all of them. */
void kernel_unite(Arena *arena, const SpecKernel *kernel, const KernelCall *call);
/* The same in a copy: who is at changing a call still finds in it what it wrote. */
KernelCall *kernel_united(Arena *arena, const SpecKernel *kernel, const KernelCall *call);

/* ---- kernel_match.c: which variant ---- */

/* The value at a path like "ts.0", whatever it is; null: a list is too short, or something above it is null. */
KernelValue *kernel_find(const SpecKernel *kernel, const KernelCall *call, const char *path);

/* What declarations ask: of arguments and their items only, or of everything, with the limits of a key. */
KernelBreach kernel_breach(const Spec *spec, const SpecKernel *kernel, const KernelCall *call, bool all);
/* Can a host pass it? No number but a complex one is conjugated. */
bool kernel_is_possible(const SpecKernel *kernel, const KernelCall *call);
bool kernel_variant_holds(Arena *arena, const Spec *spec, const SpecKernel *kernel, const SpecVariant *variant,
                          const KernelCall *call);
/* The guards of a variant for given values of the symbols; one that cannot be computed does not hold. */
bool kernel_guards_hold(const SpecVariant *variant, const int64_t *values, const bool *bound);
/* The features that a variant asks for, a bit each (wg_cpu.h). */
uint64_t kernel_cpu(const SpecVariant *variant);
/* The first variant whose conditions hold, -1: none. */
int32_t kernel_match(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call);

/* ---- kernel_formula.c: expressions in keys ---- */

typedef enum KernelFormulaKind {
    KERNEL_NOWHERE = 0, /* one of its numbers is not there */
    KERNEL_COMPUTED = 1,
    KERNEL_SYMBOLIC = 2 /* one of them is symbolic */
} KernelFormulaKind;

/* What an expression is in one call. */
typedef struct KernelFormula {
    KernelFormulaKind kind;
    int64_t value;
    KernelBreach breach; /* a number is beyond the bounds of its symbol, or it cannot be computed */
} KernelFormula;

KernelFormula kernel_formula(Arena *arena, const Spec *spec, const SpecKernel *kernel, const SpecExtra *extra,
                             const KernelCall *call);
/* The integer that the entry is about; false: there is none. */
bool kernel_number(const SpecKernel *kernel, const SpecNumber *number, const KernelCall *call, int64_t *value,
                   bool *symbolic);
/* The first expression of the key that is refused; *bounds: for the bounds of a symbol, which are not always tested. */
KernelBreach kernel_key_breach(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call,
                               bool *bounds);

bool kernel_in_bounds(const SpecSymbol *symbol, int64_t value);

/* ---- kernel_outputs.c: what a call returns ---- */

/* One output of a call. */
typedef struct KernelOutput {
    bool computed;         /* its sizes are; else only the dtype below counts, if it is stated */
    bool strided;          /* its strides are stated */
    ViewGeometry geometry; /* contiguous where no strides are stated */
    int32_t device;        /* of one that the call makes */
} KernelOutput;

/* Fills outputs, one for each; or says how the call is refused before a variant is called. */
KernelBreach kernel_outputs(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call,
                            KernelOutput *outputs);
/* Why such a call cannot be judged; null: it can. */
const char *kernel_outputs_gap(const SpecKernel *kernel);

/* ---- kernel_key.c: the key ---- */

bool kernel_is_symbolic(const KernelValue *tensor, int32_t d, bool stride);
/* Few enough elements for 32-bit indices; a symbolic size is not known to be. */
bool kernel_is_few(const KernelValue *tensor);
/* Of a call that is not refused: after the table in wg_key.h. Returns how many words. */
size_t kernel_encode(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call, uint64_t *words,
                     size_t room);
/* A text of all that a key must tell apart, and of nothing else: two calls have one key exactly when their texts are
 * equal. */
const char *kernel_describe(Arena *arena, const Spec *spec, const SpecKernel *kernel, const KernelCall *call);

/* ---- kernel_pass.c: as values ---- */

/* The call as a boxed entry takes it: tensors are made in the context, structs are laid out as C does it. */
WgValue *kernel_pass(WgContext *ctx, const SpecKernel *kernel, const KernelCall *call);
bool kernel_is_by_address(const SpecArg *arg);
/* Bytes of a member that holds it. */
size_t kernel_size(const SpecArg *arg);
/* Is the value what the call says? An address is followed. */
bool kernel_is_passed(const KernelValue *value, WgValue given, WgValue found, bool left_out);

/* ---- kernel_draw.c, kernel_change.c: which calls ---- */

typedef struct KernelDraw {
    Arena *arena;
    const Spec *spec;
    const SpecKernel *kernel;
    Random random;
    int64_t *symbols; /* the value of each, this time */
    bool tells_lazy;  /* the host has tensors that are lazily conjugated or negated */
} KernelDraw;

/* Sometimes two of the call's tensors are one. */
void kernel_draw_same(KernelDraw *draw, const KernelCall *call);

KernelDraw kernel_draw_from(Arena *arena, const Spec *spec, const SpecKernel *kernel, uint64_t seed);
/* Any call that is not refused. */
KernelCall kernel_draw_call(KernelDraw *draw);
void kernel_draw_value(KernelDraw *draw, const SpecArg *arg, KernelValue *value);
/* Moves a call towards a variant, one condition after another. */
void kernel_steer(KernelDraw *draw, const SpecVariant *variant, KernelCall *call);
/* Are its elements so few that strides can be stated? Where they are not, contiguous strides are not made. */
bool kernel_can_be_dense(const ViewGeometry *geometry);
void kernel_make_contiguous(ViewGeometry *geometry);
/* Leaves out arguments at the end: `given` stay, the others get their defaults. */
void kernel_leave_out(const SpecKernel *kernel, KernelCall *call, uint32_t given);

/* Calls visit for the call with one of its facts changed, each in turn: for each integer, every integer that conditions
 * name and its neighbours; other dtypes, devices, ranks, addresses, nulls, lengths, literals; two arguments exchanged,
 * and two tensors made one or not; arguments left out. Leaves the call as it was. */
typedef void KernelVisit(void *user, const KernelCall *call);
void kernel_each_change(KernelDraw *draw, const SpecVariant *variant, KernelCall *call, KernelVisit *visit, void *user);

#endif /* KERNEL_CALL_H */
