/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_guarded_keep.cpp - what calls keep of what they found, and what they watch for that.
 */
#include "wg_torch_python_guarded.hpp"

#include <unordered_set>

/* Borrowed: the object has it. Null if it has none now. */
static PyObject *dict_of(PyObject *object)
{
    PyObject *dict = PyObject_GenericGetDict(object, nullptr);
    if (dict == nullptr) {
        PyErr_Clear();
    }
    Py_XDECREF(dict);
    return dict;
}

bool WgPythonKept::holds() const
{
    for (const Watched &one : watched) {
        if (one.kind == WATCH_DICT) {
            if (wg_python_dict_version(one.object) != one.version) {
                return false;
            }
        } else if (wg_python_type_version(Py_TYPE(one.object)) != one.type_version ||
                   (one.kind == WATCH_LINK && dict_of(one.object) != one.its_dict)) {
            return false;
        }
    }
    for (PyObject *dict : empty) {
        if (PyDict_GET_SIZE(dict) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- what is kept of a call ---- */

/* Takes the steps and the tests of a call in their order, so that what holds an object is watched before that object.
 * It asks them again: code of Python may have run since they were taken, and none runs here. */
class WgPythonKeeper
{
  public:
    WgPythonKeeper(WgPythonKept &into_, const WgPythonObjects &values_, WgPythonSteady &steady_)
        : into(into_), values(values_), steady(steady_), is_kept(values_.size()), is_used(values_.size())
    {
    }
    void begin(size_t from, size_t to)
    {
        std::fill(is_kept.begin() + static_cast<ptrdiff_t>(from), is_kept.begin() + static_cast<ptrdiff_t>(to), true);
    }
    void take(WgPythonStep &row, size_t i, size_t at);
    void take(const WgPythonTest &row, size_t i);
    void use(size_t at);

  private:
    bool watch_dict(size_t at, PyObject *dict);
    bool watch_object(size_t at, PyObject *its_dict);
    bool keeps_attribute(WgPythonStep &row, PyObject *found);
    bool keeps_item(WgPythonStep &row, PyObject *found);
    bool keeps_equal(const WgPythonTest &row) const;
    bool keeps_empty(const WgPythonTest &row);
    bool keeps(const WgPythonTest &row);

    WgPythonKept &into;
    const WgPythonObjects &values;
    WgPythonSteady &steady;
    std::vector<bool> is_kept;
    std::vector<bool> is_used;
    std::unordered_set<PyObject *> dicts, links, types;
};

/* Of a value: the dict that it is, or that it has. false: it is not worth it, since it changes from call to call. */
bool WgPythonKeeper::watch_dict(size_t at, PyObject *dict)
{
    const uint64_t version = wg_python_dict_version(dict);
    if (version == 0 || !steady.is_steady(at, version)) {
        return false;
    }
    if (dicts.insert(dict).second) {
        into.watched.push_back({dict, {version}, 0, WgPythonKept::WATCH_DICT});
    }
    return true;
}

/* The class of a value, and which __dict__ it has unless that is null. */
bool WgPythonKeeper::watch_object(size_t at, PyObject *its_dict)
{
    PyObject *object = values[at];
    const unsigned int version = wg_python_type_version(Py_TYPE(object));
    if (version == 0) {
        return false;
    }
    if ((its_dict == nullptr ? types : links).insert(object).second) {
        WgPythonKept::Watched one = {object, {0}, version, WgPythonKept::WATCH_TYPE};
        if (its_dict != nullptr) {
            one.its_dict = its_dict;
            one.kind = WgPythonKept::WATCH_LINK;
        }
        into.watched.push_back(one);
    }
    return true;
}

bool WgPythonKeeper::keeps_attribute(WgPythonStep &row, PyObject *found)
{
    const WgPythonAttribute::Way way = row.attribute.way_of(values[row.at], row.key);
    if (way == WgPythonAttribute::WAY_GENERAL) {
        return false;
    }
    PyObject *dict = dict_of(values[row.at]);
    if (way == WgPythonAttribute::WAY_DICT) {
        return dict == found && watch_object(row.at, dict);
    }
    return dict != nullptr && PyDict_CheckExact(dict) && row.lookup.find(dict, row.key) == found &&
           watch_object(row.at, dict) && watch_dict(row.at, dict);
}

bool WgPythonKeeper::keeps_item(WgPythonStep &row, PyObject *found)
{
    PyObject *from = values[row.at];
    if (PyTuple_CheckExact(from)) {
        return PyLong_CheckExact(row.key);
    }
    return PyDict_CheckExact(from) && PyUnicode_CheckExact(row.key) && row.lookup.find(from, row.key) == found &&
           watch_dict(row.at, from);
}

/* Step number i, which gave the value at this place. */
void WgPythonKeeper::take(WgPythonStep &row, size_t i, size_t at)
{
    const bool keeps = is_kept[row.at] && ((row.kind == STEP_ATTR && keeps_attribute(row, values[at])) ||
                                           (row.kind == STEP_ITEM && keeps_item(row, values[at])));
    if (keeps) {
        is_kept[at] = true;
        into.values[at] = values[at];
        into.num_done++;
    } else {
        use(row.at);
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
        PyObject *found = PyUnicode_CheckExact(key) ? PyDict_GetItemWithError(dict, key) : nullptr;
        if (found == nullptr || !PyDict_Check(found) || PyDict_GET_SIZE(found) != 0) {
            return false;
        }
        into.empty.push_back(found);
    }
    return true;
}

bool WgPythonKeeper::keeps(const WgPythonTest &row)
{
    PyObject *value = values[row.at];
    switch (row.kind) {
    case TEST_TYPE:
        return reinterpret_cast<PyObject *>(Py_TYPE(value)) == row.known &&
               (!PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE) || watch_object(row.at, nullptr));
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
        return PyDict_CheckExact(value) && PyUnicode_CheckExact(row.operand) &&
               (PyDict_GetItemWithError(value, row.operand) != nullptr) == (row.kind == TEST_WITH) &&
               watch_dict(row.at, value);
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
        return;
    }
    into.tests.push_back(i);
    use(row.at);
    if (row.kind == TEST_SAME) {
        use(static_cast<size_t>(row.number));
    }
    for (const size_t at : row.given) {
        use(at);
    }
}

void WgPythonKeeper::use(size_t at)
{
    if (into.values[at] != nullptr && !is_used[at]) {
        is_used[at] = true;
        into.used.push_back(at);
    }
}

/* Has the dict of a value another version than when it was kept last, though no call was taken by that? Then it would
 * have another one at the next call, too. */
bool WgPythonSteady::is_steady(size_t at, uint64_t version)
{
    if (unsteady[at] || (in_vain && versions[at] != 0 && versions[at] != version)) {
        unsteady[at] = true;
        return false;
    }
    versions[at] = version;
    return true;
}

/* After a call whose tests have all held. Less than a few rows take as long as looking whether they hold. */
void WgPythonGuarded::keep(const WgPythonObjects &values)
{
    constexpr size_t fewest = 8;
    if (!keeps) {
        return;
    }
    auto made = std::make_shared<WgPythonKept>();
    made->values.resize(num_values);
    steady.versions.resize(num_values);
    steady.unsteady.resize(num_values);
    steady.in_vain = kept != nullptr && num_kept_calls == 0;
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
    for (const std::vector<size_t> *places : {&tensors, &inputs}) {
        for (const size_t at : *places) {
            keeper.use(at);
        }
    }
    keeps = made->num_done >= fewest && made->holds();
    num_kept_calls = 0;
    kept = keeps ? std::move(made) : nullptr;
}
