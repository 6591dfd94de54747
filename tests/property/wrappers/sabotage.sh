#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sabotage.sh - breaks one rule of the generated code at a time and asks run.sh to notice: a test of the test.
#
# Each line of the table is `name|template|sed script`. The changed template overrides the built-in one (--templates); a
# script that changes nothing is a failure, so that the table does not rot. SABOTAGE_COUNT graphs are tried (2,000); the
# first difference counts. SABOTAGE_EVERY=N takes each N-th line only. To add one: a line.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$(cd "$here/../../.." && pwd) || exit 1
: "${BUILD:=$root/build}"
export BUILD
work=$BUILD/tests/property/sabotage
passed=0
failed=0

table() {
    cat <<'TABLE'
leaf that requires grad is written under autograd|op/copy_leaf_|s/wg_requires_grad(ctx, {{dst}}) ? .* : wg_copy_/wg_copy_/
leaf test taken from nowhere|op/copy_leaf_|s/wg_requires_grad(ctx, {{dst}}) ?/1 ?/
metadata mutation left out|op/restride_like_|s/^status = .*/status = 0;/
set_ replaced by copy_|op/set_|s/wg_set_(/wg_copy_(/
stream is not refused|op/copy_leaf_or_refuse|s/^if (!wg_requires_grad.*/if (0) {/
version is not raised|op/bump_version|s/^status = .*/status = 0;/
grad mode is not restored|op/scope_no_grad|s/wg_set_grad_mode(ctx, 1)/wg_set_grad_mode(ctx, 0)/
grad mode is not switched off|op/scope_no_grad|s/wg_set_grad_mode(ctx, 0)/wg_set_grad_mode(ctx, 1)/
grad mode is on in a training graph|op/scope_training|s/wg_set_grad_mode(ctx, 0)/wg_set_grad_mode(ctx, 1)/
view replay is not restored|op/scope_training|s/    wg_set_view_replay(ctx, view_replay)/    wg_set_view_replay(ctx, 1)/
autocast is not restored|op/scope_no_autocast|s/^wg_autocast_restore.*/(void)autocast;/
a failed compiled function is taken for a good one|op/check_call|s/goto fail;/status = WG_OK;/
count of results is not looked at|op/check_outputs|s/if (num_results != {{expected}})/if (num_results > 1000)/
null result is not noticed|op/check_result|s/goto fail;/status = WG_OK;/
what is stated about results is not tested|returned|s/goto fail;/status = WG_OK;/
type of a result is not tested|op/check_returned|s/|| !wg_is_plain(ctx, {{tensor}})) {/) {/
what is stated about what is delivered is not tested|op/check_stated|s/goto fail;/status = WG_OK;/
results are what the stack held|op/clear_results|s/^memset.*/(void){{results}};/
detach list is ignored|op/detach|s/^status = wg_detach(/status = wg_retain(/
alias takes the geometry of its base|op/alias_like|s/{{target}}/{{base}}/
requires_grad of an alias is inverted|op/alias_as|s/{{flag}}/!{{flag}}/
offset of a folded view is forgotten|geometry|s/{{offset}}/0/
shape after a view sequence is not tested|op/check_shape|s/goto fail;/status = WG_OK;/
patch of requires_grad left out|op/patch_requires_grad|s/^status = .*/status = 0;/
a view of a copy gives an alias its geometry|op/check_same_storage|s/goto fail;/status = WG_OK;/
a view of neither gives an alias its geometry|op/check_shares|s/goto fail;/status = WG_OK;/
a view of the new value is refused|op/check_shares|s/ && .*) {/) {/
a result that is an argument is given to the caller|op/check_apart|s/goto fail;/status = WG_OK;/
a result that is an argument is not named|op/check_apart|s/{{{other_name}}}/"y"/
a view that a compiler dropped is not made again|op/alias_self|s/if ({{same}})/if (0)/
object returned twice is not detached|op/dealias|s/if ({{same}})/if (0)/
an object is compared with one other only|op/or_same|s/ ||.*/;/
saved view is not detached|op/detach_view|s/if (wg_is_view(ctx, {{tensor}}))/if (0)/
results require grad where nothing does|op/add_requires_grad|s/wg_requires_grad(ctx, {{tensor}})/1/
results never require grad|op/add_requires_grad|s/wg_requires_grad(ctx, {{tensor}})/0/
version is saved wrong|op/save_version|s/wg_version(ctx, {{tensor}})/wg_version(ctx, {{tensor}}) + 1/
unsafe view left out|op/unsafe_view|s/wg_unsafe_view(ctx/wg_retain(ctx/
dynamic marks left out|op/mark_dynamic|s/    status = .*/    status = 0;/
grad_enabled_mutation left out|op/set_grad_mode|s/{{flag}}/wg_grad_mode(ctx)/
an output is not a reference of its own|op/retain|s/^status = .*/{{dst}} = {{src}};/
results are not given back|op/release_run|s/^wg_release_run.*/(void)results;/
size is not tested|condition/size|s/||.*//
stride is not tested|condition/stride|s/||.*//
dtype is not tested|condition/dtype|s/||.*//
alignment is not tested|condition/alignment|s/||.*//
symbol is not compared|op/check_equal|s/if ({{found}} != {{expected}})/if (0)/
bounds of a symbol are not tested|op/check_minimum|s/if (.*)/if (0)/
multiples of a symbol are not tested|op/check_multiple|s/if (.*)/if (0)/
guards are not tested|op/check_guard|s/if (.*)/if (0)/
a guard names another value|op/check_guard|s/{{value}}/{{value}} + 1/
remainders are C's|op/integer_mod|s/wg_mod(\(.*\), &overflow)/\1/;s/ = \(.*\), \(.*\);/ = (\1) % (\2);/
and is or|op/integer_and|s/&/|/
or is and|op/integer_or|s/|/\&/
at most is less|op/integer_less_equal|s/<=/</
equality is at most|op/integer_equal|s/==/<=/
duplicates may differ|op/check_same|s/^if (.*)/if (0)/
overlap is not tested|op/check_overlap|s/^if (.*)/if (0)/
overlap with the second of two is blamed on the first|op/check_overlap|s/{{argument}}/{{tensor}}/
no overlap is found among many|op/find_overlap|s/{{count}}/0/
one range is left out|op/find_overlap|s/{{count}}/{{count}} - 1/
inputs that interleave must not be there|op/find_overlap|s/^if (overlap.found) {/if (0) {/
one range is left out of those whose bytes are compared|op/find_overlap|s/wg_find_shared(ctx, ranges, {{count}}/wg_find_shared(ctx, ranges, {{count}} - 1/
bytes of another input are compared|op/check_overlap|s/wg_range(wg_byte_range(ctx, {{other}}), {{other}}, 1, 1)/wg_range(wg_byte_range(ctx, {{other}}), {{tensor}}, 1, 1)/
only the first of many counts as mutated|op/find_overlap|s/{{num_written}}/1/
merged inputs must not share memory|op/byte_range|s/{{group}}/{{owner}}/
ranges all belong to the first input|op/byte_range|s/{{owner}}/0/
overlap among many is blamed on the first|op/check_overlaps|s/sites\[overlap.written\]/sites[0]/
overlap among many is found with itself|op/check_overlaps|s/tensors\[overlap.other\]/tensors[overlap.written]/
outputs are not null after a failure|core_exit|s/memset(outs, 0, {{value}} \* sizeof \*outs)/(void)outs/
a generator of another index is asked for|op/generator|s/{{index}}/0/
a generator of another device is asked for|op/generator|s/{{device}}/0/
all wrappers share their generators|op/generator|s/&{{site}}{{/ctx{{/
the state of a generator is not saved|op/save_rng_state|s/{{index}}/0/
a generator is not brought back|op/generator_restore|s/^status = .*/status = 0;/
states of generators are not given back|graph|s/^        wg_release(ctx, saved->rng_states\[i\]);/        (void)ctx;/
the profiler's range is not begun|op/range_begin|s/= 1;/= 0;/;s/^wg_range_begin.*//
the profiler's range is not ended before the call|op/range_end|s/^wg_range_end.*//;s/= 0;/= 1;/
a failure leaves the profiler's range open|core_exit|s/if (ranging)/if (0)/
the profiler's range ends twice|op/range_end|s/= 0;/= 1;/
generator's state is not set|op/rng_set|s/^status = .*/status = 0;/
host failure is not looked at|op/check_host|s/^status = .*/status = 0;/
exact type of a subclass is not tested|op/check_type|s/ || !wg_is_type.*) {/) {/
outer rank is not tested|op/check_rank|s/^if (.*/if (0) {/
an attribute that was left out may be there|op/check_absent|s/^    if (present != NULL)/    if (0)/
a failing attribute counts as absent|op/check_absent|s/^    if (status != 0)/    if (0)/
nothing waits|op/wait|s/wg_wait(ctx, {{src}}, &{{dst}})/(({{dst}} = {{src}}), 0)/
attributes are taken for each other|op/attr|s/{{index}}/({{index}} == 1 ? 0 : {{index}})/
flattening context is lost|op/rebuild|s/{{context}}/NULL/
rebuilt attributes are released again|op/rebuild|s/^    {{value}} = NULL;/    (void)0;/
outer sizes in place of outer strides|outer|s/wg_strides(ctx, /wg_sizes(ctx, /
left out symbolic sizes are not expected|op/scope_without_symints|s/num_results == {{count}}/0/
left out symbolic sizes are all 0|op/put_symint|s/{{value}}/0/
results are not spread|op/spread|s/^memmove.*/(void)results;/
merged inputs may lie in different storages|op/check_same_storage|s/^if (.*/if (0) {/
storage in place of the base of views|op/view_base|s/{{#members}}.*{{\/members}}//
a member in place of the merged storage|op/storage_base|s/wg_storage_base(/wg_retain(/
versions of saved tensors are not compared|op/check_versions|s/if (version != .*) {/if (0) {/
a second backward over donated buffers is not refused|op/check_spent|s/^if (.*/if (0) {/
donated buffers are never used up|op/spend|s/{{flag}}/0/
create_graph is not looked at|op/check_create_graph|s/^if (.*/if (0) {/
deterministic mode is not looked at|op/check_deterministic|s/^if (.*/if (0) {/
type of a tangent that may be missing is not tested|op/check_optional|s/^if (.*/if (0) {/
type of such a subclass is not tested|op/check_optional_type|s/^if (.*/if (0) {/
rank of such a subclass is not tested|op/check_optional_rank|s/^if (.*/if (0) {/
context of a tangent is not compared|op/check_context|s/^if (.*/if (0) {/
a tangent of another type is not turned|op/coerce_type|s/^if (.*/if (0) {/
a tangent that is a subclass is not turned|op/coerce_plain|s/^if (.*/if (0) {/
what was turned is not gone on with|op/coerce_type|s/^WgTensor \*const {{seen}} = .*/WgTensor *const {{seen}} = {{tensor}};/
what was turned plain is not gone on with|op/coerce_plain|s/^WgTensor \*const {{seen}} = .*/WgTensor *const {{seen}} = {{tensor}};/
a missing tangent stays null|op/zeros|s/^if ({{tensor}} == NULL) {/if (0) {/
zeros have another dtype|op/zeros|s/(int32_t){{dtype}}/(int32_t)({{dtype}} + 1)/g
zeros are on another device|op/zeros|s/(int32_t){{device}}/(int32_t)({{device}} + 1)/g
sizes of zeros are taken for each other|op/load_saved|s/{{index}}/0/
dtype of zeros is not kept|op/save_dtype|s/= .*/= 0;/
device of zeros is not kept|op/save_device|s/= .*/= 0;/
sizes of zeros are not kept|op/save_integer|s/{{value}}/0/
tangent is not made contiguous|op/contiguous|s/wg_contiguous(ctx, {{src}}, {{format}}, /wg_retain(ctx, {{src}}, /
memory format of a tangent is forgotten|op/contiguous|s/{{format}}/WG_CONTIGUOUS/
strides of a tangent are not coerced|op/coerce_strides|s/wg_coerce_strides(ctx, {{src}}, &geometry, /wg_retain(ctx, {{src}}, /
saved values are not passed|op/pack_saved|s/wg_pack(\(.*\), saved->{{field}}.*;/memset(\1, 0, {{count}} * sizeof *call_args);/
attributes of a tangent are taken for each other|op/attr_optional|s/{{index}}/({{index}} == 1 ? 0 : {{index}})/
size of a missing tangent is read|op/optional_dimension|s/{{tensor}} != NULL ? //;s/ : 0;/;/
gradients are not released|graph_backward|s/^    wg_release_run(ctx, (WgValue \*)out, {{value}});/    (void)ctx;/
the boxed backward takes another gradient|graph_backward|s/grads\[{{index}}\]/grads[0]/
no saved values at all|graph_backward|s/if (saved == NULL || tangents/if (tangents/
saved tensors are not given back|graph|s/^        wg_release(ctx, saved->tensors\[i\]);/        (void)ctx;/
nulls of tokens are not passed|op/pack_null|s/^call_args.*/(void)call_args;/
TABLE
}

try() {
    sh "$here/run.sh" --count "${SABOTAGE_COUNT:-2000}" --seed 1 --batch 100 --tries 0 --most 0 --templates "$work/templates" "$@"
}

number=0
mkdir -p "$work" || exit 1
while IFS='|' read -r name template script; do
    number=$((number + 1))
    rm -rf "$work/templates"
    mkdir -p "$work/templates/$(dirname "$template")"
    changed=$work/templates/$template.mustache
    case $template in op/*) whole=$BUILD/templates/$template.mustache ;; *) whole=$root/templates/$template.mustache ;; esac
    sed "$script" "$whole" >"$changed"
    if cmp -s "$changed" "$whole"; then
        echo "not ok $number - $name: the script changes nothing in $template.mustache"
        failed=$((failed + 1))
    elif [ $(((number + ${PART:-0}) % ${SABOTAGE_EVERY:-1})) -ne 0 ]; then
        : # the line is alive; whether it is noticed is asked when all are
    elif try >"$work/log" 2>&1 && try --bare >"$work/log" 2>&1; then
        echo "not ok $number - $name: nothing was noticed"
        failed=$((failed + 1))
    elif grep -q 'could not be built' "$work/log"; then
        echo "not ok $number - $name: what was generated does not compile"
        failed=$((failed + 1))
    else
        echo "ok $number - $name: $(sed -n 's/^noticed: //p' "$work/log" | head -n 1)"
        passed=$((passed + 1))
    fi
done <<TABLE
$(table)
TABLE
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
