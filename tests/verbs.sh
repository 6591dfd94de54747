#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A host needs exactly the verbs that the generated C calls.
#
# Each golden case is generated for a host that has next to nothing, which is given the verbs that the refusals name until
# none is missing. What comes out must compile with a header without any other verb (they are poisoned), and must call each
# of these. Then, for each verb of VERBS.md, a case that needs it: refused by that name where the host lacks it, and without
# the verb the C of the case does not compile.
. "$(dirname "$0")/lib.sh"
. "$root/tests/golden/generate.sh"

documented() {
    sed -nE 's/^    [a-zA-Z].*[ *](wg_[a-z_0-9]+)\(WgContext.*/\1/p' "$root/templates/hosts/VERBS.md"
}
documented >"$scratch/documented"

# Each verb has a contract for --emit-proof: a definition, a declaration after ACSL, or an expression.
sed -nE 's/^(static inline )?[a-z].*[ *](wg_[a-z_0-9]+)\(.*/\2/p; s/^#define (wg_[a-z_0-9]+)\(.*/\1/p' "$root"/templates/proof/*.h | sort -u >"$scratch/contracted"
sort "$scratch/documented" | comm -23 - "$scratch/contracted" >"$scratch/bare"
if [ ! -s "$scratch/bare" ] && [ "$(wc -l <"$scratch/documented")" -gt 60 ]; then
    ok 'every verb has a contract for a proof'
else
    not_ok 'every verb has a contract for a proof' "$scratch/bare"
fi

# Taken where a host has them, so they are never missing.
taken_if_there=wg_matches
asked_if_there=wg_coerce_tangent
told_if_there=wg_mark_part
# A pair: wrappers mark a range where a host has both.
marked_if_there="wg_range_begin wg_range_end"
# A description cannot be without any verb, and this one by itself is enough for nothing.
enough_for_none=wg_range_begin

# A description with the verbs of a file; its header is $scratch/wg_minimal.h.
describe() { # FOLDER VERBS SYMBOL
    printf 'name: minimal\nheader: wg_minimal.h\nabi_symbol: %s\nverbs:\n' "$3" >"$1/host.yaml"
    sed 's/^/  - /' "$2" >>"$1/host.yaml"
}

poisoned() { # FOLDER HEADER VERBS: what remains after the verbs of the file
    printf '#include "%s"\n' "$2" >"$1/wg_minimal.h"
    grep -vxF -f "$3" "$scratch/documented" | sed 's/^/#pragma GCC poison /' >>"$1/wg_minimal.h"
}

generate() { # CASE FOLDER: with the folder's description, in the case's own folder
    folder=$2
    (
        cd "$root/tests/golden/$1" || exit 1
        set --
        if [ -f args ]; then
            while IFS= read -r line; do set -- "$@" "$line"; done <args
        fi
        "$WRAPGEN" --in graph.yaml --out "$folder/wrappers.c" --header "$folder/wrappers.h" "$@" --host "$folder/host.yaml"
    ) >"$folder/log" 2>&1
}

# Gives the host verbs until none is missing. Leaves the verbs in FOLDER/asked.
ask() { # CASE FOLDER SYMBOL [VERB...]: that the host has to begin with
    case=$1 folder=$2 symbol=$3
    shift 3
    printf '%s\n' "$enough_for_none" "$@" | sort -u >"$folder/asked"
    set -- "$case" "$folder" "$symbol"
    for turn in 1 2 3 4 5 6 7 8 9; do
        describe "$2" "$2/asked" "$3"
        generate "$1" "$2" && return 0
        sed -n "s/.*verb '\(wg_[a-z_0-9]*\)'.*\[E_HOST\]/\1/p" "$2/log" | sort -u >"$2/more"
        [ -s "$2/more" ] || return 1
        cat "$2/more" >>"$2/asked"
    done
    return 1
}

compiles() { # FOLDER
    # shellcheck disable=SC2086 # lists of flags
    $CC -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$1" -I"$root/templates/core" -I"$root/templates/hosts/native" \
        -I"$root/templates/hosts/aoti" -I"$root/templates/hosts/torch" -I"$root/tests/golden/view_base" -I"$root/tests/golden/range_begin" "$1/wrappers.c"
}

# Each verb that was asked for stands in the C, or in a header of the core that it includes.
calls_all() { # FOLDER
    text=$1/wrappers.c
    set -- "$1" "$text"
    for header in wg_key.h wg_dispatch.h; do
        grep -q "#include \"$header\"" "$text" && set -- "$@" "$root/templates/core/$header"
    done
    folder=$1
    shift
    while read -r verb; do
        [ "$verb" != "$enough_for_none" ] || grep -qxF wg_range_end "$folder/asked" || continue
        grep -qE "\\b$verb\\(" "$@" || { echo "$verb is asked for, and not called"; echo x >"$folder/unneeded"; }
    done <"$folder/asked"
    [ ! -f "$folder/unneeded" ]
}

minimal() { # CASE
    folder=$scratch/cases/$1
    mkdir -p "$folder"
    golden_generate "$1" "$folder" >"$folder/log" 2>&1
    header=$(sed -n 's/^#include "\(wg_[a-z]*\.h\)"$/\1/p' "$folder/wrappers.c" | grep -vE 'wg_(core|key|dispatch)' | head -n 1)
    ask "$1" "$folder" "wg_host_$(echo "$header" | sed 's/^wg_//; s/\.h$//')_abi1" || { cat "$folder/log"; return 1; }
    poisoned "$folder" "$header" "$folder/asked"
    compiles "$folder" && calls_all "$folder"
}

# A host with everything that the case needs but this verb.
without() { # CASE VERB
    cp -r "$scratch/cases/$1" "$scratch/without"
    grep -vxF "$2" "$scratch/cases/$1/asked" >"$scratch/without/asked"
    describe "$scratch/without" "$scratch/without/asked" wg_host_minimal_abi1
    generate "$1" "$scratch/without"
    status=$?
    cat "$scratch/without/log"
    [ $status -eq 2 ] && grep -q "verb '$2'.*\[E_HOST\]" "$scratch/without/log"
}

needed() { # VERB: by the C that was generated with it
    printf '#pragma GCC poison %s\n' "$1" >>"$scratch/without/wg_minimal.h"
    ! compiles "$scratch/without" 2>/dev/null
}

for case in $(golden_cases "$@"); do
    check "$case: compiles with the verbs that were asked for, and calls each" minimal "$case"
done
[ $# -eq 0 ] || finish

while read -r verb; do
    case=$(cd "$scratch/cases" && grep -lxF "$verb" ./*/asked | head -n 1 | sed 's|^\./||; s|/asked$||')
    case " $taken_if_there $asked_if_there $told_if_there $marked_if_there " in *" $verb "*) continue ;; esac
    rm -rf "$scratch/without"
    if [ -z "$case" ]; then
        echo "a golden case that needs it is missing" >"$scratch/check"
        not_ok "$verb is needed by a golden case" "$scratch/check"
        continue
    fi
    check "$verb: $case is refused by a host without it" without "$case" "$verb"
    check "$verb: the C of $case calls it" needed "$verb"
done <"$scratch/documented"

# wg_matches does for the single reads.
matches() {
    folder=$scratch/matches
    mkdir "$folder"
    ask check_tensor "$folder" wg_host_aoti_abi1 "$taken_if_there" || return 1
    poisoned "$folder" wg_aoti.h "$folder/asked"
    compiles "$folder" && calls_all "$folder" && grep -q "$taken_if_there(" "$folder/wrappers.c" &&
        ! grep -qxE 'wg_(dtype|rank|size|stride|offset|device|data|is_plain)' "$folder/asked"
}
# A tangent of another type is asked to turn into what was traced where the host can ask, and refused where it cannot.
asks() {
    folder=$scratch/asks
    mkdir "$folder"
    ask coerce_type "$folder" wg_host_native_abi1 "$asked_if_there" || return 1
    poisoned "$folder" wg_native.h "$folder/asked"
    compiles "$folder" && grep -q "$asked_if_there(" "$folder/wrappers.c" || return 1
    grep -vx "$asked_if_there" "$folder/asked" >"$folder/fewer"
    describe "$folder" "$folder/fewer" wg_host_native_abi1
    generate coerce_type "$folder" && ! grep -q "$asked_if_there" "$folder/wrappers.c"
}
check "$asked_if_there: taken where a host has it, and not asked for" asks

# An autograd is told of parts of several views where there is one.
tells() {
    folder=$scratch/tells
    mkdir "$folder"
    ask mark_part "$folder" wg_host_torch_abi1 "$told_if_there" || return 1
    poisoned "$folder" wg_torch.h "$folder/asked"
    compiles "$folder" && grep -q "$told_if_there(" "$folder/wrappers.c" || return 1
    grep -vx "$told_if_there" "$folder/asked" >"$folder/fewer"
    describe "$folder" "$folder/fewer" wg_host_torch_abi1
    generate mark_part "$folder" && ! grep -q "$told_if_there" "$folder/wrappers.c"
}
check "$told_if_there: called where a host has it, and not asked for" tells

# One of the pair alone marks nothing.
marks() {
    folder=$scratch/marks
    mkdir "$folder"
    # shellcheck disable=SC2086
    ask range_begin "$folder" wg_host_range_abi1 $marked_if_there || return 1
    calls_all "$folder" || return 1
    for verb in $marked_if_there; do
        grep -vx "$verb" "$folder/asked" >"$folder/fewer"
        describe "$folder" "$folder/fewer" wg_host_range_abi1
        generate range_begin "$folder" && ! grep -q wg_range "$folder/wrappers.c" || return 1
    done
}
check "$marked_if_there: called where a host has both, and not asked for" marks

check "$taken_if_there: a host that has it needs none of the reads that it does for" matches

# The user's templates are looked at like the built-in ones: what they call, not what they mention.
override() { # TEXT: for op/copy_, with the verbs that the built-in template asks for
    rm -rf "$scratch/without"
    cp -r "$scratch/cases/copy_" "$scratch/without"
    mkdir -p "$scratch/without/templates/op"
    { cat "$ops/copy_.mustache" && printf '%s\n' "$1"; } >"$scratch/without/templates/op/copy_.mustache"
    describe "$scratch/without" "$scratch/cases/copy_/asked" wg_host_minimal_abi1
    "$WRAPGEN" --in "$root/tests/golden/copy_/graph.yaml" --out "$scratch/without/wrappers.c" --host "$scratch/without/host.yaml" \
        --templates "$scratch/without/templates" >"$scratch/without/log" 2>&1
    status=$?
    cat "$scratch/without/log"
}
asks_override() { # TEXT WORDS
    override "$1" && [ $status -eq 2 ] && grep -qF "$2, which host 'minimal'" "$scratch/without/log"
}
spares_override() { # TEXT
    override "$1" && [ $status -eq 0 ]
}
check "a user's template is asked for what it calls" asks_override '(void)wg_version(ctx, {{dst}});' "'wg_version' (dst.copy_(src))"
check 'a header that it includes, too' asks_override '#include "wg_key.h"' "'wg_symbol' (templates/core/wg_key.h calls it)"
check 'not for what stands in comments and literals' spares_override \
    '/* wg_version(x) */ (void)"wg_version(x) \" wg_version("; // wg_version(x)'
check 'nor for functions that are not verbs' spares_override '(void)wg_mine(ctx, wg_max(1, 2));'
finish
