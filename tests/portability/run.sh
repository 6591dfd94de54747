#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [TARGET...] - generated code, the core and the host `native` on every compiler and machine of targets.txt, or on those
# named: golden wrappers and their headers compile under the strict flags; programs over the core's arithmetic and hash, and those of
# tests/exec, give the same results; the demo's data, recorded from PyTorch, are met; self-tests pass. The tool itself is built, and
# writes what it writes everywhere. A table of what was done where comes last. A machine that is not here is emulated by qemu.
#
# A target is a line of targets.txt, and installs what its line names: .ci/setup.sh portability. Where libyaml and libcyaml cannot be
# linked, they are compiled, too: libraries.sh. PORTABILITY_EVERY=6 takes every sixth line, as CI does; PORTABILITY_FIRST=1 begins with
# the second.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/libraries.sh"
. "$root/tests/golden/generate.sh"
here=$root/tests/portability
strict='-std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$root/templates/hosts/native"
selftests='coerce_type dispatch_tree pack_saved'
folder=$BUILD/tests/portability
mkdir -p "$folder"

column() { # N: of $line, without the blanks around it
    echo "$line" | cut -d'|' -f"$1" | sed 's/^ *//; s/ *$//'
}

# What wrappers of other hosts need is not here.
is_of_native() { # FOLDER
    ! grep -qE '"wg_(aoti|torch)|wg_python' "$1/wrappers.c" "$1/wrappers.h" 2>/dev/null
}

# All golden cases, once for all targets, by the tool of this machine.
generate_wrappers() {
    rm -rf "$folder/wrappers"
    for case in $(golden_cases); do
        mkdir -p "$folder/wrappers/$case"
        cp "$root/tests/golden/$case"/wg_*.h "$folder/wrappers/$case" 2>/dev/null # of a host that belongs to the case
        golden_generate "$case" "$folder/wrappers/$case" 2>&1 || return 1
    done
}

# In one call of the compiler, without code where it can: tests/exec runs some.
wrappers_compile() {
    set --
    for source in "$folder"/wrappers/*/wrappers.c; do
        ! is_of_native "$(dirname "$source")" || set -- "$@" "$source"
    done
    case $compiler in
    tcc) only=-c ;;
    *) only=-fsyntax-only ;;
    esac
    # shellcheck disable=SC2086 # lists of flags
    (mkdir -p "$out/objects" && cd "$out/objects" && $compiler $strict $flags $include $only "$@") && echo "$# wrappers"
}

programs_agree() {
    for source in "$here/compiler_test.c" "$root/tests/unit/hash_test.c"; do
        # shellcheck disable=SC2086
        $compiler $strict $flags -o "$out/program" "$source" && $runner "$out/program" || return 1
    done
}

selftests_pass() {
    core=$(ls "$root"/templates/core/*.c)
    for case in $selftests; do
        # shellcheck disable=SC2086
        (cd "$out" && "$WRAPGEN" --in "$root/tests/golden/$case/graph.yaml" --out w.c --header w.h --emit-selftest self.c &&
            $compiler -w -O0 $flags $include -I"$selftest_library" -I. -o self self.c "$selftest_library/wg_selftest.c" $core && $runner ./self) || return 1
    done
}

executes() {
    # shellcheck disable=SC2030
    (cd "$root" && RUNNER=$runner CC=$compiler CXX= EXTRA=$flags BUILD=$out sh tests/exec/run.sh)
}

demonstrates() {
    (cd "$root" && RUNNER=$runner CC=$compiler EXTRA=$flags DEMO_OUT=$out/demo DEMO_FLAGS=--quiet sh examples/demo/run.sh)
}

links_yaml() {
    printf '#include <cyaml/cyaml.h>\n#include <yaml.h>\nint main(void) { return yaml_get_version_string() == 0; }\n' >"$out/yaml.c"
    # shellcheck disable=SC2086
    $compiler $flags -o "$out/yaml" "$out/yaml.c" -lcyaml -lyaml
}

# The same files as the Makefile's, in one call. $out/tool is the program, or a script that emulates it.
tool_compiles() {
    include_yaml= link_yaml='-lcyaml -lyaml'
    if ! links_yaml >/dev/null 2>&1; then
        libraries_build "$out/libraries" || return 1
        include_yaml=$(libraries_include) link_yaml=$(ls "$out/libraries"/*/*.o)
    fi
    # shellcheck disable=SC2086
    (cd "$root" && $compiler $strict -O0 $flags -D_POSIX_C_SOURCE=200809L -I. $include_yaml -o "$out/wrapgen" cmd/*.c gen/*.c gen/*/*.c \
        schema/*.c "$BUILD/embedded.c" "$BUILD/frozen.c" $link_yaml) &&
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$runner" "$out/wrapgen" >"$out/tool" && chmod +x "$out/tool"
}

tool_generates() { # the same bytes as the tool of this machine
    mkdir -p "$out/golden"
    WRAPGEN=$out/tool
    for case in $(golden_cases); do
        rm -f "$out/golden"/*
        golden_generate "$case" "$out/golden" || return 1
        for file in wrappers.c wrappers.h module.c module.pyi; do
            [ ! -f "$folder/wrappers/$case/$file" ] || cmp "$folder/wrappers/$case/$file" "$out/golden/$file" || return 1
        done
    done
}

tool_works() {
    tool_compiles && (tool_generates) && WRAPGEN=$out/tool BUILD=$out sh "$root/tests/errors/run.sh"
}

part() { # NAME COMMAND: a test; its closing line, or "yes", goes into the table
    "$2" >"$out/$2.log" 2>&1
    result=$?
    said=$(tail -n 1 "$out/$2.log" | sed -nE 's/^([0-9]+) passed, 0 failed, 0 skipped$/\1/p; s/^([0-9]+) wrappers$/\1/p')
    if [ $result -eq 0 ]; then
        ok "$name: $1"
        row="$row|${said:-yes}"
    else
        grep -E 'error|not ok|WRONG|DIFFER|fail' "$out/$2.log" >"$scratch/why" || tail -n 20 "$out/$2.log" >"$scratch/why"
        not_ok "$name: $1" "$scratch/why"
        row="$row|FAILED"
    fi
}

: >"$scratch/table"
[ $# -eq 0 ] || PORTABILITY_EVERY=1
: "${PORTABILITY_EVERY:=1}" "${PORTABILITY_FIRST:=0}"
grep -v '^#' "$here/targets.txt" | awk -v every="$PORTABILITY_EVERY" -v first="$PORTABILITY_FIRST" '(NR - 1) % every == first % every' >"$scratch/targets"
for wanted in "$@"; do
    cut -d'|' -f1 "$scratch/targets" | sed 's/ *$//' | grep -qxF "$wanted" || { echo "run.sh: targets.txt has no '$wanted'" >&2; exit 2; }
done
check 'golden wrappers are generated' generate_wrappers
while read -r line <&3; do
    name=$(column 1)
    [ $# -eq 0 ] || printf '%s\n' "$@" | grep -qxF "$name" || continue
    compiler=$(column 2 | cut -d' ' -f1)
    flags=$(column 2 | sed 's/^[^ ]*//')
    runner=$(column 3)
    out=$folder/$(echo "$name" | tr ' ' _)
    mkdir -p "$out"
    row=$name
    part 'golden wrappers compile' wrappers_compile
    part 'arithmetic and hash' programs_agree
    part 'programs around wrappers' executes
    part "the demo's data" demonstrates
    part 'self-tests' selftests_pass
    if links_yaml >/dev/null 2>&1 || libraries_fetch >"$out/fetched.log" 2>&1; then
        part 'the tool' tool_works
    else
        skip "$name: the tool" "libyaml and libcyaml are not here, and the mirror of Debian has no sources of them: $out/fetched.log"
        row="$row|-"
    fi
    echo "$row|$(column 5)" >>"$scratch/table"
done 3<"$scratch/targets"

echo
awk -F'|' 'function row(a, b, c, d, e, f, g, h) { printf "%-12s %9s %6s %9s %6s %11s %5s  %s\n", a, b, c, d, e, f, g, h }
    BEGIN { row("", "wrappers", "core", "programs", "demo", "self-tests", "tool", "") }
    { row($1, $2, $3, $4, $5, $6, $7, $8) }' "$scratch/table"
finish
