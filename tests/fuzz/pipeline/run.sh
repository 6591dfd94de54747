#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The whole tool on mutants of its own examples, under sanitizers; then what is generated for a sample of the accepted ones is
# compiled under strict flags, and run where it is a self-test. Options are those of main.c, a minute without any:
#
#     tests/fuzz/pipeline/run.sh --seed 7 --count 1000000 --every 1000
#
# clang's sanitizers see more than gcc's (an offset added to a null pointer), so CC is best clang. What fails is left in
# $BUILD/fuzz/failures, shrunk: mend it, then put the file into tests/replay, where `make test` runs it again.
. "$(dirname "$0")/../../lib.sh"
. "$root/tests/unit/library.sh"
. "$root/tests/fuzz/pipeline/library.sh"

EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all'
tool=$WRAPGEN
BUILD=$BUILD/fuzz
programs=$BUILD/tests/programs
library=$BUILD/libwrapgen.a
failures=$BUILD/failures
export EXTRA BUILD

strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$selftest_library"
for host in "$root"/templates/hosts/*/; do # a mutant may be of any of them
    include="$include -I$host"
done

compiles() { # YAML: w.c, w.h and perhaps self.c
    rm -f w.c w.h self.c
    # shellcheck disable=SC2046 # arguments
    "$tool" --in "$1" --out w.c $(sed "s,MOCK,$root/tests/property/wrappers/mock.yaml," "${1%.yaml}.args") || return 1
    # shellcheck disable=SC2086 # flags
    $CC $strict -O1 $include -I. -c -o w.o w.c || return 1
    [ ! -f self.c ] || {
        # shellcheck disable=SC2086 # flags
        $CC $strict -O0 $include -I. -o self self.c wg_selftest.o "$root"/templates/core/wg_cold.c "$root"/templates/core/wg_overlap.c \
            "$root/templates/core/wg_dispatch.c" "$root/templates/core/wg_key_text.c" && passes
    }
}

# A self-test that has to leave out everything fails. That is right for a mutant for which no call can be made up, such as one with a
# tensor of fifteen dimensions. tests/selftest shows when the library leaves out too much.
passes() {
    timeout 300 ./self 1 >report
    status=$?
    cat report
    [ $status -eq 0 ] && return
    [ $status -eq 1 ] && grep -q '# SKIP' report && ! grep '^not ok' report | grep -qvx 'not ok [0-9]* - all: nothing was tested'
}

cd "$root" || exit 1
[ $# -gt 0 ] || set -- --for 60 --count 100000000
mkdir -p "$failures" "$scratch/kept" "$scratch/input"
build_library
build_pipeline_fuzz && run_program pipeline_fuzz --keep "$scratch/kept" --scratch "$scratch/input" --failures "$failures" "$@" \
    schema/SPEC.md examples/*/graph.yaml tests/golden/*/graph.yaml tests/selftest/*/graph.yaml tests/selftest/*.yaml \
    tests/replay/*.yaml tests/errors/rules/*.yaml
cd "$scratch" || exit 1
: >wg_grad.h # the host of tests/golden/view_base is only a description
: >wg_range.h # and so is the host of range_begin
# shellcheck disable=SC2086 # flags
check 'the library of self-tests compiles' $CC $strict -O1 $include -c -o wg_selftest.o "$selftest_library/wg_selftest.c"
for yaml in kept/*.yaml; do
    [ -f "$yaml" ] || continue
    if compiles "$yaml" >log 2>&1; then
        ok "what is generated for mutant $(basename "$yaml" .yaml)"
    else
        not_ok "what is generated for mutant $(basename "$yaml" .yaml) compiles and passes" log
        cp "$yaml" "${yaml%.yaml}.args" "$failures"
    fi
done
finish
