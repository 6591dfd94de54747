# SPDX-License-Identifier: MIT
"""Our names of a graph and of its values, and the program's in their place in messages."""

import re

NAME = "graph"  # in the C: what was traced under another name is the same graph
_OURS = re.compile(r"'((?:input|output)_\d+)'")


def code_name(code):
    """`forward (model.py)`, of a code object."""
    return f"{code.co_name} ({code.co_filename.replace(chr(92), '/').rsplit('/', 1)[-1]})"


def explain(problem, labels):
    """Our names in a message of the wrapper's, said in the program's. A compiled function's own exception is left as it is."""
    text = problem.args[0] if problem.args else None
    if isinstance(text, str) and text.startswith((f"{NAME}:", f"{NAME}():")):
        said = _OURS.sub(lambda ours: f"'{labels.get(ours[1], ours[1])}'", text)
        problem.args = (said, *problem.args[1:])
