/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_call.cpp - calls: from Python into a wrapper, and from a wrapper into a compiled function in Python.
 */
#include "wg_torch_python_inside.hpp"

#include <c10/util/SmallVector.h>

namespace
{

/* On the stack for most graphs. */
using Values = c10::SmallVector<WgValue, 16>;

WgPythonState &state_of(const WgContext *ctx)
{
    return *static_cast<WgPythonState *>(ctx->table->user);
}

/* A context for the time of a call. */
class Lease
{
  public:
    explicit Lease(WgPythonState &from) : state(from), ctx(from.take_context())
    {
    }
    ~Lease()
    {
        state.give_context(ctx);
    }
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    WgContext *get() const
    {
        return ctx;
    }

  private:
    WgPythonState &state;
    WgContext *ctx;
};

/* ---- arguments ---- */

void refuse(const WgPythonGraph &graph, const WgPythonValue &input, const PyObject *found)
{
    static const char *const expected[] = {"None", "torch.Tensor", "int", "int", "bool", "float", "any object"};
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s%s, not %s", graph.name, input.name,
                 expected[input.kind], input.optional != 0 ? " or None" : "", Py_TYPE(found)->tp_name);
}

/* A number out of an object of exactly its kind, else false. Python counts True among the ints, but a function that was
 * compiled for an int is not one that was compiled for a bool. Throws what Python raises. */
bool read_number(WgPythonKind kind, PyObject *object, WgValue &value)
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

/* false: an exception is set. */
bool read_argument(const WgPythonGraph &graph, const WgPythonValue &input, PyObject *object, WgValue &value)
{
    switch (static_cast<WgPythonKind>(input.kind)) {
    case WG_PYTHON_TENSOR:
        if (THPVariable_Check(object)) {
            value.tensor = wg_torch_lend(THPVariable_Unpack(object));
            return true;
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
        if (read_number(static_cast<WgPythonKind>(input.kind), object, value)) {
            return true;
        }
        break;
    case WG_PYTHON_OBJECT:
        value.pointer = object;
        return true;
    case WG_PYTHON_NONE:
        value.tensor = nullptr;
        if (object == Py_None) {
            return true;
        }
        break;
    }
    refuse(graph, input, object);
    return false;
}

/* The position of the input that a keyword names; -1 with an exception set. */
Py_ssize_t find_input(const WgPythonState &state, size_t graph, PyObject *name)
{
    const std::vector<PyObject *> &names = state.names[graph];
    for (size_t i = 0; i < names.size(); i++) {
        if (names[i] == name) {
            return static_cast<Py_ssize_t>(i);
        }
    }
    for (size_t i = 0; i < names.size(); i++) {
        if (PyUnicode_Compare(names[i], name) == 0) {
            return static_cast<Py_ssize_t>(i);
        }
    }
    PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", state.program.graphs[graph].name, name);
    return -1;
}

/* Puts arguments that were given by name into their places, behind those that were not. */
bool place_keywords(const WgPythonState &state, size_t graph, PyObject *const *given, Py_ssize_t num_positional,
                    PyObject *names, PyObject **placed)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        const Py_ssize_t at = find_input(state, graph, PyTuple_GET_ITEM(names, i));
        if (at < 0) {
            return false;
        }
        if (placed[at] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got argument '%U' twice", state.program.graphs[graph].name,
                         PyTuple_GET_ITEM(names, i));
            return false;
        }
        placed[at] = given[num_positional + i];
    }
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

bool read_arguments(const WgPythonState &state, size_t number, PyObject *const *args, Py_ssize_t num_args,
                    PyObject *names, WgValue *values)
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
        if (!place_keywords(state, number, args, num_args, names, placed.data())) {
            return false;
        }
        args = placed.data();
    } else if (static_cast<size_t>(num_args) != graph.num_inputs) {
        return refuse_count(graph, num_args);
    }
    for (size_t i = 0; i < graph.num_inputs; i++) {
        if (!read_argument(graph, graph.inputs[i], args[i], values[i])) {
            return false;
        }
    }
    return true;
}

/* ---- results ---- */

PyObject *object_of(int32_t kind, WgValue &value)
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
    case WG_PYTHON_NONE:
        break;
    }
    Py_RETURN_NONE;
}

/* The results of a wrapper: those that were not passed on are released. */
class Results
{
  public:
    explicit Results(const WgPythonGraph &of) : graph(of), values(of.num_outputs, wg_value_tensor(nullptr))
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
                             wg_python_made(object_of(graph.outputs[i].kind, values[i])));
        }
        return tuple.release();
    }

  private:
    const WgPythonGraph &graph;
    Values values;
};

/* ---- errors ---- */

/* Something was wrong with an argument, as opposed to a mode, a compiled function or a verb. */
PyObject *exception_of(int32_t status)
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

/* Sets the exception that ended a call: the one that a compiled function or PyTorch raised, or the wrapper's own. */
void raise_error(WgContext *ctx)
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

bool is_bound(const WgPythonState &state)
{
    for (size_t i = 0; i < state.types.size(); i++) {
        if (state.types[i] == nullptr) {
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

} // namespace

namespace
{

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
    if (state.num_missing > 0 && !is_bound(state)) {
        return nullptr;
    }
    const Lease lease(state);
    Results results(graph);
    const Given given(graph, values.data());
    const uint64_t num_entered = state.num_entered;
    if (graph.call(lease.get(), values.data(), results.data()) != WG_OK) {
        if (!offered || !is_refusal(state, num_entered, lease.get())) {
            raise_error(lease.get());
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

PyObject *wg_python_offer(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    HANDLE_TH_ERRORS
    WgPythonState &state = *wg_python_state(module);
    if (num_args != 2 || PyLong_Check(args[0]) == 0 || PyTuple_Check(args[1]) == 0) {
        PyErr_SetString(PyExc_TypeError, "takes 2 positional arguments, the number of a graph and a tuple");
        throw python_error();
    }
    const Py_ssize_t number = PyLong_AsSsize_t(args[0]);
    if (number < 0 || static_cast<size_t>(number) >= state.program.num_graphs) {
        PyErr_Format(PyExc_IndexError, "there are %zu graphs", state.program.num_graphs);
        throw python_error();
    }
    PyObject *results = call(state, static_cast<size_t>(number), PySequence_Fast_ITEMS(args[1]),
                             PyTuple_GET_SIZE(args[1]), nullptr, true);
    if (results == nullptr && PyErr_Occurred() != nullptr) {
        throw python_error();
    }
    return results == nullptr ? Py_NewRef(Py_NotImplemented) : results;
    END_HANDLE_TH_ERRORS
}

/* ---- compiled functions ---- */

namespace
{

/* The results of a compiled function, until they are the wrapper's. */
class Returned
{
  public:
    Returned(const WgPythonCompiled &of, WgValue *values) : row(of), outs(values)
    {
    }
    ~Returned()
    {
        for (size_t i = 0; i < num_stored; i++) {
            if (row.results[kinds[i]] == WG_PYTHON_TENSOR) {
                (void)wg_torch_take(std::exchange(outs[i].tensor, nullptr));
            }
        }
    }
    Returned(const Returned &) = delete;
    Returned &operator=(const Returned &) = delete;
    void store(PyObject *object);
    size_t finish()
    {
        return std::exchange(num_stored, 0);
    }
    size_t plan(size_t count);

  private:
    void store_one(WgPythonKind kind, PyObject *object, WgValue &out) const;

    const WgPythonCompiled &row;
    WgValue *outs;
    c10::SmallVector<size_t, 16> kinds; /* by position: which result it is */
    size_t num_stored = 0;
};

/* Which results are they, when there are `count`? All, or all but the sizes. */
size_t Returned::plan(size_t count)
{
    size_t num_extents = 0;
    for (size_t i = 0; i < row.num_results; i++) {
        num_extents += row.results[i] == WG_PYTHON_EXTENT ? 1 : 0;
    }
    TORCH_CHECK(count == row.num_results || count + num_extents == row.num_results, "the compiled function ", row.name,
                " returned ", count, " values, not ", row.num_results);
    for (size_t i = 0; i < row.num_results; i++) {
        if (count == row.num_results || row.results[i] != WG_PYTHON_EXTENT) {
            kinds.push_back(i);
        }
    }
    return count;
}

void Returned::store_one(WgPythonKind kind, PyObject *object, WgValue &out) const
{
    switch (kind) {
    case WG_PYTHON_TENSOR:
        if (THPVariable_Check(object)) {
            out.tensor = wg_torch_give(THPVariable_Unpack(object));
            return;
        }
        out.tensor = nullptr;
        if (object == Py_None) {
            return;
        }
        break;
    case WG_PYTHON_INTEGER:
    case WG_PYTHON_EXTENT:
    case WG_PYTHON_BOOLEAN:
    case WG_PYTHON_REAL:
        if (read_number(kind, object, out)) {
            return;
        }
        break;
    case WG_PYTHON_OBJECT:
        out.pointer = object;
        return;
    case WG_PYTHON_NONE:
        out.tensor = nullptr;
        if (object == Py_None) {
            return;
        }
        break;
    }
    static const char *const expected[] = {"None", "a tensor", "an int", "an int", "a bool", "a float", "an object"};
    PyErr_Format(PyExc_TypeError, "result %zu of the compiled function %s must be %s, not %s", num_stored, row.name,
                 expected[kind], Py_TYPE(object)->tp_name);
    wg_python_throw();
}

void Returned::store(PyObject *object)
{
    store_one(static_cast<WgPythonKind>(row.results[kinds[num_stored]]), object, outs[num_stored]);
    num_stored++;
}

/* What a compiled function gets for an argument that it borrows; with `taken` the reference itself. */
PyObject *argument_of(int32_t kind, const WgValue &value, WgValue *taken)
{
    if (kind == WG_PYTHON_TENSOR && taken == nullptr && value.tensor != nullptr) {
        return THPVariable_Wrap(*WgTorchBorrowed(value.tensor));
    }
    WgValue copy = value;
    PyObject *object = object_of(kind, copy);
    if (taken != nullptr) {
        *taken = copy;
    }
    return object;
}

void call_python(const WgPythonCompiled &row, PyObject *function, const WgValue *args, WgValue *taken, WgValue *outs,
                 size_t *num_outs)
{
    WgPythonOwned list(wg_python_made(PyList_New(static_cast<Py_ssize_t>(row.num_arguments))));
    for (size_t i = 0; i < row.num_arguments; i++) {
        WgValue *slot = taken == nullptr ? nullptr : &taken[i];
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                        wg_python_made(argument_of(row.arguments[i], args[i], slot)));
    }
    const WgPythonOwned held(Py_NewRef(function)); /* it may be bound anew while it runs */
    const WgPythonOwned results(
        wg_python_made(wg_python_run([&] { return PyObject_CallOneArg(function, list.get()); })));
    if (PyList_Check(results.get()) == 0 && PyTuple_Check(results.get()) == 0) {
        PyErr_Format(PyExc_TypeError, "the compiled function %s must return a list or tuple, not %s", row.name,
                     Py_TYPE(results.get())->tp_name);
        wg_python_throw();
    }
    Returned returned(row, outs);
    const size_t count = returned.plan(static_cast<size_t>(PySequence_Fast_GET_SIZE(results.get())));
    TORCH_CHECK(count <= *num_outs, "the wrapper has room for ", *num_outs, " results of ", row.name, ", not ", count);
    for (size_t i = 0; i < count; i++) {
        returned.store(PySequence_Fast_GET_ITEM(results.get(), static_cast<Py_ssize_t>(i)));
    }
    *num_outs = returned.finish();
}

int32_t enter_python(WgContext *ctx, size_t compiled, const WgValue *args, size_t num_args, WgValue *taken,
                     WgValue *outs, size_t *num_outs)
{
    try {
        WgPythonState &state = state_of(ctx);
        const WgPythonCompiled &row = state.program.compiled[compiled];
        PyObject *function = state.compiled[compiled];
        const std::shared_ptr<const WgPythonModel> model = state.models[compiled];
        state.num_entered++;
        TORCH_CHECK(function != nullptr || model != nullptr, "nothing is bound to the compiled function '", row.name,
                    "' (bind)");
        TORCH_CHECK(num_args == row.num_arguments, "the compiled function ", row.name, " gets ", num_args,
                    " arguments, not ", row.num_arguments);
        if (model != nullptr) {
            model->call(args, taken, outs, num_outs);
            return WG_OK;
        }
        call_python(row, function, args, taken, outs, num_outs);
        return WG_OK;
    } catch (...) {
        return wg_torch_caught(ctx);
    }
}

} // namespace

int32_t wg_python_compiled(WgContext *ctx, size_t compiled, const WgValue *args, size_t num_args, WgValue *outs,
                           size_t *num_outs)
{
    return enter_python(ctx, compiled, args, num_args, nullptr, outs, num_outs);
}

int32_t wg_python_compiled_consuming(WgContext *ctx, size_t compiled, WgValue *args, size_t num_args, WgValue *outs,
                                     size_t *num_outs)
{
    return enter_python(ctx, compiled, args, num_args, args, outs, num_outs);
}

/* ---- backwards ---- */

int32_t wg_python_enter(WgContext *ctx, const char *graph, int32_t *held)
{
    if (Py_IsInitialized() == 0) {
        const WgSite site = {graph, nullptr, "interpreter has ended", WG_E_HOST, WG_KIND_STATUS};
        return wg_fail_host(ctx, &site, WG_TORCH_E_RAISED);
    }
    *held = wg_python_run([] { return static_cast<int32_t>(PyGILState_Ensure()); });
    return WG_OK;
}

void wg_python_leave(int32_t held)
{
    PyGILState_Release(static_cast<PyGILState_STATE>(held));
}
