/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_kernel.cpp - calls of kernels from Python: their keys, and their dispatchers.
 */
#include "wg_torch_python_inside.hpp"

#include <algorithm>
#include <cstring>

namespace
{

const WgPythonPart *next_of(const WgPythonPart *part)
{
    return part + 1 + part->num_parts;
}

/* The arguments of a call of a kernel as C has them. */
class Call
{
  public:
    Call(const WgPythonState &of, size_t number, bool makes_key)
        : kernel(of.program.kernels[number]), known(of.kernel_names[number]),
          function(makes_key ? kernel.key_name : kernel.name), num_numbers(makes_key ? kernel.num_numbers : 0),
          numbers(num_numbers)
    {
        fields.resize_for_overwrite((kernel.args_size + sizeof(uint64_t) - 1) / sizeof(uint64_t)); /* read() fills it */
    }
    void read(PyObject *const *args, Py_ssize_t num_args, PyObject *names);
    const void *args() const
    {
        return fields.data();
    }

    const WgValue *extra() const
    {
        return numbers.data();
    }
    void put_values(WgValue *values) const;

  private:
    PyObject *const *placed(PyObject *const *args, Py_ssize_t num_args, PyObject *names);

    const WgPythonKernel &kernel;
    const std::vector<PyObject *> &known;
    const char *function;
    size_t num_numbers;
    c10::SmallVector<uint64_t, 32> fields;
    c10::SmallVector<WgValue, 3> numbers;
    c10::SmallVector<PyObject *, 16> places;
    WgPythonRoom room;
};

/* Each argument, then each number; null for one that was left out. */
PyObject *const *Call::placed(PyObject *const *args, Py_ssize_t num_args, PyObject *names)
{
    const Py_ssize_t num_named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    if (static_cast<size_t>(num_args) > kernel.num_args) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zu argument%s by position; %zd were given", function,
                     kernel.num_args, kernel.num_args == 1 ? "" : "s", num_args);
        wg_python_throw();
    }
    if (num_named == 0 && num_numbers == 0 && static_cast<size_t>(num_args) == kernel.num_args) {
        return args;
    }
    places.assign(args, args + num_args);
    places.resize(known.size(), nullptr);
    if (num_named > 0 && !wg_python_place(function, known, args + num_args, names, places.data())) {
        wg_python_throw();
    }
    for (size_t i = 0; i < known.size(); i++) {
        const bool is_number = i >= kernel.num_args;
        if (places[i] != nullptr && is_number && num_numbers == 0) {
            PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", function, known[i]);
            wg_python_throw();
        }
        if (places[i] == nullptr && (is_number ? num_numbers > 0 : i < kernel.num_required)) {
            PyErr_Format(PyExc_TypeError, "%s() misses argument '%U'", function, known[i]);
            wg_python_throw();
        }
    }
    return places.data();
}

void Call::read(PyObject *const *args, Py_ssize_t num_args, PyObject *names)
{
    PyObject *const *objects = placed(args, num_args, names);
    char *base = reinterpret_cast<char *>(fields.data());
    kernel.defaults(base);
    const WgPythonPart *part = kernel.args;
    for (size_t i = 0; i < kernel.num_args; i++, part = next_of(part)) {
        if (objects[i] == nullptr) {
            continue; /* it has its default */
        }
        if (part->kind == WG_PYTHON_TENSOR && THPVariable_Check(objects[i])) {
            *reinterpret_cast<WgTensor **>(base + part->at) = wg_torch_lend(THPVariable_Unpack(objects[i]));
        } else {
            wg_python_read(function, *part, objects[i], base + part->at, room);
        }
    }
    for (size_t i = 0; i < num_numbers; i++) {
        const WgPythonPart &number = kernel.numbers[i];
        if (!wg_python_read_number(static_cast<WgPythonKind>(number.kind), objects[kernel.num_args + i], numbers[i])) {
            wg_python_refuse(function, number, objects[kernel.num_args + i]);
        }
    }
}

void Call::put_values(WgValue *values) const
{
    const WgPythonPart *part = kernel.args;
    for (size_t i = 0; i < kernel.num_args; i++, part = next_of(part)) {
        values[i] = wg_python_value(*part, reinterpret_cast<const char *>(fields.data()) + part->at);
    }
}

/* What a variant returned: tensors that were not passed on are released. */
class Outputs
{
  public:
    Outputs(WgPythonState &of, const WgPythonKernel &made_by)
        : state(of), kernel(made_by), values(made_by.num_results, wg_value_tensor(nullptr))
    {
    }
    ~Outputs()
    {
        for (size_t i = 0; i < values.size(); i++) {
            if (kernel.results[i] == WG_PYTHON_TENSOR) {
                (void)wg_torch_take(values[i].tensor);
            }
        }
    }
    Outputs(const Outputs &) = delete;
    Outputs &operator=(const Outputs &) = delete;
    WgValue *data()
    {
        return values.data();
    }
    /* A function that fails has released what it made, and left anything here. */
    void forget()
    {
        std::fill(values.begin(), values.end(), wg_value_tensor(nullptr));
    }
    PyObject *deliver()
    {
        WgPythonOwned tuple(wg_python_made(PyTuple_New(static_cast<Py_ssize_t>(values.size()))));
        for (size_t i = 0; i < values.size(); i++) {
            PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                             wg_python_made(wg_python_object(state, kernel.results[i], values[i])));
        }
        return tuple.release();
    }

  private:
    WgPythonState &state;
    const WgPythonKernel &kernel;
    c10::SmallVector<WgValue, 8> values;
};

/* A variant that is a function failed with a status of its own: in Python, or in C. */
void raise_status(WgContext *ctx, const WgPythonKernel &kernel, int32_t status)
{
    const std::exception_ptr passed_on = wg_torch_exception(ctx);
    const std::string message = wg_torch_message(ctx);
    wg_torch_say(ctx, "");
    if (status == WG_TORCH_E_RAISED && passed_on != nullptr) {
        torch::translate_exception_to_python(passed_on);
        return;
    }
    PyErr_Format(PyExc_RuntimeError, "%s: the variant failed with code %d%s%s", kernel.yaml_name,
                 static_cast<int>(status), message.empty() ? "" : ": ", message.c_str());
}

/* Sets the exception that ended a call. A miss says which condition of the nearest variant does not hold; one of
 * another dispatcher, which a variant called, does not. */
void raise(WgContext *ctx, const WgPythonKernel &kernel, const void *args, int32_t status)
{
    const WgError *error = wg_error(ctx);
    if (error->status == WG_OK) {
        raise_status(ctx, kernel, status);
        return;
    }
    if (error->status != WG_E_NO_VARIANT || std::strcmp(error->site->graph, kernel.yaml_name) != 0) {
        wg_python_raise(ctx);
        return;
    }
    std::string text(kernel.explain(ctx, args, nullptr, 0) + 1, '\0');
    (void)kernel.explain(ctx, args, text.data(), text.size());
    PyErr_Format(PyExc_ValueError, "%s [WG_E_NO_VARIANT]", text.c_str());
}

} // namespace

PyObject *wg_python_key(PyObject *module, size_t number, PyObject *const *args, Py_ssize_t num_args, PyObject *names)
{
    HANDLE_TH_ERRORS
    WgPythonState &state = *wg_python_state(module);
    const WgPythonKernel &kernel = state.program.kernels[number];
    Call call(state, number, true);
    call.read(args, num_args, names);
    const WgPythonLease lease(state);
    c10::SmallVector<uint64_t, 128> key;
    key.resize_for_overwrite(kernel.key_size / sizeof(uint64_t));
    if (kernel.key(lease.get(), call.args(), call.extra(), key.data()) != WG_OK) {
        wg_python_raise(lease.get());
        throw python_error();
    }
    const char *start = reinterpret_cast<const char *>(key.data());
    const uint64_t *words = reinterpret_cast<const uint64_t *>(start + kernel.words_at);
    return wg_python_key_object(state, number, words, *reinterpret_cast<const size_t *>(start));
    END_HANDLE_TH_ERRORS
}

PyObject *wg_python_dispatch(PyObject *module, size_t number, PyObject *const *args, Py_ssize_t num_args,
                             PyObject *names)
{
    HANDLE_TH_ERRORS
    WgPythonState &state = *wg_python_state(module);
    const WgPythonKernel &kernel = state.program.kernels[number];
    Call call(state, number, false);
    call.read(args, num_args, names);
    if (state.num_missing > 0 && !wg_python_is_bound(state)) {
        throw python_error(); /* and not null, or the warnings that PyTorch held back would be given over it */
    }
    c10::SmallVector<WgValue, 16> values(kernel.num_args);
    call.put_values(values.data());
    const WgPythonLease lease(state);
    Outputs outputs(state, kernel);
    size_t num_outputs = kernel.num_results;
    wg_error_clear(lease.get());
    const int32_t status = kernel.call(lease.get(), values.data(), kernel.num_args, outputs.data(), &num_outputs);
    if (status != WG_OK) {
        outputs.forget();
        raise(lease.get(), kernel, call.args(), status);
        throw python_error();
    }
    TORCH_CHECK(num_outputs == kernel.num_results, "a variant of the kernel ", kernel.name, " returned ", num_outputs,
                " values, not ", kernel.num_results);
    return outputs.deliver();
    END_HANDLE_TH_ERRORS
}
