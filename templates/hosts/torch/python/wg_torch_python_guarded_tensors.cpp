/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_guarded_tensors.cpp - the test of all tensors of a call. It says what PyTorch's TensorGuards says
 * (torch/csrc/dynamo/guards.cpp), which makes a hash table at each call; a whole model has hundreds of tensors.
 */
#include "wg_torch_python_guarded.hpp"

#include <algorithm>

static constexpr int64_t any_extent = -1;

/* The keys that an operator sees, but for those of modes written in Python, which TensorGuards leaves out, too. */
static uint64_t keys_of(const at::Tensor &t, const c10::impl::LocalDispatchKeySet &local)
{
    const c10::DispatchKeySet of_modes(
        {c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot, c10::DispatchKey::PythonDispatcher});
    return (((t.key_set() | local.included_) - local.excluded_) - of_modes).raw_repr();
}

/* ---- what must be ---- */

void WgPythonTensors::read_extents(PyObject *numbers, int64_t dim)
{
    const WgPythonOwned all(wg_python_made(PySequence_Fast(numbers, "sizes and strides are in a sequence")));
    TORCH_CHECK_VALUE(PySequence_Fast_GET_SIZE(all.get()) == dim, "guarded(): a tensor of ", dim, " dimensions has ",
                      PySequence_Fast_GET_SIZE(all.get()), " sizes or strides");
    for (Py_ssize_t i = 0; i < dim; i++) {
        PyObject *number = PySequence_Fast_GET_ITEM(all.get(), i);
        const int64_t extent = number == Py_None ? any_extent : PyLong_AsLongLong(number);
        if (PyErr_Occurred() != nullptr) {
            wg_python_throw();
        }
        TORCH_CHECK_VALUE(number == Py_None || extent >= 0, "guarded(): a size or stride is negative");
        extents.push_back(extent);
    }
}

void WgPythonTensors::read(PyObject *made)
{
    TORCH_CHECK_VALUE(PyTuple_Check(made) && static_cast<size_t>(PyTuple_GET_SIZE(made)) == places.size(),
                      "guarded(): what makes the test of tensors must give a tuple of one row for each");
    const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
    rows.clear();
    extents.clear();
    for (size_t i = 0; i < places.size(); i++) {
        PyObject *row = PyTuple_GET_ITEM(made, static_cast<Py_ssize_t>(i));
        TORCH_CHECK_VALUE(PyTuple_Check(row) && PyTuple_GET_SIZE(row) == 3 &&
                              THPVariable_Check(PyTuple_GET_ITEM(row, 0)),
                          "guarded(): the row of a tensor is one like it, its sizes and its strides");
        PyObject *like = PyTuple_GET_ITEM(row, 0);
        const at::Tensor &t = THPVariable_Unpack(like);
        rows.push_back({Py_TYPE(like), keys_of(t, local), extents.size(), t.dim(), t.scalar_type(), t.device().index(),
                        t.requires_grad()});
        read_extents(PyTuple_GET_ITEM(row, 1), t.dim());
        read_extents(PyTuple_GET_ITEM(row, 2), t.dim());
    }
    size_t size = 4;
    while (size < 2 * places.size()) {
        size *= 2;
    }
    seen.assign(size, {nullptr, 0});
}

std::vector<PyObject *> WgPythonTensors::types() const
{
    std::vector<PyObject *> found;
    for (const Row &row : rows) {
        PyObject *type = reinterpret_cast<PyObject *>(row.type);
        if (std::find(found.begin(), found.end(), type) == found.end()) {
            found.push_back(type);
        }
    }
    return found;
}

/* ---- what is ---- */

static bool extents_hold(c10::SymIntArrayRef found, const int64_t *wanted)
{
    for (const c10::SymInt &extent : found) {
        if (*wanted != any_extent && extent != *wanted) {
            return false;
        }
        wanted++;
    }
    return true;
}

/* Tensors of the types that rows have are asked without code in Python. The strides come last: one whose layout has
 * none has other keys, too. */
bool WgPythonTensors::holds(const Row &row, const at::Tensor &t, const c10::impl::LocalDispatchKeySet &local) const
{
    const int64_t *wanted = extents.data() + row.first;
    return keys_of(t, local) == row.keys && t.scalar_type() == row.dtype && t.device().index() == row.device &&
           t.requires_grad() == row.requires_grad && t.dim() == row.dim && extents_hold(t.sym_sizes(), wanted) &&
           extents_hold(t.sym_strides(), wanted + row.dim);
}

/* Is each another object? Slots of other calls have other rounds, so that none has to be cleared. */
bool WgPythonTensors::are_distinct(const WgPythonObjects &values)
{
    const size_t mask = seen.size() - 1;
    round++;
    for (const size_t at : places) {
        const uint64_t address = reinterpret_cast<uintptr_t>(values[at]);
        size_t i = static_cast<size_t>((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
        for (; seen[i].round == round; i = (i + 1) & mask) {
            if (seen[i].object == values[at]) {
                return false;
            }
        }
        seen[i] = {values[at], round};
    }
    return true;
}

bool WgPythonTensors::hold(const WgPythonObjects &values)
{
    const c10::impl::LocalDispatchKeySet local = c10::impl::tls_local_dispatch_key_set();
    for (size_t i = 0; i < places.size(); i++) {
        PyObject *value = values[places[i]];
        if (Py_TYPE(value) != rows[i].type || !holds(rows[i], THPVariable_Unpack(value), local)) {
            return false;
        }
    }
    return are_distinct(values);
}
