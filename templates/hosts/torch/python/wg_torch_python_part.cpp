/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_part.cpp - arguments of kernels, and what is in them, between Python and the structs of the C.
 */
#include "wg_torch_python_inside.hpp"

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>

#include <cstring>

namespace
{

template <typename Type> Type &member(void *at)
{
    return *static_cast<Type *>(at);
}

template <typename Type> const Type &member(const void *at)
{
    return *static_cast<const Type *>(at);
}

/* ---- from Python ---- */

/* Where a value is: `place` among its siblings, in a record by name, all below an argument of a call. */
struct Place {
    const char *function;
    const Place *above;
    const WgPythonPart &part;
    size_t index;
};

/* "options[1].rate" */
std::string text_of(const Place &place)
{
    if (place.above == nullptr) {
        return place.part.name;
    }
    return text_of(*place.above) +
           (place.part.name != nullptr ? std::string(".") + place.part.name : "[" + std::to_string(place.index) + "]");
}

[[noreturn]] void refuse(const Place &place, PyObject *found)
{
    static const char *const expected[] = {
        "None",          "torch.Tensor",      "int", "int",         "bool",         "float",
        "any object",    "a nested int",      "str", "torch.dtype", "torch.device", "tuple or list",
        "list or tuple", "dict or namedtuple"};
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s%s, not %s", place.function, text_of(place).c_str(),
                 expected[place.part.kind], place.part.optional != 0 ? " or None" : "", Py_TYPE(found)->tp_name);
    wg_python_throw();
}

void read_part(const Place &place, PyObject *object, void *at, WgPythonRoom &room);

/* C ends a string at its first zero, so one in the middle would make two strings equal. */
const char *read_string(const Place &place, PyObject *object)
{
    Py_ssize_t length = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (text == nullptr) {
        wg_python_throw();
    }
    if (std::strlen(text) != static_cast<size_t>(length)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' has a zero character", place.function,
                     text_of(place).c_str());
        wg_python_throw();
    }
    return text;
}

/* type * 256 + index; a device without an index is the first of its type. */
int32_t device_number(const at::Device &device)
{
    return static_cast<int32_t>(device.type()) * 256 + (device.has_index() ? device.index() : 0);
}

bool read_device(PyObject *object, int32_t &number)
{
    if (THPDevice_Check(object)) {
        number = device_number(reinterpret_cast<THPDevice *>(object)->device);
        return true;
    }
    if (PyUnicode_Check(object) == 0) {
        return false;
    }
    const char *text = PyUnicode_AsUTF8(object);
    if (text == nullptr) {
        wg_python_throw();
    }
    number = device_number(at::Device(text));
    return true;
}

/* Items are kept, since Python that runs on the way may change what they were in. */
void read_items(const Place &place, PyObject *tuple, char *base, size_t step, WgPythonRoom &room)
{
    const WgPythonPart *item = &place.part + 1;
    const size_t count = static_cast<size_t>(PyTuple_GET_SIZE(tuple));
    for (size_t i = 0; i < count; i++) {
        const Place below = {place.function, &place, *item, i};
        read_part(below, PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)), base + i * step + item->at, room);
        item += step > 0 ? 0 : 1 + item->num_parts;
    }
}

void read_tuple(const Place &place, PyObject *object, void *at, WgPythonRoom &room)
{
    PyObject *tuple = room.keep(PySequence_Tuple(object));
    if (static_cast<size_t>(PyTuple_GET_SIZE(tuple)) != place.part.num_items) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' has %zd items, not %u", place.function,
                     text_of(place).c_str(), PyTuple_GET_SIZE(tuple), static_cast<unsigned>(place.part.num_items));
        wg_python_throw();
    }
    read_items(place, tuple, static_cast<char *>(at), 0, room);
}

void read_list(const Place &place, PyObject *object, void *at, WgPythonRoom &room)
{
    PyObject *tuple = room.keep(PySequence_Tuple(object));
    const WgPythonPart &item = *(&place.part + 1);
    const size_t step = item.by_address != 0 ? sizeof(void *) : item.size;
    const size_t count = static_cast<size_t>(PyTuple_GET_SIZE(tuple));
    void *items = room.take(count * step);
    member<WgPythonItems>(at) = {items, count};
    read_items(place, tuple, static_cast<char *>(items), step, room);
}

/* The names of a namedtuple, which is kept; null for another tuple. */
PyObject *fields_of(PyObject *object, WgPythonRoom &room)
{
    if (PyTuple_Check(object) == 0 || PyObject_HasAttrString(object, "_fields") == 0) {
        return nullptr;
    }
    PyObject *names = room.keep(PyObject_GetAttrString(object, "_fields"));
    return PyTuple_Check(names) && PyTuple_GET_SIZE(names) == PyTuple_GET_SIZE(object) ? names : nullptr;
}

/* The field of that name, kept; null if there is none. */
PyObject *find_field(PyObject *object, PyObject *names, const char *name, WgPythonRoom &room)
{
    if (names == nullptr) {
        PyObject *key = room.keep(PyUnicode_FromString(name));
        PyObject *found = PyDict_GetItemWithError(object, key);
        if (found == nullptr && PyErr_Occurred() != nullptr) {
            wg_python_throw();
        }
        return found == nullptr ? nullptr : room.keep(Py_NewRef(found));
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *field = PyTuple_GET_ITEM(names, i);
        if (PyUnicode_Check(field) && PyUnicode_CompareWithASCIIString(field, name) == 0) {
            return PyTuple_GET_ITEM(object, i);
        }
    }
    return nullptr;
}

void read_record(const Place &place, PyObject *object, void *at, WgPythonRoom &room)
{
    PyObject *names = fields_of(object, room);
    if (names == nullptr && PyDict_Check(object) == 0) {
        refuse(place, object);
    }
    const size_t count = static_cast<size_t>(names != nullptr ? PyTuple_GET_SIZE(names) : PyDict_GET_SIZE(object));
    const WgPythonPart *item = &place.part + 1;
    for (uint32_t i = 0; i < place.part.num_items; i++) {
        const Place below = {place.function, &place, *item, i};
        PyObject *field = find_field(object, names, item->name, room);
        if (field == nullptr) {
            PyErr_Format(PyExc_ValueError, "%s(): argument '%s' has no field '%s'", place.function,
                         text_of(place).c_str(), item->name);
            wg_python_throw();
        }
        read_part(below, field, static_cast<char *>(at) + item->at, room);
        item += 1 + item->num_parts;
    }
    if (count != place.part.num_items) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' has %zu fields, not %u", place.function,
                     text_of(place).c_str(), count, static_cast<unsigned>(place.part.num_items));
        wg_python_throw();
    }
}

bool read_plain(const WgPythonPart &part, PyObject *object, void *at)
{
    WgValue value = wg_value_integer(0);
    switch (static_cast<WgPythonKind>(part.kind)) {
    case WG_PYTHON_TENSOR:
        member<WgTensor *>(at) = THPVariable_Check(object) ? wg_torch_lend(THPVariable_Unpack(object)) : nullptr;
        return THPVariable_Check(object);
    case WG_PYTHON_INTEGER:
        if (wg_python_read_number(WG_PYTHON_INTEGER, object, value)) {
            member<int64_t>(at) = value.integer;
            return true;
        }
        return false;
    case WG_PYTHON_BOOLEAN:
        member<int32_t>(at) = object == Py_True ? 1 : 0;
        return PyBool_Check(object);
    case WG_PYTHON_REAL:
        if (wg_python_read_number(WG_PYTHON_REAL, object, value)) {
            member<double>(at) = value.real;
            return true;
        }
        return false;
    case WG_PYTHON_DTYPE:
        if (THPDtype_Check(object)) {
            member<int32_t>(at) = static_cast<int32_t>(reinterpret_cast<THPDtype *>(object)->scalar_type);
            return true;
        }
        return false;
    case WG_PYTHON_DEVICE:
        return read_device(object, member<int32_t>(at));
    default:
        return false;
    }
}

void read_value(const Place &place, PyObject *object, void *at, WgPythonRoom &room)
{
    const bool is_sequence = PyTuple_Check(object) || PyList_Check(object);
    if (place.part.kind == WG_PYTHON_STRING && PyUnicode_Check(object)) {
        member<const char *>(at) = read_string(place, object);
    } else if (place.part.kind == WG_PYTHON_TUPLE && is_sequence) {
        read_tuple(place, object, at, room);
    } else if (place.part.kind == WG_PYTHON_LIST && is_sequence) {
        read_list(place, object, at, room);
    } else if (place.part.kind == WG_PYTHON_RECORD) {
        read_record(place, object, at, room);
    } else if (!read_plain(place.part, object, at)) {
        refuse(place, object);
    }
}

/* Into the member. */
void read_part(const Place &place, PyObject *object, void *at, WgPythonRoom &room)
{
    const WgPythonPart &part = place.part;
    if (object == Py_None && (part.optional != 0 || part.kind == WG_PYTHON_NONE)) {
        member<const void *>(at) = nullptr;
    } else if (part.by_address != 0) {
        void *value = room.take(part.size);
        member<const void *>(at) = value;
        read_value(place, object, value, room);
    } else {
        read_value(place, object, at, room);
    }
}

/* ---- to Python, for a variant ---- */

PyObject *object_of(const WgPythonPart &part, const void *at);

/* The value, once it is known not to be null. */
PyObject *tuple_of(const WgPythonPart &part, const char *base)
{
    WgPythonOwned tuple(wg_python_made(PyTuple_New(part.num_items)));
    const WgPythonPart *item = &part + 1;
    for (uint32_t i = 0; i < part.num_items; i++) {
        PyTuple_SET_ITEM(tuple.get(), i, wg_python_made(object_of(*item, base + item->at)));
        item += 1 + item->num_parts;
    }
    return tuple.release();
}

PyObject *list_of(const WgPythonPart &part, const WgPythonItems &items)
{
    WgPythonOwned list(wg_python_made(PyList_New(static_cast<Py_ssize_t>(items.count))));
    const WgPythonPart &item = *(&part + 1);
    const size_t step = item.by_address != 0 ? sizeof(void *) : item.size;
    for (size_t i = 0; i < items.count; i++) {
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                        wg_python_made(object_of(item, static_cast<const char *>(items.items) + i * step)));
    }
    return list.release();
}

PyObject *record_of(const WgPythonPart &part, const char *base)
{
    WgPythonOwned record(wg_python_made(PyDict_New()));
    const WgPythonPart *item = &part + 1;
    for (uint32_t i = 0; i < part.num_items; i++) {
        const WgPythonOwned field(wg_python_made(object_of(*item, base + item->at)));
        if (PyDict_SetItemString(record.get(), item->name, field.get()) != 0) {
            wg_python_throw();
        }
        item += 1 + item->num_parts;
    }
    return record.release();
}

PyObject *device_object(int32_t number)
{
    const at::DeviceType type = static_cast<at::DeviceType>(number / 256);
    const bool has_index = type != at::kCPU && type != at::kMeta;
    return THPDevice_New(at::Device(type, static_cast<at::DeviceIndex>(has_index ? number % 256 : -1)));
}

PyObject *object_at(const WgPythonPart &part, const void *at)
{
    switch (static_cast<WgPythonKind>(part.kind)) {
    case WG_PYTHON_TENSOR:
        return THPVariable_Wrap(*WgTorchBorrowed(member<WgTensor *>(at)));
    case WG_PYTHON_INTEGER:
        return PyLong_FromLongLong(member<int64_t>(at));
    case WG_PYTHON_BOOLEAN:
        return PyBool_FromLong(member<int32_t>(at));
    case WG_PYTHON_REAL:
        return PyFloat_FromDouble(member<double>(at));
    case WG_PYTHON_STRING:
        return PyUnicode_FromString(member<const char *>(at));
    case WG_PYTHON_DTYPE:
        return Py_NewRef(
            reinterpret_cast<PyObject *>(torch::getTHPDtype(static_cast<at::ScalarType>(member<int32_t>(at)))));
    case WG_PYTHON_DEVICE:
        return device_object(member<int32_t>(at));
    case WG_PYTHON_TUPLE:
        return tuple_of(part, static_cast<const char *>(at));
    case WG_PYTHON_LIST:
        return list_of(part, member<WgPythonItems>(at));
    case WG_PYTHON_RECORD:
        return record_of(part, static_cast<const char *>(at));
    default:
        Py_RETURN_NONE;
    }
}

bool is_pointer(const WgPythonPart &part)
{
    return part.kind == WG_PYTHON_TENSOR || part.kind == WG_PYTHON_STRING || part.kind == WG_PYTHON_NONE;
}

PyObject *object_of(const WgPythonPart &part, const void *at)
{
    if ((part.by_address != 0 || is_pointer(part)) && member<const void *>(at) == nullptr) {
        Py_RETURN_NONE;
    }
    return object_at(part, part.by_address != 0 ? member<const void *>(at) : at);
}

} // namespace

void wg_python_read(const char *function, const WgPythonPart &part, PyObject *object, void *at, WgPythonRoom &room)
{
    read_part({function, nullptr, part, 0}, object, at, room);
}

void wg_python_refuse(const char *function, const WgPythonPart &part, PyObject *found)
{
    refuse({function, nullptr, part, 0}, found);
}

/* ---- to a dispatcher ---- */

WgValue wg_python_value(const WgPythonPart &part, const void *at)
{
    if (part.by_address != 0) {
        return WgValue{.pointer = const_cast<void *>(member<const void *>(at))};
    }
    switch (static_cast<WgPythonKind>(part.kind)) {
    case WG_PYTHON_INTEGER:
        return wg_value_integer(member<int64_t>(at));
    case WG_PYTHON_REAL:
        return WgValue{.real = member<double>(at)};
    case WG_PYTHON_BOOLEAN:
    case WG_PYTHON_DTYPE:
    case WG_PYTHON_DEVICE:
        return wg_value_integer(member<int32_t>(at));
    case WG_PYTHON_TUPLE:
    case WG_PYTHON_LIST:
    case WG_PYTHON_RECORD:
        return WgValue{.pointer = const_cast<void *>(at)};
    default:
        return WgValue{.pointer = const_cast<void *>(member<const void *>(at))};
    }
}

PyObject *wg_python_part(const WgPythonPart &part, const WgValue &value)
{
    if (part.by_address == 0 && !is_pointer(part)) {
        switch (static_cast<WgPythonKind>(part.kind)) {
        case WG_PYTHON_BOOLEAN:
        case WG_PYTHON_DTYPE:
        case WG_PYTHON_DEVICE: {
            const int32_t narrow = static_cast<int32_t>(value.integer);
            return object_at(part, &narrow);
        }
        case WG_PYTHON_TUPLE:
        case WG_PYTHON_LIST:
        case WG_PYTHON_RECORD:
            return object_at(part, value.pointer);
        default:
            break;
        }
    }
    return object_of(part, &value);
}
