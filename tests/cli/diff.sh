# SPDX-License-Identifier: MIT
# --diff: what a new version of a description does to those who use the old one. Each case is an edit, and what a person
# concludes from it who knows what a caller, a linker and a compiled function see. tests/keys adds that no key which changes the code
# is passed over.
verdict() { # WANTED OLD NEW ABOUT
    run --diff "$2" "$3"
    case $1 in
    'the same' | compatible) exits 0 "$4" ;;
    *) exits 1 "$4" && says "'$3' $1 [E_INCOMPATIBLE]" ;;
    esac
    check "$case: $4: $1" test "$(tail -n 1 "$scratch/stdout")" = "$3, compared with $2: $1"
}

edited() { # OLD SED: new.yaml
    sed "$2" "$1" >new.yaml
    check "$case: '$2' edits" sh -c "! cmp -s '$1' new.yaml"
}

changes() { # WANTED OLD SED ABOUT
    edited "$2" "$3"
    verdict "$1" "$2" new.yaml "$4"
}

# nothing that anybody sees
changes 'the same' graph.yaml '1i # a comment' 'a comment'
changes 'the same' graph.yaml 's/\[4, 3\]/[ 4,3 ]/' 'spaces'
cat >two.yaml <<'YAML'
wrapgen: 1
symbols: [{name: m, min: 2}, {name: k}]
graphs:
  - name: first
    mode: inference
    compiled: first_kernel
    inputs:
      - {name: x, dtype: float32, size: [m, 3], stride: [3, 1], mutates_data: true, requires_grad: true, is_leaf: false}
      - {name: y, dtype: float32, size: [m, k]}
    outputs:
      - {name: z, type: non_alias, dtype: float32, size: [m, k+1]}
  - name: second
    mode: inference
    compiled: second_kernel
    inputs: [{name: x, dtype: float32}]
    outputs: [{name: y, type: non_alias, dtype: float32}]
YAML
changes 'the same' two.yaml 's/\bm\b/rows/g' 'another name of a symbol'
changes 'the same' two.yaml 's/wrapgen: 1/&\nprefix: ""/' 'a default, stated'
sed -n '/^  - name: first/,/^  - name: second/p' two.yaml | sed '$d' >first
{ sed '/^  - name: first/,$d' two.yaml && sed -n '/^  - name: second/,$p' two.yaml && cat first; } >swapped.yaml
verdict 'the same' two.yaml swapped.yaml 'graphs in another order'

# more than there was
{ cat two.yaml && sed 's/first/third/' first; } >more.yaml
verdict compatible two.yaml more.yaml 'a new graph'
prints 'third: compatible'

# callers that no longer compile or link
verdict 'breaks the build' more.yaml two.yaml 'a graph is gone'
prints '  it is gone'
changes 'breaks the build' graph.yaml 's/prefix: demo_/prefix: other_/' 'other external names'
changes 'breaks the build' two.yaml 's/{name: z,/{name: w,/' 'a member of a struct has another name'
changes 'breaks the build' two.yaml 's/{name: y, dtype: float32, size: \[m, k\]}/{name: y, dtype: float32, size: [m, k]}\n      - {name: more}/; s/first_kernel/first_kernel_2/' 'one more argument'
changes 'silently changes behaviour' two.yaml 's/{name: y, dtype: float32, size: \[m, k\]}/&\n      - {name: count, kind: int}/; s/first_kernel/first_kernel_2/' 'one more argument, which callers who do not know it leave 0'
prints 'callers that do not know of a new member pass 0'
changes 'breaks the build' graph.yaml '2i host: aoti' 'tensors of another library'

changes 'breaks the build' two.yaml 's/compiled: first_kernel/compiled: first_kernel_2/' 'a compiled function under a new name, which must be linked'
prints '  compiled functions under other names must be linked'
changes 'breaks the build' two.yaml 's/compiled: first_kernel/compiled: first_kernel_2/; s/stride: \[3, 1\], //' 'more calls, for a function with a new name'

# errors where there were none
changes 'refuses what was accepted' two.yaml 's/\[m, /[7, /g' 'a literal for a symbol; that other sizes follow makes no difference'
prints '    + in_x: size[0] 7'
changes 'refuses what was accepted' two.yaml 's/min: 2/min: 2, multiple_of: 4/' 'a bound of a symbol'
sed 's/min: 2/min: 2, max: 64, multiple_of: 4/' two.yaml >bounded.yaml
changes 'refuses what was accepted' bounded.yaml 's/max: 64/max: 32/' 'a smaller maximum'
prints '  calls that were accepted are refused'
changes 'refuses what was accepted' bounded.yaml 's/min: 2/min: 3/' 'a larger minimum'
changes 'refuses what was accepted' bounded.yaml 's/multiple_of: 4/multiple_of: 8/' 'a multiple of what it was a multiple of'
changes 'refuses what was accepted' bounded.yaml 's/max: 64, multiple_of: 4/max: 32, multiple_of: 12/' 'two closer bounds'
changes 'accepts more calls' bounded.yaml 's/max: 64/max: 65/' 'a larger maximum, which the compiled function may not be made for'
prints '  calls that were refused are accepted'
prints 'must be right for these calls, too'
changes 'refuses what was accepted' bounded.yaml 's/multiple_of: 4/multiple_of: 6/' 'a multiple of something else'
prints '  other calls are accepted'
changes 'refuses what was accepted' bounded.yaml 's/min: 2, max: 64/min: 3, max: 65/' 'one bound closer, the other wider'
prints '  other calls are accepted'

# guards, and floats of one value
guarded() { # NAME GUARD...
    name=$1
    shift
    sed "s/compiled: first_kernel/&\n    guards: [$*]/" two.yaml >"$name"
}
guarded weak.yaml 'm >= k'
guarded strong.yaml 'm > k'
guarded low.yaml 'm >= k, k + m <= 100'
guarded high.yaml 'm >= k, k + m <= 200'
guarded other.yaml 'm <= k'
verdict 'refuses what was accepted' two.yaml weak.yaml 'a guard where there was none'
verdict 'accepts more calls' weak.yaml two.yaml 'no guard where there was one'
verdict 'refuses what was accepted' weak.yaml strong.yaml 'a stronger guard'
prints '  calls that were accepted are refused'
verdict 'accepts more calls' strong.yaml weak.yaml 'a weaker guard'
prints '  calls that were refused are accepted'
verdict 'refuses what was accepted' high.yaml low.yaml 'a guard over a sum, stronger'
verdict 'accepts more calls' low.yaml high.yaml 'the same, weaker'
verdict 'refuses what was accepted' weak.yaml other.yaml 'a guard for other calls'
prints '  other calls are accepted'
sed 's/{name: y, dtype: float32, size: \[m, k\]}/&\n      - {name: by, kind: float}/' two.yaml >float.yaml
sed 's/kind: float/&, value: 0.5/' float.yaml >half.yaml
verdict 'refuses what was accepted' float.yaml half.yaml 'a float that must have one value'
prints '  calls that were accepted are refused'
verdict 'accepts more calls' half.yaml float.yaml 'a float that may have any'
changes 'refuses what was accepted' half.yaml 's/value: 0.5/value: 0.25/' 'a float that must have another value'
prints '  other calls are accepted'
changes 'refuses what was accepted' two.yaml 's/inputs: \[{name: x, dtype: float32/&, size: [4]/' 'a size that was not required before'
changes 'refuses what was accepted' two.yaml 's/outputs: \[{name: y, type: non_alias, dtype: float32/&, size: [4]/' 'a result that must be as stated'

# what nothing tells
changes 'silently changes behaviour' graph.yaml 's/storage_offset: 0/mutates_data: true/' 'an argument is written'
prints 'bump_version'
changes 'silently changes behaviour' two.yaml 's/mutates_data: true, //' 'an argument is no longer written'
changes 'silently changes behaviour' two.yaml 's/size: \[m, 3\], stride: \[3, 1\]/size: [m, 3]/' 'a kernel made for one stride gets others'
prints 'must be made anew, and has its old name'
changes 'silently changes behaviour' two.yaml 's/\[m, k+1\]/[m, k+2]/' 'a result of another size'
changes 'silently changes behaviour' two.yaml 's/float32, size: \[m, k\]/float16, size: [m, k]/' 'another dtype for the same compiled function'
sed 's/{name: x, dtype: float32}/{name: a, dtype: float32}, {name: b, dtype: float32}/' two.yaml >ab.yaml
changes 'silently changes behaviour' ab.yaml 's/{name: a, dtype: float32}, {name: b, dtype: float32}/{name: b, dtype: float32}, {name: a, dtype: float32}/' 'two arguments change places'
changes 'silently changes behaviour' graph.yaml 's/type: non_alias/type: alias_of_input, base: x, view: [{op: view, size: [4, 3]}]/' 'a result is a view'
changes 'silently changes behaviour' graph.yaml 's/mode: inference/mode: inference\n    disable_amp: true/' 'autocast is off'

sed 's/first_kernel/KERNEL/; s/second_kernel/first_kernel/; s/KERNEL/second_kernel/' two.yaml >crossed.yaml
verdict 'silently changes behaviour' two.yaml crossed.yaml 'two compiled functions change places'

# a number that takes more words than a line should have is given in a line of its own
long=$(awk 'BEGIN { text = "n"; for (i = 2; i < 90; i++) text = text "//" i "+n"; print text }')
printf '%s\n' 'wrapgen: 1' 'symbols: [{name: n}]' 'graphs:' '  - name: g' '    mode: inference' '    compiled: g_kernel' \
    '    inputs: [{name: x, dtype: float32, size: [n]}]' "    outputs: [{name: y, type: non_alias, size: ['$long']}]" >long.yaml
changes 'silently changes behaviour' long.yaml 's,//89+n,//88+n,' 'a part of a long number'
prints ' := '

# training
cp "$root/examples/mlp/graph.yaml" mlp.yaml
verdict 'the same' mlp.yaml "$root/examples/mlp/graph.yaml" 'a training graph'
changes 'silently changes behaviour' mlp.yaml 's/, donated: \[2, 3\]//' 'a backward that may run twice'
prints 'backward: '

# kernels
cp "$root/examples/matmul_dispatch/graph.yaml" kernels.yaml
changes 'silently changes behaviour' kernels.yaml 's/1\.\.64/1..63/' 'a variant for other sizes'
prints 'another variant may be chosen'
changes compatible kernels.yaml 's/  - name: matmul/&\n    results: [tensor]/' 'what variants return is stated'
sed 's/  - name: matmul/&\n    results: [tensor]/' kernels.yaml >stated.yaml
changes 'silently changes behaviour' stated.yaml 's/results: \[tensor\]/results: [int]/' 'variants that return something else'
printf '%s\n' 'wrapgen: 1' 'kernels:' '  - name: f' '    args: [{name: x, kind: tensor}, {name: n, kind: int, default: 4}]' '    variants:' \
    '      - {symbol: f_2, when: [{arg: x, ndim: 2}]}' >f.yaml
{ cat f.yaml && echo '      - {symbol: f_any}'; } >f_more.yaml
verdict compatible f.yaml f_more.yaml 'a variant after the others'
verdict 'silently changes behaviour' f_more.yaml f.yaml 'a variant less'
changes 'silently changes behaviour' f.yaml 's/default: 4/default: 5/' 'what a call that leaves an argument out passes'
changes 'silently changes behaviour' f.yaml 's/kind: int, default: 4/kind: int, constexpr: true, default: 4/' 'another key for the same call'
changes 'breaks the build' f.yaml 's/{name: x, kind: tensor}, /&{name: y, kind: tensor, nullable: true}, /' 'one more argument, which may be null'

# a file is the same as itself
verdict 'the same' two.yaml two.yaml 'one file twice'

# mistakes
refuses "'--diff' compares two files" --diff graph.yaml
refuses "'--diff' compares two files" --diff graph.yaml two.yaml more.yaml
sed 's/float32/float33/' graph.yaml >wrong.yaml
run --diff graph.yaml wrong.yaml
exits 2 'a new version that is wrong'
says 'wrong.yaml:8'
run --diff wrong.yaml graph.yaml
exits 2 'an old version that is wrong'
says 'wrong.yaml:8'

# floats are said as the YAML has them
sed '/outputs:/i\      - {name: eps, kind: float, value: 1e-5}' graph.yaml >real.yaml
sed 's/1e-5/1e-06/' real.yaml >other.yaml
sed 's/1e-5/0.00001/' real.yaml >same.yaml
run --diff real.yaml other.yaml
prints '- check_real: fails unless in_eps is 1e-05, bit for bit'
prints '+ check_real: fails unless in_eps is 1e-06, bit for bit'
run --diff real.yaml same.yaml
exits 0 'a float that is written in another way'
