# SPDX-License-Identifier: MIT
"""Writes a captured document as YAML for people: an entry on one line if it fits, else one key per line.

The input is dicts, lists, strings, numbers, booleans and None. Strings are names, expressions or words of the format, which need quotes
only inside flow collections; where they need quotes they get them. A Comment in a list is on a separate line.
"""

import re

WIDTH = 118
SCHEMA = "graph.schema.json"  # what a description is called for editors, where it is next to what it describes


def schema_line(path=SCHEMA):
    """The first comment of a description, by which editors find its schema."""
    return f"yaml-language-server: $schema={path}"


class Comment(str):
    """A line of text instead of an entry."""


def to_yaml(document, header):
    lines = [f"# {line}".rstrip() for line in header]
    for key, value in document.items():
        lines += _field(key, value, 0)
    return "\n".join(lines) + "\n"


def _field(key, value, indent):
    pad = " " * indent
    flow = f"{pad}{key}: {_flow(value)}"
    if _is_block(value):
        lines = [f"{pad}{key}:"]
        for entry in value:
            lines += _entry(entry, indent + 2)
        return lines
    if isinstance(value, dict) and (len(flow) > WIDTH or _holds_entries(value)):
        lines = [f"{pad}{key}:"]
        for inner_key, inner in value.items():
            lines += _field(inner_key, inner, indent + 2)
        return lines
    return [flow]


def _entry(entry, indent):
    pad = " " * indent
    if isinstance(entry, Comment):
        return [f"{pad}# {entry}"]
    flow = f"{pad}- {_flow(entry)}"
    if not isinstance(entry, dict) or (len(flow) <= WIDTH and not _holds_entries(entry)):
        return [flow]
    lines = []
    for key, value in entry.items():
        lines += _field(key, value, indent + 2)
    lines[0] = pad + "- " + lines[0][indent + 2 :]
    return lines


def _is_block(value):
    """A list of mappings is written one per line if it is the graph's own list; short ones (view sequences) stay in
    flow."""
    if not isinstance(value, list) or not any(isinstance(entry, (dict, Comment)) for entry in value):
        return False
    short = all(isinstance(entry, dict) and "op" in entry for entry in value)
    return not (short and len(_flow(value)) <= WIDTH - 16)


def _holds_entries(mapping):
    return any(_is_block(value) for value in mapping.values())


def _flow(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(inner) for inner in value) + "]"
    return value if re.fullmatch(r"[A-Za-z0-9_(][A-Za-z0-9_.+*/() -]*", value) else "'" + value.replace("'", "''") + "'"
