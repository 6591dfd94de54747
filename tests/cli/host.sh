# SPDX-License-Identifier: MIT
# Hosts: by name, by path, in the YAML, on the command line; descriptions that are not right.
run --in graph.yaml --out a.c
run --in graph.yaml --out b.c --host native
check "$case: native is the default" cmp a.c b.c
refuses "no built-in host 'nativ'; did you mean 'native'?" --in graph.yaml --out c.c --host nativ
says E_HOST

mkdir hosts
sed 's/^name: native/name: mine/; s/wg_native.h/wg_mine.h/; s/wg_host_native_abi1/wg_host_mine_abi1/' \
    "$root/templates/hosts/native/host.yaml" >hosts/mine.yaml
run --in graph.yaml --out c.c --host hosts/mine.yaml
exits 0 'a host by path'
check "$case: its header is included" grep -qx '#include "wg_mine.h"' c.c
check "$case: its symbol is referred to" grep -q 'wg_host_mine_abi1' c.c

mkdir elsewhere
sed 's|^prefix|host: ../hosts/mine.yaml\nprefix|' graph.yaml >elsewhere/graph.yaml
cp elsewhere/graph.yaml elsewhere/again.yaml
run --in elsewhere/graph.yaml --out d.c
exits 0 'a host in the YAML is found from where the YAML is'
run --in elsewhere/graph.yaml --out e.c --host native
check "$case: --host decides" grep -qx '#include "wg_native.h"' e.c
sed 's/block/other/g' graph.yaml >other.yaml
refuses "an output has one host" --in elsewhere/graph.yaml --in other.yaml --out f.c
run --in elsewhere/graph.yaml --in other.yaml --out f.c --host native
exits 0 'two inputs that differ, and --host'

bad() { # TEXT SED: a description changed like this is refused
    sed "$2" hosts/mine.yaml >hosts/bad.yaml
    refuses "$1" --in graph.yaml --out g.c --host hosts/bad.yaml
}
bad "hosts/bad.yaml:4:7: error: name 'no name' is not an identifier" 's/^name: .*/name: no name/'
bad "hosts/bad.yaml:5:9: error: header 'a\"b.h' is not a plain file name" "s/^header: .*/header: 'a\"b.h'/"
bad "hosts/bad.yaml:6:13: error: abi_symbol '1x' is not an identifier" 's/^abi_symbol: .*/abi_symbol: 1x/'
bad "error: verb 'wg_copi_' is unknown; did you mean 'wg_copy_'?" 's/- wg_copy_$/- wg_copi_/'
bad "missing key 'verbs'" '/^verbs/,$d'
bad "hosts/bad.yaml:4:1: error: unknown key 'colour'" 's/^name/colour: red\nname/'
bad 'hosts/bad.yaml:4:7: error:' 's/^name: .*/name: [a]/'
bad 'hosts/bad.yaml: error:' '1,$d'
run --in graph.yaml --out g.c --host hosts/gone.yaml
exits 3 'a description that is not there'

# the native host has the verbs of the document, no more, no fewer, except those that need an autograd or a model, those about lazy
# tensors, which it does not have, and the one for hosts whose reads are calls
sed -nE 's/^    [a-zA-Z].*[ *](wg_[a-z_0-9]+)\(WgContext.*/\1/p' "$root/templates/hosts/VERBS.md" | grep -vxE "wg_view_base|wg_call_model|wg_matches|wg_lazy|wg_conj|wg_neg_view|wg_mark_part|wg_range_begin|wg_range_end" | sort >documented
sed -n 's/^  - //p' "$root/templates/hosts/native/host.yaml" | sort >described
check "$case: native describes the verbs of VERBS.md" sh -c 'test -s documented && diff documented described'
sed 's/^/\\b/; s/$/ *(/' described >patterns
check "$case: wg_native.h or what it includes declares each of them" sh -c '
    while read -r verb; do grep -qE "\\b$verb\\(" "$1"/hosts/native/wg_native*.h "$1"/core/*.h || { echo "$verb"; exit 1; }; done <described' \
    sh "$root/templates"

# the aoti host has all of them, and those three, but no base of a view, no generators and no nested ints
sed -n '/^verbs:/,$s/^  - //p' "$root/templates/hosts/aoti/host.yaml" | sort >described_aoti
{ grep -vE '^wg_generator_|^wg_nested_int$' described && echo wg_call_model && echo wg_matches && echo wg_lazy; } | sort >expected_aoti
check "$case: aoti describes the verbs of VERBS.md but wg_view_base, wg_generator_... and wg_nested_int" diff expected_aoti described_aoti
sed 's/^/\\b/; s/$/ *(/' described_aoti >patterns
check "$case: wg_aoti.h declares each of them" sh -c '
    while read -r verb; do grep -qE "\\b$verb\\(" "$1"/hosts/aoti/wg_aoti.h || { echo "$verb"; exit 1; }; done <described_aoti' \
    sh "$root/templates"

# the torch host has the base of a view, generators, lazy tensors and models, but marks no ranges and has no nested ints
sed -n '/^verbs:/,$s/^  - //p' "$root/templates/hosts/torch/host.yaml" | sort >described_torch
{ cat described && echo wg_matches && echo wg_view_base && echo wg_lazy && echo wg_conj && echo wg_neg_view && echo wg_mark_part && echo wg_call_model; } | sort >expected_torch
check "$case: torch describes the verbs of VERBS.md but ranges" diff expected_torch described_torch
check "$case: wg_torch.h declares each of them" sh -c '
    while read -r verb; do grep -qE "\\b$verb\\(" "$1"/hosts/torch/wg_torch.h || { echo "$verb"; exit 1; }; done <described_torch' \
    sh "$root/templates"

# the dlpack host lacks what DLPack has no word for; tests/dlpack compares its description with its header
sed -n '/^verbs:/,$s/^  - //p' "$root/templates/hosts/dlpack/host.yaml" | sort >described_dlpack
grep -vxE 'wg_set_|wg_shallow_copy_data_|wg_restride_like_|wg_storage_base|wg_nested_int|wg_is_type|wg_has_context|wg_attr|wg_rebuild|wg_wait|wg_coerce_tangent|wg_rng_.*|wg_generator_.*' \
    described >expected_dlpack
check "$case: dlpack describes the verbs of native but those that DLPack has no word for" diff expected_dlpack described_dlpack

# what a host leaves to the program, or ignores, causes a warning; -Werror refuses it
sed 's/mode: inference/mode: inference\n    disable_amp: true/; s/name: y, /name: y, dynamic_dims: [0], /' graph.yaml >modes.yaml
run --in modes.yaml --out i.c
exits 0 'autocast and dynamic marks, native'
silent 'native has nothing to warn of'
run --in modes.yaml --out i.c --host aoti
exits 0 'autocast and dynamic marks, aoti'
says "warning: this needs the verb 'wg_autocast_off' (runs its body with autocast off), which host 'aoti' can only do with a callback from your program"
says W_HOST_PROGRAM
says "warning: this needs the verb 'wg_mark_dynamic' (marks dimensions of tensor as dynamic), which host 'aoti' accepts, with no effect"
says W_HOST_NO_EFFECT
run --in modes.yaml --out i.c --host aoti -Werror
exits 2 'both as errors'
run --in modes.yaml --out i.c --host aoti -Wno-host-program -Wno-host-no-effect
silent 'both switched off'
sed '/^verbs:/i no_effect: [wg_copi_]' hosts/mine.yaml >hosts/bad.yaml
refuses "error: verb 'wg_copi_' is not among this host's verbs" --in graph.yaml --out g.c --host hosts/bad.yaml

# a model is called by a host that can
sed 's/mode: inference/mode: inference\n    convention: aoti/' graph.yaml >model.yaml
refuses "this needs the verb 'wg_call_model' (results := an AOTInductor model called with the arguments), which host 'native' does not have" \
    --in model.yaml --out k.c

# a host that lacks a verb which a graph needs is named with it
sed '/- wg_copy_$/d; /- wg_copy_leaf_$/d' hosts/mine.yaml >hosts/poor.yaml
sed 's/name: x, /name: x, mutates_data: true, requires_grad: true, is_leaf: false, /' graph.yaml >mutates.yaml
run --in mutates.yaml --out h.c
exits 0 'a mutation, native'
refuses 'wg_copy_' --in mutates.yaml --out h.c --host hosts/poor.yaml
