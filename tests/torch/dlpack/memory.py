# SPDX-License-Identifier: MIT
#
# memory.py BLEND.SO - the host dlpack over memory of PyTorch and NumPy: addresses, writes that the owner sees, whose memory
# lives how long, and what is refused. Prints TAP lines.
import gc
import sys
import weakref

import numpy
import torch

sys.path.insert(0, "examples/dlpack")
from blend import Library, Refused  # noqa: E402

passed = failed = 0


def check(name, condition):
    global passed, failed
    passed += bool(condition)
    failed += not condition
    print("%s - %s" % ("ok" if condition else "not ok", name))


def blended(average, values):
    return average + 0.25 * (values - average)


def torch_memory(library):
    for name, average in (
        ("compact", torch.arange(12.0).reshape(4, 3)),
        ("transposed", torch.arange(12.0).reshape(3, 4).t()),
        ("a part with an offset", torch.arange(60.0).reshape(6, 10)[1:5, 3:9:2]),
        ("a parameter, detached", torch.nn.Parameter(torch.ones(4, 3)).detach()),
    ):
        values = torch.full((4, 3), 100.0)
        expected = blended(average.clone(), values)
        change, last = (torch.from_dlpack(output) for output in library.blend(average, values))
        check("torch, %s: written in place" % name, torch.equal(average, expected))
        check("torch, %s: the view is its memory" % name, last.data_ptr() == average[3].data_ptr() and last.stride() == average[3:4].stride())
        last.zero_()
        check("torch, %s: a write to the view shows" % name, average[3].abs().sum() == 0)
        check("torch, %s: the change" % name, change.shape == (4, 3) and change.dtype == torch.float32)
    for name, values, words in (
        ("another dtype", torch.zeros(4, 3, dtype=torch.bfloat16), "bfloat16"),
        ("a bool", torch.zeros(4, 3, dtype=torch.bool), "bool"),
        ("an 8-bit float", torch.zeros(4, 3, dtype=torch.float8_e4m3fn), "float8_e4m3fn"),
        ("a complex", torch.zeros(4, 3, dtype=torch.complex64), "complex64"),
        ("another size", torch.zeros(4, 4), "expected 3, found 4"),
    ):
        average = torch.zeros(4, 3)
        try:
            library.blend(average, values)
            check("torch, %s is refused" % name, False)
        except Refused as refused:
            check("torch, %s is refused by name" % name, words in str(refused) and not average.any())


class Memory(numpy.ndarray):
    """Can be watched by a weak reference, unlike its base."""


def lifetimes(library):
    average = numpy.zeros((4, 3), dtype=numpy.float32).view(Memory)
    watched = weakref.ref(average)
    change, last = (numpy.from_dlpack(output) for output in library.blend(average, numpy.ones((4, 3), dtype=numpy.float32)))
    count = sys.getrefcount(average)
    del last
    gc.collect()
    check("numpy: the view lets go of the array", sys.getrefcount(average) == count - 1)
    del average
    gc.collect()
    check("numpy: nothing else holds it", watched() is None)
    check("numpy: new memory lives on", float(change[0, 0]) == 0.25)
    kept = numpy.zeros((4, 3), dtype=numpy.float32).view(Memory)
    watched = weakref.ref(kept)
    before = sys.getrefcount(kept)
    for values in (numpy.ones((4, 3)), numpy.ones((4, 3), dtype=numpy.float32)[::-1]):
        try:
            library.blend(kept, values)
            check("numpy: refused", False)
        except Refused:
            pass
    gc.collect()
    check("numpy: a refused call holds nothing", sys.getrefcount(kept) == before)
    last = numpy.from_dlpack(library.blend(kept, numpy.ones((4, 3), dtype=numpy.float32))[1])
    del kept
    gc.collect()
    check("numpy: the view keeps the memory", watched() is not None and float(last[0, 0]) == 0.25)


def refusals(library):
    try:
        library.blend(numpy.zeros((4, 3), dtype=numpy.float32)[:, ::-1], numpy.ones((4, 3), dtype=numpy.float32))
        check("numpy: backwards is refused", False)
    except Refused as refused:
        check("numpy: backwards is refused by name", "a stride is negative" in str(refused))
    average = numpy.zeros((4, 3), dtype=numpy.float32)
    try:
        library.blend(average, numpy.zeros((4, 3), dtype=numpy.longdouble))
        check("numpy: 80 bits are refused", False)
    except Refused as refused:
        check("numpy: 80 bits are refused by name", "code 2 with 128 bits" in str(refused))
    except BufferError:
        check("numpy: 80 bits are refused by NumPy itself", True)


library = Library(sys.argv[1])
torch_memory(library)
lifetimes(library)
refusals(library)
library.close()
print("%d passed, %d failed, 0 skipped" % (passed, failed))
sys.exit(failed != 0)
