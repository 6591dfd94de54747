/* SPDX-License-Identifier: MIT */
/*
 * prove_report - turns findings of the proof into diagnostics, and witnesses into text.
 */
#include <inttypes.h>
#include <string.h>

#include "../algebra/cpu.h"
#include "../algebra/geometry.h"
#include "prove.h"
#include "../base/str.h"

enum { MAX_NOTES = 4 };

/* ---- witnesses ---- */

static void put_list(const int64_t *values, int64_t n, Str *out)
{
    str_putc(out, '[');
    for (int64_t i = 0; i < n; i++) {
        str_printf(out, "%s%" PRId64, i > 0 ? ", " : "", values[i]);
    }
    str_putc(out, ']');
}

static int64_t alignment_of(int64_t address)
{
    int64_t alignment = 1;
    while (alignment < 4096 && address % (2 * alignment) == 0) {
        alignment *= 2;
    }
    return alignment;
}

/* Besides dtype and geometry, only what some condition tests. */
static void put_tensor(const Dispatch *dispatch, uint32_t n, const WitnessNode *node, Str *out)
{
    str_puts(out, dtype_text((int32_t)node->fields[FIELD_DTYPE]));
    put_list(node->dims[FIELD_SIZE], node->fields[FIELD_RANK], out);
    if (node->fields[FIELD_RANK] > 0) {
        str_puts(out, " stride ");
        put_list(node->dims[FIELD_STRIDE], node->fields[FIELD_RANK], out);
    }
    for (uint32_t kind = 0; kind < FIELD_COUNT; kind++) {
        const int32_t field = dispatch_find_field(dispatch, (FieldKind)kind, n, DISPATCH_NONE);
        if (field == DISPATCH_NONE || field_specs[kind].shown == NULL) {
            continue;
        }
        const int64_t value = node->fields[kind];
        const char *text = field_specs[kind].values == VALUES_ADDRESS
                               ? arena_printf(dispatch->arena, "%" PRId64, alignment_of(value))
                               : dispatch_value_text(dispatch, (uint32_t)field, value);
        str_printf(out, "%s%s", field_specs[kind].shown, text);
    }
}

static void put_node(const Dispatch *dispatch, uint32_t n, const WitnessNode *node, Str *out)
{
    const DispatchNode *about = &dispatch->nodes[n];
    const int32_t field = dispatch_find_field(dispatch, FIELD_VALUE, n, DISPATCH_NONE);
    if (node->fields[FIELD_PRESENT] == 0) {
        str_puts(out, "null");
        return;
    }
    switch (kind_form(about->arg->kind)) {
    case FORM_TENSOR:
        if (node->same_as != DISPATCH_NONE) {
            str_printf(out, "the same tensor as %s", dispatch->nodes[node->same_as].path);
        } else {
            put_tensor(dispatch, n, node, out);
        }
        break;
    case FORM_LIST:
        str_printf(out, "%" PRId64 " item%s", node->fields[FIELD_LENGTH], node->fields[FIELD_LENGTH] == 1 ? "" : "s");
        break;
    case FORM_NUMBER:
    case FORM_CODE:
    case FORM_TEXT:
        str_puts(out, field == DISPATCH_NONE
                          ? "any"
                          : dispatch_value_text(dispatch, (uint32_t)field, node->fields[FIELD_VALUE]));
        break;
    case FORM_NOTHING:
    case FORM_STRUCT:
        str_puts(out, "any");
        break;
    }
}

/* Nodes that no condition reads are left out. */
static bool is_looked_at(const Dispatch *dispatch, uint32_t n)
{
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const DispatchField *field = &dispatch->fields[i];
        const bool other = field_specs[field->kind].of == FIELD_OF_PAIR && (uint32_t)field->dimension == n;
        if (other || (field->node == n && field->kind != FIELD_RELATION && field->kind != FIELD_FEATURE)) {
            return true;
        }
    }
    return false;
}

/* "with avx2 and fma": the features that are there, or those that are not. */
static bool put_features(const Dispatch *dispatch, const Witness *witness, bool there, const char *begin, Str *out)
{
    bool any = false;
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        if (dispatch->fields[i].kind == FIELD_FEATURE && (witness->values[i] != 0) == there) {
            str_printf(out, "%s%s", any ? there ? " and " : " or " : begin, cpu_word(dispatch->fields[i].dimension));
            any = true;
        }
    }
    return any;
}

static void put_machine(const Dispatch *dispatch, const Witness *witness, Str *out)
{
    const char *semicolon = out->length > 0 ? "; " : "";
    const bool some =
        put_features(dispatch, witness, true, arena_printf(dispatch->arena, "%son a CPU with ", semicolon), out);
    (void)put_features(dispatch, witness, false,
                       some ? ", without " : arena_printf(dispatch->arena, "%son a CPU without ", semicolon), out);
}

const char *prove_witness_text(const Dispatch *dispatch, const Witness *witness)
{
    Str out = str_new(dispatch->arena);
    for (uint32_t n = 0; n < dispatch->num_nodes; n++) {
        if (witness->nodes[n].fields[FIELD_PRESENT] < 0 || !is_looked_at(dispatch, n)) {
            continue;
        }
        str_puts(&out, out.length > 0 ? "; " : "");
        str_printf(&out, "%s: ", dispatch->nodes[n].path);
        put_node(dispatch, n, &witness->nodes[n], &out);
    }
    put_machine(dispatch, witness, &out);
    return out.length > 0 ? str_text(&out) : "any call";
}

/* ---- messages ---- */

static char *const *name_of(const Dispatch *dispatch, uint32_t variant)
{
    return dispatch_variant_name(dispatch->variants[variant].spec);
}

static void note_others(Diag *diag, DiagMessage *message, const Dispatch *dispatch, const Finding *finding,
                        const char *words)
{
    for (uint32_t i = 0; i < finding->num_others && i < MAX_NOTES; i++) {
        char *const *name = name_of(dispatch, finding->others[i]);
        diag_note(diag, message, diag_value(name), "%s '%s'", i == 0 ? words : "and", *name);
    }
    if (finding->num_others > MAX_NOTES) {
        char *const *name = name_of(dispatch, finding->others[MAX_NOTES]);
        diag_note(diag, message, diag_value(name), "and %" PRIu32 " more", finding->num_others - MAX_NOTES);
    }
}

static void report_shadowed(Diag *diag, const Dispatch *dispatch, const Finding *finding)
{
    char *const *name = name_of(dispatch, finding->variant);
    DiagMessage *message =
        diag_report(diag, DIAG_ERROR, "E_SHADOWED", diag_value(name),
                    "variant '%s' can never be chosen: %s before it accept%s everything that it accepts", *name,
                    finding->num_others == 1 ? "one" : "those", finding->num_others == 1 ? "s" : "");
    note_others(diag, message, dispatch, finding, finding->num_others == 1 ? "this one," : "together these:");
}

static void report_overlap(Diag *diag, const Dispatch *dispatch, const Finding *finding)
{
    char *const *name = name_of(dispatch, finding->variant);
    char *const *first = name_of(dispatch, finding->others[0]);
    const uint32_t more = finding->num_others - 1;
    const char *others =
        more == 0 ? "" : arena_printf(dispatch->arena, " (and so do %" PRIu32 " more before it)", more);
    DiagMessage *message = diag_report(diag, DIAG_WARNING, "W_OVERLAP", diag_value(name),
                                       "'%s' and '%s' overlap%s, and the order in the file decides; both accept (%s)",
                                       *first, *name, others, prove_witness_text(dispatch, &finding->witness));
    note_others(diag, message, dispatch, finding, "this one comes first:");
}

static void report_apart(Diag *diag, const Dispatch *dispatch, const Finding *finding)
{
    diag_report(diag, DIAG_ERROR, "E_OVERLAP", diag_value(finding->said),
                "there is no call for which the order of '%s' and '%s' decides", *finding->said,
                *name_of(dispatch, finding->variant));
}

/* What the graph requires: "dtype of 'a' must be float32". */
static const char *asked_text(const Dispatch *dispatch, const DispatchClause *clause)
{
    const DispatchField *field = &dispatch->fields[clause->field];
    if (field->kind == FIELD_PRESENT) {
        return arena_printf(dispatch->arena, "'%s' must %sbe null", dispatch->nodes[field->node].path,
                            intset_has(&clause->set, 0) ? "" : "not ");
    }
    const char *what = clause->equal_to == DISPATCH_NONE
                           ? dispatch_set_text(dispatch, clause->field, &clause->set)
                           : arena_printf(dispatch->arena, "the same as %s",
                                          dispatch_field_text(dispatch, (uint32_t)clause->equal_to));
    return arena_printf(dispatch->arena, "%s must be %s", dispatch_field_text(dispatch, clause->field), what);
}

static void report_misfit(Diag *diag, const Dispatch *dispatch, const Finding *finding)
{
    const DispatchVariant *variant = &dispatch->variants[finding->variant];
    const DispatchClause *clause = finding->clause;
    DiagMessage *message = diag_report(
        diag, DIAG_ERROR, "E_NEVER", diag_value(name_of(dispatch, finding->variant)),
        "no call that this variant accepts fits graph '%s'%s%s", *name_of(dispatch, finding->variant),
        clause != NULL ? ": " : ", whose inputs state otherwise", clause != NULL ? asked_text(dispatch, clause) : "");
    for (uint32_t i = 0; clause != NULL && i < variant->num_clauses; i++) {
        if (variant->clauses[i].field == clause->field && variant->clauses[i].said != NULL) {
            diag_note(diag, message, diag_value(variant->clauses[i].said), "the condition");
            break;
        }
    }
    if (clause != NULL && clause->said != NULL) {
        diag_note(diag, message, diag_value(clause->said), "what the graph states");
    }
}

/* A wrapper that tests refuses at run time, and no other variant is tried; one that does not test computes nonsense. */
static void report_refused(Diag *diag, const Dispatch *dispatch, const Finding *finding)
{
    char *const *name = name_of(dispatch, finding->variant);
    const SpecGraph *graph = &dispatch->spec->graphs[dispatch->variants[finding->variant].spec->graph_index];
    const DispatchClause *clause = finding->clause;
    const bool tested = graph->check >= SPEC_CHECK_CHEAP;
    const char *found = dispatch->fields[clause->field].kind == FIELD_PRESENT
                            ? NULL
                            : dispatch_value_text(dispatch, clause->field, finding->witness.values[clause->field]);
    DiagMessage *message =
        diag_report(diag, tested ? DIAG_WARNING : DIAG_ERROR, tested ? "W_REFUSED" : "E_UNTESTED", diag_value(name),
                    "chosen for (%s), which graph '%s' %s: %s%s%s", prove_witness_text(dispatch, &finding->witness),
                    *name, tested ? "refuses" : "is not made for and does not test", asked_text(dispatch, clause),
                    found != NULL ? ", found " : "", found != NULL ? found : "");
    if (clause->said != NULL) {
        diag_note(diag, message, diag_value(clause->said), "what the graph states");
    }
    if (!tested) {
        diag_note(diag, message, diag_value(&graph->check), "from 'check: cheap' on it is tested");
    }
}

/* The facts in which two calls with one key differ: "alignment of 'x'". */
static const char *differences(const Dispatch *dispatch, const Finding *finding)
{
    Str out = str_new(dispatch->arena);
    for (uint32_t i = 0; i < dispatch->num_fields; i++) {
        const FieldKind kind = dispatch->fields[i].kind;
        if (kind != FIELD_RELATION && kind != FIELD_FEATURE && finding->first.values[i] != finding->witness.values[i]) {
            str_printf(&out, "%s%s", out.length > 0 ? ", " : "", dispatch_field_text(dispatch, i));
        }
    }
    return str_text(&out);
}

static void report_key(Diag *diag, const Dispatch *dispatch, const Finding *finding)
{
    const uint32_t other = finding->others[0];
    const char *gets = other == dispatch->num_variants
                           ? "no variant"
                           : arena_printf(dispatch->arena, "'%s'", *name_of(dispatch, other));
    DiagMessage *message =
        diag_report(diag, DIAG_WARNING, "W_KEY", diag_value(name_of(dispatch, finding->variant)),
                    "calls with one key get '%s' and %s, since the key does not hold the %s: (%s) and (%s)",
                    *name_of(dispatch, finding->variant), gets, differences(dispatch, finding),
                    prove_witness_text(dispatch, &finding->first), prove_witness_text(dispatch, &finding->witness));
    if (other != dispatch->num_variants) {
        diag_note(diag, message, diag_value(name_of(dispatch, other)), "the other variant");
    }
}

void prove_report(Diag *diag, const Dispatch *dispatch, const Proof *proof)
{
    const char *kernel = dispatch->kernel->name;
    for (uint32_t i = 0; i < proof->num_findings; i++) {
        const Finding *finding = &proof->findings[i];
        const bool whole = finding->variant == dispatch->num_variants;
        const DiagPlace place = diag_value(whole ? (const void *)&dispatch->kernel->name
                                                 : (const void *)name_of(dispatch, finding->variant));
        switch (finding->kind) {
        case FINDING_IMPOSSIBLE:
            diag_report(diag, DIAG_ERROR, "E_NEVER", place, "the conditions of '%s' contradict each other",
                        *name_of(dispatch, finding->variant));
            break;
        case FINDING_SHADOWED:
            report_shadowed(diag, dispatch, finding);
            break;
        case FINDING_OVERLAP:
            report_overlap(diag, dispatch, finding);
            break;
        case FINDING_APART:
            report_apart(diag, dispatch, finding);
            break;
        case FINDING_MISFIT:
            report_misfit(diag, dispatch, finding);
            break;
        case FINDING_REFUSED:
            report_refused(diag, dispatch, finding);
            break;
        case FINDING_KEY:
            report_key(diag, dispatch, finding);
            break;
        case FINDING_UNCOVERED:
            diag_report(diag, DIAG_WARNING, "W_UNCOVERED", place, "no variant of '%s' accepts (%s)", kernel,
                        prove_witness_text(dispatch, &finding->witness));
            break;
        case FINDING_UNPROVED:
            diag_report(diag, DIAG_WARNING, "W_UNPROVED", place, "not proved for '%s': %s",
                        whole ? kernel : *name_of(dispatch, finding->variant), finding->question);
            break;
        case FINDING_REACHED:
        case FINDING_COVERED:
            break;
        }
    }
}
