#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - the host dlpack over memory of NumPy, PyTorch and TVM: its structs against TVM's dlpack.h, memory.py, and both programs of
# examples/dlpack. JAX is not among what is installed here, so it is not run.
. "$(dirname "$0")/../../lib.sh"
here=$root/tests/torch/dlpack
example=$root/examples/dlpack
: "${PYTHON:=$root/.venv/bin/python}"
cd "$root" || exit 1

if ! "$PYTHON" -c 'import numpy, torch' 2>/dev/null; then
    skip 'the host dlpack' 'there is no PyTorch or NumPy (.venv)'
    finish
fi
check 'the library is built' sh "$example/build.sh" "$scratch/numpy"
said() { # LOG NUMBER: of lines that say that something holds; no other says that it does not
    cat "$1"
    [ "$(grep -c ': True$' "$1")" -eq "$2" ] && ! grep ': False$' "$1"
}
check 'numpy_arrays.py runs' sh -c '"$1" "$2" "$3" >"$4"' sh "$PYTHON" "$example/numpy_arrays.py" "$scratch/numpy/blend.so" "$scratch/numpy.log"
check 'the array was written in place, the view is its memory, read-only stays' said "$scratch/numpy.log" 5
check 'and the error names the reason' grep -q 'WG_NATIVE_E_READ_ONLY' "$scratch/numpy.log"

"$PYTHON" "$here/memory.py" "$scratch/numpy/blend.so" >"$scratch/memory.log" 2>&1
status=$?
sed -n 's/^ok - //p' "$scratch/memory.log" >"$scratch/lines"
while read -r line; do ok "$line"; done <"$scratch/lines"
[ $status -eq 0 ] || not_ok "memory.py (status $status)" "$scratch/memory.log"

if "$PYTHON" -c 'import tvm_ffi' 2>/dev/null; then
    include=$("$PYTHON" -c 'from tvm_ffi import libinfo; print(libinfo.find_include_path())')
    library=$("$PYTHON" -c 'from tvm_ffi import libinfo; print(libinfo.find_libtvm_ffi())')
    layouts() {
        $CC -std=c11 -DTHEIRS -isystem "$include" -o "$scratch/theirs" "$here/layout.c" &&
            $CC -std=c11 -I"$root/templates/core" -o "$scratch/ours" "$here/layout.c" &&
            "$scratch/theirs" >"$scratch/theirs.txt" && "$scratch/ours" >"$scratch/ours.txt" && diff "$scratch/theirs.txt" "$scratch/ours.txt"
    }
    check 'the structs and numbers are those of dlpack.h' layouts
    both() { # headers in one file, dlpack.h first
        printf '#include <dlpack/dlpack.h>\n#include "wg_dlpack.h"\n#include "wg_dlpack_abi.h"\n' >"$scratch/both.c"
        $CC -std=c11 -Wall -Wextra -Werror -isystem "$include" -I"$root/templates/core" -I"$root/templates/hosts/native" \
            -I"$root/templates/hosts/dlpack" -fsyntax-only "$scratch/both.c"
    }
    check 'the headers can be included with dlpack.h' both
    check "TVM's function is built" sh "$example/build.sh" "$scratch/tvm" "$example/tvm_function.c" -isystem "$include" "$library"
    check 'tvm_tensors.py runs' sh -c '"$1" "$2" "$3" >"$4"' sh "$PYTHON" "$example/tvm_tensors.py" "$scratch/tvm/blend.so" "$scratch/tvm.log"
    check "TVM's tensors: written in place, and one comes back" said "$scratch/tvm.log" 3
    check 'another dtype is refused by name' grep -q "refused: blend: 'values': dtype: expected float32, found float64" "$scratch/tvm.log"
else
    skip "TVM's FFI" 'there is no apache-tvm-ffi (.venv)'
fi
finish
