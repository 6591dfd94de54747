#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - the torch host: its verbs compared with eager PyTorch (../host/facts.c, facts.py), a training graph's wrappers with autograd
# (../host/training.c, training.py), training graphs as autograd's nodes (test_autograd.cpp), verbs in which PyTorch throws (test_raised.c),
# AOTInductor models (test_model.c). The host's C++ is compiled once (build.sh). Where there is no PyTorch all is skipped.
. "$(dirname "$0")/../../lib.sh"
. "$root/examples/aoti/torch.sh"
here=$root/tests/torch/cpp
shared=$root/tests/torch/host
. "$here/build.sh"

if ! find_torch; then
    skip 'the torch host' 'there is no PyTorch (.venv, python3 or TORCH_DIR)'
    finish
fi
cpp_include="$cpp_include -I$here -I$shared -I$root/tests/host -I$scratch"

build_torch_host plain -O1 >"$scratch/check" 2>&1 || not_ok 'the host compiles' "$scratch/check"
compile_cpp "$BUILD/torch_host/operators.o" "$here/operators.cpp" -O1 >"$scratch/check" 2>&1 ||
    not_ok 'operators.cpp compiles' "$scratch/check"

generate() { # NAME YAML
    "$WRAPGEN" --in "$2" --out "$scratch/$1.c" --header "$scratch/$1.h" 2>"$scratch/warnings" || return 1
    # shellcheck disable=SC2086
    $CC -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -O1 $cpp_include -c -o "$scratch/$1.o" "$scratch/$1.c"
}
sed 's/^host: aoti/host: torch/' "$shared/training.yaml" >"$scratch/training.yaml"
check 'training.yaml is generated and compiles' generate training_wrappers "$scratch/training.yaml"
check 'nothing is warned of: all its verbs are there' test ! -s "$scratch/warnings"
check 'graphs.yaml is generated and compiles' generate graphs "$here/graphs.yaml"

link() { # PROGRAM OBJECT...
    program=$1
    shift
    # shellcheck disable=SC2086
    $CXX -o "$scratch/$program" "$@" "$BUILD/torch_host/operators.o" $cpp_objects $torch_link -lpthread
}

facts() { # PROGRAM LINES: the same lines, each a test; a line that differs names its fact
    if ! "$PYTHON" "$shared/$1.py" >"$scratch/$1.expected" 2>"$scratch/facts.err"; then
        not_ok "eager PyTorch plays $1" "$scratch/facts.err"
    fi
    objects=$scratch/$1.o
    [ "$1" != training ] || objects="$objects $scratch/training_wrappers.o"
    # shellcheck disable=SC2086
    if ! { $CC -std=c11 -Wall -Wextra -Wpedantic -O1 -g $cpp_include -c -o "$scratch/$1.o" "$shared/$1.c" &&
        link "$1" $objects; } >"$scratch/check" 2>&1; then
        not_ok "$1: compiles" "$scratch/check"
        return
    fi
    "$scratch/$1" >"$scratch/facts.found" 2>"$scratch/facts.err"
    status=$?
    check "$1: as eager PyTorch" diff "$scratch/$1.expected" "$scratch/facts.found"
    check "$1: nothing is left (status $status)" test "$status" -eq 0
    check "$1: there are scenarios" test "$(wc -l <"$scratch/$1.expected")" -gt "$2"
}
facts facts 80
facts training 30

# Takes over the lines of a program; what it says of a failed test comes before that.
run_program() { # NAME ARGUMENT...
    name=$1
    shift
    "$scratch/$name" "$@" >"$scratch/log" 2>&1
    status=$?
    : >"$scratch/remarks"
    while IFS= read -r line; do
        case $line in
        'ok '*) ok "$name: ${line#*- }" ;;
        'not ok '*) not_ok "$name: ${line#*- }" "$scratch/remarks" && : >"$scratch/remarks" ;;
        *) printf '%s\n' "$line" >>"$scratch/remarks" ;;
        esac
    done <"$scratch/log"
    check "$name: ends well (status $status)" sh -c 'test "$1" -eq 0 || { cat "$2"; false; }' sh "$status" "$scratch/log"
}

# Autograd. The program's own C++ takes as long as the host's, so it is kept, too, while the generated headers are the same.
autograd() {
    object=$BUILD/torch_host/test_autograd.o
    for header in training_wrappers.h graphs.h; do
        cmp -s "$scratch/$header" "$BUILD/torch_host/$header" || { rm -f "$object" && cp "$scratch/$header" "$BUILD/torch_host"; } || return 1
    done
    compile_cpp "$object" "$here/test_autograd.cpp" -O0 &&
        link test_autograd "$object" "$scratch/training_wrappers.o" "$scratch/graphs.o"
}
# Verbs in which PyTorch throws: --wrap puts one that throws before each verb that the wrappers call.
wrapped=
for verb in copy_ copy_leaf_ detach set_requires_grad alias_like zeros coerce_strides contiguous matches version is_view; do
    wrapped="$wrapped -Wl,--wrap=wg_$verb"
done
raised() {
    # shellcheck disable=SC2086
    $CC -std=c11 -Wall -Wextra -O1 -g $cpp_include -c -o "$scratch/test_raised.o" "$here/test_raised.c" &&
        link test_raised "$scratch/test_raised.o" "$scratch/training_wrappers.o" $wrapped
}
if raised >"$scratch/check" 2>&1; then
    run_program test_raised
else
    not_ok 'test_raised: compiles' "$scratch/check"
fi

# A model: compiled here by AOTInductor, and called by a wrapper.
model() {
    "$PYTHON" "$here/model.py" "$scratch" && generate model "$here/model.yaml" &&
        $CC -std=c11 -Wall -Wextra -O1 -g $cpp_include -c -o "$scratch/test_model.o" "$here/test_model.c" &&
        link test_model "$scratch/test_model.o" "$scratch/model.o"
}
if model >"$scratch/check" 2>&1; then
    run_program test_model "$scratch/model.so" "$scratch/model.so.txt"
else
    not_ok 'test_model: compiles' "$scratch/check"
fi

"$PYTHON" "$here/texts.py" >"$scratch/texts" 2>"$scratch/facts.err" || not_ok 'AOTAutograd refuses' "$scratch/facts.err"
check 'AOTAutograd refuses all three' sh -c '! grep ": nothing" "$1" && [ "$(wc -l <"$1")" -eq 3 ]' sh "$scratch/texts"
if autograd >"$scratch/check" 2>&1; then
    run_program test_autograd "$scratch/texts"
else
    not_ok 'test_autograd: compiles' "$scratch/check"
fi
finish
