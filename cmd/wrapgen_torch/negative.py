# SPDX-License-Identifier: MIT
"""Calls that a wrapper must refuse: those of a good call, with one stated fact made wrong: of an argument, of a value that the
compiled function returns, of a tangent.

The stated facts are read from the YAML; a wrapper that accepts such a call, lets PyTorch raise instead of returning its own
error, or names something else in it, has lost a guard. Compiled functions do not run here: they return zeros like the values of
the good call, and with nothing wrong those must be accepted.
"""

import math
import struct

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from .blank import Blank
from .errors import WrapperError
from .negative_backward import wrong_backwards
from .negative_facts import NotPlain, input_words, result_words, wrong_facts
from .negative_guards import calls_that_break_guards
from .returned import flat_returns, owners_returned, returned_values, where_they_lie


def unnoticed(program, around):
    """The calls that the built `program` does not refuse, as lines. Called after good calls; `around` makes the context manager
    that they were in."""
    if program.last is None:
        return []
    lines = []
    for what, words, attempt in _attempts(program):
        with around():
            line = _told(words, attempt)
        lines += [f"{what} {line}"] if line else []
    return lines


def _told(words, attempt):
    """What is wrong with the outcome; None if nothing is. `words` are those of the error, or None for no error."""
    try:
        attempt()
    except WrapperError as error:
        if words is None:
            return f"is refused: {error}"
        wanted = all(word in str(error) for word in words)
        return None if wanted else f"is refused with a different error: {error}"
    except Exception as problem:  # noqa: BLE001 - PyTorch's own error is the finding
        return f"ends in an exception: {type(problem).__name__}: {str(problem).splitlines()[:1]}"
    return "goes unnoticed" if words is not None else None


def _attempts(program):
    """(what is wrong, words of the error, the call)"""
    seen = program.last

    def call(args=None, returned=None):
        values = [blank.make() for blank in seen.returned] if returned is None else returned
        args = as_they_came(program) if args is None else args
        values = where_they_lie(program, values, args)
        with program.pretending(forward=values):
            return program.start(args)[0], values

    for what, words, args in _wrong_arguments(program, as_they_came(program)):
        yield what, words, lambda args=args: call(args=args)
    for what, words, args in calls_that_break_guards(program.document, as_they_came(program)):
        yield what, words, lambda args=args: call(args=args)
    yield "a call with nothing wrong", None, call
    if program.document["graphs"][0].get("check") == "full":
        for what, words, args in _shared_memory(program, as_they_came(program)):
            yield what, words, lambda args=args: call(args=args)
    for what, words, returned in _wrong_returns(program, seen.returned):
        yield what, words, lambda returned=returned: call(returned=returned)
    yield from wrong_backwards(program, seen, call)


def as_they_came(program):
    """The arguments of the last call. One whose geometry it changed is replaced by another with the old one; if it is merged with
    others, over the storage that they share."""
    seen = program.last
    merged = {position for group in program.traced.groups for position in group}
    fresh = {}
    for position, (value, blank) in enumerate(zip(seen.args, seen.before, strict=True)):
        if not blank.is_like(value):
            fresh.setdefault(id(value), blank.over(value) if position in merged else _of_its_own(blank, value))
    return [fresh.get(id(value), value) for value in seen.args]


def _of_its_own(blank, value):
    """A tensor like the blank; a result of an operation that has a gradient, if `value` is one."""
    if not value.requires_grad or value.is_leaf:
        return blank.make().requires_grad_(value.requires_grad)
    return _Made.apply(torch.zeros((), requires_grad=True), blank)


class _Made(torch.autograd.Function):
    @staticmethod
    def forward(_, leaf, blank):
        return blank.make()

    @staticmethod
    def backward(_, gradient):
        return torch.zeros(()), None


# ---- arguments ----


def _wrong_arguments(program, args):
    graph = program.document["graphs"][0]
    entries = graph["inputs"]
    if args:
        yield "a missing argument", ("WG_E_COUNT",), args[:-1]
    yield "one argument too many", ("WG_E_COUNT",), [*args, args[-1] if args else None]
    known = _sizes_that_are_known(entries)
    told = set()  # nested ints that an earlier argument has told
    for position, (entry, value, blank) in enumerate(zip(entries, args, program.last.before, strict=True)):
        if any(other is value for other in args[:position] if isinstance(value, torch.Tensor)):
            continue  # a duplicate: the only test is that it is one
        for what, words, wrong in [*_wrong_values(entry, value, blank, known), *_wrong_owners(entry, value, blank, told)]:
            changed = [wrong if other is value and isinstance(value, torch.Tensor) else other for other in args]
            changed[position] = wrong
            yield f"'{entry['name']}': {what}", (f"'{entry['name']}", *words), changed
        told |= {entry["value"]} if "value" in entry else set(_owned(entry))
    for entry in graph.get("duplicates", []):
        yield _with_own_storage(program, args, entry["input"], f"'{entry['input']}'")
    for group in graph.get("synthetic_bases", []):
        for name in group["members"]:
            yield _with_own_storage(program, args, name)


def _with_own_storage(program, args, name, *words):
    position = program.described.input_names.index(name)
    value = program.last.before[position].make()
    what = f"'{name}': an equal tensor in a storage of its own"
    return what, ("WG_E_IDENTITY", *words), [*args[:position], value, *args[position + 1 :]]


def _shared_memory(program, args):
    """Pairs of inputs, one of them mutated, that begin in the last element of the other, and right after it."""
    graph = program.document["graphs"][0]
    merged = {name for group in graph.get("synthetic_bases", []) for name in group["members"]}
    twins = {name for pair in graph.get("duplicates", []) for name in pair.values()}
    usual = [(position, entry, blank) for position, (entry, blank) in enumerate(zip(graph["inputs"], program.last.before, strict=True))
             if blank.is_tensor and 0 not in blank.size and entry["name"] not in merged | twins]  # fmt: skip
    for i, entry, blank in usual:
        for j, other, tail in usual:
            if i == j or not (entry.get("mutates_data") or other.get("mutates_data")):
                continue
            first, second = blank.but(offset=0), tail.but(offset=0)
            end = first.num_bytes() - 1
            named = entry if entry.get("mutates_data") and (i < j or not other.get("mutates_data")) else other
            refused, last = (f"'{named['name']}'", "WG_E_OVERLAP"), end // tail.dtype.itemsize
            for what, words, offset in (("in the last element of", refused, last), ("right after", None, last + 1)):
                shared = torch.zeros(first.num_bytes() + second.num_bytes() + tail.dtype.itemsize, dtype=torch.uint8)
                changed = list(args)
                changed[i], changed[j] = first.over(shared), second.but(offset=offset).over(shared)
                yield f"'{other['name']}', which begins {what} '{entry['name']}',", words, changed


def _sizes_that_are_known(entries):
    """(name, dimension) of symbolic sizes that an earlier dimension has bound, and of numbers."""
    seen, result = set(), set()
    for entry in entries:
        for dimension, size in enumerate(entry.get("size", ())):
            if isinstance(size, int) or size in seen:
                result.add((entry["name"], dimension))
            seen.add(size)
    return result


def _wrong_values(entry, value, blank, known):
    if entry.get("kind") == "int" and isinstance(entry["value"], int):
        yield "another number", ("WG_E_VALUE",), value + 1
    if entry.get("kind") == "none":
        yield "a tensor for None", ("WG_E_VALUE",), torch.ones(2)
    if entry.get("kind") == "bool" and "value" in entry:
        yield "the other bool", ("WG_E_VALUE",), not value
    if entry.get("kind") == "float" and "value" in entry:
        for other in (-value, math.nextafter(value, 9.0), 9.5, math.nan):
            if struct.pack("d", other) != struct.pack("d", value) and not (math.isnan(other) and math.isnan(value)):
                yield f"{other!r} for {value!r}", ("WG_E_VALUE", f"expected {value!r}, found {other!r}"), other
    if not isinstance(value, torch.Tensor) or ("dtype" not in entry and "subclass" not in entry):
        return
    yield "null", ("WG_E_NULL",), None
    if is_traceable_wrapper_subclass(value):
        yield "a plain tensor for a subclass", ("WG_E_TYPE",), blank.plain()
        yield from _wrong_attributes(entry["subclass"], value)
        return
    if not blank.is_tensor:
        return
    yield "a subclass", ("WG_E_TYPE",), NotPlain.of(blank)
    for fact, wrong in wrong_facts(entry, blank, lazy=True):
        # A size or stride that binds a symbol is right, whatever it is.
        if fact[0] == "size" and (entry["name"], fact[1]) not in known:
            continue
        if fact[0] == "stride" and not isinstance(entry["stride"][fact[1]], int):
            continue
        yield f"another {' '.join(map(str, fact))}", input_words(fact), wrong.make()


def _wrong_attributes(tree, value):
    """A subclass like `value`, but for one fact of one plain attribute."""
    for entry in tree["inner"]:
        blank = Blank.of(getattr(value, entry["attr"]))
        if "size" not in entry or not blank.is_tensor:
            continue
        facts = [(f"another {' '.join(map(str, fact))}", wrong.make()) for fact, wrong in wrong_facts(entry, blank, lazy=True)
                 if len(fact) == 1 or isinstance(entry[fact[0]][fact[1]], int)]  # fmt: skip
        for what, wrong in [("null", None), *facts]:
            fresh = _with_attribute(value, entry["attr"], wrong)
            there = entry["attr"] in fresh.__tensor_flatten__()[0]  # else it is of another type without it
            yield f"{what} in '{entry['attr']}'", (entry["attr"] if there else "WG_E_TYPE",), fresh


def _with_attribute(value, name, attribute):
    """A subclass like `value` with another attribute; the rest of it is the same."""
    names, context = value.__tensor_flatten__()
    attributes = {other: getattr(value, other) for other in names}
    fresh = type(value).__tensor_unflatten__(attributes, context, value.size(), value.stride())
    setattr(fresh, name, attribute)
    return fresh


def _owned(entry):
    """The nested ints that an argument, or a subclass in it, owns."""
    yield from [entry["owns"]] if "owns" in entry else []
    for inner in [*entry.get("inner", ()), *([entry["subclass"]] if "subclass" in entry else [])]:
        yield from _owned(inner)


def _wrong_owners(entry, value, blank, told):
    """An equal tensor that is not the owner which an earlier argument has told."""
    if "subclass" not in entry and entry.get("owns") in told:
        yield "an equal tensor that owns another ragged size", ("WG_E_IDENTITY",), blank.but(nested=None).make()
    for inner in entry.get("subclass", {}).get("inner", ()):
        if inner.get("owns") in told:
            wrong = Blank.of(getattr(value, inner["attr"])).but(nested=None).make()
            what = f"an equal '{inner['attr']}' that owns another ragged size"
            yield what, (inner["attr"], "WG_E_IDENTITY"), _with_attribute(value, inner["attr"], wrong)


# ---- what the compiled function returns ----


def _sizes_that_define(document):
    """(result, dimension) of sizes that only the result tells: the first that are just an unbacked symbol, which may be
    any number."""
    unknown = {symbol["name"] for symbol in document.get("symbols", ()) if symbol.get("unbacked")}
    graph = document["graphs"][0]
    result = set()
    for entry in [*graph["outputs"], *graph.get("intermediate_bases", ())]:
        if not isinstance(entry, dict) or entry.get("type") == "is_input":
            continue
        for dimension, size in enumerate([entry["value"]] if "value" in entry else entry.get("size", ())):
            if size in unknown:
                unknown.remove(size)
                result.add((entry["name"], dimension))
    return result


def _wrong_returns(program, blanks):
    def but(position, value):
        return [value if i == position else blank.make() for i, blank in enumerate(blanks)]

    # With subclasses, one value fewer may be the right number: symbolic sizes need not be returned.
    few = [] if program.described.subclasses.types else blanks[:-1]
    if blanks:
        yield f"{len(few)} returned values", ("WG_E_OUTPUTS",), [blank.make() for blank in few]
    free = _sizes_that_define(program.document)
    for name, entry, position in returned_values(program):
        blank = blanks[position]
        if not blank.is_tensor:
            continue
        if entry is not None and not _is_read(entry):
            continue
        yield f"null returned for '{name}'", (f"'{name}'", "WG_E_RESULT"), but(position, None)
        if entry is None:
            continue  # an updated input: what is stated about it is about the argument
        yield f"a subclass returned for '{name}'", (f"'{name}'", "WG_E_RESULT"), but(position, NotPlain.of(blank))
        for fact, wrong in wrong_facts(entry, blank):
            if fact[0] == "size" and (name, fact[1]) in free:
                continue
            what = f"another {' '.join(map(str, fact))} returned for '{name}'"
            yield what, (f"'{name}'", *result_words(fact)), but(position, wrong.make())
    owners = set(owners_returned(program, fresh=False))
    for name, position in flat_returns(program):
        if blanks[position].is_tensor:
            yield f"null returned for a part of '{name}'", (f"'{name}", "WG_E_RESULT"), but(position, None)
        if position in owners:
            what = f"a copy returned for the owner of the ragged size of '{name}'"
            yield what, (f"'{name}", "(owner)", "WG_E_RESULT"), but(position, blanks[position].but(nested=None).make())


def _is_read(entry):
    """Of an output that is its input, or a replayed view, the returned tensor is only counted."""
    return entry.get("type") != "is_input" and "view" not in entry and "dtype" in entry
