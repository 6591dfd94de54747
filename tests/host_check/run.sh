#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - check.sh finds nothing wrong with the hosts native and dlpack, and finds what is planted into copies of them: each fault is
# told of the verb that it is in. To plant another: a line `host|file|verb that must fail|words of the report|sed script`.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/host_check
sanitized=yes
echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
$CC -fsanitize=address,undefined -o "$scratch/nothing" "$scratch/nothing.c" 2>/dev/null && "$scratch/nothing" 2>/dev/null || sanitized=
case " $EXTRA " in *sanitize*) sanitized=yes ;; esac

export CORE="$scratch/core_objects"
over_native() { # COMMAND...
    WITH="$root/templates/hosts/native" "$@"
}
right() { # HOST AT-LEAST
    sh "$here/check.sh" "$root/templates/hosts/$1" >"$scratch/log" 2>&1
    status=$?
    grep -v '^ok' "$scratch/log"
    [ $status -eq 0 ] && [ "$(sed -nE 's/^([0-9]+) passed, 0 failed, [0-9]+ skipped$/\1/p' "$scratch/log")" -ge "$2" ]
}
check 'nothing is wrong with native' right native 50
check 'a verb that it lacks is not offered' grep -qx 'ok [0-9]* - wg_conj # SKIP not offered' "$scratch/log"
check 'nothing is wrong with dlpack' over_native right dlpack 45

planted() {
    cat <<'PLANTED'
native|wg_native_views.c|wg_view_as_real|strides 6 2 2|s/wg_view_parts(&geometry, t->sizes, t->strides, &offset);/& t->strides[base->rank] = 2; t->sizes[base->rank] = 1;/
native|wg_native_views.c|wg_unsafe_view|strides 4 1|s/wg_viewed_strides(&geometry, view->strides);/& view->strides[0]++;/
native|wg_native_views.c|wg_unsafe_view|version 1|s/view->version_bias = -wg_version(ctx, view);//
native|wg_native_verbs.c|wg_copy_leaf_|version 0|s/return status == WG_NATIVE_OK ? wg_bump_version(ctx, dst) : status;/return status;/; s/return wg_bump_version(ctx, dst);/return WG_NATIVE_OK;/
native|wg_native_verbs.c|wg_copy_|version 0|s/return status == WG_NATIVE_OK ? wg_bump_version(ctx, dst) : status;/return status;/; s/return wg_bump_version(ctx, dst);/return WG_NATIVE_OK;/
native|wg_native_verbs.c|wg_copy_|to a leaf: 0|s/return is_refused ? WG_NATIVE_E_LEAF : WG_NATIVE_OK;/(void)is_refused; return WG_NATIVE_OK;/
native|wg_native_layout.c|wg_contiguous|version 1|s/copy->version_bias = -wg_version(ctx, copy);//
native|wg_native_layout.c|wg_coerce_strides|is itself: 0|s/int same = t->rank == geometry->rank;/int same = 0;/
native|wg_native.h|wg_byte_range|bytes: |s/(uintptr_t)t->data + (uintptr_t)t->reach_bytes;/(uintptr_t)t->data + 1;/
native|wg_native.h|wg_release_run|all null: 0|s/        values\[i\].tensor = NULL;//
native|wg_native.h|wg_scratch_take|too many: 0|s/if (n > ctx->scratch_capacity - ctx->scratch_used)/if (n > ctx->scratch_capacity)/
native|wg_native_tensor.c|wg_zeros|values|s/memset((\*out)->data, 0, /memset((*out)->data, 1, /
native|wg_native_views.c|wg_detach|grad 1|s/return view_like(ctx, t, t, out);/const int32_t status = view_like(ctx, t, t, out); (*out)->requires_grad = t->requires_grad; return status;/
PLANTED
    [ -z "$sanitized" ] || cat <<'PLANTED'
native|wg_native_views.c|wg_as_strided|leaked|s/    wg_native_keep(&base->storage->references);/& wg_native_keep(\&base->storage->references);/
native|wg_native_verbs.c|wg_restride_like_|ended with status|s/status = wg_native_check_bounds(dst->storage, like->offset, dst->element_bytes, &extent);//
native|wg_native_layout.c|wg_coerce_strides|leaked|s/        return wg_retain(ctx, t, out);/        (void)wg_retain(ctx, t, out); return wg_retain(ctx, t, out);/
native|wg_native.h|wg_retain|ended with status|s/    wg_native_keep(&t->references);//
native|wg_native_cold.c|wg_release|leaked|s/^            wg_native_release_storage(one->storage);//
PLANTED
}
finds() { # HOST FILE VERB WORDS SCRIPT
    rm -rf "$scratch/copy"
    cp -r "$root/templates/hosts/$1" "$scratch/copy"
    sed -i "$5" "$scratch/copy/$2"
    ! cmp -s "$scratch/copy/$2" "$root/templates/hosts/$1/$2" || { echo 'the script changes nothing'; return 1; }
    ONLY=$3 sh "$here/check.sh" "$scratch/copy" >"$scratch/log" 2>&1 && { echo 'nothing was found'; return 1; }
    grep -v '^ok' "$scratch/log"
    awk -v verb="$3" -v words="$4" '/^(not )?ok /{ mine = $1 == "not" && $5 == verb } mine && index($0, words) { found = 1 } END { exit !found }' "$scratch/log"
}
planted >"$scratch/planted"
while IFS='|' read -r host file verb words script; do
    check "$host, $file: $verb fails ($words)" finds "$host" "$file" "$verb" "$words" "$script" </dev/null
done <"$scratch/planted"

# What is wrong with the folder itself.
folder() { # WORDS SED: of host.yaml
    rm -rf "$scratch/copy"
    cp -r "$root/templates/hosts/native" "$scratch/copy"
    sed -i "$2" "$scratch/copy/host.yaml"
    sh "$here/check.sh" "$scratch/copy" >"$scratch/log" 2>&1 && return 1
    cat "$scratch/log"
    grep -q "$1" "$scratch/log" && tail -n 1 "$scratch/log" | grep -qE '^[0-9]+ passed, [1-9][0-9]* failed, [0-9]+ skipped$'
}
check 'a host whose memory cannot be read is told so' folder 'it lacks wg_data' '/- wg_data$/d'
check 'a verb that is described and not there does not compile' folder 'not ok 1 - the host compiles' 's/- wg_zeros$/- wg_conj/'
check 'a verb that no host can have is named' folder 'VERBS.md has no verb wg_zeroes' 's/- wg_zeros$/- wg_zeroes/'
usage() {
    ! sh "$here/check.sh" "$scratch" 2>"$scratch/log" && grep -q 'usage: make host-check HOST=DIR' "$scratch/log"
}
check 'a folder without a description is refused' usage
finish
