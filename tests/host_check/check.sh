#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check.sh DIR - does the host in the folder DIR do what PyTorch does? DIR has host.yaml, the header that it names, and the host's
# .c and .cpp files, as templates/hosts/VERBS.md says. A line for each verb of that document: passed, failed with the facts that
# differ, or skipped, which says why ("not offered"). Closes with "N passed, N failed, N skipped".
#
# A context is made by wg_context_create(NULL, &ctx), or by check_context() of DIR/check_context.h where that file is:
#     static int32_t check_context(WgContext **out) { ... }
#
# Each part of verbs.c runs as a process of its own, under AddressSanitizer and UndefinedBehaviorSanitizer where the compiler has
# them (PLAIN=1: without), so that a leak or a wrong access is told of the verb in whose part it happened.
# WITH: another folder whose files are compiled with those of DIR, for a host that builds on another host's tensors.
# CC, CXX; FLAGS for every compilation (-I...), LIBS at the end of the link; ONLY='VERB...' plays the parts of those alone; CORE is a
# folder that keeps the objects of templates/core for the next time.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/host_check
[ $# -eq 1 ] && [ -f "$1/host.yaml" ] || { echo "usage: make host-check HOST=DIR, a folder with a host.yaml" >&2 && exit 2; }
host=$(cd "$1" && pwd)
: "${FLAGS:=}" "${LIBS:=}" "${CXX:=c++}" "${PLAIN:=}" "${ONLY:=}" "${WITH:=}" "${CORE:=$scratch/core}"

sed -nE 's/^    [a-zA-Z].*[ *](wg_[a-z_0-9]+)\(WgContext.*/\1/p' "$root/templates/hosts/VERBS.md" >"$scratch/documented"
sed -n '/^verbs:/,/^[a-z]/s/^ *- *\(wg_[a-z_0-9]*\).*/\1/p' "$host/host.yaml" >"$scratch/offered"
header=$(sed -n "s/^header: *['\"]\{0,1\}\([^'\"]*\)['\"]\{0,1\} *$/\1/p" "$host/host.yaml")
unknown=$(grep -vxF -f "$scratch/documented" "$scratch/offered")
[ -z "$unknown" ] || not_ok "VERBS.md has no verb $unknown"

offers() {
    grep -qxF "$1" "$scratch/offered"
}
lacking=
for verb in wg_rank wg_dtype wg_data wg_empty_strided wg_release; do
    offers $verb || lacking="$lacking $verb"
done
offers wg_size || offers wg_sizes || lacking="$lacking wg_size"
offers wg_stride || offers wg_strides || lacking="$lacking wg_stride"
if [ -n "$lacking" ]; then
    not_ok "the host offers what every part of the check needs; it lacks$lacking"
    finish
fi

{
    sed 's/.*/#define HAS_&/' "$scratch/offered"
    echo '#include "wg_core.h"'
    echo "#include \"$header\""
    if [ -f "$host/check_context.h" ]; then
        echo '#include "check_context.h"'
    else
        printf 'static int32_t check_context(WgContext **out)\n{\n    return wg_context_create(NULL, out);\n}\n'
    fi
} >"$scratch/offered.h"
sed 's/.*/OFFERED(&)/' "$scratch/offered" >"$scratch/verbs_offered.h"
sed -n 's/^static void play_\(wg_.*\)(void)$/\1/p' "$here/verbs.c" >"$scratch/parts"
sed 's/.*/#ifdef CAN_&\nPART(&)\n#endif/' "$scratch/parts" >"$scratch/parts.h"

# ---- the program ----

# What else this check tells of is told by which part.
told_by() { # VERB
    case $1 in
    wg_size | wg_stride | wg_dtype | wg_data) echo wg_rank ;;
    wg_offset) echo wg_as_strided ;;
    wg_version) echo wg_bump_version ;;
    wg_requires_grad) echo wg_set_requires_grad ;;
    wg_grad_mode | wg_view_replay) echo "$1" | sed 's/wg_/wg_set_/' ;;
    wg_autocast_restore) echo wg_autocast_off ;;
    wg_scratch_give) echo wg_scratch_take ;;
    *) echo "$1" ;;
    esac
}

sanitizers=
echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
case " $EXTRA $FLAGS " in
*sanitize*) ;;
*)
    if [ -z "$PLAIN" ] && $CC -fsanitize=address,undefined -o "$scratch/nothing" "$scratch/nothing.c" 2>/dev/null && "$scratch/nothing" 2>/dev/null; then
        sanitizers='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
    fi
    ;;
esac
compile() { # FOLDER COMPILER SOURCE
    # shellcheck disable=SC2086 # flags
    $2 -O0 -g $sanitizers $EXTRA $FLAGS -I"$scratch" -I"$host" ${WITH:+-I"$WITH"} -I"$root/templates/core" -c -o "$1/$(basename "$3").o" "$3"
}
build() {
    linker=$CC
    mkdir -p "$scratch/objects" "$CORE"
    for source in "$root"/templates/core/*.c; do
        [ -f "$CORE/$(basename "$source").o" ] || compile "$CORE" "$CC -std=c11" "$source" || return 1
    done
    for source in "$host"/*.c ${WITH:+"$WITH"/*.c} "$here/verbs.c"; do
        [ ! -f "$source" ] || compile "$scratch/objects" "$CC -std=c11" "$source" || return 1
    done
    for source in "$host"/*.cpp; do
        [ ! -f "$source" ] || { linker=$CXX && compile "$scratch/objects" "$CXX -std=c++20" "$source"; } || return 1
    done
    # shellcheck disable=SC2086
    $linker $sanitizers $EXTRA -o "$scratch/verbs" "$scratch"/objects/*.o "$CORE"/*.o $LIBS -lm
}
if ! build >"$scratch/log" 2>&1; then
    not_ok 'the host compiles and links with all verbs of its description' "$scratch/log"
    finish
fi
ok 'the host compiles and links with all verbs of its description'
"$scratch/verbs" >"$scratch/playable"
if [ -n "$ONLY" ]; then
    for verb in $ONLY; do told_by "$verb"; done >"$scratch/only"
    sed 's/.*/^&(__[a-z]+)?$/' "$scratch/only" >"$scratch/pattern"
    grep -E -f "$scratch/pattern" "$scratch/playable" >"$scratch/chosen"
    mv "$scratch/chosen" "$scratch/playable"
fi

# ---- its parts ----

# What PyTorch does, but for the facts that this host does not offer.
expected_of() { # PART
    awk -v part="$1" '$1 == "--" { inside = $2 == part; next } inside' "$here/verbs.txt" >"$scratch/expected"
    offers wg_offset || sed -i 's/; offset [0-9]*/; offset ?/' "$scratch/expected"
    offers wg_requires_grad || sed -i 's/; grad [0-9]*/; grad ?/' "$scratch/expected"
    offers wg_version || sed -i 's/; version [0-9]*/; version ?/' "$scratch/expected"
}

# Adds to remarks what is wrong.
judge() { # PART
    expected_of "$1"
    ASAN_OPTIONS=detect_leaks=1 timeout 60 "$scratch/verbs" "$1" >"$scratch/found" 2>"$scratch/errors"
    status=$?
    [ -s "$scratch/expected" ] || echo "verbs.txt has nothing about $1"
    if ! cmp -s "$scratch/expected" "$scratch/found"; then
        diff "$scratch/expected" "$scratch/found" | sed -n "s/^</PyTorch /p; s/^>/the host/p"
    fi
    if grep -q 'LeakSanitizer: detected' "$scratch/errors"; then
        sed -n 's/^SUMMARY: [A-Za-z]*: \(.*\) leaked in.*/leaked: \1/p' "$scratch/errors"
        grep -E '^ *#[0-9]+ .* in wg_' "$scratch/errors" | sed 's/.* in \(wg_[a-z_]*\).*/allocated by \1/' | sort -u
    elif [ $status -ne 0 ]; then
        echo "ended with status $status"
        grep -E 'SUMMARY|runtime error' "$scratch/errors" | sed "s|$root/||"
    fi
}
mkdir "$scratch/remarks"
while read -r part; do
    judge "$part" >"$scratch/remarks/$part"
done <"$scratch/playable"

verdict() { # VERB
    main=$(told_by "$1")
    grep -xE "$main(__[a-z]+)?" "$scratch/playable" >"$scratch/mine"
    if ! offers "$1"; then
        skip "$1" 'not offered'
    elif [ -s "$scratch/mine" ]; then
        while read -r part; do cat "$scratch/remarks/$part"; done <"$scratch/mine" >"$scratch/wrong"
        with=
        [ "$main" = "$1" ] || with=" (with $main)"
        if [ -s "$scratch/wrong" ]; then not_ok "$1$with" "$scratch/wrong"; else ok "$1$with"; fi
    elif grep -qxF "$main" "$scratch/parts"; then
        skip "$1" 'its part of the check needs verbs that are not offered'
    else
        skip "$1" 'this check has no part about it'
    fi
}
while read -r verb; do
    case " $ONLY " in
    '  ' | *" $verb "*) verdict "$verb" ;;
    esac
done <"$scratch/documented"
[ -n "$sanitizers" ] || case " $EXTRA $FLAGS " in
*sanitize*) ;;
*) skip 'leaks' "$CC has no AddressSanitizer here, or PLAIN is set" ;;
esac
finish
