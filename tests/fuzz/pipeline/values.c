/* SPDX-License-Identifier: MIT */
/*
 * values - what a mutant's scalars are set to.
 */
#include "mutate.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Where types end, and a little beyond. */
static const char *const extremes[] = {
    "0",
    "1",
    "2",
    "3",
    "7",
    "16",
    "-1",
    "-2",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "65535",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "170141183460469231731687303715884105728",
};

/* Names that C, its libraries, our templates or YAML may have taken, and texts that are not names. */
static const char *const words[] = {
    "x",
    "a",
    "defined",
    "isnan",
    "cexpf",
    "sincos",
    "exp10",
    "WG_COLD",
    "WG_CORE_H",
    "WG_OK",
    "int",
    "class",
    "main",
    "errno",
    "assert",
    "linux",
    "ctx",
    "results",
    "status",
    "num_outs",
    "key",
    "INFINITY",
    "I",
    "va_start",
    "stpcpy",
    "drem",
    "site_x",
    "in_x",
    "out_y",
    "slot",
    "cuda:0",
    "cuda",
    "cpu",
    "meta",
    "cpu:1",
    "cuda:99999999999",
    "float32",
    "float16",
    "int64",
    "bool",
    "complex64",
    "float8_e4m3fn",
    "float32|float64",
    "!float32",
    "any",
    "null",
    "nested",
    "true",
    "none",
    "%16",
    "%0",
    "-7..-1",
    "2..5",
    "1|2|4",
    "999..",
    "..0",
    "0..9223372036854775807",
    "%9223372036854775807",
    "5..2",
    "size.0",
    "stride.1",
    "size.9",
    "s0",
    "s0 + 1",
    "s0*s0 - 1",
    "s0 % 8 == 0",
    "max(s0, 1)**2",
    "not s0 < 3 or s0 == s0",
    "1 < s0 <= 8 and s0 // (s0 - 1) != 2",
    "((((min(s0,",
    "native",
    "aoti",
    "1.5",
    "nan",
    "-inf",
    "1e400",
    "0x1p-1074",
    "'",
    "\"",
    "*/",
    "//",
    "\\",
    "?\?/",
    "%s",
    "{{x}}",
    "{{{x}}}",
    "\n",
    "\xC3\xA9",
    "",
    " ",
    "a b",
    "__x",
    "_X",
    "x__y",
    "wg_fail",
    "WgValue",
    "num_x",
};

/* One scalar of the file itself: a name that is used elsewhere, most often. */
static const char *own_scalar(Arena *arena, Random *random, Tree *root)
{
    const TreePlaces places = tree_places(arena, root);
    for (int tries = 0; tries < 20; tries++) {
        const Tree *node = places.list[random_below(random, (uint32_t)places.count)].node;
        if (node->kind == TREE_SCALAR) {
            return node->text;
        }
    }
    return "x";
}

/* a + 2*b and the like, of the file's symbols and of extremes. */
static const char *expression(Arena *arena, Random *random, const Tree *root)
{
    static const char *const forms[] = {"%s + %s",   "%s - %s",     "%s*%s",    "2*%s + %s", "(%s + 1)*%s", "%s // %s",
                                        "%s*%s - 1", "max(%s, %s)", "-%s + %s", "%s %% %s",  "ceil(%s, %s)"};
    const Tree *symbols = tree_find(root, "symbols");
    const char *terms[2];
    for (int i = 0; i < 2; i++) {
        const Tree *symbol = symbols != NULL && symbols->kind == TREE_LIST && symbols->count > 0
                                 ? symbols->items[random_below(random, (uint32_t)symbols->count)]
                                 : NULL;
        const Tree *name = tree_find(symbol, "name");
        terms[i] = name != NULL && name->kind == TREE_SCALAR && random_chance(random, 75)
                       ? name->text
                       : extremes[random_below(random, LENGTH(extremes))];
    }
    const char *form = forms[random_below(random, LENGTH(forms))];
    Str out = str_new(arena);
    int next = 0;
    for (; *form != '\0'; form++) {
        if (form[0] == '%' && form[1] == 's') {
            str_puts(&out, terms[next++]);
            form++;
        } else if (form[0] == '%' && form[1] == '%') {
            str_putc(&out, *++form);
        } else {
            str_putc(&out, *form);
        }
    }
    return str_text(&out);
}

static const char *enum_word(Random *random, const cyaml_schema_value_t *schema)
{
    return schema->enumeration.strings[random_below(random, schema->enumeration.count)].str;
}

const char *mutate_value(const Corpus *corpus, Arena *arena, Random *random, const Tree *root, const Tree *scalar)
{
    if (scalar->schema != NULL && scalar->schema->type == CYAML_ENUM && !random_chance(random, 3)) {
        return enum_word(random, scalar->schema);
    }
    const uint32_t die = random_below(random, 100);
    if (die < 45 && scalar->field != NULL) {
        const Tree *other = corpus_pick(corpus, random, scalar->field, scalar->entry);
        if (other != NULL && other->kind == TREE_SCALAR) {
            return other->text;
        }
    }
    if (die < 65) {
        return extremes[random_below(random, LENGTH(extremes))];
    }
    if (die < 75) {
        return expression(arena, random, root);
    }
    if (die < 88) {
        return own_scalar(arena, random, (Tree *)(uintptr_t)root);
    }
    return words[random_below(random, LENGTH(words))];
}
