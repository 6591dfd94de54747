# SPDX-License-Identifier: MIT
"""The facts that a wrapper is made from, in one form for one graph: their hash finds what was built, and their difference
says what is missing.

They are the document that wrapgen gets. Values are named by their positions in it, so the program's names do not count, and
neither do comments or the order in which PyTorch came upon its guards. Types and contexts of subclasses are named there and
bound when a wrapper is loaded, so what they stand for does not count either, only which of them are the same.
"""

import hashlib
import json

from ..yaml_text import Comment

_ENTRIES = ("inputs", "outputs", "intermediate_bases")
_TREES = ("subclass", "updated")
_FOLLOWING = ("saved", "backward")  # what follows from the other facts, and is said after them
_SHOWN = 3  # differences of a graph
_LONGEST = 80  # characters of a value
_BEFORE = 20  # characters before what differs in one that is longer


def facts_of(document):
    """The document as JSON would give it back."""
    facts = json.loads(json.dumps(_plain(document)))
    for graph in facts["graphs"]:
        if "guards" in graph:
            graph["guards"] = sorted(graph["guards"])
    return facts


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value if not isinstance(inner, Comment)]
    return value


def digest_of(facts):
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def differences(wanted, built, labels):
    """Texts: what `wanted` says and `built` does not, with the program's names from `labels`; empty if they are the same."""
    mine, theirs = _flat(wanted), _flat(built)
    keys = [key for key in mine if mine[key] != theirs.get(key)] + [key for key in theirs if key not in mine]
    keys.sort(key=lambda key: key[0] == "graph" and key[1] in _FOLLOWING)
    return [_text((key[0], *_narrowest(key[1], mine.get(key), theirs.get(key))), labels) for key in keys]


def _narrowest(key, mine, theirs):
    """The value, or the first part of it that differs: of what is long, and of a tree of a subclass."""
    if key not in _TREES and max(len(_said(mine)), len(_said(theirs))) <= _LONGEST:
        return key, mine, theirs
    return _narrowed(key, mine, theirs)


def _narrowed(key, mine, theirs):
    """(key, mine, theirs), or the first part in which two values of one kind differ."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        name = next(name for name in [*mine, *theirs] if mine.get(name) != theirs.get(name))
        return _narrowed(f"{key}.{name}", mine.get(name), theirs.get(name))
    if isinstance(mine, list) and isinstance(theirs, list):
        return _narrowed_list(key, mine, theirs)
    return key, mine, theirs


def _narrowed_list(key, mine, theirs):
    """Lists of one length differ in an element; others in what is between their equal beginnings and ends, as Python writes that slice."""
    if len(mine) == len(theirs):
        number, one, other = next((n, *pair) for n, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1])
        within = isinstance(one, (dict, list)) and type(one) is type(other)
        if not within and max(len(_said(mine)), len(_said(theirs))) <= _LONGEST:
            return key, mine, theirs
        return _narrowed(f"{key}.{one.get('attr', number) if isinstance(one, dict) else number}", one, other)
    first = _common(mine, theirs)
    last = _common(mine[first:][::-1], theirs[first:][::-1])
    return f"{key}[{first}:]" if first else key, mine[first : len(mine) - last], theirs[first : len(theirs) - last]


def _common(mine, theirs):
    """How many elements two sequences begin with alike."""
    return next((n for n, (one, other) in enumerate(zip(mine, theirs)) if one != other), min(len(mine), len(theirs)))  # noqa: B905


def _flat(facts):
    """(where, key) -> value, in the order in which they matter to a reader."""
    (graph,) = facts["graphs"]
    result = {("graph", "mode"): graph["mode"]}
    for group in _ENTRIES:
        result["graph", f"number of {group.replace('_', ' ')}"] = len(graph.get(group, ()))
        for entry in graph.get(group, ()):
            result |= {(entry["name"], key): value for key, value in entry.items() if key != "name"}
    result |= {("graph", key): value for key, value in graph.items() if key not in _ENTRIES and key != "expect"}
    result |= {("symbol", entry["name"]): entry for entry in facts.get("symbols", ())}
    result |= {("subclass", entry["name"]): entry for entry in facts.get("subclasses", ())}
    result |= {("graph", f"expect.{key}"): value for key, value in graph.get("expect", {}).items()}
    return result


def _text(difference, labels):
    place, key, mine, theirs = difference
    of = f" of {labels.get(place, place)}" if place not in ("graph", "symbol", "subclass") else ""
    what = f"{place} {key}" if place in ("symbol", "subclass") else key
    one, other = _said(mine, theirs), _said(theirs, mine)
    mine, theirs = (one, other) if one != other else (json.dumps(mine), json.dumps(theirs))  # 1 and "1"
    first = max(_common(mine, theirs) - _BEFORE, 0)
    return f"{what}{of} is {_cut(mine, first)}, and {_cut(theirs, first)} was built"


def _said(value, other=None):
    if value is None:  # and of a truth the other one, since they differ
        return json.dumps(not other) if isinstance(other, bool) else "not stated"
    return value if isinstance(value, str) else json.dumps(value).replace('"', "")


def _cut(text, first):
    """What is too long from character `first` on."""
    if len(text) <= _LONGEST:
        return text
    return f"{'...' if first else ''}{text[first : first + _LONGEST]}{'...' if first + _LONGEST < len(text) else ''}"


def nearest(facts, entries, labels):
    """Why none of `entries`, which have .facts, is of `facts`: what differs from the one that is most like it."""
    lists = [differences(facts, entry.facts, labels) for entry in entries]
    best = min(lists, key=len)
    more = f"; {len(best) - _SHOWN} more differ" if len(best) > _SHOWN else ""
    return "; ".join(best[:_SHOWN]) + more
