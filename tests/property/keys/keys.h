/* SPDX-License-Identifier: MIT */
/*
 * keys.h - random kernels: what the YAML of one can have, and expressions over the numbers of its calls.
 *
 * Nothing here says what a key must be, or which calls are made: that is templates/selftest, the library of self-tests,
 * which run.sh links with the wrappers of these kernels.
 */
#ifndef KEYS_H
#define KEYS_H

#include <stdio.h>

#include "../../../templates/selftest/random.h"

enum { MAX_ARGS = 5, MAX_ITEMS = 3, MAX_RANK = 5, MAX_EXTRA = 3 };

typedef enum Kind { TENSOR, INT, FLOAT, BOOL, STRING, DTYPE, DEVICE, NOTHING, TUPLE, LIST, RECORD, NUM_KINDS } Kind;

typedef struct Arg {
    Kind kind;
    bool nullable;
    bool constant; /* constexpr */
    bool has_default;
    bool default_null;
    const char *default_text; /* of a string */
    const char *dtype;        /* null: not stated */
    unsigned ranks;           /* a bit each; 0: not stated */
    unsigned marked;          /* static dims */
    bool subclass_ok;
    unsigned lengths; /* a bit each; 0: not stated */
    struct Arg *items;
    int num_items;
} Arg;

/* Where something is in a call: argument, then items. */
typedef struct Path {
    int at[3];
    int depth;
} Path;

typedef enum Of { OF_SIZE, OF_NDIM, OF_LENGTH, OF_VALUE } Of;

/* What a symbol of an expression is bound to. Its name says its bounds: s0, n0 (at least 1), x0 (at most 8), e0 (even).
 */
typedef struct Number {
    Path path;
    Of of;
    int dim;
    char bounds;
    bool is_free; /* nothing else of the key holds it, and it can be anything from 0 to 8 */
} Number;

enum { MAX_NUMBERS = 3, MAX_NODES = 24 };

/* A tree: literals, symbols, and operators as in Python. */
typedef struct Node {
    const char *op; /* "" for a literal or symbol */
    int number;     /* of a symbol; -1: a literal */
    int64_t literal;
    int lhs;
    int rhs;
} Node;

typedef struct Formula {
    Number numbers[MAX_NUMBERS];
    int count;
    Node nodes[MAX_NODES];
    int num_nodes;
    int root;
} Formula;

typedef struct Extra {
    Formula *formula; /* or: */
    Path path;
    bool stride;
    int dim;
} Extra;

typedef struct Kernel {
    bool static_shapes;
    int index; /* 0 auto, 32, 64 */
    bool zero_one;
    bool device_in_key;
    bool same_in_key;
    bool capability;
    bool distributed;
    bool user;
    Arg args[MAX_ARGS];
    int num_args;
    Extra extra[MAX_EXTRA];
    int num_extra;
} Kernel;

static inline int below(Random *random, int n)
{
    return (int)random_below(random, (uint32_t)n);
}

/* make.c: the argument or item that a random path leads to; with lists, only to items that can be there. */
const Arg *make_path(Random *random, const Kernel *kernel, uint32_t stop_at_list, Path *path);
void print_path(const Kernel *kernel, const Path *path, FILE *out);

/* formula.c: a random expression; false: the kernel has nothing for one. The symbols are those of the file. */
bool make_formula(Random *random, const Kernel *kernel, Formula *formula);
void print_formula(const Kernel *kernel, const Formula *formula, FILE *out);
extern const char formula_symbols[];

#endif /* KEYS_H */
