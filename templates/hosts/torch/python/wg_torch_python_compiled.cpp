/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_compiled.cpp - from C into Python: compiled functions that a module was given, and backwards.
 */
#include "wg_torch_python_inside.hpp"

namespace
{

WgPythonState &state_of(const WgContext *ctx)
{
    return *static_cast<WgPythonState *>(ctx->table->user);
}

/* The results of a compiled function, until they are the wrapper's. */
class Returned
{
  public:
    Returned(WgPythonState &with, const WgPythonCompiled &of, WgValue *values) : state(with), row(of), outs(values)
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
    void store(PyObject *object, WgContext *ctx);
    size_t finish()
    {
        return std::exchange(num_stored, 0);
    }
    size_t plan(size_t count);

  private:
    void store_one(WgPythonKind kind, PyObject *object, WgValue &out) const;

    WgPythonState &state;
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
        if (wg_python_read_number(kind, object, out)) {
            return;
        }
        break;
    case WG_PYTHON_OBJECT:
        out.pointer = object;
        return;
    case WG_PYTHON_NESTED:
        if (state.nested.read(object, out.integer)) {
            return;
        }
        break;
    case WG_PYTHON_NONE:
        out.tensor = nullptr;
        if (object == Py_None) {
            return;
        }
        break;
    case WG_PYTHON_STRING: /* never returned */
    case WG_PYTHON_DTYPE:
    case WG_PYTHON_DEVICE:
    case WG_PYTHON_TUPLE:
    case WG_PYTHON_LIST:
    case WG_PYTHON_RECORD:
        break;
    }
    static const char *const expected[] = {"None",   "a tensor", "an int",    "an int",
                                           "a bool", "a float",  "an object", "a nested int"};
    PyErr_Format(PyExc_TypeError, "result %zu of the compiled function %s must be %s, not %s", num_stored, row.name,
                 expected[kind], Py_TYPE(object)->tp_name);
    wg_python_throw();
}

void Returned::store(PyObject *object, WgContext *ctx)
{
    if (row.results[kinds[num_stored]] == WG_PYTHON_OBJECT) {
        state.keep(ctx, object);
    }
    store_one(static_cast<WgPythonKind>(row.results[kinds[num_stored]]), object, outs[num_stored]);
    num_stored++;
}

/* What a compiled function gets for an argument that it borrows; with `taken` the reference itself. */
PyObject *argument_of(WgPythonState &state, int32_t kind, const WgValue &value, WgValue *taken)
{
    if (kind == WG_PYTHON_TENSOR && taken == nullptr && value.tensor != nullptr) {
        return THPVariable_Wrap(*WgTorchBorrowed(value.tensor));
    }
    WgValue copy = value;
    PyObject *object = wg_python_object(state, kind, copy);
    if (taken != nullptr) {
        *taken = copy;
    }
    return object;
}

void call_python(WgContext *ctx, const WgPythonCompiled &row, PyObject *function, const WgValue *args, WgValue *taken,
                 WgValue *outs, size_t *num_outs)
{
    WgPythonState &state = state_of(ctx);
    WgPythonOwned list(wg_python_made(PyList_New(static_cast<Py_ssize_t>(row.num_arguments))));
    const WgPythonPart *part = row.parts;
    for (size_t i = 0; i < row.num_arguments; i++) {
        WgValue *slot = taken == nullptr ? nullptr : &taken[i];
        PyObject *argument =
            part != nullptr ? wg_python_part(*part, args[i]) : argument_of(state, row.arguments[i], args[i], slot);
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), wg_python_made(argument));
        part = part != nullptr ? part + 1 + part->num_parts : nullptr;
    }
    const WgPythonOwned held(Py_NewRef(function)); /* it may be bound anew while it runs */
    const WgPythonOwned results(
        wg_python_made(wg_python_run([&] { return PyObject_CallOneArg(function, list.get()); })));
    if (PyList_Check(results.get()) == 0 && PyTuple_Check(results.get()) == 0) {
        PyErr_Format(PyExc_TypeError, "the compiled function %s must return a list or tuple, not %s", row.name,
                     Py_TYPE(results.get())->tp_name);
        wg_python_throw();
    }
    Returned returned(state, row, outs);
    const size_t count = returned.plan(static_cast<size_t>(PySequence_Fast_GET_SIZE(results.get())));
    TORCH_CHECK(count <= *num_outs, "the wrapper has room for ", *num_outs, " results of ", row.name, ", not ", count);
    for (size_t i = 0; i < count; i++) {
        returned.store(PySequence_Fast_GET_ITEM(results.get(), static_cast<Py_ssize_t>(i)), ctx);
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
        call_python(ctx, row, function, args, taken, outs, num_outs);
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

void wg_python_leave(WgContext *ctx, int32_t held)
{
    state_of(ctx).forget(ctx);
    PyGILState_Release(static_cast<PyGILState_STATE>(held));
}
