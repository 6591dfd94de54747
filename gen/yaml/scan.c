/* SPDX-License-Identifier: MIT */
/*
 * scan - one linear look at the bytes before any parser sees them.
 *
 * It is not a YAML parser. It answers three questions, and when it cannot be sure it says "maybe", which costs a walk
 * over libyaml's events and nothing else:
 *
 * 1. Which bytes are not allowed (libyaml would stop at the first one and give no line).
 * 2. Is the nesting certainly bounded? Block nesting: a line's leading columns, as a stack like Python's; libyaml opens
 * at most two levels for each. Flow nesting: open brackets. A closing bracket counts only where it certainly closes:
 * not in a comment or a quoted scalar, so quotes must pair up on their line with no bracket between them. In all other
 * cases the scan gives up. Brackets in plain and block scalars can only raise the count, because outside of flow
 * nesting the true count is 0.
 * 3. Does anything occur that libcyaml silently accepts or blurs: an empty list, a tag, a further document, an escape
 * (that could be a zero byte)? Empty and null scalars are found while libcyaml loads (load.c).
 */
#include "shape.h"

#include <string.h>

#include "../base/utf8.h"

enum { BYTE_OPEN = 1, BYTE_CLOSE = 2, BYTE_QUOTE = 4, BYTE_HASH = 8, BYTE_BANG = 16, BYTE_ESCAPE = 32, BYTE_BAD = 64 };
enum { STRUCTURE = BYTE_OPEN | BYTE_CLOSE | BYTE_QUOTE };
enum { MAX_COLUMNS = SOURCE_MAX_DEPTH / 2, MAX_BYTE_ERRORS = 20 };

typedef struct Scanner {
    Diag *diag;
    const Source *source;
    Scan *scan;
    const char *begin; /* of the line */
    const char *end;   /* of it, without the line break */
    size_t line;
    size_t errors;
    bool has_content; /* a line of the document was seen */
    bool given_up;
    size_t flow; /* brackets that are open */
    size_t num_columns;
    size_t columns[MAX_COLUMNS];
    unsigned char classes[256];
} Scanner;

static void fill_classes(unsigned char *classes)
{
    memset(classes, 0, 256);
    for (size_t i = 0; i < 0x20; i++) {
        classes[i] = BYTE_BAD;
    }
    for (size_t i = 0x7F; i < 0x100; i++) {
        classes[i] = BYTE_BAD; /* checked more closely, as UTF-8 */
    }
    classes['\t'] = 0;
    classes['['] = BYTE_OPEN;
    classes['{'] = BYTE_OPEN;
    classes[']'] = BYTE_CLOSE;
    classes['}'] = BYTE_CLOSE;
    classes['\''] = BYTE_QUOTE;
    classes['"'] = BYTE_QUOTE;
    classes['#'] = BYTE_HASH;
    classes['!'] = BYTE_BANG;
    classes['\\'] = BYTE_ESCAPE;
}

/* ---- bytes ---- */

static DiagPlace place_of(const Scanner *scanner, const char *at)
{
    size_t before = utf8_count(scanner->begin, (size_t)(at - scanner->begin));

    return diag_position(scanner->source->name, scanner->line, before + 1, 1);
}

/* Why the file must not contain a character; null: it may. */
static const char *refusal(uint32_t code)
{
    if (code == '\t' || (code >= 0x20 && code < 0x7F)) {
        return NULL;
    }
    if (code == '\r') {
        return "a carriage return may only come at the end of a line, before the line feed";
    }
    if (code == 0x85 || code == 0x2028 || code == 0x2029) {
        return "some programs take this for a line break and others do not; please use a line feed";
    }
    if (code == 0) {
        return "YAML cannot contain a zero byte";
    }
    return code < 0xA0 || code == 0xFFFE || code == 0xFFFF ? "YAML cannot contain this character" : NULL;
}

/* Reports the first bad byte of the line. */
static void check_bytes(Scanner *scanner)
{
    for (const char *at = scanner->begin; at < scanner->end;) {
        uint32_t code = 0;
        size_t size = utf8_decode(at, (size_t)(scanner->end - at), &code);
        const char *why = size > 0 ? refusal(code) : NULL;

        if (why) {
            diag_report(scanner->diag, DIAG_ERROR, "E_BYTES", place_of(scanner, at), "U+%04X: %s", (unsigned)code, why);
        } else if (size == 0) {
            diag_report(scanner->diag, DIAG_ERROR, "E_BYTES", place_of(scanner, at), "byte 0x%02X: not UTF-8 here",
                        (unsigned)code);
        }
        if (why || size == 0) {
            scanner->errors++;
            return;
        }
        at += size;
    }
}

/* ---- nesting ---- */

static void give_up(Scanner *scanner)
{
    scanner->given_up = true;
    scanner->scan->deep = true;
    scanner->scan->doubtful = true;
}

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool ends_line(const Scanner *scanner, const char *at)
{
    return at >= scanner->end || *at == '#';
}

static const char *skip_spaces(const Scanner *scanner, const char *at)
{
    while (at < scanner->end && is_space(*at)) {
        at++;
    }
    return at;
}

static void push_column(Scanner *scanner, const char *at)
{
    size_t column = (size_t)(at - scanner->begin);

    if (scanner->num_columns > 0 && scanner->columns[scanner->num_columns - 1] >= column) {
        return;
    }
    if (scanner->num_columns == MAX_COLUMNS) {
        give_up(scanner);
        return;
    }
    scanner->columns[scanner->num_columns++] = column;
}

/* The columns at which block nodes may begin on this line: its first one, and those after `- `, `? ` and `: `. */
static void scan_columns(Scanner *scanner, const char *at)
{
    if (scanner->flow == 0) {
        while (scanner->num_columns > 0 && scanner->columns[scanner->num_columns - 1] > (size_t)(at - scanner->begin)) {
            scanner->num_columns--;
        }
    }
    push_column(scanner, at);
    while (at + 1 < scanner->end && (*at == '-' || *at == '?' || *at == ':') && is_space(at[1])) {
        at = skip_spaces(scanner, at + 1);
        if (ends_line(scanner, at)) {
            return;
        }
        push_column(scanner, at);
    }
}

static char byte_before(const Scanner *scanner, const char *at)
{
    return at > scanner->begin ? at[-1] : ' ';
}

/* May a quote here open a quoted scalar? Inside a plain one it does not. */
static bool may_open_quote(char before)
{
    return is_space(before) || (before != '\0' && strchr("[]{},:\"'", before) != NULL);
}

/* The place after the quote that closes the one at `at`, or null if it may not be on this line. */
static const char *skip_quoted(const Scanner *scanner, const char *at)
{
    char quote = *at++;

    for (; at < scanner->end; at++) {
        if (scanner->classes[(unsigned char)*at] & (BYTE_OPEN | BYTE_CLOSE)) {
            return NULL;
        }
        if (*at == '\\' && quote == '"') {
            at++;
        } else if (*at == quote && at + 1 < scanner->end && at[1] == quote && quote == '\'') {
            at++;
        } else if (*at == quote) {
            return at + 1;
        }
    }
    return NULL;
}

/* Is a list that begins before `at` empty? If it has a comment in it, it may be. */
static bool may_be_empty(const Scanner *scanner, const char *at)
{
    const char *end = scanner->source->text + scanner->source->length;

    while (at < end && (is_space(*at) || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at == end || *at == ']' || *at == '#';
}

/* Brackets of one line that does not begin inside a quoted scalar. */
static void scan_brackets(Scanner *scanner, const char *at)
{
    bool odd_hash = false; /* it may begin a comment, depending on what is before it */

    while (!scanner->given_up) {
        while (at < scanner->end && !(scanner->classes[(unsigned char)*at] & (STRUCTURE | BYTE_HASH))) {
            at++;
        }
        if (at == scanner->end) {
            return;
        }
        unsigned class = scanner->classes[(unsigned char)*at];
        char before = byte_before(scanner, at);

        if (odd_hash && (class & STRUCTURE)) {
            give_up(scanner);
        } else if (class & BYTE_OPEN) {
            scanner->flow++;
            scanner->scan->doubtful |= *at == '[' && may_be_empty(scanner, at + 1);
            if (2 * scanner->num_columns + scanner->flow > SOURCE_MAX_DEPTH) {
                give_up(scanner);
            }
        } else if (class & BYTE_CLOSE) {
            scanner->flow -= scanner->flow > 0;
        } else if (class & BYTE_HASH) {
            if (is_space(before)) {
                return;
            }
            odd_hash = true;
        } else if ((class & BYTE_QUOTE) && may_open_quote(before)) {
            at = skip_quoted(scanner, at);
            if (!at) {
                give_up(scanner);
                return;
            }
            continue;
        }
        at++;
    }
}

/* ---- a line ---- */

/* A tag is at the start of a token. */
static bool may_hold_tag(const Scanner *scanner)
{
    const char *at = scanner->begin;

    while ((at = memchr(at, '!', (size_t)(scanner->end - at)))) {
        char before = byte_before(scanner, at);
        if (!((before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
              (before >= '0' && before <= '9'))) {
            return true;
        }
        at++;
    }
    return false;
}

static void scan_line(Scanner *scanner, unsigned classes)
{
    const char *at = skip_spaces(scanner, scanner->begin);

    if (classes & BYTE_BAD) {
        check_bytes(scanner);
    }
    if (classes & BYTE_ESCAPE || (classes & BYTE_BANG && may_hold_tag(scanner))) {
        scanner->scan->doubtful = true;
    }
    if (scanner->end - scanner->begin >= 4 && memcmp(scanner->begin, "%TAG", 4) == 0) {
        /* libyaml compares each with all before it, in quadratic time */
        diag_report(scanner->diag, DIAG_ERROR, "E_TAG", place_of(scanner, scanner->begin),
                    "a %%TAG directive is not part of the format, nor are tags");
        scanner->errors++;
    }
    if (ends_line(scanner, at) || (*scanner->begin == '%' && !scanner->has_content)) {
        return;
    }
    scanner->has_content = true;
    if (!scanner->given_up) {
        scan_columns(scanner, at);
    }
    if (!scanner->given_up && (classes & STRUCTURE)) {
        scan_brackets(scanner, at);
    }
}

/* Of all bytes of the line; four at a time, since every byte of a file gets here. */
static unsigned classes_of(const Scanner *scanner)
{
    const unsigned char *kinds = scanner->classes;
    const unsigned char *at = (const unsigned char *)scanner->begin;
    const unsigned char *end = (const unsigned char *)scanner->end;
    unsigned classes = 0;

    for (; end - at >= 4; at += 4) {
        classes |= (unsigned)(kinds[at[0]] | kinds[at[1]] | kinds[at[2]] | kinds[at[3]]);
    }
    for (; at < end; at++) {
        classes |= kinds[*at];
    }
    return classes;
}

static bool is_utf16(const Source *source)
{
    return source->length >= 2 &&
           (memcmp(source->text, "\xFF\xFE", 2) == 0 || memcmp(source->text, "\xFE\xFF", 2) == 0);
}

bool scan_source(Diag *diag, const Source *source, Scan *scan)
{
    Scanner scanner = {.diag = diag, .source = source, .scan = scan};
    const char *at = source->text;
    const char *end = source->text + source->length;

    memset(scan, 0, sizeof *scan);
    if (is_utf16(source)) {
        diag_report(diag, DIAG_ERROR, "E_BYTES", diag_nowhere(source->name),
                    "the file is UTF-16; please convert it to UTF-8");
        return false;
    }
    if (source->length >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
        at += 3;
    }
    fill_classes(scanner.classes);
    while (at < end && scanner.errors < MAX_BYTE_ERRORS) {
        const char *line_break = memchr(at, '\n', (size_t)(end - at));

        scanner.line++;
        scanner.begin = at;
        scanner.end = line_break ? line_break : end;
        at = line_break ? line_break + 1 : end;
        if (line_break && scanner.end > scanner.begin && scanner.end[-1] == '\r') {
            scanner.end--;
        }
        scan_line(&scanner, classes_of(&scanner));
    }
    return scanner.errors == 0;
}
