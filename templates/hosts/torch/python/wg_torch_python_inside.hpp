/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_inside.hpp - what the .cpp files of this folder share among themselves; nothing else includes it.
 */
#ifndef WG_TORCH_PYTHON_INSIDE_HPP
#define WG_TORCH_PYTHON_INSIDE_HPP

#include "wg_torch_python.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <unistd.h>

#include <atomic>
#include <cxxabi.h>
#include <memory>
#include <string>
#include <vector>

#include "wg_torch.hpp"

/* An AOTInductor model in the place of a compiled function in Python. */
class WgPythonModel
{
  public:
    /* The lists are those of bind_model(). Throws when they do not fit the function or the model. */
    WgPythonModel(const WgPythonCompiled &of, const char *path, std::vector<size_t> takes,
                  std::vector<Py_ssize_t> gives);
    ~WgPythonModel();
    WgPythonModel(const WgPythonModel &) = delete;
    WgPythonModel &operator=(const WgPythonModel &) = delete;

    /* As wg_python_compiled(); `taken`, unless it is null, has references that go to the model. Throws. */
    void call(const WgValue *args, WgValue *taken, WgValue *outs, size_t *num_outs) const;

  private:
    void check() const;

    const WgPythonCompiled &row;
    std::vector<size_t> arguments; /* which of the function's arguments the model takes, in its order */
    std::vector<Py_ssize_t>
        results; /* for each result: a position among the model's outputs, or ~ that of an argument */
    WgModel model;
};

/* bind_model() of a module. */
PyObject *wg_python_bind_model(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
extern const char wg_python_bind_model_doc[];

/* offer() of a module. */
PyObject *wg_python_offer(PyObject *module, PyObject *const *args, Py_ssize_t num_args);

/*
 * What a module has beside its Python object. Nodes of autograd outlive the module, and their backward needs what was
 * bound to it, so holders are counted: the module is one, and so is each node.
 */
class WgPythonState
{
  public:
    explicit WgPythonState(const WgPythonProgram &of);
    ~WgPythonState();
    WgPythonState(const WgPythonState &) = delete;
    WgPythonState &operator=(const WgPythonState &) = delete;

    /* Without the GIL. */
    void hold()
    {
        holders.fetch_add(1, std::memory_order_relaxed);
    }
    void let_go();
    void let_go_with_gil();

    /* Does the module alone hold this? Only then are its objects the module's, for the garbage collector. */
    bool is_alone() const
    {
        return holders.load(std::memory_order_relaxed) == 1;
    }
    int show(visitproc visit, void *arg) const; /* to the garbage collector */
    void clear();

    /* A context that no other call uses. */
    WgContext *take_context();
    void give_context(WgContext *ctx) noexcept;

    const WgPythonProgram &program;
    WgTorchTable table;
    std::vector<PyObject *> compiled;                         /* owned; null: nothing is bound */
    std::vector<std::shared_ptr<const WgPythonModel>> models; /* in their place; a call holds its own */
    uint64_t num_entered = 0;                                 /* calls of compiled functions so far */
    std::vector<PyObject *> types;
    std::vector<PyObject *> contexts;
    std::vector<std::vector<PyObject *>> names; /* interned, of each graph's inputs */
    std::vector<PyMethodDef> methods;
    size_t num_missing; /* types and contexts to which nothing is bound */

  private:
    void add_methods();

    std::atomic<size_t> holders{1};
    std::vector<WgContext *> idle;
    std::vector<std::string> docs;
    size_t scratch = 0;
};

/* The position of the compiled function that args[0] names; -1 with an exception set, also where that is linked C. */
Py_ssize_t wg_python_find_compiled(const WgPythonState &state, PyObject *const *args, Py_ssize_t num_args,
                                   Py_ssize_t expected);

/* The functions of the table, for `state` (wg_torch_python_type.cpp). */
WgTorchTable wg_python_table(WgPythonState *state);

inline WgPythonState *&wg_python_state(PyObject *module)
{
    return *static_cast<WgPythonState **>(PyModule_GetState(module));
}

/* Runs `act`, which runs Python. When the interpreter ends, CPython up to 3.13 ends a thread that asks for the GIL by
 * unwinding its stack, from within: what C++ would run on the way needs the GIL, too, and PyTorch's functions that must
 * not throw would end the process. So the thread stays here, as it does in CPython 3.14. */
template <typename Act> auto wg_python_run(const Act &act)
{
#ifdef __GLIBCXX__
    try {
        return act();
    } catch (const abi::__forced_unwind &) {
        for (;;) {
            (void)pause();
        }
    }
#else
    return act();
#endif
}

/* Throws the exception that Python has set. */
[[noreturn]] void wg_python_throw();

/* An owned object. */
class WgPythonOwned
{
  public:
    explicit WgPythonOwned(PyObject *owned) : object(owned)
    {
    }
    ~WgPythonOwned()
    {
        Py_XDECREF(object);
    }
    WgPythonOwned(WgPythonOwned &&other) noexcept : object(other.release())
    {
    }
    WgPythonOwned(const WgPythonOwned &) = delete;
    WgPythonOwned &operator=(const WgPythonOwned &) = delete;
    PyObject *get() const
    {
        return object;
    }
    PyObject *release()
    {
        return std::exchange(object, nullptr);
    }

  private:
    PyObject *object;
};

/* The object, or what Python raised instead of it, thrown. */
inline PyObject *wg_python_made(PyObject *object)
{
    if (object == nullptr) {
        wg_python_throw();
    }
    return object;
}

#endif /* WG_TORCH_PYTHON_INSIDE_HPP */
