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
