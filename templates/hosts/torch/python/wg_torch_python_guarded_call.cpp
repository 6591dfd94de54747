/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_guarded_call.cpp - a call of a graph with tests before it: reads, tests, and the graph.
 */
#include "wg_torch_python_guarded.hpp"

#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/SavedTensorHooks.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include <cmath>

namespace
{

/* Is what Python raised what a read raises in a call of another structure? Then it is taken back. */
bool is_not_there()
{
    for (PyObject *kind : {PyExc_KeyError, PyExc_IndexError, PyExc_AttributeError, PyExc_TypeError}) {
        if (PyErr_ExceptionMatches(kind) != 0) {
            PyErr_Clear();
            return true;
        }
    }
    wg_python_throw();
}

/* A Python object as a condition, which is taken. */
bool is_true(PyObject *object)
{
    const WgPythonOwned held(wg_python_made(object));
    const int answer = PyObject_IsTrue(held.get());
    if (answer < 0) {
        wg_python_throw();
    }
    return answer == 1;
}

/* The size or stride of a tensor; null without an exception if it has none that is a number. */
PyObject *extent_of(PyObject *value, const WgPythonStep &row)
{
    if (!THPVariable_Check(value) || row.number < 0 || row.number >= THPVariable_Unpack(value).dim()) {
        return nullptr;
    }
    const at::Tensor &t = THPVariable_Unpack(value);
    const c10::SymInt extent = row.kind == STEP_SIZE ? t.sym_size(row.number) : t.sym_stride(row.number);
    const std::optional<int64_t> number = extent.maybe_as_int();
    return number.has_value() ? PyLong_FromLongLong(*number) : nullptr;
}

/* A float as Dynamo gives it to a graph that computes with any: as torch._as_tensor_fullprec makes it. Null without an
 * exception for what is not a float. */
PyObject *tensor_of(PyObject *value)
{
    if (!PyFloat_CheckExact(value)) {
        return nullptr;
    }
    return THPVariable_Wrap(at::scalar_tensor(PyFloat_AS_DOUBLE(value), at::dtype(at::kDouble).device(at::kCPU)));
}

/* What Python answers to a question: 1, 0, or -1 with an exception set. */
bool answered(int answer, bool wanted)
{
    if (answer < 0) {
        (void)is_not_there();
        return false;
    }
    return (answer == 1) == wanted;
}

/* 1, 0, or -1 with an exception set. Of a dict or set what it has, whatever its class says, as Dynamo tests it. */
int has(PyObject *value, PyObject *key)
{
    return PyDict_Check(value)     ? PyDict_Contains(value, key)
           : PyAnySet_Check(value) ? PySet_Contains(value, key)
                                   : PySequence_Contains(value, key);
}

/* Is what a dict has under each of the keys empty? */
bool are_empty(PyObject *dict, PyObject *keys)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys); i++) {
        PyObject *found = PyDict_Check(dict) ? PyDict_GetItemWithError(dict, PyTuple_GET_ITEM(keys, i)) : nullptr;
        if (found == nullptr) {
            return answered(PyErr_Occurred() == nullptr ? 0 : -1, true);
        }
        if (PyDict_Check(found) ? PyDict_GET_SIZE(found) != 0 : !answered(PyObject_IsTrue(found), false)) {
            return false;
        }
    }
    return true;
}

/* Does a function of some of the values return what is true? What it divides by may be 0 in a call. */
bool holds(const WgPythonTest &row, const WgPythonObjects &values)
{
    WgPythonObjects given;
    for (const size_t at : row.given) {
        given.push_back(values[at]);
    }
    PyObject *answer = PyObject_Vectorcall(row.operand, given.data(), given.size(), nullptr);
    if (answer == nullptr && PyErr_ExceptionMatches(PyExc_ZeroDivisionError) != 0) {
        PyErr_Clear();
        return false;
    }
    return answer == nullptr ? !is_not_there() : is_true(answer);
}

WgPythonOrder order_of(double a, double b)
{
    return a < b ? ORDER_LESS : a == b ? ORDER_EQUAL : a > b ? ORDER_GREATER : ORDER_NONE;
}

} // namespace

/* Modes that no guard of Dynamo's is about, or that a guard says are not there. torch.func has this key while there
 * is a transformation. */
bool WgPythonGuarded::around_holds()
{
    if (!is_true(PyObject_CallNoArgs(check_state)) || at::impl::PythonTorchFunctionTLS::stack_len() != 0 ||
        c10::impl::TorchDispatchModeTLS::stack_len() != 0 || c10::InferenceMode::is_enabled() != inference_mode ||
        c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::FuncTorchDynamicLayerFrontMode) ||
        at::SavedTensorDefaultHooks::get_hooks(true).has_value()) {
        return false;
    }
    return PyDict_GetItemWithError(device_names, device_name) == Py_None;
}

/* false: it is not there. */
bool WgPythonGuarded::step(WgPythonStep &row, const WgPythonObjects &values, PyObject *&found)
{
    PyObject *value = values[row.at];
    switch (row.kind) {
    case STEP_ATTR:
        found = row.attribute.read(value, row.key);
        break;
    case STEP_ITEM:
        if (PyDict_CheckExact(value)) {
            found = Py_XNewRef(PyDict_GetItemWithError(value, row.key));
            if (found == nullptr && PyErr_Occurred() == nullptr) {
                return false;
            }
            break;
        }
        found = PyObject_GetItem(value, row.key);
        break;
    case STEP_DICT_ITEM:
        found = PyDict_Check(value) ? Py_XNewRef(PyDict_GetItemWithError(value, row.key)) : nullptr;
        if (found == nullptr && PyErr_Occurred() == nullptr) {
            return false;
        }
        break;
    case STEP_KEYS:
        found = PyDict_Check(value) ? PyDict_Keys(value) : PySequence_List(value);
        break;
    case STEP_SIZE:
    case STEP_STRIDE:
        found = extent_of(value, row);
        if (found == nullptr && PyErr_Occurred() == nullptr) {
            return false;
        }
        break;
    case STEP_TENSOR:
        found = tensor_of(value);
        if (found == nullptr && PyErr_Occurred() == nullptr) {
            return false;
        }
        break;
    case STEP_REFERENT:
        if (!PyWeakref_CheckRefExact(value)) {
            return false;
        }
        found = PyObject_CallNoArgs(value);
        break;
    }
    return found != nullptr || !is_not_there();
}

/* 0.0 and -0.0 are not: a graph that divides by one has another result than one that divides by the other. */
static bool are_same_float(PyObject *value, PyObject *operand)
{
    const double one = PyFloat_AS_DOUBLE(value);
    const double other = PyFloat_AS_DOUBLE(operand);
    return std::isnan(one) ? std::isnan(other) : one == other && std::signbit(one) == std::signbit(other);
}

/* A type that is known is held, or another one might get its address. */
bool WgPythonGuarded::type_holds(WgPythonTest &row, PyObject *value)
{
    PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(value));
    if (type == row.known) {
        return true;
    }
    if (!is_true(PyObject_CallOneArg(row.operand, type))) {
        return false;
    }
    const WgPythonOwned old(std::exchange(row.known, Py_NewRef(type)));
    return true;
}

bool WgPythonGuarded::test(WgPythonTest &row, const WgPythonObjects &values)
{
    PyObject *value = values[row.at];
    switch (row.kind) {
    case TEST_TYPE:
        return type_holds(row, value);
    case TEST_EQUAL:
        return value == row.operand ||
               (Py_TYPE(value) == Py_TYPE(row.operand) &&
                (PyFloat_CheckExact(value) ? are_same_float(value, row.operand)
                                           : answered(PyObject_RichCompareBool(value, row.operand, Py_EQ), true)));
    case TEST_SAME:
        return value == values[static_cast<size_t>(row.number)];
    case TEST_NOT_NONE:
        return value != Py_None;
    case TEST_LENGTH: {
        const Py_ssize_t length = PyDict_Check(value) ? PyDict_Size(value) : PyObject_Size(value);
        return length < 0 ? !is_not_there() : length == row.number;
    }
    case TEST_WITH:
    case TEST_WITHOUT:
        return answered(has(value, row.operand), row.kind == TEST_WITH);
    case TEST_EMPTY:
        return are_empty(value, row.operand);
    case TEST_NOT_NAN:
        return PyFloat_CheckExact(value) && !std::isnan(PyFloat_AS_DOUBLE(value));
    case TEST_HOLDS:
        return holds(row, values);
    case TEST_COMPARED:
        return PyFloat_CheckExact(value) &&
               (row.number & order_of(PyFloat_AS_DOUBLE(value), PyFloat_AS_DOUBLE(row.operand))) != 0;
    }
    return false;
}

bool WgPythonGuarded::tensors_hold(const WgPythonObjects &values)
{
    if (tensors.places.empty()) {
        return true;
    }
    if (make_tensor_rows != nullptr) {
        const WgPythonOwned made(wg_python_made(PyObject_CallNoArgs(make_tensor_rows)));
        tensors.read(made.get());
        for (PyObject *type : tensors.types()) {
            own(type);
        }
        make_tensor_rows = nullptr;
    }
    return tensors.hold(values);
}

/* What the function returns, made of the results, which are taken. */
PyObject *WgPythonGuarded::result_of(PyObject *results, const WgPythonObjects &values) const
{
    const WgPythonOwned held(results);
    if (result >= 0) {
        return Py_NewRef(PyTuple_GET_ITEM(results, result));
    }
    if (make_result == nullptr) {
        return Py_NewRef(results);
    }
    const size_t count = bound.size() + num_args_wanted;
    const WgPythonOwned frame(wg_python_made(PyTuple_New(static_cast<Py_ssize_t>(count))));
    for (size_t i = 0; i < count; i++) {
        PyTuple_SET_ITEM(frame.get(), static_cast<Py_ssize_t>(i), Py_NewRef(values[i]));
    }
    PyObject *both[] = {results, frame.get()};
    return wg_python_made(PyObject_Vectorcall(make_result, both, 2, nullptr));
}

/* Null without an exception: the graph refuses the arguments. */
PyObject *WgPythonGuarded::run(const WgPythonObjects &values)
{
    c10::SmallVector<PyObject *, 64> given;
    for (const size_t at : inputs) {
        given.push_back(values[at]);
    }
    PyObject *results = wg_python_offer(state, number, given.data(), static_cast<Py_ssize_t>(given.size()));
    return results == nullptr ? nullptr : result_of(results, values);
}

/* Takes all steps and tests; false: one fails. */
bool WgPythonGuarded::read_all(WgPythonObjects &values, WgPythonHeld &held)
{
    for (WgPythonStep &row : steps) {
        PyObject *found = nullptr;
        if (!step(row, values, found)) {
            return false;
        }
        values.push_back(held.take(found));
    }
    for (WgPythonTest &row : tests) {
        if (!test(row, values)) {
            return false;
        }
    }
    return true;
}

/* The same by what is known, which holds, and which the call holds. */
bool WgPythonGuarded::read_kept(const WgPythonKept &known, WgPythonObjects &values, WgPythonHeld &held)
{
    const size_t first = values.size();
    values.append(known.values.begin() + static_cast<ptrdiff_t>(first), known.values.end());
    for (const size_t i : known.steps) {
        PyObject *found = nullptr;
        if (!step(steps[i], values, found)) {
            return false;
        }
        values[first + i] = held.take(found);
    }
    for (const size_t i : known.tests) {
        if (!test(tests[i], values)) {
            return false;
        }
    }
    return true;
}

PyObject *WgPythonGuarded::call(PyObject *const *args, Py_ssize_t num_args, bool &by_graph)
{
    if (check_state == nullptr || static_cast<size_t>(num_args) != num_args_wanted) {
        PyErr_Format(PyExc_TypeError, "takes %zu arguments, not %zd", num_args_wanted, num_args);
        wg_python_throw();
    }
    if (!around_holds()) {
        return nullptr;
    }
    WgPythonHeld held;
    WgPythonObjects values;
    values.reserve(num_values);
    values.append(bound.begin(), bound.end());
    values.append(args, args + num_args);
    values.append(constants.begin(), constants.end());
    const std::shared_ptr<const WgPythonKept> known = kept;
    const bool is_known = known != nullptr && known->holds();
    if (known == kept && !is_known) {
        kept = nullptr; /* what it owns may end with this call */
    }
    if (!(is_known ? read_kept(*known, values, held) : read_all(values, held)) || !tensors_hold(values)) {
        return nullptr;
    }
    if (is_known) {
        num_kept_calls++;
    } else {
        keep(values);
    }
    PyObject *returned = run(values);
    by_graph = returned == nullptr;
    return returned;
}
