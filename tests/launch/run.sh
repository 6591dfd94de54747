#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh        - examples/triton as it is launched on a GPU (cuda/launch.c): over a driver without one (driver.c), which reads the
#                 parameters of each launch as the kernel's PTX declares them
# run.sh --gpu  - the same program over the GPU's own driver, which compiles the PTX (`make gpu`); a skip where there is no GPU
. "$(dirname "$0")/../lib.sh"
here=$root/tests/launch
example=$root/examples/triton
strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes -Werror'
cd "$scratch" || exit 1

generate() {
    "$WRAPGEN" "$example/graph.yaml" --out triton.c --header triton.h -Wno-uncovered
}

build() { # LAUNCH LINK...: ./run
    launch=$1
    shift
    # shellcheck disable=SC2086 # flags are words
    $CC $strict -O1 $EXTRA -I. -I"$example" -I"$example/cuda" -I"$root/templates/core" -I"$root/templates/hosts/native" -o run triton.c \
        "$example/main.c" "$example/over.c" "$example/variants.c" "$launch" "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c \
        "$@" -lm
}

check 'the example is generated' generate

if [ "${1-}" = --gpu ]; then
    driver=$(ldconfig -p 2>/dev/null | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)
    if [ -z "$driver" ]; then
        skip 'variants on a GPU' 'no NVIDIA driver is installed (libcuda.so.1)'
        finish
    fi
    check 'it is built with the driver of the GPU' build "$example/cuda/launch.c" "$driver"
    ./run "$example" >said 2>&1
    status=$?
    sed 's/^/#= /' said
    check 'the GPU computes what the program expects' test $status -eq 0
    finish
fi

stub() { # a driver that is found under the name of the real one
    # shellcheck disable=SC2086
    $CC $strict $EXTRA -fPIC -shared -I"$example/cuda" -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$here/driver.c"
}
check 'a driver without a GPU' stub
passes() { # the program over that driver
    LD_LIBRARY_PATH=. ./run "$example" >said 2>launches
}
check 'it is built' build "$example/cuda/launch.c" ./libcuda.so.1
check 'the right variants are launched, and compute what is expected' passes
check 'a variant is loaded at its first launch alone' test "$(grep -c '^loaded' launches)" -eq 4
check 'a call that no variant takes launches nothing' test "$(grep -c '^launched' launches)" -eq 5
check 'what was compiled for n = 1 takes no n' grep -qx 'launched scale_add<<<1, 128>>> with 6 parameters' launches
check 'two warps where the variant has two' grep -qx 'launched scale_add<<<8, 64>>> with 7 parameters' launches

# Launches that were broken: each computes something else, or is refused.
while IFS='|' read -r name script; do
    sed "$script" "$example/cuda/launch.c" >broken.c
    if cmp -s broken.c "$example/cuda/launch.c" || ! build broken.c ./libcuda.so.1 >log 2>&1; then
        not_ok "broken on purpose: $name: changes something that compiles" log
    elif passes; then
        not_ok "broken on purpose: $name: is noticed"
    else
        ok "broken on purpose: $name"
    fi
done <<BROKEN
alpha is passed as a double|s/float alpha = (float)args/double alpha = args/
n is passed to what does not take it|s/image->takes_n ? with_n : without_n/with_n/;s/void \*without_n.*//
a parameter is left out|s/&scratch\[0\], &scratch\[1\]};/\&scratch[0], \&n};/
x and y are exchanged|s/{&x, &y,/{\&y, \&x,/
another number of threads|s/(unsigned int)image->threads, 1, 1,/(unsigned int)image->threads * 2, 1, 1,/
a grid that is too small|s/(n + image->block - 1) \/ image->block/n \/ image->block/
the kernel's name|s/"scale_add"/"scale_sub"/
BROKEN

no_image() { # a folder without images: the call fails, and says which file is missing
    mkdir -p none
    build "$example/cuda/launch.c" ./libcuda.so.1 || return 1
    ! LD_LIBRARY_PATH=. ./run none >said 2>&1 && grep -q '^none/images/scale_add_[0-9a-f]*_0d1d2d3d.ptx: No such file' said
}
check 'an image that is missing is named' no_image
finish
