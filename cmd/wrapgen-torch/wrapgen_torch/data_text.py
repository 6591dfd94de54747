# SPDX-License-Identifier: MIT
"""The recorded calls as the text that examples/demo/FORMAT.md describes."""

from .errors import CaptureError
from .record import TensorRecord, call_text


def to_data(case, captured, header):
    lines = [f"# {line}".rstrip() for line in header] + ["wrapgen-data 1", f"graph {case.name}"]
    unknown = set(case.tolerance) - set(captured.input_names) - set(captured.output_names)
    if unknown:
        raise CaptureError(f"{case.name}: tolerance for '{sorted(unknown)[0]}', which is no input or output")
    for call in captured.calls:
        lines += call_text(call, lambda recorded, number: _rule(case, recorded, number))
    return "\n".join(lines) + "\n"


def _rule(case, call, number):
    """The tolerance of a storage: that of the tensors in it, which must agree (or not be named)."""
    rules = set()
    for name, value in {**call.after.inputs, **call.after.outputs}.items():
        if isinstance(value, TensorRecord) and value.storage == number and name in case.tolerance:
            rules.add(case.tolerance[name])
    if len(rules) > 1:
        raise CaptureError(f"{case.name}: tensors of one storage have different tolerances")
    return rules.pop() if rules else None
