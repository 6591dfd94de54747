/* SPDX-License-Identifier: MIT */
/*
 * kernel - a kernel of the YAML on its way to C: its arguments as a tree of C types, and the plans made from them.
 *
 * A kernel becomes, all below its symbol (prefix and name, "demo_matmul"):
 *
 *     demo_matmul_args        a struct with one member per argument, and a struct for each tuple, record and list in it
 *     demo_matmul_unbox       fills it from an array of values, with defaults for missing ones
 *     demo_matmul_check       what every variant may rely on, tested (static; the plan `check`)
 *     demo_matmul_call        with `outputs`: the variant called and what it returns tested (the plan `call`)
 *     ...                     the key and the dispatcher, each in separate partials (templates/kernel_*.mustache)
 *
 * facts/kinds.def says what a kind is as a member; a tuple (item0, item1, ...) or a record is a struct, a list a struct
 * of `items` and `count`. A nullable value that is not already a pointer is held by address, `const int64_t *n`, and
 * NULL is null.
 */
#ifndef WRAPGEN_KERNEL_H
#define WRAPGEN_KERNEL_H

#include "../algebra/condition.h"
#include "../base/diag.h"
#include "dispatch.h"
#include "../plan/plan.h"

enum { KEY_MAX_WORDS = 8192 };

typedef struct KernelArg KernelArg;

struct KernelArg {
    const SpecArg *spec;
    SpecKind kind;
    const char *name;   /* of the member: "a", "item0"; "items" for the items of a list */
    const char *dotted; /* for messages: "opts.1", "ts[]" */
    const char *suffix; /* the same as part of an identifier, distinct in the kernel: "opts_1" */
    const char *path;   /* "kernels[0].args[2].items[1]" */
    const char *c_type; /* of the value, with the space or star after it: "WgTensor *", "demo_matmul_args_opts " */
    bool by_address;    /* the member is `const T *` */
    uint64_t dtypes;    /* for a tensor: a bit for each WgDtype that it may have */
    Condition ndim;     /* for a tensor: its rank, never below 0 */
    Condition length;   /* of a list */
    /* of the key (lower_kernel.c), a bit each: */
    uint64_t ranks;       /* that a tensor may have */
    uint64_t lengths;     /* that a list may have */
    uint32_t static_dims; /* of a tensor */
    KernelArg *items;     /* tuple, record: its items; list: one, the kind of its items */
    uint32_t num_items;
};

/* What the host can do. */
typedef struct KernelHost {
    bool tells_lazy; /* it has the verb wg_lazy */
    bool matches;    /* wg_matches */
} KernelHost;

typedef struct Kernel {
    Arena *arena;
    const Spec *file;       /* that it is in */
    const SpecKernel *spec; /* what the YAML says of it */
    uint32_t index;
    const char *prefix;
    const char *symbol;
    const char *path; /* "kernels[0]" */
    KernelArg *args;
    uint32_t num_args;
    Plan *check;               /* the static function demo_matmul_check(ctx, args); null: preconditions are trusted */
    Plan *call;                /* demo_matmul_call; null: the kernel does not state `outputs` */
    Plan *key;                 /* demo_matmul_key_of: for plain tensors */
    Plan *key_any;             /* the static function demo_matmul_key_of_any: for any tensors, the same words */
    uint32_t key_words;        /* at most */
    DispatchStrategy strategy; /* requested */
    KernelHost host;
} Kernel;

/* The kernel and its arguments, without plans. */
Kernel *kernel_new(Arena *arena, const Spec *spec, uint32_t index, const char *prefix);

/* lower_kernel.c: the kernel with its plans, verified; null when something was reported. */
Kernel *lower_kernel(Arena *arena, Diag *diag, const Spec *spec, uint32_t index, const char *prefix, KernelHost host);

/* kernel_words.c, once ranks and lengths are known: the largest number of words in a key, KEY_MAX_WORDS + 1 for more;
 * the number when every tensor is plain and fits one word per dim, 0 when that depends on the call; and is there any
 * tensor? */
uint64_t kernel_most_words(const Kernel *kernel);
uint64_t kernel_usual_words(const Kernel *kernel);
bool kernel_has_tensor(const Kernel *kernel);

/* The largest number of tensors in a call; and does a key say which of them are the same? */
uint64_t kernel_most_tensors(const Kernel *kernel);
bool kernel_holds_same(const Kernel *kernel);

/* The C function of a variant: "matmul_16", "demo_block_boxed". */
const char *kernel_callee(const Kernel *kernel, const SpecVariant *variant);

/* --dump plan */
void kernel_dump(const Kernel *kernel, Str *out);

/* A condition of the YAML that the rules have accepted, within [min, INT64_MAX]; a symbol is cut to its bounds. Null
 * text: everything from min on. */
Condition kernel_condition(Arena *arena, const Spec *spec, const char *text, int64_t min);

/* The argument at a path of the YAML like "ts.0" or "opts.rate"; for any index into a list, its items' kind. */
const KernelArg *kernel_arg(const Kernel *kernel, const char *dotted);

/* The mask of dtypes for "float16|bfloat16"; for null, all dtypes. */
uint64_t kernel_dtypes(Arena *arena, const char *text);

#endif /* WRAPGEN_KERNEL_H */
