/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_call.cpp - calls of graphs from Python, and what calls of kernels have in common with them.
 */
#include "wg_torch_python_inside.hpp"

/* ---- shared with calls of kernels ---- */

/* A number out of an object of exactly its kind, else false. Python counts True among the ints, but a function that was
 * compiled for an int is not one that was compiled for a bool. */
bool wg_python_read_number(WgPythonKind kind, PyObject *object, WgValue &value)
{
    if (kind == WG_PYTHON_BOOLEAN || PyBool_Check(object)) {
        value.integer = object == Py_True ? 1 : 0;
        return kind == WG_PYTHON_BOOLEAN && PyBool_Check(object);
    }
    if (kind == WG_PYTHON_REAL) {
        if (!PyFloat_Check(object) && !PyLong_Check(object)) {
            return false;
        }
        value.real = PyFloat_AsDouble(object);
    } else {
        if (!PyIndex_Check(object)) {
            return false;
        }
        const WgPythonOwned index(wg_python_made(PyNumber_Index(object)));
        value.integer = PyLong_AsLongLong(index.get());
    }
    if (PyErr_Occurred() != nullptr) {
        wg_python_throw();
    }
    return true;
}

PyObject *wg_python_import(const char *module, const char *name)
{
    const WgPythonOwned found(wg_python_made(PyImport_ImportModule(module)));
    return wg_python_made(PyObject_GetAttrString(found.get(), name));
}

/* The position of the name that a keyword is; -1 with an exception set. */
static Py_ssize_t find_name(const char *function, const std::vector<PyObject *> &known, PyObject *name)
{
    for (size_t i = 0; i < known.size(); i++) {
        if (known[i] == name) {
            return static_cast<Py_ssize_t>(i);
        }
    }
    for (size_t i = 0; i < known.size(); i++) {
        if (PyUnicode_Compare(known[i], name) == 0) {
            return static_cast<Py_ssize_t>(i);
        }
    }
    PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", function, name);
    return -1;
}

bool wg_python_place(const char *function, const std::vector<PyObject *> &known, PyObject *const *given,
                     PyObject *names, PyObject **placed)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        const Py_ssize_t at = find_name(function, known, PyTuple_GET_ITEM(names, i));
        if (at < 0) {
            return false;
        }
        if (placed[at] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got argument '%U' twice", function, PyTuple_GET_ITEM(names, i));
            return false;
        }
        placed[at] = given[i];
    }
    return true;
}

PyObject *wg_python_object(WgPythonState &state, int32_t kind, WgValue &value)
{
    switch (static_cast<WgPythonKind>(kind)) {
    case WG_PYTHON_TENSOR:
        if (value.tensor != nullptr) {
            return THPVariable_Wrap(wg_torch_take(std::exchange(value.tensor, nullptr)));
        }
        break;
    case WG_PYTHON_INTEGER:
    case WG_PYTHON_EXTENT:
        return PyLong_FromLongLong(value.integer);
    case WG_PYTHON_BOOLEAN:
        return PyBool_FromLong(value.integer != 0);
    case WG_PYTHON_REAL:
        return PyFloat_FromDouble(value.real);
    case WG_PYTHON_OBJECT:
        return Py_NewRef(static_cast<PyObject *>(value.pointer));
    case WG_PYTHON_NESTED:
        return state.nested.object_of(value.integer);
    case WG_PYTHON_NONE:
    case WG_PYTHON_STRING:
    case WG_PYTHON_DTYPE:
    case WG_PYTHON_DEVICE:
    case WG_PYTHON_TUPLE:
    case WG_PYTHON_LIST:
    case WG_PYTHON_RECORD:
        break;
    }
    Py_RETURN_NONE;
}

/* Something was wrong with an argument, as opposed to a mode, a compiled function or a verb. */
static PyObject *exception_of(int32_t status)
{
    switch (status) {
    case WG_E_NULL:
    case WG_E_TYPE:
        return PyExc_TypeError;
    case WG_E_COUNT:
    case WG_E_DTYPE:
    case WG_E_RANK:
    case WG_E_SIZE:
    case WG_E_STRIDE:
    case WG_E_OFFSET:
    case WG_E_DEVICE:
    case WG_E_ALIGNMENT:
    case WG_E_OVERLAP:
    case WG_E_VALUE:
    case WG_E_SYMBOL:
    case WG_E_OVERFLOW:
    case WG_E_IDENTITY:
    case WG_E_GRAD:
    case WG_E_NO_VARIANT:
    case WG_E_STREAM:
    case WG_E_GUARD:
    case WG_E_LAZY:
        return PyExc_ValueError;
    default:
        return PyExc_RuntimeError;
    }
}

void wg_python_raise(WgContext *ctx)
{
    const WgError *error = wg_error(ctx);
    const std::exception_ptr passed_on = wg_torch_exception(ctx);
    if ((error->status == WG_E_HOST || error->status == WG_E_COMPILED) && passed_on != nullptr) {
        wg_torch_say(ctx, "");
        torch::translate_exception_to_python(passed_on);
        return;
    }
    std::string text(wg_error_text(error, nullptr, 0) + 1, '\0');
    (void)wg_error_text(error, text.data(), text.size());
    text.pop_back();
    if (error->status == WG_E_HOST && *wg_torch_message(ctx) != '\0') {
        text += std::string(": ") + wg_torch_message(ctx);
    }
    PyErr_SetString(exception_of(error->status), text.c_str());
    wg_torch_say(ctx, "");
}

bool wg_python_is_bound(const WgPythonState &state)
{
    for (size_t i = 0; i < state.types.size(); i++) {
        if (state.types[i].bound == nullptr) {
            PyErr_Format(PyExc_RuntimeError, "no class is bound to the tensor subclass '%s' (bind_type)",
                         state.program.types[i].type->name);
            return false;
        }
    }
    for (size_t i = 0; i < state.contexts.size(); i++) {
        if (state.contexts[i] == nullptr) {
            PyErr_Format(PyExc_RuntimeError, "no object is bound to the flattening context '%s' (bind_context)",
                         state.program.contexts[i].name);
            return false;
        }
    }
    return true;
}

namespace
{

/* On the stack for most graphs. */
using Values = c10::SmallVector<WgValue, 16>;

/* ---- arguments ---- */

void refuse_argument(const WgPythonGraph &graph, const WgPythonValue &input, const PyObject *found)
{
    static const char *const expected[] = {"None", "torch.Tensor", "int",        "int",
                                           "bool", "float",        "any object", "a nested int"};
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s%s, not %s", graph.name, input.name,
                 expected[input.kind], input.optional != 0 ? " or None" : "", Py_TYPE(found)->tp_name);
}

/* No TypeError, so that an offered call is not left to what would drop it, too. */
bool refuse_tangent(const WgPythonGraph &graph, const WgPythonValue &input)
{
    PyErr_Format(PyExc_RuntimeError,
                 "%s(): argument '%s' has a forward-mode derivative, which a compiled graph would drop", graph.name,
                 input.name);
    return false;
}

/* false: an exception is set. */
bool read_argument(WgPythonState &state, const WgPythonGraph &graph, const WgPythonValue &input, PyObject *object,
                   WgValue &value)
{
    switch (static_cast<WgPythonKind>(input.kind)) {
    case WG_PYTHON_TENSOR:
        if (THPVariable_Check(object)) {
            value.tensor = wg_torch_lend(THPVariable_Unpack(object));
            return !wg_torch_has_tangent(value.tensor) || refuse_tangent(graph, input);
        }
        value.tensor = nullptr;
        if (object == Py_None && input.optional != 0) {
            return true;
        }
        break;
    case WG_PYTHON_INTEGER:
    case WG_PYTHON_EXTENT:
    case WG_PYTHON_BOOLEAN:
    case WG_PYTHON_REAL:
        if (wg_python_read_number(static_cast<WgPythonKind>(input.kind), object, value)) {
            return true;
        }
        break;
    case WG_PYTHON_OBJECT:
        value.pointer = object;
        return true;
    case WG_PYTHON_NESTED:
        if (state.nested.read(object, value.integer)) {
            return true;
        }
        break;
    case WG_PYTHON_NONE:
        value.tensor = nullptr;
        if (object == Py_None) {
            return true;
        }
        break;
    case WG_PYTHON_STRING: /* only arguments of kernels are such */
    case WG_PYTHON_DTYPE:
    case WG_PYTHON_DEVICE:
    case WG_PYTHON_TUPLE:
    case WG_PYTHON_LIST:
    case WG_PYTHON_RECORD:
        break;
    }
    refuse_argument(graph, input, object);
    return false;
}

bool has_all(const WgPythonState &state, size_t graph, PyObject *const *placed)
{
    for (size_t i = 0; i < state.names[graph].size(); i++) {
        if (placed[i] == nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() misses argument '%U'", state.program.graphs[graph].name,
                         state.names[graph][i]);
            return false;
        }
    }
    return true;
}

bool refuse_count(const WgPythonGraph &graph, Py_ssize_t num_args)
{
    PyErr_Format(PyExc_TypeError, "%s() takes %zu argument%s; %zd %s given", graph.name, graph.num_inputs,
                 graph.num_inputs == 1 ? "" : "s", num_args, num_args == 1 ? "was" : "were");
    return false;
}

bool read_arguments(WgPythonState &state, size_t number, PyObject *const *args, Py_ssize_t num_args, PyObject *names,
                    WgValue *values)
{
    const WgPythonGraph &graph = state.program.graphs[number];
    const Py_ssize_t num_named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    c10::SmallVector<PyObject *, 16> placed;
    if (num_named > 0) {
        if (static_cast<size_t>(num_args) > graph.num_inputs) {
            return refuse_count(graph, num_args + num_named);
        }
        placed.assign(args, args + num_args);
        placed.resize(graph.num_inputs, nullptr);
        if (!wg_python_place(graph.name, state.names[number], args + num_args, names, placed.data()) ||
            !has_all(state, number, placed.data())) {
            return false;
        }
        args = placed.data();
    } else if (static_cast<size_t>(num_args) != graph.num_inputs) {
        return refuse_count(graph, num_args);
    }
    for (size_t i = 0; i < graph.num_inputs; i++) {
        if (!read_argument(state, graph, graph.inputs[i], args[i], values[i])) {
            return false;
        }
    }
    return true;
}

/* ---- results ---- */

/* The results of a wrapper: those that were not passed on are released. */
class Results
{
  public:
    Results(WgPythonState &of, const WgPythonGraph &made_by)
        : state(of), graph(made_by), values(made_by.num_outputs, wg_value_tensor(nullptr))
    {
    }
    ~Results()
    {
        for (size_t i = 0; i < graph.num_outputs; i++) {
            if (graph.outputs[i].kind == WG_PYTHON_TENSOR) {
                (void)wg_torch_take(values[i].tensor);
            }
        }
    }
    Results(const Results &) = delete;
    Results &operator=(const Results &) = delete;
    WgValue *data()
    {
        return values.data();
    }
    PyObject *deliver()
    {
        WgPythonOwned tuple(wg_python_made(PyTuple_New(static_cast<Py_ssize_t>(graph.num_outputs))));
        for (size_t i = 0; i < graph.num_outputs; i++) {
            PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                             wg_python_made(wg_python_object(state, graph.outputs[i].kind, values[i])));
        }
        return tuple.release();
    }

  private:
    WgPythonState &state;
    const WgPythonGraph &graph;
    Values values;
};

/* References that a call takes. It leaves null where it took one; one that it did not get to ends here. */
class Given
{
  public:
    Given(const WgPythonGraph &of, WgValue *slots) : graph(of), values(slots)
    {
        for_each([](WgValue &value) { value.tensor = wg_torch_give(*WgTorchBorrowed(value.tensor)); });
    }
    ~Given()
    {
        for_each([](WgValue &value) { (void)wg_torch_take(std::exchange(value.tensor, nullptr)); });
    }
    Given(const Given &) = delete;
    Given &operator=(const Given &) = delete;

  private:
    template <typename Act> void for_each(const Act &act)
    {
        for (size_t i = 0; i < graph.num_inputs && graph.consumes != 0; i++) {
            if (graph.inputs[i].kind == WG_PYTHON_TENSOR && values[i].tensor != nullptr) {
                act(values[i]);
            }
        }
    }
    const WgPythonGraph &graph;
    WgValue *values;
};

/* Is what ended a call that its arguments do not fit, found before any compiled function ran? Wrappers look at
 * arguments first, and do nothing until all of them fit. */
bool is_refusal(const WgPythonState &state, uint64_t num_entered, const WgContext *ctx)
{
    return state.num_entered == num_entered && exception_of(wg_error(ctx)->status) != PyExc_RuntimeError;
}

/* Null with an exception set; or, if `offered`, null without one where the arguments do not fit. */
PyObject *call(WgPythonState &state, size_t number, PyObject *const *args, Py_ssize_t num_args, PyObject *names,
               bool offered)
{
    const WgPythonGraph &graph = state.program.graphs[number];
    Values values(graph.num_inputs);
    if (!read_arguments(state, number, args, num_args, names, values.data())) {
        if (offered && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_Clear();
        }
        return nullptr;
    }
    if (state.num_missing > 0 && !wg_python_is_bound(state)) {
        return nullptr;
    }
    const WgPythonLease lease(state);
    Results results(state, graph);
    const Given given(graph, values.data());
    const uint64_t num_entered = state.num_entered;
    if (graph.call(lease.get(), values.data(), results.data()) != WG_OK) {
        if (!offered || !is_refusal(state, num_entered, lease.get())) {
            wg_python_raise(lease.get());
        }
        return nullptr;
    }
    return results.deliver();
}

} // namespace

PyObject *wg_python_call(PyObject *module, size_t number, PyObject *const *args, Py_ssize_t num_args, PyObject *names)
{
    HANDLE_TH_ERRORS
    PyObject *results = call(*wg_python_state(module), number, args, num_args, names, false);
    if (results == nullptr) {
        throw python_error(); /* and not null, or the warnings that PyTorch held back would be given over it */
    }
    return results;
    END_HANDLE_TH_ERRORS
}

PyObject *wg_python_offer(WgPythonState &state, size_t number, PyObject *const *args, Py_ssize_t num_args)
{
    return call(state, number, args, num_args, nullptr, true);
}
