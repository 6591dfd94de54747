# SPDX-License-Identifier: MIT
"""None, True and False in what Dynamo traces.

Dynamo has one variable for each of these in a process. Up to PyTorch 2.14 it writes down there where one came from: after
`p.grad = None`, the None that is read there is p.grad. Whatever returns None after that, in the same function or in one that is
compiled later, returns p.grad, which may be a tensor again. Where no argument has that name, Dynamo ends with an assertion. Since 2.15
it writes that on a copy, and returns None."""

import contextlib
from unittest.mock import patch

from ..upstream import READS_ATTRIBUTE, ConstantVariable, TensorVariable

_create, _attribute = ConstantVariable.create, getattr(TensorVariable, READS_ATTRIBUTE)


def _own(value, **options):
    is_shared = not options and (value is None or value is True or value is False)
    return ConstantVariable(value) if is_shared else _create(value, **options)


def _attribute_of(tensor, tx, name):
    """A gradient that was set to None is None, wherever it is read later."""
    effects = tx.output.side_effects
    is_none = name == "grad" and effects.has_pending_mutation_of_attr(tensor, name) and effects.load_attr(tensor, name).is_constant_none()
    return ConstantVariable(None) if is_none else _attribute(tensor, tx, name)


@contextlib.contextmanager
def own_constants():
    """Each has a variable of its own under this."""
    with patch.object(ConstantVariable, "create", staticmethod(_own)), patch.object(TensorVariable, READS_ATTRIBUTE, _attribute_of):
        yield
