# SPDX-License-Identifier: 0BSD
#
# numpy_arrays.py BLEND.SO - a wrapper over NumPy's memory, without a copy: see build.sh and blend.py.
import sys

import numpy

from blend import Library, Refused


def main(path):
    library = Library(path)
    average = numpy.asfortranarray(numpy.arange(12, dtype=numpy.float32).reshape(4, 3))
    values = numpy.full((4, 3), 100, dtype=numpy.float32)
    added = numpy.float32(0.25) * (values - average)
    expected = average + added
    address = average.__array_interface__["data"][0]

    change, last = (numpy.from_dlpack(output) for output in library.blend(average, values))

    print("average was written in place:", numpy.array_equal(average, expected))
    print("change is what was added:", numpy.array_equal(change, added))
    print("last is memory of average:", last.__array_interface__["data"][0] == address + 3 * average.strides[0])
    last[0, 0] = -1
    print("and writing to it shows there:", average[3, 0] == -1)

    average.flags.writeable = False
    before = average.copy()
    try:
        library.blend(average, values)
    except Refused as refused:
        print("a read-only array is refused:", refused)
    print("and unchanged:", numpy.array_equal(average, before))
    library.close()


main(sys.argv[1])
