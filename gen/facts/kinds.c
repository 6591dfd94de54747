/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include "../base/real.h"
#include "../base/str.h"

#include <string.h>

const KindSpec kind_specs[] = {
#define KIND(KIND, form, values, c_type, slot, proof, key, python, annotation, article, note)                          \
    [SPEC_##KIND] = {FORM_##form, c_type, proof, key, python, annotation, article, note},
#include "kinds.def"
#undef KIND
};

bool kind_is_scalar(SpecKind kind)
{
    const KindForm form = kind_form(kind);
    return form == FORM_NUMBER || form == FORM_CODE || form == FORM_TEXT;
}

bool kind_is_container(SpecKind kind)
{
    return kind_form(kind) == FORM_LIST || kind_form(kind) == FORM_STRUCT;
}

bool kind_is_pointer(SpecKind kind)
{
    const char *c_type = kind_specs[kind].c_type;
    return c_type != NULL && c_type[strlen(c_type) - 1] == '*';
}

bool kind_is_int32(SpecKind kind)
{
    const char *c_type = kind_specs[kind].c_type;
    return c_type != NULL && strcmp(c_type, "int32_t ") == 0;
}

bool kind_same_literal(SpecKind kind, const char *a, const char *b)
{
    return kind == SPEC_FLOAT ? real_bits(a) == real_bits(b) : str_equal(a, b);
}
