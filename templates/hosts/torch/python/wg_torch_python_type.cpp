/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_type.cpp - what the host asks the program about (WgTorchTable), answered by Python: subclasses of
 * torch.Tensor are taken apart and put together by their own __tensor_flatten__ and __tensor_unflatten__.
 */
#include "wg_torch_python_inside.hpp"

#include <cstring>

namespace
{

WgPythonState &state_behind(void *user)
{
    return *static_cast<WgPythonState *>(user);
}

/* The object of a tensor, made if it has none yet. */
WgPythonOwned object_for(const WgTensor *t)
{
    return WgPythonOwned(wg_python_made(THPVariable_Wrap(*WgTorchBorrowed(t))));
}

WgTensor *tensor_in(PyObject *object, const char *what)
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
WgPythonOwned flatten(const WgPythonState &state, PyObject *object)
{
    WgPythonOwned pair = python([&] { return PyObject_CallMethodNoArgs(object, state.flatten); });
    TORCH_CHECK_TYPE(PyTuple_Check(pair.get()) && PyTuple_GET_SIZE(pair.get()) == 2, Py_TYPE(object)->tp_name,
                     ".__tensor_flatten__() must return a pair");
    return pair;
}

bool are_names(PyObject *sequence, const WgPythonType &row)
{
    const WgPythonOwned names(wg_python_made(PySequence_Fast(sequence, "names of attributes")));
    bool same = static_cast<size_t>(PySequence_Fast_GET_SIZE(names.get())) == row.num_attrs;
    for (size_t i = 0; i < row.num_attrs && same; i++) {
        PyObject *name = PySequence_Fast_GET_ITEM(names.get(), static_cast<Py_ssize_t>(i));
        same = PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, row.attrs[i]) == 0;
    }
    return same;
}

bool has_names(const WgPythonState &state, PyObject *object, const WgPythonType &row)
{
    const WgPythonOwned pair = flatten(state, object);
    return are_names(PyTuple_GET_ITEM(pair.get(), 0), row);
}

/* The position of a type in the lists of the program and of the state. */
size_t find_type(const WgPythonState &state, const WgType *type)
{
    for (size_t i = 0; i < state.program.num_types; i++) {
        if (state.program.types[i].type == type) {
            return i;
        }
    }
    TORCH_CHECK(false, "a tensor subclass that this module does not know");
}

bool is_of(const PyObject *object, const WgPythonClass &type)
{
    return type.bound == reinterpret_cast<PyObject *>(Py_TYPE(object));
}

/* May a class that is bound by class be tested alone? Not if the program has two declarations of it, which the names of
 * their attributes tell apart. */
bool is_enough(const WgPythonState &state, const WgPythonClass &type)
{
    size_t count = 0;
    for (const WgPythonClass &one : state.types) {
        count += one.bound == type.bound ? 1 : 0;
    }
    return type.by_class && count == 1;
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
    const WgPythonState &state = state_behind(user);
    const size_t i = find_type(state, type);
    const WgPythonOwned object = object_for(t);
    return is_of(object.get(), state.types[i]) &&
                   (is_enough(state, state.types[i]) || has_names(state, object.get(), state.program.types[i]))
               ? 1
               : 0;
}

/* Wrappers ask this about tangents, after the type, since no guard has tested them. Where the class was enough for the
 * type, the names are tested here. */
int has_context(void *user, const WgTensor *t, const void *context)
{
    const WgPythonState &state = state_behind(user);
    const WgPythonOwned object = object_for(t);
    if (PyObject_HasAttr(object.get(), state.flatten) == 0) {
        return 0;
    }
    const WgPythonOwned pair = flatten(state, object.get());
    for (size_t i = 0; i < state.types.size(); i++) {
        if (is_of(object.get(), state.types[i]) && is_enough(state, state.types[i]) &&
            !are_names(PyTuple_GET_ITEM(pair.get(), 0), state.program.types[i])) {
            return 0;
        }
    }
    const int same = PyObject_RichCompareBool(PyTuple_GET_ITEM(pair.get(), 1), find_context(state, context), Py_EQ);
    if (same < 0) {
        wg_python_throw();
    }
    return same;
}

/* Which type the tensor was declared as: the only one that its class can be, or the one with the attributes that it has
 * now. As many as there are: it is none of them. */
size_t declared(const WgPythonState &state, PyObject *object)
{
    size_t found = state.types.size();
    size_t count = 0;
    for (size_t i = 0; i < state.types.size(); i++) {
        if (is_of(object, state.types[i])) {
            found = i;
            count++;
        }
    }
    for (size_t i = 0; i < state.types.size() && count > 1; i++) {
        if (is_of(object, state.types[i]) && has_names(state, object, state.program.types[i])) {
            return i;
        }
    }
    return count == 1 ? found : state.types.size();
}

/* The name of an attribute, as declared, or as the tensor itself says. */
WgPythonOwned attribute_name(const WgPythonState &state, size_t type, PyObject *object, int32_t index)
{
    if (type < state.types.size() && static_cast<size_t>(index) < state.types[type].names.size()) {
        return WgPythonOwned(Py_NewRef(state.types[type].names[static_cast<size_t>(index)]));
    }
    const WgPythonOwned pair = flatten(state, object);
    return WgPythonOwned(wg_python_made(PySequence_GetItem(PyTuple_GET_ITEM(pair.get(), 0), index)));
}

bool is_opaque(const WgPythonState &state, size_t type, int32_t index)
{
    return type < state.types.size() && static_cast<size_t>(index) < state.program.types[type].num_attrs &&
           state.program.types[type].opaque[index] != 0;
}

/* What is returned is borrowed from the tensor, so an attribute that is made when it is asked for is refused. */
int32_t attr(void *user, const WgTensor *t, int32_t index, WgTensor **attr)
{
    const WgPythonState &state = state_behind(user);
    const WgPythonOwned object = object_for(t);
    const size_t type = declared(state, object.get());
    const WgPythonOwned name = attribute_name(state, type, object.get(), index);
    const WgPythonOwned value = python([&] { return PyObject_GetAttr(object.get(), name.get()); });
    if (is_opaque(state, type, index)) {
        TORCH_CHECK(Py_REFCNT(value.get()) > 1, "attribute '", PyUnicode_AsUTF8(name.get()), "' of ",
                    Py_TYPE(object.get())->tp_name, " is made when it is read, and nothing keeps it");
        *attr = reinterpret_cast<WgTensor *>(value.get());
        return WG_TORCH_OK;
    }
    if (value.get() == Py_None) {
        *attr = nullptr;
        return WG_TORCH_OK;
    }
    WgTensor *found = tensor_in(value.get(), "an attribute of a tensor subclass");
    TORCH_CHECK(Py_REFCNT(value.get()) > 1 || WgTorchBorrowed(found)->use_count() > 1, "attribute '",
                PyUnicode_AsUTF8(name.get()), "' of ", Py_TYPE(object.get())->tp_name,
                " is made when it is read, and nothing keeps it");
    TORCH_CHECK(!wg_torch_has_tangent(found), "attribute '", PyUnicode_AsUTF8(name.get()), "' of ",
                Py_TYPE(object.get())->tp_name, " has a forward-mode derivative, which a compiled graph would drop");
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
WgPythonOwned take_attributes(const WgPythonType &row, const std::vector<PyObject *> &names, WgTensor **attrs,
                              size_t num_attrs)
{
    c10::SmallVector<at::Tensor, 8> taken(num_attrs);
    for (size_t i = 0; i < num_attrs; i++) {
        if (i >= row.num_attrs || row.opaque[i] == 0) {
            taken[i] = wg_torch_take(std::exchange(attrs[i], nullptr));
        }
    }
    TORCH_CHECK(num_attrs == row.num_attrs, "a tensor subclass has ", row.num_attrs, " attributes, not ", num_attrs);
    WgPythonOwned inner(wg_python_made(PyDict_New()));
    for (size_t i = 0; i < num_attrs; i++) {
        const WgPythonOwned value(wg_python_made(attribute_of(row, i, attrs[i], std::move(taken[i]))));
        if (PyDict_SetItem(inner.get(), names[i], value.get()) != 0) {
            wg_python_throw();
        }
    }
    return inner;
}

int32_t rebuild(void *user, const WgType *type, const void *context, WgTensor **attrs, size_t num_attrs,
                const WgGeometry *outer, WgTensor **out)
{
    const WgPythonState &state = state_behind(user);
    const size_t i = find_type(state, type);
    const WgPythonClass &known = state.types[i];
    const WgPythonOwned inner = take_attributes(state.program.types[i], known.names, attrs, num_attrs);
    const WgPythonOwned size = extents(outer == nullptr ? nullptr : outer->sizes, outer);
    const WgPythonOwned stride = extents(outer == nullptr ? nullptr : outer->strides, outer);
    const WgPythonOwned held(
        Py_NewRef(known.rebuild != nullptr ? known.rebuild : known.bound)); /* as it may be bound anew */
    PyObject *const given[] = {held.get(), inner.get(), find_context(state, context), size.get(), stride.get()};
    const bool is_method = known.rebuild == nullptr;
    const WgPythonOwned made = python([&] {
        return is_method ? PyObject_VectorcallMethod(state.unflatten, given, 5, nullptr)
                         : PyObject_Vectorcall(held.get(), given + 1, 4, nullptr);
    });
    (void)tensor_in(made.get(), "what __tensor_unflatten__() returns");
    *out = wg_torch_give(THPVariable_Unpack(made.get()));
    return WG_TORCH_OK;
}

int32_t coerce_tangent(void *user, WgTensor *t, const WgType *type, const void *context, WgTensor **out)
{
    static const char method[] = "__coerce_same_metadata_as_tangent__";
    const WgPythonState &state = state_behind(user);
    const WgPythonOwned object = object_for(t);
    *out = nullptr;
    if (PyObject_HasAttrString(object.get(), method) == 0) {
        return WG_TORCH_OK;
    }
    PyObject *wanted = THPVariableClass;
    const size_t declared_as = type != nullptr ? find_type(state, type) : state.types.size();
    if (type != nullptr) {
        wanted = state.types[declared_as].bound;
    }
    PyObject *traced = context == nullptr ? Py_None : find_context(state, context);
    const bool is_same = reinterpret_cast<PyObject *>(Py_TYPE(object.get())) == wanted;
    const WgPythonOwned made = python([&] {
        return is_same ? PyObject_CallMethod(object.get(), method, "(O)", traced)
                       : PyObject_CallMethod(object.get(), method, "OO", traced, wanted);
    });
    if (made.get() != Py_None) {
        (void)tensor_in(made.get(), "a converted tangent");
        TORCH_CHECK_TYPE(type == nullptr || !is_of(made.get(), state.types[declared_as]) ||
                             has_names(state, made.get(), state.program.types[declared_as]),
                         method, " returned a ", Py_TYPE(made.get())->tp_name, " with other attributes");
        *out = wg_torch_give(THPVariable_Unpack(made.get()));
    }
    return WG_TORCH_OK;
}

int32_t wait(void *, WgTensor *t, WgTensor **waited)
{
    const WgPythonOwned object = object_for(t);
    *waited = t;
    if (std::strcmp(Py_TYPE(object.get())->tp_name, "AsyncCollectiveTensor") != 0) {
        return WG_TORCH_OK;
    }
    const WgPythonOwned inner = python([&] { return PyObject_CallMethod(object.get(), "trigger_wait", nullptr); });
    *waited = tensor_in(inner.get(), "what an asynchronous collective waits for");
    TORCH_CHECK(Py_REFCNT(inner.get()) > 1 || WgTorchBorrowed(*waited)->use_count() > 1,
                "AsyncCollectiveTensor.trigger_wait() returned a tensor that nothing keeps");
    return WG_TORCH_OK;
}

/* Dimensions that are marked already stay so. */
int32_t mark_dynamic(void *, WgTensor *t, const int32_t *dimensions, size_t num_dimensions)
{
    static const char attribute[] = "_dynamo_propagated_dynamic_indices";
    const WgPythonOwned object = object_for(t);
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
    state_behind(user).hold();
}

void let_go(void *user)
{
    state_behind(user).let_go();
}

int64_t nested_int(void *user, const WgTensor *t)
{
    return state_behind(user).nested.owned_by(t);
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
