# SPDX-License-Identifier: MIT
"""The recorded calls as the text that examples/demo/FORMAT.md describes."""

from .errors import CaptureError
from .call_record import TensorRecord, call_text


def to_data(case, captured, header):
    lines = [f"# {line}".rstrip() for line in header] + ["wrapgen-data 1", f"graph {case.name}"]
    known = {*captured.input_names, *captured.output_names, *(f"grad_{name}" for name in captured.input_names)}
    for name in sorted(set(case.tolerance) - known):
        raise CaptureError(f"{case.name}: tolerance for '{name}', which is not an input or output")
    for call in captured.calls:
        lines += call_text(call, lambda snapshot, number, prefix="": storage_rule(case, snapshot, number, prefix))
    return "\n".join(lines) + "\n"


def storage_rule(case, snapshot, number, prefix=""):
    """The tolerance of a storage: that of its tensors, which must agree (or not be named)."""
    rules = set()
    for name, value in {**snapshot.inputs, **snapshot.outputs}.items():
        if isinstance(value, TensorRecord) and value.storage == number and prefix + name in case.tolerance:
            rules.add(case.tolerance[prefix + name])
    if len(rules) > 1:
        raise CaptureError(f"{case.name}: tensors of one storage have different tolerances")
    return rules.pop() if rules else None
