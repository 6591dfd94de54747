#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [--sabotage] - random kernels, and the self-test of their wrappers: words, equality, texts and caches of keys against
# templates/selftest, which reads the facts of the YAML and knows nothing of lowering. KEYS_SEED, KEYS_KERNELS and KEYS_ROUNDS
# say how many; the default is more than 100,000 calls, a third of that under sanitizers. Where there is a Python, wg_key.py
# must give the keys that the library says, and refuse what it says is refused. --sabotage breaks one thing at a time and sees
# that it is noticed; without, one in seven (PART) is tried, and none under sanitizers, whose fewer kernels need not meet each.
. "$(dirname "$0")/../../lib.sh"
here=$root/tests/property/keys
kernels=60
[ -z "$EXTRA" ] || kernels=20
: "${KEYS_SEED:=1}" "${KEYS_KERNELS:=$kernels}" "${KEYS_ROUNDS:=10}"
flags='-std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
# shellcheck disable=SC2086 # lists of flags
compile() { # CORE OUTPUT FLAG-OR-SOURCE...: the wrappers are in $scratch
    core=$1
    output=$2
    shift 2
    $CC $flags $EXTRA -I"$core" -I"$root/templates/hosts/native" -I"$selftest_library" -I"$scratch" -o "$output" "$@"
}
generate() { # OPTION...: the wrappers and their self-test
    "$WRAPGEN" --in "$scratch/graph.yaml" --out "$scratch/wrappers.c" --header "$scratch/wrappers.h" --emit-selftest "$scratch/self.c" "$@"
}
count() { # TEXT: calls of the report's lines that say so
    awk -v text=": $1, " 'index($0, text) { n += $(NF - 1) } END { print n + 0 }' "$scratch/report"
}

# The files that test, and those that are tested: `core` and `templates` are copies that sabotage may change.
core=$root/templates/core
check 'the maker builds' compile "$core" "$scratch/make" "$here/make.c" "$here/formula.c"
check 'it makes kernels' sh -c '"$@" >"$0"' "$scratch/graph.yaml" "$scratch/make" "$KEYS_SEED" "$KEYS_KERNELS"
check 'they are generated' generate --emit-contract "$scratch/contract.json"
check 'the library builds' compile "$core" "$scratch/library.o" -c "$selftest_library/wg_selftest.c"
check 'they build' compile "$core" "$scratch/run" "$here/calls.c" "$scratch/library.o" "$core"/*.c
"$scratch/run" "$KEYS_ROUNDS" >"$scratch/report" 2>&1
status=$?
grep -v '^ok' "$scratch/report" >"$scratch/log"
calls=$(count 'words of keys')
refused=$((calls - $(count 'equal and different keys')))
echo "# $calls calls, $refused refused"
check 'keys are what they must be' sh -c 'cat "$2" && test "$1" -eq 0 && ! grep -E "^not ok|not covered" "$2"' sh "$status" "$scratch/log"
check 'of each kernel' test "$(grep -c ': words of keys, ' "$scratch/report")" -eq "$KEYS_KERNELS"
check 'enough calls were refused, and enough pairs were equal' sh -c '"$1" json "$2" && test "$3" -gt 1000 -a $(($4 * 100)) -gt "$3"' sh \
    "$scratch/run" "$scratch/calls.json" "$calls" "$refused"
sed -n 's/^#/#/p' "$scratch/check"

# The same for the extractor in Python; and the vectors of the contract.
if command -v python3 >/dev/null 2>&1; then
    check 'Python gives the same bytes' python3 -B "$here/check.py" "$scratch/contract.json" "$scratch/calls.json"
else
    skip 'Python gives the same bytes' 'there is no python3'
fi

# What is broken: a file, and a sed command for it.
sabotages() {
    cat <<'LIST'
core/wg_key.h s/wg_size(ctx, t, dimension) == 1 ? WG_KEY_NO_STRIDE : //
core/wg_compiler.h s/(stride | ones) << 32/stride << 32/
core/wg_key.h s/size == 1 ? UINT64_C(0xFFFFFFFF) : stride/stride/
core/wg_compiler.h s/return size | stride;/return size;/
core/wg_compiler.h s/return size | stride;/return stride;/
core/wg_compiler.h s/return pair\[0\] | pair\[1\];/return pair[0];/
core/wg_key.h s/wg_pair_joined(seen) >> 31/wg_pair_joined(seen) >> 32/
core/wg_key.h s/size != 1 \&\& (wg_symbol/(wg_symbol/
core/wg_key.h s/0, \&symbol) || size >> 31 != 0/0, \&symbol)/
core/wg_key.h s/ || (uint64_t)wg_stride(ctx, t, d) >> 31 != 0//
core/wg_key.h s/(wg_symbol(ctx, t, d, 1, \&symbol) || /(/
core/wg_key.h s/head | WG_KEY_WIDE/head/
templates/op/key_static.mustache s/wg_key_two(sizes + {{value}}, strides + {{value}}/wg_key_two(sizes, strides/
templates/op/key_static.mustache s/!wg_is_plain(ctx, {{tensor}}) || //
templates/op/key_static_ranks.mustache s/ | (uint64_t)(uint32_t)rank << 16//
templates/op/key_dynamic_auto.mustache s/ | wg_key_many(count)//
templates/op/key_dynamic_auto.mustache s/!wg_is_plain(ctx, {{tensor}}) || //
templates/op/key_dynamic_ranks.mustache s/if (next == NULL)/if (0)/
core/wg_key.h s/size < 2 ? size : 2/size < 1 ? size : 2/
core/wg_key.h s/4 \* higher/2 * higher/
core/wg_key.h s/count > INT32_MAX ? WG_KEY_MANY/count > INT32_MAX ? WG_KEY_WIDE/
core/wg_key.h s/if (!plain \&\& wg_symbol/if (plain \&\& wg_symbol/
core/wg_key.h s/(static_dims >> d \& 1) != 0 || wg_symbol(ctx, t, d, 0, \&symbol)/(static_dims >> d \& 1) != 0/
templates/kernel_key.mustache s/if (!wg_key_fits(seen))/if (0)/
templates/kernel_key.mustache s/key->num_words = {{usual_words}}/key->num_words = {{usual_words}} - 1/
core/wg_key.h s/real != real ? UINT64_C(0x7FF8000000000000) : bits/bits/
core/wg_key.h s/    next = wg_key_put(next, n, differs);$//
core/wg_key.h s/<< (8 \* byte)/<< (8 * (7 - byte))/
core/wg_key.h s/wg_dtype(ctx, t) << 8/wg_dtype(ctx, t) << 7/
templates/op/key_apart.mustache s/if (!wg_key_apart(\(.*\)))/if (!wg_key_apart(\1) \&\& 0)/
templates/op/key_again.mustache s/wg_key_again(\(.*\), next)/(\1 < 0 ? next : next)/
core/wg_key.h s/WG_KEY_AGAIN | (uint64_t)found << 8/WG_KEY_AGAIN/
templates/op/key_or_null.mustache s/    next = .*;/    ;/
templates/op/key_count.mustache s/.*count, .*//
core/wg_key.h s/\*differs |= \*next ^ word;//
core/wg_compiler.h s/    \*changed |= \*(const WgPair .*//
core/wg_key.h s/    \*changed = wg_pair_or(\*changed, wg_pair(\*words ^ packed, 0));//
templates/kernel_key.mustache s/    differs |= wg_pair_joined(changed);//
core/wg_key_cache.h s/!same || cache->value == NULL/cache->value == NULL/
templates/op/key_size.mustache s/wg_size/wg_stride/
templates/op/key_value.mustache s/_tag = 1/_tag = 2/
templates/op/key_tagged.mustache s/{{component}}_tag/1/
templates/op/key_symbolic.mustache s/|= .*/|= 0;/
templates/op/key_symbol_size.mustache s/wg_key_safe_size/wg_key_safe_stride/
templates/op/key_tag.mustache s/next -= 2;/next -= 1;/
templates/op/key_number.mustache s/{{value}}/0/
templates/op/integer_rank.mustache s/wg_rank(ctx, {{tensor}})/0/
templates/op/integer_length.mustache s/(int64_t){{list}}->count/0/
templates/op/integer_mod.mustache s/wg_mod/wg_floordiv/
templates/op/integer_less.mustache s/ < / <= /
templates/op/check_overflow.mustache s/if (overflow)/if (overflow \&\& 0)/
templates/op/check_minimum.mustache s/if (/if (0 \&\& /
templates/op/check_maximum.mustache s/if (/if (0 \&\& /
templates/op/check_multiple.mustache s/if (/if (0 \&\& /
templates/op/check_dtypes.mustache s/!wg_among/0 \&\& !wg_among/
templates/op/check_ranks.mustache s/!wg_among/0 \&\& !wg_among/
templates/op/check_plain.mustache s/!wg_is_plain/0 \&\& !wg_is_plain/
templates/op/check_there.mustache s/== NULL/== NULL \&\& 0/
templates/op/check_index32.mustache s/> INT32_MAX/> UINT32_MAX/
templates/op/scope_longer.mustache s/> {{count}}/>= {{count}}/
templates/op/scope_rank.mustache s/> {{dimension}}/>= {{dimension}}/
templates/kernel_unbox.mustache s/values\[{{index}}\].{{member}}/values[0].{{member}}/
LIST
}

# tcc, where it is, takes a hundredth of the time for what is generated. What cannot have changed is compiled once, and all of it
# for one thread, since tcc has no atomics. What only other compilers use, wg_compiler.h, is broken for them.
quick=$(command -v tcc)
[ -z "$EXTRA" ] || quick=
objects() { # FOLDER CORE: the core's
    rm -rf "$1" && mkdir "$1" || return 1
    for source in "$2"/*.c; do
        $CC -std=c11 -O1 -w -DWG_SINGLE_THREADED -I"$2" -c -o "$1/$(basename "$source" .c).o" "$source" || return 1
    done
}
build_broken() { # FILE: that was broken
    if [ -z "$quick" ] || [ "$1" = core/wg_compiler.h ]; then
        flags='-std=c11 -O1 -w' compile "$scratch/copy/core" "$scratch/broken" "$here/calls.c" "$scratch/library.o" "$scratch"/copy/core/*.c
        return
    fi
    case $1 in
    core/*) objects "$scratch/copy/objects" "$scratch/copy/core" || return 1 ;;
    *)
        [ -d "$scratch/right" ] || objects "$scratch/right" "$root/templates/core" || return 1
        cp -R "$scratch/right" "$scratch/copy/objects"
        ;;
    esac
    "$quick" -w -DWG_SINGLE_THREADED -I"$scratch/copy/core" -I"$root/templates/hosts/native" -I"$selftest_library" -I"$scratch" -c \
        -o "$scratch/copy/run.o" "$here/calls.c" &&
        $CC -z noexecstack -o "$scratch/broken" "$scratch/copy/run.o" "$scratch/library.o" "$scratch"/copy/objects/*.o
}

broken() { # FILE COMMAND: is it noticed, by the compiler or by the test?
    rm -rf "$scratch/copy"
    mkdir "$scratch/copy"
    cp -R "$root/templates/core" "$scratch/copy/core"
    mkdir -p "$scratch/copy/templates/op"
    [ "${1%%/*}" = core ] || cp "$ops/${1##*/}" "$scratch/copy/$1" 2>/dev/null || cp "$root/$1" "$scratch/copy/$1" || return 1
    cp "$scratch/copy/$1" "$scratch/before"
    sed -i "$2" "$scratch/copy/$1"
    cmp -s "$scratch/before" "$scratch/copy/$1" && echo "changes nothing: $1 $2" && return 1
    generate --templates "$scratch/copy/templates" || return 1
    build_broken "$1" || return 1
    ! timeout 60 "$scratch/broken" 2
}

unbroken() {
    mkdir "$scratch/copy" && cp -R "$root/templates/core" "$scratch/copy/core" && build_broken templates && "$scratch/broken" 2
}
[ -n "$EXTRA" ] || check 'what is not broken passes, built as what is broken' unbroken

n=0
sabotages | {
    while read -r file command; do
        n=$((n + 1))
        [ "${1-}" = --sabotage ] || { [ -z "$EXTRA" ] && in_sample $n 7; } || continue
        if broken "$file" "$command" >"$scratch/sabotage" 2>&1; then
            echo "ok noticed: $file $command"
        else
            echo "not ok noticed: $file $command"
        fi
    done
} >"$scratch/noticed"
while IFS= read -r line; do
    case $line in
    ok*) ok "${line#ok }" ;;
    *) not_ok "${line#not ok }" "$scratch/sabotage" ;;
    esac
done <"$scratch/noticed"
finish
