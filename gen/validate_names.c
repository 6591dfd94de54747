/* SPDX-License-Identifier: MIT */
/*
 * validate_names - names that C can take, and one namespace a graph or kernel.
 *
 * Values become struct members and stems of locals (in_x), so a name of the C library is fine for them; what is
 * external is held to more (validate_externals.c).
 */
#include "validate.h"

#include <string.h>

#include "str.h"

/* What the YAML gives a meaning to where a name could stand. */
static bool is_word_of_the_yaml(const char *name)
{
    static const char *const words[] = {"null", "true", "false", "any", "nested"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(name, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *validate_name_objection(const char *name, NameUse use)
{
    if (!str_is_identifier(name)) {
        return "is not a C identifier (letters, digits and '_', first no digit)";
    }
    if (is_word_of_the_yaml(name)) {
        return "is a word of this format, not a name";
    }
    if (use == NAME_ATTR || use == NAME_PREFIX) {
        return use == NAME_PREFIX && name[0] == '_' ? "begins with '_', which C reserves" : NULL;
    }
    if (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'))) {
        return "begins with '_' and another '_' or a capital letter, which C reserves";
    }
    if (reserved_is_keyword(name)) {
        return "is a keyword of C or C++";
    }
    if (reserved_is_macro(name)) {
        return "is a macro of the C library or of a compiler";
    }
    if (use == NAME_EXTERNAL && reserved_is_library(name)) {
        return "is a name of the C library";
    }
    if (use == NAME_EXTERNAL && (str_starts(name, "wg_") || str_starts(name, "Wg") || str_starts(name, "WG_"))) {
        return "begins like the names of wrapgen's own C interface";
    }
    return NULL;
}

bool validate_name(Validator *v, char *const *field, NameUse use, const char *subject)
{
    const char *objection = validate_name_objection(*field, use);
    if (objection != NULL) {
        validate_error(v, RULE_NAME, diag_value(field), "%s '%s' %s", subject, *field, objection);
    }
    return objection == NULL;
}

void validate_own_name(Validator *v, char *const *field, uint32_t kind, uint32_t index, NameOwner owner,
                       const char *subject)
{
    if (!validate_name(v, field, NAME_VALUE, subject)) {
        return;
    }
    const size_t length = strlen(*field);
    const TableEntry *symbol = table_find(&v->symbols, *field, length);
    const TableEntry *first = table_add(&v->names, *field, length, kind, index);
    const void *place = first != NULL    ? owner(v, first->kind, first->index)
                        : symbol != NULL ? (const void *)&v->spec->symbols[symbol->index].name
                                         : NULL;
    if (place != NULL) {
        DiagMessage *message =
            validate_error(v, RULE_NAME_CLASH, diag_value(field), "%s '%s': the name is taken", subject, *field);
        diag_note(v->diag, message, diag_value(place), first != NULL ? "first given here" : "by this symbol");
    }
}
