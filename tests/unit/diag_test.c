/* SPDX-License-Identifier: MIT */
/*
 * Tests of diagnostics: the picture of diag.h, display width, what is cut and made harmless, JSON, order, severities.
 * Expected pictures are drawn by hand; a caret's place is counted in columns of a terminal, a column in characters.
 */
#include <stdlib.h>

#include "check.h"
#include "gen/base/diag.h"
#include "gen/base/utf8.h"

typedef struct Case {
    Arena arena;
    Diag diag;
} Case;

static void begin(Case *one)
{
    arena_init(&one->arena);
    diag_init(&one->diag, &one->arena);
}

static const char *render(Case *one, const char *text, size_t length, bool color)
{
    Str out = str_new(&one->arena);
    const DiagFile file = {"f.yaml", text, length};

    diag_render(&one->diag, &file, 1, color, &out);
    return str_text(&out);
}

/* One error at a place of `text` comes out as `expected`. */
static void check_picture(const char *name, const char *text, size_t line, size_t column, size_t length,
                          const char *expected)
{
    Case one;

    begin(&one);
    diag_report(&one.diag, DIAG_ERROR, "E_X", diag_position("f.yaml", line, column, length), "m");
    check_text(render(&one, text, strlen(text), false), expected, name);
    arena_release(&one.arena);
}

static void test_pictures(void)
{
    check_picture("a word", "a: b\nkey: word\n", 2, 6, 4,
                  "f.yaml:2:6: error: m [E_X]\n    2 | key: word\n      |      ^~~~\n");
    check_picture("one character", "x\n", 1, 1, 1, "f.yaml:1:1: error: m [E_X]\n    1 | x\n      | ^\n");
    check_picture("length 0 counts as one", "x\n", 1, 1, 0, "f.yaml:1:1: error: m [E_X]\n    1 | x\n      | ^\n");
    check_picture("after the last character", "ab", 1, 3, 1, "f.yaml:1:3: error: m [E_X]\n    1 | ab\n      |   ^\n");
    check_picture("a column after the line", "ab\ncd\n", 1, 9, 5,
                  "f.yaml:1:9: error: m [E_X]\n    1 | ab\n      |   ^\n");
    check_picture("an underline is cut at the line's end", "abc\nd\n", 1, 2, 50,
                  "f.yaml:1:2: error: m [E_X]\n    1 | abc\n      |  ^~\n");
    check_picture("a line that the file does not have", "a\n", 7, 1, 1, "f.yaml:7:1: error: m [E_X]\n");
    check_picture("carriage returns are not shown", "ab\r\ncd\r\n", 2, 2, 1,
                  "f.yaml:2:2: error: m [E_X]\n    2 | cd\n      |  ^\n");
    check_picture("a byte order mark is not a column",
                  "\xEF\xBB\xBF"
                  "ab: c\n",
                  1, 1, 2, "f.yaml:1:1: error: m [E_X]\n    1 | ab: c\n      | ^~\n");
}

static void test_width(void)
{
    /* Tab stops are at 8: `a` is in cell 0, the tab fills 1 to 7. */
    check_picture("a tab before", "a\tbc\n", 1, 3, 2,
                  "f.yaml:1:3: error: m [E_X]\n    1 | a       bc\n      |         ^~\n");
    check_picture("a tab itself", "\tx\n", 1, 1, 1, "f.yaml:1:1: error: m [E_X]\n    1 |         x\n      | ^\n");
    check_picture("wide characters take two cells", "\xE6\x95\xB0\xE6\x8D\xAE: x\n", 1, 2, 1,
                  "f.yaml:1:2: error: m [E_X]\n    1 | \xE6\x95\xB0\xE6\x8D\xAE: x\n      |   ^~\n");
    check_picture("an emoji takes two", "\xF0\x9F\x98\x80 x\n", 1, 3, 1,
                  "f.yaml:1:3: error: m [E_X]\n    1 | \xF0\x9F\x98\x80 x\n      |    ^\n");
    check_picture("narrow two-byte characters take one", "\xC3\xA9\xC3\xA9 x\n", 1, 4, 1,
                  "f.yaml:1:4: error: m [E_X]\n    1 | \xC3\xA9\xC3\xA9 x\n      |    ^\n");
    check_picture("a combining mark takes none", "e\xCC\x81 x\n", 1, 4, 1,
                  "f.yaml:1:4: error: m [E_X]\n    1 | e\xCC\x81 x\n      |   ^\n");
}

static void test_harmless(void)
{
    Case one;

    check_picture("control bytes", "a\033[31mb\n", 1, 2, 1,
                  "f.yaml:1:2: error: m [E_X]\n    1 | a<1B>[31mb\n      |  ^~~~\n");
    check_picture("a byte that is not UTF-8", "a\xFFx\n", 1, 3, 1,
                  "f.yaml:1:3: error: m [E_X]\n    1 | a<FF>x\n      |      ^\n");
    check_picture("text direction", "a\xE2\x80\xAEx\n", 1, 3, 1,
                  "f.yaml:1:3: error: m [E_X]\n    1 | a<U+202E>x\n      |          ^\n");

    begin(&one);
    diag_report(&one.diag, DIAG_ERROR, "E_X", diag_nowhere("a\033b"), "x\ny\x7F%s", "\xC2\x9B");
    check_text(render(&one, "", 0, false), "a<1B>b: error: x<0A>y<7F><9B> [E_X]\n", "file names and messages");
    arena_release(&one.arena);
}

static void repeat(Str *str, const char *text, int count)
{
    for (int i = 0; i < count; i++) {
        str_puts(str, text);
    }
}

/* The shown line and its caret line of an error at `column`. */
static void split_picture(Case *one, const char *text, size_t column, char **shown, char **caret)
{
    char *picture = NULL;

    diag_report(&one->diag, DIAG_ERROR, "E_X", diag_position("f.yaml", 1, column, 3), "m");
    picture = arena_printf(&one->arena, "%s", render(one, text, strlen(text), false));
    *shown = strstr(picture, " | ") + 3;
    *caret = strstr(*shown, " | ") + 3;
    (*caret)[strcspn(*caret, "\n")] = '\0';
    (*shown)[strcspn(*shown, "\n")] = '\0';
}

static void check_cut(const char *name, const char *unit, size_t longest)
{
    Case one;
    Str text;
    char *shown = NULL;
    char *caret = NULL;
    size_t cells = 0;

    begin(&one);
    text = str_new(&one.arena);
    repeat(&text, unit, 1000);
    str_puts(&text, "BAD");
    repeat(&text, unit, 1000);
    split_picture(&one, str_text(&text), 1000 * utf8_count(unit, strlen(unit)) + 1, &shown, &caret);
    check(strncmp(shown, "...", 3) == 0 && strcmp(shown + strlen(shown) - 3, "...") == 0, "%s: cut on both sides",
          name);
    check(strlen(shown) <= longest, "%s: at most %zu bytes are shown, not %zu", name, longest, strlen(shown));
    /* The caret stands below BAD: count the cells before it. */
    for (const char *at = shown; *at && strncmp(at, "BAD", 3) != 0;) {
        uint32_t code = 0;
        at += utf8_decode(at, strlen(at), &code);
        cells += (size_t)utf8_width(code);
    }
    check(strspn(caret, " ") == cells && strcmp(caret + cells, "^~~") == 0, "%s: the caret is below its word", name);
    arena_release(&one.arena);
}

static void test_cut(void)
{
    Case one;
    Str text;
    const char *out = NULL;

    check_cut("a long line", "abcd ", 130);
    check_cut("a long line of wide characters", "\xE6\x95\xB0", 250);
    check_cut("a long line of tabs", "\t", 130);

    begin(&one);
    text = str_new(&one.arena);
    str_puts(&text, "a: e");
    repeat(&text, "\xCC\x81", 50000);
    diag_report(&one.diag, DIAG_ERROR, "E_X", diag_position("f.yaml", 1, 1, 1), "m");
    check(strlen(render(&one, str_text(&text), text.length, false)) < 4000, "characters without width are cut too");
    arena_release(&one.arena);

    begin(&one);
    text = str_new(&one.arena);
    repeat(&text, "\xC3\xA9", 5000);
    diag_report(&one.diag, DIAG_ERROR, "E_X", diag_nowhere(NULL), "begin%send", str_text(&text));
    out = render(&one, "", 0, false);
    check(strncmp(out, "wrapgen: error: begin\xC3\xA9", 23) == 0 && strlen(out) < 1200 &&
              strstr(out, "\xA9"
                          "end [E_X]"),
          "a long message loses its middle");
    check(strstr(out, "<") == NULL, "no character of it is cut apart");
    check_text(diag_excerpt(&one.arena, str_text(&text), 20),
               "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
               "\xC3\xA9\xC3\xA9\xC3\xA9",
               "a short excerpt is whole");
    out = diag_excerpt(&one.arena, str_text(&text), text.length);
    check(utf8_count(out, strlen(out)) < 70, "a long excerpt is cut");
    arena_release(&one.arena);
}

static void test_notes_and_paths(void)
{
    static const char text[] = "a: 1\nb: 2\na: 3\n";
    DiagPlace place = diag_position("f.yaml", 3, 1, 1);
    DiagMessage *message = NULL;
    Case one;

    begin(&one);
    place.path = "graphs[0].a";
    message = diag_report(&one.diag, DIAG_ERROR, "E_TWICE", place, "'%s' is given twice", "a");
    diag_note(&one.diag, message, diag_position("f.yaml", 1, 1, 1), "first given here");
    diag_note(&one.diag, message, diag_nowhere("f.yaml"), "second note");
    check_text(render(&one, text, sizeof text - 1, false),
               "f.yaml:3:1: error: 'a' is given twice [E_TWICE]\n"
               "    3 | a: 3\n"
               "      | ^\n"
               "      = at graphs[0].a\n"
               "f.yaml:1:1: note: first given here\n"
               "    1 | a: 1\n"
               "      | ^\n"
               "f.yaml: note: second note\n",
               "notes and the path");
    one.diag.format = DIAG_JSON;
    check_text(
        render(&one, text, sizeof text - 1, true),
        "{\"file\":\"f.yaml\",\"line\":3,\"column\":1,\"length\":1,\"severity\":\"error\",\"code\":\"E_TWICE\","
        "\"message\":\"'a' is given twice\",\"path\":\"graphs[0].a\",\"notes\":["
        "{\"file\":\"f.yaml\",\"line\":1,\"column\":1,\"length\":1,\"message\":\"first given here\",\"path\":null},"
        "{\"file\":\"f.yaml\",\"line\":null,\"column\":null,\"length\":null,\"message\":\"second note\","
        "\"path\":null}]}\n",
        "the same as JSON");
    arena_release(&one.arena);
}

static void test_color(void)
{
    Case one;

    begin(&one);
    diag_report(&one.diag, DIAG_WARNING, "W_X", diag_position("f.yaml", 1, 2, 2), "m");
    check_text(render(&one, "abc\n", 4, true),
               "\033[01mf.yaml:1:2: \033[01;35mwarning: \033[mm [W_X]\n    1 | abc\n      |  \033[01;32m^~\033[m\n",
               "colours as GCC has them");
    arena_release(&one.arena);
}

static void test_order(void)
{
    static const struct {
        const char *file;
        size_t line;
        size_t column;
    } places[] = {{"b", 1, 1}, {"a", 2, 9}, {"a", 2, 3}, {"a", 1, 7}, {NULL, 0, 0}, {"a", 2, 3}, {"b", 0, 0}};
    static const char expected[] = "4 3 2 5 1 6 0 ";
    Case one;
    Str got;

    begin(&one);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        diag_report(&one.diag, DIAG_ERROR, "E_X", diag_position(places[i].file, places[i].line, places[i].column, 1),
                    "%zu", i);
    }
    diag_sort(&one.diag);
    got = str_new(&one.arena);
    for (const DiagMessage *message = one.diag.first; message; message = message->next) {
        str_printf(&got, "%s ", message->message);
    }
    check_text(str_text(&got), expected, "sorted by file, line, column, then as reported");
    diag_report(&one.diag, DIAG_ERROR, "E_X", diag_position("a", 2, 3, 1), "late");
    diag_sort(&one.diag);
    check(strcmp(one.diag.first->next->next->next->next->message, "late") == 0, "also what is reported after sorting");
    arena_release(&one.arena);
}

static void test_severities(void)
{
    static const char *disabled[] = {"W_OFF", NULL};
    static const char *errors[] = {"W_BAD", NULL};
    Case one;
    DiagMessage *dropped = NULL;

    begin(&one);
    one.diag.disabled = disabled;
    one.diag.errors_for = errors;
    dropped = diag_report(&one.diag, DIAG_WARNING, "W_OFF", diag_nowhere(NULL), "off");
    diag_note(&one.diag, dropped, diag_nowhere(NULL), "a note to it");
    diag_report(&one.diag, DIAG_WARNING, "W_ON", diag_nowhere(NULL), "on");
    diag_report(&one.diag, DIAG_WARNING, "W_BAD", diag_nowhere(NULL), "bad");
    diag_report(&one.diag, DIAG_ERROR, "E_X", diag_nowhere(NULL), "x");
    check(one.diag.num_errors == 2 && one.diag.num_warnings == 1, "warnings that are errors count as errors");
    check_text(render(&one, "", 0, false),
               "wrapgen: warning: on [W_ON]\nwrapgen: error: bad [W_BAD]\nwrapgen: error: x [E_X]\n",
               "a warning that is switched off is not shown");
    arena_release(&one.arena);

    begin(&one);
    one.diag.warnings_are_errors = true;
    one.diag.disabled = disabled;
    diag_report(&one.diag, DIAG_WARNING, "W_ON", diag_nowhere(NULL), "on");
    diag_report(&one.diag, DIAG_WARNING, "W_OFF", diag_nowhere(NULL), "off");
    check(one.diag.num_errors == 1 && one.diag.num_warnings == 0, "all warnings as errors, but for those switched off");
    arena_release(&one.arena);
}

/* RFC 3629, section 4, and the examples of Unicode 15, table 3-8: what is not UTF-8. */
static void test_utf8(void)
{
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t code;
    } cases[] = {
        {"a", 1, 'a'},
        {"\xC2\x80", 2, 0x80},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xED\x9F\xBF", 3, 0xD7FF},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
        {"\x80", 0, 0x80},
        {"\xC0\xAF", 0, 0xC0},         /* overlong */
        {"\xE0\x9F\x80", 0, 0xE0},     /* overlong */
        {"\xF0\x8F\x80\x80", 0, 0xF0}, /* overlong */
        {"\xED\xA0\x80", 0, 0xED},     /* a surrogate */
        {"\xF4\x90\x80\x80", 0, 0xF4}, /* above U+10FFFF */
        {"\xF5\x80\x80\x80", 0, 0xF5},
        {"\xE2\x80", 0, 0xE2}, /* cut off */
        {"\xE2\x80\x41", 0, 0xE2},
        {"\xF0\x90\x80\x41", 0, 0xF0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t code = 0;
        size_t size = utf8_decode(cases[i].bytes, strlen(cases[i].bytes), &code);
        check(size == cases[i].size && code == cases[i].code, "UTF-8 that begins with %02X: %zu bytes",
              (unsigned)(unsigned char)cases[i].bytes[0], cases[i].size);
    }
}

int main(void)
{
    test_pictures();
    test_width();
    test_harmless();
    test_cut();
    test_notes_and_paths();
    test_color();
    test_order();
    test_severities();
    test_utf8();
    return check_done();
}
