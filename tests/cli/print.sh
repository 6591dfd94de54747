# SPDX-License-Identifier: MIT
# What is built in, and the intermediate forms.
run --print-host native
exits 0 '--print-host'
check "$case: the description of the tree" cmp "$scratch/stdout" "$root/templates/hosts/native/host.yaml"
refuses "no built-in host 'nativ'; did you mean 'native'?" --print-host nativ
refuses "no built-in host 'elsewhere'; the built-in hosts are: aoti, dlpack, native" --print-host elsewhere

run --print-templates a/b
exits 0 '--print-templates'
(cd "$root/templates" && find . -type f ! -name '.*' ! -path './selftest/*' ! -path './ops/*' && cd "$selftest_library/.." && find ./selftest ./op -type f) | sort >expected
(cd a/b && find . -type f | sort) >found
check "$case: all files" cmp expected found
check "$case: with their bytes" sh -c 'while read -r file; do case $file in ./selftest/* | ./op/*) from=$2 ;; *) from=$1 ;; esac; cmp "$from/$file" "a/b/$file" || exit 1; done <expected' sh "$root/templates" "$selftest_library/.."
touch -d '2001-02-03 04:05:06' a/b/banner.mustache
stat -c '%y' a/b/banner.mustache >before
run --print-templates a/b
exits 0 'once more over the same'
stat -c '%y' a/b/banner.mustache >after
check "$case: identical files are left alone" cmp before after
echo mine >>a/b/banner.mustache
cp a/b/banner.mustache mine
rm a/b/header.mustache
run --print-templates a/b
exits 2 'over a file that differs'
says 'a/b/banner.mustache'
check "$case: that file is left as it is" cmp mine a/b/banner.mustache
check "$case: and nothing else is written either" test ! -e a/b/header.mustache
rm a/b/banner.mustache && mkdir a/b/banner.mustache
run --print-templates a/b
exits 3 'over a folder with the name of a file'
says 'a/b/banner.mustache: error: is a directory, not a file'
rmdir a/b/banner.mustache && ln -s nowhere a/b/banner.mustache
run --print-templates a/b
exits 3 'over a link that leads nowhere'
says 'a/b/banner.mustache: error: cannot be opened'
check "$case: nothing else is written either" test ! -e a/b/header.mustache
: >file
run --print-templates file/below
exits 3 'below something that is not a folder'

run --print-schema
exits 0 '--print-schema'
check "$case: the schema of the tree" cmp "$scratch/stdout" "$root/schema/graph.schema.json"

run --print-host-schema
exits 0 '--print-host-schema'
check "$case: the schema of the tree" cmp "$scratch/stdout" "$root/schema/host.schema.json"

run --in graph.yaml --dump plan
exits 0 '--dump plan'
prints 'block'

# One function with every wrapper that nests around an inference graph: the order is PyTorch's (outermost first).
# A graph has merged inputs or subclasses, so it takes two to have every wrapper.
cat >layers.yaml <<'end'
wrapgen: 1
graphs:
  - name: layered
    mode: inference
    compiled: layered_kernel
    tokens: 1
    rng: functionalized
    inputs:
      - {name: x, dtype: float32, size: [4], stride: [1], storage_offset: 0, mutates_data: true}
      - {name: v, dtype: float32, size: [2], stride: [1], storage_offset: 1}
      - {name: y, dtype: float32, size: [3], stride: [1]}
      - {name: z}
    duplicates: [{input: z, of: y}]
    synthetic_bases: [{name: base, base: storage, members: [x, v]}]
    outputs: [{name: out, type: non_alias}]
end
cat >wrapped.yaml <<'end'
wrapgen: 1
subclasses: [{name: Pair, attrs: [{name: a}, {name: b}]}]
graphs:
  - name: wrapped
    mode: inference
    compiled: wrapped_kernel
    inputs:
      - {name: p, subclass: {type: Pair, outer_size: [2], outer_stride: [1], inner: [{attr: a}, {attr: b}]}}
      - {name: z}
    duplicates: [{input: z, of: p}]
    outputs: [{name: out, type: non_alias}]
end
has_layers() { # YAML SECTIONS LAYER...: in its plan, one by one, and as comments in the C; the plan has SECTIONS, too
    layered=$1
    sections=$2
    shift 2
    run --in "$layered" --dump plan
    exits 0 "--dump plan of $layered"
    prints "layers $(echo "$@" | sed 's/ / > /g')"
    for layer in $sections "$@"; do
        run --in "$layered" --dump plan
        prints "section artifact=$layer"
        run --in "$layered" --dump "plan:$layer"
        exits 0 "--dump plan:$layer of $layered"
        prints "section artifact=$layer"
        check "$case: no other layer" sh -c '! grep "section artifact=" "$1" | grep -v "=$2 "' sh "$scratch/stdout" "$layer"
        check "$case: something is done there" test "$(grep -c '^  [a-z_]* [a-z]*=' "$scratch/stdout")" -gt 1
    done
    run --in "$layered" --out layers.c
    exits 0 "the layers of $layered as comments in the C"
    for layer in "$@"; do
        check "$case: $layer" grep -q "^    /\* $layer: graphs\[0\]" layers.c
    done
}
has_layers layers.yaml 'arguments delivery' dedup_wrapper synthetic_base_wrapper runtime_wrapper_orchestration functionalized_rng_wrapper \
    effect_tokens_wrapper
run --in layers.yaml --dump plan:dedup_wrapper
prints 'check_same tensor=in_y other=in_z'
run --in layers.yaml --dump plan:effect_tokens_wrapper
prints 'pack_null index=0'
has_layers wrapped.yaml arguments dedup_wrapper runtime_wrapper_orchestration subclass_wrapper

run --in graph.yaml --dump view --out a.c
exits 0 '--dump view'
run --in graph.yaml --dump view --emit-selftest s.c
exits 0 '--dump view, with what is not written'
prints 'block'
check "$case: a dump writes no output" test ! -e a.c

run --list-outputs --in graph.yaml --out folder/a.c --header folder/a.h --emit-selftest folder/s.c --emit-proof folder/p.c
exits 0 '--list-outputs'
check "$case: the outputs, one a line" sh -c 'printf "folder/a.c\nfolder/a.h\nfolder/s.c\nfolder/p.c\n" | cmp - "$1"' sh "$scratch/stdout"
