/* SPDX-License-Identifier: 0BSD */
/*
 * wg_python.c - the verbs of wg_python.h, each a call of the Python function of its name (verbs.py); those on tensors
 * are in wg_python_tensor.c. Built once as a shared library with wg_cold.c; the GIL is held throughout, since Python
 * loads it with ctypes.PyDLL.
 *
 * Contract: VERBS.md. References are Python's: what a verb returns in *out is a new reference, wg_retain is Py_INCREF.
 * What is borrowed from a temporary Python object (wg_sizes, wg_attr) is kept alive by the context until the program's
 * next call.
 */
#include "wg_python_private.h"

const int32_t wg_host_python_abi1 = 1;

PyObject *python_object(const WgTensor *t)
{
    return t == NULL ? Py_None : (PyObject *)(uintptr_t)t;
}

int32_t python_raised(WgContext *ctx)
{
    PyObject *type = NULL;
    PyObject *value = NULL;
    PyObject *traceback = NULL;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (ctx->exception == NULL && value != NULL) {
        if (traceback != NULL) {
            PyException_SetTraceback(value, traceback);
        }
        Py_INCREF(value);
        ctx->exception = value;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return WG_PYTHON_RAISED;
}

PyObject *python_call(WgContext *ctx, const char *name, PyObject *arguments)
{
    PyObject *function = PyObject_GetAttrString(ctx->verbs, name);
    PyObject *result = NULL;
    if (function != NULL && arguments != NULL) {
        result = PyObject_CallObject(function, arguments);
    }
    Py_XDECREF(function);
    Py_XDECREF(arguments);
    if (result == NULL) {
        python_raised(ctx);
    }
    return result;
}

int64_t python_integer(WgContext *ctx, const char *name, PyObject *arguments)
{
    PyObject *result = python_call(ctx, name, arguments);
    int64_t value = 0;
    if (result != NULL) {
        value = PyLong_AsLongLong(result);
        Py_DECREF(result);
        if (value == -1 && PyErr_Occurred() != NULL) {
            python_raised(ctx);
            ctx->pending = WG_PYTHON_RAISED;
        }
    } else {
        ctx->pending = WG_PYTHON_RAISED;
    }
    return value;
}

int32_t python_effect(WgContext *ctx, const char *name, PyObject *arguments)
{
    PyObject *result = python_call(ctx, name, arguments);
    Py_XDECREF(result);
    return result == NULL ? WG_PYTHON_RAISED : 0;
}

int32_t python_make(WgContext *ctx, const char *name, PyObject *arguments, WgTensor **out)
{
    PyObject *result = python_call(ctx, name, arguments);
    *out = (WgTensor *)result;
    return result == NULL ? WG_PYTHON_RAISED : 0;
}

static PyObject *tuple_of(const int64_t *numbers, int32_t n)
{
    PyObject *result = PyTuple_New(n);
    for (int32_t i = 0; result != NULL && i < n; i++) {
        PyTuple_SET_ITEM(result, i, PyLong_FromLongLong(numbers[i]));
    }
    return result;
}

PyObject *python_geometry(const WgGeometry *geometry)
{
    if (geometry == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *sizes = tuple_of(geometry->sizes, geometry->rank);
    PyObject *strides = geometry->strides == NULL && geometry->rank > 0 ? Py_NewRef(Py_None)
                                                                        : tuple_of(geometry->strides, geometry->rank);
    return Py_BuildValue("(NNL)", sizes, strides, (long long)geometry->offset);
}

/* ---- what Python calls ---- */

WgContext *wg_python_context(PyObject *verbs, PyObject *functions);
void wg_python_destroy(WgContext *ctx);
PyObject *wg_python_exception(WgContext *ctx);
void wg_python_bind(WgPythonSlot *slot, PyObject *object);
PyObject *wg_python_object(const WgTensor *t);

WgContext *wg_python_context(PyObject *verbs, PyObject *functions)
{
    WgContext *ctx = PyMem_RawCalloc(1, sizeof *ctx);
    ctx->verbs = Py_NewRef(verbs);
    ctx->functions = Py_NewRef(functions);
    ctx->kept = PyList_New(0);
    ctx->scratch_capacity = (size_t)1 << 16;
    ctx->scratch = PyMem_RawCalloc(ctx->scratch_capacity, sizeof(WgValue));
    return ctx;
}

void wg_python_destroy(WgContext *ctx)
{
    Py_XDECREF(ctx->verbs);
    Py_XDECREF(ctx->functions);
    Py_XDECREF(ctx->kept);
    Py_XDECREF(ctx->exception);
    PyMem_RawFree(ctx->scratch);
    PyMem_RawFree(ctx);
}

/* Forgets what was kept; returns the exception that a verb or compiled function raised, or None. */
PyObject *wg_python_exception(WgContext *ctx)
{
    PyObject *exception = ctx->exception == NULL ? Py_NewRef(Py_None) : ctx->exception;
    ctx->exception = NULL;
    ctx->pending = 0;
    PyList_SetSlice(ctx->kept, 0, PyList_Size(ctx->kept), NULL);
    return exception;
}

void wg_python_bind(WgPythonSlot *slot, PyObject *object)
{
    slot->object = Py_NewRef(object);
}

/* A new reference, for Python's side. */
PyObject *wg_python_object(const WgTensor *t)
{
    return Py_NewRef(python_object(t));
}

int32_t wg_python_call(WgContext *ctx, const char *name, const WgValue *args, size_t num_args, WgValue *outs,
                       size_t *num_outs)
{
    PyObject *address = Py_BuildValue("(KnKn)", (unsigned long long)(uintptr_t)args, (Py_ssize_t)num_args,
                                      (unsigned long long)(uintptr_t)outs, (Py_ssize_t)*num_outs);
    PyObject *function = PyDict_GetItemString(ctx->functions, name);
    PyObject *result = NULL;
    if (function == NULL) {
        PyErr_Format(PyExc_KeyError, "compiled function %s", name);
    } else if (address != NULL) {
        result = PyObject_CallObject(function, address);
    }
    Py_XDECREF(address);
    if (result == NULL) {
        return python_raised(ctx);
    }
    *num_outs = PyLong_AsSize_t(result);
    Py_DECREF(result);
    return 0;
}

/* ---- what wg_cold.c calls ---- */

WgErrorSlot *wg_host_error_slot(WgContext *ctx)
{
    return &ctx->error;
}

const WgType *wg_host_type(WgContext *ctx, const WgTensor *tensor)
{
    if (wg_is_plain(ctx, tensor)) {
        return NULL;
    }
    ctx->found.name = Py_TYPE(python_object(tensor))->tp_name;
    return &ctx->found;
}

const char *wg_host_type_name(const WgType *type)
{
    return type == NULL ? "tensor" : type->name;
}

const char *wg_host_code_name(int32_t code)
{
    return code == WG_PYTHON_RAISED ? "an exception of Python" : NULL;
}

int64_t wg_host_fact(WgContext *ctx, const WgTensor *tensor, int32_t rule, int32_t dimension)
{
    switch ((WgRule)rule) {
    case WG_RULE_DTYPE:
        return wg_dtype(ctx, tensor);
    case WG_RULE_RANK:
        return wg_rank(ctx, tensor);
    case WG_RULE_SIZE:
        return dimension < wg_rank(ctx, tensor) ? wg_size(ctx, tensor, dimension) : -1;
    case WG_RULE_STRIDE:
        return dimension < wg_rank(ctx, tensor) ? wg_stride(ctx, tensor, dimension) : -1;
    case WG_RULE_OFFSET:
        return wg_offset(ctx, tensor);
    case WG_RULE_DEVICE:
        return wg_device(ctx, tensor);
    case WG_RULE_DEVICE_TYPE:
        return wg_device(ctx, tensor) / 256;
    case WG_RULE_ALIGNMENT:
        return (int64_t)(uintptr_t)wg_data(ctx, tensor);
    case WG_RULE_LAZY:
        return wg_lazy(ctx, tensor);
    }
    return -1;
}

/* ---- state ---- */

int wg_grad_mode(WgContext *ctx)
{
    return (int)python_integer(ctx, "grad_mode", PyTuple_New(0));
}

void wg_set_grad_mode(WgContext *ctx, int enabled)
{
    python_effect(ctx, "set_grad_mode", Py_BuildValue("(i)", enabled));
}

int wg_view_replay(WgContext *ctx)
{
    return (int)python_integer(ctx, "view_replay", PyTuple_New(0));
}

void wg_set_view_replay(WgContext *ctx, int enabled)
{
    python_effect(ctx, "set_view_replay", Py_BuildValue("(i)", enabled));
}

uint32_t wg_autocast_off(WgContext *ctx)
{
    return (uint32_t)python_integer(ctx, "autocast_off", PyTuple_New(0));
}

void wg_autocast_restore(WgContext *ctx, uint32_t saved)
{
    python_effect(ctx, "autocast_restore", Py_BuildValue("(I)", (unsigned)saved));
}

int wg_deterministic(WgContext *ctx)
{
    return (int)python_integer(ctx, "deterministic", PyTuple_New(0));
}

int32_t wg_bump_version(WgContext *ctx, WgTensor *t)
{
    return python_effect(ctx, "bump_version", Py_BuildValue("(O)", python_object(t)));
}

int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    PyObject *list = PyTuple_New((Py_ssize_t)num_dimensions);
    for (size_t i = 0; i < num_dimensions; i++) {
        PyTuple_SET_ITEM(list, (Py_ssize_t)i, PyLong_FromLong(dimensions[i]));
    }
    return python_effect(ctx, "mark_dynamic", Py_BuildValue("(ON)", python_object(t), list));
}

int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset)
{
    *seed = NULL;
    *offset = NULL;
    return python_effect(ctx, "rng", PyTuple_New(0));
}

int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset)
{
    (void)offset;
    return python_effect(ctx, "rng", PyTuple_New(0));
}

/* ---- lifetime ---- */

int32_t wg_retain(WgContext *ctx, WgTensor *t, WgTensor **owned)
{
    (void)ctx;
    Py_XINCREF((PyObject *)t);
    *owned = t;
    return 0;
}

void wg_release(WgContext *ctx, WgTensor *t)
{
    (void)ctx;
    Py_XDECREF((PyObject *)t);
}

void wg_release_run(WgContext *ctx, WgValue *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wg_release(ctx, values[i].tensor);
        values[i].tensor = NULL;
    }
}

WgValue *wg_scratch_take(WgContext *ctx, size_t n)
{
    if (n > ctx->scratch_capacity - ctx->scratch_used) {
        return NULL;
    }
    WgValue *taken = ctx->scratch + ctx->scratch_used;
    ctx->scratch_used += n;
    return taken;
}

void wg_scratch_give(WgContext *ctx, size_t n)
{
    ctx->scratch_used -= n;
}

/* ---- subclasses ---- */

int32_t wg_attr(WgContext *ctx, const WgTensor *t, int32_t index, WgTensor **attr)
{
    const int32_t status = python_make(ctx, "attr", Py_BuildValue("(Oi)", python_object(t), (int)index), attr);
    if (status == 0) {
        PyList_Append(ctx->kept, (PyObject *)*attr);
        Py_DECREF((PyObject *)*attr);
        if ((PyObject *)*attr == Py_None) {
            *attr = NULL;
        }
    }
    return status;
}

int32_t wg_rebuild(WgContext *ctx, const WgType *type, const void *type_context, WgTensor **attrs, size_t num_attrs,
                   const WgGeometry *outer, WgTensor **out)
{
    const WgPythonSlot *slot = type_context;
    PyObject *list = PyTuple_New((Py_ssize_t)num_attrs);
    for (size_t i = 0; i < num_attrs; i++) {
        PyTuple_SET_ITEM(list, (Py_ssize_t)i, attrs[i] == NULL ? Py_NewRef(Py_None) : (PyObject *)attrs[i]);
    }
    return python_make(
        ctx, "rebuild",
        Py_BuildValue("(OONN)", (PyObject *)type->slot->object, (PyObject *)slot->object, list, python_geometry(outer)),
        out);
}

int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    const int32_t status = python_make(ctx, "wait", Py_BuildValue("(O)", python_object(t)), waited);
    if (status == 0) {
        PyList_Append(ctx->kept, (PyObject *)*waited);
        Py_DECREF((PyObject *)*waited);
    }
    return status;
}
