# SPDX-License-Identifier: MIT
"""Dynamo's guards, read from the tree that Dynamo prints: one line a guard. This is the only reader of the
tree; what a single guard says is taken apart where it is used.

choice.py makes conditions of kernels of what is read, ahead/guards.py makes tests of it that run without Dynamo."""

import ast
import re
from dataclasses import dataclass

_PLACE = r"[LG](?:\[[^\[\]()]+\]|\.\w+)+"
_LINE = re.compile(r"[| ]*\+- (\w+)(?:: )?(.*?)(?:  +# .*)?")
_WITHOUT_TEST = {"RootGuardManager", "GuardManager", "KeyValueManager", "KeyManager", "ValueManager"}
_OF_TWO = "OBJECT_ALIASING"  # printed at both places, and said at the first one alone
_OF_SEVERAL = {"NO_TENSOR_ALIASING", "STORAGE_OVERLAPPING"}  # the same, at all of theirs
_OF_DICT = "DictGuardManager"  # where a dict's keys are looked at in their order, its manager tests type and length, and no guard says so

SIZE = re.compile(rf"({_PLACE})\.size\(\)\[(\d+)\]")
_PROPERTY = r"\.(?:size|stride|storage_offset)\(\)"
_OVER_SYMBOLS = re.compile(_PROPERTY)
_READ = re.compile(rf"([LG](?:\[[^\[\]()]+\]|\.(?!\w+\(\))\w+)+)({_PROPERTY}(?:\[\d+\])?)?")
_OPERATORS = {"and", "or", "not", "Max", "Min", "Mod", "PythonMod", "FloorDiv"}

# What each kind says, in parts: `source` is where what is tested is, in Dynamo's words.
_FORMS = {
    kind: re.compile(form)
    for kinds, form in {
        "TENSOR_MATCH": r"check_tensor\((?P<source>.*), (?P<type>[\w.<>]+), DispatchKeySet\((?P<keys>.*?)\), torch\.(?P<dtype>\w+), device=(?P<device>.*?), "
        r"requires_grad=(?P<requires_grad>\w+), size=(?P<size>\[.*?\]), stride=(?P<stride>\[.*?\])\)",
        "TYPE_MATCH": r"___check_type_id\((?P<source>.*), \d+\), type=<class '(?P<type>[^']*)'>(?: \(HINT: .*\))?",
        "ID_MATCH": r"___check_obj_id\((?P<source>.*), \d+\), type=<class '(?P<type>.*)'>",
        "EQUALS_MATCH": r"(?P<source>.*?) == (?P<value>.*)",
        "FLOAT_IS_NAN COMPLEX_IS_NAN": r"\(type\((?P<source>.*)\) is (?:float|complex) and __(?:math|numpy)_isnan\((?P=source)\)\)",
        "TRUE_MATCH": r"(?P<source>.*) == (?P<value>True)",
        "FALSE_MATCH": r"(?P<source>.*) == (?P<value>False)",
        "NONE_MATCH": r"(?P<source>.*) is (?P<value>None)",
        "NOT_NONE": r"(?P<source>.*) is not None",
        "LENGTH_CHECK DICT_LENGTH": r"len\((?P<source>.*)\) == (?P<length>\d+)|not (?P<empty>.*)",
        "DICT_VERSION": r"___dict_version\((?P<source>.*)\) == \d+",
        "DICT_CONTAINS": r"(?P<absent>not )?___dict_contains\((?P<key>.*?), (?P<source>.*)\)",
        "SET_CONTAINS SET_NOT_CONTAINS": r"(?P<absent>not )?set\.__contains__\((?P<source>.*), (?P<key>.*)\)",
        "HASATTR NO_HASATTR": r"(?P<absent>not )?hasattr\((?P<source>.*), '(?P<key>\w+)'\)",
        "DIMENSION_DYNAMIC_MARKING_GUARD": rf".*?(?P<source>{_PLACE})(?:, '|\.)_dynamo_\w*indices.*",
        "LAMBDA_GUARD SYMBOLIC_SHAPE_GUARD": rf"(?P<source>{_PLACE}) == (?P<value>.+)",  # if it is about one place alone
        _OF_DICT: r"(?:ValueManager: )?DictGuardManager: source=(?P<source>.*?), (?:accessed_by=.*?, )?type=<class '(?P<type>.*)'>, .*",
    }.items()
    for kind in kinds.split()
}


@dataclass(frozen=True)
class Guard:
    kind: str  # Dynamo's word
    text: str  # without the line of the program

    @property
    def parts(self):
        """A mapping; None if Dynamo says it in another form than is known."""
        found = _FORMS[self.kind].fullmatch(self.text) if self.kind in _FORMS else None
        return found and found.groupdict()

    def __str__(self):
        return f"{self.kind} {self.text}"


def guards_in(manager):
    """All of them. The tree has what `code_parts` leaves out: relations between two sources."""
    found = []
    for line in map(_LINE.fullmatch, str(manager).splitlines()):
        if line is None:
            continue
        kind, text = line.groups()
        if kind == _OF_DICT or _OF_DICT in text and kind in _WITHOUT_TEST:
            found.append(Guard(_OF_DICT, f"{kind}: {text.strip()}"))
        elif kind not in _WITHOUT_TEST:
            found.append(Guard(kind, text.strip()))
    return _each_once(found)


def _each_once(found):
    """Without the further mentions of what is tested of several places. Where those of two are more or fewer than what they say, or those of
    several say nothing at all, one that says nothing is left, and refused."""
    said = [bool(guard.text) for guard in found if guard.kind == _OF_TWO]
    mentioned = {_OF_TWO} if said.count(True) == said.count(False) else set()
    mentioned |= _OF_SEVERAL & {guard.kind for guard in found if guard.text}
    return [guard for guard in found if guard.text or guard.kind not in mentioned]


def is_place(source):
    """Is it an argument, a variable or a global, or what is reached from one by attributes and items alone?"""
    return re.fullmatch(_PLACE, source) is not None


def places_in(text):
    """The places that a condition reads, (place, what is read of it or None)."""
    return [read.groups() for read in _READ.finditer(text)]


def is_stated(inputs, text):
    """Is it a condition that the graph itself states, over what it takes? `inputs`: source -> entry of the document. No graph states an
    offset."""
    if _OVER_SYMBOLS.search(text):
        return all(_is_told(inputs, place, read or "") for place, read in places_in(text))
    ints = re.sub(_PLACE, lambda place: "0" if inputs.get(place[0], {}).get("kind") == "int" else place[0], text)
    return ints != text and not set(re.findall(r"[A-Za-z_]\w*", ints)) - _OPERATORS


def _is_told(inputs, place, read):
    return place + read in inputs or place in inputs and not read.startswith(".storage_offset")


def sides_of(text):
    """Both of what are said to be one object; None where that is not what is said."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None
    is_one = isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Is)
    if not is_one or isinstance(node.comparators[0], ast.Constant):
        return None
    return ast.unparse(node.left), ast.unparse(node.comparators[0])


def is_said(text, said):
    """Is that what a guard says? A text with two spaces and a `#` is not told from a comment after it."""
    return text == said or text.startswith(said) and re.match("  +# ", text[len(said) :]) is not None
