/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_guarded_read.cpp - attributes that a call reads before it is tested. A whole model has thousands, and
 * nearly all are in the __dict__ of an object, where they are found without asking its class each time.
 */
#include "wg_torch_python_guarded.hpp"

/* CPython 3.13 no longer says in a flag whether a class has a version. */
unsigned int wg_python_type_version(PyTypeObject *type)
{
#if PY_VERSION_HEX < 0x030d0000
    return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) ? type->tp_version_tag : 0;
#else
    return type->tp_version_tag;
#endif
}

/* Do its objects have a __dict__, and are their attributes looked up as object does it, or as modules do? These ask a
 * __getattr__ last. */
static bool looks_up_plainly(PyTypeObject *type)
{
    const WgPythonOwned name(wg_python_made(PyUnicode_InternFromString("__getattribute__")));
    PyObject *found = _PyType_Lookup(type, name.get());
    return type->tp_dictoffset != 0 && (found == _PyType_Lookup(&PyBaseObject_Type, name.get()) ||
                                        found == _PyType_Lookup(&PyModule_Type, name.get()));
}

/* Is what is in the __dict__ of an object the attribute, whatever the class has under that name? Of what it has, a
 * class of a program could make a data descriptor later, and so could one that a module gets; others stay as they
 * are. */
static bool yields_to_dict(PyObject *of_class)
{
    return of_class == nullptr || (Py_TYPE(of_class)->tp_descr_set == nullptr && !PyModule_Check(of_class) &&
                                   !PyType_HasFeature(Py_TYPE(of_class), Py_TPFLAGS_HEAPTYPE));
}

/* Once for each state of a class. */
void WgPythonAttribute::learn(PyTypeObject *type, PyObject *name)
{
    PyObject *of_class = _PyType_Lookup(type, name);
    way = WAY_GENERAL;
    if (looks_up_plainly(type)) {
        if (PyUnicode_CompareWithASCIIString(name, "__dict__") == 0) {
            way = of_class != nullptr && Py_IS_TYPE(of_class, &PyGetSetDescr_Type) ? WAY_DICT : WAY_GENERAL;
        } else if (yields_to_dict(of_class)) {
            way = WAY_IN_DICT;
        }
    }
    type_version = wg_python_type_version(type);
}

WgPythonAttribute::Way WgPythonAttribute::way_of(PyObject *object, PyObject *name)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type_version == 0 || type_version != wg_python_type_version(type)) {
        learn(type, name);
    }
    return way;
}

/* Owned; null: an exception is set. */
PyObject *WgPythonAttribute::read(PyObject *object, PyObject *name)
{
    if (way_of(object, name) != WAY_GENERAL) {
        PyObject *dict = PyObject_GenericGetDict(object, nullptr);
        if (dict == nullptr || way == WAY_DICT) {
            return dict;
        }
        const WgPythonOwned held(dict);
        PyObject *found = PyDict_GetItemWithError(dict, name);
        if (found != nullptr || PyErr_Occurred() != nullptr) {
            return Py_XNewRef(found);
        }
    }
    return PyObject_GetAttr(object, name);
}
