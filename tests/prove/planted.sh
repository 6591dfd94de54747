# SPDX-License-Identifier: MIT
#
# Sourced by run.sh: faults that generated code could have. Each is planted into the wrappers of a golden case by sed, which must
# change them, and must then be found: by an alarm that names its kind, or by statements that are no longer reached.

# case | what is found | sed
planted() {
    cat <<'PLANTED'
save_tensor|out of bounds write|s/outs\[0\]\.tensor = results/outs[1].tensor = results/
save_tensor|out of bounds index|s/saved->unchecked\[0\] = results/saved->unchecked[1] = results/
save_tensor|wg_proof_read_values: precondition|s/memset(saved, 0, sizeof \*saved);//
save_tensor|wg_proof_room: precondition|s/memset(results, 0, 5 \* sizeof \*results);//
save_tensor|wg_proof_read_values: precondition|s/saved->symints\[0\] = .*;//
save_tensor|assertion got status invalid|s/block_kernel(ctx, args, 1, /block_kernel(ctx, args, 2, /
save_tensor|wg_dtype: precondition|s/in_x == NULL/0/
save_tensor|wg_size: precondition 0|s/wg_size(ctx, in_x, 1) != 3/wg_size(ctx, in_x, 2) != 3/
save_tensor|escaping addresses|s/results\[2\]\.tensor = replacement;//
save_tensor|valid_read|s/num_args != 1 || //
save_tensor|valid|s/wg_span(0, 3, num_results)/num_results/
save_tensor|was never entered|s/status = wg_host_status(ctx);/status = WG_E_HOST;/
call_direct|assertion|s/memset(outs, 0, 2 \* sizeof \*outs);$/;/
integer_add|signed overflow|s/wg_add(\([^,]*\), \([^,]*\), &overflow)/(\1 + \2)/
storage_base|wg_same: precondition|s/if (status != 0) {/if (status < 0) {/
dispatch_graph|wg_proof_key_rank: precondition|s/UINT64_C(0x1ffff)/UINT64_C(0x3ffff)/
dispatch_call_graph|wg_proof_words: precondition|s/0x0, next);/0x0, next + 1);/
dispatch_hash|wg_proof_row_holds: precondition|s/sizeof \*entries \/ sizeof(uint64_t), num_entries/sizeof *entries \/ sizeof(uint64_t) - 1, num_entries/
dispatch_hash|out of bounds write|s/sizeof(uint64_t), num_entries)/sizeof(uint64_t), num_entries + 1)/
dispatch_hash|wg_proof_words_of: precondition|s/cache_find(\(.*\), key->words,/cache_find(\1, key->words + 1,/
take_scratch|out of bounds write|s/num_outs != 257/num_outs > 257/
python|wg_key_bytes: precondition|s/    if (arg_mode == NULL) {/    if (0) {/
take_ranges_scratch|out of bounds write|s/wg_scratch_take(ctx, 412)/wg_scratch_take(ctx, 408)/
dispatch_chain|valid_read(&arg_ts_item->rank)|s/if (arg_ts_item == NULL) {/if (0) {/
dispatch_call|out of bounds write|s/outs\[9\].tensor = made.order/outs[12].tensor = made.order/
dispatch_picked|out of bounds|s/values\[[0-9]*\]/values[9]/2
PLANTED
}

planted >"$scratch/planted"
number=0
while IFS='|' read -r case found change; do
    number=$((number + 1))
    folder=$scratch/cases/planted_$number
    rm -rf "$folder"
    if ! generate_case "$case"; then
        not_ok "planted in $case: it is generated"
        continue
    fi
    cp -r "$scratch/cases/$case" "$folder"
    echo "$case" >"$folder/case"
    rm -f "$folder"/alarms "$folder"/reached "$folder"/never "$folder"/status
    sed "$change" "$scratch/cases/$case/wrappers.c" >"$folder/wrappers.c"
    if cmp -s "$scratch/cases/$case/wrappers.c" "$folder/wrappers.c"; then
        not_ok "planted in $case: $change changes something"
    else
        echo "planted_$number"
    fi
done <"$scratch/planted" >"$scratch/planted_names"
grep '^planted_' "$scratch/planted_names" | analyse_all
grep -v '^planted_' "$scratch/planted_names"
number=0
while IFS='|' read -r case found change; do
    number=$((number + 1))
    [ -f "$scratch/cases/planted_$number/status" ] || continue
    judge "planted_$number" >"$scratch/verdict"
    if grep -qF "$found" "$scratch/verdict"; then
        ok "planted in $case: $change is found ($found)"
    else
        not_ok "planted in $case: $change is found ($found)" "$scratch/verdict"
    fi
done <"$scratch/planted"
