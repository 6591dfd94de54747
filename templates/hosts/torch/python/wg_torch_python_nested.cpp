/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_nested.cpp - nested ints, the sizes of ragged dimensions. They are objects of Python, and which one a
 * tensor owns is in a registry of Python's, so what was found out is remembered: neither changes while its object
 * lives.
 */
#include "wg_torch_python_inside.hpp"

namespace
{

/* Nested ints are numbered from here downwards, where no size is. */
constexpr int64_t first_nested = -(INT64_C(1) << 32);

/* So many of each are remembered; after that the oldest one makes room. */
constexpr size_t capacity = 8;

/* Adds one more, and takes the oldest away, which ends up in `item`, when there are too many. False: none had to go. */
template <typename Item> bool exchange_oldest(std::vector<Item> &items, size_t &next, Item &item)
{
    if (items.size() < capacity) {
        items.push_back(std::move(item));
        return false;
    }
    std::swap(items[next], item);
    next = (next + 1) % capacity;
    return true;
}

} // namespace

WgPythonNested::~WgPythonNested()
{
    clear();
}

int WgPythonNested::show(visitproc visit, void *arg) const
{
    for (const Known &one : known) {
        Py_VISIT(one.node);
        Py_VISIT(one.object);
    }
    Py_VISIT(kind);
    return 0;
}

void WgPythonNested::clear()
{
    const std::vector<Known> ended = std::exchange(known, {});
    next_known = 0;
    for (const Known &one : ended) {
        Py_DECREF(one.node);
        Py_DECREF(one.object);
    }
    Py_CLEAR(kind);
    owners.clear();
    next_owner = 0;
}

void WgPythonNested::remember(PyObject *node, PyObject *object, int64_t number)
{
    Known one = {Py_NewRef(node), Py_NewRef(object), number};
    if (exchange_oldest(known, next_known, one)) {
        Py_DECREF(one.node);
        Py_DECREF(one.object);
    }
}

bool WgPythonNested::read(PyObject *object, int64_t &number)
{
    if (kind == nullptr) {
        kind = wg_python_import("torch", "SymInt");
    }
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) != kind) {
        return false;
    }
    const WgPythonOwned node(wg_python_made(PyObject_GetAttrString(object, "node")));
    for (const Known &one : known) {
        if (one.node == node.get()) {
            number = one.number;
            return true;
        }
    }
    const WgPythonOwned index(wg_python_made(PyObject_CallMethod(node.get(), "nested_int", nullptr)));
    if (index.get() == Py_None) {
        return false;
    }
    const WgPythonOwned factor(wg_python_made(PyObject_CallMethod(node.get(), "nested_int_coeff", nullptr)));
    number = (first_nested - PyLong_AsLongLong(index.get())) * PyLong_AsLongLong(factor.get());
    if (PyErr_Occurred() != nullptr) {
        wg_python_throw();
    }
    remember(node.get(), object, number);
    return true;
}

PyObject *WgPythonNested::object_of(int64_t number)
{
    for (const Known &one : known) {
        if (one.number == number) {
            return Py_NewRef(one.object);
        }
    }
    const WgPythonOwned make(wg_python_import("torch.nested._internal.nested_int", "NestedIntNode"));
    const WgPythonOwned of(wg_python_import("torch", "SymInt"));
    const WgPythonOwned node(
        wg_python_made(PyObject_CallFunction(make.get(), "Li", static_cast<long long>(first_nested - number), 1)));
    WgPythonOwned made(wg_python_made(PyObject_CallOneArg(of.get(), node.get())));
    remember(node.get(), made.get(), number);
    return made.release();
}

int64_t WgPythonNested::owned_by(const WgTensor *t)
{
    c10::TensorImpl *const tensor = wg_torch_impl(t);
    for (const Owner &one : owners) {
        if (one.tensor._unsafe_get_target() == tensor) {
            return one.number;
        }
    }
    const WgPythonOwned object(wg_python_made(THPVariable_Wrap(*WgTorchBorrowed(t))));
    const WgPythonOwned registry(wg_python_import("torch.nested._internal.nested_tensor", "get_tensor_symint"));
    const WgPythonOwned found(
        wg_python_made(wg_python_run([&] { return PyObject_CallOneArg(registry.get(), object.get()); })));
    int64_t number = 0;
    TORCH_CHECK(read(found.get(), number), "PyTorch's registry of nested ints has another value");
    Owner owner = {Weak(WgTorchBorrowed(t)->getIntrusivePtr()), number};
    (void)exchange_oldest(owners, next_owner, owner);
    return number;
}
