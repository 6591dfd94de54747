/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python.h - what a CPython extension module that `wrapgen --emit-python` wrote shares with the C++ that runs
 * it: tables that describe the module, and the functions that its C calls. README.md in this folder says what the
 * module does for those who import it.
 *
 * The .cpp files of this folder are compiled once per environment, like those of the folder above, and need Python's
 * headers and libtorch_python. Everything here is called with the GIL, unless a comment says otherwise.
 */
#ifndef WG_TORCH_PYTHON_H
#define WG_TORCH_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "wg_torch_autograd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a flat value is for Python. */
typedef enum WgPythonKind {
    WG_PYTHON_NONE,    /* always None */
    WG_PYTHON_TENSOR,  /* or None, where it may be null */
    WG_PYTHON_INTEGER, /* int */
    WG_PYTHON_EXTENT,  /* the same for a size or stride, all of which a compiled function may leave out */
    WG_PYTHON_BOOLEAN, /* bool */
    WG_PYTHON_REAL,    /* float */
    WG_PYTHON_OBJECT   /* any object, passed on as it is */
} WgPythonKind;

/* An argument or result of a graph. */
typedef struct WgPythonValue {
    const char *name;
    const char *about;
    int32_t kind;     /* WgPythonKind */
    int32_t optional; /* a tensor that may be None */
} WgPythonValue;

typedef struct WgPythonGraph {
    const char *name;
    const char *about;
    PyObject *(*function)(PyObject *module, PyObject *const *args, Py_ssize_t num_args, PyObject *names);
    int32_t (*call)(WgContext *ctx, WgValue *args, WgValue *outs);
    const WgPythonValue *inputs;
    size_t num_inputs;
    const WgPythonValue *outputs;
    size_t num_outputs;
    size_t scratch; /* forward and backward need at most so many values */
    int consumes;   /* the call takes references to its tensors */
} WgPythonGraph;

/* A compiled function that Python may provide: kinds are WgPythonKind. */
typedef struct WgPythonCompiled {
    const char *name;
    void (*function)(void); /* that of this name which was linked ... */
    void (*bound)(void);    /* ... and the one that calls what is bound: the same, unless there is one in C */
    const uint8_t *arguments;
    size_t num_arguments;
    const uint8_t *results;
    size_t num_results;
    int consumes;
} WgPythonCompiled;

typedef struct WgPythonType {
    const WgType *type;
    const char *const *attrs;
    size_t num_attrs;
} WgPythonType;

typedef struct WgPythonContext {
    const char *name;
    const void *context; /* as the wrappers pass it */
} WgPythonContext;

/* A module. Lists without entries are null. */
typedef struct WgPythonProgram {
    const char *about;
    const WgPythonGraph *graphs;
    size_t num_graphs;
    const WgPythonCompiled *compiled;
    size_t num_compiled;
    const WgPythonType *types;
    size_t num_types;
    const WgPythonContext *contexts;
    size_t num_contexts;
} WgPythonProgram;

/* What CPython knows of a module: it writes into the first member, which is zero but for the name. */
typedef struct WgPythonDefinition {
    PyModuleDef definition;
    const WgPythonProgram *program;
} WgPythonDefinition;

/* For PyInit_<name>. Null with an exception set. */
PyObject *wg_python_module(WgPythonDefinition *definition);

/* A call of graph number `graph` of the module's program, as vectorcall has it. */
PyObject *wg_python_call(PyObject *module, size_t graph, PyObject *const *args, Py_ssize_t num_args, PyObject *names);

/* Calls the object bound to compiled function number `compiled`, in PyTorch's boxed convention: one list, which it may
 * empty. With `consumes`, slots whose reference went into the list become null. */
int32_t wg_python_compiled(WgContext *ctx, size_t compiled, const WgValue *args, size_t num_args, WgValue *outs,
                           size_t *num_outs);
int32_t wg_python_compiled_consuming(WgContext *ctx, size_t compiled, WgValue *args, size_t num_args, WgValue *outs,
                                     size_t *num_outs);

/* Around a backward, which the engine calls on any thread without the GIL. wg_python_enter() fails, with the error
 * recorded, when the interpreter is on its way out; then there is nothing to leave. */
int32_t wg_python_enter(WgContext *ctx, const char *graph, int32_t *held);
void wg_python_leave(int32_t held);

#ifdef __cplusplus
}
#endif

#endif /* WG_TORCH_PYTHON_H */
