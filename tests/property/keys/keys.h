/* SPDX-License-Identifier: MIT */
/*
 * keys.h - random kernels, random calls of them, and what their keys must be.
 *
 * The same seed gives the same kernels, so the program that writes the YAML and the one that calls what was generated
 * from it agree without a file between them. Three things are known about a call, all from its description alone, none
 * by the generator's code: whether it is acceptable, the words of its key (encode.c, after the table in wg_key.h), and
 * a text of all that the key must tell apart (after Helion's key: two calls share a key exactly when their texts are
 * equal).
 */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "wg_native.h"

enum {
    MAX_ARGS = 5,
    MAX_ITEMS = 3,
    MAX_TENSORS = 256,
    MAX_RANK = 5,
    MAX_EXTRA = 3,
    MAX_WORDS = 8192,
    MAX_KERNELS = 400,
    NUM_KEPT = 16
};

typedef enum Kind { TENSOR, INT, FLOAT, BOOL, STRING, DTYPE, DEVICE, NOTHING, TUPLE, LIST, RECORD, NUM_KINDS } Kind;

extern const char *const kind_names[NUM_KINDS];

typedef struct Arg {
    Kind kind;
    bool nullable;
    bool constant; /* constexpr */
    bool has_default;
    const char *default_text;
    int64_t default_integer;
    double default_real;
    bool default_null;
    unsigned ranks;  /* a bit each; 0: not stated */
    unsigned dtypes; /* the same */
    unsigned marked; /* static dims */
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

/* What conditions compare numbers with. Sizes and ints are often just that, where "<" and "<=" differ. */
enum { COMPARED_LOW = 4, COMPARED_HIGH = 6 };

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
    int num_required;
    Extra extra[MAX_EXTRA];
    int num_extra;
} Kernel;

typedef struct Tensor {
    WgTensor tensor; /* first: the verbs see this part */
    int64_t sizes[MAX_RANK + 1];
    int64_t strides[MAX_RANK + 1];
    unsigned symbolic_sizes;
    unsigned symbolic_strides;
} Tensor;

typedef struct Value {
    bool is_null;
    Tensor *tensor;
    int64_t integer;
    double real;
    const char *text;
    struct Value *items;
    int num_items;
} Value;

typedef struct Call {
    Value args[MAX_ARGS];
    int num_given; /* the rest is left out */
    int64_t extra[3];
} Call;

/* random.c */
uint64_t random_next(uint64_t *state);
int random_below(uint64_t *state, int n);
bool random_chance(uint64_t *state, int percent);

/* Memory that lives until reset. */
void *memory_take(size_t size);
void memory_reset(void);

/* make.c */
void make_kernel(uint64_t seed, Kernel *kernel);
void make_yaml(const Kernel *kernel, int number, FILE *out);
void make_value(uint64_t *state, const Arg *arg, bool wild, Value *value);
void make_default(const Arg *arg, Value *value);

/* The argument or item that a random path leads to; with lists, only to items that can be there. */
const Arg *make_path(uint64_t *state, const Kernel *kernel, int stop_at_list, Path *path);
void print_path(const Kernel *kernel, const Path *path, FILE *out);

/* formula.c: a random expression; false: the kernel has nothing for one. The symbols are those of the file. */
bool make_formula(uint64_t *state, const Kernel *kernel, Formula *formula);
void print_formula(const Kernel *kernel, const Formula *formula, FILE *out);
extern const char formula_symbols[];

/* What it is for a call: 0 where a number is not there, 1 with its value, 2 where a number is symbolic; -1: it is
 * refused. */
int compute_formula(const Formula *formula, const Call *call, int64_t *value);

/* The number, if it is there; *symbolic: it is. */
bool find_number(const Number *number, const Call *call, int64_t *value, bool *symbolic);

/* The value at the path; null: something above is null, or too short. */
const Value *find_value(const Path *path, const Call *call);

/* The tensors of a call that are there, in the order of its arguments; at most MAX_TENSORS. */
int list_tensors(const Kernel *kernel, const Call *call, Value **list);

/* One of them becomes another one, the same object. */
void join_tensors(uint64_t *state, const Kernel *kernel, const Call *call);

/* A tensor like the one that it is, but for one size or stride. */
void change_dim(uint64_t *state, Value *value);

/* encode.c */
bool is_acceptable(const Kernel *kernel, const Call *call);
bool has_formulas(const Kernel *kernel, const Call *call); /* of a call that is, else: all can be computed */
size_t encode(const Kernel *kernel, const Call *call, uint64_t *words);
void describe(const Kernel *kernel, const Call *call, char *buffer, size_t capacity);

/* pass.c: as the boxed entry takes it; as a line of JSON */
WgValue pass(const Arg *arg, const Value *value);
void print_call(const Kernel *kernel, int number, const Call *call, const uint64_t *words, size_t num_words, FILE *out);

/* generated with the wrappers: calls demo_k<number>_key_of_boxed */
/* The words that a value was put into a cache for. */
typedef struct Kept {
    size_t num_words;
    uint64_t words[MAX_WORDS];
} Kept;

void keep(void *kept, const uint64_t *words, size_t num_words);

/* So is null. */
bool is_kept(const void *kept, const uint64_t *words, size_t num_words);

int32_t call_kernel(int number, WgContext *ctx, const WgValue *values, size_t num_values, const int64_t *extra,
                    uint64_t *words, size_t *num_words, uint64_t *hash, size_t *room);

#endif /* KEYS_H */
