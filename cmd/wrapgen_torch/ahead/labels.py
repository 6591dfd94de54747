# SPDX-License-Identifier: MIT
"""Our names of a graph and of its values, and the program's in their place in messages."""

import re

NAME = "graph"  # in the C: what was traced under another name is the same graph
_OURS = re.compile(r"'((?:input|output)_\d+)'")
_RESUMED = re.compile(r"torch_dynamo_resume_in_(.*)_at_\d+")  # how Dynamo names the code


def after_break(code):
    """The name of the function whose rest, after a graph break, this code is; None: it is not such code."""
    name = _RESUMED.fullmatch(code.co_name)
    return name and name[1]


def code_name(code):
    """`forward (model.py)`, of a code object; `forward from line 12 on (model.py)` of what follows a graph break."""
    broken = after_break(code)
    name = code.co_name if broken is None else f"{broken} from line {code.co_firstlineno} on"
    return f"{name} ({code.co_filename.replace(chr(92), '/').rsplit('/', 1)[-1]})"


def explain(problem, labels):
    """Our names in a message of the wrapper's, said in the program's. A compiled function's own exception is left as it is."""
    text = problem.args[0] if problem.args else None
    if isinstance(text, str) and text.startswith((f"{NAME}:", f"{NAME}():")):
        said = _OURS.sub(lambda ours: f"'{labels.get(ours[1], ours[1])}'", text)
        problem.args = (said, *problem.args[1:])
