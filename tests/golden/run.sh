#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Golden tests: tests/golden/<case>/graph.yaml must give exactly wrappers.c and wrappers.h, and both must compile without a
# warning. So must the stub of its compiled functions, which has to define all that the wrappers call. A case without wrappers.h is generated without a header; one with
# module.c has a Python module, which tests/torch/pyext compiles. An optional file `args` adds arguments, one a line.
#
# Every op of ops.def has a template, and is in the plan of some case here, in tests/exec or in examples; every field of fields.def is read by the
# dispatcher of some case here.
#
# To add a case: a folder with graph.yaml, then update.sh, then read what came out. It is run in its folder.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/generate.sh"

strict='-std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$root/templates/hosts/native -I$root/templates/hosts/aoti -I$root/templates/hosts/torch"

# What a sanitized tool writes is held to the bytes that the other variants compile. It is not compiled for sanitizers, since
# nothing here is run.
case " $EXTRA " in *sanitize*) compiled= ;; *) compiled=yes ;; esac

compiles() { # CASE: the expected files, as a user would compile them
    # shellcheck disable=SC2086 # lists of flags
    $CC $strict $EXTRA $include -I"$root/tests/golden/$1" -c -o "$scratch/object.o" "$root/tests/golden/$1/wrappers.c"
}

stub_compiles() { # against the header of the case
    # shellcheck disable=SC2086
    $CC $strict $EXTRA $include -I"$root/tests/golden/$1" -c -o "$scratch/stub.o" "$scratch/stub.c"
}

# Functions that the wrappers call and that are neither the host's nor the C library's are defined in the stub; what the header
# declares as an object (types, contexts, models) is the program's.
stub_completes() { # CASE
    nm -u "$scratch/object.o" | awk '{ print $2 }' | grep -vE '^(wg_|aoti_|mem|str|_)' | sort >"$scratch/called"
    {
        nm --defined-only "$scratch/stub.o" | awk '$2 == "T" { print $3 }'
        sed -nE 's/^extern .*[ *]([A-Za-z_0-9]+);.*/\1/p' "$root/tests/golden/$1/wrappers.h"
    } | sort >"$scratch/there"
    comm -23 "$scratch/called" "$scratch/there" >"$scratch/absent"
    cat "$scratch/absent"
    [ ! -s "$scratch/absent" ]
}

compiles_as_cpp() { # CASE
    printf '#include "wrappers.h"\n' >"$scratch/header.cpp"
    # shellcheck disable=SC2086
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only $include \
        -I"$root/tests/golden/$1" "$scratch/header.cpp"
}

same() { # CASE FILE
    if cmp -s "$root/tests/golden/$1/$2" "$scratch/$2"; then
        ok "$1/$2"
    else
        diff -u "$root/tests/golden/$1/$2" "$scratch/$2" >"$scratch/diff" 2>&1
        not_ok "$1/$2" "$scratch/diff"
    fi
}

for case in $(golden_cases "$@"); do
    folder=$root/tests/golden/$case
    rm -f "$scratch"/wrappers.* "$scratch"/module.* "$scratch"/stub.c
    if ! golden_generate "$case" "$scratch" --emit-kernel-stub "$scratch/stub.c" >"$scratch/log" 2>&1; then
        not_ok "$case is generated" "$scratch/log"
        continue
    fi
    same "$case" wrappers.c
    [ -z "$compiled" ] || check "$case: the source compiles" compiles "$case"
    [ -f "$folder/wrappers.h" ] || continue
    same "$case" wrappers.h
    for file in module.c module.pyi; do
        [ ! -f "$folder/module.c" ] || same "$case" "$file"
    done
    [ -n "$compiled" ] || continue
    check "$case: the stub compiles" stub_compiles "$case"
    check "$case: the stub defines what the wrappers call" stub_completes "$case"
    if command -v c++ >/dev/null 2>&1; then
        check "$case: the header compiles as C++17" compiles_as_cpp "$case"
    else
        skip "$case: the header compiles as C++17" "there is no c++"
    fi
done

# A case shows something that no other shows. Prints those that are copies: the same YAML, generated with the same arguments.
copies() {
    for graph in "$root"/tests/golden/*/graph.yaml; do
        case=$(dirname "$graph")
        echo "$(cat "$graph" "$case/args" 2>/dev/null | cksum) $(basename "$case")"
    done | sort | awk 'seen[$1 $2] { print $3 " is a copy of " seen[$1 $2] } { seen[$1 $2] = $3 }'
}
if [ $# -eq 0 ]; then
    copies >"$scratch/copies"
    if [ -s "$scratch/copies" ]; then
        not_ok 'no case is a copy of another' "$scratch/copies"
    else
        ok 'no case is a copy of another'
    fi
fi

# The plan's ops, a line each. Keys have a second function, for arguments that are not plain, which --dump leaves out:
# tests/exec/kernel_key runs it.
undumped='key_absent key_again key_any key_any_size key_any_stride key_concrete key_no_value key_number key_symbol_size key_symbolic key_tag scope_concrete scope_symbolic'
planned() { # FOLDER
    cd "$1" || return 1
    # shellcheck disable=SC2046 # words
    "$WRAPGEN" --in graph.yaml $([ ! -f args ] || cat args) --dump plan 2>/dev/null | sed -nE 's/^ +([a-z_0-9]+) .*/\1/p'
}

# A host that cannot convert tangents, which all built-in ones can: a tangent of another context is refused.
unconverted() {
    mkdir -p "$scratch/bare"
    grep -v 'wg_coerce_tangent' "$root/templates/hosts/native/host.yaml" | sed 's/^name: native/name: bare/' >"$scratch/bare/host.yaml"
    "$WRAPGEN" --in "$root/tests/golden/attr_optional/graph.yaml" --host "$scratch/bare/host.yaml" "$@"
}

if [ $# -eq 0 ]; then
    for graph in "$root"/tests/golden/*/graph.yaml "$root"/tests/exec/*/graph.yaml "$root"/examples/*/graph.yaml; do
        (planned "$(dirname "$graph")")
    done | sort -u >"$scratch/planned"
    unconverted --dump plan 2>/dev/null | sed -nE 's/^ +(check_context) .*/\1/p' | sort -u - "$scratch/planned" -o "$scratch/planned"
    rm -f "$scratch"/wrappers.*
    unconverted --out "$scratch/wrappers.c" --header "$scratch/wrappers.h" >"$scratch/log" 2>&1
    # shellcheck disable=SC2086 # lists of flags
    check 'what a host without conversions gets compiles' $CC $strict $EXTRA $include -c -o "$scratch/object.o" "$scratch/wrappers.c"
    check 'and refuses a tangent of another context' grep -q '!wg_has_context(ctx, tangent_y, y_ctx)' "$scratch/wrappers.c"
    # shellcheck disable=SC2086 # words
    sed -nE 's/^OP\(([a-z_0-9]+),.*/\1/p' "$root/gen/plan/ops.def" | grep -vxF "$(printf '%s\n' $undumped)" | sort >"$scratch/ops"
    comm -23 "$scratch/ops" "$scratch/planned" >"$scratch/unplanned"
    num_ops=$(wc -l <"$scratch/ops")
    if [ ! -s "$scratch/unplanned" ] && [ "$num_ops" -gt 100 ]; then
        ok "every op is in some plan ($num_ops ops)"
    else
        not_ok "every op is in some plan ($num_ops ops)" "$scratch/unplanned"
    fi
    sed -nE 's/^OP\(([a-z_0-9]+),.*/\1/p' "$root/gen/plan/ops.def" | sort >"$scratch/ops"
    sed -nE 's/^[{][{]! ==== (.*) ==== [}][}]$/\1/p' "$root"/templates/ops/*.mustache | sort >"$scratch/sections"
    check 'every op has one section in templates/ops, and every section is an op' cmp "$scratch/ops" "$scratch/sections"
    sed -nE 's/^FIELD\([A-Z_]+, ([a-z_]+),.*/\1/p' "$root/gen/dispatch/fields.def" >"$scratch/fields"
    while read -r field; do
        grep -qE "const int64_t ([a-z_0-9]+_)?$field(_[a-z0-9_]+)? = " "$root"/tests/golden/*/wrappers.c || echo "$field"
    done <"$scratch/fields" >"$scratch/unread"
    if [ ! -s "$scratch/unread" ] && [ -s "$scratch/fields" ]; then
        ok 'some dispatcher reads every field'
    else
        not_ok 'some dispatcher reads every field' "$scratch/unread"
    fi
fi
finish
