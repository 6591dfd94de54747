/* SPDX-License-Identifier: MIT */
/*
 * kernel_call - the plan `call` of a kernel that states its outputs: the variant chosen, sizes computed, tensors made
 * that the variant is to fill, the call, and what it returned tested as a graph tests its results
 * (lower_check_results.c).
 *
 * What is wrong with the call's numbers is found before anything is made, and nothing is given to the caller before
 * all is tested.
 */
#include "kernel_call.h"

#include <inttypes.h>

/* ---- tensors that the variant fills ---- */

static bool all_literal(const IntegerRef *at, uint32_t count)
{
    bool literal = true;
    for (uint32_t i = 0; i < count; i++) {
        literal = literal && at[i].name == NULL;
    }
    return literal;
}

static void make_output(Call *call, Made *made, uint32_t index)
{
    Walk *walk = call->walk;
    const uint32_t rank = made->spec->size.text_count;
    PlanGeometry *geometry = ARENA_NEW(walk->arena, PlanGeometry);
    *geometry = (PlanGeometry){
        .sizes = {made->sizes, rank},
        .strides = {made->strides, rank},
        .literal = all_literal(made->sizes, rank) && all_literal(made->strides, rank),
        .size_from = -1,
        .stride_from = -1,
    };
    call_at_output(call, index);
    const char *name = made->spec->name;
    made->slot =
        plan_slot(walk->plan, SLOT_TEMPORARY, SLOT_TENSOR, 0, arena_printf(walk->arena, "made_%s", name), name);
    EMIT(walk, empty, operand_tensor(made->slot), operand_geometry(geometry), operand_dtype(made->spec->dtype_code),
         operand_integer(call->devices[made->spec->allocate_index]),
         call_site(call, made, "empty", "WG_E_HOST", "WG_KIND_STATUS"));
}

/* ---- the call ---- */

/* An argument as a boxed call has it. */
static void pack_argument(Call *call, uint32_t index)
{
    Walk *walk = call->walk;
    const KernelArg *arg = &walk->kernel->args[index];
    const SlotType type = arg->by_address ? SLOT_POINTER : plan_slot_type(arg->kind);
    const char *source = arena_printf(walk->arena, "%s%sargs->%s", type == SLOT_POINTER ? "(void *)(uintptr_t)" : "",
                                      kind_is_container(arg->kind) && !arg->by_address ? "&" : "", arg->name);
    EMIT(walk, pack_member, operand_count(index), operand_name(plan_slot_member(type)), operand_text(source));
}

/* Arguments, then the tensors to fill. */
static void pack(Call *call)
{
    Walk *walk = call->walk;
    Plan *plan = walk->plan;
    call_at_kernel(call);
    for (uint32_t i = 0; i < walk->kernel->num_args; i++) {
        pack_argument(call, i);
    }
    plan->num_call_args = walk->kernel->num_args;
    for (uint32_t i = 0; i < call->kernel->outputs_count; i++) {
        if (call->made[i].spec->allocate != NULL) {
            call_at_output(call, i);
            EMIT(walk, pack_tensor, operand_count(plan->num_call_args++), operand_tensor(call->made[i].slot));
        }
    }
}

/* A slot for each value that the variant returns. */
static void add_results(Call *call)
{
    Walk *walk = call->walk;
    Plan *plan = walk->plan;
    plan->first_result = plan->num_slots;
    for (uint32_t i = 0; i < call->kernel->outputs_count; i++) {
        Made *made = &call->made[i];
        if (made->spec->allocate == NULL) {
            const SlotType type = plan_slot_type(made->spec->kind);
            const char *text =
                arena_printf(walk->arena, "results[%" PRIu32 "].%s", plan->num_results, plan_slot_member(type));
            made->slot = plan_slot(plan, SLOT_RESULT, type, plan->num_results++, text, made->spec->name);
        }
    }
    plan->capacity = plan->num_results + 1; /* a function that does not say how many it returned is noticed */
}

static void call_variant(Call *call)
{
    Walk *walk = call->walk;
    Plan *plan = walk->plan;
    add_results(call);
    pack(call);
    call_at_kernel(call);
    EMIT(walk, clear_results, operand_name("results"), operand_count(plan->capacity));
    EMIT(walk, call_variant, operand_name(arena_printf(walk->arena, "%s_run", walk->kernel->symbol)),
         lower_array_name("call_args", plan->num_call_args), operand_name("results"), operand_count(plan->capacity));
    EMIT(walk, check_call, call_site(call, NULL, "compiled", "WG_E_COMPILED", "WG_KIND_STATUS"));
    EMIT(walk, check_outputs, operand_count(plan->num_results),
         call_site(call, NULL, "outputs", "WG_E_OUTPUTS", "WG_KIND_INTEGER"));
}

/* ---- what was returned ---- */

static void check_returned(Call *call, const Made *made)
{
    Walk *walk = call->walk;
    const SpecKernelOutput *output = made->spec;
    const uint32_t rank = output->size.text_count;
    FactList list = {.plan = walk->plan};
    if (call->tests && output->dtype_code >= 0) {
        fact_add_literal(&list, FACT_DTYPE, -1, output->dtype_code);
    }
    if (made->sizes != NULL) {
        fact_add_literal(&list, FACT_RANK, -1, rank);
    }
    for (uint32_t i = 0; made->sizes != NULL && i < rank; i++) {
        fact_add(&list, FACT_SIZE, (int32_t)i, made->sizes[i]);
    }
    for (uint32_t i = 0; made->strides != NULL && i < rank; i++) {
        if (lower_stride_counts(&output->size, i)) {
            fact_add(&list, FACT_STRIDE, (int32_t)i, made->strides[i]);
        }
    }
    const Operand site = call_site(call, made, "result", "WG_E_RESULT", "WG_KIND_NONE");
    if (!call->tests) {
        EMIT(walk, check_result, operand_tensor(made->slot), site);
        return;
    }
    const Operand stated = fact_operand(&list, "facts", output->name);
    if (walk->kernel->host.matches) {
        EMIT(walk, match_returned, operand_tensor(made->slot), stated, site);
    } else {
        EMIT(walk, check_returned, operand_tensor(made->slot), stated, site);
    }
}

static void deliver(Call *call)
{
    Walk *walk = call->walk;
    for (uint32_t i = 0; i < call->kernel->outputs_count; i++) {
        const Made *made = &call->made[i];
        const Operand member = operand_name(made->spec->name);
        call_at_output(call, i);
        if (made->spec->kind == SPEC_TENSOR) {
            EMIT(walk, deliver_member, operand_count(i), member, operand_tensor(made->slot));
        } else {
            const char *text = walk->plan->slots[made->slot].text;
            EMIT(walk, deliver_number, operand_count(i), member,
                 operand_text(made->spec->kind == SPEC_BOOLEAN ? arena_printf(walk->arena, "%s != 0", text) : text));
        }
    }
}

static void check_results(Call *call)
{
    Walk *walk = call->walk;
    bool reads = false;
    for (uint32_t i = 0; i < call->kernel->outputs_count; i++) {
        const Made *made = &call->made[i];
        if (made->spec->allocate == NULL && made->spec->kind == SPEC_TENSOR) {
            call_at_output(call, i);
            check_returned(call, made);
            reads = reads || call->tests;
        }
    }
    call_at_kernel(call);
    if (reads) {
        EMIT(walk, check_host, call_site(call, NULL, "read", "WG_E_HOST", "WG_KIND_STATUS"));
    }
}

/* ---- the plan ---- */

static Call call_new(Walk *walk)
{
    const SpecKernel *kernel = walk->kernel->spec;
    Call call = {.walk = walk, .kernel = kernel, .tests = kernel->check >= SPEC_CHECK_CHEAP};
    call.made = ARENA_ARRAY(walk->arena, Made, (size_t)kernel->outputs_count + 1);
    call.devices = ARENA_ARRAY(walk->arena, IntegerRef, (size_t)kernel->args_count + 1);
    call.numbers.name = "number";
    call.numbers.values = ARENA_ARRAY(walk->arena, IntegerRef, (size_t)walk->kernel->file->symbols_count + 1);
    for (uint32_t i = 0; i < kernel->outputs_count; i++) {
        call.made[i].spec = &kernel->outputs[i];
    }
    return call;
}

Plan *walk_call(Walk *walk)
{
    Call call = call_new(walk);
    walk->plan = plan_new_function(walk->arena, walk->kernel->file,
                                   arena_printf(walk->arena, "%s_call", walk->kernel->symbol), walk->kernel->path);
    walk->plan->num_outs = call.kernel->outputs_count;
    walk->plan->packs_arguments = true;
    walk->list = &walk->plan->ops;
    walk->key = false;
    call_at_kernel(&call);
    EMIT(walk, choose_variant, operand_name(walk->kernel->symbol));
    call_load_numbers(&call);
    for (uint32_t i = 0; i < call.kernel->outputs_count; i++) {
        if (call_computes(&call, &call.made[i])) {
            call_compute_output(&call, &call.made[i], i);
        }
    }
    for (uint32_t i = 0; i < call.kernel->outputs_count; i++) {
        if (call.made[i].spec->allocate != NULL) {
            make_output(&call, &call.made[i], i);
        }
    }
    call_variant(&call);
    check_results(&call);
    deliver(&call);
    return walk->plan;
}
