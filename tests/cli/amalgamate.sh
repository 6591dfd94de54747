# SPDX-License-Identifier: MIT
# --amalgamate: one header and one source for each host in C. What is built with them, by each compiler that is here, prints what it prints
# when it is built with the separate files.
run --print-templates one --amalgamate
exits 0 '--print-templates --amalgamate'
silent 'it says nothing'
(cd one && ls | LC_ALL=C sort) >found
printf 'wg_%s\n' aoti.c aoti.h dlpack.c dlpack.h native.c native.h >expected
check "$case: two files for each host" diff expected found
check "$case: they include only one another" sh -c '! grep -h "^ *# *include \"" one/* | grep -v "\"wg_[a-z]*.h\""'
for host in aoti dlpack native; do
    check "$case: $host, all sources" sh -c 'cd "$1/templates" && for file in core/*.c hosts/$2/*.c; do grep -q "^/\* ---- $file ---- \*/$" "$3/one/wg_$2.c" || exit 1; done' \
        sh "$root" "$host" "$PWD"
done
run --print-templates one --amalgamate
exits 0 'once more over the same'
echo '/* mine */' >>one/wg_native.c
refuses 'one/wg_native.c: error: this file exists and differs' --print-templates one --amalgamate
rm -r one

strict='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
"$WRAPGEN" --print-templates one --amalgamate
"$WRAPGEN" --print-templates parts
"$WRAPGEN" init first >/dev/null
compilers=$(for one in gcc clang; do command -v "$one" >/dev/null 2>&1 && echo "$one"; done)
: "${compilers:=$CC}"

both() { # COMPILER FOLDER FILE...: the program of these C files and of graph.yaml there, in both ways
    compiler=$1
    folder=$2
    shift 2
    "$WRAPGEN" "$folder/graph.yaml" --out "$folder/wrappers.c" --header "$folder/wrappers.h" &&
        $compiler -std=c11 -Iparts/core -Iparts/hosts/native -I"$folder" -o apart "$@" "$folder/wrappers.c" parts/core/*.c parts/hosts/native/*.c -lm &&
        "$WRAPGEN" "$folder/graph.yaml" --out "$folder/wrappers.c" --header "$folder/wrappers.h" --amalgamate &&
        # shellcheck disable=SC2086 # flags
        $compiler -std=c11 $strict $EXTRA -Ione -I"$folder" -o together "$@" "$folder/wrappers.c" one/wg_native.c -lm &&
        ./apart >apart.txt 2>&1 && ./together >together.txt 2>&1 && cmp apart.txt together.txt
}
# By hand, as in init.sh; of the dispatcher, the separate files are what it is compared with.
cp -r "$root/examples/matmul_dispatch" dispatch
sed -i 's/"\(graph\|matmul\)[a-z_]*\.h"/"wrappers.h"/' dispatch/*.c
for compiler in $compilers; do
    check "$case: $compiler, a graph" both "$compiler" first first/main.c first/kernel.c
    holds together.txt 'total: 15 27 39, written 1 time' "$compiler: the result"
    for host in aoti dlpack; do
        # shellcheck disable=SC2086 # flags
        check "$case: $compiler compiles $host without a warning" $compiler -std=c11 $strict $EXTRA -c -o "$host.o" "one/wg_$host.c"
    done
    check "$case: $compiler, a dispatcher with keys" both "$compiler" dispatch dispatch/main.c dispatch/kernel.c
    check "$case: $compiler: which prints something" test -s together.txt
done
check "$case: code includes one header of ours" sh -c 'test "$(cat first/wrappers.[ch] dispatch/wrappers.[ch] | grep "include \"wg_" | sort -u)" = "#include \"wg_native.h\""'

# The headers from C++, linked with what C compilers made.
cat >user.cpp <<'end'
#include "wrappers.h"
#include <cstdio>
int main()
{
    float rows[6] = {1, 5, 3, 4, 2, 6};
    float sums[3] = {10, 20, 30};
    const int64_t size[2] = {2, 3}, stride[2] = {3, 1}, three = 3, one = 1;
    const WgGeometry matrix = {size, stride, 0, 2}, vector = {&three, &one, 0, 1};
    WgContext *ctx = nullptr;
    my_add_rows_inputs in = {};
    my_add_rows_outputs out = {};
    if (wg_context_create(nullptr, &ctx) != WG_OK ||
        wg_native_borrow(ctx, rows, sizeof rows, &matrix, WG_FLOAT32, WG_CPU, nullptr, nullptr, &in.x) != WG_OK ||
        wg_native_borrow(ctx, sums, sizeof sums, &vector, WG_FLOAT32, WG_CPU, nullptr, nullptr, &in.total) != WG_OK ||
        my_add_rows(ctx, &in, &out) != WG_OK) {
        return 1;
    }
    std::printf("%g %g %g\n", sums[0], sums[1], sums[2]);
    my_add_rows_outputs_release(ctx, &out);
    wg_release(ctx, in.x);
    wg_release(ctx, in.total);
    wg_context_destroy(ctx);
}
end
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null 2>&1 || continue
    # shellcheck disable=SC2086 # flags
    check "$case: $compiler, a caller in C++" sh -c '$0 -std=c++17 -Wall -Wextra -Wpedantic -Werror $1 -Ione -Ifirst -c -o user.o user.cpp &&
        ${0%++} $1 -std=c11 -Ione -Ifirst -c first/kernel.c first/wrappers.c one/wg_native.c 2>/dev/null ||
        cc $1 -std=c11 -Ione -Ifirst -c first/kernel.c first/wrappers.c one/wg_native.c
        $0 $1 -o user user.o kernel.o wrappers.o wg_native.o -lm && test "$(./user)" = "15 27 39"' "$compiler" "$EXTRA"
    for host in aoti dlpack; do
        check "$case: $compiler, the header of $host" sh -c 'echo "#include \"wg_$1.h\"" | $0 -std=c++17 -Wall -Wextra -Wpedantic -Werror -Ione -fsyntax-only -x c++ -' \
            "$compiler" "$host"
    done
done

refuses "'--amalgamate' cannot be used with '--emit-selftest'" first/graph.yaml --out a.c --amalgamate --emit-selftest s.c
refuses "'--amalgamate' cannot be used with '--show'" first/graph.yaml --show --amalgamate
refuses "'--amalgamate' cannot be used with '--print-schema'" --print-schema --amalgamate
refuses "'--amalgamate' cannot be used with 'init'" init a --amalgamate
refuses "'--amalgamate' is for the hosts native, dlpack and aoti, not 'torch'" first/graph.yaml --out a.c --amalgamate --host torch
