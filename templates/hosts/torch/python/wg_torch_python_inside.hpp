/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_inside.hpp - what the .cpp files of this folder share among themselves; nothing else includes it.
 */
#ifndef WG_TORCH_PYTHON_INSIDE_HPP
#define WG_TORCH_PYTHON_INSIDE_HPP

#include "wg_torch_python.h"

#include <c10/util/SmallVector.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <unistd.h>

#include <atomic>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "wg_torch.hpp"

/* A result of a model's function: an output of the model, or a number out of the function's arguments. */
struct WgPythonResult {
    /* A step of the number, in postfix notation: what is left on the stack at the end is the result. */
    struct Step {
        char verb;      /* 'c' a constant, 'a' an argument, or what is done to the two numbers on top: + - * / % > < */
        int64_t number; /* the constant, or the argument's position */
    };
    Py_ssize_t output; /* < 0: the number that the steps compute */
    std::vector<Step> steps;
};

/* An AOTInductor model in the place of a compiled function in Python. */
class WgPythonModel
{
  public:
    /* The lists are those of bind_model(). Throws when they do not fit the function or the model. */
    WgPythonModel(const WgPythonCompiled &of, const char *path, std::vector<Py_ssize_t> takes,
                  std::vector<WgPythonResult> gives);
    ~WgPythonModel();
    WgPythonModel(const WgPythonModel &) = delete;
    WgPythonModel &operator=(const WgPythonModel &) = delete;

    /* As wg_python_compiled(); `taken`, unless it is null, has references that go to the model. Throws. Other threads
     * of Python run meanwhile, and may call this, too; so may what the model itself calls. */
    void call(const WgValue *args, WgValue *taken, WgValue *outs, size_t *num_outs) const;

  private:
    class Lease;

    void check(const WgModel &model) const;
    bool computes(const std::vector<WgPythonResult::Step> &steps) const;
    WgModel open() const;
    WgModel take() const;
    void give(WgModel model) const noexcept;

    const WgPythonCompiled &row;
    const std::string path;
    /* for each of the model's inputs: a position among the function's arguments, or ~ that of one that is its size */
    std::vector<Py_ssize_t> arguments;
    std::vector<WgPythonResult> results;
    mutable std::mutex mutex;
    mutable std::vector<WgModel> idle; /* one for each call that ran at the same time as others */
};

/* bind_model() of a module. */
PyObject *wg_python_bind_model(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
extern const char wg_python_bind_model_doc[];

/* limits() of a module. */
PyObject *wg_python_limits(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
extern const char wg_python_limits_doc[];

/* guarded() of a module. */
PyObject *wg_python_guarded(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
extern const char wg_python_guarded_doc[];

/* untraced() of a module. */
PyObject *wg_python_untraced(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
extern const char wg_python_untraced_doc[];

/* Nested ints, the sizes of ragged dimensions, between PyTorch's objects and numbers. A few of the last ones are
 * remembered, since what tells them is written in Python (wg_torch_python_nested.cpp). */
class WgPythonNested
{
  public:
    ~WgPythonNested();

    /* The number of a torch.SymInt that is a nested int; false for another object. Throws what Python raises. */
    bool read(PyObject *object, int64_t &number);

    /* A torch.SymInt, new or remembered. Throws. */
    PyObject *object_of(int64_t number);

    /* Of the nested int that a tensor owns, by PyTorch's registry, which makes one for a tensor that has none. Throws.
     */
    int64_t owned_by(const WgTensor *t);

    int show(visitproc visit, void *arg) const;
    void clear();

  private:
    using Weak = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
    struct Known {
        PyObject *node; /* what the object holds: an object is made anew for each argument */
        PyObject *object;
        int64_t number;
    };
    struct Owner {
        Weak tensor; /* keeps the address from being another tensor's */
        int64_t number;
    };
    void remember(PyObject *node, PyObject *object, int64_t number);

    std::vector<Known> known; /* owned */
    std::vector<Owner> owners;
    size_t next_known = 0;
    size_t next_owner = 0;
    PyObject *kind = nullptr; /* torch.SymInt, owned, once one was read */
};

/* A class that the YAML calls a tensor subclass. */
struct WgPythonClass {
    PyObject *bound = nullptr;     /* owned; null: nothing is bound */
    bool by_class = false;         /* of a tensor the class alone is tested, not the names of its attributes */
    PyObject *rebuild = nullptr;   /* owned; instead of the class's __tensor_unflatten__; null: that */
    std::vector<PyObject *> names; /* interned, of the attributes */
};

/*
 * What a module has besides its Python object. Nodes of autograd outlive the module, and their backward needs what was
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

    /* Keeps an object until forget() for the same context, at the end of its call. */
    void keep(const WgContext *ctx, PyObject *object);
    void forget(const WgContext *ctx) noexcept;

    const WgPythonProgram &program;
    WgTorchTable table;
    std::vector<PyObject *> compiled;                         /* owned; null: nothing is bound */
    std::vector<std::shared_ptr<const WgPythonModel>> models; /* in their place; a call holds its own */
    uint64_t num_entered = 0;                                 /* calls of compiled functions so far */
    std::vector<WgPythonClass> types;
    std::vector<PyObject *> contexts;
    WgPythonNested nested;
    PyObject *flatten = nullptr; /* interned: the names of these methods */
    PyObject *unflatten = nullptr;
    std::vector<std::vector<PyObject *>> names;        /* interned, of each graph's inputs ... */
    std::vector<std::vector<PyObject *>> kernel_names; /* ... and each kernel's arguments, then numbers */
    std::vector<PyObject *> last_keys;                 /* of each kernel, owned; null: none yet */
    PyTypeObject *key_type = nullptr;                  /* owned; null without kernels */
    PyTypeObject *guarded_type = nullptr;              /* owned; null before the first guarded() */
    PyTypeObject *untraced_type = nullptr;             /* owned; null before the first untraced() */
    std::vector<PyMethodDef> methods;
    size_t num_missing; /* types and contexts to which nothing is bound */

  private:
    void add_methods();

    std::atomic<size_t> holders{1};
    std::vector<WgContext *> idle;
    std::vector<std::pair<const WgContext *, PyObject *>> kept; /* owned */
    std::vector<std::string> docs;
    size_t scratch = 0;
};

/* The position of the compiled function that args[0] names; -1 with an exception set, also where that is linked C. */
Py_ssize_t wg_python_find_compiled(const WgPythonState &state, PyObject *const *args, Py_ssize_t num_args,
                                   Py_ssize_t expected);

/* The type of keys, new (wg_torch_python_key.cpp). */
PyTypeObject *wg_python_key_type(const char *module);

/* The key with these words of kernel number `kernel`. */
PyObject *wg_python_key_object(WgPythonState &state, size_t kernel, const uint64_t *words, size_t count);

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

/* An object in a module of PyTorch's, new. Throws. */
PyObject *wg_python_import(const char *module, const char *name);

/* Is the interpreter on its way out, or gone? */
bool wg_python_is_ending();

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

/* A context for the time of a call. */
class WgPythonLease
{
  public:
    explicit WgPythonLease(WgPythonState &from) : state(from), ctx(from.take_context())
    {
    }
    ~WgPythonLease()
    {
        state.forget(ctx);
        state.give_context(ctx);
    }
    WgPythonLease(const WgPythonLease &) = delete;
    WgPythonLease &operator=(const WgPythonLease &) = delete;
    WgContext *get() const
    {
        return ctx;
    }

  private:
    WgPythonState &state;
    WgContext *ctx;
};

/* ---- shared by calls of graphs, of kernels and of compiled functions (wg_torch_python_call.cpp) ---- */

/* A number out of an object of exactly its kind, else false. Throws what Python raises. */
bool wg_python_read_number(WgPythonKind kind, PyObject *object, WgValue &value);

/* Puts arguments that were given by name into their places; those in which there is none stay null. false: an exception
 * is set. */
bool wg_python_place(const char *function, const std::vector<PyObject *> &known, PyObject *const *given,
                     PyObject *names, PyObject **placed);

/* An object for a flat value; the reference of a tensor is taken. */
PyObject *wg_python_object(WgPythonState &state, int32_t kind, WgValue &value);

/* Is all bound that wrappers need to know? Else an exception is set. */
bool wg_python_is_bound(const WgPythonState &state);

/* Calls graph number `number`. Null without an exception, and nothing has been done, if the arguments do not have the
 * facts of the YAML. */
PyObject *wg_python_offer(WgPythonState &state, size_t number, PyObject *const *args, Py_ssize_t num_args);

/* Sets the exception that ended a call: the one that a compiled function or PyTorch raised, or the wrapper's own. */
void wg_python_raise(WgContext *ctx);

/* The object, or what Python raised instead of it, thrown. */
inline PyObject *wg_python_made(PyObject *object)
{
    if (object == nullptr) {
        wg_python_throw();
    }
    return object;
}

/* ---- arguments of kernels (wg_torch_python_part.cpp) ---- */

/* What the arguments of a call point to: memory, and objects whose contents were read. */
class WgPythonRoom
{
  public:
    void *take(size_t size)
    {
        blocks.emplace_back(new uint64_t[size / sizeof(uint64_t) + 1]());
        return blocks.back().get();
    }
    PyObject *keep(PyObject *made)
    {
        objects.emplace_back(wg_python_made(made));
        return objects.back().get();
    }

  private:
    c10::SmallVector<std::unique_ptr<uint64_t[]>, 4> blocks;
    c10::SmallVector<WgPythonOwned, 4> objects;
};

/* Reads an argument of a call of `function` into its member, at `at`. Throws what is wrong with it. */
void wg_python_read(const char *function, const WgPythonPart &part, PyObject *object, void *at, WgPythonRoom &room);

/* Throws that the argument is not of its kind. */
[[noreturn]] void wg_python_refuse(const char *function, const WgPythonPart &part, PyObject *found);

/* A member as dispatchers are passed it, and the object for an argument that a dispatcher was passed. */
WgValue wg_python_value(const WgPythonPart &part, const void *at);
PyObject *wg_python_part(const WgPythonPart &part, const WgValue &value);

#endif /* WG_TORCH_PYTHON_INSIDE_HPP */
