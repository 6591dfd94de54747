/* SPDX-License-Identifier: MIT */
/*
 * long_text - files are made where the text will go, since there is most likely room for it, and lose their name at
 * once. They are written and read at offsets that follow from what was moved, so a failed write leaves no trace.
 */
#include "long_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include "temporary.h"

enum { MEBI = 1024 * 1024, MOVED_FROM = 24 * MEBI, MOVED_NEXT = 4 * MEBI, CHUNK = 64 * 1024, MOST_NAMES = 1000 };

LongText long_text(Arena *arena, const char *folder)
{
    LongText text = {.folder = folder};
    for (int i = 0; i < LONG_PIECES; i++) {
        text.pieces[i] = (Piece){.text = str_new(arena), .file = -1};
    }
    return text;
}

void long_text_close(LongText *text)
{
    for (int i = 0; i < LONG_PIECES; i++) {
        if (text->pieces[i].file >= 0) {
            close(text->pieces[i].file);
            text->pieces[i].file = -1;
        }
    }
}

size_t piece_length(const Piece *piece)
{
    return piece->moved + piece->text.length;
}

size_t long_text_length(const LongText *text)
{
    size_t length = 0;
    for (int i = 0; i < LONG_PIECES; i++) {
        length += piece_length(&text->pieces[i]);
    }
    return length;
}

/* A run that is killed right here leaves the file to the next one (output_sweep.c), which knows it by its name. -1: it
 * cannot be made. */
static int nameless_file(Arena *arena, const char *folder)
{
    int file = -1;
    errno = EEXIST;
    for (unsigned i = 0; i < MOST_NAMES && file < 0 && errno == EEXIST; i++) {
        const char *name = temporary_path(arena, folder, i);
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, S_IRUSR | S_IWUSR);
        if (file >= 0 && unlink(name) != 0) {
            close(file);
            return -1;
        }
    }
    return file;
}

static bool write_at(int file, size_t offset, const char *data, size_t length)
{
    while (length > 0) {
        const ssize_t count = pwrite(file, data, length, (off_t)offset);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        if (count > 0) {
            data += count;
            offset += (size_t)count;
            length -= (size_t)count;
        }
    }
    return true;
}

void long_text_move(LongText *text, LongPiece which)
{
    Piece *piece = &text->pieces[which];
    text->moves = text->moves || long_text_length(text) >= MOVED_FROM;
    if (text->folder == NULL || !text->moves || piece->text.length < MOVED_NEXT) {
        return;
    }
    if (piece->file < 0) {
        piece->file = nameless_file(piece->text.arena, text->folder);
    }
    if (piece->file < 0 || !write_at(piece->file, piece->moved, piece->text.data, piece->text.length)) {
        text->folder = NULL; /* the rest stays in memory */
        return;
    }
    piece->moved += piece->text.length;
    piece->text.length = 0;
    piece->text.data[0] = '\0';
}

static bool each_of_file(const Piece *piece, LongSink *sink, void *ctx)
{
    char chunk[CHUNK];
    for (size_t done = 0; done < piece->moved;) {
        const size_t left = piece->moved - done;
        const ssize_t count = pread(piece->file, chunk, left < CHUNK ? left : CHUNK, (off_t)done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count == 0) {
            errno = EIO; /* somebody else made the file shorter */
        }
        if (count <= 0 || !sink(ctx, chunk, (size_t)count)) {
            return false;
        }
        done += (size_t)count;
    }
    return true;
}

bool long_text_each(const LongText *text, LongSink *sink, void *ctx)
{
    for (int i = 0; i < LONG_PIECES; i++) {
        const Piece *piece = &text->pieces[i];
        if (!each_of_file(piece, sink, ctx) ||
            (piece->text.length > 0 && !sink(ctx, piece->text.data, piece->text.length))) {
            return false;
        }
    }
    return true;
}

static bool add(void *ctx, const char *data, size_t length)
{
    str_add(ctx, data, length);
    return true;
}

const char *long_text_joined(const LongText *text, Arena *arena)
{
    Str joined = str_new(arena);
    str_reserve(&joined, long_text_length(text));
    (void)long_text_each(text, add, &joined);
    return str_text(&joined);
}
