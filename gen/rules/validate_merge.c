/* SPDX-License-Identifier: MIT */
/*
 * validate_merge - checks inputs that are not passed as they are (duplicates and members of synthetic bases) and the
 * intermediate bases, which are returned along with the outputs.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"

/* ---- duplicates ---- */

/* An input by name; -1: reported. */
static int32_t find_input(Validator *v, char *const *field, const char *what)
{
    SpecRef ref = {SPEC_REF_NONE, 0};
    if (!validate_reference(v, field, 1U << SPEC_REF_INPUT, "no input", &ref)) {
        return -1;
    }
    if (ref.kind != SPEC_REF_INPUT) {
        validate_error(v, RULE_REFERENCE, diag_value(field), "%s must be an input; '%s' is %s", what, *field,
                       spec_ref_text(ref.kind));
        return -1;
    }
    return (int32_t)ref.index;
}

/* The first value of the graph that is a subclass, or null. */
static SpecSubclass *const *first_subclass(const SpecGraph *graph)
{
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        if (graph->inputs[i].subclass != NULL) {
            return &graph->inputs[i].subclass;
        }
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        if (graph->outputs[i].subclass != NULL) {
            return &graph->outputs[i].subclass;
        }
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        if (graph->intermediate_bases[i].subclass != NULL) {
            return &graph->intermediate_bases[i].subclass;
        }
    }
    return NULL;
}

/* One entry whose two names are inputs. */
static void validate_pair(Validator *v, SpecDuplicate *duplicate)
{
    SpecInput *input = &v->graph->inputs[duplicate->input_index];
    const SpecInput *kept = &v->graph->inputs[duplicate->of_index];
    const DiagPlace place = diag_value(&duplicate->input);
    if (input == kept) {
        validate_error(v, RULE_DUPLICATE, place, "input '%s' cannot be a duplicate of itself", input->name);
    } else if (duplicate->input_index < duplicate->of_index) {
        validate_error(v, RULE_DUPLICATE, place,
                       "'%s' comes before '%s' among the inputs; the first is kept, so '%s' is the duplicate of '%s'",
                       input->name, kept->name, kept->name, input->name);
    } else if (input->kind != SPEC_TENSOR || kept->kind != SPEC_TENSOR) {
        validate_error(v, RULE_DUPLICATE, place, "duplicates are tensors, and '%s' is of kind %s",
                       input->kind != SPEC_TENSOR ? input->name : kept->name,
                       spec_kind_text(input->kind != SPEC_TENSOR ? input->kind : kept->kind));
    } else if (validate_only_name_and_kind(v, input)) {
        input->duplicate_of = (int32_t)duplicate->of_index;
    }
}

static void validate_kept(Validator *v, const SpecDuplicate *duplicate, bool subclass)
{
    const SpecInput *kept = &v->graph->inputs[duplicate->of_index];
    const DiagPlace place = diag_value(&duplicate->of);
    if (kept->duplicate_of >= 0) {
        validate_error(v, RULE_DUPLICATE, place, "'%s' is itself a duplicate; name the input that is kept, '%s'",
                       kept->name, v->graph->inputs[kept->duplicate_of].name);
    } else if (spec_is(kept->frozen)) {
        validate_error(v, RULE_FROZEN, place, "'%s' is frozen, so it cannot have a duplicate", kept->name);
    } else if (subclass && (spec_is(kept->mutates_data) || spec_is(kept->mutates_metadata))) {
        validate_error(v, RULE_DUPLICATE, place,
                       "'%s' is mutated and has a duplicate; that is not supported in a graph with subclasses",
                       kept->name);
    }
}

void validate_duplicates(Validator *v)
{
    SpecGraph *graph = v->graph;
    uint32_t *entry_of = ARENA_ARRAY(v->arena, uint32_t, graph->duplicates_count == 0 ? 0 : graph->inputs_count);
    const bool subclass = graph->duplicates_count > 0 && first_subclass(graph) != NULL;
    bool *good = ARENA_ARRAY(v->arena, bool, graph->duplicates_count);
    for (uint32_t i = 0; i < graph->duplicates_count; i++) {
        SpecDuplicate *duplicate = &graph->duplicates[i];
        const int32_t input = find_input(v, &duplicate->input, "a duplicate");
        const int32_t of = find_input(v, &duplicate->of, "what is duplicated");
        if (input < 0 || of < 0) {
            continue;
        }
        duplicate->input_index = (uint32_t)input;
        duplicate->of_index = (uint32_t)of;
        if (entry_of[input] != 0) {
            DiagMessage *message = validate_error(v, RULE_DUPLICATE, diag_value(&duplicate->input),
                                                  "'%s' is given as a duplicate twice", duplicate->input);
            diag_note(v->diag, message, diag_value(&graph->duplicates[entry_of[input] - 1].input), "first here");
            continue;
        }
        entry_of[input] = i + 1;
        good[i] = true;
        validate_pair(v, duplicate);
    }
    for (uint32_t i = 0; i < graph->duplicates_count; i++) {
        if (good[i]) {
            validate_kept(v, &graph->duplicates[i], subclass);
        }
    }
}

/* ---- synthetic bases ---- */

/* Why an input can never be a member, or null. */
static const char *member_objection(const SpecInput *input)
{
    return input->kind != SPEC_TENSOR ? "is not a tensor"
           : input->duplicate_of >= 0 ? "is a duplicate; name the input that is kept"
           : input->subclass != NULL  ? "is a subclass"
           : spec_is(input->frozen)   ? "is frozen"
           : spec_is(input->mutates_storage_metadata)
               ? "has 'mutates_storage_metadata', which would separate it from the storage"
           : spec_is(input->mutation_inductor_storage_resize) ? "has its storage resized"
           : input->symbol_args.text_count > 0                ? "has 'symbol_args'; a merged input is not passed itself"
                                                              : NULL;
}

/* Fills member_index; false: something was reported. */
static bool resolve_members(Validator *v, SpecSynthetic *base, uint32_t index)
{
    SpecGraph *graph = v->graph;
    bool good = true;
    base->member_index = ARENA_ARRAY(v->arena, uint32_t, base->members.text_count);
    for (uint32_t i = 0; i < base->members.text_count; i++) {
        char *const *field = &base->members.text[i];
        const int32_t found = find_input(v, field, "a member");
        if (found < 0) {
            good = false;
            continue;
        }
        SpecInput *input = &graph->inputs[found];
        const char *objection = member_objection(input);
        base->member_index[i] = (uint32_t)found;
        if (objection != NULL) {
            validate_error(v, RULE_SYNTHETIC, diag_value(field), "input '%s' cannot be merged: it %s", input->name,
                           objection);
        } else if (input->synthetic_base >= 0) {
            DiagMessage *message =
                validate_error(v, RULE_SYNTHETIC, diag_value(field), "input '%s' is already a member of '%s'",
                               input->name, graph->synthetic_bases[input->synthetic_base].name);
            diag_note(v->diag, message, diag_value(&graph->synthetic_bases[input->synthetic_base].members.text),
                      "there");
        } else {
            input->synthetic_base = (int32_t)index;
            continue;
        }
        good = false;
    }
    return good;
}

/* A storage is on one device; a device without an index matches any of its type. */
static void compare_devices(Validator *v, const SpecInput *input, const SpecInput *other, DiagPlace place)
{
    if (input->device == NULL || other->device == NULL || input->device_type < 0 || other->device_type < 0) {
        return;
    }
    const bool both = input->device_index >= 0 && other->device_index >= 0;
    if (input->device_type != other->device_type || (both && input->device_index != other->device_index)) {
        DiagMessage *message =
            validate_error(v, RULE_SYNTHETIC, place, "'%s' is on device %s and '%s' on %s: members share one storage",
                           input->name, input->device, other->name, other->device);
        diag_note(v->diag, message, diag_value(&other->device), "device of '%s'", other->name);
    }
}

/* What members must have in common with the first. */
static void compare_members(Validator *v, const SpecSynthetic *base)
{
    const SpecGraph *graph = v->graph;
    const SpecInput *first = &graph->inputs[base->member_index[0]];
    const SpecInput *typed = NULL;
    const SpecInput *placed = first; /* the first whose device is stated */
    bool mutated = false;
    for (uint32_t i = 0; i < base->members.text_count; i++) {
        const SpecInput *input = &graph->inputs[base->member_index[i]];
        const DiagPlace place = diag_value(&base->members.text[i]);
        mutated = mutated || spec_is(input->mutates_data);
        if (spec_is(input->is_leaf) != spec_is(first->is_leaf)) {
            DiagMessage *message = validate_error(v, RULE_SYNTHETIC, place,
                                                  "'%s' is %s and '%s' is %s: either all members are leaves or none is",
                                                  input->name, spec_is(input->is_leaf) ? "a leaf" : "not", first->name,
                                                  spec_is(first->is_leaf) ? "a leaf" : "not");
            diag_note(v->diag, message, diag_value(&first->name), "'%s'", first->name);
        }
        if (i > 0) {
            compare_devices(v, input, placed, place);
        }
        placed = placed->device == NULL ? input : placed;
        if (input->dtype_code < 0) {
            continue;
        }
        if (typed != NULL && typed->dtype_code != input->dtype_code) {
            DiagMessage *message =
                validate_error(v, RULE_SYNTHETIC, place, "'%s' has dtype %s and '%s' has %s: members have one dtype",
                               input->name, input->dtype, typed->name, typed->dtype);
            diag_note(v->diag, message, diag_value(&typed->dtype), "dtype of '%s'", typed->name);
        }
        typed = typed == NULL ? input : typed;
    }
    if (!mutated) {
        validate_error(v, RULE_SYNTHETIC, diag_value(&base->members.text),
                       "no member of '%s' has 'mutates_data': without a data mutation nothing needs to be merged",
                       base->name);
    }
}

/* A storage has no gradient, so nothing could say what the members' gradients are. */
static void refuse_gradients_of_storage(Validator *v, const SpecSynthetic *base)
{
    for (uint32_t i = 0; i < base->members.text_count; i++) {
        const SpecInput *input = &v->graph->inputs[base->member_index[i]];
        if (spec_is(input->requires_grad)) {
            DiagMessage *message = validate_error(
                v, RULE_SYNTHETIC, diag_value(&base->members.text[i]),
                "'%s' requires grad, and its synthetic base '%s' is a storage, through which no gradient flows: in "
                "training such members need 'base: view_base'",
                input->name, base->name);
            diag_note(v->diag, message, diag_value(&base->base), "'%s' is merged by its storage here", base->name);
            return;
        }
    }
}

/* PyTorch gives up when a graph needs synthetic bases and anything in it is a subclass. */
static void refuse_subclass_beside(Validator *v)
{
    SpecSubclass *const *subclass = first_subclass(v->graph);
    if (v->graph->synthetic_bases_count > 0 && subclass != NULL) {
        DiagMessage *message = validate_error(
            v, RULE_SYNTHETIC, diag_key(subclass),
            "a subclass together with merged inputs is not supported: a graph may have one or the other");
        diag_note(v->diag, message, diag_key(&v->graph->synthetic_bases), "inputs are merged here");
    }
}

void validate_synthetic_bases(Validator *v)
{
    refuse_subclass_beside(v);
    for (uint32_t i = 0; i < v->graph->synthetic_bases_count; i++) {
        SpecSynthetic *base = &v->graph->synthetic_bases[i];
        if (resolve_members(v, base, i)) {
            compare_members(v, base);
            if (v->training && base->base == SPEC_SYNTHETIC_STORAGE) {
                refuse_gradients_of_storage(v, base);
            }
        }
    }
}

/* ---- intermediate bases ---- */

void validate_bases(Validator *v)
{
    const Keys keys =
        KEYS(SpecBase, KEY_BIT(SpecBase, size) | KEY_BIT(SpecBase, stride) | KEY_BIT(SpecBase, storage_offset));
    for (uint32_t i = 0; i < v->graph->intermediate_bases_count; i++) {
        SpecBase *base = &v->graph->intermediate_bases[i];
        const Subject subject = {.what = "intermediate base", .name = base->name};
        base->dtype_code = validate_dtype(v, &base->dtype);
        validate_device(v, &base->device, &base->device_type, &base->device_index);
        validate_geometry(v, &base->size, &base->stride, &base->storage_offset, SYMBOL_DEFINES);
        if (base->dtype_code >= 0 && !dtype_is_differentiable(base->dtype_code)) {
            validate_error(
                v, RULE_GRAD, diag_value(&base->dtype),
                "intermediate base '%s' has dtype %s, but bases require grad, and only floating and complex dtypes can",
                base->name, base->dtype);
        }
        if (base->subclass != NULL) {
            validate_no_keys(v, RULE_SUBCLASS, base, keys, subject,
                             " next to 'subclass': its geometry is in 'outer_size' and 'outer_stride'");
            validate_tree(v, base->subclass, TREE_RETURNED, subject);
        }
    }
}
