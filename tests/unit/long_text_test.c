/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/base/long_text.c: pieces that grow in turn come out in their order, whether they moved to files or not;
 * no file has a name; without a folder, or without room in it, nothing is lost. Each runs in a folder of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/base/long_text.h"
#include "gen/base/output.h"
#include "tests/unit/check.h"

enum { ROUNDS = 25, STEP = 1000003 }; /* 25 MB a piece, whose steps divide no power of two */

static char folder[] = "/tmp/wrapgen-long-text-XXXXXX";

static char byte_at(int piece, size_t at)
{
    return (char)('a' + (at * 7 + at / STEP + (size_t)piece * 3) % 26);
}

static void grow(LongText *text, LongPiece piece)
{
    Str *out = &text->pieces[piece].text;
    for (size_t i = 0, at = piece_length(&text->pieces[piece]); i < STEP; i++, at++) {
        str_putc(out, byte_at((int)piece, at));
    }
    long_text_move(text, piece);
}

typedef struct Reader {
    size_t at; /* of all */
    size_t wrong;
} Reader;

static bool read_on(void *ctx, const char *data, size_t length)
{
    Reader *reader = ctx;
    const size_t size = (size_t)ROUNDS * STEP;
    for (size_t i = 0; i < length; i++, reader->at++) {
        const int piece = reader->at < size ? LONG_DECLARATIONS : LONG_REST;
        reader->wrong += data[i] != byte_at(piece, reader->at % size);
    }
    return true;
}

static LongText made(Arena *arena, const char *where)
{
    LongText text = long_text(arena, where);
    for (int i = 0; i < ROUNDS; i++) {
        grow(&text, LONG_DECLARATIONS);
        grow(&text, LONG_REST);
    }
    return text;
}

static bool is_whole(const LongText *text)
{
    Reader reader = {0, 0};
    const size_t size = 2 * (size_t)ROUNDS * STEP;
    return long_text_length(text) == size && long_text_each(text, read_on, &reader) && reader.at == size &&
           reader.wrong == 0;
}

static int entries(void)
{
    DIR *open = opendir(folder);
    int count = 0;
    while (open && readdir(open)) {
        count++;
    }
    (void)closedir(open);
    return count - 2;
}

static void test_moved(void)
{
    Arena arena = {0};
    LongText text = made(&arena, folder);
    const size_t in_memory = text.pieces[LONG_DECLARATIONS].text.capacity + text.pieces[LONG_REST].text.capacity;
    check(is_whole(&text), "two pieces of 25 MB come out in their order");
    check(in_memory < 40000000, "and are not in memory (%zu bytes)", in_memory);
    check(entries() == 0, "their files have no names");
    long_text_close(&text);
    arena_release(&arena);
}

static void test_memory(void)
{
    Arena arena = {0};
    LongText text = made(&arena, NULL);
    check(is_whole(&text) && text.pieces[LONG_REST].moved == 0, "without a folder all stays in memory");
    Reader reader = {0, 0};
    (void)read_on(&reader, long_text_joined(&text, &arena), long_text_length(&text));
    check(reader.wrong == 0, "and can be joined");
    long_text_close(&text);
    LongText nowhere = made(&arena, "/nonexistent/folder");
    check(is_whole(&nowhere) && nowhere.pieces[LONG_REST].moved == 0, "and so it does where no file can be made");
    arena_release(&arena);
}

/* A file may have 21 MB: a write that crosses that is cut, and the next one fails. */
static void test_full(void)
{
    Arena arena = {0};
    struct rlimit before;
    (void)getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit little = {.rlim_cur = 21000000, .rlim_max = before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &little);
    LongText text = made(&arena, folder);
    (void)setrlimit(RLIMIT_FSIZE, &before);
    const size_t moved = text.pieces[LONG_REST].moved;
    check(moved > 0 && moved < 21000000 && is_whole(&text), "if the disk is full, the rest stays in memory (%zu)",
          moved);
    long_text_close(&text);
    arena_release(&arena);
}

static bool write_it(const LongText *text, const char *path, bool only_check, Str *shown)
{
    Arena arena = {0};
    Diag diag;
    Output output;
    diag_init(&diag, &arena);
    output_init(&output, &arena, &diag);
    const bool done =
        output_add_long(&output, path, text) && (only_check ? output_check(&output, shown) : output_commit(&output));
    arena_release(&arena);
    return done;
}

static void test_output(void)
{
    Arena arena = {0};
    LongText text = made(&arena, folder);
    LongText same = made(&arena, NULL);
    Str shown = str_new(&arena);
    struct stat first;
    struct stat second;
    char path[sizeof folder + 10];
    (void)snprintf(path, sizeof path, "%s/out.c", folder);
    check(write_it(&text, path, false, NULL) && stat(path, &first) == 0 && first.st_size == 2 * (off_t)ROUNDS * STEP &&
              write_it(&same, path, true, &shown),
          "a moved text is written with all bytes");
    check(write_it(&text, path, false, NULL) && stat(path, &second) == 0 && first.st_ino == second.st_ino,
          "and not again when it is there");
    str_puts(&same.pieces[LONG_REST].text, "!");
    check(!write_it(&same, path, true, &shown) && shown.length > 0, "one byte more is a difference");
    same.pieces[LONG_REST].text.length--;
    same.pieces[LONG_REST].text.data[STEP]++;
    check(write_it(&same, path, false, NULL) && stat(path, &second) == 0 && first.st_ino != second.st_ino,
          "and another byte makes another file");
    (void)unlink(path);
    long_text_close(&text);
    arena_release(&arena);
}

/* Somebody who finds the file below /proc can make it shorter. */
static void test_cut(void)
{
    Arena arena = {0};
    LongText text = made(&arena, folder);
    Reader reader = {0, 0};
    check(ftruncate(text.pieces[LONG_REST].file, 100) == 0 && !long_text_each(&text, read_on, &reader) && errno == EIO,
          "a file that was cut cannot be read");
    long_text_close(&text);
    arena_release(&arena);
}

int main(void)
{
    if (!mkdtemp(folder)) {
        return 1;
    }
    test_moved();
    test_memory();
    test_full();
    test_output();
    test_cut();
    (void)rmdir(folder);
    return check_done();
}
