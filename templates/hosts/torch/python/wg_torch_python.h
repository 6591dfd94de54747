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
    WG_PYTHON_EXTENT,  /* the same for a size or stride; a compiled function may leave out all of them */
    WG_PYTHON_BOOLEAN, /* bool */
    WG_PYTHON_REAL,    /* float */
    WG_PYTHON_OBJECT,  /* any object, passed on as it is */
    WG_PYTHON_NESTED,  /* torch.SymInt that is a nested int; in C its number */
    /* Only arguments of kernels, and what is in them: */
    WG_PYTHON_STRING, /* str */
    WG_PYTHON_DTYPE,  /* torch.dtype */
    WG_PYTHON_DEVICE, /* torch.device, or its name */
    WG_PYTHON_TUPLE,  /* tuple or list */
    WG_PYTHON_LIST,   /* the same, of any length */
    WG_PYTHON_RECORD  /* dict or namedtuple */
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

/* An argument of a kernel or a part of one, as a member of the struct of arguments: a number, a pointer, a struct, for
 * a list a WgPythonItems. The parts of a part follow it, those of each before the next one; a list has one, for all
 * items. */
typedef struct WgPythonPart {
    const char *name; /* in Python; in a record that of the YAML; null for what has none */
    const char *about;
    const char *initial; /* the default as Python's text, null without one */
    int32_t kind;        /* WgPythonKind */
    int32_t optional;    /* may be None */
    int32_t by_address;  /* the member is the address of the value, null for None */
    uint32_t num_items;  /* directly below */
    uint32_t num_parts;  /* all below */
    size_t at;           /* the member's offset in the struct around it, 0 in a list */
    size_t size;         /* of the value, in bytes */
} WgPythonPart;

typedef struct WgPythonItems {
    const void *items;
    size_t count;
} WgPythonItems;

/* A kernel: its key and, if it has variants, its dispatcher. */
typedef struct WgPythonKernel {
    const char *name; /* of the dispatcher */
    const char *about;
    PyObject *(*function)(PyObject *module, PyObject *const *args, Py_ssize_t num_args, PyObject *names); /* or null */
    int32_t (*call)(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);
    size_t (*explain)(WgContext *ctx, const void *args, char *buffer, size_t capacity);
    const char *yaml_name; /* what its errors say */
    const char *key_name;
    const char *key_about;
    PyObject *(*key_function)(PyObject *module, PyObject *const *args, Py_ssize_t num_args, PyObject *names);
    int32_t (*key)(WgContext *ctx, const void *args, const WgValue *numbers, void *key);
    size_t (*print)(const void *key, char *buffer, size_t capacity);
    void (*defaults)(void *args);
    size_t args_size; /* of the struct of arguments and of a key, which begins with its number of words, in bytes */
    size_t key_size;
    size_t words_at;          /* in a key */
    const WgPythonPart *args; /* and the parts of each */
    size_t num_args;
    size_t num_required;         /* those after them may be left out */
    const WgPythonPart *numbers; /* what the key holds besides, by name only */
    size_t num_numbers;
    const uint8_t *results; /* of every variant, WgPythonKind */
    size_t num_results;
} WgPythonKernel;

/* A compiled function that Python may provide: kinds are WgPythonKind. */
typedef struct WgPythonCompiled {
    const char *name;
    void (*function)(void); /* that of this name which was linked ... */
    void (*bound)(void);    /* ... and the one that calls what is bound: the same, unless there is one in C */
    const uint8_t *arguments;
    const WgPythonPart *parts; /* for a variant of a kernel: the kernel's arguments, instead of `arguments` */
    size_t num_arguments;
    const uint8_t *results;
    size_t num_results;
    int consumes;
} WgPythonCompiled;

typedef struct WgPythonType {
    const WgType *type;
    const char *const *attrs;
    const uint8_t *opaque; /* for each: is it declared opaque, any object? */
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
    const WgPythonKernel *kernels;
    size_t num_kernels;
    const WgPythonCompiled *compiled;
    size_t num_compiled;
    const WgPythonType *types;
    size_t num_types;
    const WgPythonContext *contexts;
    size_t num_contexts;
    const struct WgLimits *limits; /* of all graphs and kernels (wg_limits.h), or null: they were not asked for */
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

/* The key of a call of kernel number `kernel`, an object; and such a call itself. */
PyObject *wg_python_key(PyObject *module, size_t kernel, PyObject *const *args, Py_ssize_t num_args, PyObject *names);
PyObject *wg_python_dispatch(PyObject *module, size_t kernel, PyObject *const *args, Py_ssize_t num_args,
                             PyObject *names);

/* Opaque values are borrowed objects: of an argument or an attribute, or, if a compiled function returned it, kept
 * until the end of the call; nodes of autograd keep those that are saved. */

/* Calls the object bound to compiled function number `compiled`, in PyTorch's boxed convention: one list, which it may
 * empty. With `consumes`, slots whose reference went into the list become null. */
int32_t wg_python_compiled(WgContext *ctx, size_t compiled, const WgValue *args, size_t num_args, WgValue *outs,
                           size_t *num_outs);
int32_t wg_python_compiled_consuming(WgContext *ctx, size_t compiled, WgValue *args, size_t num_args, WgValue *outs,
                                     size_t *num_outs);

/* Around a backward, which the engine calls on any thread without the GIL. wg_python_enter() fails, with the error
 * recorded, when the interpreter is on its way out; then there is nothing to leave. */
int32_t wg_python_enter(WgContext *ctx, const char *graph, int32_t *held);
void wg_python_leave(WgContext *ctx, int32_t held);

#ifdef __cplusplus
}
#endif

#endif /* WG_TORCH_PYTHON_H */
