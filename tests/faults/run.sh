#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A self-test notices a fault in every operand of every op of gen/plan/ops.def, and notices when an op is left out: in each
# case the op's template is changed in that one place, and the self-test of a graph whose wrappers are then others must fail.
#
#   run.sh             tests one fault in FAULTS_EVERY (10; 100 under sanitizers), which ones says PART
#   run.sh OP...       all faults of these ops
#
# What cannot be noticed stands in unseen.txt, with the reason: `op|operand|reason`, `-` for the op itself. What an op defines
# is not looked at here: a fault there is one in the ops that use it. C that does not compile without an op notices it, too.
# Reasons that begin with "open" are gaps: there the self-test or this test is to be mended, and the line to go.
#
# To add an op: nothing. A fault that is not noticed is one of the self-test, or belongs in unseen.txt.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/faults
case " $EXTRA " in
*sanitize*) every=${FAULTS_EVERY-100} quick= ;;
*) every=${FAULTS_EVERY-10} quick=$(command -v tcc) ;;
esac
include="-I$root/templates/core $(printf ' -I%s' "$root"/templates/hosts/*/)"
most_graphs=20 # in which a fault may show

cd "$scratch" || exit 1
: >wg_grad.h # the hosts of tests/golden/view_base and of range_begin are only descriptions
: >wg_range.h
core=
for file in wg_cold wg_overlap wg_dispatch wg_key_text; do
    core="$core $root/templates/core/$file.c"
done
"$WRAPGEN" --print-templates printed || exit 1
runtime=$(dirname "$(find "$scratch/printed" -name wg_selftest.c)") # whose mock host fault.c knows
include="$include -I$runtime"
cat "$runtime/wg_selftest.c" "$here/fault.c" >runtime.c
core="$core $scratch/runtime.c"
for source in $core; do # once, since it is most of what is compiled
    # shellcheck disable=SC2086
    $CC -std=c11 -w $EXTRA -O1 $include -I. -c -o "$(basename "$source" .c).o" "$source" || exit 1
done
core=$(for source in $core; do echo "$scratch/$(basename "$source" .c).o"; done)

# ---- which graphs have an op ----

# A host that converts no tangents refuses those of another context.
mkdir bare
grep -v wg_coerce_tangent "$root/templates/hosts/native/host.yaml" | sed 's/^name: native/name: bare/' >bare/host.yaml
cp "$root/tests/golden/attr_optional/graph.yaml" bare/
printf '%s\n' --host "$scratch/bare/host.yaml" >bare/args
graphs() {
    ls "$scratch"/bare/graph.yaml "$root"/tests/golden/*/graph.yaml "$root"/tests/selftest/*.yaml "$root"/examples/*/graph.yaml "$root"/tests/exec/*/graph.yaml
}
arguments_of() { # YAML
    [ ! -f "$(dirname "$1")/args" ] || cat "$(dirname "$1")/args"
}
# Where the second function of a key is, for arguments that are not plain: --dump leaves it out.
with_keys="$root/tests/selftest/kernels.yaml $root/tests/golden/key_expression/graph.yaml $root/tests/golden/lazy_kernel/graph.yaml $root/examples/matmul_key/graph.yaml"
graphs | while read -r yaml; do
    # shellcheck disable=SC2046 # words
    "$WRAPGEN" --in "$yaml" $(arguments_of "$yaml") --dump plan 2>/dev/null | sed -nE 's/^ +([a-z_0-9]+) .*/\1/p' | sort -u | sed "s|\$| $yaml|"
done >index
graphs_with() { # OP
    [ ! -f "$root/tests/golden/$1/graph.yaml" ] || echo "$root/tests/golden/$1/graph.yaml"
    sed -n "s/^$1 //p" index
    case $1 in key_* | scope_concrete | scope_symbolic) printf '%s\n' $with_keys ;; esac
}

# ---- a fault ----

generate() { # YAML FOLDER ARGUMENT...
    yaml=$1 folder=$2
    shift 2
    mkdir -p "$folder"
    # shellcheck disable=SC2046 # words
    (cd "$folder" && "$WRAPGEN" --in "$yaml" $(arguments_of "$yaml") --out w.c --header w.h --emit-selftest self.c "$@" 2>log)
}
build() { # FOLDER
    cat "$here/fault.h" "$1/self.c" >"$1/with.c"
    if [ -n "$quick" ]; then
        # shellcheck disable=SC2086
        (cd "$1" && "$quick" -w $include -I. -I"$scratch" -o self with.c $core)
    else
        # shellcheck disable=SC2086
        (cd "$1" && $CC -std=c11 -w $EXTRA -O0 $include -I. -I"$scratch" -o self with.c $core)
    fi >log 2>&1
}
# A graph for which no call can be drawn says nothing about faults.
right() { # YAML: the folder with what is generated without a fault
    folder=$scratch/right/$(echo "$1" | tr / _)
    if [ ! -d "$folder" ]; then
        generate "$1" "$folder" && build "$folder" && (cd "$folder" && timeout 300 ./self 2 >report 2>log) && : >"$folder/passes"
    fi
    [ -f "$folder/passes" ] && echo "$folder"
}
is_complete() { # FILE: TAP, to its plan, without a failure
    ! grep -q '^not ok' "$1" && tail -n 1 "$1" | grep -q '^1\.\.[1-9]'
}

# Ways to put a fault into such an operand, a line each: the tag that is replaced, and by what.
ways() { # TYPE NAME
    case $1 in
    TENSOR) printf '%s\n' "$2 wg_fault_other(ctx, @)" "$2 (@ + 1)" ;;
    VALUES) printf '%s\n' 'value WG_FAULT_VALUE(@)' 'value &(*(__typeof__(@)[1]){0})' ;;
    INTEGERS | DIMS) echo 'value (@ + 1)' ;;
    FLAG) echo "$2 !@" ;;
    SITE) echo "$2 &wg_fault_site" ;;
    SITES) echo 'value &wg_fault_site' ;;
    NAME) printf '%s\n' "$2 &wg_fault_type" "$2 WG_FAULT_@" "$2 &WG_FAULT_@" "$2 (@ + 1)" "$2 1 + @" "$2 @ + 1" ;;
    FACTS) printf '%s\n' no-condition "${2}_count (@ - 1)" ;;
    GEOMETRY) printf '%s\n' other-offset other-strides ;;
    -) echo nothing ;;
    *) printf '%s\n' "$2 (@ + 1)" "$2 (@ - 1)" "$2 (@ * 0)" "$2 WG_FAULT_VALUE(@)" ;;
    esac
}
# With what it includes of itself.
whole_template() { # OP
    awk -v folder="$root/templates" '/^ *[{][{]>(failed|returned)[}][}]$/ {
            gsub(/[ {}>]/, "")
            file = folder "/" $0 ".mustache"
            while ((getline line < file) > 0) print line
            close(file)
            next
        } { print }' "$ops/$1.mustache"
}
change() { # TEMPLATE TAG WITH
    case $2 in
    no-condition) grep -vF '{{>*condition}}' "$1" ;;
    other-strides) sed 's/&geometry/\&(WgGeometry){ geometry.sizes, geometry.sizes, geometry.offset, geometry.rank }/' "$1" ;;
    other-offset) sed 's/&geometry/\&(WgGeometry){ geometry.sizes, geometry.strides, geometry.offset + 1, geometry.rank }/;s/&outer/\&(WgGeometry){ outer.sizes, outer.strides, 1, outer.rank == 0 }/' "$1" ;;
    nothing) if grep -qF '{{#body}}' "$1"; then printf '{{#body}}\n{{>*op}}\n{{/body}}\n'; else echo '{{! nothing }}'; fi ;;
    *) awk -v key="$2" -v with="$3" -f "$here/put.awk" "$1" ;;
    esac
}

# Leaves in $outcome: noticed, unnoticed, unchanged (no graph's wrappers are others) or unbuilt.
plant() { # OP
    outcome=unchanged
    tried=0
    for yaml in $(graphs_with "$1" | awk '!seen[$0]++'); do
        whole=$(right "$yaml") || continue
        rm -rf faulty
        generate "$yaml" faulty --templates "$scratch/templates" || continue
        ! cmp -s "$whole/w.c" faulty/w.c || continue
        [ "$tried" -lt "$most_graphs" ] || break
        tried=$((tried + 1))
        if ! build faulty; then
            [ "$outcome" != unchanged ] || outcome=unbuilt
            continue
        fi
        (cd faulty && timeout 300 ./self 2 >report 2>log)
        status=$?
        if [ "$status" -ne 0 ] && [ "$status" -ne 124 ] && ! is_complete faulty/report; then
            outcome=noticed
            return
        fi
        outcome=unnoticed
    done
}

one_fault() { # OP TYPE NAME
    template=$scratch/template
    whole_template "$1" >"$template"
    unseen=$(awk -F'|' -v op="$1" -v operand="$3" '$1 == op && $2 == operand { print $3 }' "$here/unseen.txt")
    what="$1: $3"
    [ "$3" != - ] || what="$1 is left out"
    result=unchanged
    rm -rf faulty
    ways "$2" "$3" >ways
    while read -r tag with; do
        rm -rf templates && mkdir -p templates/op
        change "$template" "$tag" "$with" >"templates/op/$1.mustache"
        ! cmp -s "$template" "templates/op/$1.mustache" || continue
        plant "$1"
        [ "$outcome$3" != unbuilt- ] || outcome=noticed
        case $outcome in
        noticed) result=$outcome && break ;;
        unnoticed) result=$outcome ;;
        *) [ "$result" = unnoticed ] || result=$outcome ;;
        esac
    done <ways
    if [ -n "$unseen" ] && [ "$result" = noticed ]; then
        not_ok "$what is noticed, and unseen.txt says otherwise"
    elif [ -n "$unseen" ]; then
        ok "$what ($result; $unseen)"
    elif [ "$result" = noticed ]; then
        ok "$what"
    else
        not_ok "$what ($result)" faulty/report
    fi
}

# ---- the walk ----

awk -f "$here/operands.awk" "$root/gen/plan/ops.def" >operands
check 'ops and operands are read' test "$(sed -n '$=' operands)" -ge 700
awk '{ print $1 "|" $3 "|" }' operands >keys
check 'unseen.txt names ops and operands that there are' sh -c '! sed -E "s/^([^|]*[|][^|]*[|]).*/\1/" "$1" | grep -vxF -f keys' sh "$here/unseen.txt"
number=0
while read -r op kind operand type; do
    case $kind in DEF | OWN | DEFINES) continue ;; esac
    number=$((number + 1))
    if [ $# -gt 0 ]; then
        case " $* " in *" $op "*) ;; *) continue ;; esac
    elif ! in_sample $number "$every"; then
        continue
    fi
    one_fault "$op" "$type" "$operand" </dev/null
done <operands
finish
