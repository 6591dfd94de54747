/* SPDX-License-Identifier: MIT */
/*
 * validate_subclass - trees of tensor subclasses, wherever they may appear.
 *
 * What a node must and must not state depends on the use of the tree (TreeRole): an input's tree is taken apart, so its
 * symbolic outer dims are read from the tensor; a value that the graph returns is put together, so type, context and
 * outer geometry must be known; a tangent is compared and taken apart. Attributes are those of the declaration, in its
 * order; flat positions are never stated, so they have no gaps by construction.
 */
#include "validate_tree.h"

#include <inttypes.h>
#include <string.h>

#include "../base/str.h"

#define BIT(member)   KEY_BIT(SpecSubclass, member)
#define GEOMETRY_BITS (BIT(size) | BIT(stride) | BIT(symbol_args) | BIT(owns))
#define LEAF_BITS     (GEOMETRY_BITS | BIT(memory_format))
#define FROM_BITS     (BIT(outer_size_from) | BIT(outer_stride_from))
#define NODE_BITS     (BIT(context) | BIT(outer_size) | BIT(outer_stride) | BIT(symints) | FROM_BITS | BIT(inner))

static bool takes_none(Validator *v, Rule rule, const SpecSubclass *node, uint64_t bits, Subject subject,
                       const char *why)
{
    subject.attr = node->attr;
    return validate_no_keys(v, rule, node, KEYS(SpecSubclass, bits), subject, why);
}

/* ---- leaves ---- */

static SymbolMeaning leaf_use(TreeRole role)
{
    switch (role) {
    case TREE_INPUT:
        return SYMBOL_BINDS;
    case TREE_FROZEN:
        return SYMBOL_GIVEN;
    case TREE_RETURNED:
        return SYMBOL_DEFINES;
    case TREE_GRADIENT:
        return SYMBOL_USED;
    case TREE_TANGENT:
        return SYMBOL_FREE; /* refused below */
    }
    return SYMBOL_USED;
}

static bool all_literal(const SpecInts *ints)
{
    int64_t literal = 0;
    for (uint32_t i = 0; i < ints->text_count; i++) {
        if (!expr_is_literal(derive_expr(ints, i), &literal)) {
            return false;
        }
    }
    return true;
}

/* The layout that the backward was compiled for, in one of two forms (MemoryFormatMeta). */
static void validate_tangent_leaf(Validator *v, SpecSubclass *leaf, Subject subject)
{
    const bool sized = leaf->size.text != NULL || leaf->stride.text != NULL;
    const bool both = leaf->size.text != NULL && leaf->stride.text != NULL;
    takes_none(v, RULE_TANGENT, leaf, BIT(symbol_args), subject,
               "; those are of what a compiled function is passed for an input, or returns");
    if (sized && leaf->memory_format != SPEC_MEMORY_FORMAT_UNSET) {
        validate_error(v, RULE_TANGENT, diag_key(&leaf->memory_format),
                       "%s has 'memory_format' as well as 'size' and 'stride'; keep one form",
                       node_text(v, leaf, subject));
    } else if (!both && leaf->memory_format == SPEC_MEMORY_FORMAT_UNSET) {
        validate_error(v, RULE_TANGENT, diag_value(&leaf->attr), "%s needs 'memory_format', or 'size' with 'stride'",
                       node_text(v, leaf, subject));
    } else if (!all_literal(&leaf->size) || !all_literal(&leaf->stride)) {
        validate_error(v, RULE_TANGENT, diag_value(&leaf->attr),
                       "%s has a symbolic size or stride, so it states 'memory_format' instead",
                       node_text(v, leaf, subject));
    } else {
        validate_tangent_overlap(v, &leaf->size, &leaf->stride, node_text(v, leaf, subject));
    }
}

static void validate_leaf(Validator *v, SpecSubclass *leaf, TreeRole role, Subject subject)
{
    takes_none(v, RULE_SUBCLASS, leaf, NODE_BITS, subject, "; those are for a subclass, which has a 'type'");
    validate_geometry(v, &leaf->size, &leaf->stride, NULL, leaf_use(role));
    validate_symbol_args(v, &leaf->symbol_args, validate_rank(&leaf->size, &leaf->stride));
    if (role == TREE_INPUT || role == TREE_RETURNED) {
        validate_owns(v, &leaf->owns, leaf_use(role));
    } else {
        takes_none(v, RULE_SUBCLASS, leaf, BIT(owns), subject,
                   "; only of what a forward takes and returns is the owner of a nested int known");
    }
    if (role == TREE_TANGENT) {
        validate_tangent_leaf(v, leaf, subject);
        return;
    }
    if (role == TREE_FROZEN) {
        takes_none(v, RULE_SUBCLASS, leaf, BIT(symbol_args), subject,
                   "; a null placeholder is passed for a frozen input");
    }
    if (leaf->memory_format != SPEC_MEMORY_FORMAT_UNSET) {
        validate_error(v, RULE_SUBCLASS, diag_key(&leaf->memory_format),
                       "%s takes no 'memory_format'; that is for tangents", node_text(v, leaf, subject));
    }
}

static void validate_opaque(Validator *v, SpecSubclass *leaf, Subject subject)
{
    const char *why = "; it is declared opaque";
    leaf->opaque = true;
    const bool good = takes_none(v, RULE_SUBCLASS, leaf, BIT(type), subject, why) &&
                      takes_none(v, RULE_SUBCLASS, leaf, LEAF_BITS, subject, why);
    if (good) {
        takes_none(v, RULE_SUBCLASS, leaf, NODE_BITS, subject, why);
    }
}

/* ---- what a node needs ---- */

static void need_outer(Validator *v, const SpecSubclass *node, bool returned, Subject subject)
{
    const bool passed = spec_is(node->symints);
    const bool size = node->outer_size.text != NULL || (!passed && (!returned || node->outer_size_from != NULL));
    const bool stride = node->outer_stride.text != NULL || (!passed && (!returned || node->outer_stride_from != NULL));
    if (size && stride) {
        if (returned && node->outer_size.text == NULL && node->outer_stride.text == NULL &&
            node->outer_size_attr != node->outer_stride_attr) {
            validate_error(v, RULE_SUBCLASS, diag_value(&node->outer_stride_from),
                           "size and stride of %s are those of two attributes: how many dims it has must be stated, by "
                           "'outer_size' or 'outer_stride'",
                           node_text(v, node, subject));
        }
        return;
    }
    validate_error(v, RULE_SUBCLASS, diag_value(&node->type), "%s needs '%s'%s", node_text(v, node, subject),
                   size     ? "outer_stride"
                   : stride ? "outer_size"
                            : "outer_size' and 'outer_stride",
                   passed ? ": their symbolic entries are passed as separate values (unless 'symints: false')" : "");
}

static void need_context(Validator *v, const SpecSubclass *node, Subject subject, const char *what_is_done)
{
    if (node->context == NULL) {
        validate_error(v, RULE_SUBCLASS, diag_value(&node->type),
                       "%s needs 'context', the C symbol of its flattening context, because it is %s",
                       node_text(v, node, subject), what_is_done);
    }
}

void validate_rebuilt(Validator *v, const SpecSubclass *node, Subject subject)
{
    if (node->type == NULL) {
        return;
    }
    need_context(v, node, subject, "rebuilt");
    need_outer(v, node, true, subject);
    for (uint32_t i = 0; i < node->inner_count; i++) {
        validate_rebuilt(v, &node->inner[i], subject);
    }
}

static void validate_needs(Validator *v, const SpecSubclass *node, TreeRole role, Subject subject)
{
    switch (role) {
    case TREE_INPUT:
        need_outer(v, node, false, subject);
        break;
    case TREE_FROZEN:
    case TREE_RETURNED: /* validate_rebuilt() */
    case TREE_GRADIENT:
        break;
    case TREE_TANGENT:
        takes_none(v, RULE_SUBCLASS, node, FROM_BITS, subject, "; a tangent is taken apart and never rebuilt");
        need_outer(v, node, false, subject);
        need_context(v, node, subject, "compared");
        if (node->memory_format == SPEC_MEMORY_FORMAT_UNSET) {
            validate_error(v, RULE_TANGENT, diag_value(&node->type), "%s needs 'memory_format'",
                           node_text(v, node, subject));
        }
        break;
    }
    if (role != TREE_TANGENT && node->memory_format != SPEC_MEMORY_FORMAT_UNSET) {
        validate_error(v, RULE_SUBCLASS, diag_key(&node->memory_format),
                       "%s takes no 'memory_format'; that is for tangents", node_text(v, node, subject));
    }
}

/* ---- attributes ---- */

/* The index in the declaration; searches from `next` first, which finds attributes in order at once. */
static bool find_attr(const SpecSubclassType *type, const char *name, uint32_t next, uint32_t *index)
{
    for (uint32_t i = 0; i < type->attrs_count; i++) {
        const uint32_t at = (next + i) % type->attrs_count;
        if (strcmp(type->attrs[at].name, name) == 0) {
            *index = at;
            return true;
        }
    }
    return false;
}

static void unknown_attr(Validator *v, const SpecSubclass *child, const SpecSubclassType *type)
{
    Nearest nearest = nearest_start(child->attr);
    for (uint32_t i = 0; i < type->attrs_count; i++) {
        nearest_offer(v, &nearest, type->attrs[i].name);
    }
    DiagMessage *message =
        validate_error(v, RULE_REFERENCE, diag_value(&child->attr), "subclass '%s' has no attribute '%s'%s", type->name,
                       child->attr, nearest_text(v, &nearest));
    diag_note(v->diag, message, diag_value(&type->attrs), "declared here");
    v->doubts |= DOUBT_FLAT;
}

static void missing_attrs(Validator *v, const SpecSubclass *node, const SpecSubclassType *type, const uint32_t *seen,
                          Subject subject)
{
    Str names = str_new(v->arena);
    for (uint32_t i = 0; i < type->attrs_count; i++) {
        if (seen[i] == 0 && !spec_is(type->attrs[i].optional)) {
            str_printf(&names, "%s'%s'", names.length == 0 ? "" : ", ", type->attrs[i].name);
        }
    }
    if (names.length > 0) {
        DiagMessage *message = validate_error(v, RULE_SUBCLASS, diag_key(&node->inner), "%s of type '%s' lacks %s",
                                              node_text(v, node, subject), type->name, names.data);
        diag_note(v->diag, message, diag_value(&type->attrs), "declared here");
    }
}

/* Fills attr_index; reports unknown, repeated, missing and misplaced attributes, each mistake once. */
static void match_attrs(Validator *v, SpecSubclass *node, const SpecSubclassType *type, Subject subject)
{
    uint32_t *seen = ARENA_ARRAY(v->arena, uint32_t, type->attrs_count); /* 1 + index in inner */
    uint32_t next = 0;
    bool unknown = false;
    const SpecSubclass *misplaced = NULL;
    for (uint32_t i = 0; i < node->inner_count; i++) {
        SpecSubclass *child = &node->inner[i];
        uint32_t index = 0;
        child->attr_index = type->attrs_count; /* none */
        if (!find_attr(type, child->attr, next, &index)) {
            unknown_attr(v, child, type);
            unknown = true;
            continue;
        }
        child->attr_index = index;
        if (seen[index] != 0) {
            DiagMessage *message = validate_error(v, RULE_SUBCLASS, diag_value(&child->attr),
                                                  "attribute '%s' is given twice", child->attr);
            diag_note(v->diag, message, diag_value(&node->inner[seen[index] - 1].attr), "first here");
            continue;
        }
        seen[index] = i + 1;
        misplaced = misplaced == NULL && index < next ? child : misplaced;
        next = index + 1 > next ? index + 1 : next;
    }
    if (misplaced != NULL) {
        DiagMessage *message =
            validate_error(v, RULE_SUBCLASS, diag_value(&misplaced->attr),
                           "attribute '%s' is out of order; attributes come in the order in which '%s' declares them",
                           misplaced->attr, type->name);
        diag_note(v->diag, message, diag_value(&type->attrs[misplaced->attr_index].name), "declared here");
    }
    if (!unknown) { /* a misspelt one is not reported as missing too */
        missing_attrs(v, node, type, seen, subject);
    }
}

static const SpecSubclassType *find_type(Validator *v, SpecSubclass *node)
{
    const TableEntry *entry = table_find(&v->types, node->type, strlen(node->type));
    if (entry != NULL) {
        return &v->spec->subclasses[entry->index];
    }
    Nearest nearest = nearest_start(node->type);
    for (uint32_t i = 0; i < v->spec->subclasses_count; i++) {
        nearest_offer(v, &nearest, v->spec->subclasses[i].name);
    }
    validate_error(v, RULE_REFERENCE, diag_value(&node->type), "'%s' is not declared in 'subclasses'%s", node->type,
                   nearest_text(v, &nearest));
    v->doubts |= DOUBT_FLAT;
    return NULL;
}

/* ---- the tree ---- */

static bool is_declared_opaque(const SpecSubclassType *type, const SpecSubclass *child)
{
    return type != NULL && child->attr_index < type->attrs_count && type->attrs[child->attr_index].kind == SPEC_OPAQUE;
}

static void validate_node(Validator *v, SpecSubclass *node, TreeRole role, bool symints, Subject subject)
{
    node->declared = find_type(v, node);
    spec_default(&node->symints, symints);
    node->opaque = false;
    if (node->attr != NULL) {
        takes_none(v, RULE_SUBCLASS, node, GEOMETRY_BITS, subject,
                   "; a subclass states its 'outer_size' and 'outer_stride'");
        if (node->inner == NULL) {
            validate_error(v, RULE_SUBCLASS, diag_value(&node->type), "%s needs 'inner', its attributes",
                           node_text(v, node, subject));
        }
    }
    if (node->declared != NULL && node->inner != NULL) {
        match_attrs(v, node, node->declared, subject);
    }
    for (uint32_t i = 0; i < node->inner_count; i++) {
        SpecSubclass *child = &node->inner[i];
        child->outer_size_attr = -1;
        child->outer_stride_attr = -1;
        if (is_declared_opaque(node->declared, child)) {
            validate_opaque(v, child, subject);
        } else if (child->type != NULL) {
            validate_node(v, child, role, spec_is(node->symints), subject);
        } else {
            validate_leaf(v, child, role, subject);
        }
    }
    validate_outer_geometry(v, node, role, subject);
    validate_needs(v, node, role, subject);
}

void validate_tree(Validator *v, SpecSubclass *tree, TreeRole role, Subject subject)
{
    validate_node(v, tree, role, role != TREE_TANGENT, subject);
    if (role == TREE_RETURNED || role == TREE_GRADIENT) {
        validate_rebuilt(v, tree, subject);
    }
}

/* ---- waits ---- */

/* The node at a path of attributes joined by dots, or null. */
static const SpecSubclass *follow(const SpecSubclass *node, const char *path)
{
    while (node != NULL && *path != '\0') {
        const size_t length = strcspn(path, ".");
        const SpecSubclass *found = NULL;
        for (uint32_t i = 0; i < node->inner_count && found == NULL; i++) {
            const char *attr = node->inner[i].attr;
            found = strlen(attr) == length && memcmp(attr, path, length) == 0 ? &node->inner[i] : NULL;
        }
        path += length;
        if (*path == '.' && path[1] == '\0') {
            return NULL; /* nothing after the last dot */
        }
        path += *path == '.' ? 1 : 0;
        node = found;
    }
    return node;
}

static void validate_wait_path(Validator *v, const SpecInput *input, char *const *path)
{
    const DiagPlace place = diag_value(path);
    if (input->subclass == NULL) {
        if (**path != '\0') {
            validate_error(v, RULE_SUBCLASS, place,
                           "input '%s' has no attributes to wait on; write '' for the input itself", input->name);
        }
        return;
    }
    const SpecSubclass *node = **path == '\0' ? input->subclass : follow(input->subclass, *path);
    if (node == NULL) {
        validate_error(v, RULE_REFERENCE, place, "input '%s' has no attribute at '%s'", input->name, *path);
    } else if (node->type != NULL) {
        validate_error(v, RULE_SUBCLASS, place, "'%s' ends at a subclass; a wait ends at a plain attribute", *path);
    } else if (node->opaque) {
        validate_error(v, RULE_SUBCLASS, place, "'%s' ends at an opaque attribute; a wait ends at a plain one", *path);
    }
}

void validate_wait(Validator *v, SpecInput *input)
{
    Table seen;
    table_init(&seen, v->arena);
    for (uint32_t i = 0; i < input->wait.text_count; i++) {
        char *const *path = &input->wait.text[i];
        const TableEntry *first = table_add(&seen, *path, strlen(*path), 0, i);
        if (first != NULL) {
            DiagMessage *message = validate_error(v, RULE_REPEATED, diag_value(path), "'%s' is waited on twice", *path);
            diag_note(v->diag, message, diag_value(&input->wait.text[first->index]), "first named here");
            continue;
        }
        validate_wait_path(v, input, path);
    }
}
