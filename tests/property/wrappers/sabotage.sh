#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sabotage.sh - breaks one rule of the generated code at a time and asks run.sh to notice: a test of the test.
#
# Each line of the table is `name|template|sed script`. The changed template overrides the built-in one (--templates); a
# script that changes nothing is a failure, so that the table does not rot. SABOTAGE_COUNT graphs are tried (600); the
# first difference counts. To add one: a line.
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
view replay is not restored|op/scope_training|s/    wg_set_view_replay(ctx, view_replay)/    wg_set_view_replay(ctx, 1)/
autocast is not restored|op/scope_no_autocast|s/^wg_autocast_restore.*/(void)autocast;/
a failed compiled function is taken for a good one|op/check_call|s/goto fail;/status = WG_OK;/
count of results is not looked at|op/check_outputs|s/if (num_results != {{expected}})/if (num_results > 1000)/
null result is not noticed|op/check_result|s/goto fail;/status = WG_OK;/
detach list is ignored|op/detach|s/^status = wg_detach(/status = wg_retain(/
alias takes the geometry of its base|op/alias_like|s/{{target}}/{{base}}/
requires_grad of an alias is inverted|op/alias_as|s/{{flag}}/!{{flag}}/
offset of a folded view is forgotten|geometry|s/{{offset}}/0/
shape behind a view sequence is not tested|op/check_shape|s/goto fail;/status = WG_OK;/
patch of requires_grad left out|op/patch_requires_grad|s/^status = .*/status = 0;/
object returned twice is not detached|op/dealias|s/if (wg_same(ctx, {{tensor}}, {{other}}))/if (0)/
saved view is not detached|op/detach_view|s/if (wg_is_view(ctx, {{tensor}}))/if (0)/
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
duplicates may differ|op/check_same|s/^if (.*)/if (0)/
overlap is not tested|op/check_overlap|s/^if (.*)/if (0)/
outputs are not null after a failure|core|s/memset(outs, 0, {{value}} \* sizeof \*outs)/(void)outs/
generator's state is not set|op/rng_set|s/^status = .*/status = 0;/
host failure is not looked at|op/check_host|s/^status = .*/status = 0;/
TABLE
}

number=0
mkdir -p "$work" || exit 1
while IFS='|' read -r name template script; do
    number=$((number + 1))
    rm -rf "$work/templates"
    mkdir -p "$work/templates/$(dirname "$template")"
    changed=$work/templates/$template.mustache
    sed "$script" "$root/templates/$template.mustache" >"$changed"
    if cmp -s "$changed" "$root/templates/$template.mustache"; then
        echo "not ok $number - $name: the script changes nothing in $template.mustache"
        failed=$((failed + 1))
    elif sh "$here/run.sh" --count "${SABOTAGE_COUNT:-600}" --seed 1 --batch 100 --most 0 --templates "$work/templates" \
        >"$work/log" 2>&1; then
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
