/* SPDX-License-Identifier: MIT */
/*
 * validate_view - how an alias output is regenerated: `view` (folded by gen/geometry from the base's stated geometry)
 * or `as_strided`, or neither. The fold is done here only to check that it is possible and agrees with what the output
 * states; lowering does it again.
 */
#include "validate.h"

#include <inttypes.h>
#include <string.h>

#include "../algebra/geometry.h"

/* ---- arguments ---- */

static const IntegerRule any_integer = {"this argument", SYMBOL_USED, INT64_MIN, NESTED_FORBIDDEN};
static const IntegerRule any_dimension = {"a dimension", SYMBOL_FORBIDDEN, INT64_MIN, NESTED_FORBIDDEN};
static const IntegerRule view_size = {"a size", SYMBOL_USED, -1, NESTED_FORBIDDEN};
static const IntegerRule view_length = {"a length", SYMBOL_USED, 0, NESTED_FORBIDDEN};

static bool takes_minus_one(SpecViewOp op)
{
    return op == SPEC_VIEW_VIEW || op == SPEC_VIEW_RESHAPE || op == SPEC_VIEW_EXPAND;
}

/* gen/algebra/geometry knows which of them an operation takes. */
static void parse_view(Validator *v, SpecView *view)
{
    SpecInt *const dimensions[] = {&view->dim, &view->dim1, &view->dim2, &view->start_dim, &view->end_dim};
    SpecInt *const integers[] = {&view->index, &view->start, &view->end, &view->step};
    SpecInt *const lengths[] = {&view->length, &view->split_size, &view->chunks};
    SpecInts *const dimension_lists[] = {&view->dims, &view->source, &view->destination};
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
        validate_int(v, dimensions[i], &any_dimension);
    }
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        validate_int(v, integers[i], &any_integer);
    }
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        validate_int(v, lengths[i], &view_length);
    }
    for (size_t i = 0; i < sizeof dimension_lists / sizeof dimension_lists[0]; i++) {
        validate_ints(v, dimension_lists[i], &any_dimension);
    }
    validate_ints(v, &view->size, takes_minus_one(view->op) ? &view_size : &INTEGER_SIZE);
    validate_ints(v, &view->sizes, &INTEGER_SIZE);
    validate_ints(v, &view->stride, &INTEGER_STRIDE);
    validate_int(v, &view->offset, view->op == SPEC_VIEW_AS_STRIDED ? &INTEGER_OFFSET : &any_integer);
    view->dtype_code = validate_dtype(v, &view->dtype);
}

static bool parse_views(Validator *v, SpecOutput *output)
{
    const size_t before = v->diag->num_errors;
    for (uint32_t i = 0; i < output->view_count; i++) {
        parse_view(v, &output->view[i]);
    }
    return v->diag->num_errors == before;
}

/* ---- the base ---- */

/* What the YAML states about a base of any kind. */
typedef struct StatedBase {
    const char *name;
    const SpecInts *size;
    const SpecInts *stride;
    const SpecInt *offset;
    const SpecSubclass *subclass;
    int32_t dtype;
    const SpecInput *input; /* or null */
} StatedBase;

static StatedBase stated_base(const SpecGraph *graph, SpecRef ref)
{
    StatedBase base = {0};
    if (ref.kind == SPEC_REF_INPUT) {
        const SpecInput *x = &graph->inputs[ref.index];
        base = (StatedBase){x->name, &x->size, &x->stride, &x->storage_offset, x->subclass, x->dtype_code, x};
    } else if (ref.kind == SPEC_REF_BASE) {
        const SpecBase *x = &graph->intermediate_bases[ref.index];
        base = (StatedBase){x->name, &x->size, &x->stride, &x->storage_offset, x->subclass, x->dtype_code, NULL};
    } else if (ref.kind == SPEC_REF_OUTPUT) {
        const SpecOutput *x = &graph->outputs[ref.index];
        base = (StatedBase){x->name, &x->size, &x->stride, &x->storage_offset, x->subclass, x->dtype_code, NULL};
    }
    return base;
}

/* Reports what forbids a `view` of that base; true if nothing does. */
static bool base_can_be_viewed(Validator *v, const SpecOutput *output, const StatedBase *base)
{
    const DiagPlace place = diag_key(&output->view);
    if (base->input != NULL && spec_is(base->input->mutates_metadata)) {
        DiagMessage *message =
            validate_error(v, RULE_VIEW, place,
                           "output '%s': the metadata of base '%s' is mutated before aliases are made, so the view "
                           "does not start from its stated geometry; give 'as_strided', or neither",
                           output->name, base->name);
        diag_note(v->diag, message, diag_key(&base->input->mutates_metadata), "mutated here");
        return false;
    }
    const bool member = base->input != NULL && base->input->synthetic_base >= 0;
    const char *missing = base->size->text == NULL               ? "size"
                          : member && base->stride->text == NULL ? "stride"
                          : member && base->offset->text == NULL ? "storage_offset"
                                                                 : NULL;
    if (missing == NULL) {
        return true;
    }
    DiagMessage *message =
        validate_error(v, RULE_VIEW, place, "output '%s': 'view' needs the stated %s of base '%s'%s", output->name,
                       missing, base->name, member ? ", which is merged into a synthetic base" : "");
    diag_note(v->diag, message, diag_value(validate_ref_name(v->graph, output->base_ref)), "the base");
    return false;
}

static bool all_parsed(const SpecInts *ints)
{
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (derive_expr(ints, i) == NULL) {
            return false;
        }
    }
    return true;
}

static const Integer **integers_of(Validator *v, const SpecInts *ints)
{
    const Integer **list = ARENA_ARRAY(&v->scratch, const Integer *, ints->text_count);
    for (uint32_t i = 0; i < ints->text_count; i++) {
        list[i] = integer_from_expr(v->integers, derive_expr(ints, i));
    }
    return list;
}

/* The base's geometry, with run-time reads for what is not stated. The lists are null if something was reported about
 * it. */
static Geometry base_geometry(Validator *v, const StatedBase *base)
{
    Geometry geometry = {.rank = base->size->text_count, .dtype = base->dtype};
    const bool good = all_parsed(base->size) && all_parsed(base->stride) &&
                      (base->stride->text == NULL || base->stride->text_count == base->size->text_count) &&
                      (base->offset->text == NULL || base->offset->expr != NULL);
    if (!good) {
        return geometry;
    }
    geometry.sizes = integers_of(v, base->size);
    if (base->stride->text != NULL) {
        geometry.strides = integers_of(v, base->stride);
    } else {
        geometry.strides = ARENA_ARRAY(&v->scratch, const Integer *, geometry.rank);
        for (uint32_t i = 0; i < geometry.rank; i++) {
            geometry.strides[i] = integer_read(v->integers, INTEGER_READ_STRIDE, 0, i);
        }
    }
    geometry.offset = base->offset->text != NULL ? integer_from_expr(v->integers, base->offset->expr)
                                                 : integer_read(v->integers, INTEGER_READ_OFFSET, 0, 0);
    return geometry;
}

/* ---- what comes out ---- */

/* true: reported that the stated value is not the resulting one. */
static bool differs(Validator *v, const SpecOutput *output, const void *stated, const char *what, const Integer *a,
                    const Integer *b)
{
    if (integer_equal(v->integers, a, b) != TRUTH_NO) {
        return false;
    }
    const void *source =
        output->as_strided != NULL ? (const void *)&output->as_strided->size : (const void *)&output->view;
    DiagMessage *message =
        validate_error(v, RULE_VIEW, diag_value(stated), "output '%s' states %s %s, but regenerating it gives %s",
                       output->name, what, integer_text(v->integers, a), integer_text(v->integers, b));
    diag_note(v->diag, message, diag_value(source), "regenerated by this");
    return true;
}

/* Compares what the output states with what its view gives. */
static void compare_stated(Validator *v, const SpecOutput *output, const Geometry *result)
{
    const int64_t rank = validate_rank(&output->size, &output->stride);
    const void *stated =
        output->size.text != NULL ? (const void *)&output->size.text : (const void *)&output->stride.text;
    if (rank >= 0 && rank != result->rank) {
        validate_error(v, RULE_VIEW, diag_value(stated),
                       "output '%s' states rank %" PRId64 ", but regenerating it gives rank %" PRIu32, output->name,
                       rank, result->rank);
        return;
    }
    bool different = false; /* the first difference in a geometry is enough: the others follow from it */
    for (uint32_t i = 0; !different && i < output->size.text_count && i < result->rank; i++) {
        different = derive_expr(&output->size, i) != NULL &&
                    differs(v, output, &output->size.text[i], arena_printf(&v->scratch, "size(%" PRIu32 ") =", i),
                            integer_from_expr(v->integers, derive_expr(&output->size, i)), result->sizes[i]);
    }
    for (uint32_t i = 0; !different && i < output->stride.text_count && i < result->rank; i++) {
        different = derive_expr(&output->stride, i) != NULL &&
                    !integer_is(result->sizes[i], 1) && /* no meaning there */
                    differs(v, output, &output->stride.text[i], arena_printf(&v->scratch, "stride(%" PRIu32 ") =", i),
                            integer_from_expr(v->integers, derive_expr(&output->stride, i)), result->strides[i]);
    }
    if (output->storage_offset.expr != NULL) {
        (void)differs(v, output, &output->storage_offset.text, "storage_offset",
                      integer_from_expr(v->integers, output->storage_offset.expr), result->offset);
    }
    if (output->dtype_code >= 0 && result->dtype >= 0 && output->dtype_code != result->dtype) {
        validate_error(v, RULE_VIEW, diag_value(&output->dtype), "output '%s' states dtype %s, but its view gives %s",
                       output->name, output->dtype, dtype_text(result->dtype));
    }
}

static bool same_ranges(const IntegerRange *a, const IntegerRange *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].has_min != b[i].has_min || a[i].has_max != b[i].has_max || a[i].min != b[i].min ||
            a[i].max != b[i].max) {
            return false;
        }
    }
    return true;
}

/* Integers for the current graph: those of the last one, as long as the same is known about the symbols. */
static void need_integers(Validator *v)
{
    if (v->ranges_are_current) {
        return;
    }
    const uint32_t count = v->spec->symbols_count;
    const IntegerRange *ranges = derive_symbol_ranges(&v->scratch, v->spec, v->graph);
    v->ranges_are_current = true;
    if (v->integers != NULL && same_ranges(v->ranges, ranges, count)) {
        return;
    }
    const char **names = ARENA_ARRAY(&v->scratch, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = v->spec->symbols[i].name;
    }
    v->ranges = ranges;
    v->integers = integers_new(&v->scratch, ranges, count);
    integers_set_names(v->integers, names);
    v->fold_key = str_new(&v->scratch);
    table_init(&v->folds, &v->scratch);
}

static void overflowed(Validator *v, const SpecOutput *output, const void *place)
{
    if (integers_failed(v->integers)) {
        validate_error(v, RULE_VIEW, diag_key(place), "output '%s': its geometry does not fit in 64 bits",
                       output->name);
    }
}

/* ---- folds made before ---- */

/* Newlines separate the parts: no parsed text contains one. */
static void key_text(Str *key, const char *text)
{
    str_puts(key, text);
    str_putc(key, '\n');
}

static void key_int(Str *key, char name, const SpecInt *integer)
{
    if (integer->text != NULL) {
        str_putc(key, name);
        key_text(key, integer->text);
    }
}

static void key_ints(Str *key, char name, const SpecInts *ints)
{
    if (ints->text == NULL) {
        return;
    }
    str_putc(key, name);
    for (uint32_t i = 0; i < ints->text_count; i++) {
        key_text(key, ints->text[i]);
    }
    str_putc(key, '\n');
}

static void key_view(Str *key, const SpecView *view)
{
    const SpecInts *const lists[] = {&view->size,   &view->stride,      &view->dims,
                                     &view->source, &view->destination, &view->sizes};
    const SpecInt *const integers[] = {&view->offset,  &view->dim,        &view->dim1,  &view->dim2,   &view->index,
                                       &view->start,   &view->end,        &view->step,  &view->length, &view->start_dim,
                                       &view->end_dim, &view->split_size, &view->chunks};
    str_putc(key, (char)('A' + (int)view->op));
    str_putc(key, (char)('A' + view->dtype_code));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        key_ints(key, (char)('a' + i), lists[i]);
    }
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        key_int(key, (char)('j' + i), integers[i]);
    }
}

/* Everything besides v->ranges that a fold, and its comparison with what the output states, depend on: files with many
 * graphs repeat a few views over and over. */
static void fold_key(Str *key, const SpecOutput *output, const StatedBase *base)
{
    key->length = 0;
    str_putc(key, (char)('A' + base->dtype));
    str_putc(key, (char)('A' + output->dtype_code));
    key_ints(key, 'a', base->size);
    key_ints(key, 'b', base->stride);
    key_int(key, 'c', base->offset);
    key_ints(key, 'd', &output->size);
    key_ints(key, 'e', &output->stride);
    key_int(key, 'f', &output->storage_offset);
    for (uint32_t i = 0; i < output->view_count; i++) {
        key_view(key, &output->view[i]);
    }
}

_Static_assert(SPEC_VIEW__NEG_VIEW + 'A' < 127, "an operation fits one character of fold_key()");

/* The rank of the view, -1: reported. */
static int64_t fold_view(Validator *v, const SpecOutput *output, const StatedBase *base)
{
    ViewFold fold = {0};
    GeometryError error = {0};
    const size_t before = v->diag->num_errors;
    need_integers(v);
    fold_key(&v->fold_key, output, base);
    const TableEntry *known = table_find(&v->folds, v->fold_key.data, v->fold_key.length);
    if (known != NULL) {
        return known->index;
    }
    (void)integers_set_failed(v->integers, false);
    const Geometry geometry = base_geometry(v, base);
    if (geometry.sizes == NULL) {
        return -1;
    }
    if (!geometry_fold(&v->scratch, v->integers, &geometry, output->view, output->view_count, &fold, &error)) {
        const DiagPlace place = error.whole_op ? diag_mapping(error.field) : diag_value(error.field);
        validate_error(v, RULE_VIEW, place, "output '%s': %s", output->name, error.message);
        return -1;
    }
    compare_stated(v, output, &fold.result);
    overflowed(v, output, &output->view);
    if (v->diag->num_errors == before) {
        const size_t length = v->fold_key.length;
        (void)table_add(&v->folds, arena_copy(&v->scratch, v->fold_key.data, length), length, 0, fold.result.rank);
    }
    return fold.result.rank;
}

static void check_as_strided(Validator *v, SpecOutput *output)
{
    SpecAsStrided *as_strided = output->as_strided;
    validate_geometry(v, &as_strided->size, &as_strided->stride, &as_strided->offset, SYMBOL_USED);
    if (!all_parsed(&as_strided->size) || !all_parsed(&as_strided->stride) || as_strided->offset.expr == NULL ||
        as_strided->size.text_count != as_strided->stride.text_count) {
        return;
    }
    if (validate_rank(&output->size, &output->stride) < 0 && output->storage_offset.text == NULL) {
        return; /* nothing to compare with, so save the integers */
    }
    need_integers(v);
    (void)integers_set_failed(v->integers, false);
    const Geometry result = {.rank = as_strided->size.text_count,
                             .sizes = integers_of(v, &as_strided->size),
                             .strides = integers_of(v, &as_strided->stride),
                             .offset = integer_from_expr(v->integers, as_strided->offset.expr),
                             .dtype = -1};
    compare_stated(v, output, &result);
    overflowed(v, output, &output->as_strided);
}

int64_t validate_output_view(Validator *v, SpecOutput *output)
{
    const bool viewed = output->view != NULL;
    const bool strided = output->as_strided != NULL;
    if (!viewed && !strided) {
        return -1;
    }
    const bool parsed = parse_views(v, output);
    const void *key = viewed ? (const void *)&output->view : (const void *)&output->as_strided;
    if (viewed && strided) {
        DiagMessage *message = validate_error(v, RULE_VIEW, diag_key(&output->as_strided),
                                              "output '%s' has both 'view' and 'as_strided'; keep one", output->name);
        diag_note(v->diag, message, diag_key(&output->view), "the other one");
        return -1;
    }
    if (strided) {
        check_as_strided(v, output);
    }
    if (output->kind != SPEC_TENSOR) {
        return -1; /* reported */
    }
    if (!derive_is_aliased(output->type) || output->type == SPEC_IS_INPUT) {
        validate_error(v, RULE_VIEW, diag_key(key), "output '%s' of type %s is not regenerated, so it takes no '%s'",
                       output->name, spec_output_type_text(output->type), viewed ? "view" : "as_strided");
        return -1;
    }
    if (output->base_ref.kind == SPEC_REF_NONE) {
        return -1; /* reported */
    }
    const StatedBase base = stated_base(v->graph, output->base_ref);
    if (base.subclass != NULL || output->subclass != NULL) {
        validate_error(v, RULE_VIEW, diag_key(key), "output '%s': '%s' of a subclass is not supported", output->name,
                       viewed ? "view" : "as_strided");
    } else if (viewed && parsed && base_can_be_viewed(v, output, &base)) {
        return fold_view(v, output, &base);
    }
    return strided ? (int64_t)output->as_strided->size.text_count : -1;
}
