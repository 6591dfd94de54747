/* SPDX-License-Identifier: MIT */
/*
 * validate_outer - the outer geometry of a tensor subclass: its sizes and strides, stated, or those of an attribute.
 */
#include "validate_tree.h"

#include <inttypes.h>
#include <string.h>

static SymbolMeaning outer_use(const SpecSubclass *node, TreeRole role, const char *from, bool is_size)
{
    switch (role) {
    case TREE_INPUT:
        return SYMBOL_BINDS;
    case TREE_FROZEN:
        return SYMBOL_GIVEN;
    case TREE_RETURNED: /* either the graph returns it, or an attribute has it, or it is computed */
    case TREE_GRADIENT:
        if (from != NULL) {
            return SYMBOL_FREE;
        }
        return !spec_is(node->symints) ? SYMBOL_USED : is_size && role == TREE_RETURNED ? SYMBOL_RETURNED : SYMBOL_FREE;
    case TREE_TANGENT:
        return SYMBOL_FREE;
    }
    return SYMBOL_USED;
}

/* Like validate_ints(), but an entry may be `nested`, or a nested int; its expr is then null. */
static void validate_outer(Validator *v, const SpecSubclass *node, SpecInts *outer, const IntegerRule *rule,
                           Subject subject)
{
    if (outer->text == NULL) {
        return;
    }
    outer->expr = ARENA_ARRAY(v->arena, const Expr *, outer->text_count);
    for (uint32_t i = 0; i < outer->text_count; i++) {
        const Expr *expr = strcmp(outer->text[i], "nested") != 0 ? validate_integer(v, &outer->text[i], rule) : NULL;
        const bool nested =
            expr != NULL && validate_nested_outer(v, node, &outer->text[i], expr, node_text(v, node, subject));
        outer->expr[i] = nested ? NULL : expr;
    }
}

/* The attribute that `outer_size_from` or `outer_stride_from` names, or -1. */
static int32_t validate_from(Validator *v, const SpecSubclass *node, char *const *from, const char *key,
                             Subject subject)
{
    if (*from == NULL) {
        return -1;
    }
    Nearest nearest = nearest_start(*from);
    for (uint32_t i = 0; i < node->inner_count; i++) {
        const SpecSubclass *child = &node->inner[i];
        if (strcmp(child->attr, *from) != 0) {
            nearest_offer(v, &nearest, child->attr);
        } else if (child->opaque) {
            validate_error(v, RULE_SUBCLASS, diag_value(from),
                           "'%s' of %s names '%s', which is opaque and has no geometry", key,
                           node_text(v, node, subject), *from);
            return -1;
        } else {
            return (int32_t)i;
        }
    }
    validate_error(v, RULE_REFERENCE, diag_value(from), "'%s' of %s names an attribute that does not exist: '%s'%s",
                   key, node_text(v, node, subject), *from, nearest_text(v, &nearest));
    return -1;
}

/* Values that are stated twice must be the same. */
static void compare_with_attr(Validator *v, const SpecInts *outer, const SpecInts *inner, const char *what,
                              const char *attr)
{
    if (outer->text == NULL || inner->text == NULL) {
        return;
    }
    if (outer->text_count != inner->text_count) {
        DiagMessage *message =
            validate_error(v, RULE_SUBCLASS, diag_value(&outer->text),
                           "the outer %s has %" PRIu32 " dims, that of '%s', which it is taken from, %" PRIu32, what,
                           outer->text_count, attr, inner->text_count);
        diag_note(v->diag, message, diag_value(&inner->text), "stated here");
        return;
    }
    for (uint32_t i = 0; i < outer->text_count; i++) {
        int64_t a = 0;
        int64_t b = 0;
        if (expr_is_literal(derive_expr(outer, i), &a) && expr_is_literal(derive_expr(inner, i), &b) && a != b) {
            DiagMessage *message = validate_error(
                v, RULE_SUBCLASS, diag_value(&outer->text[i]),
                "outer %s %" PRId64 " differs from that of '%s', which it is taken from: %" PRId64, what, a, attr, b);
            diag_note(v->diag, message, diag_value(&inner->text[i]), "stated here");
        }
    }
}

void validate_outer_geometry(Validator *v, SpecSubclass *node, TreeRole role, Subject subject)
{
    const bool backward = role == TREE_TANGENT || role == TREE_GRADIENT;
    const NestedMeaning nested = backward ? NESTED_BACKWARD : role == TREE_FROZEN ? NESTED_FORBIDDEN : NESTED_OUTER;
    const IntegerRule size = {"a size", outer_use(node, role, node->outer_size_from, true), 0, nested};
    const IntegerRule stride = {"a stride", outer_use(node, role, node->outer_stride_from, false), 0, nested};
    v->scope.outer_stamp++;
    validate_outer(v, node, &node->outer_size, &size, subject);
    validate_nested_node(v, node, node_text(v, node, subject));
    validate_outer(v, node, &node->outer_stride, &stride, subject);
    if (node->outer_size.text != NULL && node->outer_stride.text != NULL &&
        node->outer_size.text_count != node->outer_stride.text_count) {
        DiagMessage *message = validate_error(v, RULE_GEOMETRY, diag_value(&node->outer_stride.text),
                                              "'outer_stride' has length %" PRIu32 " and 'outer_size' %" PRIu32,
                                              node->outer_stride.text_count, node->outer_size.text_count);
        diag_note(v->diag, message, diag_value(&node->outer_size.text), "the sizes");
    }
    node->outer_size_attr = validate_from(v, node, &node->outer_size_from, "outer_size_from", subject);
    node->outer_stride_attr = validate_from(v, node, &node->outer_stride_from, "outer_stride_from", subject);
    if (node->outer_size_attr >= 0) {
        const SpecSubclass *child = &node->inner[node->outer_size_attr];
        compare_with_attr(v, &node->outer_size, child->type == NULL ? &child->size : &child->outer_size, "size",
                          child->attr);
    }
    if (node->outer_stride_attr >= 0) {
        const SpecSubclass *child = &node->inner[node->outer_stride_attr];
        compare_with_attr(v, &node->outer_stride, child->type == NULL ? &child->stride : &child->outer_stride, "stride",
                          child->attr);
    }
}
