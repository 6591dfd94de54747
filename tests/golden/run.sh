#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Golden tests. What is generated for tests/golden/<case>/graph.yaml must have exactly the functions, or sections of functions, that
# the case is about: the file `shown` names them (excerpt.awk), expected.c has them. A few cases have whole files in their place:
# wrappers.c, wrappers.h, and for a Python module module.c and module.pyi, which tests/torch/pyext compiles.
# All that is generated must compile without a warning, and so must the stub of the compiled functions, which has to define all that
# the wrappers call. An optional file `args` adds arguments, one a line.
#
# Every op of ops.def has a template, and some case here, in tests/exec or in examples shows the code of it; the dispatcher of some
# case here reads every field of fields.def.
#
# To add a case: a folder with graph.yaml and `shown`, then update.sh, then read what came out.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/generate.sh"

strict='-std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$root/templates/hosts/native -I$root/templates/hosts/aoti -I$root/templates/hosts/torch"

# What a sanitized tool writes is held to the bytes that the other variants compile. It is not compiled for sanitizers, since
# nothing here is run.
case " $EXTRA " in *sanitize*) compiled= ;; *) compiled=yes ;; esac

compiles() { # CASE: as a user would compile it; the case's folder may have a host's header
    # shellcheck disable=SC2086 # lists of flags
    $CC $strict $EXTRA $include -I"$root/tests/golden/$1" -c -o "$scratch/object.o" "$scratch/wrappers.c"
}

stub_compiles() { # against the header of the case
    # shellcheck disable=SC2086
    $CC $strict $EXTRA $include -I"$root/tests/golden/$1" -c -o "$scratch/stub.o" "$scratch/stub.c"
}

# Functions that the wrappers call and that are neither the host's nor the C library's are defined in the stub; what the header
# declares as an object (types, contexts, models) is the program's.
stub_completes() {
    nm -u "$scratch/object.o" | awk '{ print $2 }' | grep -vE '^(wg_|aoti_|mem|str|_)' | sort >"$scratch/called"
    {
        nm --defined-only "$scratch/stub.o" | awk '$2 == "T" { print $3 }'
        sed -nE 's/^extern .*[ *]([A-Za-z_0-9]+);.*/\1/p' "$scratch/wrappers.h"
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

# Text that one template puts into another must be indented as the text around it.
indented() { # FILE...
    awk -f "$root/tests/golden/indent.awk" "$@" >"$scratch/indents"
    head -n 5 "$scratch/indents"
    [ ! -s "$scratch/indents" ]
}

same() { # CASE FILE
    if cmp -s "$root/tests/golden/$1/$2" "$scratch/$2"; then
        ok "$1/$2"
    else
        diff -u "$root/tests/golden/$1/$2" "$scratch/$2" >"$scratch/diff" 2>&1
        not_ok "$1/$2" "$scratch/diff"
    fi
}

# Templates of the tool are compiled when it is built; with a folder of templates, even an empty one, a run compiles all itself.
mkdir "$scratch/none" "$scratch/parsed"
golden_parsed() { # CASE
    rm -f "$scratch/parsed"/*
    golden_generate "$1" "$scratch/parsed" --templates "$scratch/none" --emit-kernel-stub "$scratch/parsed/stub.c" || return 1
    for file in "$scratch/parsed"/*; do
        cmp "$file" "$scratch/$(basename "$file")" || return 1
    done
}

for case in $(golden_cases "$@"); do
    folder=$root/tests/golden/$case
    rm -f "$scratch"/wrappers.* "$scratch"/module.* "$scratch"/stub.c "$scratch"/expected.c
    if ! golden_generate "$case" "$scratch" --emit-kernel-stub "$scratch/stub.c" >"$scratch/log" 2>&1; then
        not_ok "$case is generated" "$scratch/log"
        continue
    fi
    check "$case: templates compiled by this run give the same" golden_parsed "$case"
    [ ! -f "$folder/shown" ] || check "$case has what it shows" golden_excerpt "$case" "$scratch"
    compared=0
    for file in expected.c wrappers.c wrappers.h module.c module.pyi; do
        [ -f "$folder/$file" ] || continue
        same "$case" "$file"
        compared=$((compared + 1))
    done
    [ $compared -gt 0 ] || not_ok "$case has an expected file"
    cat "$scratch/wrappers.c" >>"$scratch/all.c"
    check "$case is indented" indented "$scratch"/wrappers.* "$scratch"/stub.c
    [ -n "$compiled" ] || continue
    check "$case: the source compiles" compiles "$case"
    check "$case: the stub compiles" stub_compiles "$case"
    check "$case: the stub defines what the wrappers call" stub_completes
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

# The ops whose code a person sees, a line each: those of the plan of an example or of a case with whole files, and those in the
# functions and sections that a case shows. Keys have a second function, for arguments that are not plain, which --dump leaves out:
# tests/exec/kernel_key runs it.
undumped='key_absent key_again key_any key_any_size key_any_stride key_concrete key_no_value key_number key_symbol_size key_symbolic key_tag scope_concrete scope_symbolic'
shown_ops() { # FOLDER
    cd "$1" || return 1
    # shellcheck disable=SC2046 # words
    "$WRAPGEN" --in graph.yaml $([ ! -f args ] || cat args) --dump plan 2>/dev/null |
        awk 'FNR == NR { name = $1; sub(/:$/, "", name); shown[name] = $0 ~ /:/ ? $0 " " : "*"; next }
            /^[a-z]/ { name = $2; sub(/:$/, "", name); sub(/_key_of$/, "_key_over", name); section = "" }
            $1 == "section" { section = $2; sub(/^artifact=/, "", section) }
            /^  / && section_is_shown() { print $1 }
            function section_is_shown(wanted) {
                if ("*" in shown) return 1
                wanted = name in shown ? shown[name] : shown[name "_core"]
                return wanted == "*" || (section != "" && index(wanted, " " section " ") > 0)
            }' "$([ -f shown ] && echo shown || echo "$scratch/everything")" -
}

# A host that cannot convert tangents, which all built-in ones can: a tangent of another context is refused.
unconverted() {
    mkdir -p "$scratch/bare"
    grep -v 'wg_coerce_tangent' "$root/templates/hosts/native/host.yaml" | sed 's/^name: native/name: bare/' >"$scratch/bare/host.yaml"
    "$WRAPGEN" --in "$root/tests/golden/attr_optional/graph.yaml" --host "$scratch/bare/host.yaml" "$@"
}

if [ $# -eq 0 ]; then
    echo '*' >"$scratch/everything"
    for graph in "$root"/tests/golden/*/graph.yaml "$root"/examples/*/graph.yaml; do
        (shown_ops "$(dirname "$graph")")
    done | sort -u >"$scratch/shown"
    unconverted --dump plan 2>/dev/null | sed -nE 's/^ +(check_context) .*/\1/p' | sort -u - "$scratch/shown" -o "$scratch/shown"
    rm -f "$scratch"/wrappers.*
    unconverted --out "$scratch/wrappers.c" --header "$scratch/wrappers.h" >"$scratch/log" 2>&1
    # shellcheck disable=SC2086 # lists of flags
    check 'what a host without conversions gets compiles' $CC $strict $EXTRA $include -c -o "$scratch/object.o" "$scratch/wrappers.c"
    check 'and refuses a tangent of another context' grep -q '!wg_has_context(ctx, tangent_y, y_ctx)' "$scratch/wrappers.c"
    # shellcheck disable=SC2086 # words
    sed -nE 's/^OP\(([a-z_0-9]+),.*/\1/p' "$root/gen/plan/ops.def" | grep -vxF "$(printf '%s\n' $undumped)" | sort >"$scratch/ops"
    comm -23 "$scratch/ops" "$scratch/shown" >"$scratch/unseen"
    num_ops=$(wc -l <"$scratch/ops")
    if [ ! -s "$scratch/unseen" ] && [ "$num_ops" -gt 100 ]; then
        ok "some case shows the code of every op ($num_ops ops)"
    else
        not_ok "some case shows the code of every op ($num_ops ops)" "$scratch/unseen"
    fi
    sed -nE 's/^OP\(([a-z_0-9]+),.*/\1/p' "$root/gen/plan/ops.def" | sort >"$scratch/ops"
    sed -nE 's/^[{][{]! ==== (.*) ==== [}][}]$/\1/p' "$root"/templates/ops/*.mustache | sort >"$scratch/sections"
    check 'every op has one section in templates/ops, and every section is an op' cmp "$scratch/ops" "$scratch/sections"
    sed -nE 's/^FIELD\([A-Z_]+, ([a-z_]+),.*/\1/p' "$root/gen/dispatch/fields.def" >"$scratch/fields"
    while read -r field; do
        grep -qE "const int64_t ([a-z_0-9]+_)?$field(_[a-z0-9_]+)? = " "$scratch/all.c" || echo "$field"
    done <"$scratch/fields" >"$scratch/unread"
    if [ ! -s "$scratch/unread" ] && [ -s "$scratch/fields" ]; then
        ok 'some dispatcher reads every field'
    else
        not_ok 'some dispatcher reads every field' "$scratch/unread"
    fi
fi
finish
