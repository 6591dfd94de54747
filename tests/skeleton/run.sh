#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [CASE...] - --print-host-skeleton of each golden case: the host compiles under the strict flags, in C and its header in C++,
# the case generates for it and compiles, nothing that it calls is missing at the link, and it calls each of the verbs. Without one
# of them it is refused by name. What a verb does before it is written: it fails with its name.
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
    verbs_of "$host/host.yaml" | while read -r verb; do
        grep -qE "\\b$verb\\(" "$@" || { echo "$verb is not called" && echo x >"$folder/superfluous"; }
    done
    [ ! -e "$folder/superfluous" ] || [ "$(verbs_of "$host/host.yaml")" = wg_empty_strided ]
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
finish
