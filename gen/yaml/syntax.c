/* SPDX-License-Identifier: MIT */
/*
 * syntax - says what libyaml found wrong with a file, in words that tell what to do.
 *
 * libyaml says what it was doing ("context", with its place) and what went wrong ("problem", with its place). The
 * second is the error, the first a note. Its wording is about its own tokens; the table below has ours for the common
 * mistakes. Anything else is shown in libyaml's words.
 */
#include "shape.h"

#include <string.h>

typedef struct Saying {
    const char *problem; /* libyaml's */
    const char *context; /* how its context begins; "": any */
    bool at_context;     /* the error is at the place of the context, so there is no note */
    const char *words;   /* ours */
} Saying;

static const Saying sayings[] = {
    {"mapping values are not allowed in this context", "", false,
     "a ':' does not fit here; is this line indented too far, or does the text before it need quotes?"},
    {"block sequence entries are not allowed in this context", "", false,
     "a '-' does not fit here; it must begin a line"},
    {"could not find expected ':'", "", true, "this is not a key: it has no ':' after it"},
    {"did not find expected key", "while parsing a block mapping", false,
     "this does not fit the keys above: is it indented like them?"},
    {"did not find expected '-' indicator", "", false,
     "this does not fit the list above: an entry begins with '-', indented like the others"},
    {"did not find expected ',' or ']'", "", false, "a ',' or a ']' is missing here"},
    {"did not find expected ',' or '}'", "", false, "a ',' or a '}' is missing here"},
    {"did not find expected node content", "", false, "a value is missing here"},
    {"did not find expected <document start>", "", false,
     "this does not belong to the document above; is it indented like the lines before?"},
    {"found unexpected end of stream", "while scanning a quoted scalar", true, "a quote is opened and never closed"},
    {"found unexpected document indicator", "while scanning a quoted scalar", true,
     "a quote is opened and never closed"},
    {"found a tab character that violates indentation", "", false, "YAML cannot be indented with tabs; use spaces"},
    {"found unknown escape character", "", false,
     "unknown escape in a text with double quotes; a backslash is written as \\\\"},
    {"did not find expected alphabetic or numeric character", "while scanning an alias", true,
     "a value cannot begin with '*'; put it in quotes"},
    {"did not find expected alphabetic or numeric character", "while scanning an anchor", true,
     "a value cannot begin with '&'; put it in quotes"},
    {"found undefined tag handle", "", false,
     "YAML tags are not part of the format; a text that begins with '!' needs quotes"},
    {"found unknown directive name", "", true,
     "this directive is not known; in YAML a line that begins with '%' is one"},
    {"found incompatible YAML document", "", false, "the file says that it is neither YAML 1.1 nor YAML 1.2"},
};

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* A byte order mark is not part of the first line. */
static size_t begin_of_text(const Source *source)
{
    return begins_with(source->text, "\xEF\xBB\xBF") ? 3 : 0;
}

static ShapeMark mark_of_offset(const Source *source, size_t offset)
{
    ShapeMark mark = {1, 1, 1};

    for (size_t i = begin_of_text(source); i < offset && i < source->length; i++) {
        if (source->text[i] == '\n') {
            mark.line++;
            mark.column = 1;
        } else {
            mark.column += ((unsigned char)source->text[i] & 0xC0) != 0x80;
        }
    }
    return mark;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* The offset of a mark. For libyaml the end of the file is a separate line; here it is right after the last thing in
 * the file.
 */
static size_t offset_of_mark(const Source *source, ShapeMark mark)
{
    const char *at = source->text + begin_of_text(source);
    const char *end = source->text + source->length;

    for (size_t line = 1; line < mark.line && at; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    for (size_t column = 1; at && at < end && column < mark.column; column++) {
        do {
            at++;
        } while (at < end && ((unsigned char)*at & 0xC0) == 0x80);
    }
    if (!at || at == end) {
        at = end;
        while (at > source->text && is_blank(at[-1])) {
            at--;
        }
    }
    return (size_t)(at - source->text);
}

static const char *say_token_start(Shape *shape, char byte)
{
    if (byte == '\t') {
        return "YAML cannot be indented with tabs; use spaces";
    }
    return arena_printf(shape->arena, "a value cannot begin with '%c'; put it in quotes", byte);
}

static const Saying *find_saying(const char *problem, const char *context)
{
    for (size_t i = 0; i < sizeof sayings / sizeof sayings[0]; i++) {
        if (strcmp(problem, sayings[i].problem) == 0 && begins_with(context, sayings[i].context)) {
            return &sayings[i];
        }
    }
    return NULL;
}

static const char *name_context(Shape *shape, const char *context)
{
    static const char *const starts[] = {"while parsing a ", "while parsing an ", "while scanning a ",
                                         "while scanning an "};

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (begins_with(context, starts[i])) {
            const char *what = context + strlen(starts[i]);
            const char *name = begins_with(what, "flow sequence")      ? "list"
                               : begins_with(what, "flow mapping")     ? "mapping"
                               : begins_with(what, "block mapping")    ? "mapping"
                               : begins_with(what, "block collection") ? "list"
                               : begins_with(what, "quoted scalar")    ? "quoted text"
                               : begins_with(what, "simple key")       ? "key"
                                                                       : what;
            return arena_printf(shape->arena, "the %s begins here", name);
        }
    }
    return context;
}

static ShapeMark mark_of(yaml_mark_t mark)
{
    return (ShapeMark){mark.line + 1, mark.column + 1, 1};
}

static void report(Shape *shape, const char *problem, const char *context)
{
    const yaml_parser_t *parser = &shape->parser;
    const Source *source = shape->source;
    const Saying *saying = find_saying(problem, context);
    bool at_context = saying && saying->at_context;
    size_t offset = offset_of_mark(source, mark_of(at_context ? parser->context_mark : parser->problem_mark));
    size_t begin = offset_of_mark(source, mark_of(parser->context_mark));
    const char *words = saying ? saying->words : arena_printf(shape->arena, "%s %s", problem, context);
    DiagMessage *message = NULL;

    if (begins_with(problem, "found character that cannot start any token")) {
        words = say_token_start(shape, source->text[offset]);
    }
    message = shape_error(shape, "E_SYNTAX", mark_of_offset(source, offset), "%s", words);
    if (*context && !at_context && begin != offset) {
        shape_note(shape, message, mark_of_offset(source, begin), name_context(shape, context));
    }
}

void syntax_report(Shape *shape)
{
    const yaml_parser_t *parser = &shape->parser;
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    ShapeMark nowhere = {0, 0, 0};

    if (parser->error == YAML_MEMORY_ERROR) {
        shape_error(shape, "E_INTERNAL", nowhere, "libyaml ran out of memory");
    } else if (parser->error == YAML_READER_ERROR) {
        shape_error(shape, "E_SYNTAX", mark_of_offset(shape->source, parser->problem_offset), "%s", problem);
    } else {
        report(shape, problem, parser->context ? parser->context : "");
    }
}
