# SPDX-License-Identifier: MIT
"""Tests as data, of the kinds that several guards become."""

from ..loading.code_text import class_text, name_of


def of_class(root, steps, kind):
    return {"test": "type_match", "of": [root, steps], "type": name_of(kind), **code_of(kind)}


def code_of(kind):
    """What a test of a class has, too, if no name finds that."""
    text = class_text(kind)
    return {} if text is None else {"code": text}


def is_extent(path):
    return bool(path[1]) and path[1][-1][0] in ("size", "stride")


def same_as(of, module, name):
    return {"test": "same_object", "of": of, "other": [{"module": module}, [["attr", part] for part in name.split(".")]]}
