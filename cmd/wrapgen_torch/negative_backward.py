# SPDX-License-Identifier: MIT
"""Backward calls that must be refused (negative.py): wrong tangents, saved values that are no longer what they were, and gradients
that the compiled backward does not return."""

import torch

from .blank import Blank
from .negative_facts import NotPlain
from .returned import names_of_returns


_SAVED = ("tensors", "tensors_no_version_check", "opaque", "symints")  # the last values that the forward returns, in this order


def wrong_backwards(program, seen, forward):
    """(what is wrong, words of the error, the call); `forward` gives a call whose backward has not run, and what its compiled
    function returned."""
    if not seen.tangents or not program.gradients:
        return  # there was no backward, or none that ended well
    graph = program.document["graphs"][0]

    def backward(tangents=None, gradients=None, between=lambda call, returned: None):
        tangents = [blank.make() for blank in seen.tangents] if tangents is None else tangents
        gradients = [blank.make() for blank in program.gradients] if gradients is None else gradients
        call, returned = forward()
        with program.pretending(backward=gradients):
            between(call, returned)
            call.enter_backward(tangents)

    yield "a backward with nothing wrong", None, backward
    for what, words, tangents in _wrong_tangents(program, seen.tangents):
        if not program.can_enter(tangents):
            continue
        yield what, words, lambda tangents=tangents: backward(tangents=tangents)
    for what, words, gradients in _wrong_gradients(graph, program.gradients):
        yield what, words, lambda gradients=gradients: backward(gradients=gradients)
    first = len(seen.returned) - sum(graph["saved"].get(key, 0) for key in _SAVED)
    for position in range(graph["saved"]["tensors"]):
        what = f"saved tensor {position}, changed before the backward"
        yield what, program.words_of_version(position), lambda position=position: backward(
            between=lambda _, returned: torch.autograd.graph.increment_version(returned[first + position])
        )
    if graph["backward"].get("deterministic") is False:
        yield "a backward in deterministic mode", ("WG_E_MODE",), lambda: _in_deterministic_mode(backward)
    if graph["saved"].get("donated"):
        good = [blank.make() for blank in seen.tangents]
        yield "a second backward of donated buffers", ("WG_E_SPENT",), lambda: backward(
            between=lambda call, _: call.enter_backward(good)
        )


def _in_deterministic_mode(call):
    torch.use_deterministic_algorithms(True)
    try:
        call()
    finally:
        torch.use_deterministic_algorithms(False)


def _wrong_tangents(program, blanks):
    names = names_of_returns(program)
    graph = program.document["graphs"][0]

    def but(position, value):
        return [value if i == position else blank.make() for i, blank in enumerate(blanks)]

    yield "a missing tangent", ("WG_E_COUNT",), [blank.make() for blank in blanks[:-1]]
    for entry in graph["backward"]["tangents"]:
        name = entry["of"]
        position = names.index(name)
        value = blanks[position].make()
        if entry.get("kept", True) and not _gets_zeros(graph, entry, value):
            yield f"no tangent of '{name}'", (f"'{name}'",), but(position, None)
        if value is None:
            continue
        if "subclass" in entry:
            plain = Blank.of(value).plain()
            yield f"a plain tangent of '{name}', which is a subclass", (f"'{name}'", "WG_E_TYPE"), but(position, plain)
        wrong = NotPlain.of(Blank.of(Blank.of(value).plain()))
        yield f"a tangent of '{name}' of another subclass", (f"'{name}'", "WG_E_TYPE"), but(position, wrong)


def _gets_zeros(graph, entry, value):
    """Can zeros take its place? The wrapper makes them where a size is stated, the host for a jagged tensor."""
    if "subclass" in entry:
        return value is not None and value.is_nested
    groups = ("inputs", "outputs", "intermediate_bases")
    entries = [one for group in groups for one in graph.get(group, []) if isinstance(one, dict)]
    return "size" in entry or any(one["name"] == entry["of"] and "size" in one for one in entries)


def _wrong_gradients(graph, blanks):
    entries = graph["backward"]["grad_inputs"]
    has_subclasses = any("subclass" in entry for entry in entries)
    few = [] if has_subclasses else blanks[:-1]  # as in negative.py
    if blanks:
        yield f"{len(few)} gradients", ("WG_E_OUTPUTS",), [blank.make() for blank in few]
    if has_subclasses:
        return  # the positions are those of their parts
    for position, entry in enumerate(entries):
        if entry.get("kind") != "none" and blanks[position].is_tensor:
            values = [None if i == position else blank.make() for i, blank in enumerate(blanks)]
            yield f"no gradient of '{entry['of']}'", (f"'{entry['of']}'", "WG_E_RESULT"), values
