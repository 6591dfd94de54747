/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python.cpp - the module: its functions and their descriptions, what is bound to it, its life.
 */
#include "wg_torch_python_inside.hpp"

#include <algorithm>
#include <new>

void wg_python_throw()
{
    python_error raised;
    raised.persist();
    throw raised;
}

/* ---- the state ---- */

WgPythonState::WgPythonState(const WgPythonProgram &of)
    : program(of), table(wg_python_table(this)), compiled(of.num_compiled), models(of.num_compiled),
      types(of.num_types), contexts(of.num_contexts), last_keys(of.num_kernels),
      num_missing(of.num_types + of.num_contexts)
{
    for (size_t i = 0; i < program.num_graphs; i++) {
        const WgPythonGraph &graph = program.graphs[i];
        /* A graph that calls a dispatcher holds its own while a variant's wrapper takes some. */
        scratch = of.num_kernels > 0 ? scratch + graph.scratch : std::max(scratch, graph.scratch);
        std::vector<PyObject *> &interned = names.emplace_back();
        for (size_t k = 0; k < graph.num_inputs; k++) {
            interned.push_back(wg_python_made(PyUnicode_InternFromString(graph.inputs[k].name)));
        }
    }
    for (size_t i = 0; i < program.num_kernels; i++) {
        const WgPythonKernel &kernel = program.kernels[i];
        std::vector<PyObject *> &interned = kernel_names.emplace_back();
        const WgPythonPart *part = kernel.args;
        for (size_t k = 0; k < kernel.num_args; k++, part += 1 + part->num_parts) {
            interned.push_back(wg_python_made(PyUnicode_InternFromString(part->name)));
        }
        for (size_t k = 0; k < kernel.num_numbers; k++) {
            interned.push_back(wg_python_made(PyUnicode_InternFromString(kernel.numbers[k].name)));
        }
    }
    for (size_t i = 0; i < program.num_types; i++) {
        for (size_t k = 0; k < program.types[i].num_attrs; k++) {
            types[i].names.push_back(wg_python_made(PyUnicode_InternFromString(program.types[i].attrs[k])));
        }
    }
    flatten = wg_python_made(PyUnicode_InternFromString("__tensor_flatten__"));
    unflatten = wg_python_made(PyUnicode_InternFromString("__tensor_unflatten__"));
    add_methods();
}

WgPythonState::~WgPythonState()
{
    for (WgContext *ctx : idle) {
        wg_context_destroy(ctx);
    }
    clear();
    Py_XDECREF(key_type);
    Py_XDECREF(guarded_type);
    Py_XDECREF(untraced_type);
    Py_XDECREF(flatten);
    Py_XDECREF(unflatten);
    for (const WgPythonClass &type : types) {
        for (PyObject *name : type.names) {
            Py_DECREF(name);
        }
    }
    for (const std::vector<std::vector<PyObject *>> *lists : {&names, &kernel_names}) {
        for (const std::vector<PyObject *> &interned : *lists) {
            for (PyObject *name : interned) {
                Py_DECREF(name);
            }
        }
    }
}

bool wg_python_is_ending()
{
#if PY_VERSION_HEX >= 0x030d0000
    return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
    return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

/* A node may be the last holder, on any thread, and after Python has ended: then nothing of Python's is touched. It may
 * also end while this waits for the GIL. */
void WgPythonState::let_go()
{
    if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1 && !wg_python_is_ending()) {
        wg_python_run([this] {
            const pybind11::gil_scoped_acquire gil;
            delete this;
        });
    }
}

void WgPythonState::let_go_with_gil()
{
    if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete this;
    }
}

int WgPythonState::show(visitproc visit, void *arg) const
{
    for (const std::vector<PyObject *> *list : {&compiled, &contexts}) {
        for (PyObject *object : *list) {
            Py_VISIT(object);
        }
    }
    for (const WgPythonClass &type : types) {
        Py_VISIT(type.bound);
        Py_VISIT(type.rebuild);
    }
    Py_VISIT(key_type);
    Py_VISIT(guarded_type);
    Py_VISIT(untraced_type);
    return nested.show(visit, arg);
}

void WgPythonState::clear()
{
    for (std::vector<PyObject *> *list : {&compiled, &contexts, &last_keys}) {
        for (PyObject *&object : *list) {
            Py_CLEAR(object);
        }
    }
    for (WgPythonClass &type : types) {
        Py_CLEAR(type.bound);
        Py_CLEAR(type.rebuild);
    }
    nested.clear();
    num_missing = types.size() + contexts.size();
}

/* ---- contexts ---- */

WgContext *WgPythonState::take_context()
{
    if (!idle.empty()) {
        WgContext *ctx = idle.back();
        idle.pop_back();
        return ctx;
    }
    WgContext *ctx = nullptr;
    int32_t status = wg_context_create(&table, &ctx);
    status = status == WG_TORCH_OK ? wg_context_reserve(ctx, scratch) : status;
    if (status != WG_TORCH_OK) {
        wg_context_destroy(ctx);
        TORCH_CHECK(status != WG_TORCH_E_BUILD, wg_torch_build_problem());
        throw std::bad_alloc();
    }
    return ctx;
}

void WgPythonState::keep(const WgContext *ctx, PyObject *object)
{
    kept.emplace_back(ctx, object);
    Py_INCREF(object);
}

/* What an object runs when it ends may call this module. */
void WgPythonState::forget(const WgContext *ctx) noexcept
{
    for (size_t i = kept.size(); i > 0; i = std::min(i - 1, kept.size())) {
        if (kept[i - 1].first == ctx) {
            PyObject *object = kept[i - 1].second;
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i - 1));
            Py_DECREF(object);
        }
    }
}

void WgPythonState::give_context(WgContext *ctx) noexcept
{
    try {
        idle.push_back(ctx);
    } catch (...) {
        wg_context_destroy(ctx);
    }
}

/* ---- functions and their descriptions ---- */

static const char bind_doc[] = "bind($module, name, function, /)\n--\n\n"
                               "Sets what the wrappers call as the compiled function `name`: a callable in PyTorch's "
                               "boxed convention, which gets\n"
                               "one list, may empty it, and returns a list or tuple. None: nothing.";
static const char bind_type_doc[] =
    "bind_type($module, name, type, by_class=False, rebuild=None, /)\n--\n\n"
    "Sets which class the YAML means by the tensor subclass whose `symbol` (if it has none, whose name) is `name`.\n"
    "by_class: of arguments the class alone is tested; the caller knows that their attributes are those of the YAML.\n"
    "rebuild: what is called instead of the class's __tensor_unflatten__, with the same arguments.";
static const char bind_context_doc[] =
    "bind_context($module, name, context, /)\n--\n\n"
    "Sets what the YAML means by the flattening context `name`: what __tensor_flatten__ returns as its second value.";

static void put_values(std::string &doc, const char *title, const WgPythonValue *values, size_t count)
{
    doc += title;
    for (size_t i = 0; i < count; i++) {
        doc += std::string("\n    ") + values[i].name + ": " + values[i].about;
    }
}

/* "f($module, x, n)\n--\n\n", from which Python makes the signature, and then words. */
static std::string describe(const WgPythonGraph &graph)
{
    std::string doc = std::string(graph.name) + "($module";
    for (size_t i = 0; i < graph.num_inputs; i++) {
        doc += std::string(", ") + graph.inputs[i].name;
    }
    doc += std::string(")\n--\n\n") + graph.about;
    put_values(doc, graph.num_inputs == 0 ? "" : "\n\nArguments:", graph.inputs, graph.num_inputs);
    put_values(doc, graph.num_outputs == 0 ? "\n\nReturns an empty tuple." : "\n\nReturns a tuple:", graph.outputs,
               graph.num_outputs);
    return doc;
}

/* "f($module, x, n=4, *, user)\n--\n\n" and words. */
static std::string describe_kernel(const WgPythonKernel &kernel, bool makes_key)
{
    std::string doc = std::string(makes_key ? kernel.key_name : kernel.name) + "($module";
    std::string lines = kernel.num_args + kernel.num_numbers == 0 ? "" : "\n\nArguments:";
    const WgPythonPart *part = kernel.args;
    for (size_t i = 0; i < kernel.num_args; i++, part += 1 + part->num_parts) {
        const char *initial = i < kernel.num_required ? nullptr : part->initial;
        doc += std::string(", ") + part->name + (initial == nullptr ? "" : std::string("=") + initial);
        lines += std::string("\n    ") + part->name + ": " + part->about;
    }
    for (size_t i = 0; i < kernel.num_numbers && makes_key; i++) {
        doc += std::string(i == 0 ? ", *, " : ", ") + kernel.numbers[i].name;
        lines += std::string("\n    ") + kernel.numbers[i].name + ": " + kernel.numbers[i].about;
    }
    return doc + ")\n--\n\n" + (makes_key ? kernel.key_about : kernel.about) + lines;
}

static PyObject *bind(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
static PyObject *bind_type(PyObject *module, PyObject *const *args, Py_ssize_t num_args);
static PyObject *bind_context(PyObject *module, PyObject *const *args, Py_ssize_t num_args);

static PyCFunction with_names(PyObject *(*function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *))
{
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

static PyCFunction plain(PyObject *(*function)(PyObject *, PyObject *const *, Py_ssize_t))
{
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

void WgPythonState::add_methods()
{
    const auto add = [this](const char *name, PyCFunction function, std::string doc) {
        docs.push_back(std::move(doc));
        methods.push_back({name, function, METH_FASTCALL | METH_KEYWORDS, docs.back().c_str()});
    };
    docs.reserve(program.num_graphs + 2 * program.num_kernels);
    for (size_t i = 0; i < program.num_graphs; i++) {
        add(program.graphs[i].name, with_names(program.graphs[i].function), describe(program.graphs[i]));
    }
    for (size_t i = 0; i < program.num_kernels; i++) {
        const WgPythonKernel &kernel = program.kernels[i];
        add(kernel.key_name, with_names(kernel.key_function), describe_kernel(kernel, true));
        if (kernel.function != nullptr) {
            add(kernel.name, with_names(kernel.function), describe_kernel(kernel, false));
        }
    }
    methods.push_back({"bind", plain(bind), METH_FASTCALL, bind_doc});
    methods.push_back({"bind_model", plain(wg_python_bind_model), METH_FASTCALL, wg_python_bind_model_doc});
    methods.push_back({"guarded", plain(wg_python_guarded), METH_FASTCALL, wg_python_guarded_doc});
    methods.push_back({"untraced", plain(wg_python_untraced), METH_FASTCALL, wg_python_untraced_doc});
    methods.push_back({"bind_type", plain(bind_type), METH_FASTCALL, bind_type_doc});
    methods.push_back({"bind_context", plain(bind_context), METH_FASTCALL, bind_context_doc});
    if (program.limits != nullptr) {
        methods.push_back({"limits", plain(wg_python_limits), METH_FASTCALL, wg_python_limits_doc});
    }
    methods.push_back({nullptr, nullptr, 0, nullptr});
}

/* ---- what is bound ---- */

/* Row `i` of a list is called names(i); -1 with an exception set: none is called so. */
template <typename Names>
static Py_ssize_t find_bound(const char *what, PyObject *const *args, Py_ssize_t num_args, Py_ssize_t expected,
                             size_t count, const Names &names)
{
    if (num_args != expected) {
        PyErr_Format(PyExc_TypeError, "takes %zd positional arguments, the name of a %s and what it is; %zd were given",
                     expected, what, num_args);
        return -1;
    }
    const char *name = PyUnicode_AsUTF8(args[0]);
    if (name == nullptr) {
        return -1;
    }
    std::string known;
    for (size_t i = 0; i < count; i++) {
        if (std::string(names(i)) == name) {
            return static_cast<Py_ssize_t>(i);
        }
        known += std::string(i == 0 ? "" : ", ") + names(i);
    }
    PyErr_Format(PyExc_ValueError, "no %s is called '%s'; there %s: %s", what, name, count == 1 ? "is" : "are",
                 count == 0 ? "none" : known.c_str());
    return -1;
}

/* The old object goes last: what it runs as it ends must find the new one. */
static PyObject *replace(PyObject *&place, PyObject *object)
{
    PyObject *old = place;
    place = Py_NewRef(object);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

Py_ssize_t wg_python_find_compiled(const WgPythonState &state, PyObject *const *args, Py_ssize_t num_args,
                                   Py_ssize_t expected)
{
    const WgPythonProgram &program = state.program;
    const Py_ssize_t i = find_bound("compiled function", args, num_args, expected, program.num_compiled,
                                    [&](size_t at) { return program.compiled[at].name; });
    if (i >= 0 && program.compiled[i].function != program.compiled[i].bound) {
        PyErr_Format(PyExc_ValueError, "'%s' is a function in C that this module was linked with",
                     program.compiled[i].name);
        return -1;
    }
    return i;
}

static PyObject *bind(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    WgPythonState &state = *wg_python_state(module);
    const Py_ssize_t i = wg_python_find_compiled(state, args, num_args, 2);
    if (i < 0) {
        return nullptr;
    }
    if (args[1] != Py_None && PyCallable_Check(args[1]) == 0) {
        return PyErr_Format(PyExc_TypeError, "a compiled function must be callable, not %s", Py_TYPE(args[1])->tp_name);
    }
    state.models[static_cast<size_t>(i)].reset();
    PyObject *&place = state.compiled[static_cast<size_t>(i)];
    if (args[1] == Py_None) {
        Py_CLEAR(place);
        Py_RETURN_NONE;
    }
    return replace(place, args[1]);
}

/* (name, type), by_class, rebuild: the last two may be left out. */
static PyObject *bind_type(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    WgPythonState &state = *wg_python_state(module);
    const WgPythonProgram &program = state.program;
    const Py_ssize_t i = find_bound("tensor subclass", args, num_args == 3 || num_args == 4 ? 2 : num_args, 2,
                                    program.num_types, [&](size_t at) { return program.types[at].type->name; });
    if (i < 0) {
        return nullptr;
    }
    if (PyType_Check(args[1]) == 0 || PyObject_HasAttr(args[1], state.flatten) == 0) {
        return PyErr_Format(PyExc_TypeError, "a tensor subclass must be a class with __tensor_flatten__, not %R",
                            args[1]);
    }
    if (num_args > 2 && !PyBool_Check(args[2])) {
        return PyErr_Format(PyExc_TypeError, "by_class must be a bool, not %s", Py_TYPE(args[2])->tp_name);
    }
    PyObject *rebuild = num_args > 3 && args[3] != Py_None ? args[3] : nullptr;
    if (rebuild != nullptr && PyCallable_Check(rebuild) == 0) {
        return PyErr_Format(PyExc_TypeError, "rebuild must be callable, not %s", Py_TYPE(rebuild)->tp_name);
    }
    WgPythonClass &type = state.types[static_cast<size_t>(i)];
    state.num_missing -= type.bound == nullptr ? 1 : 0;
    type.by_class = num_args > 2 && args[2] == Py_True;
    const WgPythonOwned before(std::exchange(type.rebuild, Py_XNewRef(rebuild)));
    return replace(type.bound, args[1]);
}

static PyObject *bind_context(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    WgPythonState &state = *wg_python_state(module);
    const WgPythonProgram &program = state.program;
    const Py_ssize_t i = find_bound("flattening context", args, num_args, 2, program.num_contexts,
                                    [&](size_t at) { return program.contexts[at].name; });
    if (i < 0) {
        return nullptr;
    }
    PyObject *&place = state.contexts[static_cast<size_t>(i)];
    state.num_missing -= place == nullptr ? 1 : 0;
    return replace(place, args[1]);
}

/* ---- the module ---- */

static int visit_module(PyObject *module, visitproc visit, void *arg)
{
    const WgPythonState *state = PyModule_GetState(module) == nullptr ? nullptr : wg_python_state(module);
    return state != nullptr && state->is_alone() ? state->show(visit, arg) : 0;
}

static int clear(PyObject *module)
{
    WgPythonState *state = PyModule_GetState(module) == nullptr ? nullptr : wg_python_state(module);
    if (state != nullptr && state->is_alone()) {
        state->clear();
    }
    return 0;
}

static void release_module(void *object)
{
    PyObject *module = static_cast<PyObject *>(object);
    WgPythonState *state =
        PyModule_GetState(module) == nullptr ? nullptr : std::exchange(wg_python_state(module), nullptr);
    if (state != nullptr) {
        state->let_go_with_gil();
    }
}

template <typename Name> static bool add_names(PyObject *module, const char *attribute, size_t count, const Name &name)
{
    WgPythonOwned names(PyTuple_New(static_cast<Py_ssize_t>(count)));
    for (size_t i = 0; i < count && names.get() != nullptr; i++) {
        PyObject *text = PyUnicode_FromString(name(i));
        if (text == nullptr) {
            return false;
        }
        PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(i), text);
    }
    return names.get() != nullptr && PyModule_AddObjectRef(module, attribute, names.get()) == 0;
}

static bool fill(PyObject *module, const WgPythonProgram &program)
{
    WgPythonState *&state = wg_python_state(module);
    state = new WgPythonState(program);
    if (program.num_kernels > 0) {
        const char *name = PyModule_GetName(module);
        if (name == nullptr) {
            return false;
        }
        state->key_type = wg_python_key_type(name);
        if (PyModule_AddObjectRef(module, "Key", reinterpret_cast<PyObject *>(state->key_type)) != 0) {
            return false;
        }
    }
    return PyModule_AddFunctions(module, state->methods.data()) == 0 &&
           PyModule_SetDocString(module, program.about) == 0 &&
           add_names(module, "__compiled__", program.num_compiled,
                     [&](size_t i) { return program.compiled[i].name; }) &&
           add_names(module, "__types__", program.num_types, [&](size_t i) { return program.types[i].type->name; }) &&
           add_names(module, "__contexts__", program.num_contexts, [&](size_t i) { return program.contexts[i].name; });
}

/* Runs once for each module that is made of the definition, in which CPython has put null for the state. */
static int execute(PyObject *module)
{
    HANDLE_TH_ERRORS
    if (wg_torch_build_problem() != nullptr) {
        PyErr_SetString(PyExc_ImportError, wg_torch_build_problem());
        return -1;
    }
    const WgPythonOwned torch(wg_python_made(PyImport_ImportModule("torch"))); /* its classes must be there */
    const PyModuleDef *definition = PyModule_GetDef(module);
    return fill(module, *reinterpret_cast<const WgPythonDefinition *>(definition)->program) ? 0 : -1;
    END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject *wg_python_module(WgPythonDefinition *definition)
{
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void *>(execute)}, {0, nullptr}};
    PyModuleDef &known = definition->definition;
    known.m_size = sizeof(WgPythonState *);
    known.m_slots = slots;
    known.m_traverse = visit_module;
    known.m_clear = clear;
    known.m_free = release_module;
    return PyModuleDef_Init(&known);
}
