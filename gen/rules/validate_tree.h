/* SPDX-License-Identifier: MIT */
/* validate_tree - shared by validate_subclass.c (trees of subclasses) and validate_outer.c (their geometry) only. */
#ifndef WRAPGEN_VALIDATE_TREE_H
#define WRAPGEN_VALIDATE_TREE_H

#include "validate.h"

/* "input 'x'" at the root, "attribute 'a' of input 'x'" anywhere below: the place in the message tells the rest. */
static inline Subject node_subject(const SpecSubclass *node, Subject subject)
{
    subject.attr = node->attr;
    return subject;
}

static inline const char *node_text(Validator *v, const SpecSubclass *node, Subject subject)
{
    return subject_text(v, node_subject(node, subject));
}

/* validate_outer.c */
void validate_outer_geometry(Validator *v, SpecSubclass *node, TreeRole role, Subject subject);

#endif /* WRAPGEN_VALIDATE_TREE_H */
