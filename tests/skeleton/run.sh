#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CASE...] - --print-host-skeleton of each golden case: the host compiles under the strict flags, in C and its header in C++,
# the case generates for it and compiles, nothing that it calls is missing at the link, and it calls each of the verbs. Without one
# of them it is refused by name. What a verb does before it is written: it fails with its name. A skeleton that was written (written.c) passes
# host-check, and grows with a second file.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/golden/generate.sh"
strict='-std=c11 -O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror -fPIC'
: "${CXX:=c++}"

arguments_of() { # CASE: but its host, which is the skeleton, and its other outputs
    [ ! -f "$root/tests/golden/$1/args" ] || awk '
        skip { skip = 0; next }
        /^(--host|--header|--emit-[a-z-]*)$/ { skip = 1; next }
        /^(--host|--header|--emit-[a-z-]*)=/ { next }
        { print }' "$root/tests/golden/$1/args"
}

generate() { # CASE ARGUMENT...
    case=$1
    shift
    arguments_of "$case" >"$scratch/arguments"
    while IFS= read -r line; do set -- "$@" "$line"; done <"$scratch/arguments"
    (cd "$root/tests/golden/$case" && "$WRAPGEN" --in graph.yaml "$@")
}

verbs_of() { # DESCRIPTION
    sed -n 's/^  - //p' "$1"
}

needed_by_check='wg_(rank|size|stride|dtype|data|empty_strided|release)' # tests/host_check/check.sh: of any host
skeleton() { # CASE
    folder=$scratch/$1
    host=$folder/mine
    generate "$1" --print-host-skeleton "$host" &&
        generate "$1" --host "$host/host.yaml" --out "$folder/w.c" --header "$folder/w.h" || return 1
    for source in "$host/wg_mine.c" "$folder/w.c"; do
        # shellcheck disable=SC2086 # flags
        $CC $strict $EXTRA -I"$folder" -I"$host" -I"$root/templates/core" -I"$root/tests/golden/$1" -c -o "$folder/$(basename "$source" .c).o" "$source" || return 1
    done
    nm -u "$folder/w.o" | sed -n 's/^ *U \(wg_[a-z_0-9]*\)$/\1/p' | sort >"$folder/called"
    nm "$folder/wg_mine.o" "$scratch"/core/*.o | sed -n 's/^[0-9a-f]* [TRDVW] \(wg_[a-z_0-9]*\)$/\1/p' | sort -u >"$folder/there"
    comm -23 "$folder/called" "$folder/there" | grep -v '^wg_contract_' >"$folder/missing"
    if [ -s "$folder/missing" ]; then
        echo 'called and not there:' && cat "$folder/missing"
        return 1
    fi
    set -- "$folder/w.c"
    for header in wg_key.h wg_dispatch.h; do
        ! grep -q "#include \"$header\"" "$folder/w.c" || set -- "$@" "$root/templates/core/$header"
    done
    verbs_of "$host/host.yaml" | grep -vxE "$needed_by_check" | while read -r verb; do
        grep -qE "\\b$verb\\(" "$@" || { echo "$verb is not called" && echo x >"$folder/superfluous"; }
    done
    [ ! -e "$folder/superfluous" ]
}

mkdir "$scratch/core"
for source in "$root"/templates/core/*.c; do
    # shellcheck disable=SC2086
    $CC -std=c11 -O0 $EXTRA -I"$root/templates/core" -c -o "$scratch/core/$(basename "$source" .c).o" "$source" || exit 1
done
for case in $(golden_cases "$@"); do
    check "$case: its skeleton compiles, lacks nothing, has nothing that is not called" skeleton "$case"
done
[ $# -eq 0 ] || finish

# One verb less, in the description and then in the header.
without() { # CASE VERB
    folder=$scratch/$1
    rm -rf "$scratch/less" && cp -r "$folder/mine" "$scratch/less"
    sed -i "/^  - $2\$/d" "$scratch/less/host.yaml"
    generate "$1" --host "$scratch/less/host.yaml" --out "$scratch/less/w.c" 2>"$scratch/log"
    [ $? -eq 2 ] && grep -q "verb '$2'.*\[E_HOST\]" "$scratch/log" || { cat "$scratch/log"; return 1; }
    printf '#pragma GCC poison %s\n' "$2" >"$scratch/less/poison.h"
    # shellcheck disable=SC2086
    ! $CC $strict $EXTRA -I"$folder" -I"$folder/mine" -I"$root/templates/core" -include "$scratch/less/poison.h" -fsyntax-only "$folder/w.c" 2>/dev/null
}
for case in copy_ save_tensor alias_as; do
    verbs_of "$scratch/$case/mine/host.yaml" >"$scratch/verbs"
    while read -r verb; do
        case $verb in wg_data | wg_empty_strided | wg_release) grep -q "\b$verb(" "$scratch/$case/w.c" || continue ;; esac
        check "$case: without $verb it is refused by that name" without "$case" "$verb"
    done <"$scratch/verbs"
done

if command -v "$CXX" >/dev/null; then
    printf '#include "wg_mine.h"\n' >"$scratch/header.cpp"
    # shellcheck disable=SC2086
    check 'the header is C++17 too' $CXX -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$scratch/save_tensor/mine" -I"$root/templates/core" -fsyntax-only "$scratch/header.cpp"
fi

# Before they are written.
cat >"$scratch/unwritten.c" <<'EOF2'
#include "wg_mine.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    WgContext *ctx = NULL;
    WgTensor t = {1};
    WgTensor *made = &t;
    if (wg_context_create(NULL, &ctx) != 0) {
        return 1;
    }
    const int32_t status = wg_detach(ctx, &t, &made);
    const char *name = wg_host_code_name(status);
    const int read = wg_host_status(ctx) == status && wg_rank(ctx, &t) == 0;
    const int32_t of_rank = wg_host_status(ctx);
    printf("%s, %s, %d %d %d\n", name, wg_host_code_name(of_rank), made == NULL, read, wg_host_status(ctx));
    wg_context_destroy(ctx);
    return 0;
}
EOF2
fails_by_name() {
    # shellcheck disable=SC2086
    $CC $strict $EXTRA -I"$scratch/save_tensor/mine" -I"$root/templates/core" -o "$scratch/unwritten" "$scratch/unwritten.c" "$scratch/save_tensor/mine/wg_mine.c" "$scratch"/core/*.o -lm &&
        "$scratch/unwritten" >"$scratch/said" 2>"$scratch/errors" && cat "$scratch/said" "$scratch/errors" &&
        grep -qx 'wg_detach is not written yet, wg_rank is not written yet, 1 1 0' "$scratch/said" && grep -qx 'wg_detach is not written yet' "$scratch/errors"
}
check 'a verb fails with its name, makes nothing, and reads say so in wg_host_status' fails_by_name
check 'host-check says that such a host is wrong' sh -c '! sh "$1/tests/host_check/check.sh" "$2"' sh "$root" "$scratch/save_tensor/mine"
# From the skeleton to a host that is right: its functions are written one by one, and host-check says so. A second file that needs more
# leaves all of it as it is, and says what to add; that, copied to its places, compiles.
written() { # SKELETON: written.c in the place of what is not written
    awk -v header="$1/wg_mine.h" -v source="$1/wg_mine.c" '
        FNR == 1 { file++ }
        file == 1 && /^[a-z].*\(WgContext/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
        file == 1 && /^struct WgTensor/ { name = "struct" }
        file == 1 { if (name != "") body[name] = body[name] $0 "\n"; if (/^};?$/) name = ""; next }
        { name = "" }
        file == 2 && /^struct WgTensor/ { name = "struct" }
        file == 3 && /^[a-z].*\(WgContext/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
        name in body { printf "%s", body[name] >(file == 2 ? header : source); skip = 1 }
        !skip { print >(file == 2 ? header : source) }
        /^};?$/ { skip = 0 }
    ' "$root/tests/skeleton/written.c" "$2/wg_mine.h" "$2/wg_mine.c"
}
begin() {
    "$WRAPGEN" "$root/tests/skeleton/begun.yaml" --print-host-skeleton "$scratch/fresh/mine" &&
        mkdir -p "$scratch/begun/mine" && cp "$scratch/fresh/mine/host.yaml" "$scratch/begun/mine" && written "$scratch/begun/mine" "$scratch/fresh/mine" &&
        ! grep -q 'not_written(ctx' "$scratch/begun/mine/wg_mine.c"
}
check 'every verb of a skeleton is written' begin
check 'host-check finds nothing wrong with it' make -C "$root" -s host-check HOST="$scratch/begun/mine"
more() {
    cp -r "$scratch/begun/mine" "$scratch/kept" && "$WRAPGEN" "$root/tests/skeleton/more.yaml" --print-host-skeleton "$scratch/begun/mine" 2>"$scratch/log"
    status=$?
    cat "$scratch/log"
    [ $status -eq 0 ] && grep -q "host.yaml: note: lacks wg_same_storage, wg_alias_like, wg_bump_version: '.*wg_mine_more.txt' has them" "$scratch/log" &&
        diff -r -x wg_mine_more.txt "$scratch/kept" "$scratch/begun/mine"
}
check 'a file that needs more says which verbs, and changes nothing' more
part() { # WORDS: of the part
    awk -v words="$1" '/^---- / { inside = index($0, words); next } inside' "$scratch/begun/mine/wg_mine_more.txt"
}
add() {
    part 'host.yaml' | sed '/^$/d' >>"$scratch/begun/mine/host.yaml"
    part 'wg_mine.h' >"$scratch/part.h" && sed -i "/^int32_t wg_context_reserve/r $scratch/part.h" "$scratch/begun/mine/wg_mine.h"
    part 'wg_host_code_name' | sed '/^$/d' >"$scratch/part.c" && sed -i "/^    switch (code/r $scratch/part.c" "$scratch/begun/mine/wg_mine.c"
    part 'wg_mine.c: to the other' >>"$scratch/begun/mine/wg_mine.c"
    rm "$scratch/begun/mine/wg_mine_more.txt"
    "$WRAPGEN" "$root/tests/skeleton/more.yaml" --host "$scratch/begun/mine/host.yaml" --out "$scratch/begun/more.c" || return 1
    for source in "$scratch/begun/more.c" "$scratch/begun/mine/wg_mine.c"; do
        # shellcheck disable=SC2086 # flags
        $CC $strict $EXTRA -I"$scratch/begun/mine" -I"$root/templates/core" -c -o "$scratch/begun/part.o" "$source" || return 1
    done
}
check 'what it says can be copied: the host then has all of it' add
enough() {
    "$WRAPGEN" "$root/tests/skeleton/more.yaml" --print-host-skeleton "$scratch/begun/mine" 2>"$scratch/log" &&
        grep -q 'host.yaml: note: has every verb that is needed; nothing is written' "$scratch/log" && [ ! -e "$scratch/begun/mine/wg_mine_more.txt" ]
}
check 'with all of it, nothing is written' enough
named() { # every verb that the files of a skeleton name is there
    cat "$scratch"/*/mine/wg_mine.h "$scratch"/*/mine/wg_mine.c >/dev/null || return 1
    for folder in "$scratch"/*/mine; do
        cat "$folder/wg_mine.h" "$folder/wg_mine.c" | grep -oE '\bwg_[a-z_0-9]+\b' | sort -u | grep -vE '^wg_(mine|host_|cold|core|cpu$)' >"$scratch/words"
        { verbs_of "$folder/host.yaml"; sed -n 's/.*\b\(wg_[a-z_0-9]*\)(.*;.*/\1/p' "$folder/wg_mine.h"; } | sort -u >"$scratch/are_there"
        comm -23 "$scratch/words" "$scratch/are_there" | sed "s|^|$folder: |"
    done >"$scratch/unknown"
    cat "$scratch/unknown"
    [ ! -s "$scratch/unknown" ]
}
check 'no comment of a skeleton names a verb that it lacks' named
finish
