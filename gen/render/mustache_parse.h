/* SPDX-License-Identifier: MIT */
/*
 * mustache_parse - what the two halves of compiling a template share. Four passes go over a list of tokens:
 *
 *   scan    cuts the source into tags and pieces of text that end at a newline or a tag      mustache_scan.c
 *   match   pairs opening with closing tags, and reports any that do not fit             mustache_scan.c
 *   trim    takes away the lines of tags that stand alone, and the indentation of blocks     mustache_build.c
 *   build   writes the items, joining neighbouring texts                                     mustache_build.c
 *
 * Pieces of source are slices of it, nothing is copied before build.
 */
#ifndef WRAPGEN_MUSTACHE_PARSE_H
#define WRAPGEN_MUSTACHE_PARSE_H

#include "mustache_private.h"

typedef enum TokenKind {
    TOKEN_TEXT,
    TOKEN_VALUE,
    TOKEN_RAW,
    TOKEN_SECTION,
    TOKEN_INVERTED,
    TOKEN_CLOSE,
    TOKEN_PARTIAL,
    TOKEN_PARENT,
    TOKEN_BLOCK,
    TOKEN_COMMENT,
    TOKEN_DELIMITERS
} TokenKind;

typedef struct Token {
    TokenKind kind;
    bool dynamic;
    bool dropped;    /* text that leaves no trace */
    bool argument;   /* a block directly in a parent: given, not received */
    bool settled;    /* a block whose indent is known */
    uint32_t offset; /* of the whole tag */
    uint32_t length;
    Slice name;    /* the text of a tag, trimmed, without its sigil and dynamic mark */
    uint32_t pair; /* the token that closes or opens */
    uint32_t skip; /* bytes of indentation to leave out of a text */
    Slice indent;
} Token;

typedef struct Parse {
    MustacheEngine *engine;
    Template *template;
    Slice open; /* the delimiters in force */
    Slice close;
    Token *tokens; /* the engine's, as is the stack */
    uint32_t num_tokens;
    uint32_t *stack; /* tokens that are open: all for match(), blocks for trim() */
    uint32_t depth;
    uint32_t num_errors;
} Parse;

/* Fills tokens; false when something was reported. */
bool mustache_scan(Parse *parse);

bool slice_is_blank(Slice slice);
Slice slice_of(const char *data, size_t length);

/* Whether a tag of this kind has a closing tag. */
bool mustache_opens(TokenKind kind);

/* The tokens that are open while a pass goes over them. */
void mustache_push(Parse *parse, uint32_t token);

#endif /* WRAPGEN_MUSTACHE_PARSE_H */
