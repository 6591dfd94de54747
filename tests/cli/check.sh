# SPDX-License-Identifier: MIT
# --check: fresh, stale, missing; a unified diff, the command that mends it, exit code 1, nothing written.
run --in graph.yaml --out a.c --header a.h
run --check --in graph.yaml --out a.c --header a.h
exits 0 'fresh'
silent 'fresh: says nothing'

run --check --in graph.yaml --out gone.c
exits 1 'missing'
prints '--- /dev/null'
prints '+++'
says 'an output is missing or stale'
says "to write it: $WRAPGEN --in graph.yaml --out gone.c"
check "$case: nothing was written" test ! -e gone.c

cp a.h fresh.h
sed '3s/^/changed /' fresh.h >a.h
run --check --in graph.yaml --out a.c --header a.h
exits 1 'stale'
prints '@@'
prints '-changed '
check "$case: nothing was changed" sh -c "sed '3s/^/changed /' fresh.h | cmp - a.h"
cp "$scratch/stdout" stale.diff
cp a.h patched.h
check "$case: the diff is one that patch would take" sh -c '
    command -v patch >/dev/null || exit 0
    patch -s patched.h stale.diff && cmp patched.h fresh.h'
check "$case: and says what diff -u would say" sh -c 'diff -u a.h fresh.h | tail -n +3 >x; tail -n +3 stale.diff | cmp - x'

# the command is one for a shell, whatever the names are
name="it's a \$name & more.c"
run --in graph.yaml --check --out "$name"
exits 1 'an awkward name'
command=$(sed -n 's/.*to write it: //p' "$scratch/stderr")
sh -c "$command"
run --in graph.yaml --check --out "$name"
exits 0 'the command mends it'

run --check --in graph.yaml --out a.c --header a.h --depfile a.d
exits 1 'stale, with a depfile'
check "$case: the depfile is not an output to compare, and not written" test ! -e a.d
run --check --in graph.yaml --out gone.c --diagnostics json
says '"E_STALE"'
run --in graph.yaml --out b.c
run --check --in graph.yaml --out b.c --depfile b.d
exits 0 'fresh, with a depfile that is not there'
silent 'and says nothing of it'

run --in graph.yaml --out c.c --emit-selftest s.c
run --check --in graph.yaml --out c.c --emit-selftest s.c
exits 0 'fresh, with a self-test'
echo >>s.c
run --check --in graph.yaml --out c.c --emit-selftest s.c
exits 1 'a stale self-test'
run --in graph.yaml --out c.c --emit-proof p.c
run --check --in graph.yaml --out c.c --emit-proof p.c
exits 0 'fresh, with a proof'
echo >>p.c
run --check --in graph.yaml --out c.c --emit-proof p.c
exits 1 'a stale proof'
