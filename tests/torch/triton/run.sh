#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - examples/triton: Triton compiles its variants for a GPU, without one, and says what the example's graph.yaml says; the
# dispatcher of triton.tools.link, compiled from what it wrote, chooses as ours does (compare.c); images of variants differ as the
# hints do. .ci/setup.sh torch puts Triton into a folder of its own (.venv/triton), since PyTorch behaves otherwise where it finds it.
. "$(dirname "$0")/../../lib.sh"
here=$root/tests/torch/triton
example=$root/examples/triton
: "${PYTHON:=$root/.venv/bin/python}"
cd "$root" || exit 1
folder=${TRITON:-$(dirname "$(dirname "$PYTHON")")/triton}
export PYTHONPATH="$folder" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore TRITON_CACHE_DIR="$scratch/cache" HOME="$scratch"
if ! "$PYTHON" -c 'import triton' 2>/dev/null; then
    skip 'variants of Triton' "there is no Triton in $folder (.ci/setup.sh torch)"
    finish
fi
made=$scratch/made

check 'Triton compiles without a GPU, and says what graph.yaml and variants.c say' "$PYTHON" "$example/variants.py" "$made" --check
changed() { # the other way round: a variant that Triton made with another number of warps is noticed
    mkdir -p "$scratch/changed"
    cp -R "$example"/* "$scratch/changed/"
    sed -i 's/256", 2)/256", 4)/' "$scratch/changed/variants.py"
    ! "$PYTHON" "$scratch/changed/variants.py" "$scratch/changed/made" --check 2>"$scratch/changed/said" &&
        grep -q '^graph.yaml: not what Triton' "$scratch/changed/said"
}
check 'other variants are not what they say' changed

# Code for a multiple of 16 moves 16 bytes at once, which faults at other addresses: what is wrong with a wrong choice.
check 'images differ as the hints do' "$PYTHON" "$here/images.py" "$made"

chooses() {
    "$PYTHON" -m triton.tools.link "$made"/*.h -o "$scratch/linked" || return 1
    sed 's/scale_add/theirs/g' "$scratch/linked.c" >"$scratch/theirs.c"
    # Each of Triton's variants, as a function that says that it was chosen.
    {
        echo '#include "cuda.h"'
        echo 'extern const char *chosen;'
        sed -n 's/^TT_ResultTy theirs_\([0-9a-f]*_[0-9cd]*\)(TT_StreamTy \(.*\));$/CUresult theirs_\1(CUstream \2) { chosen = "scale_add_\1"; return CUDA_SUCCESS; }/p' "$scratch/theirs.c"
        sed -n 's/^void load_theirs_\([0-9a-f]*_[0-9cd]*\)();$/void load_theirs_\1(void) {} void unload_theirs_\1(void) {}/p' "$scratch/theirs.c"
    } >"$scratch/stubs.c"
    grep -q 'chosen = ' "$scratch/stubs.c" || return 1
    "$WRAPGEN" "$example/graph.yaml" --out "$scratch/triton.c" --header "$scratch/triton.h" -Wno-uncovered || return 1
    $CC -std=c11 -g -I"$here" -I"$scratch" -I"$example" -Itemplates/core -Itemplates/hosts/native -o "$scratch/compare" "$here/compare.c" \
        "$scratch/theirs.c" "$scratch/stubs.c" "$scratch/triton.c" "$example/launch.c" "$example/over.c" "$example/variants.c" templates/core/*.c \
        templates/hosts/native/*.c -lm || return 1
    "$scratch/compare"
}
check "triton.tools.link's dispatcher chooses the same variants" chooses
measured() { # every contestant launches, once a call
    sh tests/bench/launch/run.sh quick >"$scratch/measured" || return 1
    awk 'NR > 1 && $3 > 0 { n++; names[$1] = 1 } END { exit !(n >= 8 && names["ours"] && names["link"] && names["module"] && names["triton"]) }' \
        "$scratch/measured"
}
check "a kernel's whole launch is measured, and Triton's" measured
if "$PYTHON" -c 'import helion, torch' 2>/dev/null; then
    check 'Helion writes code for a configuration, which Triton compiles, without a GPU' "$PYTHON" "$here/helion_code.py"
else
    skip 'code of Helion' 'there is no Helion (.venv)'
fi
finish
