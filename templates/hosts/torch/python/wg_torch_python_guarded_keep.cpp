/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_guarded_keep.cpp - what calls keep of what they found, and what they watch for that.
 *
 * CPython drops what an attribute was before the dict has its new version. Code that then runs would find the old one
 * in a dict that says that it has not changed: so what is kept is owned, and does not end there.
 */
#include "wg_torch_python_guarded.hpp"

#include <algorithm>
#include <unordered_set>

/* A number that no other dict has, and that this one has until it changes (PEP 509). 0: there is none. CPython calls
 * the field deprecated since 3.12; for dicts of 3.13, whose objects may have their values inline, nothing says what it
 * is. */
static uint64_t dict_version(PyObject *dict)
{
#if PY_VERSION_HEX < 0x030d0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return PyDict_CheckExact(dict) ? reinterpret_cast<PyDictObject *>(dict)->ma_version_tag : 0;
#pragma GCC diagnostic pop
#else
    (void)dict;
    return 0;
#endif
}

/* Borrowed: the object has it. Null if it has none now, or one of a class of its own. */
static PyObject *dict_of(PyObject *object)
{
    PyObject *dict = PyObject_GenericGetDict(object, nullptr);
    if (dict == nullptr) {
        PyErr_Clear();
        return nullptr;
    }
    Py_DECREF(dict);
    return PyDict_CheckExact(dict) ? dict : nullptr;
}

/* Borrowed. false: a key could not be compared. */
static bool look_up(PyObject *dict, PyObject *key, PyObject *&found)
{
    found = PyDict_GetItemWithError(dict, key);
    if (found == nullptr && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return false;
    }
    return true;
}

/* ---- is it as it was? ---- */

bool WgPythonKept::is_as_it_was(const Watched &one)
{
    PyObject *found = nullptr;
    switch (one.kind) {
    case WATCH_DICT:
        return dict_version(one.object) == one.version;
    case WATCH_FOUND:
        return look_up(one.object, one.key, found) && found == one.found;
    case WATCH_CELL:
        return PyCell_GET(one.object) == one.found;
    case WATCH_LINK:
        return wg_python_type_version(Py_TYPE(one.object)) == one.type_version && dict_of(one.object) == one.found;
    case WATCH_CLASS:
        return wg_python_type_version(Py_TYPE(one.object)) == one.type_version;
    case NUM_KINDS:
        break;
    }
    return false;
}

bool WgPythonKept::holds() const
{
    return std::all_of(watched.begin(), watched.end(), is_as_it_was) &&
           std::all_of(empty.begin(), empty.end(), [](PyObject *dict) { return PyDict_GET_SIZE(dict) == 0; });
}

int WgPythonKept::show(visitproc visit, void *arg) const
{
    for (PyObject *object : owned) {
        Py_VISIT(object);
    }
    return 0;
}

WgPythonKept::~WgPythonKept()
{
    for (PyObject *object : owned) {
        Py_DECREF(object);
    }
}

/* ---- what is kept of a call ---- */

/* Takes the steps and the tests of a call. It asks them again, since code of Python may have run since they were
 * taken. */
class WgPythonKeeper
{
  public:
    WgPythonKeeper(WgPythonKept &into_, const WgPythonObjects &values_, WgPythonSteady &steady_)
        : into(into_), values(values_), steady(steady_), is_kept(values_.size())
    {
    }
    void begin(size_t from, size_t to)
    {
        std::fill(is_kept.begin() + static_cast<ptrdiff_t>(from), is_kept.begin() + static_cast<ptrdiff_t>(to), true);
    }
    void take(WgPythonStep &row, size_t i, size_t at);
    void take(const WgPythonTest &row, size_t i);

  private:
    using Kept = WgPythonKept;

    PyObject *own(PyObject *object)
    {
        into.owned.push_back(Py_NewRef(object));
        return object;
    }
    bool watch(Kept::Kind kind, PyObject *object);
    bool watch_dict(size_t at, PyObject *dict);
    bool watch_key(size_t at, PyObject *dict, PyObject *key, PyObject *found);
    bool watch_object(PyObject *object, PyObject *its_dict);
    bool keeps_attribute(WgPythonStep &row, size_t at);
    bool keeps_item(const WgPythonStep &row, PyObject *found);
    bool keeps_equal(const WgPythonTest &row) const;
    bool keeps_empty(const WgPythonTest &row);
    bool keeps_in(const WgPythonTest &row);
    bool keeps(const WgPythonTest &row);

    WgPythonKept &into;
    const WgPythonObjects &values;
    WgPythonSteady &steady;
    std::vector<bool> is_kept;
    std::unordered_set<PyObject *> known[Kept::NUM_KINDS];
};

/* false: it is already. Else what there is to know of it has to be set. */
bool WgPythonKeeper::watch(Kept::Kind kind, PyObject *object)
{
    if (!known[kind].insert(object).second) {
        return false;
    }
    into.watched.push_back({own(object), nullptr, nullptr, {0}, kind});
    return true;
}

/* Of a value: the dict that it is, or that it has. false: its version says too little. */
bool WgPythonKeeper::watch_dict(size_t at, PyObject *dict)
{
    const uint64_t version = dict_version(dict);
    if (version == 0 || !steady.is_steady(at, version)) {
        return false;
    }
    if (watch(Kept::WATCH_DICT, dict)) {
        into.watched.back().version = version;
    }
    return true;
}

/* What the dict has under a key. Python without versions of dicts looks at all of them as before. */
bool WgPythonKeeper::watch_key(size_t at, PyObject *dict, PyObject *key, PyObject *found)
{
    if (dict_version(dict) == 0) {
        return false;
    }
    if (!watch_dict(at, dict)) {
        into.watched.push_back({own(dict), key, own(found), {0}, Kept::WATCH_FOUND});
    }
    return true;
}

/* The class of an object, and which __dict__ it has unless that is null. Who watches the __dict__ watches the class. */
bool WgPythonKeeper::watch_object(PyObject *object, PyObject *its_dict)
{
    const unsigned int version = wg_python_type_version(Py_TYPE(object));
    if (version == 0) {
        return false;
    }
    if (its_dict == nullptr && known[Kept::WATCH_LINK].count(object) != 0) {
        return true;
    }
    if (watch(its_dict != nullptr ? Kept::WATCH_LINK : Kept::WATCH_CLASS, object)) {
        into.watched.back().type_version = version;
        into.watched.back().found = its_dict != nullptr ? own(its_dict) : nullptr;
    }
    return true;
}

bool WgPythonKeeper::keeps_attribute(WgPythonStep &row, size_t at)
{
    PyObject *object = values[row.at];
    PyObject *found = nullptr;
    if (Py_IS_TYPE(object, &PyCell_Type)) {
        if (PyUnicode_CompareWithASCIIString(row.key, "cell_contents") != 0 || PyCell_GET(object) != values[at]) {
            return false;
        }
        if (watch(Kept::WATCH_CELL, object)) {
            into.watched.back().found = own(values[at]);
        }
        return true;
    }
    const WgPythonAttribute::Way way = row.attribute.way_of(object, row.key);
    PyObject *dict = way == WgPythonAttribute::WAY_GENERAL ? nullptr : dict_of(object);
    if (dict == nullptr) {
        return false;
    }
    if (way == WgPythonAttribute::WAY_DICT) {
        return dict == values[at] && watch_object(object, dict);
    }
    return look_up(dict, row.key, found) && found == values[at] && watch_object(object, dict) &&
           watch_key(row.at, dict, row.key, found);
}

bool WgPythonKeeper::keeps_item(const WgPythonStep &row, PyObject *found)
{
    PyObject *from = values[row.at];
    PyObject *again = nullptr;
    if (PyTuple_CheckExact(from)) {
        return PyLong_CheckExact(row.key);
    }
    return PyDict_CheckExact(from) && PyUnicode_CheckExact(row.key) && look_up(from, row.key, again) &&
           again == found && watch_key(row.at, from, row.key, found);
}

/* Step number i, which gave the value at this place. */
void WgPythonKeeper::take(WgPythonStep &row, size_t i, size_t at)
{
    const bool keeps =
        is_kept[row.at] && !THPVariable_Check(values[at]) &&
        ((row.kind == STEP_ATTR && keeps_attribute(row, at)) || (row.kind == STEP_ITEM && keeps_item(row, values[at])));
    if (keeps) {
        is_kept[at] = true;
        into.values[at] = own(values[at]);
        into.num_done++;
    } else {
        into.steps.push_back(i);
    }
}

/* What is equal for ever. */
bool WgPythonKeeper::keeps_equal(const WgPythonTest &row) const
{
    PyObject *value = values[row.at];
    return value == row.operand || PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyUnicode_CheckExact(value);
}

bool WgPythonKeeper::keeps_empty(const WgPythonTest &row)
{
    PyObject *dict = values[row.at];
    if (!PyDict_CheckExact(dict) || !watch_dict(row.at, dict)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(row.operand); i++) {
        PyObject *key = PyTuple_GET_ITEM(row.operand, i);
        PyObject *found = nullptr;
        if (!PyUnicode_CheckExact(key) || !look_up(dict, key, found) || found == nullptr || !PyDict_Check(found) ||
            PyDict_GET_SIZE(found) != 0) {
            return false;
        }
        into.empty.push_back(own(found));
    }
    return true;
}

/* A key that is in a dict, or is not. */
bool WgPythonKeeper::keeps_in(const WgPythonTest &row)
{
    PyObject *dict = values[row.at];
    PyObject *found = nullptr;
    return PyDict_CheckExact(dict) && PyUnicode_CheckExact(row.operand) && look_up(dict, row.operand, found) &&
           (found != nullptr) == (row.kind == TEST_WITH) && watch_dict(row.at, dict);
}

bool WgPythonKeeper::keeps(const WgPythonTest &row)
{
    PyObject *value = values[row.at];
    switch (row.kind) {
    case TEST_TYPE: /* objects of Python's own classes stay of them, but modules do not */
        return reinterpret_cast<PyObject *>(Py_TYPE(value)) == row.known &&
               ((!PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE) && !PyModule_Check(value)) ||
                watch_object(value, nullptr));
    case TEST_EQUAL:
        return keeps_equal(row);
    case TEST_SAME:
        return is_kept[static_cast<size_t>(row.number)];
    case TEST_NOT_NONE:
        return true;
    case TEST_LENGTH:
        return PyTuple_CheckExact(value) ||
               (PyDict_CheckExact(value) && PyDict_GET_SIZE(value) == row.number && watch_dict(row.at, value));
    case TEST_WITH:
    case TEST_WITHOUT:
        return keeps_in(row);
    case TEST_EMPTY:
        return keeps_empty(row);
    case TEST_NOT_NAN:
    case TEST_COMPARED:
        return true;
    case TEST_HOLDS:
        return false;
    }
    return false;
}

/* Test number i, which held. */
void WgPythonKeeper::take(const WgPythonTest &row, size_t i)
{
    if (is_kept[row.at] && keeps(row)) {
        into.num_done++;
    } else {
        into.tests.push_back(i);
    }
}

/* Has the dict of a value another version than when it was kept last, though no call was taken by that? After a few
 * times it will have another one at the next call, too. */
bool WgPythonSteady::is_steady(size_t at, uint64_t version)
{
    constexpr uint8_t most = 3;
    if (!in_vain) {
        changes[at] = 0;
    } else if (versions[at] != 0 && versions[at] != version && changes[at] < most) {
        changes[at]++;
    }
    versions[at] = version;
    return changes[at] < most;
}

/* Keeping takes as long as a few calls. Where it is in vain again and again, as for a class that counts its calls, it
 * is tried less and less often. */
bool WgPythonGuarded::is_worth_keeping()
{
    constexpr size_t most = 10;
    if (num_to_wait > 0) {
        num_to_wait--;
        return false;
    }
    num_in_vain = num_kept_calls > 0 ? 0 : std::min(num_in_vain + 1, most);
    num_to_wait = (size_t{1} << num_in_vain) / 4;
    return true;
}

/* After a call whose tests have all held. Less than a few rows take as long as looking whether they hold. */
void WgPythonGuarded::keep(const WgPythonObjects &values)
{
    constexpr size_t fewest = 8;
    if (!is_worth_keeping()) {
        return;
    }
    auto made = std::make_shared<WgPythonKept>();
    made->values.resize(num_values);
    steady.versions.resize(num_values);
    steady.changes.resize(num_values);
    steady.in_vain = num_kept_calls == 0;
    WgPythonKeeper keeper(*made, values, steady);
    const size_t first = num_values - steps.size();
    keeper.begin(0, bound.size());
    keeper.begin(first - constants.size(), first);
    for (size_t i = 0; i < steps.size(); i++) {
        keeper.take(steps[i], i, first + i);
    }
    for (size_t i = 0; i < tests.size(); i++) {
        keeper.take(tests[i], i);
    }
    num_kept_calls = 0;
    kept = made->num_done >= fewest && made->holds() ? std::move(made) : nullptr;
}
