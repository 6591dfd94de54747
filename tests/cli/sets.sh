# SPDX-License-Identifier: MIT
# The outputs of a run are a set. A run that is killed at any step, or that runs at the same time as another, never leaves a new source with
# an old header, and the next run removes all of its temporary files.
sed 's/block/other/g' graph.yaml >other.yaml
for name in graph other; do
    mkdir "$name"
    "$WRAPGEN" $name.yaml --out $name/a.c --header $name/a.h --emit-contract $name/a.json
done
"${CC:-cc}" -shared -fPIC -o "$scratch/steps.so" "$root/tests/cli/steps/steps.c" -ldl
steps() { # VARIABLE=VALUE... -- ARGUMENT...: a run with the library preloaded
    env LD_PRELOAD="$scratch/steps.so" ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" "$@" 2>"$scratch/stderr"
}
write_set() { # YAML: as an argument list
    echo "$WRAPGEN $1.yaml --out set/a.c --header set/a.h --emit-contract set/a.json --fsync"
}
run_of() { # FILE: which run it is of
    for name in graph other; do
        if cmp -s "set/$1" "$name/$1"; then echo $name; fi
    done
}

# killed at every step
rm -rf set && cp -r graph set
n=0
status=137
while [ "$status" -eq 137 ] && [ $n -lt 100 ]; do
    n=$((n + 1))
    rm -rf set && cp -r graph set
    # shellcheck disable=SC2046 # a command with its arguments
    steps STEPS_KILL=$n $(write_set other) >/dev/null
    status=$?
    echo "$n: $(run_of a.c) $(run_of a.h) $(run_of a.json)" >>killed
    $(write_set other) || echo "$n: the next run failed" >>broken
    [ "$(run_of a.c) $(run_of a.h) $(run_of a.json)" = 'other other other' ] || echo "$n: the next run does not mend it" >>broken
    [ "$(ls -A set | tr '\n' ' ')" = 'a.c a.h a.json ' ] || echo "$n: left over: $(ls -A set)" >>broken
done
check "$case: a run of $n steps was killed at each" test "$n" -gt 12 -a "$n" -lt 100 -a "$status" -eq 0
check "$case: no file is torn" sh -c '! grep -Ev "^[0-9]+: (graph|other) (graph|other) (graph|other)$" killed'
check "$case: some sets are old, some are new" sh -c 'grep -q "graph graph graph" killed && grep -q "other other other" killed'
check "$case: the source is replaced last, so that a build repeats the run" sh -c '! grep ": other.*graph" killed'
check "$case: the next run mends it, and leaves nothing over" sh -c '! cat broken 2>/dev/null | grep .'

# two runs at the same time
n=0
while [ $n -lt 12 ]; do
    n=$((n + 1))
    rm -rf set && mkdir set
    # shellcheck disable=SC2046
    steps STEPS_SLOW=1 $(write_set graph) &
    # shellcheck disable=SC2046
    steps STEPS_SLOW=1 $(write_set other) || echo "the run failed" >>mixed
    wait $! || echo "the other run failed" >>mixed
    echo "$(run_of a.c) $(run_of a.h) $(run_of a.json) $(ls -A set | wc -l)" >>pairs
done
check "$case: twelve pairs of runs leave sets of one run" sh -c '
    test "$(wc -l <pairs)" -eq 12 && ! grep -Ev "^(graph graph graph|other other other) 3$" pairs && ! cat mixed 2>/dev/null | grep .'

# on the disk
rm -rf set && mkdir set
# shellcheck disable=SC2046
steps STEPS_LOG="$PWD/log" $(write_set graph)
check "$case: --fsync waits for each file before the first rename, and for the folder after the last" sh -c '
    test "$(grep -E "fsync|rename" log | uniq -c | tr -s " \n" " ")" = " 3 fsync 3 rename 1 fsync "'
rm -rf set && mkdir set
steps STEPS_LOG="$PWD/log.without" "$WRAPGEN" graph.yaml --out set/a.c
check "$case: without it nothing waits" sh -c 'grep -q rename log.without && ! grep fsync log.without'
rm -rf set && cp -r graph set
# shellcheck disable=SC2046
steps STEPS_FAIL=fsync $(write_set other)
status=$?
exits 3 'a disk that fails'
says 'Input/output error'
check "$case: the old set stays" test "$(run_of a.c) $(run_of a.h) $(run_of a.json) $(ls -A set | wc -l)" = 'graph graph graph 3'
run --print-schema --fsync
exits 2 '--fsync without outputs'
