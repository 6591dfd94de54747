# SPDX-License-Identifier: MIT
# --emit-python: what is written and what is refused. tests/torch/pyext builds modules and calls them.
cat >torch.yaml <<'YAML'
wrapgen: 1
host: torch
prefix: demo_
graphs:
  - name: pass
    mode: inference
    compiled: kernel
    inputs: [{name: x, dtype: float32, size: [4, 3]}, {name: lambda, kind: int}, {name: lambda_, kind: float}]
    outputs: [{name: y, type: non_alias}, {name: n, kind: int, type: non_alias}]
  - {name: again, mode: inference, compiled: kernel, inputs: [{name: x}, {name: n, kind: int}, {name: f, kind: float}],
     outputs: [{name: y, type: non_alias}, {name: n_out, kind: int, type: non_alias}]}
  - {name: typed, mode: inference, compiled: typed_kernel, convention: direct, inputs: [{name: x}], outputs: []}
YAML
run torch.yaml --out w.c --header w.h --emit-python module.c
exits 0 'writes a module'
silent 'says nothing'
check "$case: the module is called after its file" grep -qx 'PyMODINIT_FUNC PyInit_module(void)' module.c
check "$case: a function of Python is bound once, though two graphs call it" test "$(grep -c '^int32_t kernel(' module.c)" -eq 1
check "$case: one with a parameter for each argument is C" sh -c '! grep -q "^int32_t typed_kernel" module.c'
check "$case: words of Python get an underscore, or two" grep -qx \
    'def pass_(x: _torch.Tensor, lambda__: _builtins.int, lambda_: _builtins.float) -> _builtins.tuple\[_torch.Tensor, _builtins.int\]: \.\.\.' module.pyi
check "$case: no results are an empty tuple" grep -qx 'def typed(x: _torch.Tensor) -> _builtins.tuple\[()\]: \.\.\.' module.pyi
run --list-outputs torch.yaml --out w.c --header w.h --emit-python module.c
prints 'module.pyi'
cp module.c before.c
run --check torch.yaml --out w.c --header w.h --emit-python module.c
exits 0 '--check'
echo >>module.pyi
run --check torch.yaml --out w.c --header w.h --emit-python module.c
exits 1 'a stale stub file'
run torch.yaml --out w.c --header w.h --emit-python module.c
check "$case: the same input gives the same bytes" cmp module.c before.c

refuses "'--emit-python' needs '--header FILE'" torch.yaml --out a.c --emit-python module2.c
refuses "'--emit-python' needs a file called after the module, 'name.c', not 'module'" torch.yaml --out a.c --header a.h --emit-python module
refuses "called after the module, 'name.c', not '2.c'" torch.yaml --out a.c --header a.h --emit-python 2.c
refuses "called after the module, 'name.c', not 'class.c'" torch.yaml --out a.c --header a.h --emit-python class.c
refuses "not '-'" torch.yaml --out a.c --header a.h --emit-python -
refuses 'two outputs are the same file' torch.yaml --out a.c --header a.h --emit-python ./a.c
refuses "needs the host 'torch', not 'native'" graph.yaml --out a.c --header a.h --emit-python b.c
refuses "needs the host 'torch', not 'aoti'" graph.yaml --host aoti --out a.c --header a.h --emit-python b.c
refuses "'--emit-python' cannot be used with '--print-schema'" --print-schema --emit-python a.c

one_graph() { # NAME KEYS
    printf 'wrapgen: 1\nhost: torch\nprefix: one_\ngraphs:\n  - {name: %s, mode: inference, compiled: k, %s}\n' "$1" "$2" >one.yaml
}
run torch.yaml --out w.c --header w.h --emit-limits w_limits.h --emit-python module.c
check "$case: with --emit-limits the module has limits()" grep -q '^def limits(name: _builtins.str, /)' module.pyi
check "$case: of its tables" sh -c 'grep -qx "#include \"w_limits.h\"" module.c && grep -qx "    .limits = demo_limits," module.c'
refuses "'--emit-limits' needs a file name that an #include can hold, not '-'" torch.yaml --out w.c --header w.h --emit-limits - --emit-python module.c
one_graph limits 'inputs: [], outputs: []'
refuses "the Python module already has a function 'limits'" one.yaml --out a.c --header a.h --emit-limits l.h --emit-python b.c
run one.yaml --out w.c --header w.h --emit-python module.c
exits 0 'a graph that is called limits'
one_graph bind 'inputs: [], outputs: []'
refuses "the Python module already has a function 'bind'" one.yaml --out a.c --header a.h --emit-python b.c
one_graph f 'rng: graphsafe, rng_states: 1, rng_device: cuda, inputs: [], outputs: []'
refuses '--emit-python does not cover a graph that is passed random generators' one.yaml --out a.c --header a.h --emit-python b.c
one_graph f 'inputs: [{name: n, kind: int}], outputs: []'
other_graph() { # COMPILED INPUTS OUTPUTS
    printf '  - {name: g, mode: inference, compiled: %s, inputs: [%s], outputs: [%s]}\n' "$@" | cat one.yaml - >pair.yaml
}
other_graph k '{name: r, kind: float}' ''
refuses "calls of 'k' with other kinds of arguments or results yet" pair.yaml --out a.c --header a.h --emit-python b.c
other_graph k '{name: n, kind: int}' '{name: y, type: non_alias}'
refuses "calls of 'k' with other kinds of arguments or results yet" pair.yaml --out a.c --header a.h --emit-python b.c
other_graph l '{name: r, kind: float}' ''
run pair.yaml --out a.c --header a.h --emit-python b.c
exits 0 'another function may be called with other kinds'
one_graph f 'inputs: [], outputs: []'
sed 's/^prefix: one_/prefix: other_/' one.yaml >two.yaml
refuses "the Python module already has a function 'f'" one.yaml two.yaml --out a.c --header a.h --emit-python b.c

for name in _torch _builtins; do
    one_graph $name 'inputs: [], outputs: []'
    refuses "the Python module already has a function '$name'" one.yaml --out a.c --header a.h --emit-python b.c
done
kernel() { # KEYS: of a kernel f, with a graph that it may call
    one_graph "$1" 'inputs: [{name: x, kind: opaque}], outputs: []'
    printf 'kernels:\n  - {name: f, %s}\n' "$2" >>one.yaml
}
kernel Key 'args: []'
refuses "the Python module already has a function 'Key'" one.yaml --out a.c --header a.h --emit-python b.c
kernel g 'args: []'
printf 'wrapgen: 1\nhost: torch\nprefix: two_\ngraphs: [{name: f_key, mode: inference, compiled: k, inputs: [], outputs: []}]\n' >two.yaml
refuses "the Python module already has a function 'f_key'" two.yaml one.yaml --out a.c --header a.h --emit-python b.c
kernel g 'args: [], variants: [{symbol: v}]'
refuses "--emit-python does not cover a kernel with variants that does not state their 'results' yet" one.yaml --out a.c --header a.h --emit-python b.c
kernel g 'args: [{name: x, kind: string}], variants: [{graph: g}]'
refuses "--emit-python does not cover a variant that is a graph with an opaque input" one.yaml --out a.c --header a.h --emit-python b.c
kernel g 'args: [{name: n, kind: int, nullable: true}], variants: [{symbol: v}], results: [int]}
  - {name: h, args: [{name: n, kind: int}], variants: [{symbol: v}], results: [int]'
refuses "calls of 'v' with other kinds of arguments or results yet" one.yaml --out a.c --header a.h --emit-python b.c
kernel g 'args: [{name: x, kind: string}], variants: [{symbol: v}], results: []'
sed 's/compiled: k/kernel: f/' one.yaml >two.yaml
refuses "a graph that passes an opaque value to a kernel" two.yaml --out a.c --header a.h --emit-python b.c
one_graph g 'inputs: [], outputs: [{name: n, kind: int, type: non_alias}]'
sed 's/compiled: k/kernel: f/' one.yaml >two.yaml
printf 'kernels: [{name: f, args: [], variants: [{symbol: v}], results: [float]}]\n' >>two.yaml
refuses "a graph that calls a kernel whose 'results' are not what the graph expects" two.yaml --out a.c --header a.h --emit-python b.c
sed 's/float\]}/int]}/' two.yaml >three.yaml
run three.yaml --out a.c --header a.h --emit-python b.c
exits 0 'a graph and a kernel that agree'
check "$case: a stub file may have functions that are called as types" sh -c '! grep -E "(: |\[|> )(int|tuple|str|list|type|object|bool|float)\>" b.pyi'
