#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every key lives: for each place of the schema where a value may stand, and for each word that may stand there, there is one
# description where another value gives other code, or is refused. A key or a word without such a case fails.
#
# The cases are the *.txt here, a line an edit of the `base` above it; a line that begins with `and` is one more edit of the
# same case, one that begins with `with` an edit of the base. A value is YAML in flow style, `-` is an absent key.
#
#   changes PATH: OLD -> NEW         the C or the header differ, comments and the header's number apart
#   states PATH: OLD -> NEW          the contract differs, the code does not
#   asserts CODE PATH: OLD -> NEW    both values are right elsewhere; here the new one contradicts something and is refused
#   refused CODE PATH: OLD -> NEW    refused. Shows that a word lives; that a key does only where OLD is `-`: reserved there
#   dead PATH: OLD -> NEW            nothing differs, which is a defect; the line fails as soon as it is mended
#
# And each shows that graphs which differ in that key are not taken for the same: base and edited file, under other names, are
# generated together, and the graph that was edited does not share its code with what it was. What they are called makes no difference.
#
# A new key or word is found in the tables by which the tool loads (keys.c): write its case.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
here=$root/tests/keys
build_library
build_program keys "$here/keys.c" -lcyaml -lyaml || finish
keys=$programs/keys

generate() { # YAML: its code in $1.code, its contract in $1.json
    rm -f w.*
    # One name for all, so that names do not differ.
    cp "$1" graph.yaml
    (ulimit -c 0 && exec "$WRAPGEN" --in graph.yaml --out w.c --header w.h --emit-contract w.json) >log 2>&1 || return
    number=$(sed -n 's/^#ifndef WG_GENERATED_//p' w.h | head -n 1)
    "$keys" code w.c w.h | sed "s/$number/NUMBER/g" >"$1.code"
    sed '/"input\(_hash\)\{0,1\}": /d' w.json >"$1.json"
}

outcome() { # what the edited file does, compared with its base
    generate edited
    status=$?
    if [ "$status" -eq 2 ]; then
        echo refused
    elif [ "$status" -ne 0 ]; then
        echo "died ($status)"
    elif ! cmp -s base.code edited.code; then
        echo changes
    elif ! cmp -s base.json edited.json; then
        echo states
    else
        echo nothing
    fi
}

# The graph after which the code of each is named, a line a graph of the last run.
leaders() {
    awk '/^\/\* ---- [A-Za-z_0-9]+: (inference|training), graphs/ { if (name != "") print name; name = substr($3, 1, length($3) - 1) }
        /^\/\* The code is that of / { name = substr($7, 1, length($7) - 1) }
        END { if (name != "") print name }' w.c
}

# Whether the edits give an input, output or base another name, where it is defined and wherever else it stands.
renames() { # EDIT...
    for edit; do
        case $edit in graphs'['?'].'*'['?'].name:'*) return 0 ;; esac
    done
    return 1
}

# Graphs that differ in what was edited share nothing; what they and theirs are called makes no difference.
shares_rightly() { # EDIT...
    rm -f w.*
    cp base graph.yaml
    "$keys" rename edited again.yaml
    (ulimit -c 0 && exec "$WRAPGEN" graph.yaml again.yaml --out w.c --header w.h) >log 2>&1 || return 0 # together they are refused
    leaders >both
    "$WRAPGEN" graph.yaml --out w.c --header w.h >log 2>&1
    leaders >alone
    tail -n +$(($(wc -l <alone) + 1)) both | paste -d' ' alone - >pairs
    case $1 in
    prefix:* | graphs'['?'].name:'* | graphs'['?'].compiled:'* | graphs'['?'].backward.compiled:'*) wanted=same ;;
    graphs*) if renames "$@"; then wanted=same; else wanted=other; fi ;;
    symbols* | subclasses*) wanted=others ;;
    *) return 0 ;;
    esac
    num_pairs=$((num_pairs + 1))
    item=${1#graphs?}
    awk -v wanted="$wanted" -v item="${item%%]*}" '
        wanted == "others" && $1 == $2 { bad = 1 }
        wanted != "others" && NR == item + 1 { seen = 1; if (($1 == $2) != (wanted == "same")) bad = 1 }
        END { exit bad || (wanted != "others" && !seen) }' pairs || { cat both >log && return 1; }
}

# What changes the code is never "the same" for --diff, unless only messages name it; nor is it compatible, except what a key with
# no function behind it is made for. Under another name, a compiled function is another symbol to link.
tells_change() { # EDIT...
    cp base old.yaml
    cp edited new.yaml
    (ulimit -c 0 && exec "$WRAPGEN" --diff old.yaml new.yaml) >log 2>&1
    status=$?
    told=$(sed -n 's/^new\.yaml, compared with old\.yaml: //p' log)
    echo "$told: $base: $*" >>"${VERDICTS-/dev/null}"
    case $1 in
    symbols?0?.name:* | *synthetic_bases?0?.name:* | *intermediate_bases?0?.name:* | subclasses*.attrs?1?.name:*) [ "$told" = 'the same' ] ;;
    *.compiled:*) [ "$told" = 'breaks the build' ] ;;
    'kernels[0].args[0].dtype: '*' -> -') [ "$told" = compatible ] ;;
    *) [ "$status" -eq 1 ] && [ -n "$told" ] && [ "$told" != 'the same' ] ;;
    esac
}

# Whether that shows that a key lives, and not only that one of its words does.
is_proof() { # EXPECTED EDIT
    case $1 in
    changes | states | asserts) true ;;
    refused) case $2 in *': - -> '*) true ;; *) false ;; esac ;;
    dead) true ;; # said so
    esac
}

run_case() { # EXPECTED CODE EDIT...
    expected=$1
    code=$2
    shift 2
    if ! "$keys" edit base edited "$@" >about 2>log; then
        not_ok "$base: $1: the edit applies" log
        return
    fi
    if [ "$expected" = with ]; then
        mv edited base
        generate base || not_ok "$base: with $1" log
        return
    fi
    found=$(outcome)
    case $expected/$found in
    changes/changes)
        if ! shares_rightly "$@"; then
            not_ok "$base: $1: graphs that differ share code, or the same graphs do not" log
            return
        fi
        if ! tells_change "$@"; then
            not_ok "$base: $1: --diff says what it does: it said '$told'" log
            return
        fi
        ok "$base: $1: $found"
        ;;
    states/states) ok "$base: $1: $found" ;;
    refused/refused | asserts/refused)
        if ! grep -qF "[$code]" log; then
            not_ok "$base: $1: refused with $code" log
            return
        fi
        ok "$base: $1: refused"
        ;;
    dead/nothing) ok "$base: $1: known to be dead" ;;
    *)
        not_ok "$base: $1: expected '$expected', found '$found'" log
        return
        ;;
    esac
    if is_proof "$expected" "$1"; then cat about; else sed 1d about; fi >>covered
}

flush_case() {
    [ -z "$expectation" ] || eval "run_case $arguments"
    expectation=
}

quoted() { # TEXT: as one word of the shell
    printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

run_cases() { # FILE
    expectation=
    while IFS= read -r line; do
        case $line in
        '' | '#'*) ;;
        'base '*)
            flush_case
            base=${line#base }
            cp "$root/$base" base
            case $base in */golden/view_base/*) cp "$root/tests/golden/view_base/host.yaml" . ;; esac
            generate base || not_ok "$base is generated" log
            ;;
        'with '*)
            flush_case
            expectation=with
            arguments="with - $(quoted "${line#with }")"
            ;;
        'and '*) arguments="$arguments $(quoted "${line#and }")" ;;
        *)
            flush_case
            expectation=${line%% *}
            rest=${line#* }
            code=-
            case $expectation in
            refused | asserts)
                code=${rest%% *}
                rest=${rest#* }
                ;;
            esac
            arguments="$expectation $code $(quoted "$rest")"
            ;;
        esac
    done <"$1"
    flush_case
}

cd "$scratch" || exit 1
: >covered
num_pairs=0
for file in "$here"/*.txt; do
    run_cases "$file"
done
"$keys" list | sort -u >all
sort -u covered >known
comm -23 all known >missing
while IFS= read -r place; do
    not_ok "'$place' has a case"
done <missing
check 'the schema was walked' test "$(wc -l <all)" -gt 500
check 'graphs were compared with what they were' test "$num_pairs" -gt 200
ok "$(comm -12 all known | wc -l) keys and words have a case"
# Names and numbers of dtypes and device types: those of wg_copy.h and wg_core.h are in wg_key.py again, which needs no C.
of_c() {
    awk '/^ *WG_[A-Z0-9_]* = [0-9]+,?( |$)/ { number[$1] = $3 + 0 }
        match($0, /^ *X\(WG_[A-Z0-9_]*, "[a-z0-9_]*"/) { split(substr($0, RSTART, RLENGTH), part, /[(,"]/); print "\"" part[4] "\": " number[part[2]] }' \
        "$root/templates/core/wg_core.h" "$root/templates/core/wg_copy.h" | sort
}
of_python() {
    sed -n '/^DTYPES = {/,/}$/p; /^DEVICES = {/p' "$root/templates/core/wg_key.py" | grep -oE '"[a-z0-9_]+": [0-9]+' | sort
}
of_c >"$scratch/of_c"
of_python >"$scratch/of_python"
check 'wg_key.py has the dtypes and device types of the C' sh -c 'diff "$1" "$2" && test "$(wc -l <"$1")" -ge 29' sh "$scratch/of_c" "$scratch/of_python"
finish
