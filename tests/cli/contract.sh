# SPDX-License-Identifier: MIT
# --emit-contract: graphs with their entries, values and sections, kernels with their keys, as JSON that can be read.
cat >contract.yaml <<'YAML'
wrapgen: 1
prefix: demo_
graphs:
  - name: block
    mode: inference
    compiled: block_kernel
    keep_input_mutations: false
    inputs: [{name: x, dtype: float32, size: [4, 3], mutates_data: true}]
    outputs: [{name: y, type: non_alias}]
kernels:
  - name: scale
    args: [{name: a, kind: tensor, ndim: 1, dtype: float32}, {name: n, kind: int, constexpr: true, default: 4}]
  - name: choose
    args: [{name: x, kind: tensor}]
    variants: [{graph: block, when: [{arg: x, dtype: float32, size: [4, 3]}]}, {symbol: block_any}]
YAML
run --in contract.yaml --out a.c --header a.h --emit-contract a.json
exits 0 'writes a contract'
check "$case: entries" grep -q '"entries": \["demo_block", "demo_block_boxed", "demo_block_outputs_release"\]' a.json
check "$case: inputs" grep -q '{"name": "x", "kind": "tensor", "dtype": "float32", "size": \["4", "3"\], "mutated": true}' a.json
check "$case: sections" grep -q '{"layer": "mutation_epilogue", "path": "graphs\[0\].inputs"}' a.json
# float32 is 6, rank 1, the CPU 0: 1 + 6 * 256 + 65536; a size of 1, whose stride has no effect: 1 + (2^32 - 1) * 2^32; 40
check "$case: vectors" grep -q '"words": \[67073, 18446744069414584321, 40\], "hash": ' a.json
check "$case: variants" grep -q '"variants": \[{"symbol": "demo_block_boxed", "graph": "block"}, {"symbol": "block_any"}\]' a.json
check "$case: what the compiled function gets" grep -q '{"role": "input", "type": "tensor", "of": "x", "dtype": "float32", "size": \["4", "3"\], "updated": 0, "text": ' a.json
check "$case: and returns" grep -q '{"role": "updated", "type": "tensor", "of": "x", "dtype": "float32", "size": \["4", "3"\], "text": "the new value of x' a.json
check "$case: and how" grep -q '"compiled_function": {"symbol": "block_kernel", "convention": "boxed", "tensor_arguments": "borrowed",' a.json
if command -v python3 >/dev/null; then
    check "$case: JSON" python3 -m json.tool a.json
fi
run --in contract.yaml --out a.c --header a.h --emit-contract a.json --list-outputs
prints 'a.json'
echo '{}' >a.json
run --check --in contract.yaml --out a.c --header a.h --emit-contract a.json
exits 1 'a stale contract'

# What a contract says of the compiled functions of every golden case agrees with itself: a new value is the result that is called so,
# of the same name, and of a tensor; and the header says of all the scratch that the source takes, in the forward and the backward.
agree() { # CONTRACT
    python3 - "$1" <<'end'
import json, sys
for graph in json.load(open(sys.argv[1])).get("graphs", []):
    for function in ("compiled_function", "compiled_backward"):
        values = graph.get(function, {"arguments": [], "results": []})
        given = {}
        for i, argument in enumerate(values["arguments"]):
            assert not argument.get("in_place") or argument["type"] == "tensor", argument
            if "updated" in argument:
                result = values["results"][argument["updated"]]
                assert (result["role"], result["of"]) == ("updated", argument["of"]), (argument, result)
                given[argument["updated"]] = argument
        for i, result in enumerate(values["results"]):
            assert result["role"] != "updated" or i in given, ("nothing has this new value", result)
end
}
if command -v python3 >/dev/null; then
    for graph in "$root"/tests/golden/*/graph.yaml; do
        folder=$(dirname "$graph")
        # shellcheck disable=SC2046 # words
        (cd "$folder" && "$WRAPGEN" --in graph.yaml --out "$scratch/g.c" --header "$scratch/g.h" --emit-contract "$scratch/g.json" \
            $([ ! -f args ] || cat args)) 2>/dev/null || continue
        agree "$scratch/g.json" >>disagree 2>&1 || echo "in $(basename "$folder")" >>disagree
    done
    check "$case: new values are where they are said to be" sh -c '! grep . disagree'
fi
{
    echo 'wrapgen: 1'
    echo 'graphs:'
    echo '  - name: many'
    echo '    mode: training'
    echo '    compiled: many_kernel'
    echo '    inputs: [{name: x, dtype: float32, size: [4], requires_grad: true}]'
    echo '    outputs:'
    seq 130 | sed 's/.*/      - {name: y&, type: non_alias, requires_grad: true}/'
    echo '    saved: {tensors: 100}'
    echo '    backward:'
    echo '      compiled: many_bw_kernel'
    echo '      tangents:'
    seq 130 | sed "s/.*/        - {of: y&, memory_format: contiguous}/"
    echo '      grad_inputs: [{of: x}]'
} >training.yaml
for number in 100 200; do
    sed "s/tensors: 100/tensors: $number/" training.yaml >one.yaml
    run --in one.yaml --out many.c --header many.h
    exits 0 "$number saved tensors"
    check "$case: the header says how much scratch the forward and the backward take" sh -c '
        most=$(sed -n "s/.*wg_scratch_take(ctx, \([0-9]*\)).*/\1/p" many.c | sort -n | tail -n 1)
        grep -q "MANY_SCRATCH = ${most:-0} " many.h'
done
