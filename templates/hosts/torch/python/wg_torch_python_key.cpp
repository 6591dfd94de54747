/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_key.cpp - keys of kernels as Python objects: immutable, hashable, equal when their words are.
 *
 * The hash is computed once, and a call with the same key as the one before gets the same object, so that a dict finds
 * it by its address.
 */
#include "wg_torch_python_inside.hpp"

#include <cstddef>
#include <cstring>

#include "wg_key_cache.h"

namespace
{

struct Key {
    PyVarObject head; /* its size is the number of words */
    const WgPythonKernel *kernel;
    Py_hash_t hash;
    uint64_t words[1]; /* and the rest */
};

const Key *key_of(PyObject *object)
{
    return reinterpret_cast<const Key *>(object);
}

size_t num_words(const Key *key)
{
    return static_cast<size_t>(Py_SIZE(key));
}

bool is_same(const Key *key, const WgPythonKernel *kernel, const uint64_t *words, size_t count)
{
    return key->kernel == kernel && wg_key_equal(key->words, num_words(key), words, count, 0) != 0;
}

Py_hash_t hash_of(PyObject *object)
{
    return key_of(object)->hash;
}

PyObject *compare(PyObject *a, PyObject *b, int how)
{
    if (Py_TYPE(a) != Py_TYPE(b) || (how != Py_EQ && how != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const Key *other = key_of(b);
    const bool same =
        a == b || (key_of(a)->hash == other->hash && is_same(key_of(a), other->kernel, other->words, num_words(other)));
    return PyBool_FromLong(same == (how == Py_EQ) ? 1 : 0);
}

/* The text that C prints. */
PyObject *text_of_key(PyObject *object)
{
    const Key *key = key_of(object);
    const WgPythonKernel &kernel = *key->kernel;
    c10::SmallVector<uint64_t, 64> row((kernel.key_size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    char *start = reinterpret_cast<char *>(row.data());
    const size_t count = num_words(key);
    std::memcpy(start, &count, sizeof count);
    std::memcpy(start + kernel.words_at, key->words, count * sizeof *key->words);
    std::string text(kernel.print(start, nullptr, 0) + 1, '\0');
    (void)kernel.print(start, text.data(), text.size());
    return PyUnicode_FromFormat("<%s>", text.c_str());
}

/* The words, little-endian. */
PyObject *bytes_of(PyObject *object, PyObject *)
{
    const Key *key = key_of(object);
    const size_t count = num_words(key);
    std::string bytes(count * sizeof *key->words, '\0');
    for (size_t i = 0; i < bytes.size(); i++) {
        bytes[i] = static_cast<char>(key->words[i / 8] >> (i % 8 * 8) & 255);
    }
    return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}

/* It never changes. */
PyObject *itself(PyObject *object, PyObject *)
{
    return Py_NewRef(object);
}

void release_key(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}

template <typename Function> void *slot(Function function)
{
    return reinterpret_cast<void *>(function);
}

PyMethodDef methods[] = {
    {"__bytes__", bytes_of, METH_NOARGS, "The words of the key, little-endian: the same on every machine."},
    {"__copy__", itself, METH_NOARGS, nullptr},
    {"__deepcopy__", itself, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

const char about[] = "The specialization key of a call of a kernel. Two are equal when they are keys of one kernel and "
                     "of this module, and their words are the same.";

Key *new_key(PyTypeObject *type, const WgPythonKernel *kernel, const uint64_t *words, size_t count)
{
    Key *key = reinterpret_cast<Key *>(
        wg_python_made(reinterpret_cast<PyObject *>(PyObject_NewVar(Key, type, static_cast<Py_ssize_t>(count)))));
    key->kernel = kernel;
    std::memcpy(key->words, words, count * sizeof *words);
    const uint64_t hash = wg_hash(words, count);
    key->hash = static_cast<Py_hash_t>(hash == UINT64_MAX ? hash - 1 : hash); /* -1 means an error */
    return key;
}

} // namespace

PyTypeObject *wg_python_key_type(const char *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, const_cast<char *>(about)},
                           {Py_tp_dealloc, slot(release_key)},
                           {Py_tp_hash, slot(hash_of)},
                           {Py_tp_richcompare, slot(compare)},
                           {Py_tp_repr, slot(text_of_key)},
                           {Py_tp_methods, methods},
                           {0, nullptr}};
    const std::string name = std::string(module) + ".Key";
    PyType_Spec spec = {name.c_str(), static_cast<int>(offsetof(Key, words)), static_cast<int>(sizeof(uint64_t)),
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return reinterpret_cast<PyTypeObject *>(wg_python_made(PyType_FromSpec(&spec)));
}

PyObject *wg_python_key_object(WgPythonState &state, size_t kernel, const uint64_t *words, size_t count)
{
    const WgPythonKernel &row = state.program.kernels[kernel];
    PyObject *&last = state.last_keys[kernel];
    if (last == nullptr || !is_same(key_of(last), &row, words, count)) {
        PyObject *old = std::exchange(last, reinterpret_cast<PyObject *>(new_key(state.key_type, &row, words, count)));
        Py_XDECREF(old);
    }
    return Py_NewRef(last);
}
