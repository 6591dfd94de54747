/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_untraced.cpp - a function that TorchDynamo does not trace, as torch._dynamo.disable makes one, and
 * without Python in between. It does what that does in an ordinary call; any other call is left to PyTorch's own.
 */
#include "wg_torch_python_inside.hpp"

#include <cstddef>
#include <structmember.h>

const char wg_python_untraced_doc[] =
    "untraced($module, function, otherwise, explain, first=(), /)\n--\n\n"
    "What calls `function` with the arguments in the tuple `first` and its own, during which TorchDynamo traces\n"
    "nothing. `otherwise`, the same made by torch._dynamo.disable, gets its own alone; it is called under a stance\n"
    "(torch.compiler.set_stance), while a program is exported, and with arguments by name. explain(problem) is called\n"
    "with a ValueError, TypeError or RuntimeError, which is then raised; None: nothing is.";

namespace
{

/* What a call needs, owned. */
enum Part {
    FUNCTION,
    OTHERWISE,
    EXPLAIN,
    FIRST,
    SET_FRAME,
    FRAME_NAMES,
    COMPILER_NAMES,
    STANCE,
    NAME_OF_STANCE,
    USUAL,
    EXPORTING,
    NUM_PARTS
};

struct UntracedObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject *attributes;
    PyObject *references;
    PyObject *parts[NUM_PARTS];
};

UntracedObject &inside(PyObject *self)
{
    return *reinterpret_cast<UntracedObject *>(self);
}

/* Is there neither a stance nor an export? Both are names of modules, which are bound anew when they change. */
bool is_usual(const UntracedObject &self)
{
    PyObject *stance = PyDict_GetItemWithError(self.parts[FRAME_NAMES], self.parts[STANCE]);
    if (stance == nullptr || PyDict_GetItemWithError(self.parts[COMPILER_NAMES], self.parts[EXPORTING]) != Py_False) {
        PyErr_Clear();
        return false;
    }
    const WgPythonOwned held(Py_NewRef(stance));
    const WgPythonOwned name(PyObject_GetAttr(held.get(), self.parts[NAME_OF_STANCE]));
    if (name.get() == nullptr) {
        PyErr_Clear();
        return false;
    }
    return name.get() == self.parts[USUAL] ||
           (PyUnicode_Check(name.get()) && PyUnicode_Compare(name.get(), self.parts[USUAL]) == 0);
}

/* Tells the program's own names to an exception that is set, and leaves it set; one that is raised on the way takes its
 * place. */
void explain(const UntracedObject &self)
{
    if (self.parts[EXPLAIN] == Py_None ||
        (PyErr_ExceptionMatches(PyExc_ValueError) == 0 && PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
         PyErr_ExceptionMatches(PyExc_RuntimeError) == 0)) {
        return;
    }
    PyObject *kind = nullptr;
    PyObject *problem = nullptr;
    PyObject *trace = nullptr;
    PyErr_Fetch(&kind, &problem, &trace);
    PyErr_NormalizeException(&kind, &problem, &trace);
    const WgPythonOwned told(PyObject_CallOneArg(self.parts[EXPLAIN], problem));
    if (told.get() != nullptr) {
        PyErr_Restore(kind, problem, trace);
        return;
    }
    Py_XDECREF(kind);
    Py_XDECREF(problem);
    Py_XDECREF(trace);
}

/* Sets what Dynamo does with frames; what it did before, or null with an exception. */
PyObject *set_frame(const UntracedObject &self, PyObject *callback)
{
    return PyObject_Vectorcall(self.parts[SET_FRAME], &callback, 1, nullptr);
}

/* As it was before, also after an exception, which stays set. */
PyObject *restore(const UntracedObject &self, PyObject *prior, PyObject *result)
{
    PyObject *kind = nullptr;
    PyObject *problem = nullptr;
    PyObject *trace = nullptr;
    PyErr_Fetch(&kind, &problem, &trace);
    const WgPythonOwned put_back(set_frame(self, prior));
    if (put_back.get() == nullptr) { /* PyTorch says why, and that is worse than what was */
        Py_XDECREF(kind);
        Py_XDECREF(problem);
        Py_XDECREF(trace);
        Py_XDECREF(result);
        return nullptr;
    }
    PyErr_Restore(kind, problem, trace);
    return result;
}

/* The tuple holds the first arguments, and whoever calls holds the others. */
PyObject *call_function(const UntracedObject &self, PyObject *const *args, size_t num_args)
{
    const size_t num_first = static_cast<size_t>(PyTuple_GET_SIZE(self.parts[FIRST]));
    if (num_first == 0) {
        return PyObject_Vectorcall(self.parts[FUNCTION], args, num_args, nullptr);
    }
    const WgPythonOwned first(Py_NewRef(self.parts[FIRST]));
    c10::SmallVector<PyObject *, 64> all(num_first + num_args);
    for (size_t i = 0; i < all.size(); i++) {
        all[i] = i < num_first ? PyTuple_GET_ITEM(first.get(), static_cast<Py_ssize_t>(i)) : args[i - num_first];
    }
    return PyObject_Vectorcall(self.parts[FUNCTION], all.data(), all.size(), nullptr);
}

PyObject *call_untraced(PyObject *object, PyObject *const *args, size_t num_args, PyObject *names)
{
    const WgPythonOwned held(Py_NewRef(object)); /* the global that it was called through may go meanwhile */
    const UntracedObject &self = inside(object);
    if ((names != nullptr && PyTuple_GET_SIZE(names) > 0) || !is_usual(self)) {
        return PyObject_Vectorcall(self.parts[OTHERWISE], args, num_args, names);
    }
    const WgPythonOwned prior(set_frame(self, Py_None));
    if (prior.get() == nullptr) {
        return nullptr;
    }
    PyObject *result = call_function(self, args, static_cast<size_t>(PyVectorcall_NARGS(num_args)));
    if (result == nullptr) {
        explain(self);
    }
    return restore(self, prior.get(), result);
}

int visit_untraced(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(inside(self).attributes);
    for (PyObject *part : inside(self).parts) {
        Py_VISIT(part);
    }
    return 0;
}

/* A cycle leads through what it calls, or through attributes. The rest stays: it may still be called. */
int clear_untraced(PyObject *self)
{
    Py_CLEAR(inside(self).attributes);
    for (const Part part : {FUNCTION, OTHERWISE, EXPLAIN}) {
        PyObject *before = std::exchange(inside(self).parts[part], Py_NewRef(Py_None));
        Py_XDECREF(before);
    }
    return 0;
}

void end_untraced(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    if (inside(self).references != nullptr) {
        PyObject_ClearWeakRefs(self);
    }
    PyTypeObject *type = Py_TYPE(self);
    Py_CLEAR(inside(self).attributes);
    for (PyObject *&part : inside(self).parts) {
        Py_CLEAR(part);
    }
    type->tp_free(self);
    Py_DECREF(type);
}

PyTypeObject *untraced_type(const char *module)
{
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(UntracedObject, vectorcall), READONLY, nullptr},
        {"__dictoffset__", T_PYSSIZET, offsetof(UntracedObject, attributes), READONLY, nullptr},
        {"__weaklistoffset__", T_PYSSIZET, offsetof(UntracedObject, references), READONLY, nullptr},
        {}};
    static PyGetSetDef computed[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                                     {}};
    static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                                  {Py_tp_traverse, reinterpret_cast<void *>(visit_untraced)},
                                  {Py_tp_clear, reinterpret_cast<void *>(clear_untraced)},
                                  {Py_tp_dealloc, reinterpret_cast<void *>(end_untraced)},
                                  {Py_tp_members, members},
                                  {Py_tp_getset, computed},
                                  {0, nullptr}};
    const std::string name = std::string(module) + ".Untraced";
    PyType_Spec spec = {name.c_str(), static_cast<int>(sizeof(UntracedObject)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                        slots};
    return reinterpret_cast<PyTypeObject *>(wg_python_made(PyType_FromSpec(&spec)));
}

/* The names of a module, which live as long as it does. */
PyObject *names_of(const char *module)
{
    const WgPythonOwned found(wg_python_made(PyImport_ImportModule(module)));
    return Py_XNewRef(PyModule_GetDict(found.get()));
}

UntracedObject *new_untraced(PyTypeObject *type)
{
    UntracedObject *self = PyObject_GC_New(UntracedObject, type);
    if (self == nullptr) {
        throw python_error();
    }
    self->vectorcall = call_untraced;
    self->attributes = nullptr;
    self->references = nullptr;
    for (PyObject *&part : self->parts) {
        part = nullptr;
    }
    return self;
}

} // namespace

PyObject *wg_python_untraced(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    HANDLE_TH_ERRORS
    if (num_args != 3 && num_args != 4) {
        PyErr_Format(PyExc_TypeError, "untraced() takes 3 or 4 positional arguments, not %zd", num_args);
        throw python_error();
    }
    if (PyCallable_Check(args[0]) == 0 || PyCallable_Check(args[1]) == 0 ||
        (args[2] != Py_None && PyCallable_Check(args[2]) == 0)) {
        PyErr_SetString(PyExc_TypeError, "untraced() takes functions");
        throw python_error();
    }
    if (num_args == 4 && PyTuple_CheckExact(args[3]) == 0) {
        PyErr_Format(PyExc_TypeError, "untraced() takes the first arguments as a tuple, not %s",
                     Py_TYPE(args[3])->tp_name);
        throw python_error();
    }
    WgPythonState &state = *wg_python_state(module);
    if (state.untraced_type == nullptr) {
        const char *name = PyModule_GetName(module);
        if (name == nullptr) {
            throw python_error();
        }
        state.untraced_type = untraced_type(name);
    }
    UntracedObject *self = new_untraced(state.untraced_type);
    const WgPythonOwned owner(reinterpret_cast<PyObject *>(self));
    PyObject_GC_Track(self);
    self->parts[FUNCTION] = Py_NewRef(args[0]);
    self->parts[OTHERWISE] = Py_NewRef(args[1]);
    self->parts[EXPLAIN] = Py_NewRef(args[2]);
    self->parts[FIRST] = num_args == 4 ? Py_NewRef(args[3]) : wg_python_made(PyTuple_New(0));
    self->parts[SET_FRAME] = wg_python_import("torch._C._dynamo.eval_frame", "set_eval_frame");
    self->parts[FRAME_NAMES] = names_of("torch._dynamo.eval_frame");
    self->parts[COMPILER_NAMES] = names_of("torch.compiler");
    self->parts[STANCE] = wg_python_made(PyUnicode_InternFromString("_stance"));
    self->parts[NAME_OF_STANCE] = wg_python_made(PyUnicode_InternFromString("stance"));
    self->parts[USUAL] = wg_python_made(PyUnicode_InternFromString("default"));
    self->parts[EXPORTING] = wg_python_made(PyUnicode_InternFromString("_is_exporting_flag"));
    return Py_NewRef(owner.get());
    END_HANDLE_TH_ERRORS
}
