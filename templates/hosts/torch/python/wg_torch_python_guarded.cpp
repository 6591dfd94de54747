/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_guarded.cpp - a graph with tests before it: the rows that say what is tested, and the object that is
 * called. wg_torch_python_guarded_call.cpp has the call.
 */
#include "wg_torch_python_guarded.hpp"

#include <structmember.h>

const char wg_python_guarded_doc[] =
    "guarded($module, number, bound, num_args, constants, steps, tests, state, tensors, inputs, returned, /)\n--\n\n"
    "Graph number `number` with tests before it: called with `num_args` arguments, by position. NotImplemented, and "
    "nothing has been\ndone, where one of the tests fails. README.md in this folder says what the rows are.";

namespace
{

/* ---- rows ---- */

const char *const step_names[] = {"attr", "item", "dict_item", "keys", "size", "stride", "tensor", "referent"};
const char *const test_names[] = {"type",    "equal", "same", "not_none", "length", "with", "without", "empty",
                                  "not_nan", "holds", "lt",   "le",       "ne",     "gt",   "ge"};
const uint8_t orders[] = {ORDER_LESS, ORDER_LESS | ORDER_EQUAL, ORDER_LESS | ORDER_GREATER | ORDER_NONE, ORDER_GREATER,
                          ORDER_GREATER | ORDER_EQUAL};

[[noreturn]] void refuse_rows(const char *what)
{
    PyErr_Format(PyExc_ValueError, "guarded(): %s", what);
    wg_python_throw();
}

Py_ssize_t int_of(PyObject *object)
{
    const Py_ssize_t n = PyLong_AsSsize_t(object);
    if (n == -1 && PyErr_Occurred() != nullptr) {
        wg_python_throw();
    }
    return n;
}

PyObject *row_of(PyObject *rows, Py_ssize_t i, Py_ssize_t size)
{
    PyObject *row = PyTuple_GET_ITEM(rows, i);
    if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) != size) {
        refuse_rows("a row must be a tuple of three");
    }
    return row;
}

void check_tuple(PyObject *object)
{
    if (!PyTuple_Check(object)) {
        refuse_rows("rows must be in a tuple");
    }
}

template <typename Kind, size_t count> Kind kind_of(PyObject *name, const char *const (&names)[count])
{
    for (size_t i = 0; i < count && PyUnicode_Check(name); i++) {
        if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) {
            return static_cast<Kind>(i);
        }
    }
    PyErr_Format(PyExc_ValueError, "guarded(): there is no kind %R", name);
    wg_python_throw();
}

} // namespace

size_t WgPythonGuarded::place(PyObject *object, size_t limit, const char *what) const
{
    const Py_ssize_t at = int_of(object);
    if (at < 0 || static_cast<size_t>(at) >= limit) {
        refuse_rows(what);
    }
    return static_cast<size_t>(at);
}

std::vector<size_t> WgPythonGuarded::places(PyObject *numbers, const char *what) const
{
    check_tuple(numbers);
    std::vector<size_t> found;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); i++) {
        found.push_back(place(PyTuple_GET_ITEM(numbers, i), num_values, what));
    }
    return found;
}

void WgPythonGuarded::read_steps(PyObject *rows)
{
    check_tuple(rows);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows); i++) {
        PyObject *row = row_of(rows, i, 3);
        const auto kind = kind_of<WgPythonStepKind>(PyTuple_GET_ITEM(row, 1), step_names);
        PyObject *key = own(PyTuple_GET_ITEM(row, 2));
        if (kind == STEP_ATTR && !PyUnicode_Check(key)) {
            refuse_rows("the name of an attribute is not a str");
        }
        const int64_t dim = kind == STEP_SIZE || kind == STEP_STRIDE ? int_of(key) : 0;
        const size_t at = place(PyTuple_GET_ITEM(row, 0), num_values, "a step reads what is not there yet");
        steps.push_back({kind, at, key, dim, {}});
        num_values++;
    }
}

WgPythonTest WgPythonGuarded::test_of(WgPythonTestKind kind, size_t at, PyObject *operand) const
{
    WgPythonTest made = {kind, at, operand, 0, nullptr, {}};
    if (kind >= TEST_COMPARED) {
        if (!PyFloat_CheckExact(operand)) {
            refuse_rows("what a float is compared with is not a float");
        }
        made.kind = TEST_COMPARED;
        made.number = orders[kind - TEST_COMPARED];
    } else if (kind == TEST_LENGTH) {
        made.number = int_of(operand);
    } else if (kind == TEST_EMPTY) {
        check_tuple(operand);
    } else if (kind == TEST_SAME) {
        made.number = static_cast<Py_ssize_t>(place(operand, num_values, "a test is of what is not there"));
    } else if (kind == TEST_HOLDS) {
        if (!PyTuple_Check(operand) || PyTuple_GET_SIZE(operand) != 2) {
            refuse_rows("what is asked is a tuple of a function and of places");
        }
        made.operand = PyTuple_GET_ITEM(operand, 0);
        made.given = places(PyTuple_GET_ITEM(operand, 1), "a test is of what is not there");
    }
    return made;
}

void WgPythonGuarded::read_tests(PyObject *rows)
{
    check_tuple(rows);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows); i++) {
        PyObject *row = row_of(rows, i, 3);
        const auto kind = kind_of<WgPythonTestKind>(PyTuple_GET_ITEM(row, 0), test_names);
        const size_t at = place(PyTuple_GET_ITEM(row, 1), num_values, "a test is of what is not there");
        tests.push_back(test_of(kind, at, own(PyTuple_GET_ITEM(row, 2))));
    }
}

/* The arguments of guarded(), after the count of them was looked at. */
void WgPythonGuarded::read_rows(PyObject *const *given)
{
    number = place(given[0], state.program.num_graphs, "there is no graph of that number");
    check_tuple(given[1]);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given[1]); i++) {
        bound.push_back(own(PyTuple_GET_ITEM(given[1], i)));
    }
    const Py_ssize_t count = int_of(given[2]);
    if (count < 0) {
        refuse_rows("the number of arguments is negative");
    }
    num_args_wanted = static_cast<size_t>(count);
    check_tuple(given[3]);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given[3]); i++) {
        constants.push_back(own(PyTuple_GET_ITEM(given[3], i)));
    }
    num_values = bound.size() + num_args_wanted + constants.size();
    read_steps(given[4]);
    read_tests(given[5]);
    check_tuple(given[6]);
    if (PyTuple_GET_SIZE(given[6]) != 2 || !PyBool_Check(PyTuple_GET_ITEM(given[6], 1))) {
        refuse_rows("the state is a tuple of what tests it and of whether inference mode is on");
    }
    check_state = own(PyTuple_GET_ITEM(given[6], 0));
    inference_mode = PyTuple_GET_ITEM(given[6], 1) == Py_True;
    check_tuple(given[7]);
    if (PyTuple_GET_SIZE(given[7]) != 2) {
        refuse_rows("tensors are a tuple of what makes their rows and of places");
    }
    make_tensor_rows = own(PyTuple_GET_ITEM(given[7], 0));
    tensors.places = places(PyTuple_GET_ITEM(given[7], 1), "a tensor is not there");
    inputs = places(given[8], "an input is not there");
    if (PyLong_Check(given[9])) {
        result = static_cast<Py_ssize_t>(
            place(given[9], state.program.graphs[number].num_outputs, "there is no result of that number"));
    } else if (given[9] != Py_None) {
        make_result = own(given[9]);
    }
    const WgPythonOwned devices(wg_python_made(PyImport_ImportModule("torch.utils._device")));
    device_names = own(wg_python_made(PyModule_GetDict(devices.get())));
    const WgPythonOwned name(wg_python_made(PyUnicode_InternFromString("CURRENT_DEVICE")));
    device_name = own(name.get());
}

/* ---- the object ---- */

int WgPythonGuarded::show(visitproc visit, void *arg) const
{
    for (PyObject *object : owned) {
        Py_VISIT(object);
    }
    for (const WgPythonTest &row : tests) {
        Py_VISIT(row.known);
    }
    return kept == nullptr ? 0 : kept->show(visit, arg);
}

void WgPythonGuarded::clear()
{
    check_state = nullptr;
    const std::shared_ptr<const WgPythonKept> no_longer = std::exchange(kept, nullptr);
    std::vector<PyObject *> ended = std::exchange(owned, {});
    for (WgPythonTest &row : tests) {
        ended.push_back(std::exchange(row.known, nullptr));
    }
    for (PyObject *object : ended) {
        Py_XDECREF(object);
    }
}

namespace
{

struct GuardedObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    WgPythonGuarded *guarded;
    bool graph_refused; /* did the graph refuse the arguments of the last call, after all tests held? */
};

WgPythonGuarded *&guarded_of(PyObject *self)
{
    return reinterpret_cast<GuardedObject *>(self)->guarded;
}

PyObject *call_guarded(PyObject *self, PyObject *const *args, size_t num_args, PyObject *names)
{
    HANDLE_TH_ERRORS
    if (names != nullptr && PyTuple_GET_SIZE(names) > 0) {
        PyErr_SetString(PyExc_TypeError, "takes no arguments by name");
        throw python_error();
    }
    bool by_graph = false;
    PyObject *returned = guarded_of(self)->call(args, PyVectorcall_NARGS(num_args), by_graph);
    reinterpret_cast<GuardedObject *>(self)->graph_refused = by_graph;
    if (returned == nullptr && PyErr_Occurred() != nullptr) {
        throw python_error();
    }
    return returned == nullptr ? Py_NewRef(Py_NotImplemented) : returned;
    END_HANDLE_TH_ERRORS
}

int visit_guarded(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return guarded_of(self) == nullptr ? 0 : guarded_of(self)->show(visit, arg);
}

int clear_guarded(PyObject *self)
{
    if (guarded_of(self) != nullptr) {
        guarded_of(self)->clear();
    }
    return 0;
}

void end_guarded(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyTypeObject *type = Py_TYPE(self);
    delete std::exchange(guarded_of(self), nullptr);
    type->tp_free(self);
    Py_DECREF(type);
}

PyTypeObject *guarded_type(const char *module)
{
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(GuardedObject, vectorcall), READONLY, nullptr},
        {"graph_refused", T_BOOL, offsetof(GuardedObject, graph_refused), READONLY, nullptr},
        {}};
    static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                                  {Py_tp_traverse, reinterpret_cast<void *>(visit_guarded)},
                                  {Py_tp_clear, reinterpret_cast<void *>(clear_guarded)},
                                  {Py_tp_dealloc, reinterpret_cast<void *>(end_guarded)},
                                  {Py_tp_members, members},
                                  {0, nullptr}};
    const std::string name = std::string(module) + ".Guarded";
    PyType_Spec spec = {name.c_str(), static_cast<int>(sizeof(GuardedObject)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                        slots};
    return reinterpret_cast<PyTypeObject *>(wg_python_made(PyType_FromSpec(&spec)));
}

} // namespace

PyObject *wg_python_guarded(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    HANDLE_TH_ERRORS
    if (num_args != 10) {
        PyErr_Format(PyExc_TypeError, "guarded() takes 10 positional arguments, not %zd", num_args);
        throw python_error();
    }
    WgPythonState &state = *wg_python_state(module);
    if (state.guarded_type == nullptr) {
        const char *name = PyModule_GetName(module);
        if (name == nullptr) {
            throw python_error();
        }
        state.guarded_type = guarded_type(name);
    }
    auto guarded = std::make_unique<WgPythonGuarded>(module);
    guarded->read_rows(args);
    GuardedObject *self = PyObject_GC_New(GuardedObject, state.guarded_type);
    if (self == nullptr) {
        throw python_error();
    }
    self->vectorcall = call_guarded;
    self->guarded = guarded.release();
    self->graph_refused = false;
    PyObject_GC_Track(self);
    return reinterpret_cast<PyObject *>(self);
    END_HANDLE_TH_ERRORS
}
