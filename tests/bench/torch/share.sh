#!/bin/sh
# SPDX-License-Identifier: MIT
#
# share.sh [ROUNDS] - what a wrapper of x + y of four floats costs on the hosts torch and aoti, compared with C++ written by hand
# (share.cpp). The C++ is compiled with -O2, which takes a minute or two.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../lib.sh"
. "$root/examples/aoti/torch.sh"
. "$root/tests/torch/cpp/build.sh"
set -eu
cd "$root"
if ! find_torch; then
    echo '    PyTorch is not here (.ci/setup.sh torch): not measured'
    exit 0
fi
out=$BUILD/bench/share
mkdir -p "$out/torch" "$out/aoti"
local='-fPIC -O2 -fvisibility=hidden'
for host in torch aoti; do
    "$WRAPGEN" --in "$here/share.yaml" --host $host --out "$out/$host/share_wrappers.c" --header "$out/$host/share_wrappers.h" \
        2>"$out/$host/warnings" || { cat "$out/$host/warnings" && exit 1; }
done
# shellcheck disable=SC2086 # lists of flags
{
    build_torch_host bench $local
    $CC -std=c11 $local -DON_TORCH $cpp_include -I"$out/torch" -I"$here" -c -o "$out/torch/host.o" "$here/share_host.c"
    $CC -std=c11 $local $cpp_include -I"$out/torch" -c -o "$out/torch/wrappers.o" "$out/torch/share_wrappers.c"
    $CXX -shared -Wl,-Bsymbolic -o "$out/torch.so" "$out/torch/host.o" "$out/torch/wrappers.o" $cpp_objects $torch_link
    compile_cpp "$BUILD/torch_host/bench/table.o" examples/aoti/table.cpp $local $host_include
    $CC -std=c11 $local -shared -Wl,-Bsymbolic $host_include -I"$out/aoti" -I"$here" -Iexamples/aoti -o "$out/aoti.so" \
        "$here/share_host.c" "$out/aoti/share_wrappers.c" "$BUILD/torch_host/bench/table.o" $host_sources $torch_link -lstdc++
    compile_cpp "$BUILD/torch_host/bench/share.o" "$here/share.cpp" -O2 -I"$here"
    $CXX -o "$out/share" "$BUILD/torch_host/bench/share.o" $torch_link
}
"$out/share" "$out/torch.so" "$out/aoti.so" "${1-101}"
