# SPDX-License-Identifier: MIT
# Input and output that fail: exit code 3, a message, the old file as it was. Never a signal.
run --in missing.yaml --out a.c
exits 3 'an input that is not there'
says 'missing.yaml: error:'
says 'E_IO'
run --in . --out a.c
exits 3 'an input that is a folder'
run --in graph.yaml --out missing/a.c
exits 3 'an output in a folder that is not there'
says 'missing/a.c'
run --in missing.yaml --in gone.yaml --out a.c
says 'missing.yaml'
says 'gone.yaml'
check "$case: nothing was written" test ! -e a.c

for arguments in --help --version '--in graph.yaml --out -' '--in graph.yaml --dump plan' --print-schema --print-host-schema '--print-host native'; do
    # shellcheck disable=SC2086 # lists
    "$WRAPGEN" $arguments >/dev/full 2>"$scratch/stderr"
    status=$?
    exits 3 "$arguments: standard output is full"
    says 'No space left on device'
    # shellcheck disable=SC2086
    "$WRAPGEN" $arguments >&- 2>"$scratch/stderr"
    status=$?
    exits 3 "$arguments: standard output is closed"
done
"$WRAPGEN" --in graph.yaml --out a.c >&- 2>"$scratch/stderr" <&-
status=$?
exits 0 'closed streams that are not needed do not matter'
"$WRAPGEN" --in - --out b.c <&- 2>"$scratch/stderr"
status=$?
exits 3 'standard input is closed'
check "$case: so no output" test ! -e b.c
"$WRAPGEN" --in graph.yaml --out - --depfile closed.d --deptarget a.c >&- 2>"$scratch/stderr"
status=$?
exits 3 'standard output is closed, with another output'
check "$case: which does not get its bytes" test ! -e closed.d
"$WRAPGEN" --nothing 2>&-
status=$?
exits 2 'standard error is closed'
{ "$WRAPGEN" --help; echo $? >"$scratch/pipe"; } 2>"$scratch/stderr" | true
status=$(cat "$scratch/pipe")
check "$case: a closed pipe is not a signal" test "$status" -eq 3 -o "$status" -eq 0

# a file size limit strikes in the middle of the write
cp a.c kept.c
echo 'old' >a.c
(ulimit -f 1 && exec "$WRAPGEN" --in graph.yaml --out a.c) 2>"$scratch/stderr"
status=$?
exits 3 'a file size limit'
check "$case: the old file is untouched" sh -c 'echo old | cmp - a.c'
check "$case: nothing is left over" sh -c 'test "$(ls -A | sort | tr "\n" " ")" = "a.c graph.yaml kept.c "'
(ulimit -f 0 && exec "$WRAPGEN" --help) >help.txt 2>"$scratch/stderr"
status=$?
exits 3 'a file size limit of standard output'
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 555 locked
    run --in graph.yaml --out locked/a.c
    exits 3 'a folder without permission'
    chmod 755 locked
fi

# What is read under one name and written under another, standard input too.
cp graph.yaml both.yaml
"$WRAPGEN" --in - --out both.yaml <both.yaml 2>"$scratch/stderr"
status=$?
exits 2 'standard input is the output'
says 'would overwrite standard input'
check "$case: it is as it was" cmp graph.yaml both.yaml
ln both.yaml twin.yaml
"$WRAPGEN" --in - --out a.c --header twin.yaml <both.yaml 2>"$scratch/stderr"
status=$?
exits 2 'standard input is an output under another name'
"$WRAPGEN" --in - --out a.c <both.yaml 2>"$scratch/stderr"
status=$?
exits 0 'standard input, with another output'
rm both.yaml twin.yaml

# A pipe where a file should be gives an error, or is read; it never waits forever.
mkfifo fifo
mkdir pipes && mkfifo pipes/graph.mustache
run --in graph.yaml --out a.c --templates pipes
exits 3 'a pipe in the place of a template'
says 'is not a regular file'
run --in graph.yaml --out fifo
exits 3 'a pipe without a reader'
says 'it has no reader'
cat fifo >came.c &
run --in graph.yaml --out fifo
exits 0 'a pipe with a reader'
wait
run --in graph.yaml --out a.c
check "$case: it brings all" cmp a.c came.c
cat graph.yaml >fifo &
run --in fifo --out b.c
wait
exits 0 'a pipe that somebody writes'
mkfifo wg_core.h && mkdir -p parts/core && mv wg_core.h parts/core
run --print-templates parts
exits 3 'a pipe in the place of a file of --print-templates'
rm -r fifo pipes parts came.c b.c

# Rights to run as somebody else belong to what was there, not to what replaces it.
echo old >a.c
chmod 6755 a.c
run --in graph.yaml --out a.c
check "$case: no set-user-ID is handed on" test ! -u a.c -a ! -g a.c -a -x a.c
