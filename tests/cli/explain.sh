# SPDX-License-Identifier: MIT
# --explain CODE: a file of schema/codes for every code that the tool can report, and for no other; its title is what the tables of
# rules and warnings say; of its two examples the wrong one gives that code and the right one is silently accepted.

codes >in.use
(cd "$root/schema/codes" && ls ./[EW]_*.txt) | sed 's|^\./||; s|\.txt$||' | sort >explained
check "$case: every code has a file, every file a code" diff in.use explained
rm in.use explained

words() { # CODE: its words in those tables, nothing where it is in neither
    sed -n "s/^ *RULE(${1#E_}, *DOUBT[A-Z_]*, *\"\(.*\)\").*/\1/p" "$root/gen/rules/validate.h"
    sed -n "s/^ *WARNING(${1#W_}, *\"\(.*\)\").*/\1/p" "$root/gen/gen.h"
}

# An example is YAML, or commands: lines that begin with "$ ". graph.yaml is there for commands.
example() { # wrong|right CODE
    awk -v part="$1:" 'BEGIN { part = toupper(substr(part, 1, 1)) substr(part, 2) } /^[A-Z][a-z]*:$/ { inside = $0 == part; next }
        inside && /^    / { print substr($0, 5) }' "$root/schema/codes/$2.txt"
}

try() ( # wrong|right CODE: what it says is left in ../said
    rm -rf trial && mkdir trial && cp graph.yaml trial && cd trial || exit 99
    example "$1" "$2" >example.yaml
    if grep -q '^\$ ' example.yaml; then
        { echo 'wrapgen() { "$WRAPGEN" "$@"; }' && sed 's/^\$ //' example.yaml; } >commands
        rm example.yaml
        sh commands >../said 2>&1
    else
        "$WRAPGEN" example.yaml --out wrappers.c >../said 2>&1
    fi
)

for file in "$root"/schema/codes/*.txt; do
    code=$(basename "$file" .txt)
    run --explain "$code"
    check "$case: $code is printed" cmp "$scratch/stdout" "$file"
    title=$(words "$code")
    [ -z "$title" ] || check "$case: $code has its title" test "$code: $title" = "$(head -n 1 "$file")"
    check "$case: $code: lines fit a terminal" sh -c '! grep -qE "^.{101}" "$1"' sh "$file"
    case $code in WG_*) continue ;; esac # codes of calls: tests/codes
    if [ "$code" = E_INTERNAL ]; then
        check "$case: $code has no example" test -z "$(example wrong "$code")"
        continue
    fi
    try wrong "$code"
    check "$case: $code: the wrong example gives it" grep -F "[$code]" said
    [ "$code" = E_LIMIT ] || check "$case: $code: and no other" sh -c '! grep -oE "\[[EW]_[A-Z_]+\]" said | grep -vFx "[$1]"' sh "$code"
    try right "$code"
    check "$case: $code: the right example is accepted" test $? -eq 0
    check "$case: $code: silently" sh -c 'cat said; test ! -s said' sh
done
rm -rf trial said

refuses "no message has the code 'E_VEIW'; did you mean 'E_VIEW'?" --explain E_VEIW
refuses "no message has the code 'nothing'; a code is at the end" --explain nothing
refuses "'--explain' needs its CODE" --explain
refuses "'graph.yaml' cannot be used with '--explain'" --explain E_VIEW graph.yaml
refuses "'--print-schema' and '--explain' exclude each other" --print-schema --explain E_VIEW
