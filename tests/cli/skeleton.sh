# SPDX-License-Identifier: MIT
# --print-host-skeleton: where it writes, what it refuses. (tests/skeleton compiles a skeleton of every golden case.)
run --print-host-skeleton hosts/mine graph.yaml
exits 0 'a skeleton'
silent 'it says nothing'
(cd hosts/mine && ls) >found
printf 'host.schema.json\nhost.yaml\nwg_mine.c\nwg_mine.h\n' >expected
check "$case: four files" diff expected found
run --in graph.yaml --host hosts/mine/host.yaml --out a.c
exits 0 'the graph generates for it'
check "$case: over its header" grep -qx '#include "wg_mine.h"' a.c
run --print-host-skeleton hosts/mine/ graph.yaml
exits 0 'once more over the same'
echo '/* mine */' >>hosts/mine/wg_mine.c
cp hosts/mine/wg_mine.c kept
run --print-host-skeleton hosts/mine graph.yaml
exits 0 'over a host that was begun'
says 'hosts/mine/host.yaml: note: has every verb that is needed; nothing is written'
check "$case: which stays as it is" cmp kept hosts/mine/wg_mine.c
mkdir -p hosts/parts/theirs
cp kept hosts/parts/theirs/wg_theirs.c
refuses 'hosts/parts/theirs/wg_theirs.c: error: this file exists and differs; it is left as it is' --print-host-skeleton hosts/parts/theirs graph.yaml
echo 'name: [' >hosts/parts/theirs/host.yaml
refuses 'hosts/parts/theirs/host.yaml:' --print-host-skeleton hosts/parts/theirs graph.yaml
refuses "is called like the host, so 'my-host' must be an identifier" --print-host-skeleton hosts/my-host graph.yaml
refuses "so '' must be an identifier" --print-host-skeleton / graph.yaml
refuses 'no input' --print-host-skeleton hosts/other
for option in '--out b.c' '--header b.h' '--host native' '--emit-contract b.json' '--emit-limits b.h' '--emit-selftest b.c' '--emit-proof b.c' '--emit-kernel-stub b.c' \
    '--emit-python b.c' '--depfile b.d' '--deptarget b' '--fsync' '--split 2'; do
    # shellcheck disable=SC2086 # an option and its value
    refuses "'${option%% *}' cannot be used with '--print-host-skeleton'" --print-host-skeleton hosts/other graph.yaml $option
done
check "$case: what is refused writes nothing" test ! -e hosts/other

# A second input adds what it needs; the options that change the C count.
sed 's/name: x, /name: x, mutates_data: true, requires_grad: true, is_leaf: false, /; s/prefix: .*/prefix: more_/' graph.yaml >more.yaml
run --print-host-skeleton one graph.yaml
run --print-host-skeleton two graph.yaml more.yaml
exits 0 'two inputs'
run --print-host-skeleton one more.yaml
exits 0 'a host that lacks something'
says 'one/host.yaml: note: lacks wg_copy_: '
says "'one/wg_one_more.txt' has them, to be copied"
check "$case: the second needs a copy" sh -c '! grep -q wg_copy_ one/host.yaml && grep -q wg_copy_ two/host.yaml'
