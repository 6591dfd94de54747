/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_guarded.hpp - a graph with tests before it, for those who call it without Dynamo: one call from
 * Python looks at what is around it, reads places out of its arguments, tests what is there, and runs the graph.
 *
 * What is tested is data: rows that the program gives (README.md). A table of values begins with what is bound, the
 * arguments, and what is constant; each step adds a value, which it reads out of one before it.
 */
#ifndef WG_TORCH_PYTHON_GUARDED_HPP
#define WG_TORCH_PYTHON_GUARDED_HPP

#include "wg_torch_python_inside.hpp"

#include <c10/core/impl/LocalDispatchKeySet.h>

using WgPythonObjects = c10::SmallVector<PyObject *, 64>;

enum WgPythonStepKind : uint8_t {
    STEP_ATTR,
    STEP_ITEM,
    STEP_DICT_ITEM,
    STEP_KEYS,
    STEP_SIZE,
    STEP_STRIDE,
    STEP_TENSOR,
    STEP_REFERENT
};

enum WgPythonTestKind : uint8_t {
    TEST_TYPE,
    TEST_EQUAL,
    TEST_SAME,
    TEST_NOT_NONE,
    TEST_LENGTH,
    TEST_WITH,
    TEST_WITHOUT,
    TEST_EMPTY,
    TEST_NOT_NAN,
    TEST_HOLDS,
    TEST_COMPARED /* all kinds after this one, too: they differ in `number` alone */
};

/* How a float lies to another one: a comparison is the ways for which it holds. */
enum WgPythonOrder : uint8_t { ORDER_LESS = 1, ORDER_EQUAL = 2, ORDER_GREATER = 4, ORDER_NONE = 8 };

/* A number that no other class has, and that this one has until it or a base of it changes; 0 if it has none now. */
unsigned int wg_python_type_version(PyTypeObject *type);

/* An attribute of one name, of objects of one class, most of the time. */
class WgPythonAttribute
{
  public:
    /* WAY_DICT: it is the __dict__ itself. WAY_IN_DICT: what that has under the name, if it has. */
    enum Way : uint8_t { WAY_GENERAL, WAY_DICT, WAY_IN_DICT };

    PyObject *read(PyObject *object, PyObject *name);
    Way way_of(PyObject *object, PyObject *name);

  private:
    void learn(PyTypeObject *type, PyObject *name);

    unsigned int type_version = 0; /* of the class for which the way was found */
    Way way = WAY_GENERAL;
};

/* Reads what `key` says out of value number `at`. */
struct WgPythonStep {
    WgPythonStepKind kind;
    size_t at;
    PyObject *key;
    int64_t number;
    WgPythonAttribute attribute;
};

struct WgPythonTest {
    WgPythonTestKind kind;
    size_t at;
    PyObject *operand; /* for a type: what is asked about types that were not seen, with the type */
    Py_ssize_t number;
    PyObject *known;           /* for a type: the last one for which the answer was yes, owned */
    std::vector<size_t> given; /* where the arguments of what is called are */
};

/* Objects that a call holds until it ends. */
class WgPythonHeld
{
  public:
    WgPythonHeld() = default;
    ~WgPythonHeld()
    {
        for (PyObject *object : objects) {
            Py_DECREF(object);
        }
    }
    WgPythonHeld(const WgPythonHeld &) = delete;
    WgPythonHeld &operator=(const WgPythonHeld &) = delete;
    PyObject *take(PyObject *object)
    {
        objects.push_back(object);
        return object;
    }

  private:
    WgPythonObjects objects;
};

/* What a call found, and what must be as it was for the next call to find the same: so that a model with thousands of
 * rows is tested by what can change, and each of those once.
 *
 * A value is kept if it is bound or constant, or was read out of a dict, the __dict__ of an object, a cell or a tuple
 * that is kept, which is watched. A test is done if it was of kept values, and can change with what is watched alone.
 * All that is kept is owned, so that an address says which object it is, and no code runs while CPython replaces one.
 * Tensors are not kept, so that none lives longer for this. */
class WgPythonKept
{
  public:
    WgPythonKept() = default;
    ~WgPythonKept();
    WgPythonKept(const WgPythonKept &) = delete;
    WgPythonKept &operator=(const WgPythonKept &) = delete;

    /* Is all that is watched as it was? Then `values` are what the steps would read. */
    bool holds() const;
    int show(visitproc visit, void *arg) const;

    WgPythonObjects values;           /* null: read at each call */
    std::vector<size_t> steps, tests; /* numbers of those that each call takes */
    size_t num_done = 0;              /* steps and tests that no call takes */

  private:
    friend class WgPythonKeeper;

    enum Kind : uint8_t {
        WATCH_DICT,  /* its version */
        WATCH_FOUND, /* what a dict has under a key */
        WATCH_CELL,  /* what a cell has */
        WATCH_LINK,  /* which __dict__ an object has; and its class */
        WATCH_CLASS,
        NUM_KINDS
    };

    struct Watched {
        PyObject *object;
        PyObject *key;
        PyObject *found; /* of a link, the __dict__ */
        union {
            uint64_t version;
            unsigned int type_version; /* of a class */
        };
        Kind kind;
    };

    static bool is_as_it_was(const Watched &one);

    WgPythonObjects owned;
    std::vector<Watched> watched;
    std::vector<PyObject *> empty; /* dicts that must have nothing */
};

/* Which dicts stay as they are from call to call, by the value that is one or has one. Of the others each key is
 * watched. */
struct WgPythonSteady {
    bool is_steady(size_t at, uint64_t version);

    std::vector<uint64_t> versions; /* as they were kept last; 0: none */
    std::vector<uint8_t> changes;   /* in calls that took nothing of what was kept */
    bool in_vain = false;           /* no call took what was kept last */
};

/* What all tensors of a call must be: of the type, dispatch keys, dtype, device index and requires_grad of one that
 * they are like, of its number of dimensions, of these sizes and strides; and each another object. */
class WgPythonTensors
{
  public:
    /* Rows of (a tensor like it, sizes, strides), one for each place; None is any size or stride. To be called in the
     * state in which calls are tested, since a thread adds dispatch keys and takes some away. Throws. */
    void read(PyObject *made);
    /* Borrowed: the types that are compared, which the caller must own. */
    std::vector<PyObject *> types() const;
    bool hold(const WgPythonObjects &values);

    std::vector<size_t> places;

  private:
    struct Row {
        PyTypeObject *type;
        uint64_t keys;
        size_t first; /* of its sizes, then its strides, among `extents` */
        int64_t dim;
        at::ScalarType dtype;
        c10::DeviceIndex device;
        bool requires_grad;
    };

    struct Seen {
        PyObject *object;
        uint64_t round; /* the call that saw it */
    };

    void read_extents(PyObject *numbers, int64_t dim);
    bool holds(const Row &row, const at::Tensor &t, const c10::impl::LocalDispatchKeySet &local) const;
    bool are_distinct(const WgPythonObjects &values);

    std::vector<Row> rows;
    std::vector<int64_t> extents;
    std::vector<Seen> seen; /* by address; a power of two, at least half of it free */
    uint64_t round = 0;
};

/* What Python calls. */
class WgPythonGuarded
{
  public:
    explicit WgPythonGuarded(PyObject *module_) : state(*wg_python_state(module_))
    {
        own(module_);
    }
    ~WgPythonGuarded()
    {
        clear();
    }
    WgPythonGuarded(const WgPythonGuarded &) = delete;
    WgPythonGuarded &operator=(const WgPythonGuarded &) = delete;

    void read_rows(PyObject *const *given);
    /* Null without an exception: a test fails, or the graph refuses its arguments, which `by_graph` says. */
    PyObject *call(PyObject *const *args, Py_ssize_t num_args, bool &by_graph);
    int show(visitproc visit, void *arg) const;
    void clear();

  private:
    PyObject *own(PyObject *object)
    {
        owned.push_back(Py_NewRef(object));
        return object;
    }
    size_t place(PyObject *number, size_t limit, const char *what) const;
    std::vector<size_t> places(PyObject *numbers, const char *what) const;
    void read_steps(PyObject *rows);
    WgPythonTest test_of(WgPythonTestKind kind, size_t at, PyObject *operand) const;
    void read_tests(PyObject *rows);
    bool around_holds();
    static bool step(WgPythonStep &row, const WgPythonObjects &values, PyObject *&found);
    static bool test(WgPythonTest &row, const WgPythonObjects &values);
    static bool type_holds(WgPythonTest &row, PyObject *value);
    bool read_all(WgPythonObjects &values, WgPythonHeld &held);
    bool read_kept(const WgPythonKept &known, WgPythonObjects &values, WgPythonHeld &held);
    void keep(const WgPythonObjects &values);
    bool is_worth_keeping();
    bool tensors_hold(const WgPythonObjects &values);
    PyObject *run(const WgPythonObjects &values);
    PyObject *result_of(PyObject *results, const WgPythonObjects &values) const;

    WgPythonState &state;
    std::vector<PyObject *> owned; /* all that the others point to, but for types that are known */
    size_t number = 0;
    size_t num_args_wanted = 0;
    size_t num_values = 0;
    std::vector<PyObject *> bound;
    std::vector<PyObject *> constants;
    std::vector<WgPythonStep> steps;
    std::vector<WgPythonTest> tests;
    std::shared_ptr<const WgPythonKept> kept; /* a call holds it, since code of Python may lead to another one */
    size_t num_kept_calls = 0;                /* that took what was kept last */
    size_t num_in_vain = 0; /* how often in turn no call took what was kept, or there was too little */
    size_t num_to_wait = 0; /* calls that nothing is kept of */
    WgPythonSteady steady;
    PyObject *check_state = nullptr;
    bool inference_mode = false;          /* is it on around a call? */
    PyObject *make_tensor_rows = nullptr; /* null: they were made, at the first call under the state that was tested */
    WgPythonTensors tensors;
    std::vector<size_t> inputs;
    PyObject *make_result = nullptr; /* null: the results as they are, or one of them */
    Py_ssize_t result = -1;
    PyObject *device_names = nullptr; /* of torch.utils._device */
    PyObject *device_name = nullptr;
};

#endif /* WG_TORCH_PYTHON_GUARDED_HPP */
