#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Graphs that are the same but for names share their code, and work. Every graph of the golden tests, of the self-tests and of
# the examples is generated together with itself under other names: all of the second file share, except those that call a
# dispatcher, which is their own file's. The C compiles without a warning, and its self-test passes, so every operation is run in
# shared form. One file in SELFTEST_EVERY is taken (5; 25 under sanitizers); .ci/run takes all. Graphs that differ in one key do
# not share: tests/keys tries every key.
#
# Shared code that was broken on purpose is noticed: the graph that an error names, the compiled function that is called.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
case " $EXTRA " in
*sanitize*) every=${SELFTEST_EVERY-25} ;;
*) every=${SELFTEST_EVERY-5} ;;
esac
strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$root/templates/hosts/native -I$root/templates/hosts/aoti"
build_library
build_program keys_of_sharing "$root/tests/keys/keys.c" -lcyaml -lyaml || finish
cd "$scratch" || exit 1
core=
for file in wg_cold wg_dispatch wg_key_text; do
    # shellcheck disable=SC2086
    check "$file.c compiles" $CC -O1 $strict $EXTRA $include -c -o "$file.o" "$root/templates/core/$file.c"
    core="$core $file.o"
done
: >wg_grad.h # hosts of golden cases that are but a description
: >wg_range.h

twice() { # YAML ARGUMENT...: the file and itself under other names
    folder=$(dirname "$1")
    cp "$1" once.yaml
    "$programs/keys_of_sharing" rename once.yaml again.yaml || return 1
    for host in "$folder"/*.yaml; do
        case $host in */graph.yaml) ;; */host.yaml) cp "$host" . ;; esac
    done
    shift
    "$WRAPGEN" once.yaml again.yaml --out w.c --header w.h --emit-selftest self.c "$@"
}

# shellcheck disable=SC2086 # lists of flags
self() { # FLAG...: builds and runs the self-test
    $CC -O0 "$@" $EXTRA $include -I. -o self self.c $core >log 2>&1 && ./self 3 >report 2>>log
}

number=0
num_shared=0
for yaml in "$root"/tests/selftest/*.yaml "$root"/tests/golden/*/graph.yaml "$root"/examples/*/graph.yaml; do
    name=${yaml#"$root"/}
    number=$((number + 1))
    [ $((number % every)) -eq 0 ] || continue
    # shellcheck disable=SC2046 # words
    if ! twice "$yaml" $([ ! -f "$(dirname "$yaml")/args" ] || cat "$(dirname "$yaml")/args") >log 2>&1; then
        not_ok "$name is generated twice" log
        continue
    fi
    graphs=$(grep -cE '^/\* ---- [a-zA-Z_0-9]+: (inference|training), graphs' w.c)
    follow=$(grep -c '^/\* The code is that of ' w.c)
    dispatched=$(grep -cE '(^|[{, ])kernel: ' once.yaml) # each by a dispatcher of its own file
    if [ $((2 * (follow + dispatched))) -lt "$graphs" ]; then
        echo "$follow of $graphs graphs follow another" >log
        not_ok "$name: all graphs share" log
    elif ! self $strict || grep -q '^not ok' report; then
        not_ok "$name: shared code passes its self-test" log report
    else
        ok "$name: $follow graphs share"
        num_shared=$((num_shared + follow))
    fi
done
check 'some graphs were there' test "$num_shared" -ge $((100 / every))

broken() { # WHAT SCRIPT: on w.c
    cp w.c right.c
    sed "$2" right.c >w.c
    if cmp -s right.c w.c; then
        not_ok "$1: the script changes nothing"
    elif self -std=c11 -w; then
        not_ok "$1 is noticed" report
    else
        ok "$1 is noticed"
    fi
    cp right.c w.c
}
twice "$root/examples/mlp/graph.yaml" >log 2>&1 || not_ok 'a training graph is generated twice' log
broken 'an error that names no graph' '/wg_fail_in(ctx, own->graph);/d'
broken 'an error that names another graph' 's/\(again_own = { "mlp\)_again/\1/'
broken 'a call of the compiled function of another graph' 's/mlp_kernel_again };/mlp_kernel };/'
broken 'a call of the compiled backward of another graph' 's/mlp_backward_kernel_again };/mlp_backward_kernel };/'
broken "what the other graph's entry passes" 's/&demo_mlp_again_own/\&demo_mlp_own/'
finish
