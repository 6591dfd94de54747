/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/base/str.c. What a C literal means is told by a small reader of literals here, written after C11 6.4.5
 * and 5.2.1.1 (trigraphs), not by the writer's own table; distances by the plain recursive definition; identifiers and
 * JSON by hand (RFC 8259, RFC 3629 section 4).
 */
#include <stdint.h>
#include <stdlib.h>

#include "gen/base/str.h"
#include "tests/unit/check.h"

static void test_growing(void)
{
    Arena arena = {0};
    Str str = str_new(&arena);
    bool kept = true;

    check_text(str_text(&str), "", "a new string is empty");
    str_add(&str, NULL, 0);
    check(str.length == 0 && str_text(&str)[0] == '\0', "adding nothing leaves it empty");
    str_puts(&str, "wg_");
    str_putc(&str, 'x');
    str_printf(&str, "%d%s", 12, "!");
    str_add(&str, "yz", 1);
    check_text(str_text(&str), "wg_x12!y", "all ways to add");
    str_printf(&str, "%200d", 7);
    check(str.length == 208 && str.data[207] == '7' && str.data[206] == ' ', "printf of more than there is room for");
    for (int length = 0; length < 300; length++) { /* one of them fits without its terminator */
        str = str_new(&arena);
        str_putc(&str, 'x');
        str_printf(&str, "%*d", length, 7);
        kept = kept && str.length == strlen(str.data) && str.data[str.length - 1] == '7';
    }
    check(kept, "printf of each length");
    str = str_new(&arena);
    for (int i = 0; i < 300000; i++) {
        str_putc(&str, (char)('a' + i % 26));
        kept = kept && str.data[str.length] == '\0';
        if (i % 100 == 0) {
            (void)arena_alloc(&arena, 8); /* now and then it cannot grow in place */
        }
    }
    for (int i = 0; i < 300000; i++) {
        kept = kept && str.data[i] == 'a' + i % 26;
    }
    check(kept && str.length == 300000, "300000 characters, one by one, always terminated");
    str = str_new(&arena);
    str_add(&str, "a\0b", 3);
    check(str.length == 3 && memcmp(str.data, "a\0b", 4) == 0, "a zero byte is a byte");
    str_reserve(&str, 1000);
    check(str.capacity > 1003 && memcmp(str.data, "a\0b", 4) == 0, "reserving keeps the text");
    str = str_new(&arena);
    str_prepend(&str, NULL, 0);
    check_text(str_text(&str), "", "nothing before nothing");
    str_prepend(&str, "cde", 3);
    str_prepend(&str, "ab", 2);
    check(str.length == 5 && memcmp(str.data, "abcde", 6) == 0, "text before what is there, terminated");
    arena_release(&arena);
}

/* ---- C literals ---- */

/* Replaces trigraphs (translation phase 1). */
static void replace_trigraphs(char *text)
{
    static const char from[] = "=/'()!<>-";
    static const char to[] = "#\\^[]|{}~";
    char *dst = text;

    for (const char *src = text; *src; src++) {
        const char *which = src[0] == '?' && src[1] == '?' && src[2] ? strchr(from, src[2]) : NULL;
        *dst++ = which ? to[which - from] : *src;
        src += which ? 2 : 0;
    }
    *dst = '\0';
}

/* What a compiler makes of a literal; false when it is not one whole literal in the basic character set. */
static bool read_literal(const char *text, char *dst)
{
    if (*text++ != '"') {
        return false;
    }
    while (*text != '"') {
        unsigned char byte = (unsigned char)*text++;
        if (byte < 0x20 || byte > 0x7e) {
            return false;
        }
        if (byte == '\\') {
            byte = (unsigned char)*text++;
            if (byte >= '0' && byte <= '7') {
                int value = byte - '0';
                for (int i = 0; i < 2 && *text >= '0' && *text <= '7'; i++) {
                    value = value * 8 + (*text++ - '0');
                }
                byte = (unsigned char)value;
            } else if (!byte || !strchr("\"\\?'", byte)) {
                return false;
            }
        }
        *dst++ = (char)byte;
    }
    *dst = '\0';
    return text[1] == '\0';
}

static bool literal_survives(Arena *arena, const char *text)
{
    Str str = str_new(arena);
    char *back = arena_alloc(arena, strlen(text) * 4 + 3);

    str_put_c_literal(&str, text);
    replace_trigraphs(str.data);
    return read_literal(str.data, back) && strcmp(back, text) == 0;
}

static void test_literals(void)
{
    static const char *const texts[] = {"",
                                        "a",
                                        "\"",
                                        "\\",
                                        "\\n",
                                        "\n\t\r\v\f\a\b\x1b",
                                        "\x7f",
                                        "?\?/",
                                        "?\?\?=",
                                        "?\?'?\?!?",
                                        "\x80z",
                                        "\x01"
                                        "1",
                                        "\xc3\xa9t\xc3\xa9",
                                        "*/ //",
                                        "a\\",
                                        "?",
                                        "\?\"",
                                        "%s",
                                        "\\\\\"",
                                        "\xff"
                                        "0"};
    Arena arena = {0};
    bool all = true;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check(literal_survives(&arena, texts[i]), "a compiler reads literal %zu back", i);
    }
    srand(2);
    for (int i = 0; i < 20000; i++) {
        static const char interesting[] = "?\?/=()'<>!-\\\"01a\n\x80";
        char text[13] = {0};
        for (int j = rand() % 12; j >= 0; j--) {
            text[j] = (char)(rand() % 4 ? interesting[rand() % (int)(sizeof interesting - 1)] : 1 + rand() % 255);
        }
        all = literal_survives(&arena, text) && all;
    }
    check(all, "a compiler reads 20000 random literals back, seed 2");
    arena_release(&arena);
}

/* ---- comments ---- */

/* Whether a comment of either kind around `text` is one comment to its end and one line. */
static bool is_harmless(const char *text)
{
    char *whole = malloc(strlen(text) + 8);
    bool good = false;

    sprintf(whole, "/*%s*/", text);
    replace_trigraphs(whole);
    good = strstr(whole + 2, "/*") == NULL && strstr(whole + 2, "*/") == whole + strlen(whole) - 2;
    sprintf(whole, "//%s", text);
    replace_trigraphs(whole);
    for (const char *at = whole; *at; at++) {
        good = good && *at >= 0x20 && *at < 0x7f && !(at[0] == '\\' && at[1] == '\0');
    }
    free(whole);
    return good;
}

static void test_comments(void)
{
    Arena arena = {0};
    Str str = str_new(&arena);
    bool all = true;

    str_put_c_comment(&str, "graphs[0].inputs[1] a*b u/v 100% \"x\" ?");
    check_text(str_text(&str), "graphs[0].inputs[1] a*b u/v 100% \"x\" ?", "usual text stays as it is");
    str = str_new(&arena);
    str_put_c_comment(&str, "a*/b\nc\xc3\xa9");
    check_text(str_text(&str), "a\\x2a\\x2fb\\x0ac\\xc3\\xa9", "what could end a comment, a newline and é by hand");
    srand(3);
    for (int i = 0; i < 20000; i++) {
        static const char interesting[] = "**//\\?\?/\nab";
        char text[11] = {0};
        for (int j = rand() % 10; j >= 0; j--) {
            text[j] = (char)(rand() % 8 ? interesting[rand() % (int)(sizeof interesting - 1)] : 1 + rand() % 255);
        }
        str = str_new(&arena);
        str_put_c_comment(&str, text);
        all = all && is_harmless(str_text(&str));
    }
    check(all, "20000 random texts cannot leave a comment, seed 3");
    arena_release(&arena);
}

/* ---- JSON ---- */

static void test_json(void)
{
    static const struct {
        const char *text;
        const char *json;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\n\t\x01\x1f", "\"\\n\\t\\u0001\\u001f\""},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\x80", "\"\xef\xbf\xbd\""},                                                 /* a continuation byte alone */
        {"\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                                 /* overlong zero */
        {"\xe0\x80\x80x", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\""},               /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},                 /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* above U+10FFFF */
        {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                                 /* cut short by the end */
        {"\xf4\x8f\xbf\xbf\xed\x9f\xbf", "\"\xf4\x8f\xbf\xbf\xed\x9f\xbf\""},         /* the last good ones */
        {"\xff"
         "a",
         "\"\xef\xbf\xbd"
         "a\""},
    };
    Arena arena = {0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Str str = str_new(&arena);
        str_put_json(&str, cases[i].text);
        check_text(str_text(&str), cases[i].json, "JSON string");
    }
    arena_release(&arena);
}

/* ---- plain strings ---- */

static void test_plain(void)
{
    check(str_equal("ab", "ab") && !str_equal("ab", "abc") && !str_equal("ab", "aB"), "equal");
    check(str_starts("wg_x", "wg_") && str_starts("wg_", "wg_") && !str_starts("wg", "wg_") && str_starts("x", ""),
          "starts");
    check(str_equal(str_base_name("a/b/c.h"), "c.h") && str_equal(str_base_name("c.h"), "c.h") &&
              str_equal(str_base_name("/c"), "c") && str_equal(str_base_name("a/"), ""),
          "names without folders");
    check(str_is_identifier("_a9") && str_is_identifier("Z") && str_is_identifier("_"), "identifiers");
    check(!str_is_identifier("") && !str_is_identifier("9a") && !str_is_identifier("a-b") &&
              !str_is_identifier("a b") && !str_is_identifier("\xc3\xa9") && !str_is_identifier("a\xc3\xa9"),
          "no identifiers");
}

/* The definition: the least of what the last step can be. */
static size_t slow_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t best = 0;
    size_t other = 0;

    if (n == 0 || m == 0) {
        return n + m;
    }
    best = slow_distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    other = slow_distance(a, n - 1, b, m) + 1;
    best = other < best ? other : best;
    other = slow_distance(a, n, b, m - 1) + 1;
    best = other < best ? other : best;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        other = slow_distance(a, n - 2, b, m - 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

static void test_distance(void)
{
    bool all = true;

    check(str_distance("float33", "float32", 3) == 1, "one letter replaced");
    check(str_distance("flaot32", "float32", 3) == 1, "two letters swapped");
    check(str_distance("mutations", "mutation", 3) == 1 && str_distance("mutation", "mutations", 3) == 1,
          "one more, one less");
    check(str_distance("", "abc", 5) == 3 && str_distance("", "", 0) == 0, "empty ones");
    check(str_distance("abc", "xyz", 2) == 3, "too far is limit + 1");
    check(str_distance("abc", "abcdefgh", 2) == 3, "too long is limit + 1");
    check(str_distance("abc", "abd", 0) == 1 && str_distance("abc", "abc", 0) == 0, "limit 0");
    check(str_distance("kitten", "sitting", (size_t)-1) == 3, "no limit");
    srand(4);
    for (int i = 0; i < 3000; i++) {
        char a[7] = {0};
        char b[7] = {0};
        size_t limit = (size_t)(rand() % 8);
        size_t expected = 0;
        for (int j = rand() % 7; j-- > 0;) {
            a[j] = (char)('a' + rand() % 3);
        }
        for (int j = rand() % 7; j-- > 0;) {
            b[j] = (char)('a' + rand() % 3);
        }
        expected = slow_distance(a, strlen(a), b, strlen(b));
        all = all && str_distance(a, b, limit) == (expected > limit ? limit + 1 : expected);
    }
    check(all, "3000 random pairs against the definition, seed 4");
}

int main(void)
{
    test_growing();
    test_literals();
    test_comments();
    test_json();
    test_plain();
    test_distance();
    return check_done();
}
