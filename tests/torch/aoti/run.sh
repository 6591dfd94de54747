#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - the aoti host against the real libtorch: its declarations against libtorch's headers, its verbs against eager
# PyTorch (../host/facts.c, facts.py), a training graph against PyTorch's autograd (training.c, training.py), what eager PyTorch has no
# words for (test_*.c), all of it again under AddressSanitizer with leaks looked for, and examples/aoti, a model of AOTInductor in
# a program without Python. Where there is no PyTorch all is skipped.
. "$(dirname "$0")/../../lib.sh"
. "$root/examples/aoti/torch.sh"
here=$root/tests/torch/aoti
shared=$root/tests/torch/host
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wvla -Werror'

if ! find_torch; then
    skip 'the aoti host' 'there is no PyTorch (.venv, python3 or TORCH_DIR)'
    finish
fi

# The host and the core, compiled once for each set of flags: `objects` are theirs.
host_objects() { # FLAG...
    folder=$scratch/host$(printf '%s' "$*" | tr -c 'A-Za-z0-9' _)
    objects=
    for source in $host_sources; do
        object=$folder/$(basename "$source" .c).o
        objects="$objects $object"
        # shellcheck disable=SC2086 # lists of files and flags
        [ -f "$object" ] || { mkdir -p "$folder" &&
            $CC -std=c11 $warnings -O1 -g $EXTRA "$@" $host_include -c -o "$object" "$source"; } || return 1
    done
}

build() { # PROGRAM FLAG...: of tests/torch/aoti/PROGRAM.c and the host
    program=$1
    shift
    main=$here/$program.c
    [ -f "$main" ] || main=$shared/$program.c
    parts=
    case $program in *training*) parts="-I$scratch $scratch/training_wrappers.c" ;; esac
    case " $* " in
    *' -DWITH_TABLE '*) parts="$parts $scratch/table.o -lstdc++" && host_objects ;; # tests/torch/aoti alone reads this flag
    *) host_objects "$@" ;;
    esac || return 1
    # shellcheck disable=SC2086 # lists of files and flags
    $CC -std=c11 $warnings -O1 -g $EXTRA "$@" $host_include -I"$here" -I"$shared" -I"$root/tests/host" -I"$root/examples/aoti" -o "$scratch/$program" \
        "$main" $parts $objects $torch_link
}

# What a program may give the host, in C++; built once.
# shellcheck disable=SC2086
${CXX:-c++} -std=c++20 -O1 -isystem "$TORCH_DIR/include" $host_include -c -o "$scratch/table.o" "$root/examples/aoti/table.cpp" \
    >"$scratch/check" 2>&1 || not_ok 'table.cpp compiles' "$scratch/check"

prototypes() {
    # shellcheck disable=SC2086
    ${CXX:-c++} -std=c++20 -DTORCH_FEATURE_VERSION=0x020d000000000000 -isystem "$TORCH_DIR/include" $host_include \
        -o "$scratch/prototypes" "$here/prototypes.cpp" $torch_link && "$scratch/prototypes"
}
check "libtorch's headers and ours agree" prototypes

"$PYTHON" "$shared/facts.py" >"$scratch/facts.expected" 2>"$scratch/facts.err" || not_ok 'eager PyTorch plays the scenarios' "$scratch/facts.err"

# What any host is held to without PyTorch (make host-check) is still what PyTorch does.
verbs() {
    "$PYTHON" "$root/tests/host_check/verbs.py" >"$scratch/verbs.txt" && diff "$root/tests/host_check/verbs.txt" "$scratch/verbs.txt"
}
check 'tests/host_check/verbs.txt is what eager PyTorch does' verbs

"$PYTHON" "$shared/training.py" >"$scratch/training.expected" 2>"$scratch/facts.err" || not_ok 'eager PyTorch trains' "$scratch/facts.err"

# The wrappers of training.yaml, for the programs whose names have "training" in them.
"$WRAPGEN" --in "$shared/training.yaml" --out "$scratch/training_wrappers.c" --header "$scratch/training_wrappers.h" \
    2>"$scratch/warnings" || not_ok 'training.yaml is generated' "$scratch/warnings"
for verb in wg_view_replay wg_set_view_replay wg_is_view wg_deterministic; do
    check "training.yaml: a warning names $verb" grep "'$verb'" "$scratch/warnings"
done

# Generators are not in the C ABI: a backward that needs one of its own is refused by name (other refusals: tests/errors).
sed 's/^    mode: training/&\n    rng: graphsafe\n    rng_states: 1\n    rng_device: cuda/' "$shared/training.yaml" >"$scratch/graphsafe.yaml"
if "$WRAPGEN" --in "$scratch/graphsafe.yaml" --out "$scratch/graphsafe.c" >"$scratch/warnings" 2>&1; then
    not_ok 'generators are refused'
fi
check 'generators are refused by name' grep "error.*'wg_generator_get'" "$scratch/warnings"

facts() { # PROGRAM LINES FLAG...: the same lines, each a test; a line that differs names its fact
    facts=$1
    lines=$2
    shift 2
    if ! build "$facts" "$@" >"$scratch/check" 2>&1; then
        not_ok "$facts $*: compiles" "$scratch/check"
        return
    fi
    "$scratch/$facts" >"$scratch/facts.found" 2>"$scratch/facts.err"
    status=$?
    check "$facts $*: as eager PyTorch" diff "$scratch/$facts.expected" "$scratch/facts.found"
    check "$facts $*: nothing is left (status $status)" test "$status" -eq 0
    check "$facts $*: there are scenarios" test "$(wc -l <"$scratch/$facts.expected")" -gt "$lines"
}
all_facts() { # FLAG...
    facts facts 80 "$@"
    facts training 30 "$@"
}
all_facts
all_facts -DWITH_TABLE
sanitized='-fsanitize=address,undefined -fno-sanitize-recover=all'
# shellcheck disable=SC2086
case $EXTRA in
*sanitize*) ;;
*) all_facts $sanitized ;;
esac

run_program() { # NAME PROGRAM: takes over its lines; what it says of a failed test comes before that
    "$2" >"$scratch/log" 2>&1
    status=$?
    : >"$scratch/remarks"
    while IFS= read -r line; do
        case $line in
        'ok '*) ok "$1: ${line#*- }" ;;
        'not ok '*) not_ok "$1: ${line#*- }" "$scratch/remarks" && : >"$scratch/remarks" ;;
        *) printf '%s\n' "$line" >>"$scratch/remarks" ;;
        esac
    done <"$scratch/log"
    check "$1: ends well (status $status)" sh -c 'test "$1" -eq 0 || { cat "$2"; false; }' sh "$status" "$scratch/log"
}

programs() { # FLAG...
    for test in "$here"/test_*.c; do
        program=$(basename "$test" .c)
        if build "$program" "$@" >"$scratch/check" 2>&1; then
            run_program "$program $*" "$scratch/$program"
        else
            not_ok "$program $*: compiles" "$scratch/check"
        fi
    done
}
programs
# shellcheck disable=SC2086
case $EXTRA in
*sanitize*) ;;
*) programs $sanitized ;;
esac

# The functions that a program may give, of one file in C++.
table() {
    host_objects || return 1
    # shellcheck disable=SC2086
    ${CXX:-c++} -std=c++20 -isystem "$TORCH_DIR/include" $host_include -I"$root/tests/host" -I"$root/examples/aoti" \
        -o "$scratch/table_test" "$here/table_test.cpp" "$scratch/table.o" $objects $torch_link
}
if table >"$scratch/check" 2>&1; then
    run_program table "$scratch/table_test"
else
    not_ok 'table: compiles' "$scratch/check"
fi

# The example, twice over the same models: AOTInductor takes its time. Constants of PyTorch's libraries are never freed.
echo 'leak:_GLOBAL__sub_I_' >"$scratch/kept"
example() { # FLAG...
    LSAN_OPTIONS="suppressions=$scratch/kept:print_suppressions=0" \
        PYTHON=$PYTHON TORCH_DIR=$TORCH_DIR OUT="$scratch/example" EXTRA="$EXTRA $*" sh "$root/examples/aoti/run.sh" >"$scratch/example.log" 2>&1
    status=$?
    sed -n 's/^ok: *//p' "$scratch/example.log" >"$scratch/right"
    while IFS= read -r line; do ok "example $*: $line"; done <"$scratch/right"
    sed -n 's/^WRONG: *//p' "$scratch/example.log" >"$scratch/wrong"
    while IFS= read -r line; do not_ok "example $*: $line"; done <"$scratch/wrong"
    check "example $*: ends well (status $status)" sh -c 'test "$1" -eq 0 || { cat "$2"; false; }' sh "$status" "$scratch/example.log"
}
example
# shellcheck disable=SC2086
case $EXTRA in
*sanitize*) ;;
*) example $sanitized ;;
esac
finish
