# SPDX-License-Identifier: 0BSD
#
# tvm_tensors.py BLEND.SO - the wrapper through TVM's FFI (apache-tvm-ffi), over memory of NumPy's that TVM's tensors share:
# tvm_function.c is its other half, which build.sh takes as one more source.
import sys

import numpy
import tvm_ffi


def main(path):
    blend = tvm_ffi.load_module(path).blend
    memory = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)
    expected = memory + numpy.float32(0.25) * (100 - memory)
    average = tvm_ffi.from_dlpack(memory)
    values = tvm_ffi.from_dlpack(numpy.full((4, 3), 100, dtype=numpy.float32))

    before = memory.copy()
    change = blend(average, values)

    print("average was written in place:", numpy.array_equal(memory, expected))
    print("change is a tensor of TVM's:", isinstance(change, tvm_ffi.Tensor))
    print("with what was added:", numpy.array_equal(numpy.from_dlpack(change), numpy.float32(0.25) * (100 - before)))
    try:
        blend(average, tvm_ffi.from_dlpack(numpy.zeros((4, 3))))
    except RuntimeError as refused:
        print("another dtype is refused:", refused)
    try:
        blend(average, 1)
    except TypeError as refused:
        print("what is not a tensor, too:", refused)


main(sys.argv[1])
