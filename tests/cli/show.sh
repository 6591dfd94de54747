# SPDX-License-Identifier: MIT
# --show and --show-html: graphs and kernels explained. What is shown must be all of it, and a page must be one.
cp "$root/examples/views_training/graph.yaml" views_training.yaml
cp "$root/examples/mlp/graph.yaml" mlp.yaml
cp "$root/examples/matmul_dispatch/graph.yaml" kernels.yaml

run --show graph.yaml
exits 0 'as text'
prints 'graph block, inference'
cp "$scratch/stdout" text
check "$case: writes nothing" sh -c 'test "$(ls ./*.c ./*.h 2>/dev/null | wc -l)" -eq 0'

# every op that tests or does something has a line; these only prepare others
quiet='section|check_host|check_overflow|clear_results|take_scratch|take_ranges|take_ranges_scratch|byte_range|give_ranges|find_overlap'
quiet="$quiet|pack_[a-z]+|move_[a-z]+|load_[a-z]+|integer_[a-z_]+|optional_dimension|attr|attr_optional|wait|generator|any_requires_grad"
for yaml in "$root"/tests/golden/*/graph.yaml "$root"/examples/*/graph.yaml; do
    grep -q '^kernels:' "$yaml" && continue
    "$WRAPGEN" --show "$yaml" >text 2>/dev/null && "$WRAPGEN" --dump plan "$yaml" >plan 2>/dev/null || { echo "$yaml fails" >>wrong; continue; }
    ops=$(grep -E '^  +[a-z_]+' plan | grep -vE '^ +layers ' | grep -cvE "^ +($quiet)( |\$)")
    lines=$(grep -cE '^ {8}' text)
    [ "$ops" -eq "$lines" ] || echo "$yaml: $ops ops, $lines lines" >>wrong
    echo "$yaml" >>seen
done
check "$case: every op has its line, in all graphs of the goldens and examples" sh -c '! cat wrong 2>/dev/null | grep . && test "$(wc -l <seen)" -gt 80'
for yaml in graph.yaml mlp.yaml views_training.yaml; do
    "$WRAPGEN" --show $yaml >text
    "$WRAPGEN" --show-html $yaml >page.html
    check "$case: $yaml: the page says the same lines" sh -c '
        grep -E "^ {8,}[^ ]" text | sed "s/^ *//" | sort >a
        sed -n "s|^<pre class=\"[a-z]*\">\(.*\)</pre>$|\1|p" page.html | sed "s/^ *//; s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&amp;/\&/g" | sort | cmp - a'
done

# tags that open also close, in order
balanced() { # FILE
    awk '
        { while (match($0, /<[\/!]?[a-z0-9]+[^<>]*>/)) {
            tag = substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH)
            name = tag; gsub(/^<\/?|[ >].*$|>$/, "", name)
            if (tag ~ /^<!/ || tag ~ /\/>$/ || name == "meta") continue
            if (tag ~ /^<\//) { if (stack[depth--] != name) { print "closes " name; exit 1 } }
            else stack[++depth] = name } }
        END { if (depth != 0) { print "open: " stack[depth]; exit 1 } }' "$1"
}
for yaml in graph.yaml mlp.yaml views_training.yaml kernels.yaml; do
    "$WRAPGEN" --show-html $yaml >page.html 2>"$scratch/stderr"
    check "$case: the page of $yaml is well formed" balanced page.html
    check "$case: and loads nothing from elsewhere" sh -c '! grep -E "src=|href=|url\(.?http|@import|<script" page.html'
done

# a picture has a box for each input, output and function, and an arrow for each write and alias
"$WRAPGEN" --show-html views_training.yaml >page.html
check "$case: boxes of views_training: 1 in, 1 function, 7 out, and 3, 1, 1 of the backward" test "$(grep -c '^<rect' page.html)" -eq 14
check "$case: two outputs are views of x" test "$(grep -c '<path class="alias"' page.html)" -eq 2
"$WRAPGEN" --show-html "$root/tests/golden/copy_/graph.yaml" >page.html
check "$case: a write is an arrow" test "$(grep -c '<path class="write"' page.html)" -eq 1

# what is null comes from nowhere: 3 arguments and 1 output; 3 values and 2 gradients of the backward
"$WRAPGEN" --show-html "$root/examples/linear_tanh/graph.yaml" >page.html
check "$case: no arrow leads to a gradient that is null" test "$(grep -c '<path class="flow"' page.html)" -eq 9

# a view is level with what it is a view of, unless an output before it is there: middles are at 22, 52, 82, 112
"$WRAPGEN" --show-html "$root/examples/kv_cache/graph.yaml" >page.html
check "$case: the view of the first input is under the first output" grep -q '<path class="alias" d="M240 22 .* 52"/>' page.html
check "$case: that of the fourth is level with it" grep -q '<path class="alias" d="M240 112 .* 112"/>' page.html

# kernels
run --show kernels.yaml
prints 'kernel matmul'
prints "size of dim 1 of 'b' is 65..256"
prints 'variants are tried in order'
run --show kernels.yaml --dispatch-strategy hash
prints 'looked up in a table'

# text that is not ours stays text
cat >sharp.yaml <<'YAML'
wrapgen: 1
prefix: demo_
symbols: [{name: s0, min: 1, max: 64}]
graphs:
  - name: block
    mode: inference
    compiled: block_kernel
    guards: ["s0 < 32 and s0 > 2"]
    inputs: [{name: x, dtype: float32, size: [s0]}]
    outputs: [{name: y, type: non_alias}]
YAML
cp sharp.yaml '<b>&"sharp.yaml'
run --show-html '<b>&"sharp.yaml'
exits 0 'a name with signs of HTML'
prints '<title>&lt;b&gt;&amp;&quot;sharp.yaml</title>'
prints 's0 &lt; 32 and s0 &gt; 2'
refuses "'--show' and '--dump' exclude each other" --show --dump plan graph.yaml

# No name of a number that stands nowhere: each is written out where it is used, or has a line of its own.
for graph in "$root"/tests/golden/*/graph.yaml; do
    "$WRAPGEN" --show "$graph" 2>/dev/null | awk -v graph="$graph" '
        match($0, /(int|size[0-9]+|stride[0-9]+|offset)_[a-z0-9_]+ := /) { split(substr($0, RSTART), word, " "); defined[word[1]] = 1 }
        { line = $0; while (match(line, /[a-z0-9_]+/)) { name = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
            if (name ~ /^(int_[0-9]+|size[0-9]+_.*|stride[0-9]+_.*)$/ && !(name in defined)) print graph ": " name } }'
done >unknown
check "$case: every number says what it is" sh -c 'cat unknown; test ! -s unknown' sh

# Long names differ at their ends, and in the picture too.
{
    printf 'wrapgen: 1\ngraphs:\n  - name: attention\n    mode: inference\n    compiled: attention_kernel\n    outputs: []\n    inputs:\n'
    for part in q k v; do echo "      - {name: model_layers_0_self_attn_${part}_proj_weight, dtype: float32, size: [4], stride: [1]}"; done
} >long.yaml
"$WRAPGEN" --show-html long.yaml >page.html
check "$case: three long names are three in the picture" test "$(grep -oE '[a-z_0-9]+…[a-z_0-9]+' page.html | sort -u | wc -l)" -eq 3

# A number with a long text keeps its name, which its line has.
long=$(printf '%080d' 0 | tr 0 n)
printf 'wrapgen: 1\nsymbols: [{name: a%s}, {name: b%s}]\ngraphs:\n  - name: tiles\n    mode: inference\n    compiled: tiles_kernel\n    outputs: []\n' $long $long >long.yaml
printf '    inputs: [{name: x, dtype: float32, size: [a%s, b%s]}, {name: y, dtype: float32, size: [a%s*b%s + 1]}]\n' $long $long $long $long >>long.yaml
"$WRAPGEN" --show long.yaml >text
check "$case: a long number is a line" grep -qE "^ +(int_[0-9]+) := sym_a$long \\* sym_b$long" text
check "$case: and used by its name" grep -qE 'fails unless in_y.size\(0\) = \(?int_[0-9]+ \+ 1' text
