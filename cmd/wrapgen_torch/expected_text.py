# SPDX-License-Identifier: MIT
"""The content of an existing expected.txt, for --check.

Another CPU rounds differently: results within the tolerance that the file states are the same results, and PyTorch's
random numbers, which programs use, differ in their last bits. So a call that is checked starts from the recorded
values.
"""

import torch

from .call_record import TensorRecord

LAST_BITS = (1e-5, 1e-5)  # how far random numbers from one seed are apart on two CPUs


def settle(old, new):
    """The text `new`, with the numbers of `old` wherever the two agree within the tolerance of their storage."""
    ours, theirs = new.splitlines(True), old.splitlines(True)
    if len(ours) != len(theirs):
        return new
    for header, lines in _blocks(theirs):
        words = theirs[header].split()
        if ours[header] == theirs[header] and words[4:5] == ["tolerance"]:
            one, other = _values(words[2], ours, lines), _values(words[2], theirs, lines)
            if _close(one, other, float(words[5]), float(words[6])):
                ours[lines.start : lines.stop] = theirs[lines.start : lines.stop]
    return "".join(ours)


def starts(text):
    """For each recorded call, the storages before it: {number: values}."""
    lines = text.splitlines(True)
    result = []
    begins = [i for i, line in enumerate(lines) if line == "before\n"]
    ends = [i for i, line in enumerate(lines) if line == "after\n"]
    for begin, end in zip(begins, ends):
        state = lines[begin:end]
        words = {header: state[header].split() for header, _ in _blocks(state)}
        result.append({int(words[h][1]): _values(words[h][2], state, block) for h, block in _blocks(state)})
    return result


def replay(start, snapshot, named, tolerance_of):
    """Puts the recorded values of `start` into the tensors of `named` and into their `snapshot`. A storage with
    entirely different values keeps them: the comparison of the files shows it."""
    for name, tensor in named:
        record = snapshot.inputs[name]
        if not isinstance(record, TensorRecord) or record.storage not in start:
            continue
        found, recorded = snapshot.storages[record.storage], start[record.storage]
        limits = [max(pair) for pair in zip(tolerance_of(record.storage) or (0.0, 0.0), LAST_BITS)]
        same_kind = recorded.dtype == found.values.dtype and recorded.numel() == found.values.numel()
        if same_kind and recorded.is_floating_point() and _close(found.values, recorded, *limits):
            found.values = recorded.clone()
            with torch.no_grad():  # through a separate tensor, so that the program's versions stay as they are
                torch.empty(0, dtype=recorded.dtype).set_(tensor.untyped_storage()).copy_(recorded)


def _blocks(lines):
    """(index of a storage's line, indices of its values) for each storage."""
    for header, line in enumerate(lines):
        if line.startswith("storage "):
            stop = header + 1
            while stop < len(lines) and lines[stop].startswith("  "):
                stop += 1
            yield header, range(header + 1, stop)


def _values(dtype, lines, block):
    words = [word for i in block for word in lines[i].split()]
    kind = getattr(torch, dtype)
    return torch.tensor([float.fromhex(word) if kind.is_floating_point else int(word) for word in words], dtype=kind)


def _close(found, recorded, relative, absolute):
    if found.shape != recorded.shape:
        return False
    return torch.allclose(found.double(), recorded.double(), rtol=relative, atol=absolute, equal_nan=True)
