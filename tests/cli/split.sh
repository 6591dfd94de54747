# SPDX-License-Identifier: MIT
# --split: parts that compile one by one and say the same as one source, and a change of one graph changes one part.
strict='-std=c11 -O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$root/templates/hosts/native"

graph() { # NAME SIZE
    echo "  - {name: $1, mode: inference, compiled: $1_kernel, outputs: [{name: y, type: non_alias}],"
    echo "     inputs: [{name: x, dtype: float32, size: [$2], stride: [1], mutates_data: true}]}"
}
models() { # MOST [SED-SCRIPT]: graphs (every third is alike), one that calls a kernel, and a kernel that chooses among graphs
    echo 'wrapgen: 1'
    echo 'prefix: demo_'
    echo 'graphs:'
    n=0
    while [ $n -lt "$1" ]; do
        graph g$n $((n % 3 + 4))
        n=$((n + 1))
    done
    cat <<'end'
  - {name: calls, mode: inference, kernel: pick, inputs: [{name: x, dtype: float32, size: [4], stride: [1]}], outputs: [{name: y, type: non_alias}]}
kernels:
  - name: pick
    args: [{name: x, kind: tensor}]
    variants: [{graph: g1, when: [{arg: x, dtype: float32, size: [5]}]}, {graph: g2, when: [{arg: x, dtype: float32, size: [6]}]}, {symbol: otherwise}]
end
}
generate() { # FOLDER YAML... OPTION...
    folder=$1
    shift
    mkdir -p "$folder"
    "$WRAPGEN" -Wno-refused --out "$folder/w.c" --header "$folder/w.h" "$@" >"$scratch/log" 2>&1
}
differing() { # FOLDER FOLDER: the names of the files that are not the same in both, in a line
    { diff -rq "$1" "$2" || :; } | sed -E "s|^Only in [^:]*: (.*)|\1|; s|^Files [^ ]*/([^ /]*) and .*|\1|" | sort | tr '\n' ' '
}
symbols() { # OBJECT...: what they define for others, but for the numbers of headers
    nm -g --defined-only "$@" | awk 'NF == 3 && $3 !~ /wg_contract_/ { print $3 }' | sort
}
part_with() { # FOLDER TEXT: the number of the part that defines it
    grep -l -- "$2" "$1"/w.*.c | sed -E 's|.*/w\.(.*)\.c|\1|'
}

models 24 >models.yaml
check "$case: one source" generate whole models.yaml
check "$case: four parts" generate parts models.yaml --split 4
check "$case: a part for each graph" generate graphs models.yaml --split graphs
check "$case: no part is empty" sh -c 'for n in 0 1 2 3; do grep -q "_core(" parts/w.$n.c || exit 1; done'
check "$case: the sources are the parts, and one that includes them" sh -c '
    test "$(cd parts && echo *)" = "w.0.c w.0.h w.1.c w.1.h w.2.c w.2.h w.3.c w.3.h w.c w.h" && test "$(ls graphs | wc -l)" -eq 54'
generate again models.yaml --split 4
check "$case: the same bytes in another folder" diff -r parts again
compile_each() { # FOLDER: each part, and the source that includes all
    for source in "$1"/*.c; do
        # shellcheck disable=SC2086 # flags
        $CC $strict $EXTRA $include -c -o "${source%.c}.o" "$source" || return 1
    done
}
for folder in whole parts graphs; do
    check "$case: $folder: every source compiles by itself under the strict flags" compile_each $folder
done
symbols whole/w.o >expected
for folder in parts graphs; do
    symbols $folder/w.*.o >found
    check "$case: $folder: the parts define what one source does, each function once" cmp expected found
    symbols $folder/w.o >found
    check "$case: $folder: so does the source that includes them" cmp expected found
done
nm -u whole/w.o | awk '$2 !~ /^wg_contract_/ { print $2 }' | sort -u >expected
nm -u parts/w.*.o | awk 'NF == 2 && $2 !~ /^(wg_contract_|demo_)/ { print $2 }' | sort -u >found
check "$case: they call what one source calls" cmp expected found
rm whole/*.o parts/*.o graphs/*.o

# self-tests and contracts
check "$case: with a self-test and a contract" generate tested models.yaml --split 3 --emit-selftest tested/self.c --emit-contract tested/w.json
generate untested models.yaml --emit-contract untested/w.json
check "$case: the contract is the same" cmp tested/w.json untested/w.json
# shellcheck disable=SC2086 # flags
check "$case: the self-test runs the parts" sh -c "$CC -std=c11 $EXTRA $include -I$selftest_library -o tested/self tested/self.c $selftest_library/wg_selftest.c $root/templates/core/*.c && tested/self >tested/log && grep -q \"^ok .*demo_pick, variant 'g2'\" tested/log"

# what a change changes: each time the same file with other graphs
cp models.yaml original.yaml
awk '/name: g7,/ { print; getline; sub(/true/, "false") } { print }' original.yaml >models.yaml
generate changed models.yaml --split 4
of_g7=$(part_with parts '^int32_t demo_g7(')
check "$case: a changed graph changes its part" test "$(differing parts changed)" = "w.$of_g7.c w.$of_g7.h w.c "
awk '/name: g12,/ { print "  - {name: extra, mode: inference, compiled: extra_kernel, outputs: [{name: y, type: non_alias}],"
    print "     inputs: [{name: x, dtype: float32, size: [5], stride: [1]}]}" } { print }' original.yaml >models.yaml
generate added models.yaml --split 4
of_extra=$(part_with added '^int32_t demo_extra(')
check "$case: a graph that is added in the middle changes its part" test "$(differing parts added)" = "w.$of_extra.c w.$of_extra.h w.c "
generate more models.yaml --split graphs
check "$case: with a part for each graph, no part that was there" test "$(differing graphs more)" = 'w.c w.demo_extra.c w.demo_extra.h w.h '
awk '/name: g0,/ { getline; next } { print }' original.yaml >models.yaml
generate removed models.yaml --split 4
of_g0=$(part_with parts '^int32_t demo_g0(')
check "$case: a graph that is removed, the first of those that share code, changes its part" test "$(differing parts removed)" = "w.$of_g0.c w.$of_g0.h w.c "
sed 's/^graphs:/symbols: [{name: unused, min: 2}]\ngraphs:/' original.yaml >models.yaml
generate symbol models.yaml --split 4
check "$case: a symbol that nothing uses changes none" test "$(differing parts symbol)" = 'w.c '
cp original.yaml models.yaml
for n in 3 11 17; do
    { printf 'wrapgen: 1\nprefix: demo_\ngraphs:\n' && graph g$n 4; } >alone.yaml
    generate alone$n alone.yaml --split 4
    check "$case: g$n is in the same part without the others" test "$(part_with alone$n "^int32_t demo_g$n(")" = "$(part_with parts "^int32_t demo_g$n(")"
done
plainly() { # FILE: without what tells a part from one source
    sed -E 's/(graphs|kernels)\[[a-z0-9]*\]/\1/g; s/wrapgen_host_[0-9a-f]{16}/wrapgen_host/; s/"w\.0\.h"/"w.h"/; s/(contract_|CONTRACT_)[0-9a-f]*/\1/g; s/ Input [0-9a-f]*\.//' "$1"
}
generate folded models.yaml --split 1
plainly whole/w.c >expected
plainly folded/w.0.c >found
check "$case: the only part is the same as the source that is not split" cmp expected found

# what is written, and what is taken away
find parts -name 'w*' -exec touch -d '2001-02-03 04:05:06' {} +
awk '/name: g7,/ { print; getline; sub(/true/, "false") } { print }' original.yaml >models.yaml
generate parts models.yaml --split 4
check "$case: a run writes what changed, and leaves the rest alone" test "$(find parts -newermt 2002-01-01 -type f | sort | tr '\n' ' ')" = "parts/w.$of_g7.c parts/w.$of_g7.h parts/w.c "
echo mine >parts/w.mine.c
echo '#include "w.mine.c"' >>parts/w.c
cp parts/w.0.c parts/w.copy.c
run --check --split 2 models.yaml --out parts/w.c --header parts/w.h
exits 1 '--check with fewer parts'
for file in w.2.c w.2.h w.3.c w.3.h; do
    prints "--- parts/$file"
done
check "$case: --check takes nothing away" test -f parts/w.3.c
generate parts models.yaml --split 2
check "$case: parts that an earlier run made and this one does not are taken away, and nothing else" test "$(ls parts | tr '\n' ' ')" = 'w.0.c w.0.h w.1.c w.1.h w.c w.copy.c w.h w.mine.c '
run --check --split 2 models.yaml --out parts/w.c --header parts/w.h
exits 0 '--check after it'
generate parts models.yaml
check "$case: so are all when there are none any more" test "$(ls parts | tr '\n' ' ')" = 'w.c w.copy.c w.h w.mine.c '

# the names of graphs are known once the file is read
sed 's/mode: [a-z]*/mode: nothing/' original.yaml >broken.yaml
run --list-outputs --split graphs broken.yaml --out w.c --header w.h
says 'broken.yaml:'
exits 2 '--list-outputs --split graphs of a file with a mistake'

# killed at every step, a set is mended by the next run
"${CC:-cc}" -shared -fPIC -o "$scratch/steps.so" "$root/tests/cli/steps/steps.c" -ldl
generate mended models.yaml --split 2
status=137 n=0
while [ "$status" -eq 137 ] && [ $n -lt 200 ]; do
    n=$((n + 1))
    rm -rf killed && cp -r graphs killed
    env STEPS_KILL=$n LD_PRELOAD="$scratch/steps.so" ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" \
        "$WRAPGEN" -Wno-refused models.yaml --out killed/w.c --header killed/w.h --split 2 >/dev/null 2>&1
    status=$?
    generate killed models.yaml --split 2
    diff -r mended killed >>unmended 2>&1
    ls -A killed | grep '^\.' >>unmended
done
check "$case: a run of $n steps was killed at each" test "$n" -gt 50 -a "$n" -lt 200 -a "$status" -eq 0
check "$case: the next run mends the set" sh -c '! grep . unmended'

# more outputs than there are descriptors
models 700 >many.yaml
mkdir many
check "$case: 1406 outputs with 100 descriptors" sh -c 'ulimit -n 100; "$WRAPGEN" -Wno-refused many.yaml --out many/w.c --header many/w.h --split graphs && test "$(ls many | wc -l)" -eq 1406'

# a part for each file
{ printf 'wrapgen: 1\nprefix: demo_\ngraphs:\n' && graph a 4; } >a.yaml
{ printf 'wrapgen: 1\nprefix: demo_\ngraphs:\n' && graph b 4; } >b-2.yaml
generate files a.yaml b-2.yaml --split files
check "$case: a part for each file" test "$(cd files && echo *)" = 'w.a.c w.a.h w.b-2.c w.b-2.h w.c w.h'
check "$case: which names that file alone" sh -c 'head -n 1 files/w.b-2.c | grep -q "from b-2.yaml; do not edit\. \*/"'
check "$case: both compile" compile_each files
rm -f files/*.o
cp -r files before
{ printf 'wrapgen: 1\nprefix: demo_\ngraphs:\n' && graph b 5; } >b-2.yaml
generate files a.yaml b-2.yaml --split files
check "$case: a changed file changes its part" test "$(differing before files)" = 'w.b-2.c w.b-2.h w.c '
{ printf 'wrapgen: 1\nprefix: demo_\ngraphs:\n' && graph b wrong; } >b-2.yaml
sed -i 's/mode: inference/mode: interference/' a.yaml
run a.yaml b-2.yaml --out files/w.c --header files/w.h --split files
exits 2 'mistakes in two files'
says 'a.yaml:4'
mkdir below
cp b-2.yaml below/b-2.yml
refuses "with '--split files', both 'b-2.yaml' and 'below/b-2.yml' would be the part 'b-2'" graph.yaml --out w.c --header w.h --split files b-2.yaml below/b-2.yml
refuses "with '--split files', both 'b-2.yaml' and 'below/b-2.yml' would be the part 'b-2'" --list-outputs --out w.c --header w.h --split files b-2.yaml below/b-2.yml

# names without writing
for kind in 3 graphs; do
    generate named models.yaml --split $kind
    run --list-outputs models.yaml --out named/w.c --header named/w.h --split $kind
    exits 0 "--list-outputs --split $kind"
    check "$case: it lists what is written" sh -c 'sort "$1" >listed; find named -type f | sort | cmp - listed' sh "$scratch/stdout"
done
for kind in 3 files; do
    run --list-outputs nowhere.yaml --out w.c --header w.h --split $kind
    exits 0 "--list-outputs --split $kind reads nothing"
done
prints 'w.nowhere.h'

# together with other options
refuses "'--split' takes graphs, files, or a number of parts from 1 to 99999, not '0'" graph.yaml --out w.c --header w.h --split 0
refuses "'--split' takes graphs, files, or a number of parts from 1 to 99999, not '100000'" graph.yaml --out w.c --header w.h --split 100000
refuses "'--split' takes graphs, files, or a number of parts from 1 to 99999, not 'graph'" graph.yaml --out w.c --header w.h --split graph
refuses "'--split' needs '--header'" graph.yaml --out w.c --split 2
refuses "'--split' needs an --out that an #include can hold, not '-'" graph.yaml --out - --header w.h --split 2
refuses "'--split files' needs inputs with names that an #include can hold, not '-'" - --out w.c --header w.h --split files
refuses "'--split' cannot be used with '--dump'" graph.yaml --header w.h --split 2 --dump plan
refuses "'--split' cannot be used with '--size-report'" graph.yaml --header w.h --split 2 --size-report
refuses "'--split' cannot be used with '--print-schema'" --print-schema --split 2
run graph.yaml --out built/../w.c --header w.h --split 2 --depfile w.d
exits 3 'a folder that is missing'
run graph.yaml --out w.c --header w.h --split 2 --depfile w.d
check "$case: the rule of --depfile is about the source that includes the parts" grep -q '^w\.c:' w.d

# Names of 500 bytes are longer than a file's may be: they are cut, and a hash tells those apart that begin alike.
long=$(printf '%0490d' 0 | tr 0 n)
{
    sed "s/name: block/name: ${long}_one/; s/block_kernel/one_kernel/" graph.yaml
    sed -n '/- name: block/,$p' graph.yaml | sed "s/name: block/name: ${long}_two/; s/block_kernel/two_kernel/"
} >long.yaml
mkdir long
run long.yaml --out long/w.c --header long/w.h --split graphs
exits 0 'graphs with names of 494 bytes'
check "$case: two parts, with names that a file can have" sh -c '
    test "$(ls long | grep -c "^w\.demo_n*-[0-9a-f]\{16\}\.c$")" -eq 2 && test "$(ls long | wc -l)" -eq 6'
ls long | sed 's|^|long/|' | sort >there
"$WRAPGEN" --list-outputs long.yaml --out long/w.c --header long/w.h --split graphs | sort >listed
check "$case: --list-outputs says so" cmp there listed
for file in long/*.c; do
    # shellcheck disable=SC2086
    check "$case: a part compiles" $CC $EXTRA -I"$root/templates/core" -I"$root/templates/hosts/native" -Ilong -c -o part.o "$file"
done
run graph.yaml --out long/w.c --header long/w.h --split graphs
check "$case: they are taken away like others" sh -c 'test "$(ls long | tr "\n" " ")" = "w.c w.demo_block.c w.demo_block.h w.h "'
name=$(printf '%0240d' 0)
refuses "must leave 24 of 255 bytes" long.yaml --out "$name.c" --header w.h --split graphs

# A part of another run is taken away where it is; a file of its name in another folder is an output like others.
mkdir moved moved/other
run graph.yaml --out moved/w.c --header moved/w.h --split graphs
run graph.yaml --out moved/w.c --header moved/w.h --emit-proof moved/other/w.demo_block.c
exits 0 'an output that is called as a part was'
check "$case: the parts are gone, and it is there" test "$(cd moved && echo * other/*)" = 'other w.c w.h other/w.demo_block.c'
run graph.yaml --out moved/w.c --header moved/w.h --split graphs
run graph.yaml --out moved/w.c --header gone/w.h
exits 3 'a header in a folder that is not there'
check "$case: the parts are left" test "$(cd moved && echo *)" = 'other w.c w.demo_block.c w.demo_block.h w.h'
