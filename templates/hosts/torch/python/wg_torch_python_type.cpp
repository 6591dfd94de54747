/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_type.cpp - what the host asks the program about (WgTorchTable), answered by Python: subclasses of
 * torch.Tensor are taken apart and put together by their own __tensor_flatten__ and __tensor_unflatten__.
 */
#include "wg_torch_python_inside.hpp"

#include <cstring>

namespace
{

WgPythonState &state_of(void *user)
{
    return *static_cast<WgPythonState *>(user);
}

/* The object of a tensor, made if it has none yet. */
WgPythonOwned object_of(const WgTensor *t)
{
    return WgPythonOwned(wg_python_made(THPVariable_Wrap(*WgTorchBorrowed(t))));
}

WgTensor *tensor_of(PyObject *object, const char *what)
{
    TORCH_CHECK_TYPE(THPVariable_Check(object), what, " must be a tensor, not ", Py_TYPE(object)->tp_name);
    return wg_torch_lend(THPVariable_Unpack(object));
}

/* What `act`, which runs Python, makes. */
template <typename Act> WgPythonOwned python(const Act &act)
{
    return WgPythonOwned(wg_python_made(wg_python_run(act)));
}

/* (names of the attributes, context) */
WgPythonOwned flatten(PyObject *object)
{
    WgPythonOwned pair = python([&] { return PyObject_CallMethod(object, "__tensor_flatten__", nullptr); });
    TORCH_CHECK_TYPE(PyTuple_Check(pair.get()) && PyTuple_GET_SIZE(pair.get()) == 2, Py_TYPE(object)->tp_name,
                     ".__tensor_flatten__() must return a pair");
    return pair;
}

bool has_names(PyObject *object, const WgPythonType &row)
{
    const WgPythonOwned pair = flatten(object);
    const WgPythonOwned names(wg_python_made(PySequence_Fast(PyTuple_GET_ITEM(pair.get(), 0), "names of attributes")));
    bool same = static_cast<size_t>(PySequence_Fast_GET_SIZE(names.get())) == row.num_attrs;
    for (size_t i = 0; i < row.num_attrs && same; i++) {
        PyObject *name = PySequence_Fast_GET_ITEM(names.get(), static_cast<Py_ssize_t>(i));
        same = PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, row.attrs[i]) == 0;
    }
    return same;
}

const WgPythonType &find_type(const WgPythonState &state, const WgType *type, PyObject **bound)
{
    for (size_t i = 0; i < state.program.num_types; i++) {
        if (state.program.types[i].type == type) {
            *bound = state.types[i];
            return state.program.types[i];
        }
    }
    TORCH_CHECK(false, "a tensor subclass that this module does not know");
}

PyObject *find_context(const WgPythonState &state, const void *context)
{
    for (size_t i = 0; i < state.program.num_contexts; i++) {
        if (state.program.contexts[i].context == context) {
            return state.contexts[i];
        }
    }
    TORCH_CHECK(false, "a flattening context that this module does not know");
}

/* A class without __torch_dispatch__ is for C++ like any tensor. One that Python has never seen is plain. */
int is_plain(void *, const WgTensor *t)
{
    PyObject *object = wg_torch_impl(t)->pyobj_slot()->load_pyobj();
    return object == nullptr || THPVariable_CheckExact(object) ? 1 : 0;
}

int is_type(void *user, const WgTensor *t, const WgType *type)
{
    PyObject *bound = nullptr;
    const WgPythonType &row = find_type(state_of(user), type, &bound);
    const WgPythonOwned object = object_of(t);
    return reinterpret_cast<PyObject *>(Py_TYPE(object.get())) == bound && has_names(object.get(), row) ? 1 : 0;
}

int has_context(void *user, const WgTensor *t, const void *context)
{
    const WgPythonOwned object = object_of(t);
    if (PyObject_HasAttrString(object.get(), "__tensor_flatten__") == 0) {
        return 0;
    }
    const WgPythonOwned pair = flatten(object.get());
    const int same =
        PyObject_RichCompareBool(PyTuple_GET_ITEM(pair.get(), 1), find_context(state_of(user), context), Py_EQ);
    if (same < 0) {
        wg_python_throw();
    }
    return same;
}

/* What the tensor was declared as: the only type that its class can be, or the one with the attributes that it has now.
 * Null: it is none of them. */
const WgPythonType *declared(const WgPythonState &state, PyObject *object)
{
    const WgPythonType *found = nullptr;
    size_t count = 0;
    for (size_t i = 0; i < state.types.size(); i++) {
        if (state.types[i] == reinterpret_cast<PyObject *>(Py_TYPE(object))) {
            found = &state.program.types[i];
            count++;
        }
    }
    for (size_t i = 0; i < state.types.size() && count > 1; i++) {
        if (state.types[i] == reinterpret_cast<PyObject *>(Py_TYPE(object)) &&
            has_names(object, state.program.types[i])) {
            return &state.program.types[i];
        }
    }
    return count == 1 ? found : nullptr;
}

/* The name of an attribute, as declared, or as the tensor itself says. */
WgPythonOwned attribute_name(const WgPythonType *type, PyObject *object, int32_t index)
{
    if (type != nullptr && static_cast<size_t>(index) < type->num_attrs) {
        return WgPythonOwned(wg_python_made(PyUnicode_InternFromString(type->attrs[index])));
    }
    const WgPythonOwned pair = flatten(object);
    return WgPythonOwned(wg_python_made(PySequence_GetItem(PyTuple_GET_ITEM(pair.get(), 0), index)));
}

bool is_opaque(const WgPythonType *type, int32_t index)
{
    return type != nullptr && static_cast<size_t>(index) < type->num_attrs && type->opaque[index] != 0;
}

/* What is returned is borrowed from the tensor, so an attribute that is made when it is asked for is refused. */
int32_t attr(void *user, const WgTensor *t, int32_t index, WgTensor **attr)
{
    const WgPythonOwned object = object_of(t);
    const WgPythonType *type = declared(state_of(user), object.get());
    const WgPythonOwned name = attribute_name(type, object.get(), index);
    const WgPythonOwned value = python([&] { return PyObject_GetAttr(object.get(), name.get()); });
    if (is_opaque(type, index)) {
        TORCH_CHECK(Py_REFCNT(value.get()) > 1, "attribute '", PyUnicode_AsUTF8(name.get()), "' of ",
                    Py_TYPE(object.get())->tp_name, " is made when it is read, and nothing keeps it");
        *attr = reinterpret_cast<WgTensor *>(value.get());
        return WG_TORCH_OK;
    }
    if (value.get() == Py_None) {
        *attr = nullptr;
        return WG_TORCH_OK;
    }
    WgTensor *found = tensor_of(value.get(), "an attribute of a tensor subclass");
    TORCH_CHECK(Py_REFCNT(value.get()) > 1 || WgTorchBorrowed(found)->use_count() > 1, "attribute '",
                PyUnicode_AsUTF8(name.get()), "' of ", Py_TYPE(object.get())->tp_name,
                " is made when it is read, and nothing keeps it");
    *attr = found;
    return WG_TORCH_OK;
}

/* A tuple of ints, or None. */
WgPythonOwned extents(const int64_t *values, const WgGeometry *of)
{
    if (of == nullptr) {
        return WgPythonOwned(Py_NewRef(Py_None));
    }
    WgPythonOwned tuple(wg_python_made(PyTuple_New(of->rank)));
    for (int32_t i = 0; i < of->rank; i++) {
        PyTuple_SET_ITEM(tuple.get(), i, wg_python_made(PyLong_FromLongLong(values[i])));
    }
    return tuple;
}

/* A tensor, an object that is borrowed, or None. */
PyObject *attribute_of(const WgPythonType &row, size_t index, WgTensor *opaque, at::Tensor &&tensor)
{
    if (row.opaque[index] != 0 && opaque != nullptr) {
        return Py_NewRef(reinterpret_cast<PyObject *>(opaque));
    }
    return tensor.defined() ? THPVariable_Wrap(std::move(tensor)) : Py_NewRef(Py_None);
}

/* Takes the attributes that are tensors, whatever happens. */
WgPythonOwned take_attributes(const WgPythonType &row, WgTensor **attrs, size_t num_attrs)
{
    std::vector<at::Tensor> taken(num_attrs);
    for (size_t i = 0; i < num_attrs; i++) {
        if (i >= row.num_attrs || row.opaque[i] == 0) {
            taken[i] = wg_torch_take(std::exchange(attrs[i], nullptr));
        }
    }
    TORCH_CHECK(num_attrs == row.num_attrs, "a tensor subclass has ", row.num_attrs, " attributes, not ", num_attrs);
    WgPythonOwned inner(wg_python_made(PyDict_New()));
    for (size_t i = 0; i < num_attrs; i++) {
        const WgPythonOwned value(wg_python_made(attribute_of(row, i, attrs[i], std::move(taken[i]))));
        if (PyDict_SetItemString(inner.get(), row.attrs[i], value.get()) != 0) {
            wg_python_throw();
        }
    }
    return inner;
}

int32_t rebuild(void *user, const WgType *type, const void *context, WgTensor **attrs, size_t num_attrs,
                const WgGeometry *outer, WgTensor **out)
{
    WgPythonState &state = state_of(user);
    PyObject *bound = nullptr;
    const WgPythonType &row = find_type(state, type, &bound);
    const WgPythonOwned inner = take_attributes(row, attrs, num_attrs);
    const WgPythonOwned size = extents(outer == nullptr ? nullptr : outer->sizes, outer);
    const WgPythonOwned stride = extents(outer == nullptr ? nullptr : outer->strides, outer);
    const WgPythonOwned made = python([&] {
        return PyObject_CallMethod(bound, "__tensor_unflatten__", "OOOO", inner.get(), find_context(state, context),
                                   size.get(), stride.get());
    });
    (void)tensor_of(made.get(), "what __tensor_unflatten__() returns");
    *out = wg_torch_give(THPVariable_Unpack(made.get()));
    return WG_TORCH_OK;
}

int32_t coerce_tangent(void *user, WgTensor *t, const WgType *type, const void *context, WgTensor **out)
{
    static const char method[] = "__coerce_same_metadata_as_tangent__";
    const WgPythonState &state = state_of(user);
    const WgPythonOwned object = object_of(t);
    *out = nullptr;
    if (PyObject_HasAttrString(object.get(), method) == 0) {
        return WG_TORCH_OK;
    }
    PyObject *wanted = THPVariableClass;
    if (type != nullptr) {
        (void)find_type(state, type, &wanted);
    }
    PyObject *traced = context == nullptr ? Py_None : find_context(state, context);
    const bool is_same = reinterpret_cast<PyObject *>(Py_TYPE(object.get())) == wanted;
    const WgPythonOwned made = python([&] {
        return is_same ? PyObject_CallMethod(object.get(), method, "(O)", traced)
                       : PyObject_CallMethod(object.get(), method, "OO", traced, wanted);
    });
    if (made.get() != Py_None) {
        (void)tensor_of(made.get(), "a converted tangent");
        *out = wg_torch_give(THPVariable_Unpack(made.get()));
    }
    return WG_TORCH_OK;
}

int32_t wait(void *, WgTensor *t, WgTensor **waited)
{
    const WgPythonOwned object = object_of(t);
    *waited = t;
    if (std::strcmp(Py_TYPE(object.get())->tp_name, "AsyncCollectiveTensor") != 0) {
        return WG_TORCH_OK;
    }
    const WgPythonOwned inner = python([&] { return PyObject_CallMethod(object.get(), "trigger_wait", nullptr); });
    *waited = tensor_of(inner.get(), "what an asynchronous collective waits for");
    TORCH_CHECK(Py_REFCNT(inner.get()) > 1 || WgTorchBorrowed(*waited)->use_count() > 1,
                "AsyncCollectiveTensor.trigger_wait() returned a tensor that nothing keeps");
    return WG_TORCH_OK;
}

/* Dimensions that are marked already stay so. */
int32_t mark_dynamic(void *, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    static const char attribute[] = "_dynamo_propagated_dynamic_indices";
    const WgPythonOwned object = object_of(t);
    const bool is_marked = PyObject_HasAttrString(object.get(), attribute) != 0;
    const WgPythonOwned before(is_marked ? wg_python_made(PyObject_GetAttrString(object.get(), attribute)) : nullptr);
    const WgPythonOwned marked(wg_python_made(PySet_New(before.get())));
    for (size_t i = 0; i < num_dimensions; i++) {
        const WgPythonOwned dimension(wg_python_made(PyLong_FromLong(dimensions[i])));
        if (PySet_Add(marked.get(), dimension.get()) != 0) {
            wg_python_throw();
        }
    }
    if (PyObject_SetAttrString(object.get(), attribute, marked.get()) != 0) {
        wg_python_throw();
    }
    return WG_TORCH_OK;
}

void hold(void *user)
{
    state_of(user).hold();
}

void let_go(void *user)
{
    state_of(user).let_go();
}

/* The number of the nested int in PyTorch's registry, which makes one for a tensor that has none. */
int64_t nested_int(void *, const WgTensor *t)
{
    const WgPythonOwned object = object_of(t);
    const WgPythonOwned registry(wg_python_import("torch.nested._internal.nested_tensor", "get_tensor_symint"));
    const WgPythonOwned found = python([&] { return PyObject_CallOneArg(registry.get(), object.get()); });
    WgValue value = wg_value_integer(0);
    TORCH_CHECK(wg_python_read_nested(found.get(), value), "PyTorch's registry of nested ints has another value");
    return value.integer;
}

/* On any thread, with or without the GIL; when Python has ended nothing of its own is touched. */
void keep(void *, void *object)
{
    wg_python_run([object] {
        const pybind11::gil_scoped_acquire gil;
        Py_INCREF(static_cast<PyObject *>(object));
    });
}

void drop(void *, void *object)
{
    if (!wg_python_is_ending()) {
        wg_python_run([object] {
            const pybind11::gil_scoped_acquire gil;
            Py_DECREF(static_cast<PyObject *>(object));
        });
    }
}

} // namespace

WgTorchTable wg_python_table(WgPythonState *state)
{
    WgTorchTable table = {};
    table.user = state;
    table.is_plain = is_plain;
    table.is_type = is_type;
    table.has_context = has_context;
    table.nested_int = nested_int;
    table.attr = attr;
    table.rebuild = rebuild;
    table.coerce_tangent = coerce_tangent;
    table.wait = wait;
    table.mark_dynamic = mark_dynamic;
    table.hold = hold;
    table.let_go = let_go;
    table.keep = keep;
    table.drop = drop;
    return table;
}
