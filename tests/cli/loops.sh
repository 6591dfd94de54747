# SPDX-License-Identifier: MIT
# Many like inputs: the C has one loop for them, of a size that does not grow with them; --loop-from says from when on.
many() { # NUMBER
    echo 'wrapgen: 1'
    echo 'graphs:'
    echo '  - name: many'
    echo '    mode: inference'
    echo '    compiled: many_kernel'
    echo '    inputs:'
    seq "$1" | sed 's/.*/      - {name: x&, dtype: float32, size: [4, 3], stride: [3, 1]}/'
    echo '    outputs:'
    seq "$1" | sed 's/.*/      - {name: y&, type: non_alias}/'
}

num_tests() { # FILE: how often a dtype is looked at
    grep -c 'wg_dtype(ctx, ' "$1"
}

many 10 >many.yaml
run --in many.yaml --out straight.c
exits 0 'ten inputs'
check "$case: ten inputs are tested one by one" test "$(num_tests straight.c)" -eq 10
run --in many.yaml --out loop.c --loop-from 20
check "$case: in a loop where that is asked for, four a turn and two after it" test "$(num_tests loop.c)" -eq 6
many 1000 >many.yaml
run --in many.yaml --out loop.c
check "$case: a thousand are tested in a loop" test "$(num_tests loop.c)" -eq 4
check "$case: in at most 350 bytes an input" test "$(wc -c <loop.c)" -le 350000
run --in many.yaml --out straight.c --loop-from 0
check "$case: one by one where loops are not wanted" test "$(num_tests straight.c)" -eq 1000
