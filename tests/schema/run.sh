#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is written about the YAML: schema/graph.schema.json is what the tool prints, and the tables of schema/SPEC.md are what
# spec.def says; every file on that page generates (or ends at what is not generated yet, nowhere else); every key is in one of
# them, and every word is named there. Each node of the JSON schema says what it is for; an editor that has it (editor.c, and
# Python's jsonschema where there is one) takes all good files, and refuses wrong ones (documents.txt, tests/errors/shape).
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"

page=$root/schema/SPEC.md
schema=$root/schema/graph.schema.json

"$WRAPGEN" --print-schema >"$scratch/printed.json"
check 'graph.schema.json is what --print-schema prints' diff "$schema" "$scratch/printed.json"
sh "$root/schema/page.sh" >"$scratch/page.md" 2>"$scratch/messages" || not_ok 'page.sh runs' "$scratch/messages"
check 'the tables of SPEC.md are what spec.def says' diff "$page" "$scratch/page.md"

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
check 'SPEC.md: what is said about a compiled function' diff "$scratch/told.page" "$scratch/told.header"
check 'SPEC.md: and it is much' test "$(wc -l <"$scratch/told.page")" -ge 30

sed -nE 's/^(WORD|MEMBER)\("(.*)", .*/\2/p' "$root/schema/spec.def" | sort -u >"$scratch/words"
grep -o '`[^`]*`' "$page" | tr -d '`' | sort -u >"$scratch/said"
check 'every word is named on SPEC.md' sh -c '! comm -23 "$1" "$2" | grep .' sh "$scratch/words" "$scratch/said"
check 'and there are many' test "$(wc -l <"$scratch/words")" -gt 70

# ---- editors ----

mkdir -p "$programs"
build_library
build_program editor "$root/tests/schema/editor.c" -lyaml || finish
editor=$programs/editor

"$editor" nodes "$schema" >"$scratch/nodes"
check 'every node of the schema says what it is for' sh -c '! grep "bare$" "$1"' sh "$scratch/nodes"
check 'and there are many nodes' test "$(wc -l <"$scratch/nodes")" -gt 300
check 'every property has a description' python3 -c '
import json, sys
def walk(node, path):
    if isinstance(node, dict):
        for key, value in (node["properties"] if isinstance(node.get("properties"), dict) else {}).items():
            seen.append(path + "/" + key)
            assert value.get("description"), seen[-1]
        for key, value in node.items():
            walk(value, path + "/" + key)
    elif isinstance(node, list):
        for i, value in enumerate(node):
            walk(value, f"{path}/{i}")
seen = []
walk(json.load(open(sys.argv[1])), "#")
assert len(seen) > 200, len(seen)' "$schema"

# What `wrapgen init` writes: its first line leads an editor to the schema, by which its graph is right, and a slip in it is not.
(cd "$scratch" && "$WRAPGEN" init first) >"$scratch/messages" 2>&1
referred=$(sed -n '1s/^# yaml-language-server: \$schema=//p' "$scratch/first/graph.yaml")
check 'init: the schema that its graph refers to is there' cmp "$scratch/first/${referred:-none}" "$schema"
"$editor" check "$scratch/first/$referred" "$scratch/first/graph.yaml" >"$scratch/answers"
check 'init: by which an editor takes the graph' grep -q ' taken$' "$scratch/answers"
sed 's/mutates_data: true/mutate_data: true/' "$scratch/first/graph.yaml" >"$scratch/slip.yaml"
"$editor" check "$scratch/first/$referred" "$scratch/slip.yaml" >"$scratch/answers"
check 'init: and refuses a slip in it' sh -c '! grep -q " taken$" "$1" && test -s "$1"' sh "$scratch/answers"
for graph in "$root"/examples/*/graph.yaml; do
    referred=$(sed -n '1s/^# yaml-language-server: \$schema=//p' "$graph")
    [ -z "$referred" ] || check "$(basename "$(dirname "$graph")"): the schema that its graph refers to is there" cmp "$(dirname "$graph")/$referred" "$schema"
done

# A host's description likewise: those of the built-in hosts, and what --print-host-skeleton writes.
hosts=$root/schema/host.schema.json
"$WRAPGEN" --print-host-schema >"$scratch/printed.json"
check 'host.schema.json is what --print-host-schema prints' cmp "$hosts" "$scratch/printed.json"
"$editor" nodes "$hosts" >"$scratch/nodes"
check 'every node of it says what it is for' sh -c '! grep "bare$" "$1"' sh "$scratch/nodes"
"$editor" check "$hosts" "$root"/templates/hosts/*/host.yaml >"$scratch/answers"
check 'an editor takes the built-in hosts' test "$(grep -c ' taken$' "$scratch/answers")" -eq "$(ls "$root"/templates/hosts/*/host.yaml | wc -l)"
(cd "$scratch" && "$WRAPGEN" first/graph.yaml --print-host-skeleton mine) >"$scratch/messages" 2>&1
referred=$(sed -n '1s/^# yaml-language-server: \$schema=//p' "$scratch/mine/host.yaml")
check 'a new host: the schema that its description refers to is there' cmp "$scratch/mine/${referred:-none}" "$hosts"
for slip in 's/wg_retain/wg_retian/' 's/^header/head/' 's/^name: .*/name: 3 hosts/' '/^header/d' '$a\no_effect: wg_size' '$a\effects: [wg_size]' '/^  - /d'; do
    sed "$slip" "$root/templates/hosts/native/host.yaml" >"$scratch/slip.yaml"
    "$editor" check "$hosts" "$scratch/slip.yaml" >"$scratch/answers"
    check "a host with $slip: an editor refuses it" sh -c '! grep -q " taken$" "$1" && test -s "$1"' sh "$scratch/answers"
    (cd "$scratch" && "$WRAPGEN" first/graph.yaml --host ./slip.yaml --out slip.c) >"$scratch/messages" 2>&1
    check "a host with $slip: so does wrapgen" grep -q '^[.]/slip.yaml:[0-9]*:[0-9]*: error: ' "$scratch/messages"
done

check 'the schema has an identity' grep -q '^  "$id": "urn:' "$schema"

# What the schema allows in a list or a record but makes no sense there is left out; the rules across keys refuse it.
"$editor" keys "$schema" "$scratch"/example_*.yaml | grep -v '^#/of/' >"$scratch/keys"
check 'every key is in a file on SPEC.md' sh -c '! grep " unused$" "$1"' sh "$scratch/keys"
check 'and there are many keys' test "$(wc -l <"$scratch/keys")" -gt 200

all_taken() { # FILE...
    "$editor" check "$schema" "$@" >"$scratch/answers"
    [ "$(wc -l <"$scratch/answers")" -eq $# ] && [ $# -gt 5 ] && ! grep -v ' taken$' "$scratch/answers"
}
check 'an editor takes every file on SPEC.md' all_taken "$scratch"/example_*.yaml
check 'an editor takes every example' all_taken "$root"/examples/*/graph.yaml
check 'an editor takes every golden case' all_taken "$root"/tests/golden/*/graph.yaml
check 'an editor takes what is executed' all_taken "$root"/tests/exec/*/graph.yaml

document() { # KIND FRAGMENT
    graph='wrapgen: 1, graphs: [{name: g, mode: inference, compiled: k'
    kernel='wrapgen: 1, kernels: [{name: f'
    case $1 in
    file) echo "$2" ;;
    graph) echo "{$graph, inputs: [{name: x}], outputs: [], $2}]}" ;;
    input) echo "{$graph, inputs: [$2], outputs: []}]}" ;;
    output) echo "{$graph, inputs: [{name: x}], outputs: [$2]}]}" ;;
    kernel) echo "{$kernel, args: [{name: x, kind: tensor}], $2}]}" ;;
    arg) echo "{$kernel, args: [$2]}]}" ;;
    when) echo "{$kernel, args: [{name: x, kind: tensor}], variants: [{symbol: s, when: [{arg: x, $2}]}]}]}" ;;
    esac
}

grep -v '^#' "$root/tests/schema/documents.txt" | grep . >"$scratch/documents"
while read -r verdict kind fragment; do
    document "$kind" "$fragment" >"$scratch/document.yaml"
    found=$("$editor" check "$schema" "$scratch/document.yaml" | sed 's/^[^ ]* //')
    (cd "$scratch" && "$WRAPGEN" --in document.yaml --out document.c) >"$scratch/messages" 2>&1
    status=$?
    echo "an editor says: $found" >>"$scratch/messages"
    case $verdict/$status/$found in
    takes/0/taken) ok "an editor takes $kind $fragment" ;;
    refuses/2/taken) not_ok "an editor refuses $kind $fragment" "$scratch/messages" ;;
    refuses/2/*) ok "an editor refuses $kind $fragment" ;;
    *) not_ok "$verdict $kind $fragment (wrapgen: $status)" "$scratch/messages" ;;
    esac
done <"$scratch/documents"
check 'many documents were tried' test "$(wc -l <"$scratch/documents")" -gt 80

# A program of somebody else's: check.py prints "ok NAME", "not ok NAME" or "skip NAME: WHY" for each of its checks.
if command -v python3 >/dev/null; then
    python3 "$root/tests/schema/check.py" "$schema" "$root/tests/errors/shape" "$scratch"/example_*.yaml \
        "$root"/examples/*/graph.yaml >"$scratch/checks" 2>"$scratch/complaints" || not_ok 'check.py runs' "$scratch/complaints"
    while IFS= read -r line; do
        case $line in
        ok*) ok "${line#ok }" ;;
        skip*) skip "${line#skip }" 'a Python module is missing' ;;
        *) not_ok "${line#not ok }" "$scratch/complaints" ;;
        esac
    done <"$scratch/checks"
else
    skip 'a JSON schema library agrees' 'no Python'
fi

# What pages and descriptions say in a form that can be checked: rows have as many cells as their table, and hosts are those that there are.
(cd "$root" && git ls-files '*.md' 2>/dev/null || find . -name '*.md' ! -path './build/*' ! -path './.venv*/*') >"$scratch/pages"
rows() {
    (cd "$root" && xargs awk '
        FNR == 1 { cells = 0; fenced = 0 }
        /^```/ { fenced = !fenced }
        fenced || !/^\|/ { cells = 0; next }
        { line = $0; gsub(/\\\|/, "", line); while (match(line, /`[^`]*`/)) line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH) }
        { n = gsub(/\|/, "|", line) }
        !cells { cells = n; next }
        n != cells { print FILENAME ":" FNR ": " n - 1 " cells, and " cells - 1 " in the first row" }
    ') <"$scratch/pages" >"$scratch/rows"
    cat "$scratch/rows"
    [ ! -s "$scratch/rows" ]
}
check 'each row of a table in a page has as many cells as the first' rows
(cd "$root/templates/hosts" && ls -d */) | tr -d / | sort >"$scratch/hosts"
hosts() { # a list of hosts has all of them, and "hosts `a` and `b`" are hosts
    (
        cd "$root" || exit
        while read -r host; do
            grep -nE '`native`, `dlpack`, `[a-z]+`, ' schema/*.def schema/*.json schema/SPEC.md README.md | grep -v "\`$host\`" | sed "s/^/without $host: /"
        done <"$scratch/hosts"
        xargs grep -noE '[Hh]osts? `[a-z]+`(,? and `[a-z]+`)?' <"$scratch/pages" | while IFS= read -r line; do
            echo "$line" | cut -d: -f3- | grep -oE '`[a-z]+`' | tr -d '`' | grep -vxF -f "$scratch/hosts" | sed "s|\$| is not a host: $line|"
        done
    ) >"$scratch/wrong"
    cat "$scratch/wrong"
    [ ! -s "$scratch/wrong" ]
}
check 'hosts that pages name are there, and lists of them are whole' hosts
finish
