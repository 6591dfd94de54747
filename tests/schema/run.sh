#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is written about the YAML: schema/graph.schema.json is what the tool prints; every file on schema/SPEC.md generates
# (or ends at what is not generated yet, nowhere else); every key and word is on that page, and in a file there; an editor with
# the JSON schema takes these files and the examples, and refuses wrong ones. The latter two need Python, and are skipped
# where a module is missing.
. "$(dirname "$0")/../lib.sh"

page=$root/schema/SPEC.md
schema=$root/schema/graph.schema.json

"$WRAPGEN" --print-schema >"$scratch/printed.json"
check 'graph.schema.json is what --print-schema prints' diff "$schema" "$scratch/printed.json"

awk -v folder="$scratch" '
    /^```yaml$/ { count++; name = sprintf("%s/example_%02d.yaml", folder, count); printf "" >name; next }
    /^```$/ { if (name) close(name); name = "" }
    name { print >name }
' "$page"

for example in "$scratch"/example_*.yaml; do
    name="SPEC.md $(basename "$example" .yaml): $(sed -n 's/^  - name: //p' "$example" | head -n 1)"
    if (cd "$scratch" && "$WRAPGEN" --in "$(basename "$example")" --out wrappers.c) >"$scratch/messages" 2>&1; then
        check "$name" test -s "$scratch/wrappers.c"
    elif grep -q 'error: ' "$scratch/messages" && ! grep 'error: ' "$scratch/messages" | grep -qv '\[E_UNSUPPORTED\]$'; then
        skip "$name" "$(sed -n 's/.*error: \(.*\) \[E_UNSUPPORTED\]$/\1/p' "$scratch/messages" | head -n 1)"
    else
        not_ok "$name" "$scratch/messages"
    fi
done

# What the page says that a header says is what it says.
told=$(grep -l 'name: told' "$scratch"/example_*.yaml)
(cd "$scratch" && "$WRAPGEN" --in "$told" --out told.c --header told.h) >"$scratch/messages" 2>&1
sed -n '/^ \* [a-z_]* gets$/,/^ \*\//p' "$scratch/told.h" | grep -v '^ \*/$' | sed 's/^ \* //' >"$scratch/told.header"
awk '/^## /{ inside = $0 == "## The compiled function" } inside && /^```text$/ { text = 1; next } /^```$/ { text = 0 } text' "$page" >"$scratch/told.page"
check 'SPEC.md: what is told of a compiled function' diff "$scratch/told.page" "$scratch/told.header"
check 'SPEC.md: and it is much' test "$(wc -l <"$scratch/told.page")" -ge 30

# check.py prints "ok NAME", "not ok NAME" or "skip NAME: WHY" for each of its checks.
if command -v python3 >/dev/null; then
    python3 "$root/tests/schema/check.py" "$schema" "$page" "$root/tests/errors/shape" "$scratch"/example_*.yaml \
        "$root"/examples/*/graph.yaml >"$scratch/checks" 2>"$scratch/complaints" || not_ok 'check.py runs' "$scratch/complaints"
    while IFS= read -r line; do
        case $line in
        ok*) ok "${line#ok }" ;;
        skip*) skip "${line#skip }" 'a Python module is missing' ;;
        *) not_ok "${line#not ok }" "$scratch/complaints" ;;
        esac
    done <"$scratch/checks"
else
    skip 'keys, words and editors' 'no Python'
fi
finish
