# SPDX-License-Identifier: MIT
# Every system call that reads or writes files, or asks about them, fails once, each by itself. Then a run either does without it, or
# ends with a message and leaves the old set, unless files were replaced by then; the next run makes the new one; and nothing is
# left over.
sed 's/block/other/g' graph.yaml >other.yaml
for name in graph other; do
    mkdir "$name"
    "$WRAPGEN" $name.yaml --out $name/a.c --header $name/a.h --emit-contract $name/a.json
done
"${CC:-cc}" -shared -fPIC -o "$scratch/steps.so" "$root/tests/cli/steps/steps.c" -ldl
failing() { # CALL[:N[:ERRNO]] COMMAND...: leaves `status`, and a file `failed` when there was such a call
    rm -f "$scratch/failed"
    wanted=$1
    shift
    env STEPS_FAIL="$wanted" STEPS_FAILED="$scratch/failed" LD_PRELOAD="$scratch/steps.so" \
        ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
}
write_other() {
    echo "$WRAPGEN other.yaml --out set/a.c --header set/a.h --emit-contract set/a.json --fsync"
}
set_of() { # which run each file is of
    for file in a.c a.h a.json; do
        for name in graph other; do
            if cmp -s "set/$file" "$name/$file"; then printf '%s ' $name; fi
        done
    done
}
judge() { # what is wrong after the call failed
    case $status in
    0) [ "$(set_of)" = 'other other other ' ] || echo "ends well with $(set_of)" ;;
    3)
        case $(set_of) in
        'graph graph graph ') ;;
        'graph '*) grep -q 'already replaced' "$scratch/stderr" || echo "leaves $(set_of)" ;;
        'other other other ') grep -q 'until the folder is on the disk' "$scratch/stderr" || echo 'refuses what it made' ;;
        *) echo "leaves $(set_of)" ;;
        esac
        grep -q 'Input/output error \[E_IO\]\|already replaced \[E_IO\]' "$scratch/stderr" || echo "says $(cat "$scratch/stderr")"
        ;;
    *) echo "ends with $status" ;;
    esac
    [ "$call" = unlink ] || [ "$(ls -A set | tr '\n' ' ')" = 'a.c a.h a.json ' ] || echo "leaves over $(ls -A set)"
    $(write_other) && [ "$(set_of)" = 'other other other ' ] || echo 'is not mended'
}
for call in create open read write close fstat stat lstat access flock dup fchmod fsync rename unlink; do
    n=0
    : >wrong
    while [ $n -lt 100 ]; do
        rm -rf set && cp -r graph set
        # shellcheck disable=SC2046 # a command with its arguments
        failing $call:$((n + 1)) $(write_other)
        [ -s "$scratch/failed" ] || break
        n=$((n + 1))
        judge | sed "s/^/$n: /" >>wrong
    done
    check "$case: each of $n calls of $call fails" sh -c 'cat wrong; test "$1" -gt 0 && test "$1" -lt 100 && ! grep -q . wrong' sh "$n"
done

# interrupted, or there already
for again in read:1:4 open:1:4 flock:1:11; do
    rm -rf set && cp -r graph set
    # shellcheck disable=SC2046
    failing $again $(write_other)
    exits 0 "$again is tried again"
    check "$case: and the set is written" test "$(set_of)" = 'other other other '
done
rm -rf set && cp -r graph set
# shellcheck disable=SC2046
failing create:0:17 $(write_other)
exits 3 'every name of a temporary file is taken'
says 'cannot make a new file next to it: File exists'

# those that only some outputs need
ln -s set/a.c link.c
failing readlink "$WRAPGEN" graph.yaml --out link.c
exits 3 'a link that cannot be read'
says 'link.c: error: cannot be looked up: Input/output error'
"$WRAPGEN" graph.yaml --out set/a.c
failing open:3 "$WRAPGEN" graph.yaml --out set/a.c --check # after the input, and after what the file says of parts
exits 3 '--check of a file that cannot be read'
says 'set/a.c: error: cannot be read: Input/output error'
echo >>set/a.c
failing open:4 "$WRAPGEN" graph.yaml --out set/a.c --check # nor can it be read again, to show how it differs
exits 3 '--check of a stale file that cannot be read'
says 'set/a.c: error: cannot be read: Input/output error'
failing mkdir "$WRAPGEN" graph.yaml --print-host-skeleton below/here
exits 3 'a folder that cannot be made'
says 'cannot make this folder: Input/output error'
"$WRAPGEN" graph.yaml --out parts.c --header parts.h --split 2
failing unlink "$WRAPGEN" graph.yaml --out parts.c --header parts.h
exits 3 'a part that cannot be taken away'
says 'is not made any more, but cannot be removed: Input/output error'
if [ "$(id -u)" -eq 0 ]; then
    echo old >theirs.c && chown 12345 theirs.c
    failing fchown "$WRAPGEN" graph.yaml --out theirs.c
    exits 3 'an owner that cannot be kept'
    says 'theirs.c: error: cannot be written: Input/output error'
    failing fchown:1:1 "$WRAPGEN" graph.yaml --out theirs.c
    exits 0 'one that may not be given away'
else
    skip "$case: an owner that cannot be kept" 'only root can give files away'
fi
mkfifo pipe
exec 9<>pipe
for call in append fcntl close; do
    n=0
    : >wrong
    while [ $n -lt 20 ]; do
        failing $call:$((n + 1)) "$WRAPGEN" graph.yaml --out pipe
        [ -s "$scratch/failed" ] || break
        n=$((n + 1))
        case $status in 0 | 3) ;; *) echo "$n: ends with $status" >>wrong ;; esac
        timeout 1 cat <pipe >"$scratch/piped"
    done
    check "$case: each of $n calls of $call fails next to a named pipe" sh -c 'cat wrong; test "$1" -gt 0 && ! grep -q . wrong' sh "$n"
done
exec 9>&-
"$WRAPGEN" graph.yaml --out expected.c
exec 8<>gone.c && rm gone.c
"$WRAPGEN" graph.yaml --out /proc/self/fd/8
check "$case: a file without a name is written through what /proc has of it" cmp expected.c /proc/self/fd/8
exec 8>&-
