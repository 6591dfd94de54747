/* SPDX-License-Identifier: 0BSD */
/* wg_python_private.h - shared by wg_python.c (contexts, calls, state) and wg_python_tensor.c (verbs on tensors) only.
 */
#ifndef WG_PYTHON_PRIVATE_H
#define WG_PYTHON_PRIVATE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "wg_python.h"

struct WgContext {
    PyObject *verbs;     /* the module verbs.py */
    PyObject *functions; /* dict: name of a compiled function -> callable(list of addresses or numbers) */
    PyObject *kept;      /* list: what borrowed pointers point into */
    PyObject *exception; /* the first one since wg_python_exception(), or null */
    int32_t pending;     /* a read verb has failed */
    WgValue *scratch;
    size_t scratch_used;
    size_t scratch_capacity;
    WgErrorSlot error;
    WgType found; /* the type that the last error names */
};

/* None for null; borrowed. */
PyObject *python_object(const WgTensor *t);

/* Keeps the exception that is set; the status of a verb that failed so. */
int32_t python_raised(WgContext *ctx);

/* Calls verbs.<name>(*arguments) and steals `arguments`, which may be null after an error. Null when it raised; the
 * exception is kept. The others return what it does as a number (a failed read is pending until wg_host_status), as
 * nothing, and as a new tensor. */
PyObject *python_call(WgContext *ctx, const char *name, PyObject *arguments);
int64_t python_integer(WgContext *ctx, const char *name, PyObject *arguments);
int32_t python_effect(WgContext *ctx, const char *name, PyObject *arguments);
int32_t python_make(WgContext *ctx, const char *name, PyObject *arguments, WgTensor **out);

/* (sizes, strides, offset), or None; a new reference. */
PyObject *python_geometry(const WgGeometry *geometry);

#endif /* WG_PYTHON_PRIVATE_H */
