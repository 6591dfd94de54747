# SPDX-License-Identifier: MIT
"""What a program can find out about the results of a call other than by looking at them: which gradients come of a part of them, which
arguments were written, and what a write to a result does."""

import itertools

import torch
import torch.utils._pytree as pytree

from .running import differentiable, random_gradients, sources_of_gradients

FEW = 4  # results; a backward runs from each subset of them
MOST = 8  # results for which a backward runs by itself, and without which; and results that are written
LATER = "after a write to result "  # begins the names of what is seen then


class Probes:
    """Of one call, made before it."""

    def __init__(self, args, modules):
        self._args, self._modules = args, modules
        self._versions = [_version(value) for value in pytree.tree_leaves(args)]

    def after_call(self, snapshot, results, backward):
        """Adds to the call's own snapshot. All backwards but the last one run here, with what was saved kept."""
        leaves = pytree.tree_leaves(self._args)
        written = [_version(value) != before for value, before in zip(leaves, self._versions, strict=True)]
        for position, one in enumerate(written):
            snapshot.add_counted(f"a write to argument {position}", one)
        if backward:
            sources = [leaf for leaf in sources_of_gradients(self._args, self._modules) if leaf.requires_grad]
            sources += [leaf for leaf, one in zip(leaves, written) if isinstance(leaf, torch.Tensor) and leaf.grad_fn is not None and not one]
            self._partial_backwards(snapshot, results, list({id(one): one for one in sources}.values()))

    def _partial_backwards(self, snapshot, results, sources):
        outputs = differentiable(self._args, results)
        gradients = random_gradients(outputs)
        for chosen in subsets(len(outputs)) if sources else ():
            name = f"backward from {', '.join(map(str, chosen))} of {len(outputs)} results"
            try:
                found = torch.autograd.grad([outputs[i] for i in chosen], sources, [gradients[i] for i in chosen],
                                            retain_graph=True, allow_unused=True)  # fmt: skip
            except RuntimeError:
                snapshot.add(f"{name} fails", True)
            else:
                snapshot.add(f"{name} fails", False)
                snapshot.add_gradients(name, found)

    def write_results(self, snapshot, results):
        """Writes the results in place, one after the other, and adds what is to be seen then to the call's own snapshot."""
        for number, leaf in enumerate(pytree.tree_leaves(results)[:MOST]):
            if not isinstance(leaf, torch.Tensor):
                continue
            name = f"{LATER}{number}"
            try:
                leaf.mul_(2)
            except (RuntimeError, NotImplementedError):
                snapshot.add(f"{name}: refused", True)
            else:
                snapshot.add(f"{name}: refused", False)
            snapshot.add_contents(f"{name}: args", self._args)
            snapshot.add_contents(f"{name}: results", results)


def _version(value):
    return value._version if isinstance(value, torch.Tensor) and not value.is_inference() else None


def subsets(count):
    """The proper subsets of `count` results from which a backward is run: all of them where there are few, else each one alone, and all
    but it; of more than MOST those of the first and the last ones."""
    if count <= FEW:
        return [chosen for size in range(1, count) for chosen in itertools.combinations(range(count), size)]
    tried = range(count) if count <= MOST else [*range(MOST // 2), *range(count - MOST // 2, count)]
    return [(i,) for i in tried] + [tuple(j for j in range(count) if j != i) for i in tried]
