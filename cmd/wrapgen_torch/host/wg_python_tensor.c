/* SPDX-License-Identifier: 0BSD */
/* wg_python_tensor.c - the verbs that read tensors, change them, and make new ones; see wg_python.c. */
#include "wg_python_private.h"

/* ---- verbs that read ---- */

/* A borrowed array, alive until the next call of the program. */
static const int64_t *numbers_of(WgContext *ctx, const char *name, const WgTensor *t)
{
    PyObject *numbers = python_call(ctx, name, Py_BuildValue("(O)", python_object(t)));
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

int32_t wg_rank(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)python_integer(ctx, "rank", Py_BuildValue("(O)", python_object(t)));
}

int64_t wg_offset(WgContext *ctx, const WgTensor *t)
{
    return python_integer(ctx, "offset", Py_BuildValue("(O)", python_object(t)));
}

int64_t wg_nested_int(WgContext *ctx, const WgTensor *t)
{
    return python_integer(ctx, "nested_int", Py_BuildValue("(O)", python_object(t)));
}

int32_t wg_dtype(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)python_integer(ctx, "dtype", Py_BuildValue("(O)", python_object(t)));
}

int32_t wg_device(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)python_integer(ctx, "device", Py_BuildValue("(O)", python_object(t)));
}

int32_t wg_lazy(WgContext *ctx, const WgTensor *t)
{
    return (int32_t)python_integer(ctx, "lazy", Py_BuildValue("(O)", python_object(t)));
}

int wg_requires_grad(WgContext *ctx, const WgTensor *t)
{
    return (int)python_integer(ctx, "requires_grad", Py_BuildValue("(O)", python_object(t)));
}

int wg_is_plain(WgContext *ctx, const WgTensor *t)
{
    return (int)python_integer(ctx, "is_plain", Py_BuildValue("(O)", python_object(t)));
}

/* Sizes are numbers where generated code is called. */
int wg_symbol(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    (void)ctx, (void)t, (void)dimension, (void)of_stride, (void)symbol;
    return 0;
}

int wg_is_view(WgContext *ctx, const WgTensor *t)
{
    return (int)python_integer(ctx, "is_view", Py_BuildValue("(O)", python_object(t)));
}

int64_t wg_version(WgContext *ctx, const WgTensor *t)
{
    return python_integer(ctx, "version", Py_BuildValue("(O)", python_object(t)));
}

int64_t wg_size(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return python_integer(ctx, "size", Py_BuildValue("(Oi)", python_object(t), (int)dimension));
}

int64_t wg_stride(WgContext *ctx, const WgTensor *t, int32_t dimension)
{
    return python_integer(ctx, "stride", Py_BuildValue("(Oi)", python_object(t), (int)dimension));
}

const int64_t *wg_sizes(WgContext *ctx, const WgTensor *t)
{
    return numbers_of(ctx, "sizes", t);
}

const int64_t *wg_strides(WgContext *ctx, const WgTensor *t)
{
    return numbers_of(ctx, "strides", t);
}

void *wg_data(WgContext *ctx, const WgTensor *t)
{
    return (void *)(uintptr_t)python_integer(ctx, "data", Py_BuildValue("(O)", python_object(t)));
}

int wg_is_type(WgContext *ctx, const WgTensor *t, const WgType *type)
{
    return (int)python_integer(ctx, "is_type", Py_BuildValue("(OO)", python_object(t), (PyObject *)type->slot->object));
}

int wg_has_context(WgContext *ctx, const WgTensor *t, const void *type_context)
{
    const WgPythonSlot *slot = type_context;
    return (int)python_integer(ctx, "has_context", Py_BuildValue("(OO)", python_object(t), (PyObject *)slot->object));
}

int32_t wg_coerce_tangent(WgContext *ctx, WgTensor *t, const WgType *type, const void *type_context, WgTensor **out)
{
    const WgPythonSlot *slot = type_context;
    PyObject *kind = type == NULL ? Py_None : (PyObject *)type->slot->object;
    PyObject *context = slot == NULL ? Py_None : (PyObject *)slot->object;
    const int32_t status =
        python_make(ctx, "coerce_tangent", Py_BuildValue("(OOO)", python_object(t), kind, context), out);
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
    PyObject *numbers = python_call(ctx, "byte_range", Py_BuildValue("(O)", python_object(t)));
    unsigned long long first = 0;
    unsigned long long end = 0;
    if (numbers == NULL || !PyArg_ParseTuple(numbers, "KK", &first, &end)) {
        if (numbers != NULL) {
            python_raised(ctx);
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
    return (int)python_integer(ctx, "same_storage", Py_BuildValue("(OO)", python_object(a), python_object(b)));
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
    return python_effect(ctx, "copy_", Py_BuildValue("(OO)", python_object(dst), python_object(src)));
}

int32_t wg_copy_leaf_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return python_effect(ctx, "copy_leaf_", Py_BuildValue("(OO)", python_object(dst), python_object(src)));
}

int32_t wg_set_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return python_effect(ctx, "set_", Py_BuildValue("(OO)", python_object(dst), python_object(src)));
}

int32_t wg_shallow_copy_data_(WgContext *ctx, WgTensor *dst, const WgTensor *src)
{
    return python_effect(ctx, "shallow_copy_data_", Py_BuildValue("(OO)", python_object(dst), python_object(src)));
}

int32_t wg_restride_like_(WgContext *ctx, WgTensor *dst, const WgTensor *like)
{
    return python_effect(ctx, "restride_like_", Py_BuildValue("(OO)", python_object(dst), python_object(like)));
}

int32_t wg_alias_like(WgContext *ctx, WgTensor *base, const WgTensor *target, int requires_grad, WgTensor **out)
{
    return python_make(ctx, "alias_like",
                       Py_BuildValue("(OOi)", python_object(base), python_object(target), requires_grad), out);
}

int32_t wg_alias_as(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, int32_t dtype, int requires_grad,
                    WgTensor **out)
{
    return python_make(
        ctx, "alias_as",
        Py_BuildValue("(ONii)", python_object(base), python_geometry(geometry), (int)dtype, requires_grad), out);
}

int32_t wg_view_dtype(WgContext *ctx, WgTensor *base, int32_t dtype, WgTensor **out)
{
    return python_make(ctx, "view_dtype", Py_BuildValue("(Oi)", python_object(base), (int)dtype), out);
}

int32_t wg_conj(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return python_make(ctx, "conj", Py_BuildValue("(O)", python_object(base)), out);
}

int32_t wg_neg_view(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return python_make(ctx, "neg_view", Py_BuildValue("(O)", python_object(base)), out);
}

int32_t wg_view_as_real(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return python_make(ctx, "view_as_real", Py_BuildValue("(O)", python_object(base)), out);
}

int32_t wg_view_as_complex(WgContext *ctx, WgTensor *base, WgTensor **out)
{
    return python_make(ctx, "view_as_complex", Py_BuildValue("(O)", python_object(base)), out);
}

int32_t wg_detach(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    return python_make(ctx, "detach", Py_BuildValue("(O)", python_object(t)), out);
}

int32_t wg_unsafe_view(WgContext *ctx, WgTensor *t, WgTensor **out)
{
    return python_make(ctx, "unsafe_view", Py_BuildValue("(O)", python_object(t)), out);
}

int32_t wg_storage_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    return python_make(ctx, "storage_base", Py_BuildValue("(O)", python_object(src)), out);
}

int32_t wg_view_base(WgContext *ctx, WgTensor *src, WgTensor **out)
{
    return python_make(ctx, "view_base", Py_BuildValue("(O)", python_object(src)), out);
}

int32_t wg_as_strided(WgContext *ctx, WgTensor *base, const WgGeometry *geometry, WgTensor **out)
{
    return python_make(ctx, "as_strided", Py_BuildValue("(ON)", python_object(base), python_geometry(geometry)), out);
}

int32_t wg_coerce_strides(WgContext *ctx, WgTensor *t, const WgGeometry *geometry, WgTensor **out)
{
    return python_make(ctx, "coerce_strides", Py_BuildValue("(ON)", python_object(t), python_geometry(geometry)), out);
}

int32_t wg_patch_requires_grad(WgContext *ctx, const WgTensor *base, WgTensor **view, int requires_grad)
{
    WgTensor *patched = NULL;
    const int32_t status =
        python_make(ctx, "patch_requires_grad",
                    Py_BuildValue("(OOi)", python_object(base), python_object(*view), requires_grad), &patched);
    if (status == 0) {
        wg_release(ctx, *view);
        *view = patched;
    }
    return status;
}

int32_t wg_set_requires_grad(WgContext *ctx, WgTensor *t, int requires_grad)
{
    return python_effect(ctx, "set_requires_grad", Py_BuildValue("(Oi)", python_object(t), requires_grad));
}

int32_t wg_empty_strided(WgContext *ctx, const WgGeometry *geometry, int32_t dtype, int32_t device, WgTensor **out)
{
    return python_make(ctx, "empty_strided", Py_BuildValue("(Nii)", python_geometry(geometry), (int)dtype, (int)device),
                       out);
}

int32_t wg_zeros(WgContext *ctx, const int64_t *sizes, int32_t rank, int32_t dtype, int32_t device, WgTensor **out)
{
    const WgGeometry geometry = {sizes, sizes, 0, rank};
    return python_make(ctx, "zeros", Py_BuildValue("(Nii)", python_geometry(&geometry), (int)dtype, (int)device), out);
}

int32_t wg_contiguous(WgContext *ctx, WgTensor *t, int32_t memory_format, WgTensor **out)
{
    return python_make(ctx, "contiguous", Py_BuildValue("(Oi)", python_object(t), (int)memory_format), out);
}
