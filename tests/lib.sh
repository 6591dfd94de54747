# SPDX-License-Identifier: MIT
#
# Sourced by the test scripts. A script calls ok, not_ok, skip or check, and ends with finish.
#
# What every runner may rely on (the Makefile sets it, here are the defaults):
#   WRAPGEN  the tool          CC     the compiler         BUILD  a folder for what is built
#   EXTRA    flags that every compilation gets, for instance those of sanitizers; -O0, where it is wanted, stands after them
#   PART     which sample a suite takes that takes one: any number, 0 in .ci/run
#   $scratch a folder of its own, which goes away

root=$(cd "$(dirname "$0")" && while [ ! -f Makefile ]; do cd ..; done && pwd)
: "${CC:=cc}" "${BUILD:=$root/build}" "${EXTRA:=}" "${WRAPGEN:=$BUILD/wrapgen}" "${PART:=0}"
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
case $WRAPGEN in /*) ;; *) WRAPGEN=$PWD/$WRAPGEN ;; esac
selftest_library=$(dirname "$WRAPGEN")/templates/selftest # what a self-test is linked with, as --print-templates writes it
ops=$(dirname "$WRAPGEN")/templates/op # the templates of ops, likewise
export CC BUILD EXTRA WRAPGEN PART

scratch=$(mktemp -d) && scratch=$(cd "$scratch" && pwd) || exit 1 # TMPDIR may be relative
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

passed=0
failed=0
skipped=0

ok() { # NAME
    passed=$((passed + 1))
    printf 'ok %d - %s\n' $((passed + failed + skipped)) "$1"
}

not_ok() { # NAME [FILE...]: the files say more
    failed=$((failed + 1))
    printf 'not ok %d - %s\n' $((passed + failed + skipped)) "$1"
    shift
    for file in "$@"; do
        [ -s "$file" ] && head -n 40 "$file" | sed 's/^/#   /'
    done
    return 0
}

skip() { # NAME WHY
    skipped=$((skipped + 1))
    printf 'ok %d - %s # SKIP %s\n' $((passed + failed + skipped)) "$1" "$2"
}

check() { # NAME COMMAND...: passes when the command succeeds
    name=$1
    shift
    if "$@" >"$scratch/check" 2>&1; then
        ok "$name"
    else
        not_ok "$name" "$scratch/check"
    fi
}

add_counts() { # LOG NAME: the tests of another runner, whose log has the closing line, count as ours
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -n 1)
    if [ -z "$line" ]; then
        not_ok "$2 ends with its numbers" "$1"
        return
    fi
    grep -Ev '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1"
    # shellcheck disable=SC2046 # three numbers
    set -- $(echo "$line" | tr -cs '0-9' ' ')
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

in_sample() { # NUMBER EVERY: is it one of those that a sample of one in EVERY takes?
    [ $((($1 + PART) % $2)) -eq 0 ]
}

# Copies the checkout, or parts of it, without what is built and installed there. TMPDIR may be within it, so what is copied is listed
# before anything is, and no scratch folder, of this test or of another one that runs, is part of it.
copy_checkout() { # FOLDER [PART...]
    copied=$1
    shift
    [ $# -gt 0 ] || set -- .
    mkdir -p "$copied" && (cd "$root" && find "$@" \( -path ./build -o -path ./.git -o -path './.venv*' -o -name 'tmp.??????????' \) -prune \
        -o ! -type d -print) >"$scratch/listed" && tar cf - -C "$root" -T "$scratch/listed" | tar xf - -C "$copied"
}

codes() { # every code that a message of the tool can have: those written out, and those of the rules
    {
        find "$root/gen" "$root/cmd" "$root/schema" -name '*.[ch]' -exec cat {} + | grep -oE '"[EW]_[A-Z_]+"' | tr -d '"'
        sed -n 's/^ *RULE(\([A-Z_]*\), *DOUBT.*/E_\1/p' "$root/gen/rules/validate.h"
        sed -n 's/^ *WARNING(\([A-Z_]*\), *".*/W_\1/p' "$root/gen/gen.h"
    } | sort -u
}

finish() {
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
    exit
}
