/* SPDX-License-Identifier: MIT */
/*
 * mustache_build - from tokens to items: white space around tags, and indentation.
 *
 * Which tags "stand alone" (their line leaves no trace): all tags of a line that has nothing else but white space, if
 * they are comments, set delimiters, or open or close something. A partial, or a parent that opens and closes on the
 * line, stands alone if it is the line's only tag besides comments; the white space before it indents its content. A
 * block that opens and closes on the line does not: its line is kept with the block's content.
 *
 * Each block has an indentation: that of the first line inside that leaves a trace; if there is none, or if something
 * follows the opening tag on its line, that of the line with the opening tag. It is removed from all lines inside here,
 * and put before them again when the block is rendered, but then it is that of the receiving block, not of the given
 * one. Blocks in blocks are relative to each other.
 */
#include "mustache_parse.h"

#include <string.h>

/* What one line of the template consists of, apart from white space. */
typedef struct Line {
    uint32_t first; /* its tokens: [first, end) */
    uint32_t end;
    uint32_t num_content; /* values, and text that is not blank */
    uint32_t num_whole;   /* partials and parents that end on the line */
    uint32_t num_blocks;  /* blocks that end on the line they begin on */
    uint32_t num_other;   /* tags that open or close something */
    uint32_t num_silent;  /* comments and set delimiters */
} Line;

/* Content given to a parent on one line is rendered elsewhere: the last token of that content, or `i` if there is none.
 */
static uint32_t skip_given(const Parse *parse, uint32_t i, uint32_t end)
{
    const Token *token = &parse->tokens[i];
    bool given = token->kind == TOKEN_PARENT || (token->kind == TOKEN_BLOCK && token->argument);

    return given && token->pair < end ? token->pair : i;
}

static Slice token_source(const Parse *parse, const Token *token)
{
    return slice_of(parse->template->source + token->offset, token->length);
}

/* Tokens up to and including the text that ends with a newline, or the last one. */
static uint32_t line_end(const Parse *parse, uint32_t first)
{
    uint32_t i = first;

    while (i < parse->num_tokens) {
        const Token *token = &parse->tokens[i++];
        if (token->kind == TOKEN_TEXT && parse->template->source[token->offset + token->length - 1] == '\n') {
            break;
        }
    }
    return i;
}

static Line look_at_line(const Parse *parse, uint32_t first)
{
    Line line = {.first = first, .end = line_end(parse, first)};

    for (uint32_t i = first; i < line.end; i++) {
        const Token *token = &parse->tokens[i];
        bool whole = token->pair < line.end;
        switch (token->kind) {
        case TOKEN_TEXT:
            line.num_content += !slice_is_blank(token_source(parse, token));
            break;
        case TOKEN_VALUE:
        case TOKEN_RAW:
            line.num_content++;
            break;
        case TOKEN_PARTIAL:
            line.num_whole++;
            break;
        case TOKEN_PARENT:
            line.num_whole += whole;
            line.num_other += !whole;
            break;
        case TOKEN_BLOCK:
            line.num_blocks += whole && !token->argument;
            line.num_other++;
            break;
        case TOKEN_SECTION:
        case TOKEN_INVERTED:
        case TOKEN_CLOSE:
            line.num_other++;
            break;
        case TOKEN_COMMENT:
        case TOKEN_DELIMITERS:
            line.num_silent++;
            break;
        }
        i = skip_given(parse, i, line.end);
    }
    return line;
}

static bool stands_alone(const Line *line)
{
    if (line->num_content > 0 || line->num_blocks > 0) {
        return false;
    }
    if (line->num_whole > 0) {
        return line->num_whole == 1 && line->num_other == 0;
    }
    return line->num_other + line->num_silent > 0;
}

/* A line without a trace says nothing about indentation; tags that open a place for something do. */
static bool leaves_trace(const Parse *parse, const Line *line)
{
    if (!stands_alone(line)) {
        return line->num_content + line->num_whole + line->num_blocks > 0;
    }
    for (uint32_t i = line->first; i < line->end; i++) {
        TokenKind kind = parse->tokens[i].kind;
        if (kind == TOKEN_PARTIAL || kind == TOKEN_PARENT || kind == TOKEN_BLOCK) {
            return true;
        }
    }
    return false;
}

static Slice line_indentation(const Parse *parse, const Line *line)
{
    const Token *token = &parse->tokens[line->first];
    Slice indent = {.data = parse->template->source + token->offset, .length = 0};

    while (token->kind == TOKEN_TEXT && indent.length < token->length &&
           (indent.data[indent.length] == ' ' || indent.data[indent.length] == '\t')) {
        indent.length++;
    }
    return indent;
}

/* Takes the indentation of all open blocks off a line's, the outermost first; sets it for blocks that do not have one
 * yet.
 */
static Slice without_blocks(Parse *parse, Slice indent, bool trace)
{
    for (uint32_t i = 0; i < parse->depth; i++) {
        Token *block = &parse->tokens[parse->stack[i]];
        uint32_t same = 0;
        if (!block->settled) {
            if (!trace) {
                continue;
            }
            block->indent = indent;
            block->settled = true;
        }
        while (same < indent.length && same < block->indent.length && indent.data[same] == block->indent.data[same]) {
            same++;
        }
        indent = slice_of(indent.data + same, indent.length - same);
        if (same < block->indent.length) {
            break; /* not as deep as this block, so nothing is left for inner ones */
        }
    }
    return indent;
}

/* Opens and closes the blocks of a line. */
static void follow_blocks(Parse *parse, const Line *line, Slice indent)
{
    bool alone = stands_alone(line);
    bool content_before = false;

    for (uint32_t i = line->first; i < line->end; i++) {
        Token *token = &parse->tokens[i];
        if (token->kind == TOKEN_BLOCK) {
            /* Applies until the first line with a trace says otherwise, or for good if something follows on this
             * line. */
            token->indent = content_before ? slice_of(indent.data, 0) : indent;
            token->settled = !alone;
            mustache_push(parse, i);
        } else if (token->kind == TOKEN_CLOSE && parse->tokens[token->pair].kind == TOKEN_BLOCK) {
            parse->depth--;
        } else if (token->kind == TOKEN_VALUE || token->kind == TOKEN_RAW || token->kind == TOKEN_PARTIAL) {
            content_before = true;
        } else if (token->kind == TOKEN_TEXT) {
            content_before = content_before || !slice_is_blank(token_source(parse, token));
        }
    }
}

static void trim_line(Parse *parse, const Line *line)
{
    Slice raw = line_indentation(parse, line);
    Slice indent = without_blocks(parse, raw, leaves_trace(parse, line));
    bool alone = stands_alone(line);

    for (uint32_t i = line->first; i < line->end && alone; i++) {
        Token *token = &parse->tokens[i];
        if (token->kind == TOKEN_PARTIAL || token->kind == TOKEN_PARENT) {
            token->indent = indent;
        }
        token->dropped = token->kind == TOKEN_TEXT;
        i = skip_given(parse, i, line->end);
    }
    parse->tokens[line->first].skip = raw.length - indent.length;
    follow_blocks(parse, line, indent);
}

/* ---- build ---- */

typedef struct Build {
    Parse *parse;
    char *text;  /* where the next text goes: one buffer, so that neighbours join */
    bool closed; /* the last item is inside something closed since, so nothing may join it */
} Build;

static Item *add_item(Build *build, ItemKind kind, const Token *token)
{
    MustacheEngine *engine = build->parse->engine;
    Template *template = build->parse->template;

    engine->items = mustache_room(engine->arena, engine->items, template->num_items, &engine->items_capacity,
                                  sizeof *engine->items);
    template->items = engine->items;
    Item *item = &template->items[template->num_items++];
    *item = (Item){.kind = kind,
                   .dynamic = token->dynamic,
                   .end = template->num_items,
                   .offset = token->offset,
                   .length = token->length,
                   .indent = token->indent};
    return item;
}

static void build_text(Build *build, const Token *token)
{
    Template *template = build->parse->template;
    Item *last = template->num_items ? &template->items[template->num_items - 1] : NULL;
    const char *source = template->source + token->offset + token->skip;
    uint32_t length = token->length - token->skip;

    if (token->dropped || length == 0) {
        return;
    }
    if (!last || last->kind != ITEM_TEXT || build->closed) {
        last = add_item(build, ITEM_TEXT, token);
        last->as.text.data = build->text;
        build->closed = false;
    }
    memcpy(build->text, source, length);
    build->text += length;
    last->as.text.length += length;
}

static Path build_path(Build *build, Slice name)
{
    MustacheEngine *engine = build->parse->engine;
    Path path = {.count = 0};
    uint32_t *rest = NULL;
    uint32_t dots = 0;
    uint32_t start = 0;

    if (name.length == 1 && name.data[0] == '.') {
        return path;
    }
    for (uint32_t i = 0; i < name.length; i++) {
        dots += name.data[i] == '.';
    }
    rest = dots ? ARENA_ARRAY(engine->arena, uint32_t, dots) : NULL;
    for (uint32_t i = 0; i <= name.length; i++) {
        if (i == name.length || name.data[i] == '.') {
            uint32_t key = mustache_intern_n(engine, name.data + start, i - start);
            if (path.count == 0) {
                path.first = key;
            } else {
                rest[path.count - 1] = key;
            }
            path.count++;
            start = i + 1;
        }
    }
    path.rest = rest;
    return path;
}

static void build_tag(Build *build, ItemKind kind, const Token *token)
{
    Item *item = add_item(build, kind, token);
    bool named = kind == ITEM_PARTIAL || kind == ITEM_PARENT || kind == ITEM_BLOCK;

    if (named && !token->dynamic) {
        item->name = mustache_intern_n(build->parse->engine, token->name.data, token->name.length);
    } else {
        item->as.path = build_path(build, token->name);
    }
    if (mustache_opens(token->kind)) {
        mustache_push(build->parse, build->parse->template->num_items - 1);
    }
}

/* Builds one token, with the open items around it on the parse's stack. Returns the next token to build. */
static uint32_t build_token(Build *build, uint32_t i)
{
    Parse *parse = build->parse;
    const Token *token = &parse->tokens[i];
    Item *around = parse->depth ? &parse->template->items[parse->stack[parse->depth - 1]] : NULL;

    if (around && around->kind == ITEM_PARENT && token->kind != TOKEN_BLOCK && token->kind != TOKEN_CLOSE) {
        return mustache_opens(token->kind) ? token->pair + 1 : i + 1; /* only blocks count in a parent */
    }
    switch (token->kind) {
    case TOKEN_TEXT:
        build_text(build, token);
        break;
    case TOKEN_VALUE:
        build_tag(build, ITEM_VALUE, token);
        break;
    case TOKEN_RAW:
        build_tag(build, ITEM_RAW, token);
        break;
    case TOKEN_SECTION:
        build_tag(build, ITEM_SECTION, token);
        break;
    case TOKEN_INVERTED:
        build_tag(build, ITEM_INVERTED, token);
        break;
    case TOKEN_PARTIAL:
        build_tag(build, ITEM_PARTIAL, token);
        break;
    case TOKEN_PARENT:
        build_tag(build, ITEM_PARENT, token);
        break;
    case TOKEN_BLOCK:
        build_tag(build, ITEM_BLOCK, token);
        break;
    case TOKEN_CLOSE:
        parse->template->items[parse->stack[--parse->depth]].end = parse->template->num_items;
        build->closed = true;
        break;
    case TOKEN_COMMENT:
    case TOKEN_DELIMITERS:
        break;
    }
    return i + 1;
}

/* The template's own copy, as large as it is: the engine's array is the next template's. */
static void keep_items(MustacheEngine *engine, Template *template)
{
    const size_t size = template->num_items * sizeof *template->items;
    Item *items = arena_grow_dirty(engine->arena, NULL, 0, size);
    if (size > 0) {
        memcpy(items, template->items, size);
    }
    template->items = items;
}

bool mustache_compile(MustacheEngine *engine, Template *template)
{
    Parse parse = {.engine = engine, .template = template};
    Build build = {.parse = &parse};

    if (!mustache_scan(&parse)) {
        return false;
    }
    for (uint32_t i = 0; i < parse.num_tokens;) {
        Line line = look_at_line(&parse, i);
        trim_line(&parse, &line);
        i = line.end;
    }
    build.text = arena_grow_dirty(engine->arena, NULL, 0, template->length);
    for (uint32_t i = 0; i < parse.num_tokens;) {
        i = build_token(&build, i);
    }
    keep_items(engine, template);
    return true;
}
