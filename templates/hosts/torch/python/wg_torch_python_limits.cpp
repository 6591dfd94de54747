/* SPDX-License-Identifier: 0BSD */
/*
 * wg_torch_python_limits.cpp - limits(name): what a graph or kernel takes (wg_limits.h), as Python's lists and dicts.
 */
#include "wg_torch_python_inside.hpp"

#include "wg_limits.h"

#include <torch/csrc/DynamicTypes.h>

namespace
{

pybind11::object bound_of(int64_t value)
{
    return value == INT64_MIN || value == INT64_MAX ? pybind11::none() : pybind11::object(pybind11::int_(value));
}

pybind11::dict limits_of_number(const WgLimitVariant &variant, const WgLimitNumber &number)
{
    pybind11::list ranges;
    for (uint32_t i = 0; i < number.num_ranges; i++) {
        const WgLimitRange &range = number.ranges[i];
        ranges.append(pybind11::make_tuple(bound_of(range.min), bound_of(range.max), range.multiple));
    }
    pybind11::object same = pybind11::none();
    if (number.as_argument >= 0) {
        const pybind11::object dimension =
            number.as_dimension < 0 ? pybind11::none() : pybind11::object(pybind11::int_(number.as_dimension));
        same = pybind11::make_tuple(variant.arguments[number.as_argument].name, dimension);
    }
    pybind11::dict result;
    result["ranges"] = ranges;
    result["symbol"] = number.text;
    result["same"] = same;
    return result;
}

pybind11::dict limits_of_argument(const WgLimitVariant &variant, const WgLimitArgument &argument)
{
    pybind11::list dtypes;
    pybind11::list ranks;
    pybind11::list numbers;
    for (int32_t bit = 0; bit < 64; bit++) {
        if ((argument.dtypes >> bit & 1) != 0) {
            dtypes.append(pybind11::reinterpret_borrow<pybind11::object>(
                reinterpret_cast<PyObject *>(torch::getTHPDtype(static_cast<at::ScalarType>(bit)))));
        }
        if ((argument.ranks >> bit & 1) != 0) {
            ranks.append(bit);
        }
    }
    for (uint32_t i = 0; i < argument.num_numbers; i++) {
        numbers.append(limits_of_number(variant, argument.numbers[i]));
    }
    const bool is_tensor = std::string(argument.kind) == "tensor";
    pybind11::dict result;
    result["kind"] = argument.kind;
    result["optional"] = argument.may_be_null != 0;
    if (is_tensor) {
        result["dtypes"] = dtypes;
        result["ranks"] = ranks;
    }
    result[is_tensor ? "sizes" : "values"] = numbers;
    return result;
}

pybind11::list variants_of(const WgLimits &limits)
{
    pybind11::list result;
    for (uint32_t i = 0; i < limits.num_variants; i++) {
        const WgLimitVariant &variant = limits.variants[i];
        pybind11::dict arguments;
        for (uint32_t k = 0; k < variant.num_arguments; k++) {
            arguments[variant.arguments[k].name] = limits_of_argument(variant, variant.arguments[k]);
        }
        pybind11::dict row;
        row["name"] = variant.name;
        row["whole"] = variant.is_whole != 0;
        row["arguments"] = arguments;
        result.append(row);
    }
    return result;
}

} // namespace

const char wg_python_limits_doc[] =
    "limits($module, name, /)\n--\n\n"
    "What the graph or kernel `name` takes: a list with a dict for each of its variants, as wg_limits.h explains it.\n"
    "Ranges are (min, max, multiple), with None for no bound; `same` is the (argument, dimension) whose size it also "
    "has.";

PyObject *wg_python_limits(PyObject *module, PyObject *const *args, Py_ssize_t num_args)
{
    HANDLE_TH_ERRORS
    if (num_args != 1) {
        return PyErr_Format(PyExc_TypeError,
                            "limits() takes one argument, the name of a graph or kernel; %zd were given", num_args);
    }
    const char *name = PyUnicode_AsUTF8(args[0]);
    if (name == nullptr) {
        return nullptr;
    }
    for (const WgLimits *row = wg_python_state(module)->program.limits; row->name != nullptr; row++) {
        if (std::string(row->name) == name) {
            return variants_of(*row).release().ptr();
        }
    }
    return PyErr_Format(PyExc_ValueError, "no graph and no kernel is called '%s'", name);
    END_HANDLE_TH_ERRORS
}
