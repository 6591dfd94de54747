#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sabotage.sh [WORD] - breaks one rule of the dispatch templates at a time and sees that the property test notices; with
# WORD only those rules whose name has it.
. "$(dirname "$0")/../../lib.sh"
real=$WRAPGEN
only=${1-}

noticed() { # NAME FILE SED
    case $1 in *"$only"*) ;; *) return ;; esac
    rm -rf "$scratch/templates"
    mkdir -p "$scratch/templates/dispatch"
    mkdir -p "$(dirname "$scratch/templates/$2")"
    case $2 in op/*) whole=$ops/${2##*/} ;; *) whole=$root/templates/$2 ;; esac
    sed "$3" "$whole" >"$scratch/templates/$2"
    if cmp -s "$whole" "$scratch/templates/$2"; then
        not_ok "$1: nothing was broken"
        return
    fi
    printf '#!/bin/sh\nexec "%s" --templates "%s" "$@"\n' "$real" "$scratch/templates" >"$scratch/broken"
    chmod +x "$scratch/broken"
    if WRAPGEN="$scratch/broken" sh "$root/tests/property/dispatch/run.sh" 100 >"$scratch/log" 2>&1; then
        not_ok "$1 is noticed" "$scratch/log"
    elif grep -q 'the matcher says' "$scratch/log"; then
        ok "$1 is noticed"
    else
        not_ok "$1 fails in another way" "$scratch/log"
    fi
}

noticed 'the stride of another dim' dispatch/stride.mustache 's/{{dimension}}/0/'
noticed 'an address that is always aligned' dispatch/address.mustache 's/(int64_t)(intptr_t)wg_data(ctx, {{{value}}})/0/'
noticed 'an offset that is always 0' dispatch/storage_offset.mustache 's/wg_offset(ctx, {{{value}}})/0/'
noticed 'a boolean that is always true' dispatch/truth.mustache 's/ != 0/ * 0 + 1/'
noticed 'tensors that are never the same' dispatch/same.mustache 's/ != 0/ * 0/'
noticed 'channels last for contiguous' dispatch/contiguous.mustache 's/wg_is_contiguous/wg_is_channels_last/'
noticed 'an item read without a look at the length' dispatch/length.mustache 's/{{{value}}}.count/3/'
noticed 'or for and in a range' dispatch/clause.mustache 's/{{^first}} && {{/{{^first}} || {{/'
noticed 'candidates that are not looked at' dispatch/hash.mustache 's/{{field}} == rows\[slot\].{{field}} && //'
noticed 'displacements that are forgotten' dispatch/hash.mustache 's/+ displacements\[hash >> {{shift}}\]/+ 0 * displacements[hash >> {{shift}}]/'
noticed 'the chain after the switches left out' kernel_dispatch.mustache 's/^    {{>dispatch\/chain}}$//'
noticed 'a dtype that is not tested first' op/check_dtypes.mustache 's/^if (/if (0 \&\& /'
noticed 'a guard that overflowed and holds' dispatch/reads.mustache 's/{{#fails}} & !overflow{{\/fails}}//'
noticed 'an overflow that spoils later guards' dispatch/reads.mustache 's/{{#declares}}int {{\/declares}}overflow = 0;/{{#declares}}int overflow = 0;{{\/declares}}/'
noticed 'a floor that is not one' op/integer_floordiv.mustache 's/wg_floordiv({{lhs}}, {{rhs}}, &overflow)/{{lhs}} \/ {{rhs}}/'
noticed 'less or equal for less' op/integer_less.mustache 's/{{lhs}} < /{{lhs}} <= /'
noticed 'a negative zero for zero' dispatch/real.mustache 's/({{{value}}}, /({{{value}}} + 0.0, /'
finish
