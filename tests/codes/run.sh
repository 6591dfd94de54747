#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The pages of codes that a call can return (schema/codes/WG_E_*.txt): there is one for each status, its title is what
# messages say, and where it shows a graph, the call that it describes is made through the wrapper of that graph (calls.c)
# and gives the message that it shows.
. "$(dirname "$0")/../lib.sh"
pages=$root/schema/codes
cd "$scratch" || exit 1

sed -n 's/^ *X(\(WG_E_[A-Z_]*\), "\(.*\)").*/\1: \2/p' "$root/templates/core/wg_status.h" | sort >wanted
head -qn 1 "$pages"/WG_E_*.txt | sort >titles
check 'a page for each status, with the title that messages have' diff wanted titles

part() { # Message|Graph FILE
    awk -v part="$1:" '/^[A-Z][a-z]*:$/ { inside = $0 == part; next } inside && /^    / { print substr($0, 5) }' "$2"
}

# All graphs in one file, each under the name of its page.
for page in "$pages"/WG_E_*.txt; do
    code=$(basename "$page" .txt)
    name=on_$(echo "${code#WG_E_}" | tr A-Z a-z)
    part Graph "$page" >graph
    [ -s graph ] || continue
    part Message "$page" | tr '\n' ' ' | sed "s/^[a-z]*: /$name: /; s/ $//; s/^/$code	/" >>messages && echo >>messages
    sed -n '/^symbols:/p' graph >>symbols
    for what in graphs kernels; do
        awk -v what="$what:" '/^[a-z]*:/ { inside = $0 == what; next } inside' graph | sed "s/^  - name: .*/  - name: $name/" >>"$what"
    done
done
{
    echo 'wrapgen: 1'
    echo 'symbols:'
    sed 's/^symbols: \[\(.*\)\]$/  - \1/' symbols | sort -u
    echo 'graphs:' && cat graphs
    echo 'kernels:' && cat kernels
} >graph.yaml
check 'their graphs are accepted' "$WRAPGEN" graph.yaml --out wrappers.c --header wrappers.h -Wno-uncovered
# shellcheck disable=SC2086 # flags
check 'the calls compile' "$CC" -std=c11 -Wall -Wextra -Werror $EXTRA -I. -I"$root/templates/core" -I"$root/templates/hosts/native" -o calls \
    "$root/tests/codes/calls.c" wrappers.c "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
./calls | sort >said
sort messages >shown
cut -f1 shown >pages
cut -f1 said >called
check 'each page with a graph has its call' diff pages called
while read -r code; do
    grep "^$code	" shown >left
    grep "^$code	" said >right
    check "$code: the call gives the message" diff left right
done <pages

check 'codes are listed' sh -c '"$1" --explain list | grep -q "^WG_E_SIZE  *size$"' sh "$WRAPGEN"
"$WRAPGEN" --explain list | cut -d' ' -f1 | sort >listed
(cd "$pages" && ls ./*.txt) | sed 's|^\./||; s|\.txt$||' | sort >files
check 'all of them' diff files listed
check 'lower case is understood' sh -c '"$1" --explain wg_e_size | cmp - "$2/WG_E_SIZE.txt"' sh "$WRAPGEN" "$pages"
finish
