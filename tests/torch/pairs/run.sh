#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - programs of the host aoti that were built with one version of PyTorch, run with another: those of wrapgen_torch/environment.py
# that .ci/setup.sh torch has installed. pairs.txt says which pairs work; one that does not do what it says there fails, and so does one that
# it does not have. cmd/wrapgen_torch/README.md has a table of it (tests/torch/versions/table.py). Where one version is installed, as in
# CI, only the table is looked at: the suite aoti runs that version with itself.
#
# Of each version are built: the program of ../host/facts.c, which is compared with what eager PyTorch of the version that runs does, and
# examples/aoti, two models of AOTInductor, which compares them itself.
. "$(dirname "$0")/../../lib.sh"
. "$root/examples/aoti/torch.sh"
here=$root/tests/torch/pairs
tests=$root/tests/torch

venv_of() { # VERSION: where setup.sh has put it
    for said in "$root/.venv"/lib/python*/site-packages/torch/version.py "$root/.venv-$1"/lib/python*/site-packages/torch/version.py; do
        if grep -q "^__version__ = '$1[+']" "$said" 2>/dev/null; then
            echo "${said%/lib/python*}"
            return
        fi
    done
}

library_of() { # VERSION
    for folder in "$(venv_of "$1")"/lib/python*/site-packages/torch/lib; do echo "$folder"; done
}

build_with() { # VERSION
    PYTHON=$(venv_of "$1")/bin/python
    TORCH_DIR=$(dirname "$(library_of "$1")")
    find_torch || return 1
    "$PYTHON" "$tests/host/facts.py" >"$scratch/facts-$1.expected" || return 1
    # shellcheck disable=SC2086 # lists of files and flags
    $CC -std=c11 -O1 $EXTRA $host_include -I"$tests/aoti" -I"$tests/host" -I"$root/tests/host" -I"$root/examples/aoti" \
        -o "$scratch/facts-$1" "$tests/host/facts.c" $host_sources $torch_link || return 1
    # A model needs libtorch.so, which the build for CUDA finds only so.
    LD_LIBRARY_PATH=$(library_of "$1") PYTHON=$PYTHON TORCH_DIR=$TORCH_DIR OUT=$scratch/models-$1 sh "$root/examples/aoti/run.sh"
}

# What works: "host", "model", both, or "nothing".
outcome() { # BUILT RUN
    found=
    LD_LIBRARY_PATH=$(library_of "$2") "$scratch/facts-$1" >"$scratch/facts" 2>"$scratch/facts.err" && cmp -s "$scratch/facts" "$scratch/facts-$2.expected" && found='host '
    LD_LIBRARY_PATH=$(library_of "$2") "$scratch/models-$1/run" "$scratch/models-$1" >"$scratch/models" 2>&1 && found="${found}model "
    [ -n "$found" ] || found='nothing '
    echo "${found% }"
}

try() { # BUILT RUN
    found=$(outcome "$1" "$2")
    expected=$(sed -n "s/^$1 $2 //p" "$here/pairs.txt")
    echo "$found, not ${expected:-there}" >"$scratch/pair"
    if [ "$found" = "$expected" ]; then
        ok "built with $1, run with $2: $found"
    else
        not_ok "built with $1, run with $2" "$scratch/pair" "$scratch/facts.err" "$scratch/models"
    fi
}

known=$(sed -n 's/^VERSIONS = (\(.*\)).*/\1/p' "$root/cmd/wrapgen_torch/environment.py" | tr -d '",')
versions=
for version in $known; do
    [ -z "$(venv_of "$version")" ] || versions="$versions $version"
done
for one in $known; do
    for other in $known; do check "pairs.txt has what was built with $one and is run with $other" grep -q "^$one $other " "$here/pairs.txt"; done
done
# shellcheck disable=SC2086 # words
set -- $versions
[ $# -ge 2 ] || finish
built=
for version in "$@"; do
    if build_with "$version" >"$scratch/check" 2>&1; then built="$built $version"; else not_ok "$version: it builds" "$scratch/check"; fi
done
for one in $built; do
    for other in $built; do try "$one" "$other"; done
done
finish
