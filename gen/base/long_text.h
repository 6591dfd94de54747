/* SPDX-License-Identifier: MIT */
/*
 * long_text - a text in a few pieces, which grow side by side and follow each other in the end. What is finished of a
 * long piece moves to a file without a name, so that little of it is in memory. If the file cannot be made, or the disk
 * is full, everything stays in memory.
 */
#ifndef WRAPGEN_LONG_TEXT_H
#define WRAPGEN_LONG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "str.h"

/* Those of a C file: its declarations come between the top and the rest, and are made together with the rest. */
typedef enum LongPiece { LONG_TOP, LONG_DECLARATIONS, LONG_MIDDLE, LONG_REST, LONG_PIECES } LongPiece;

typedef struct Piece {
    Str text;     /* what comes after the bytes in the file */
    size_t moved; /* how many there are */
    int file;     /* -1: none */
} Piece;

typedef struct LongText {
    const char *folder; /* of the files; null: everything stays in memory */
    bool moves;         /* one of the pieces has a file */
    Piece pieces[LONG_PIECES];
} LongText;

/* `folder` is borrowed. */
LongText long_text(Arena *arena, const char *folder);
void long_text_close(LongText *text);

size_t piece_length(const Piece *piece);
size_t long_text_length(const LongText *text);

/* Moves what there is of a piece to its file if that is worth it: of a text of 24 MB or more, once it is 4 MB. To be
 * called now and then; the piece's text is then empty, so pointers into it must not be kept. */
void long_text_move(LongText *text, LongPiece piece);

/* Gives the sink all bytes in their order. false: the sink said so, or, with errno set, a file cannot be read. */
typedef bool LongSink(void *ctx, const char *data, size_t length);
bool long_text_each(const LongText *text, LongSink *sink, void *ctx);

/* All of it in one piece, terminated, in an arena. Only of a text without a folder, so it cannot fail. */
const char *long_text_joined(const LongText *text, Arena *arena);

#endif /* WRAPGEN_LONG_TEXT_H */
