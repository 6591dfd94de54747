/* SPDX-License-Identifier: MIT */
/*
 * mustache_scan - turns a template's source into tokens, and pairs those that belong together.
 *
 * All errors of a template are found here (except those that only its values show), so later passes cannot fail. They
 * are reported one by one up to MAX_ERRORS, each with its place, and with the opening tag as a second place if there is
 * one.
 */
#include "mustache_parse.h"

#include <string.h>

enum { MAX_ERRORS = 20 };

static bool is_space(char character)
{
    return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

bool slice_is_blank(Slice slice)
{
    for (uint32_t i = 0; i < slice.length; i++) {
        if (!is_space(slice.data[i])) {
            return false;
        }
    }
    return true;
}

Slice slice_of(const char *data, size_t length)
{
    return (Slice){.data = data, .length = (uint32_t)length};
}

static bool slice_equal(Slice a, Slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static Slice trimmed(Slice slice)
{
    while (slice.length > 0 && is_space(slice.data[0])) {
        slice = slice_of(slice.data + 1, slice.length - 1);
    }
    while (slice.length > 0 && is_space(slice.data[slice.length - 1])) {
        slice.length--;
    }
    return slice;
}

void mustache_push(Parse *parse, uint32_t token)
{
    MustacheEngine *engine = parse->engine;

    engine->stack =
        mustache_room(engine->arena, engine->stack, parse->depth, &engine->stack_capacity, sizeof *engine->stack);
    parse->stack = engine->stack;
    parse->stack[parse->depth++] = token;
}

/* ---- scan ---- */

static Token *add_token(Parse *parse, TokenKind kind, uint32_t offset, uint32_t length)
{
    MustacheEngine *engine = parse->engine;
    Token *token = NULL;

    /* At most one token begins at each byte, so the count fits if the source's length does. */
    engine->tokens = mustache_room(engine->arena, engine->tokens, parse->num_tokens, &engine->tokens_capacity,
                                   sizeof *engine->tokens);
    parse->tokens = engine->tokens;
    token = &parse->tokens[parse->num_tokens++];
    *token = (Token){.kind = kind, .offset = offset, .length = length};
    return token;
}

static void add_text(Parse *parse, uint32_t offset, uint32_t end)
{
    while (offset < end) {
        const char *start = parse->template->source + offset;
        const char *newline = memchr(start, '\n', end - offset);
        uint32_t length = newline ? (uint32_t)(newline - start) + 1 : end - offset;
        add_token(parse, TOKEN_TEXT, offset, length);
        offset += length;
    }
}

/* The offset of `what` at or after `offset`, with the byte `before` (unless 0) right before it; else the end. */
static uint32_t find(const Parse *parse, uint32_t offset, Slice what, char before)
{
    const char *source = parse->template->source;
    uint32_t end = parse->template->length;
    uint32_t first = offset;

    while (end - offset >= what.length) {
        const char *at = memchr(source + offset, what.data[0], end - offset - what.length + 1);
        if (!at) {
            break;
        }
        offset = (uint32_t)(at - source);
        if (memcmp(at, what.data, what.length) == 0 && (!before || (offset > first && at[-1] == before))) {
            return offset;
        }
        offset++;
    }
    return end;
}

/* A name is one word of printable characters; in a path, the parts are not empty. */
static void check_name(Parse *parse, const Token *token)
{
    Slice name = token->name;
    bool path = token->dynamic || token->kind == TOKEN_VALUE || token->kind == TOKEN_RAW ||
                token->kind == TOKEN_SECTION || token->kind == TOKEN_INVERTED;
    bool word = name.length > 0;
    bool parts = true;

    for (uint32_t i = 0; i < name.length; i++) {
        unsigned char byte = (unsigned char)name.data[i];
        word = word && byte > 0x20 && byte != 0x7f;
        if (path && byte == '.') {
            parts = parts && i > 0 && i + 1 < name.length && name.data[i - 1] != '.';
        }
    }
    if (word && (parts || (name.length == 1 && name.data[0] == '.'))) {
        return;
    }
    if (name.length == 0) {
        mustache_error(parse->engine, parse->template, token->offset, token->length, "a tag without a name");
    } else if (!word) {
        mustache_error(parse->engine, parse->template, token->offset, token->length,
                       "a tag's name must be one word; write '{ {' or set other delimiters if braces are meant");
    } else {
        mustache_error(parse->engine, parse->template, token->offset, token->length,
                       "'%.*s' has an empty part between its dots", (int)name.length, name.data);
    }
    parse->num_errors++;
}

static void set_delimiters(Parse *parse, const Token *token)
{
    Slice words = token->name;
    uint32_t first = 0;
    Slice second;

    while (first < words.length && !is_space(words.data[first])) {
        first++;
    }
    second = trimmed(slice_of(words.data + first, words.length - first));
    for (uint32_t i = 0; i < second.length; i++) {
        if (is_space(second.data[i])) {
            second.length = 0;
        }
    }
    if (first == 0 || second.length == 0 || (words.length && memchr(words.data, '=', words.length))) {
        mustache_error(parse->engine, parse->template, token->offset, token->length,
                       "new delimiters must be two words without '='");
        parse->num_errors++;
        return;
    }
    parse->open = slice_of(words.data, first);
    parse->close = second;
}

static TokenKind kind_of_sigil(char sigil)
{
    switch (sigil) {
    case '#':
        return TOKEN_SECTION;
    case '^':
        return TOKEN_INVERTED;
    case '/':
        return TOKEN_CLOSE;
    case '>':
        return TOKEN_PARTIAL;
    case '<':
        return TOKEN_PARENT;
    case '$':
        return TOKEN_BLOCK;
    case '!':
        return TOKEN_COMMENT;
    case '=':
        return TOKEN_DELIMITERS;
    case '{':
    case '&':
        return TOKEN_RAW;
    default:
        return TOKEN_VALUE;
    }
}

/* Reads the tag whose opening delimiter is at `offset`; returns the offset after it. */
static uint32_t scan_tag(Parse *parse, uint32_t offset)
{
    const char *source = parse->template->source;
    uint32_t end = parse->template->length;
    uint32_t start = offset + parse->open.length;
    uint32_t stop = 0;
    TokenKind kind = TOKEN_VALUE;
    char before = 0; /* what must come before the closing delimiter */
    Token *token = NULL;

    while (start < end && is_space(source[start])) {
        start++;
    }
    if (start < end) {
        kind = kind_of_sigil(source[start]);
        before = source[start] == '{' ? '}' : source[start] == '=' ? '=' : 0;
        start += kind != TOKEN_VALUE;
    }
    stop = find(parse, start, parse->close, before);
    if (stop == end) {
        mustache_error(parse->engine, parse->template, offset, parse->open.length,
                       "this tag is not closed with '%s%.*s'",
                       before == '}'   ? "}"
                       : before == '=' ? "="
                                       : "",
                       (int)parse->close.length, parse->close.data);
        parse->num_errors++;
        return end;
    }
    token = add_token(parse, kind, offset, stop + parse->close.length - offset);
    token->name = trimmed(slice_of(source + start, stop - start - (before ? 1u : 0u)));
    if (kind == TOKEN_DELIMITERS) {
        set_delimiters(parse, token);
    } else if (kind != TOKEN_COMMENT) {
        if ((kind == TOKEN_PARTIAL || kind == TOKEN_PARENT || kind == TOKEN_CLOSE) && token->name.length > 0 &&
            token->name.data[0] == '*') {
            token->dynamic = true;
            token->name = trimmed(slice_of(token->name.data + 1, token->name.length - 1));
        }
        check_name(parse, token);
    }
    return offset + token->length;
}

static void scan(Parse *parse)
{
    uint32_t offset = 0;

    while (offset < parse->template->length && parse->num_errors < MAX_ERRORS) {
        uint32_t tag = find(parse, offset, parse->open, 0);
        add_text(parse, offset, tag);
        offset = tag < parse->template->length ? scan_tag(parse, tag) : tag;
    }
}

/* ---- match ---- */

bool mustache_opens(TokenKind kind)
{
    return kind == TOKEN_SECTION || kind == TOKEN_INVERTED || kind == TOKEN_PARENT || kind == TOKEN_BLOCK;
}

static void note_opened(Parse *parse, DiagMessage *message, const Token *token)
{
    diag_note(parse->engine->diag, message, mustache_place(parse->template, token->offset, token->length),
              "'%.*s' is opened here", (int)token->name.length, token->name.data);
}

/* Reports a closing tag that does not fit. The innermost tag with that name, if there is one, then counts as closed, so
 * that one forgotten tag is one error. */
static void report_mismatch(Parse *parse, const Token *token)
{
    uint32_t depth = parse->depth;
    DiagMessage *message = NULL;

    parse->num_errors++;
    if (parse->depth == 0) {
        mustache_error(parse->engine, parse->template, token->offset, token->length, "'%.*s' closes nothing",
                       (int)token->name.length, token->name.data);
        return;
    }
    message = mustache_error(parse->engine, parse->template, token->offset, token->length,
                             "'%.*s' is closed where '%.*s' is open", (int)token->name.length, token->name.data,
                             (int)parse->tokens[parse->stack[depth - 1]].name.length,
                             parse->tokens[parse->stack[depth - 1]].name.data);
    note_opened(parse, message, &parse->tokens[parse->stack[depth - 1]]);
    while (depth-- > 0) {
        if (slice_equal(parse->tokens[parse->stack[depth]].name, token->name)) {
            parse->depth = depth;
            return;
        }
    }
}

/* Strict mode: anything directly in a parent that is not a block would silently vanish. */
static void check_inside_parent(Parse *parse, const Token *token)
{
    const Token *parent = &parse->tokens[parse->stack[parse->depth - 1]];
    Slice text = slice_of(parse->template->source + token->offset, token->length);
    DiagMessage *message = NULL;

    if (token->kind == TOKEN_BLOCK || token->kind == TOKEN_COMMENT || token->kind == TOKEN_DELIMITERS ||
        token->kind == TOKEN_CLOSE || (token->kind == TOKEN_TEXT && slice_is_blank(text))) {
        return;
    }
    message = mustache_error(parse->engine, parse->template, token->offset, token->length,
                             "only blocks may be directly in a parent; this would be left out");
    note_opened(parse, message, parent);
    parse->num_errors++;
}

/* A block given twice would be left out once. */
static void check_given_once(Parse *parse, const Token *argument)
{
    const Token *other = &parse->tokens[parse->stack[parse->depth - 1]] + 1;

    while (other < argument) {
        if (other->kind == TOKEN_BLOCK && slice_equal(other->name, argument->name)) {
            DiagMessage *message =
                mustache_error(parse->engine, parse->template, argument->offset, argument->length,
                               "'%.*s' is given twice", (int)argument->name.length, argument->name.data);
            diag_note(parse->engine->diag, message, mustache_place(parse->template, other->offset, other->length),
                      "first given here");
            parse->num_errors++;
            return;
        }
        other = mustache_opens(other->kind) && other->pair ? &parse->tokens[other->pair] + 1 : other + 1;
    }
}

static void match_close(Parse *parse, uint32_t i)
{
    Token *token = &parse->tokens[i];
    Token *opener = parse->depth ? &parse->tokens[parse->stack[parse->depth - 1]] : NULL;

    if (!opener || opener->dynamic != token->dynamic || !slice_equal(opener->name, token->name)) {
        report_mismatch(parse, token);
        return;
    }
    opener->pair = i;
    token->pair = parse->stack[--parse->depth];
}

static void match(Parse *parse)
{
    for (uint32_t i = 0; i < parse->num_tokens && parse->num_errors < MAX_ERRORS; i++) {
        Token *token = &parse->tokens[i];
        if (parse->depth > 0 && parse->tokens[parse->stack[parse->depth - 1]].kind == TOKEN_PARENT) {
            token->argument = token->kind == TOKEN_BLOCK;
            if (token->argument) {
                check_given_once(parse, token);
            }
            if (parse->engine->config.strict) {
                check_inside_parent(parse, token);
            }
        }
        if (token->kind == TOKEN_CLOSE) {
            match_close(parse, i);
        } else if (mustache_opens(token->kind)) {
            mustache_push(parse, i);
            if (parse->depth > MUSTACHE_MAX_DEPTH) {
                mustache_error(parse->engine, parse->template, token->offset, token->length,
                               "more than %d sections in each other", MUSTACHE_MAX_DEPTH);
                parse->num_errors++;
                return;
            }
        }
    }
    if (parse->depth > 0) {
        const Token *token = &parse->tokens[parse->stack[parse->depth - 1]];
        DiagMessage *message =
            mustache_error(parse->engine, parse->template, parse->template->length, 0,
                           "the template ends where '%.*s' is open", (int)token->name.length, token->name.data);
        note_opened(parse, message, token);
        parse->num_errors++;
    }
}

bool mustache_scan(Parse *parse)
{
    parse->open = slice_of("{{", 2);
    parse->close = slice_of("}}", 2);
    scan(parse);
    if (parse->num_errors ==
        0) { /* else a wrong delimiter would be reported a second time, as tags that do not match */
        match(parse);
    }
    return parse->num_errors == 0;
}
