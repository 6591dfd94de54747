#!/bin/sh
# SPDX-License-Identifier: MIT
#
# words.sh - refuses a few phrases that are never plain English in our comments and messages: "X is not a token" lacks its
# "a" when "no" replaces "not a", what follows a call comes after it, and facts are stated about a thing. It counts others
# that are rarely right, so that they only get fewer: lower a bound when you can. Golden files and tests/errors/*.err are
# not read: they are generated from the files that are.
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 1

# Every line of ours, after the last three words of the line before, so that a phrase that is wrapped is found too.
find README.md Makefile .ci .github cmd gen schema templates tests examples -type f \
    ! -path 'tests/golden/*' ! -path 'tests/conformance/spec/*' ! -name '*.err' ! -name words.sh ! -path '*/__pycache__/*' \
    -exec grep -lI . {} + | sort >"$scratch/files"
tr '\n' '\0' <"$scratch/files" | xargs -0 awk '
    FNR == 1 { tail = "" }
    { text = $0; sub(/^[ \t]*(\*|#|\/\/|\/\*|")?[ \t]*/, "", text); print FILENAME ":" FNR ": " tail " " text }
    { n = split(text, word, /[ \t"]+/); tail = (n > 2 ? word[n - 2] " " : "") (n > 1 ? word[n - 1] " " : "") word[n] }
' >"$scratch/lines"

refuse() { # NAME PATTERN [ALLOWED]: no line matches PATTERN, unless it also matches ALLOWED
    grep -E "$2" "$scratch/lines" | { if [ -n "${3-}" ]; then grep -vE "$3"; else cat; fi; } >"$scratch/found"
    if [ -s "$scratch/found" ]; then not_ok "$1" "$scratch/found"; else ok "$1"; fi
}

check 'there is something to read' test "$(wc -l <"$scratch/lines")" -gt 10000
refuse 'something "is not a" thing, never "is no" thing' '([^e:]|[^r]e) (is|are) no [a-z]' \
    ' (is|are) no (longer|more|slower|closer|less|fewer|larger)|answer is no if'
refuse 'things come after a call, not behind it' \
    'behind (the|a|each|every|all) (call|graph|wrapper|forward|backward|last|comma|prefix|name|others?)( |[.,;:)]|$)'
refuse 'things come before others, not in front of them' 'in front of'
refuse 'facts are stated or known about a thing, not of it' '(^|[^a-z])(stated|said|known|asked) of( |$)'
refuse 'conditions are satisfied, not fulfilled' '[Ff]ulfil'

# The same lines, after the last word of the line before if a phrase below begins with it, so that each is counted once.
tr '\n' '\0' <"$scratch/files" | xargs -0 awk '
    FNR == 1 { last = "" }
    { print FILENAME ":" FNR ": " last $0; last = tolower($NF) ~ /(^|[^a-z])(of|stands|in)$/ ? $NF " " : "" }
' | sed -E 's/^([^ ]* (of|stands|in) )[ \t]*(\*|#|\/\/)?[ \t]*/\1/I' >"$scratch/counted"

allow() { # NUMBER PHRASE INSTEAD: so many lines have PHRASE, which mostly joins what should be two sentences; no more
    grep -iwE "$2" "$scratch/counted" >"$scratch/found"
    found=$(($(wc -l <"$scratch/found")))
    if [ "$found" -gt "$1" ]; then
        not_ok "\"$2\" on $found lines, $1 are allowed: say $3" "$scratch/found"
    else
        ok "\"$2\" on $found lines, $1 are allowed"
    fi
}

allow 8 'beside' '"with", "next to", "compared with" or "besides"' # eight: an option of wrapgen-torch
allow 1 'nobody' 'what does not do it, or that nothing does' # the name of a user
allow 1 'of which' '"whose", or a second sentence'
allow 0 'stands for' '"means", "replaces" or "is bound to"'
allow 0 'in silence' '"silently"'
finish
