#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Graphs that are the same but for names share their code, and work. Every graph of the golden tests, of the self-tests and of
# the examples is generated together with itself under other names, its own and those of its inputs, outputs and bases: all of
# the second file share, except those that call a dispatcher, which is their own file's. The C compiles without a warning, and
# its self-test passes, so every operation is run in shared form and every error names what its own graph names; what else an
# error says is the same under other names. One file in SELFTEST_EVERY is taken (5; 25 under sanitizers), which one says PART.
# Graphs that differ in one key do not share: tests/keys tries every key.
#
# Shared code that was broken on purpose is noticed: the graph and the argument that an error names, the compiled function that
# is called.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
case " $EXTRA " in
*sanitize*) every=${SELFTEST_EVERY-25} ;;
*) every=${SELFTEST_EVERY-5} ;;
esac
strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$selftest_library $(printf ' -I%s' "$root"/templates/hosts/*/)"
build_library
build_program keys_of_sharing "$root/tests/keys/keys.c" -lcyaml -lyaml || finish
cd "$scratch" || exit 1
core=
for file in core/wg_cold core/wg_overlap core/wg_dispatch core/wg_key_text selftest/wg_selftest; do
    case $file in selftest/*) source=$selftest_library/wg_selftest.c ;; *) source=$root/templates/$file.c ;; esac
    # shellcheck disable=SC2086
    check "$file.c compiles" $CC -O1 $strict $EXTRA $include -c -o "${file#*/}.o" "$source"
    core="$core ${file#*/}.o"
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

# What errors of a file say but for the graph and the argument that they name. Shared code says it for all of its graphs, so
# no other names may be in it.
says() { # YAML ARGUMENT...
    "$WRAPGEN" "$@" --out said.c --header said.h >log 2>&1 &&
        sed -n 's/^.*{ \("[^"]*"\|NULL\), \("[^"]*"\|NULL\), \(.*, WG_E_[A-Z_]*, WG_KIND_[A-Z_]*\) }.*$/\3/p' said.c
}

# shellcheck disable=SC2086 # lists of flags
self() { # FLAG...: builds and runs the self-test
    $CC "$@" $EXTRA -O0 $include -I. -o self self.c $core >log 2>&1 && ./self 3 >report 2>>log
}

number=0
num_shared=0
num_said=0
for yaml in "$root"/tests/selftest/*.yaml "$root"/tests/golden/*/graph.yaml "$root"/examples/*/graph.yaml; do
    name=${yaml#"$root"/}
    number=$((number + 1))
    in_sample $number "$every" || continue
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
    # shellcheck disable=SC2046 # words
    for file in once again; do
        says $file.yaml $([ ! -f "$(dirname "$yaml")/args" ] || cat "$(dirname "$yaml")/args") >$file.says
    done
    num_said=$((num_said + $(wc -l <once.says)))
    cmp -s once.says again.says || {
        diff once.says again.says >log
        not_ok "$name: an error says the same under other names" log
    }
done
check 'some graphs were there' test "$num_shared" -ge $((50 / every))
check 'errors were compared' test "$num_said" -ge $((500 / every))

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
broken 'an error that names the first graph'"'"'s argument' '/wg_fail_as(ctx, demo_mlp_names, /d'
broken "an error of a backward that names the first graph's" '/wg_fail_as(ctx, demo_mlp_backward_names, /d'
broken "names that are those of the first graph" 's/\(again_own = { "mlp_again", \)demo_mlp_again_names/\1demo_mlp_names/'
broken 'names in another order' '/demo_mlp_again_names\[\] = {/,/};/{s/"x_again"/"?"/;s/"target_again"/"x_again"/;s/"?"/"target_again"/}'
broken 'an error that names no graph' '/wg_fail_in(ctx, own->graph);/d'
broken 'an error that names another graph' 's/\(again_own = { "mlp\)_again/\1/'
broken 'a call of the compiled function of another graph' 's/mlp_kernel_again };/mlp_kernel };/'
broken 'a call of the compiled backward of another graph' 's/mlp_backward_kernel_again };/mlp_backward_kernel };/'
broken "what the other graph's entry passes" 's/&demo_mlp_again_own/\&demo_mlp_own/'

# What belongs to one graph is not shared with its code.
cat >generators.yaml <<'YAML'
wrapgen: 1
graphs:
  - {name: first, mode: inference, compiled: first_kernel, rng: graphsafe, rng_states: 1, rng_device: cpu, inputs: [], outputs: []}
  - {name: second, mode: inference, compiled: second_kernel, rng: graphsafe, rng_states: 1, rng_device: cpu, inputs: [], outputs: []}
YAML
build_generators() {
    "$WRAPGEN" generators.yaml --out w.c --header w.h && grep -q '^/\* The code is that of first' w.c &&
        # shellcheck disable=SC2086 # lists of flags
        $CC -O0 $strict -D_POSIX_C_SOURCE=200809L $EXTRA $include -I. -o generators "$root/tests/sharing/generators.c" w.c \
            "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
}
check 'graphs with generators share their code' build_generators
check 'each has generators of its own' ./generators
finish
