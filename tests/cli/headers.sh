# SPDX-License-Identifier: MIT
# A header and what belongs to it: names that it cannot have, several with one name in a program, a source or a caller that
# was made for another one.

# C11, 7.1.2, and C23: the table as it stands there
for name in assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg \
    stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype; do
    refuses "a header cannot be called '$name.h': that name is the C library's" --in graph.yaml --out a.c --header "$name.h"
done
for path in "$root"/templates/core/*.h "$root"/templates/hosts/*/*.h; do
    name=$(basename "$path")
    refuses "cannot be called '$name': that name is that of a file that generated code is compiled with" \
        --in graph.yaml --out a.c --header "$name"
done
mkdir elsewhere
refuses "cannot be called 'String.H'" --in graph.yaml --out a.c --header elsewhere/String.H
sed 's/wg_native.h/wg_mine.h/' "$root/templates/hosts/native/host.yaml" >mine.yaml
refuses "cannot be called 'wg_mine.h': that name is the host's header's" \
    --in graph.yaml --out a.c --header wg_mine.h --host ./mine.yaml
run --in graph.yaml --out a.c --header my_string.h
exits 0 'a name that only ends like one of them'

flags="-Wall -Wextra -Wpedantic -Wunused -Werror -I$root/templates/core -I$root/templates/hosts/native -I."
compiles() { # SOURCE OBJECT
    # shellcheck disable=SC2086
    $CC -std=c11 -O2 $flags $EXTRA -c -o "$2" "$1"
}
fails_with() { # TEXT COMMAND...: it fails and says that
    text=$1
    shift
    "$@" >log 2>&1
    failure=$?
    cat log
    [ "$failure" -ne 0 ] && grep -q "$text" log
}

# Two headers of one name, in two folders.
mkdir m1 m2
sed 's/demo_/first_/' graph.yaml >m1/graph.yaml
sed 's/demo_/second_/' graph.yaml >m2/graph.yaml
run --in m1/graph.yaml --out m1/wrappers.c --header m1/wrappers.h
run --in m2/graph.yaml --out m2/wrappers.c --header m2/wrappers.h
cat >both.c <<'C'
#include "m1/wrappers.h"
#include "m2/wrappers.h"
int main(void) { return (int)sizeof(first_block_inputs) - (int)sizeof(second_block_inputs) + FIRST_BLOCK_NUM_INPUTS - SECOND_BLOCK_NUM_INPUTS; }
C
check "$case: both of one name are there" compiles both.c both.o
check "$case: the source of one" compiles m1/wrappers.c m1.o
check "$case: the source of the other" compiles m2/wrappers.c m2.o

# The source with its own header, and with the header of a different graph.
cat >more.txt <<'YAML'
      - {name: one_more, dtype: float32}
YAML
mkdir old new
run --in graph.yaml --out old/w.c --header old/w.h
awk '/outputs:/ { while ((getline line <"more.txt") > 0) print line } { print }' graph.yaml >more.yaml
run --in more.yaml --out new/w.c --header new/w.h
exits 0 'a graph with one more input'
number() { # FILE
    sed -n 's/^extern const int32_t wg_contract_\([0-9a-f]*\);$/\1/p' "$1"
}
check "$case: the header has a number" test -n "$(number old/w.h)"
check "$case: another header has another" test "$(number old/w.h)" != "$(number new/w.h)"
mkdir mixed
cp old/w.h new/w.c mixed
check "$case: a source and the header of another run" fails_with "WG_CONTRACT_$(number new/w.h)" compiles mixed/w.c mixed.o

# What is inside functions is not part of the contract.
sed 's/^\(  *\)mode: inference/\1mode: inference\n\1check: none/' graph.yaml >body.yaml
mkdir body
run --in body.yaml --out body/w.c --header body/w.h
exits 0 'the same graph, with less of its arguments tested'
check "$case: another body" sh -c '! cmp -s old/w.c body/w.c'
check "$case: has the same number" test "$(number old/w.h)" = "$(number body/w.h)"
cp old/w.h body/w.h
check "$case: and compiles with the old header" compiles body/w.c body.o

# A caller is compiled with the old header, and linked with the new source.
cat >kernel.c <<'C'
#include "wg_core.h"
int32_t block_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);
int32_t block_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs)
{
    (void)ctx, (void)args, (void)num_args, (void)outs, (void)num_outs;
    return 1;
}
C
printf '#include "old/w.h"\nint main(void) { return DEMO_BLOCK_NUM_OUTPUTS; }\n' >caller.c
cp caller.c caller.cpp
printf '#define WG_FOUND_AT_RUN_TIME\n#include "old/w.h"\nint main(void) { return DEMO_BLOCK_NUM_OUTPUTS; }\n' >loader.c
compiles old/w.c old.o
compiles new/w.c new.o
compiles kernel.c kernel.o
links() { # OBJECT...
    # shellcheck disable=SC2086
    $CC $EXTRA $flags -o program "$@" kernel.o "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
}
check "$case: a caller without a warning" compiles caller.c caller.o
check "$case: links with its source" links caller.o old.o
check "$case: a caller of the old header does not link with the new source" \
    fails_with "wg_contract_$(number old/w.h)" links caller.o new.o
check "$case: one that finds the functions at run time" compiles loader.c loader.o
check "$case: links with any" links loader.o new.o
if command -v c++ >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    check "$case: a caller in C++ without a warning" c++ -std=c++17 -O2 $flags $EXTRA -c -o caller++.o caller.cpp
    check "$case: links with its source" links caller++.o old.o
    check "$case: and not with the new one" fails_with "wg_contract_$(number old/w.h)" links caller++.o new.o
else
    skip "$case: a caller in C++" 'there is no c++'
fi
