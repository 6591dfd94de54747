# SPDX-License-Identifier: MIT
"""The arguments of a call and what it left behind: values of storages, tensors as views of them, identity.

Values are taken of the inputs right before the call and of inputs and outputs right after it. Both number storages
in one table, so "shares a storage" is "has the same number". The text form is described in examples/demo/FORMAT.md.
"""

from dataclasses import dataclass, field

import torch

from .dtypes import dtype_name
from .errors import CaptureError

_INTEGERS = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool}
_FLOATS = {torch.float32, torch.float64}
_PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


@dataclass
class TensorRecord:
    """One tensor object."""

    storage: int
    dtype: torch.dtype
    size: tuple
    stride: tuple
    offset: int
    requires_grad: bool
    is_leaf: bool
    version: int


@dataclass
class StorageRecord:
    """A storage's content, as a flat tensor of one element type."""

    values: torch.Tensor


@dataclass
class Values:
    """Values (TensorRecord, int, float, bool, None) by name, and the storages that they use."""

    grad_mode: bool
    storages: dict = field(default_factory=dict)
    inputs: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    identical: dict = field(default_factory=dict)  # output name -> name of the input that it is


@dataclass
class Call:
    """One recorded call."""

    name: str
    before: Values
    after: Values
    backward: tuple | None = None  # Snapshots: tangents (as inputs), gradients (as outputs)


class StorageTable:
    """Numbers storages by first appearance. Keeps them alive, so that an address cannot be reused by another
    storage."""

    def __init__(self):
        self._numbers = {}
        self._alive = []

    def number(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            self._alive.append(storage)
        return self._numbers[key]

    def known(self):
        return set(self._numbers.values())


def check_recordable(name, value):
    """Refuses values that a storage with a strided geometry cannot represent."""
    if value is None or isinstance(value, (bool, int, float)):
        return
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        raise CaptureError(f"{name}: a value of type {type(value).__name__} is not captured yet")
    if value.layout != torch.strided:
        raise CaptureError(f"{name}: layout {value.layout} is not captured")
    if value.is_conj() or value.is_neg():
        raise CaptureError(f"{name}: a lazily conjugated or negated tensor is not captured")
    if value.device.type != "cpu":
        raise CaptureError(f"{name}: only data on the CPU is recorded, not {value.device}")


def take_snapshot(table, inputs, outputs=None):
    """`inputs` and `outputs` are lists of (name, value); without outputs it is the state before the call."""
    snapshot = Values(grad_mode=torch.is_grad_enabled())
    covered = {}
    before = table.known() if outputs is not None else None
    for group, values in ((snapshot.inputs, inputs), (snapshot.outputs, outputs or [])):
        for name, value in values:
            check_recordable(name, value)
            group[name] = value
            if isinstance(value, torch.Tensor):
                group[name] = record = _tensor_record(table, value)
                if record.storage not in snapshot.storages:
                    snapshot.storages[record.storage] = StorageRecord(_content(value))
                if before is not None and record.storage not in before:
                    _cover(snapshot.storages[record.storage].values, covered, record.storage, value)
    for number, mask in covered.items():
        # Elements that no tensor covers were never written: they would differ from run to run.
        snapshot.storages[number].values[~mask] = 0
    for number in covered:
        _count_from_lowest(snapshot, number)
    for name, value in outputs or []:
        for other, candidate in inputs:
            if value is candidate and isinstance(value, torch.Tensor):
                snapshot.identical[name] = other
    return snapshot


def _count_from_lowest(snapshot, number):
    """The number of writes of a compiled function to its own results is up to the function (Inductor's calls of ATen's
    out= variants count, its own kernels do not), so versions over a storage that the call made count from the lowest
    one there."""
    tensors = [value for group in (snapshot.inputs, snapshot.outputs) for value in group.values()]
    sharing = [value for value in tensors if isinstance(value, TensorRecord) and value.storage == number]
    lowest = min(value.version for value in sharing)
    for value in sharing:
        value.version -= lowest


def _tensor_record(table, tensor):
    return TensorRecord(
        storage=table.number(tensor),
        dtype=tensor.dtype,
        size=tuple(tensor.size()),
        stride=tuple(tensor.stride()),
        offset=tensor.storage_offset(),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        version=tensor._version,
    )


def _cover(values, covered, number, tensor):
    mask = covered.setdefault(number, torch.zeros(values.numel(), dtype=torch.bool))
    scale = tensor.element_size() / values.element_size()
    if scale != 1:
        mask.fill_(True)
    elif tensor.numel():
        mask.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset()).fill_(True)


def _content(tensor):
    """The whole storage, as elements of the tensor's dtype (complex ones in two parts) if the text form has that type,
    else as bytes."""
    storage = tensor.untyped_storage()
    dtype = _PARTS.get(tensor.dtype, tensor.dtype)
    dtype = dtype if dtype in _INTEGERS | _FLOATS else torch.uint8
    if storage.nbytes() % dtype.itemsize:
        dtype = torch.uint8
    with torch.no_grad():
        return torch.empty(0, dtype=dtype).set_(storage).clone()


def rebuild(snapshot):
    """New tensors with the inputs' values, geometry, aliasing and requires_grad; a dict by name. Used to run the
    program again without compilation, from the same start."""
    storages = {number: record.values.clone().untyped_storage() for number, record in snapshot.storages.items()}
    result = {}
    for name, record in snapshot.inputs.items():
        if not isinstance(record, TensorRecord):
            result[name] = record
            continue
        with torch.no_grad():
            tensor = torch.empty(0, dtype=record.dtype)
            tensor.set_(storages[record.storage], record.offset, record.size, record.stride)
        result[name] = tensor.requires_grad_(record.requires_grad)
    return result


def storage_text(values):
    """Values as words: hexadecimal floats, decimal integers."""
    if values.dtype in _FLOATS:
        return [_float_text(value) for value in values.tolist()]
    return [str(int(value)) for value in values.tolist()]


def _float_text(value):
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    mantissa, exponent = value.hex().split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}p{exponent}"


def call_text(call, tolerance_of):
    """The lines of one call. `tolerance_of(snapshot, storage, prefix)` returns None (exact) or (relative, absolute) for
    a storage; names of gradients begin with the prefix."""
    lines = [f"call {call.name}", "before", f"grad_mode {_on(call.before.grad_mode)}"]
    lines += _snapshot_text(call.before, lambda number: None, with_rule=False)
    lines += ["after", f"grad_mode {_on(call.after.grad_mode)}"]
    lines += _snapshot_text(call.after, lambda number: tolerance_of(call.after, number), with_rule=True)
    if call.backward is not None:
        tangents, gradients = call.backward
        lines += ["tangents", f"grad_mode {_on(tangents.grad_mode)}"]
        lines += _snapshot_text(tangents, lambda number: None, with_rule=False)
        lines += ["gradients", f"grad_mode {_on(gradients.grad_mode)}"]
        lines += _snapshot_text(gradients, lambda number: tolerance_of(gradients, number, "grad_"), with_rule=True)
    return lines + ["end"]


def _snapshot_text(snapshot, tolerance, with_rule):
    lines = []
    for number, record in sorted(snapshot.storages.items()):
        values = record.values
        rule = ""
        if with_rule:
            limits = tolerance(number)
            rule = " exact" if limits is None else f" tolerance {limits[0]:g} {limits[1]:g}"
        lines.append(f"storage {number} {dtype_name(values.dtype, f'storage {number}')} {values.numel()}{rule}")
        words = storage_text(values)
        lines += ["  " + " ".join(words[start : start + 8]) for start in range(0, len(words), 8)]
    for name, value in snapshot.inputs.items():
        lines.append(f"input {name} {_value_text(value)}")
    for name, value in snapshot.outputs.items():
        same = f" is {snapshot.identical[name]}" if name in snapshot.identical else ""
        lines.append(f"output {name} {_value_text(value)}{same}")
    return lines


def _value_text(value):
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"bool {int(value)}"
    if isinstance(value, int):
        return f"int {value}"
    if isinstance(value, float):
        return f"float {_float_text(value)}"
    dtype = dtype_name(value.dtype, "tensor")
    size = ",".join(map(str, value.size))
    stride = ",".join(map(str, value.stride))
    return (
        f"tensor {value.storage} {dtype} [{size}] [{stride}] {value.offset} "
        f"requires_grad {int(value.requires_grad)} leaf {int(value.is_leaf)} version {value.version}"
    )


def _on(flag):
    return "on" if flag else "off"
