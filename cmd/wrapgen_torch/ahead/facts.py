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
_SHOWN = 3


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
    return [_text((key[0], *_narrowest(key[1], mine.get(key), theirs.get(key))), labels) for key in keys]


def _narrowest(key, mine, theirs):
    """A tree of a subclass is long, so the first part of it that differs stands for it."""
    return _narrowed(key, mine, theirs) if key in _TREES else (key, mine, theirs)


def _narrowed(key, mine, theirs):
    """(key, mine, theirs), or the first part in which two values differ that are built alike."""
    if isinstance(mine, dict) and isinstance(theirs, dict) and mine.keys() == theirs.keys():
        parts = [(name, mine[name], theirs[name]) for name in mine]
    elif isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs) and any(isinstance(one, dict) for one in mine):
        parts = [(one.get("attr", number) if isinstance(one, dict) else number, one, theirs[number]) for number, one in enumerate(mine)]
    else:
        return key, mine, theirs
    name, one, other = next((name, one, other) for name, one, other in parts if one != other)
    return _narrowed(f"{key}.{name}", one, other)


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
    return f"{what}{of} is {_value(mine)}, and {_value(theirs)} was built"


def _value(value):
    if value is None:
        return "not stated"
    text = value if isinstance(value, str) else json.dumps(value).replace('"', "")
    return text if len(text) <= 80 else text[:77] + "..."


def nearest(facts, entries, labels):
    """Why none of `entries`, which have .facts, is of `facts`: what differs from the one that is most like it."""
    lists = [differences(facts, entry.facts, labels) for entry in entries]
    best = min(lists, key=len)
    more = f"; {len(best) - _SHOWN} more differ" if len(best) > _SHOWN else ""
    return "; ".join(best[:_SHOWN]) + more
