# SPDX-License-Identifier: MIT
# --limit NAME=N: what is absurdly large is refused, unless somebody asks for it.

graph() { # KEY VALUE of 'saved'
    cat >large.yaml <<YAML
wrapgen: 1
graphs:
  - name: step
    mode: training
    compiled: step_kernel
    inputs: [{name: x, requires_grad: true}]
    outputs: [{name: y, type: non_alias, requires_grad: true}]
    saved: {$1: $2}
    backward: {compiled: step_bw, tangents: [{of: y, memory_format: contiguous}], grad_inputs: [{of: x}]}
YAML
}
for key in tensors tensors_no_version_check opaque symints; do
    graph $key 16385
    refuses 'a count of 16385 is more than 16384' --in large.yaml --out a.c
    run --in large.yaml --out a.c --limit count=16385
    exits 0 "$key: 16385 under a higher limit"
    graph $key 16384
    run --in large.yaml --out a.c
    exits 0 "$key: 16384"
done
# In 32 bits these are negative, 0, and 0 again.
for dimension in 2147483648 4294967296 4611686018427387904 9223372036854775807; do
    graph tensors "1, dynamic: [{index: 0, dims: [$dimension]}]"
    refuses "a dimension $dimension has more than 64" --in large.yaml --out a.c
    refuses "a dimension $dimension has more than 2147483647" --in large.yaml --out a.c --limit rank=2147483647
done
graph tensors '1, dynamic: [{index: 0, dims: [64]}]'
refuses "a dimension 64 has more than 64" --in large.yaml --out a.c
run --in large.yaml --out a.c --limit rank=65
exits 0 'one more dimension under a higher limit'
graph tensors 1000
refuses 'an output is longer than 5000 bytes' --in large.yaml --out a.c --limit output=5000
[ ! -e b.c ] || rm b.c
run --in large.yaml --out b.c --limit output=5000
check "$case: nothing is written" test ! -e b.c
refuses "unknown limit 'size'" --in graph.yaml --out a.c --limit size=3
refuses "'--limit count=N' takes a number" --in graph.yaml --out a.c --limit count
refuses "'--limit count=N' takes a number" --in graph.yaml --out a.c --limit count=0
refuses "'--limit count=N' takes a number" --in graph.yaml --out a.c --limit count=2147483648
refuses "'--limit count' is given twice" --in graph.yaml --out a.c --limit count=3 --limit count=4
refuses "'--limit' cannot be used with '--print-schema'" --print-schema --limit count=3

# Ten small templates that include each other ten times: as much text as one likes, or work without text. Both end, with a place.
nest() { # TEXT: of the last one
    rm -rf nest && mkdir -p nest
    echo '{{>op/section}}' >nest/banner.mustache
    : >names
    for n in section load_tensor load_value load_integer check_tensor match_tensor check_type check_rank attr wait; do
        echo "$n" >>names
    done
    mkdir nest/op
    before=
    while read -r name; do
        [ -z "$before" ] || seq 10 | sed "s|.*|{{>op/$name}}|" >"nest/op/$before.mustache"
        before=$name
    done <names
    printf '%s' "$1" >"nest/op/$before.mustache"
}
for text in 'x' ''; do
    nest "$text"
    "$WRAPGEN" --print-templates there >/dev/null 2>&1
    timeout -k 1 60 "$WRAPGEN" graph.yaml --out c.c --templates nest --limit output=2000000 2>"$scratch/stderr"
    status=$?
    exits 2 "ten templates that include each other${text:+ and have a text}"
    says '[E_LIMIT]'
    says 'nest/op/'
    says "$([ -n "$text" ] && echo 'an output is longer than 2000000 bytes' || echo 'templates, sections and blocks')"
    check "$case: nothing is written" test ! -e c.c
done
rm -rf nest there
run graph.yaml --out c.c --limit expansion=10
exits 0 'a text with a byte for each template is within any limit'

# Graphs that are small each: what is written of a long output is not in memory, and counts.
awk 'BEGIN { print "wrapgen: 1\ngraphs:"; for (i = 1; i <= 6000; i++) printf "  - {name: g%d, mode: inference, compiled: k%d, inputs: [{name: x, dtype: float32, size: [%d]}], outputs: [{name: y, type: non_alias}]}\n", i, i, i }' >many.yaml
run many.yaml --out d.c --header d.h -Wno-refused
exits 0 'many graphs'
refuses 'error: an output is longer than 20000000 bytes' many.yaml --out e.c --header e.h -Wno-refused --limit output=20000000
