# SPDX-License-Identifier: MIT
# Runs that write into one folder take turns. Whoever waits says so, can be interrupted, and is held up by nothing but a lock.
"$WRAPGEN" graph.yaml --out a.c >/dev/null
within() { # SECONDS ARGUMENT...: a run that may not take longer
    seconds=$1
    shift
    timeout -k 1 "$seconds" "$WRAPGEN" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
}

# anything but a plain file is refused, at once, and stays
if [ "$(id -u)" -eq 0 ]; then device='mknod .wrapgen.lock c 1 5'; else device=true; fi
for make in 'mkfifo .wrapgen.lock' 'mkdir .wrapgen.lock' 'ln -s nowhere .wrapgen.lock' 'ln -s a.c .wrapgen.lock' "$device"; do
    $make 2>/dev/null
    [ -e .wrapgen.lock ] || [ -L .wrapgen.lock ] || continue
    echo old >b.c
    within 20 graph.yaml --out b.c
    exits 3 "a lock made by: $make"
    says '.wrapgen.lock: error: is not a plain file, so runs cannot take turns with it; remove it [E_IO]'
    check "$case: the old file stays" sh -c 'echo old | cmp - b.c'
    check "$case: and what is there under that name" sh -c 'test -e .wrapgen.lock -o -L .wrapgen.lock'
    within 20 graph.yaml --out a.c
    exits 3 'the same where nothing is to be written, since a run may be at it'
    rm -rf .wrapgen.lock b.c
done

if command -v flock >/dev/null 2>&1; then
    : >.wrapgen.lock
    flock .wrapgen.lock sleep 4 &
    sleep 0.3
    within 60 graph.yaml --out b.c
    exits 0 'a run waits for whoever has locked it'
    says './.wrapgen.lock: note: waiting for another process, which has locked this file'
    wait
    : >.wrapgen.lock
    flock .wrapgen.lock sleep 4 &
    sleep 0.3
    rm b.c
    within 60 graph.yaml --out b.c --diagnostics json
    exits 0 'and says so in JSON where all is'
    says '{"file":"./.wrapgen.lock","line":null,"column":null,"length":null,"severity":"note","code":null,"message":"waiting for another process'
    wait
    : >.wrapgen.lock
    flock .wrapgen.lock sleep 0.4 &
    sleep 0.1
    rm b.c
    within 60 graph.yaml --out b.c
    exits 0 'who waits for less than a second'
    silent 'says nothing'
    wait
    for signal in TERM INT; do
        : >.wrapgen.lock
        flock .wrapgen.lock sleep 6 &
        sleep 0.3
        rm -f b.c
        timeout -k 2 -s "$signal" 2 "$WRAPGEN" graph.yaml --out b.c 2>"$scratch/stderr"
        status=$?
        exits 124 "who waits can be ended by $signal, and need not be killed"
        wait
    done
    rm -f .wrapgen.lock b.c
fi

# two runs over a set that is there: one may have nothing to write when it begins, the other replaces all of it
sed 's/block/other/g' graph.yaml >other.yaml
for name in graph other; do
    mkdir "$name"
    "$WRAPGEN" $name.yaml --out $name/a.c --header $name/a.h --emit-contract $name/a.json
done
is_of_one_run() {
    for name in graph other; do
        diff -r "$name" set >/dev/null && return
    done
    return 1
}
"${CC:-cc}" -shared -fPIC -o "$scratch/steps.so" "$root/tests/cli/steps/steps.c" -ldl
slowly() { # ARGUMENT...: each rename takes 20 ms, and so does a look at a file
    env LD_PRELOAD="$scratch/steps.so" STEPS_SLOW=1 ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" "$WRAPGEN" "$@"
}
write_set() { # YAML
    slowly "$1.yaml" --out set/a.c --header set/a.h --emit-contract set/a.json
}
pairs=0
mixed=0
for old in graph other; do
    for delay in 0 0 0.005 0.005 0.01 0.01 0.02 0.03 0.05; do
        rm -rf set && cp -r $old set
        write_set $old 2>>failed || echo failed >>failed &
        sleep $delay
        write_set $([ $old = graph ] && echo other || echo graph) 2>>failed || echo failed >>failed
        wait
        pairs=$((pairs + 1))
        is_of_one_run || mixed=$((mixed + 1))
    done
done
check "$case: $pairs pairs of runs over a set that is there leave sets of one run ($mixed did not)" test $mixed -eq 0
check "$case: none of them fails" test ! -s failed

# a set in parts: what another run made meanwhile is taken away by the run whose turn comes last
{
    sed 's/block/one/g' graph.yaml
    for name in two three four; do sed -n '/- name: block/,$p' graph.yaml | sed "s/block/$name/g"; done
} >four.yaml
rm -rf set && mkdir set
"$WRAPGEN" four.yaml --out set/a.c --header set/a.h --split 1
for n in 1 2 3 4 5 6; do
    slowly four.yaml --out set/a.c --header set/a.h --split 4 2>>failed &
    slowly four.yaml --out set/a.c --header set/a.h --split 2 2>>failed
    wait
    listed=$(sed -n 's/#include "\(a\.[0-9]*\.c\)"/\1/p' set/a.c | sort | tr '\n' ' ')
    [ "$listed" = "$(cd set && ls a.*.c | sort | tr '\n' ' ')" ] || echo "$n: $listed, not $(ls set)" >>parts
done
check "$case: parts of two runs do not mix" sh -c '! cat parts 2>/dev/null | grep .'
