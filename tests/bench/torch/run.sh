#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick] [PATTERN] - our wrappers compared with PyTorch's own, for the same metadata: on PyTorch's tensors (host aoti), in one
# process, and on the native host. theirs.py says what PyTorch's side is, ours.c what ours is; the cases are those of
# tests/bench/overhead/cases.txt. Without PyTorch (.ci/setup.sh torch) it says so. Results: a table here, $BUILD/bench/torch.json.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../lib.sh"
. "$root/examples/aoti/torch.sh"
set -eu
cd "$root"
mode=${1-full}
pattern=${2-.}
if ! find_torch; then
    echo '    PyTorch is not here (.ci/setup.sh torch): not measured'
    exit 0
fi
out=$BUILD/bench/torch
rm -rf "$out"
mkdir -p "$out/native"
rounds=31 microseconds=2000
if [ "$mode" = quick ]; then
    rounds=5 microseconds=400
    [ "$pattern" != . ] || pattern='_5 |_of_2|_[0-9] |forward_|subclass|orchestration|dedupe|debug'
fi
overhead=$root/tests/bench/overhead
# Cases with hundreds of inputs are left out: they are megabytes of C, and tests/bench/overhead has their figures.
grep -v '^#' "$overhead/cases.txt" | grep -Ev 'inputs=(300|1000) ' | grep -E "$pattern" >"$out/cases.txt"

make_part() { # GENERATOR FILE
    awk -f "$overhead/case.awk" -f "$1" "$out/cases.txt" >"$2"
}

make_part "$overhead/yaml.awk" "$out/cases.yaml"
optimize='-std=c11 -D_POSIX_C_SOURCE=200809L -O2 -fPIC -fno-semantic-interposition -fvisibility=hidden'

compile_all() { # FOLDER FLAGS SOURCE...: objects go to FOLDER
    folder=$1
    flags=$2
    shift 2
    for source in "$@"; do
        # shellcheck disable=SC2086 # lists of flags
        $CC $optimize $EXTRA $flags -c -o "$folder/$(basename "$source" .c).o" "$source" || return 1
    done
}

# On PyTorch's tensors. What a host leaves to a function of the program's is in examples/aoti/table.cpp.
"$WRAPGEN" --in "$out/cases.yaml" --host aoti --out "$out/wrappers.c" --header "$out/wrappers.h" 2>"$out/warnings"
make_part "$here/table.awk" "$out/table.c"
# shellcheck disable=SC2086 # lists of files and flags
${CXX:-c++} -std=c++20 -O2 -fPIC -isystem "$TORCH_DIR/include" $host_include -Iexamples/aoti -c -o "$out/torch_table.o" \
    examples/aoti/table.cpp &
table=$!
# shellcheck disable=SC2086
compile_all "$out" "$host_include -I$out -I$here" "$out/wrappers.c" "$out/table.c" "$here/ours.c" $host_sources

# On the native host's, with the fixtures and the loop of tests/bench/overhead.
native=$out/native
"$WRAPGEN" --in "$out/cases.yaml" --host native --out "$native/wrappers.c" --header "$native/wrappers.h"
for part in tables floor driver; do
    make_part "$overhead/$part.awk" "$native/$part.c"
done
compile_all "$native" "-Itemplates/core -Itemplates/hosts/native -I$native -I$overhead" "$native"/*.c "$here/native.c" \
    "$overhead/fixture.c" "$overhead"/loop*.c templates/core/*.c templates/hosts/native/*.c
$CC -shared -Wl,-Bsymbolic -o "$out/native.so" "$native"/*.o -lm
wait "$table"
# shellcheck disable=SC2086
${CXX:-c++} -shared -Wl,-Bsymbolic -o "$out/ours.so" "$out"/*.o $torch_link

"$PYTHON" "$here/turns.py" "$out/ours.so" "$out/native.so" "$out/cases.txt" "$pattern" "$rounds" "$microseconds" "$BUILD/bench/torch.json"
