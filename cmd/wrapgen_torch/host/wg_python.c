/* SPDX-License-Identifier: 0BSD */
/*
 * wg_python.c - the verbs of wg_python.h, each a call of the Python function of its name (verbs.py). Built once as a
 * shared library with wg_cold.c; the GIL is held throughout, since Python loads it with ctypes.PyDLL.
 *
 * Contract: VERBS.md. References are Python's: what a verb returns in *out is a new reference, wg_retain is Py_INCREF.
 * What is borrowed from a temporary Python object (wg_sizes, wg_attr) is kept alive by the context until the program's
 * next call.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "wg_python.h"

const int32_t wg_host_python_abi1 = 1;

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

static PyObject *as_object(const WgTensor *t)
{
    return t == NULL ? Py_None : (PyObject *)(uintptr_t)t;
}

static int32_t raised(WgContext *ctx)
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

/* Calls verbs.<name>(*arguments); steals `arguments`. Null when it raised; the exception is kept. */
static PyObject *call(WgContext *ctx, const char *name, PyObject *arguments)
{
    PyObject *function = PyObject_GetAttrString(ctx->verbs, name);
    PyObject *result = NULL;
    if (function != NULL && arguments != NULL) {
        result = PyObject_CallObject(function, arguments);
    }
    Py_XDECREF(function);
    Py_XDECREF(arguments);
    if (result == NULL) {
        raised(ctx);
    }
    return result;
}

static int64_t read_integer(WgContext *ctx, const char *name, PyObject *arguments)
{
    PyObject *result = call(ctx, name, arguments);
    int64_t value = 0;
    if (result != NULL) {
        value = PyLong_AsLongLong(result);
        Py_DECREF(result);
        if (value == -1 && PyErr_Occurred() != NULL) {
            raised(ctx);
            ctx->pending = WG_PYTHON_RAISED;
        }
    } else {
        ctx->pending = WG_PYTHON_RAISED;
    }
    return value;
}

static int32_t effect(WgContext *ctx, const char *name, PyObject *arguments)
{
    PyObject *result = call(ctx, name, arguments);
    Py_XDECREF(result);
    return result == NULL ? WG_PYTHON_RAISED : 0;
}

static int32_t make(WgContext *ctx, const char *name, PyObject *arguments, WgTensor **out)
{
    PyObject *result = call(ctx, name, arguments);
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

/* (sizes, strides, offset), or None. */
static PyObject *as_geometry(const WgGeometry *geometry)
{
    if (geometry == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *sizes = tuple_of(geometry->sizes, geometry->rank);
    PyObject *strides = geometry->strides == NULL && geometry->rank > 0 ? Py_NewRef(Py_None)
                                                                        : tuple_of(geometry->strides, geometry->rank);
    return Py_BuildValue("(NNL)", sizes, strides, (long long)geometry->offset);
}

/* A borrowed array, alive until the next call of the program. */
static const int64_t *keep_numbers(WgContext *ctx, const char *name, const WgTensor *t)
{
    PyObject *numbers = call(ctx, name, Py_BuildValue("(O)", as_object(t)));
    if (numbers == NULL) {
        ctx->pending = WG_PYTHON_RAISED;
        return NULL;
    }
    const Py_ssize_t n = PyTuple_Size(numbers);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (n + 1) * (Py_ssize_t)sizeof(int64_t));
    int64_t *at = (int64_t *)(void *)PyBytes_AsString(bytes);
    for (Py_ssize_t i = 0; i < n; i++) {
        at[i] = PyLong_AsLongLong(PyTuple_GetItem(numbers, i));
    }
    Py_DECREF(numbers);
    PyList_Append(ctx->kept, bytes);
    Py_DECREF(bytes);
    return at;
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
    return Py_NewRef(as_object(t));
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
        return raised(ctx);
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
    ctx->found.name = Py_TYPE(as_object(tensor))->tp_name;
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

/* ---- verbs that read ---- */

int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)read_integer(ctx, "rank", Py_BuildValue("(O)", as_object(t)));
}

int64_t wg_offset(WgContext *ctx, const WgTensor *t)
{
    return read_integer(ctx, "offset", Py_BuildValue("(O)", as_object(t)));
}

int64_t wg_nested_int(WgContext *ctx, const WgTensor *t)
{
    return read_integer(ctx, "nested_int", Py_BuildValue("(O)", as_object(t)));
}

int32_t wg_dtype(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)read_integer(ctx, "dtype", Py_BuildValue("(O)", as_object(t)));
}

int32_t wg_device(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)read_integer(ctx, "device", Py_BuildValue("(O)", as_object(t)));
}

int32_t wg_lazy(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)read_integer(ctx, "lazy", Py_BuildValue("(O)", as_object(t)));
}

int wg_requires_grad(WgContext *ctx, const WgTensor *t)
{
    return (int)read_integer(ctx, "requires_grad", Py_BuildValue("(O)", as_object(t)));
}

int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    return (int)read_integer(ctx, "is_plain", Py_BuildValue("(O)", as_object(t)));
}

/* Sizes are numbers where generated code is called. */
int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)ctx, (void)t, (void)dimension, (void)of_stride, (void)symbol;
    return 0;
}

int wg_is_view(WgContext *ctx, const WgTensor *t)
{
    return (int)read_integer(ctx, "is_view", Py_BuildValue("(O)", as_object(t)));
}

int64_t wg_version(WgContext *ctx, const WgTensor *t)
{
    return read_integer(ctx, "version", Py_BuildValue("(O)", as_object(t)));
}

int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return read_integer(ctx, "size", Py_BuildValue("(Oi)", as_object(t), (int)dimension));
}

int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return read_integer(ctx, "stride", Py_BuildValue("(Oi)", as_object(t), (int)dimension));
}

const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t)
{
    return keep_numbers(ctx, "sizes", t);
}

const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    return keep_numbers(ctx, "strides", t);
}

void *wg_data(WgContext *ctx, const WgTensor *t)
{
    return (void *)(uintptr_t)read_integer(ctx, "data", Py_BuildValue("(O)", as_object(t)));
}

int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type)
{
    return (int)read_integer(ctx, "is_type", Py_BuildValue("(OO)", as_object(t), (PyObject *)type->slot->object));
}

int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context)
{
    const WgPythonSlot *slot = type_context;
    return (int)read_integer(ctx, "has_context", Py_BuildValue("(OO)", as_object(t), (PyObject *)slot->object));
}

int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    const WgPythonSlot *slot = type_context;
    PyObject *kind = type == NULL ? Py_None : (PyObject *)type->slot->object;
    PyObject *context = slot == NULL ? Py_None : (PyObject *)slot->object;
    const int32_t status = make(ctx, "coerce_tangent", Py_BuildValue("(OOO)", as_object(t), kind, context), out);
    if (status == 0 && (PyObject *)*out == Py_None) {
        Py_DECREF(Py_None);
        *out = NULL;
    }
    return status;
}

int wg_same(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    (void)ctx;
    return a == b;
}

WgByteRange wg_byte_range(WgContext *ctx, const WgTensor *t)
{
    WgByteRange range = {0, 0};
    PyObject *numbers = call(ctx, "byte_range", Py_BuildValue("(O)", as_object(t)));
    unsigned long long first = 0;
    unsigned long long end = 0;
    if (numbers == NULL || !PyArg_ParseTuple(numbers, "KK", &first, &end)) {
        if (numbers != NULL) {
            raised(ctx);
        }
        ctx->pending = WG_PYTHON_RAISED;
    }
    Py_XDECREF(numbers);
    range.first = (uintptr_t)first;
    range.end = (uintptr_t)end;
    return range;
}

int wg_same_storage(WgContext *ctx, const WgTensor *a, const WgTensor *b)
{
    return (int)read_integer(ctx, "same_storage", Py_BuildValue("(OO)", as_object(a), as_object(b)));
}

int32_t wg_host_status(WgContext *ctx)
{
    const int32_t pending = ctx->pending;
    ctx->pending = 0;
    return pending;
}

/* ---- verbs that change or make tensors ---- */

int32_t wg_copy_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return effect(ctx, "copy_", Py_BuildValue("(OO)", as_object(dst), as_object(src)));
}

int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return effect(ctx, "copy_leaf_", Py_BuildValue("(OO)", as_object(dst), as_object(src)));
}

int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return effect(ctx, "set_", Py_BuildValue("(OO)", as_object(dst), as_object(src)));
}

int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return effect(ctx, "shallow_copy_data_", Py_BuildValue("(OO)", as_object(dst), as_object(src)));
}

int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like)
{
    return effect(ctx, "restride_like_", Py_BuildValue("(OO)", as_object(dst), as_object(like)));
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    return make(ctx, "alias_like", Py_BuildValue("(OOi)", as_object(base), as_object(target), requires_grad), out);
}

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    return make(ctx, "alias_as",
                Py_BuildValue("(ONii)", as_object(base), as_geometry(geometry), (int)dtype, requires_grad), out);
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    return make(ctx, "view_dtype", Py_BuildValue("(Oi)", as_object(base), (int)dtype), out);
}

int32_t wg_conj(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return make(ctx, "conj", Py_BuildValue("(O)", as_object(base)), out);
}

int32_t wg_neg_view(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return make(ctx, "neg_view", Py_BuildValue("(O)", as_object(base)), out);
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return make(ctx, "view_as_real", Py_BuildValue("(O)", as_object(base)), out);
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return make(ctx, "view_as_complex", Py_BuildValue("(O)", as_object(base)), out);
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    return make(ctx, "detach", Py_BuildValue("(O)", as_object(t)), out);
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    return make(ctx, "unsafe_view", Py_BuildValue("(O)", as_object(t)), out);
}

int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    return make(ctx, "storage_base", Py_BuildValue("(O)", as_object(src)), out);
}

int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    return make(ctx, "view_base", Py_BuildValue("(O)", as_object(src)), out);
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    return make(ctx, "as_strided", Py_BuildValue("(ON)", as_object(base), as_geometry(geometry)), out);
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    return make(ctx, "coerce_strides", Py_BuildValue("(ON)", as_object(t), as_geometry(geometry)), out);
}

int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    WgTensor *patched = NULL;
    const int32_t status = make(ctx, "patch_requires_grad",
                                Py_BuildValue("(OOi)", as_object(base), as_object(*view), requires_grad), &patched);
    if (status == 0) {
        wg_release(ctx, *view);
        *view = patched;
    }
    return status;
}

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    return effect(ctx, "set_requires_grad", Py_BuildValue("(Oi)", as_object(t), requires_grad));
}

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    return make(ctx, "empty_strided", Py_BuildValue("(Nii)", as_geometry(geometry), (int)dtype, (int)device), out);
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    const WgGeometry geometry = {sizes, sizes, 0, rank};
    return make(ctx, "zeros", Py_BuildValue("(Nii)", as_geometry(&geometry), (int)dtype, (int)device), out);
}

int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    return make(ctx, "contiguous", Py_BuildValue("(Oi)", as_object(t), (int)memory_format), out);
}

/* ---- state ---- */

int wg_grad_mode(WgContext *ctx)
{
    return (int)read_integer(ctx, "grad_mode", PyTuple_New(0));
}

void wg_set_grad_mode(WgContext *ctx, int enabled)
{
    effect(ctx, "set_grad_mode", Py_BuildValue("(i)", enabled));
}

int wg_view_replay(WgContext *ctx)
{
    return (int)read_integer(ctx, "view_replay", PyTuple_New(0));
}

void wg_set_view_replay(WgContext *ctx, int enabled)
{
    effect(ctx, "set_view_replay", Py_BuildValue("(i)", enabled));
}

uint32_t wg_autocast_off(WgContext *ctx)
{
    return (uint32_t)read_integer(ctx, "autocast_off", PyTuple_New(0));
}

void wg_autocast_restore(WgContext *ctx, uint32_t saved)
{
    effect(ctx, "autocast_restore", Py_BuildValue("(I)", (unsigned)saved));
}

int wg_deterministic(WgContext *ctx)
{
    return (int)read_integer(ctx, "deterministic", PyTuple_New(0));
}

int32_t wg_bump_version(WgContext *ctx, WgTensor *t)
{
    return effect(ctx, "bump_version", Py_BuildValue("(O)", as_object(t)));
}

int32_t wg_mark_dynamic(WgContext *ctx, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    PyObject *list = PyTuple_New((Py_ssize_t)num_dimensions);
    for (size_t i = 0; i < num_dimensions; i++) {
        PyTuple_SET_ITEM(list, (Py_ssize_t)i, PyLong_FromLong(dimensions[i]));
    }
    return effect(ctx, "mark_dynamic", Py_BuildValue("(ON)", as_object(t), list));
}

int32_t wg_rng_get(WgContext *ctx, WgTensor **seed, WgTensor **offset)
{
    *seed = NULL;
    *offset = NULL;
    return effect(ctx, "rng", PyTuple_New(0));
}

int32_t wg_rng_set(WgContext *ctx, const WgTensor *offset)
{
    (void)offset;
    return effect(ctx, "rng", PyTuple_New(0));
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
    const int32_t status = make(ctx, "attr", Py_BuildValue("(Oi)", as_object(t), (int)index), attr);
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
    return make(
        ctx, "rebuild",
        Py_BuildValue("(OONN)", (PyObject *)type->slot->object, (PyObject *)slot->object, list, as_geometry(outer)),
        out);
}

int32_t wg_wait(WgContext *ctx, WgTensor *t, WgTensor **waited)
{
    const int32_t status = make(ctx, "wait", Py_BuildValue("(O)", as_object(t)), waited);
    if (status == 0) {
        PyList_Append(ctx->kept, (PyObject *)*waited);
        Py_DECREF((PyObject *)*waited);
    }
    return status;
}
