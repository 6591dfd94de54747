/* SPDX-License-Identifier: MIT */
/*
 * data - expected.txt as C structs: what PyTorch got, and what it left behind. FORMAT.md describes the text.
 *
 * Words (names) point into the file's text, lists come from one pool; demo_free() ends it all.
 */
#ifndef DEMO_DATA_H
#define DEMO_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a storage, as elements of one type; complex numbers as two real ones. */
typedef struct DemoStorage {
    int64_t number; /* the storage's identity within a call */
    int32_t dtype;  /* WgDtype */
    int64_t count;
    int64_t num_bytes;
    unsigned char *bytes;
    bool has_rule;   /* after the call only */
    bool exact;      /* else |difference| <= absolute + relative * |PyTorch's| */
    double relative; /* both 0 when exact */
    double absolute;
} DemoStorage;

typedef enum DemoKind { DEMO_TENSOR, DEMO_INT, DEMO_FLOAT, DEMO_BOOL, DEMO_NONE } DemoKind;

typedef struct DemoValue {
    const char *name;
    DemoKind kind;
    const DemoStorage *storage; /* tensor; so the next nine */
    int32_t dtype;
    int32_t rank;
    int64_t *sizes;
    int64_t *strides;
    int64_t offset; /* elements of dtype */
    bool requires_grad;
    bool is_leaf;
    int64_t version;
    int64_t integer;     /* int, bool */
    double real;         /* float */
    const char *same_as; /* an output that is an input: the input's name */
} DemoValue;

typedef struct DemoList {
    DemoValue *at;
    size_t count;
} DemoList;

typedef struct DemoState {
    bool grad_mode;
    DemoStorage *storages;
    size_t num_storages;
    DemoList inputs;
    DemoList outputs; /* after the call, and of gradients */
} DemoState;

typedef struct DemoCall {
    const char *name;
    DemoState before;
    DemoState after;
    bool has_backward;
    DemoState tangents;  /* as inputs */
    DemoState gradients; /* as outputs */
} DemoCall;

typedef struct DemoCase {
    const char *graph;
    const char *about; /* first comment line */
    DemoCall *calls;
    size_t num_calls;
    void *pool;
} DemoCase;

/* Reads a file. False when it cannot, with the reason (file:line: text) on standard error. */
bool demo_read(const char *path, DemoCase *out);

void demo_free(DemoCase *data);

/* Bytes of an element; 0 for a number that is not a dtype. */
int64_t demo_element_bytes(int32_t dtype);

/* Where this machine keeps the byte of weight 256^i of an integer of `size` bytes. Recorded data are numbers in text,
 * so they have no byte order of their own. */
int64_t demo_byte_place(int64_t size, int64_t i);

#endif /* DEMO_DATA_H */
