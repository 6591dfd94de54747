/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_model.cpp - AOTInductor models as the compiled functions of a module: a call has no Python in it.
 */
#include "wg_torch_python_inside.hpp"

#include <ATen/EmptyTensor.h>

#include <algorithm>

const char wg_python_bind_model_doc[] =
    "bind_model($module, name, path, arguments, results, /)\n--\n\n"
    "Sets what the wrappers call as the compiled function `name`: the AOTInductor model in the library `path`.\n"
    "arguments: which of the function's arguments, tensors all, the model takes, in its order, or ~i: a tensor whose "
    "only size is argument i, an int\n"
    "results: for each of the function's results, the position of the model's output that it is, or ~i: argument i, an "
    "int, or a list that computes an int, in postfix notation: ints, ~i in a list of its own for argument i, and + - * "
    "// % max min";

/* ---- the model ---- */

/* The kind of an argument, as a flat value; of a variant's, what is not flat is an address. */
static uint8_t kind_at(const WgPythonCompiled &row, size_t at)
{
    const WgPythonPart *part = row.parts;
    if (part == nullptr) {
        return row.arguments[at];
    }
    for (size_t i = 0; i < at; i++) {
        part += 1 + part->num_parts;
    }
    return static_cast<uint8_t>(part->by_address != 0 ? WG_PYTHON_OBJECT : part->kind);
}

static bool is_integer(uint8_t kind)
{
    return kind == WG_PYTHON_INTEGER || kind == WG_PYTHON_EXTENT;
}

WgPythonModel::WgPythonModel(const WgPythonCompiled &of, const char *path_, std::vector<Py_ssize_t> takes,
                             std::vector<WgPythonResult> gives)
    : row(of), path(path_), arguments(std::move(takes)), results(std::move(gives))
{
    WgModel model = open();
    try {
        check(model);
        idle.push_back(model);
    } catch (...) {
        wg_torch_model_close(&model);
        throw;
    }
}

WgPythonModel::~WgPythonModel()
{
    for (WgModel &model : idle) {
        wg_torch_model_close(&model);
    }
}

/* ---- a runner for each call ---- */

WgModel WgPythonModel::open() const
{
    WgContext *ctx = nullptr;
    TORCH_CHECK(wg_context_create(nullptr, &ctx) == WG_TORCH_OK, "no context can be made");
    const std::unique_ptr<WgContext, void (*)(WgContext *)> held(ctx, wg_context_destroy);
    WgModel model;
    TORCH_CHECK(wg_torch_model_open(ctx, &model, path.c_str(), "cpu", 1) == WG_TORCH_OK, "the model ", path,
                " cannot be opened: ", wg_torch_message(ctx));
    return model;
}

/* A runner that is free. A busy one is not waited for: what the model calls may call the model again, and would then
 * wait for itself. */
WgModel WgPythonModel::take() const
{
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!idle.empty()) {
            const WgModel model = idle.back();
            idle.pop_back();
            return model;
        }
    }
    return open();
}

void WgPythonModel::give(WgModel model) const noexcept
{
    try {
        const std::lock_guard<std::mutex> lock(mutex);
        idle.push_back(model);
    } catch (...) {
        wg_torch_model_close(&model);
    }
}

class WgPythonModel::Lease
{
  public:
    explicit Lease(const WgPythonModel &from) : of(from), model(from.take())
    {
    }
    ~Lease()
    {
        of.give(model);
    }
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    const WgModel *get() const
    {
        return &model;
    }

  private:
    const WgPythonModel &of;
    WgModel model;
};

/* ---- a call ---- */

/* Other threads of Python run in its time. */
class Released
{
  public:
    Released() : thread(PyEval_SaveThread())
    {
    }
    ~Released()
    {
        wg_python_run([this] { PyEval_RestoreThread(thread); });
    }
    Released(const Released &) = delete;
    Released &operator=(const Released &) = delete;

  private:
    PyThreadState *thread;
};

static std::vector<at::Tensor> run_without_gil(const WgModel *model, std::vector<at::Tensor> &&inputs)
{
    const Released released;
    return wg_torch_run_model(model, std::move(inputs));
}

void WgPythonModel::check(const WgModel &model) const
{
    TORCH_CHECK_VALUE(arguments.size() == model.num_inputs, row.name, ": the model takes ", model.num_inputs,
                      " tensors, not ", arguments.size());
    for (const Py_ssize_t argument : arguments) {
        const size_t at = static_cast<size_t>(argument < 0 ? ~argument : argument);
        const bool fits = at < row.num_arguments &&
                          (argument < 0 ? is_integer(kind_at(row, at)) : kind_at(row, at) == WG_PYTHON_TENSOR);
        TORCH_CHECK_VALUE(fits, row.name, ": argument ", at, " is not ", argument < 0 ? "an int" : "a tensor",
                          " that the function gets");
    }
    TORCH_CHECK_VALUE(results.size() == row.num_results, row.name, " returns ", row.num_results, " values, not ",
                      results.size());
    for (size_t i = 0; i < results.size(); i++) {
        const uint8_t kind = row.results[i];
        const Py_ssize_t at = results[i].output;
        const bool is_tensor = kind == WG_PYTHON_TENSOR || kind == WG_PYTHON_NONE;
        const bool fits = at >= 0 ? is_tensor && static_cast<size_t>(at) < model.num_outputs
                                  : is_integer(kind) && computes(results[i].steps);
        TORCH_CHECK_VALUE(fits, row.name, ": result ", i, " cannot be ", at >= 0 ? "output " : "a number",
                          at >= 0 ? std::to_string(at) : "");
    }
}

/* Do these steps leave one number, out of arguments that are ints? */
bool WgPythonModel::computes(const std::vector<WgPythonResult::Step> &steps) const
{
    size_t depth = 0;
    for (const WgPythonResult::Step &step : steps) {
        const auto at = static_cast<size_t>(step.number);
        if (step.verb == 'a' && (step.number < 0 || at >= row.num_arguments || !is_integer(kind_at(row, at)))) {
            return false;
        }
        if (step.verb == 'a' || step.verb == 'c') {
            depth++;
        } else if (depth-- < 2) {
            return false;
        }
    }
    return depth == 1;
}

/* Rounds towards minus infinity, as Python does. */
static int64_t quotient(int64_t dividend, int64_t divisor)
{
    TORCH_CHECK_VALUE(divisor != 0 && divisor != -1, "a number of the graph is divided by ", divisor);
    const int64_t whole = dividend / divisor;
    return whole - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? 1 : 0);
}

static int64_t combined(char verb, int64_t left, int64_t right)
{
    int64_t made = 0;
    bool over = false;
    switch (verb) {
    case '+':
        over = __builtin_add_overflow(left, right, &made);
        break;
    case '-':
        over = __builtin_sub_overflow(left, right, &made);
        break;
    case '*':
        over = __builtin_mul_overflow(left, right, &made);
        break;
    case '/':
        made = quotient(left, right);
        break;
    case '%':
        made = left - quotient(left, right) * right;
        break;
    case '>':
        made = std::max(left, right);
        break;
    default:
        made = std::min(left, right);
        break;
    }
    TORCH_CHECK_VALUE(!over, "a number of the graph is too large: ", left, " ", verb, " ", right);
    return made;
}

static int64_t computed_number(const std::vector<WgPythonResult::Step> &steps, const WgValue *args)
{
    std::vector<int64_t> stack;
    for (const WgPythonResult::Step &step : steps) {
        if (step.verb == 'a' || step.verb == 'c') {
            stack.push_back(step.verb == 'a' ? args[step.number].integer : step.number);
            continue;
        }
        const int64_t right = stack.back();
        stack.pop_back();
        stack.back() = combined(step.verb, stack.back(), right);
    }
    return stack.back();
}

void WgPythonModel::call(const WgValue *args, WgValue *taken, WgValue *outs, size_t *num_outs) const
{
    TORCH_CHECK(results.size() <= *num_outs, "the wrapper has room for ", *num_outs, " results of ", row.name, ", not ",
                results.size());
    std::vector<at::Tensor> inputs;
    inputs.reserve(arguments.size());
    for (const Py_ssize_t at : arguments) {
        if (at < 0) {
            inputs.push_back(at::detail::empty_strided_cpu({args[~at].integer}, {0}, at::kByte));
        } else if (taken != nullptr) {
            inputs.push_back(wg_torch_take(std::exchange(taken[at].tensor, nullptr)));
        } else {
            inputs.push_back(args[at].tensor == nullptr ? at::Tensor() : *WgTorchBorrowed(args[at].tensor));
        }
    }
    std::vector<int64_t>
        numbers; /* before the model runs: it may take what they need, and nothing is made if they throw */
    for (const WgPythonResult &result : results) {
        if (result.output < 0) {
            numbers.push_back(computed_number(result.steps, args));
        }
    }
    /* What the caller keeps is let go of here: the model would do it without the GIL, and wait for that each time. */
    const std::vector<at::Tensor> borrowed = taken == nullptr ? inputs : std::vector<at::Tensor>();
    const Lease lease(*this);
    std::vector<at::Tensor> made = run_without_gil(lease.get(), std::move(inputs));
    for (size_t i = 0, number = 0; i < results.size(); i++) {
        if (results[i].output < 0) {
            outs[i].integer = numbers[number++];
        } else {
            const at::Tensor &result = made[static_cast<size_t>(results[i].output)];
            outs[i].tensor = row.results[i] == WG_PYTHON_NONE ? nullptr : wg_torch_give(result);
        }
    }
    *num_outs = results.size();
}

/* ---- bind_model ---- */

/* The numbers in a list or tuple. Throws what Python raises. */
static std::vector<Py_ssize_t> numbers_of(PyObject *object)
{
    const WgPythonOwned sequence(wg_python_made(PySequence_Fast(object, "a list of numbers is expected")));
    std::vector<Py_ssize_t> numbers;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); i++) {
        const Py_ssize_t number = PyLong_AsSsize_t(PySequence_Fast_GET_ITEM(sequence.get(), i));
        if (PyErr_Occurred() != nullptr) {
            wg_python_throw();
        }
        numbers.push_back(number);
    }
    return numbers;
}

static const std::pair<const char *, char> verbs[] = {{"+", '+'}, {"-", '-'},   {"*", '*'},  {"//", '/'},
                                                      {"%", '%'}, {"max", '>'}, {"min", '<'}};

/* A step of a number, or ~i. Throws what Python raises. */
static WgPythonResult::Step step_of(PyObject *object)
{
    if (!PyUnicode_Check(object)) {
        const bool is_argument = PyList_Check(object) && PyList_GET_SIZE(object) == 1;
        const int64_t number = PyLong_AsLongLong(is_argument ? PyList_GET_ITEM(object, 0) : object);
        if (PyErr_Occurred() != nullptr) {
            wg_python_throw();
        }
        return is_argument ? WgPythonResult::Step{'a', ~number} : WgPythonResult::Step{'c', number};
    }
    for (const auto &[word, verb] : verbs) {
        if (PyUnicode_CompareWithASCIIString(object, word) == 0) {
            return {verb, 0};
        }
    }
    const char *word = PyUnicode_AsUTF8(object);
    TORCH_CHECK_VALUE(false, "a number is not computed with '", word == nullptr ? "" : word, "'");
}

/* What bind_model() is told of results. Throws what Python raises. */
static std::vector<WgPythonResult> results_of(PyObject *object)
{
    const WgPythonOwned sequence(wg_python_made(PySequence_Fast(object, "a list of results is expected")));
    std::vector<WgPythonResult> results;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.get()); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(sequence.get(), i);
        WgPythonResult result{-1, {}};
        if (PyList_Check(item)) {
            for (Py_ssize_t k = 0; k < PyList_GET_SIZE(item); k++) {
                result.steps.push_back(step_of(PyList_GET_ITEM(item, k)));
            }
        } else {
            result.output = PyLong_AsSsize_t(item);
            if (PyErr_Occurred() != nullptr) {
                wg_python_throw();
            }
            if (result.output < 0) {
                result.steps.push_back({'a', ~result.output});
            }
        }
        results.push_back(std::move(result));
    }
    return results;
}

PyObject *wg_python_bind_model(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    HANDLE_TH_ERRORS
    WgPythonState &state = *wg_python_state(module);
    const Py_ssize_t i = wg_python_find_compiled(state, args, num_args, 4);
    const char *path = i < 0 ? nullptr : PyUnicode_AsUTF8(args[1]);
    if (path == nullptr) {
        throw python_error();
    }
    const auto at = static_cast<size_t>(i);
    state.models[at] = std::make_shared<const WgPythonModel>(state.program.compiled[at], path, numbers_of(args[2]),
                                                             results_of(args[3]));
    Py_CLEAR(state.compiled[at]);
    Py_RETURN_NONE;
    END_HANDLE_TH_ERRORS
}
