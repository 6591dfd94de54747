#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --emit-selftest: the file for a small graph is the expected one; every graph and kernel of the golden tests and of the
# examples passes its self-test, compiled without a warning; wrappers and dispatchers that were broken on purpose do
# not.
#
#   run.sh             tests
#   run.sh --update    writes small/expected.txt anew; read what came out
#
# Compiling takes a moment each, so one golden case, example and sabotage in SELFTEST_EVERY is taken (5; 20 under
# sanitizers), which one says PART; .ci/run takes all of them, with clang.
#
# What a report says is `not covered` must stand in uncovered.txt.
#
# To add a sabotage: a line `graph|what is broken|sed script` in sabotage.txt; the graph is one here, golden/CASE or
# examples/NAME, and the script changes its wrappers, or the file of the core that is named after it (`kernels
# core/wg_key_cache.h`). A script that changes nothing fails, with tcc also one whose sabotage is not in the sample, and so does a
# table of fewer than 320 lines.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/selftest
case " $EXTRA " in
*sanitize*) every=${SELFTEST_EVERY-20} ;;
*) every=${SELFTEST_EVERY-5} ;;
esac
number=0
is_next() { # one in $every
    number=$((number + 1))
    in_sample $number "$every"
}

strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
include="-I$root/templates/core -I$selftest_library $(printf ' -I%s' "$root"/templates/hosts/*/)"

generate() { # YAML ARGUMENT...: w.c, w.h and self.c
    yaml=$1
    shift
    "$WRAPGEN" --in "$yaml" --out w.c --header w.h --emit-selftest self.c "$@"
}

linked() { # what a self-test is linked with; a file of the core that was broken takes the place of its object
    [ "${broken-w.c}" = w.c ] && echo "$core" || echo "$core" | sed "s|${broken%.c}\.o|$broken|"
}

build() { # FLAG...
    # shellcheck disable=SC2046,SC2086 # lists of flags, and of files
    $CC "$@" $EXTRA -O0 $include -I. -o self self.c $(linked)
}

# What a case's generator gets in addition to its graph, as arguments.
arguments_of() { # YAML
    [ ! -f "$(dirname "$1")/args" ] || cat "$(dirname "$1")/args"
}

# Whether a compiler warns was seen once for each graph; broken wrappers are built by tcc where it is, in a tenth of the time.
case " $EXTRA " in
*sanitize*) quick= ;;
*) quick=$(command -v tcc) ;;
esac
build_broken() {
    if [ -n "$quick" ]; then
        # shellcheck disable=SC2046,SC2086
        "$quick" -w $include -I. -o self self.c $(linked)
    else
        build -std=c11 -w
    fi
}

is_numbered() { # FILE: TAP, numbered without a gap, the plan last
    awk 'NR == 1 && $0 != "TAP version 13" { bad = 1 }
        /^(not )?ok / { sub(/^not /, ""); if ($2 != ++n) bad = 1 }
        { last = $0 }
        END { exit bad || n == 0 || last != "1.." n }' "$1"
}

is_tap() { # FILE: the same without a failure
    is_numbered "$1" && ! grep -q '^not ok' "$1"
}

cd "$scratch" || exit 1
core=
for file in core/wg_cold core/wg_overlap core/wg_dispatch core/wg_key_text selftest/wg_selftest; do
    case $file in selftest/*) source=$selftest_library/wg_selftest.c ;; *) source=$root/templates/$file.c ;; esac
    # shellcheck disable=SC2086
    check "$file.c compiles" $CC -O1 $strict $EXTRA $include -c -o "${file#*/}.o" "$source"
    core="$core ${file#*/}.o"
done
: >wg_grad.h # the host of tests/golden/view_base is only a description
: >wg_range.h # and so is the host of range_begin
check 'the small graph is generated' generate "$here/small/graph.yaml"
[ "${1-}" != --update ] || cp self.c "$here/small/expected.txt"
check 'its self-test is the expected one' diff -u "$here/small/expected.txt" self.c
cp self.c first.c
generate "$here/small/graph.yaml" && check 'the same input gives the same bytes' cmp first.c self.c

# A graph or a kernel is tested, or its report says why not, and uncovered.txt has the line: `case|what|why`.
uncovered() { # CASE: what the report leaves out and the table does not list, and the other way around
    sed -n 's/^# not covered: //p' report | sort -u >found
    awk -F'|' -v name="$1" '$1 == name { print $2 }' "$here/uncovered.txt" | sort >listed
    diff listed found
}
num_tested=0
for yaml in "$here"/*.yaml "$here"/small/graph.yaml "$root"/tests/golden/*/graph.yaml "$root"/examples/*/graph.yaml; do
    name=$(echo "${yaml#"$root"/}" | sed 's,/graph.yaml,,')
    case $name in */golden/* | examples/*) is_next || continue ;; esac
    # shellcheck disable=SC2046 # words
    if ! generate "$yaml" $(arguments_of "$yaml") >log 2>&1; then
        not_ok "$name is generated" log
        continue
    fi
    # shellcheck disable=SC2086
    if ! build $strict >log 2>&1; then
        not_ok "$name: its self-test compiles" log
    elif ! timeout 300 ./self 3 >report 2>log; then
        not_ok "$name: its self-test passes" report log
    elif ! is_tap report; then
        not_ok "$name: its report is TAP" report
    elif ! uncovered "$name" >log; then
        not_ok "$name: nothing is left out but what uncovered.txt lists" log
    else
        ok "$name"
        grep -Eq ' (right calls|words of keys), ' report && num_tested=$((num_tested + 1))
    fi
done
check 'most of them are really tested' test "$num_tested" -ge $((90 / every))

# The user's names may be those of the self-test itself.
names_pass() {
    # shellcheck disable=SC2086
    generate "$here/names/graph.yaml" && build $strict && timeout 300 ./self 3 >report && is_tap report && [ "$(grep -Ec 'right calls|words of keys' report)" -eq 6 ]
}
check 'names that the self-test uses too' names_pass

check 'a number of rounds' sh -c 'test "$(timeout 300 ./self 20 | sed -n "s/.*evaluate: right calls, \([0-9]*\) .*/\1/p")" -gt "$(timeout 300 ./self 2 | sed -n "s/.*evaluate: right calls, \([0-9]*\) .*/\1/p")"'
timeout 300 ./self 0 >log 2>&1
check 'no rounds are refused' test $? -eq 2

# Names of any length, in texts of any length: what is broken in those is seen, too.
long_names() { # SED-SCRIPT
    awk '{ while (match($0, /[a-z]+@/)) {
            word = substr($0, RSTART, RLENGTH - 1)
            while (length(word) < 500) word = word "_"
            $0 = substr($0, 1, RSTART - 1) word substr($0, RSTART + RLENGTH)
        } print }' "$here/names/long.yaml" >long.yaml
    generate long.yaml 2>log && sed "$1" w.c >broken.c && mv broken.c w.c && build_broken && timeout 300 ./self 3 >report && is_tap report
}
check 'names of 500 bytes' long_names ''
check_not() { # NAME COMMAND...
    name=$1
    shift
    if "$@"; then not_ok "$name" report; else ok "$name"; fi
}
check_not 'names of 500 bytes: an error that is not what the explanation says is seen' long_names \
    's/^    return wg_dispatch_fail(/    for (int i = 0; i < 8; i++) { fields[i] += 1000; }\n&/'

# A self-test that tests nothing has failed, whatever the reason.
for yaml in "$here"/none/*.yaml; do
    name="no call could be made up: $(basename "$yaml" .yaml)"
    if ! generate "$yaml" 2>log || ! build -std=c11 -w >log 2>&1; then
        not_ok "$name" log
        continue
    fi
    timeout 300 ./self 3 >report 2>log
    status=$?
    if [ $status -eq 1 ] && is_numbered report && grep -q '^not ok' report; then
        ok "$name"
    else
        not_ok "$name is a failure (status $status)" report log
    fi
done

# Every key of the YAML is one that a self-test reads, or stands in unread.txt with what is read in its place, or why
# nothing is. A key is read if the library does not compile without its member.
mkdir without && cp "$selftest_library"/* without
compiles() { # the library in `without`
    if [ -n "$quick" ]; then
        # shellcheck disable=SC2086
        "$quick" -w $include -c -o without.o without/wg_selftest.c
    else
        # shellcheck disable=SC2086
        $CC -std=c11 -w $include -fsyntax-only without/wg_selftest.c
    fi
}
needs() { # MAPPING MEMBER: does the library?
    awk -v mapping="$1" -v member="$2" '
        $0 == "struct " mapping " {" { inside = 1 }
        inside && /^}/ { inside = 0 }
        inside && $0 ~ "[ *]" member ";" { n++; next }
        { print }
        END { exit n != 1 }' "$selftest_library/wg_selftest.h" >without/wg_selftest.h || { echo "$1 has no member $2" && return 1; }
    ! compiles >log 2>&1
}
check 'the library compiles by itself' compiles
sed -n 's/^KEY(\([A-Za-z]*\), \([a-z_]*\), .*/\1 \2/p
    s/^KEY_AT(\([A-Za-z]*\), \([a-z_]*\), .*/\1 \2/p
    s/^KEY_NAMED(\([A-Za-z]*\), [a-z_]*, \([a-z_]*\), .*/\1 \2/p' "$root/schema/spec.def" >members
check 'there are 200 keys and more' test "$(wc -l <members)" -ge 200
while read -r mapping member; do
    is_next || continue
    instead=$(sed -n "s/^$mapping\.$member|\([^|]*\)|.*/\1/p" "$here/unread.txt")
    case $instead in
    '') check "$mapping.$member is read" needs "$mapping" "$member" ;;
    none) needs "$mapping" "$member" && not_ok "$mapping.$member is read, and unread.txt says otherwise" ;;
    *) check "$mapping.$instead is read for $member" needs "$mapping" "$instead" ;;
    esac
done <members

# Where the reference is wrong in the same way as the wrapper, here about results that are one object, check_own.c notices it.
wrong_alike() { # CASE SCRIPT WORDS
    generate "$root/tests/golden/$1/graph.yaml" 2>log || return
    sed "$2" w.c >wrong.c
    sed 's/!any_is_one([^;]*) ||/true ||/' "$selftest_library/wg_selftest.c" >reference.c
    if cmp -s w.c wrong.c || cmp -s "$selftest_library/wg_selftest.c" reference.c; then return 1; fi
    mv wrong.c w.c
    # shellcheck disable=SC2046,SC2086
    ${quick:-$CC -std=c11 $EXTRA -O0} -w $include -I. -o self self.c reference.c $(echo "$core" | sed 's/[^ ]*wg_selftest\.o//') || return
    ! ./self >report && grep -q "$3" report
}
check 'two results that are one, also to the reference, are noticed' wrong_alike find_same 's/same_object = other/same_object = 0 \&\& other/' 'are one object'
check 'a result that is an argument, also to the reference, is noticed' wrong_alike is_among 's/same_object = 1/same_object = 0/' "is argument 'x.*' itself"

# Another compiled function of the right shape, for a wrapper that calls the wrong one.
other='int32_t other_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs);'
played='int32_t other_kernel(WgContext *ctx, const WgValue *args, size_t num_args, WgValue *outs, size_t *num_outs) { return wg_selftest_compiled(ctx, "other_kernel", args, num_args, outs, num_outs); }'

check 'there are 320 kinds of sabotage and more' test "$(wc -l <"$here/sabotage.txt")" -ge 320
while IFS='|' read -r graph name script; do
    taken=yes
    is_next || taken=
    [ -n "$taken$quick" ] || continue
    broken=w.c
    case $graph in *' core/'*) broken=${graph#* core/} graph=${graph%% *} ;; esac
    case $graph in
    golden/*) yaml=$root/tests/$graph/graph.yaml ;;
    examples/*) yaml=$root/$graph/graph.yaml ;;
    *) yaml=$here/$graph.yaml ;;
    esac
    # shellcheck disable=SC2046 # words
    if ! generate "$yaml" $(arguments_of "$yaml") >log 2>&1; then
        not_ok "sabotage: $graph is generated" log
        continue
    fi
    case $broken in w.c) cp w.c right.c ;; *) cp "$root/templates/core/$broken" right.c ;; esac
    sed "$script" right.c >broken.c
    if cmp -s right.c broken.c; then
        not_ok "sabotage: $graph: $name: the script changes nothing"
        continue
    fi
    [ -n "$taken" ] || continue
    mv broken.c "$broken" # w.h finds a file of the core in its own folder
    case $script in
    *other_kernel*)
        { echo "$other" && cat self.c && echo "$played"; } >self.new
        sed '1s/^/#include "wg_core.h"\n/' self.new >self.c
        ;;
    esac
    build_broken >log 2>&1
    built=$?
    [ "$broken" = w.c ] || rm "$broken"
    if [ "$built" -ne 0 ]; then
        not_ok "sabotage: $graph: $name: does not compile" log
        continue
    fi
    timeout 300 ./self 3 >report 2>log
    status=$?
    if [ "$status" -ne 0 ] && { grep -q '^not ok' report || ! is_tap report; }; then
        ok "sabotage: $graph: $name"
    else
        not_ok "sabotage: $graph: $name is noticed (status $status)" report
    fi
done <"$here/sabotage.txt"
finish
