/* SPDX-License-Identifier: MIT */
/*
 * validate_reserved - names that generated code cannot use, because C, C++ or their libraries have taken them.
 *
 * Each run puts these lists into one table; the first of them that has a name counts. Keywords come from C11 6.4.1,
 * C23 6.4.1, C++23 [lex.key] and its alternative tokens; import and module are identifiers with a special meaning and
 * stay allowed; `defined` cannot be a macro (C11 6.10.8). Macros, functions of the library and types are what the
 * compilers report: reserved.def, made by reserved.sh. The functions are fine as struct members and stems of locals.
 */
#include "validate.h"

#include <string.h>

/* clang-format off */
static const char *const keywords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "defined", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "typeof_unqual", "union",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
};

#define MACRO(name)   #name,
#define LIBRARY(name)
#define TYPE(name)
static const char *const macros[] = {
#include "reserved.def"
};
#undef MACRO
#undef LIBRARY
#define MACRO(name)
#define LIBRARY(name) #name,
static const char *const library[] = {
#include "reserved.def"
};
#undef LIBRARY
#undef TYPE
#define LIBRARY(name)
#define TYPE(name)    #name,
static const char *const types[] = {
#include "reserved.def"
};
#undef MACRO
#undef LIBRARY
#undef TYPE

/* Parameters and locals of generated functions that have these names regardless of the YAML. */
static const char *const locals[] = {
    "a", "all", "args", "at", "attrs", "autocast", "b", "bases", "cache", "call_args", "capacity", "count", "ctx", "dimensions", "expected",
    "fields", "geometry", "grad_mode", "grads", "hash", "i", "in", "key", "num_args",
    "num_entries", "num_grads", "num_outs", "num_results", "num_used", "num_values", "num_words", "other", "out", "outer",
    "outs", "overflow", "overlap", "present", "ranges", "ranging", "replacement", "requires_grad", "results", "rng_offset", "rng_seed", "rng_states", "saved",
    "scratch", "sites", "sizes", "slot", "status", "strides", "symints", "tangents", "tensors", "tries",
    "unchecked", "values", "variant", "version", "versions", "view_replay", "words",
};
static const char *const words[] = {"any", "false", "nested", "null", "true"};
/* clang-format on */

static const struct {
    const char *const *list;
    size_t count;
} lists[] = {
    [RESERVED_WORD] = {words, sizeof words / sizeof words[0]}, /* before the keywords true and false */
    [RESERVED_KEYWORD] = {keywords, sizeof keywords / sizeof keywords[0]},
    [RESERVED_MACRO] = {macros, sizeof macros / sizeof macros[0]},
    [RESERVED_LIBRARY] = {library, sizeof library / sizeof library[0]},
    [RESERVED_TYPE] = {types, sizeof types / sizeof types[0]},
    [RESERVED_LOCAL] = {locals, sizeof locals / sizeof locals[0]},
};

/* A hash table of numbers of names: 16 KB rather than the 256 that a Table of as many names takes, which is felt when a
 * run takes two milliseconds. */
enum { NUM_SLOTS = 8192, NUM_LISTS = sizeof lists / sizeof lists[0] };

struct ReservedNames {
    uint16_t slots[NUM_SLOTS]; /* numbers over all lists, from 1; 0: empty */
};

_Static_assert((sizeof macros + sizeof library + sizeof types) / sizeof macros[0] < NUM_SLOTS / 2,
               "the table is at most half full, so that a search is short");

/* The name of that number, and which list it is from. */
static const char *name_of(uint32_t number, Reserved *kind)
{
    uint32_t list = 0;
    while (number >= lists[list].count) {
        number -= (uint32_t)lists[list++].count;
    }
    *kind = (Reserved)list;
    return lists[list].list[number];
}

/* The slot of the name, or the empty one where it belongs. */
static uint32_t slot_of(const ReservedNames *names, const char *name, uint32_t hash, Reserved *kind)
{
    uint32_t slot = hash % NUM_SLOTS;
    while (names->slots[slot] != 0 && strcmp(name_of(names->slots[slot] - 1U, kind), name) != 0) {
        slot = (slot + 1) % NUM_SLOTS;
    }
    return slot;
}

const ReservedNames *reserved_new(Arena *arena)
{
    ReservedNames *names = ARENA_NEW(arena, ReservedNames);
    uint32_t number = 0;
    for (uint32_t list = 0; list < NUM_LISTS; list++) {
        for (size_t i = 0; i < lists[list].count; i++) {
            const char *name = lists[list].list[i];
            Reserved kind;
            const uint32_t slot = slot_of(names, name, table_hash(name, strlen(name)), &kind);
            number++;
            names->slots[slot] = names->slots[slot] != 0 ? names->slots[slot] : (uint16_t)number;
        }
    }
    return names;
}

Reserved reserved_kind(const ReservedNames *names, const char *name, uint32_t hash)
{
    Reserved kind = RESERVED_NOT;
    const uint32_t slot = slot_of(names, name, hash, &kind);
    return names->slots[slot] != 0 ? kind : RESERVED_NOT;
}
