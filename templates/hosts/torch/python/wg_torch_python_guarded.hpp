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

using WgPythonObjects = c10::SmallVector<PyObject *, 64>;

enum WgPythonStepKind : uint8_t { STEP_ATTR, STEP_ITEM, STEP_KEYS, STEP_SIZE, STEP_STRIDE, STEP_TENSOR, STEP_REFERENT };

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

/* Reads what `key` says out of value number `at`. */
struct WgPythonStep {
    WgPythonStepKind kind;
    size_t at;
    PyObject *key;
    int64_t number;
};

struct WgPythonTest {
    WgPythonTestKind kind;
    size_t at;
    PyObject *operand; /* for a type: what is asked about types that were not seen, with the type */
    Py_ssize_t number;
    PyObject *known;           /* for a type: the last one for which the answer was yes, owned */
    std::vector<size_t> given; /* where the arguments of what is called are */
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
    PyObject *call(PyObject *const *args, Py_ssize_t num_args);
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
    static bool step(const WgPythonStep &row, const WgPythonObjects &values, PyObject *&found);
    static bool test(WgPythonTest &row, const WgPythonObjects &values);
    static bool type_holds(WgPythonTest &row, PyObject *value);
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
    PyObject *check_state = nullptr;
    bool inference_mode = false; /* is it on around a call? */
    PyObject *make_check_tensors = nullptr;
    PyObject *check_tensors = nullptr; /* what that made at the first call, under the state that was tested */
    std::vector<size_t> tensors;
    std::vector<size_t> inputs;
    PyObject *make_result = nullptr; /* null: the results as they are, or one of them */
    Py_ssize_t result = -1;
    PyObject *device_names = nullptr; /* of torch.utils._device */
    PyObject *device_name = nullptr;
};

#endif /* WG_TORCH_PYTHON_GUARDED_HPP */
