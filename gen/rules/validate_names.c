/* SPDX-License-Identifier: MIT */
/*
 * validate_names - names must be possible in C, and each graph or kernel is one namespace.
 *
 * Values become struct members and stems of locals (in_x), so a name of the C library is fine for them; external names
 * must meet more rules (validate_externals.c).
 */
#include "validate.h"

#include <string.h>

#include "../base/str.h"

/* C11 5.2.4.1: every compiler takes string literals of up to 4095 bytes, and a message holds several names.
 */
enum { NAME_MAX_LENGTH = 500 };

static const char *objection_to(const char *name, NameUse use, Reserved reserved)
{
    if (strnlen(name, NAME_MAX_LENGTH + 1) > NAME_MAX_LENGTH) {
        return "is longer than 500 bytes, which C compilers need not accept";
    }
    if (!str_is_identifier(name)) {
        return "is not a C identifier (letters, digits and '_', not starting with a digit)";
    }
    if (reserved == RESERVED_WORD) {
        return "is a word of this format, not a name";
    }
    if (use == NAME_ATTR || use == NAME_PREFIX) {
        return use == NAME_PREFIX && name[0] == '_' ? "begins with '_', which C reserves" : NULL;
    }
    if (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'))) {
        return "begins with '_' and another '_' or a capital letter, which C reserves";
    }
    if (reserved == RESERVED_KEYWORD) {
        return "is a keyword of C or C++";
    }
    if (reserved == RESERVED_MACRO) {
        return "is a macro of the C library or of a compiler";
    }
    if (reserved == RESERVED_TYPE) {
        return "is a type of the C library";
    }
    const bool external = use == NAME_EXTERNAL || use == NAME_SYMBOL;
    if (external && reserved == RESERVED_LIBRARY) {
        return "is a name of the C library";
    }
    if (use == NAME_SYMBOL && reserved == RESERVED_LOCAL) {
        return "is the name of a variable in generated functions, which would hide it";
    }
    if (use == NAME_VALUE && (str_starts(name, "Wg") || str_starts(name, "WG_"))) {
        return "begins like the types and macros of wrapgen's own C interface";
    }
    if (external && (str_starts(name, "wg_") || str_starts(name, "Wg") || str_starts(name, "WG_") ||
                     str_starts(name, "wrapgen_"))) {
        return "begins like the names of wrapgen's own C interface";
    }
    return NULL;
}

const char *validate_name_objection(const Validator *v, const char *name, NameUse use)
{
    return objection_to(name, use, reserved_kind(v->reserved, name, table_hash(name, strlen(name))));
}

bool validate_name(Validator *v, char *const *field, NameUse use, const char *subject)
{
    const char *objection = validate_name_objection(v, *field, use);
    if (objection != NULL) {
        validate_error(v, RULE_NAME, diag_value(field), "%s '%s' %s", subject, *field, objection);
    }
    return objection == NULL;
}

void validate_own_name(Validator *v, char *const *field, uint32_t kind, uint32_t index, NameOwner owner,
                       const char *subject)
{
    const char *name = *field;
    const size_t length = strlen(name);
    const uint32_t hash = table_hash(name, length);
    const char *objection = objection_to(name, NAME_VALUE, reserved_kind(v->reserved, name, hash));
    if (objection != NULL) {
        validate_error(v, RULE_NAME, diag_value(field), "%s '%s' %s", subject, name, objection);
        (void)table_add_hashed(&v->names, name, length, hash, kind,
                               index); /* so that what refers to it is not wrong, too */
        return;
    }
    const TableEntry *symbol = table_find_hashed(&v->symbols, name, length, hash);
    const TableEntry *first = table_add_hashed(&v->names, name, length, hash, kind, index);
    const void *place = first != NULL    ? owner(v, first->kind, first->index)
                        : symbol != NULL ? (const void *)&v->spec->symbols[symbol->index].name
                                         : NULL;
    if (place != NULL) {
        DiagMessage *message =
            validate_error(v, RULE_NAME_CLASH, diag_value(field), "%s '%s': the name is taken", subject, name);
        diag_note(v->diag, message, diag_value(place), first != NULL ? "first given here" : "by this symbol");
    }
}
