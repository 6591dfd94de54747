/* SPDX-License-Identifier: MIT */
/*
 * lower_overlap - at `check: full`: an input that is mutated shares no byte with another input.
 *
 * Subclasses are tested tensor by tensor, by the slots that they were taken apart into. Merged inputs may share what
 * they like. A few pairs are tested one by one; more of them by a sort of all byte ranges (templates/core/wg_ranges.h),
 * so that neither the text nor the time grows with the pairs. Only of tensors whose ranges meet is it asked whether
 * they share a byte (templates/core/wg_overlap.c). Both name the same pair: the first mutated input that shares memory,
 * and the first that it shares it with, where mutated ones come before the others.
 */
#include "lower.h"

#include "../../templates/core/wg_core.h"

enum { MOST_PAIRS = 16 }; /* that are tested one by one */

/* An input that takes part. */
typedef struct Owner {
    uint32_t input;
    uint32_t group; /* of those that may share memory, the first owner */
} Owner;

/* A tensor that it consists of. */
typedef struct Part {
    uint32_t slot;
    uint32_t owner;
} Part;

typedef struct Overlaps {
    Lower *lower;
    Owner *owners; /* the mutated ones first, each kind in the order of the inputs */
    uint32_t num_owners;
    uint32_t num_written;
    Part *parts; /* in the order of the owners */
    uint32_t num_parts;
    uint32_t num_written_parts;
} Overlaps;

static bool takes_part(const SpecInput *input)
{
    return input->kind == SPEC_TENSOR && lower_is_tested(input);
}

/* ---- who takes part ---- */

/* Numbers them; `first_member` is by synthetic base. */
static void add_owners(Overlaps *overlaps, bool written, uint32_t *first_member)
{
    const SpecGraph *graph = overlaps->lower->graph;
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        const SpecInput *input = &graph->inputs[i];
        if (!takes_part(input) || spec_is(input->mutates_data) != written) {
            continue;
        }
        Owner *owner = &overlaps->owners[overlaps->num_owners];
        *owner = (Owner){i, overlaps->num_owners};
        if (input->synthetic_base >= 0 && first_member[input->synthetic_base] != UINT32_MAX) {
            owner->group = first_member[input->synthetic_base];
        } else if (input->synthetic_base >= 0) {
            first_member[input->synthetic_base] = overlaps->num_owners;
        }
        overlaps->num_owners++;
    }
}

static bool is_taken_apart(const Lower *lower, uint32_t input)
{
    return lower->graph->inputs[input].subclass != NULL || lower->flat[input].count > 0;
}

static uint32_t count_parts(const Overlaps *overlaps)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < overlaps->num_owners; i++) {
        const uint32_t input = overlaps->owners[i].input;
        n += is_taken_apart(overlaps->lower, input) ? overlaps->lower->flat[input].count : 1;
    }
    return n;
}

static void add_parts(Overlaps *overlaps, uint32_t owner)
{
    const uint32_t input = overlaps->owners[owner].input;
    const FlatArguments *flat = &overlaps->lower->flat[input];
    if (!is_taken_apart(overlaps->lower, input)) {
        overlaps->parts[overlaps->num_parts++] = (Part){input, owner};
    }
    for (uint32_t i = 0; i < flat->count; i++) {
        if (!flat->at[i].is_integer && !flat->at[i].is_opaque) {
            overlaps->parts[overlaps->num_parts++] = (Part){flat->at[i].slot, owner};
        }
    }
}

static Overlaps find_overlaps(Lower *lower)
{
    Overlaps overlaps = {.lower = lower};
    const uint32_t num_bases = lower->graph->synthetic_bases_count;
    uint32_t *first_member = ARENA_ARRAY(lower->arena, uint32_t, (size_t)num_bases + 1);
    for (uint32_t i = 0; i < num_bases; i++) {
        first_member[i] = UINT32_MAX;
    }
    overlaps.owners = ARENA_ARRAY(lower->arena, Owner, (size_t)lower->graph->inputs_count + 1);
    add_owners(&overlaps, true, first_member);
    overlaps.num_written = overlaps.num_owners;
    add_owners(&overlaps, false, first_member);
    overlaps.parts = ARENA_ARRAY(lower->arena, Part, (size_t)count_parts(&overlaps) + 1);
    for (uint32_t i = 0; i < overlaps.num_owners; i++) {
        add_parts(&overlaps, i);
        if (i < overlaps.num_written) {
            overlaps.num_written_parts = overlaps.num_parts;
        }
    }
    return overlaps;
}

static const Site *overlap_site(const Overlaps *overlaps, uint32_t owner)
{
    const SpecInput *input = &overlaps->lower->graph->inputs[overlaps->owners[owner].input];
    return plan_site(overlaps->lower->plan, input->name, "overlap", "WG_E_OVERLAP", "WG_KIND_NONE");
}

static const char *owner_name(const Overlaps *overlaps, uint32_t owner)
{
    return overlaps->lower->graph->inputs[overlaps->owners[owner].input].name;
}

/* ---- one test a pair ---- */

static void test_pair(const Overlaps *overlaps, const Part *written, const Part *other)
{
    const Owner *owner = &overlaps->owners[other->owner];
    if (overlaps->owners[written->owner].group != owner->group) {
        Str name = str_new(overlaps->lower->arena);
        str_put_c_literal(&name, owner_name(overlaps, other->owner));
        LOWER_EMIT(overlaps->lower, check_overlap, operand_tensor(written->slot), operand_tensor(other->slot),
                   operand_text(str_text(&name)), operand_tensor(owner->input),
                   operand_site(overlap_site(overlaps, written->owner)));
    }
}

static void lower_pairs(const Overlaps *overlaps)
{
    Lower *lower = overlaps->lower;
    uint32_t end = 0;
    for (uint32_t first = 0; first < overlaps->num_written_parts; first = end) {
        const uint32_t owner = overlaps->parts[first].owner;
        while (end < overlaps->num_parts && overlaps->parts[end].owner == owner) {
            end++;
        }
        const uint32_t input = overlaps->owners[owner].input;
        lower_at(lower, &lower->graph->inputs[input], ".inputs", input);
        for (uint32_t other = end; other < overlaps->num_parts; other++) {
            for (uint32_t i = first; i < end; i++) {
                test_pair(overlaps, &overlaps->parts[i], &overlaps->parts[other]);
            }
        }
    }
}

/* ---- one sort ---- */

static void lower_ranges(const Overlaps *overlaps)
{
    Lower *lower = overlaps->lower;
    for (uint32_t i = 0; i < overlaps->num_parts; i++) {
        const Part *part = &overlaps->parts[i];
        LOWER_EMIT(lower, byte_range, operand_count(i), operand_tensor(part->slot), operand_count(part->owner),
                   operand_count(overlaps->owners[part->owner].group));
    }
    LOWER_EMIT(lower, find_overlap, operand_count(overlaps->num_parts), operand_count(overlaps->num_written));
}

static void lower_found(const Overlaps *overlaps)
{
    Lower *lower = overlaps->lower;
    int64_t *tensors = ARENA_ARRAY(lower->arena, int64_t, overlaps->num_owners);
    const Site **sites = ARENA_ARRAY(lower->arena, const Site *, overlaps->num_written);
    Str names = str_new(lower->arena);
    for (uint32_t i = 0; i < overlaps->num_owners; i++) {
        tensors[i] = overlaps->owners[i].input;
        str_puts(&names, i > 0 ? ", " : "");
        str_put_c_literal(&names, owner_name(overlaps, i));
        if (i < overlaps->num_written) {
            sites[i] = overlap_site(overlaps, i);
        }
    }
    LOWER_EMIT(lower, check_overlaps, operand_dims(tensors, overlaps->num_owners),
               operand_sites(sites, overlaps->num_written), operand_text(str_text(&names)));
}

static void lower_sweep(const Overlaps *overlaps)
{
    Lower *lower = overlaps->lower;
    Plan *plan = lower->plan;
    const uint32_t values = overlaps->num_parts * WG_RANGE_VALUES;
    if (values <= STACK_VALUES) {
        LOWER_EMIT(lower, take_ranges, operand_count(overlaps->num_parts));
        lower_ranges(overlaps);
    } else {
        plan->scratch_before = values;
        LOWER_EMIT(lower, take_ranges_scratch, operand_count(values),
                   operand_site(plan_site(plan, NULL, "scratch", "WG_E_SCRATCH", "WG_KIND_INTEGER")));
        lower_ranges(overlaps);
        LOWER_EMIT(lower, give_ranges, operand_count(values));
    }
    lower_found(overlaps);
}

void lower_overlaps(Lower *lower)
{
    const Overlaps overlaps = find_overlaps(lower);
    if ((uint64_t)overlaps.num_written_parts * overlaps.num_parts <= MOST_PAIRS) {
        lower_pairs(&overlaps);
    } else {
        lower_at(lower, lower->graph, ".inputs", LOWER_WHOLE);
        lower_sweep(&overlaps);
    }
}

bool lower_is_tested(const SpecInput *input)
{
    return !spec_is(input->frozen) && input->duplicate_of < 0;
}
