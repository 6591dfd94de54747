/* SPDX-License-Identifier: MIT */
/*
 * diag_render - diagnostics as text with source line and caret, or as JSON lines. The picture is in diag.h.
 *
 * The cost of a message depends on what it shows, not on the size of the file: lines are indexed once per file, and a
 * place in a very long line is found from the place before it (messages come sorted), so that ten thousand errors in a
 * file of one line stay linear. Nothing from a file reaches the terminal unchecked: control and format characters and
 * broken UTF-8 are shown as <1B>, <U+202E>, <FF>, tabs as spaces.
 */
#include "diag.h"

#include <string.h>

#include "utf8.h"

enum {
    LINE_CELLS = 120,  /* the most that is shown of a source line */
    BEFORE_CARET = 60, /* characters kept before the caret when the line's start is cut away */
    NEAR_CARET = 8,    /* the same if these characters take many cells each */
    LINE_BYTES = 2048, /* the same as LINE_CELLS for characters without width */
    TAB_CELLS = 8,
    BLOCK = 256,
    MESSAGE_HEAD = 700, /* bytes that are kept of an over-long message */
    MESSAGE_TAIL = 300
};

/* A file with its lines. `characters` counts the characters before every block, so that a column far inside a line is
 * found without walking over all of it. */
typedef struct Page {
    const DiagFile *file;
    size_t *starts; /* num_lines + 1 offsets */
    size_t num_lines;
    size_t *characters; /* num_blocks of them */
    size_t num_blocks;
} Page;

typedef struct Renderer {
    Arena *arena;
    Page *pages;
    size_t num_pages;
    bool color;
    Str *out;
} Renderer;

/* GCC's colours, so that it looks familiar. */
typedef struct Look {
    const char *name;
    const char *color;
} Look;

static const Look looks[] = {
    [DIAG_ERROR] = {"error", "\033[01;31m"},
    [DIAG_WARNING] = {"warning", "\033[01;35m"},
    [DIAG_NOTE] = {"note", "\033[01;36m"},
};

static const char bold[] = "\033[01m";
static const char caret_color[] = "\033[01;32m";
static const char plain[] = "\033[m";

/* ---- characters ---- */

/* Includes code points that are not characters (U+FFFE and its like). */
static bool is_format_character(uint32_t code)
{
    return (code & 0xFFFE) == 0xFFFE || code == 0xAD || code == 0x61C || code == 0x180E ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
           (code >= 0xE0000 && code <= 0xE007F);
}

/* Writes the character at the start of `text` in a form that may be shown; returns its number of bytes, and its display
 * width in `cells`. */
static size_t put_character(Str *out, const char *text, size_t length, size_t *cells)
{
    uint32_t code = 0;
    size_t size = utf8_decode(text, length, &code);
    size_t before = out->length;

    if (size == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0)) {
        str_printf(out, "<%02X>", (unsigned)code);
    } else if (is_format_character(code)) {
        str_printf(out, "<U+%04X>", (unsigned)code);
    } else {
        str_add(out, text, size);
        *cells = (size_t)utf8_width(code);
        return size;
    }
    *cells = out->length - before;
    return size ? size : 1;
}

static void put_harmless(Str *out, const char *text, size_t length)
{
    size_t cells = 0;

    for (size_t i = 0; i < length;) {
        i += put_character(out, text + i, length - i, &cells);
    }
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Keeps a message within bounds: an over-long one loses its middle. Cuts are between characters. */
static const char *bounded(Arena *arena, const char *text)
{
    size_t length = strlen(text);
    size_t head = MESSAGE_HEAD;
    size_t tail = 0;

    if (length <= MESSAGE_HEAD + MESSAGE_TAIL) {
        return text;
    }
    tail = length - MESSAGE_TAIL;
    while (head > 0 && is_continuation(text[head])) {
        head--;
    }
    while (is_continuation(text[tail])) {
        tail++;
    }
    return arena_printf(arena, "%.*s ... %s", (int)head, text, text + tail);
}

/* ---- finding a place ---- */

static void index_page(Arena *arena, Page *page)
{
    const char *text = page->file->text;
    size_t length = page->file->length;
    const char *end = text + length;
    size_t count = 1;

    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++) {
        count++;
    }
    page->starts = ARENA_ARRAY(arena, size_t, count + 1);
    page->num_lines = 1;
    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++) {
        page->starts[page->num_lines++] = (size_t)(at + 1 - text);
    }
    page->starts[page->num_lines] = length + 1;
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        page->starts[0] = 3; /* a byte order mark is not part of the first line */
    }
    page->num_blocks = length / BLOCK + 1;
    page->characters = ARENA_ARRAY(arena, size_t, page->num_blocks);
    for (size_t i = 1; i < page->num_blocks; i++) {
        page->characters[i] = page->characters[i - 1] + utf8_count(text + (i - 1) * BLOCK, BLOCK);
    }
}

static Page *find_page(Renderer *renderer, const DiagPlace *place)
{
    if (!place->file || place->line == 0) {
        return NULL;
    }
    for (size_t i = 0; i < renderer->num_pages; i++) {
        Page *page = &renderer->pages[i];
        if (strcmp(page->file->name, place->file) == 0) {
            if (!page->starts) {
                index_page(renderer->arena, page);
            }
            return place->line <= page->num_lines ? page : NULL;
        }
    }
    return NULL;
}

/* The offset of a column; columns after the end of the line count as the end. */
static size_t find_offset(const Page *page, const DiagPlace *place, size_t line_end)
{
    const char *text = page->file->text;
    size_t begin = page->starts[place->line - 1];
    size_t block = begin / BLOCK;
    size_t last = line_end / BLOCK;
    size_t count = page->characters[block] + utf8_count(text + block * BLOCK, begin - block * BLOCK);
    size_t wanted = count + (place->column > 0 ? place->column - 1 : 0);
    size_t at = begin;

    while (block < last) {
        size_t middle = last - (last - block) / 2;
        if (page->characters[middle] <= wanted) {
            block = middle;
        } else {
            last = middle - 1;
        }
    }
    if (block * BLOCK > begin) {
        at = block * BLOCK;
        count = page->characters[block];
    }
    while (at < line_end && (count < wanted || is_continuation(text[at]))) {
        count += !is_continuation(text[at]);
        at++;
    }
    return at;
}

static size_t find_line_end(const Page *page, size_t line)
{
    size_t begin = page->starts[line - 1];
    size_t end = page->starts[line] - 1;

    if (end > begin && page->file->text[end - 1] == '\r') {
        end--;
    }
    return end;
}

/* ---- source line and caret ---- */

typedef struct Excerpt {
    Str text;          /* the line as shown */
    size_t cells;      /* its width */
    size_t caret;      /* cell of the caret */
    size_t underlined; /* cells */
    bool has_caret;
} Excerpt;

static void put_source_character(Excerpt *excerpt, const char *text, size_t length, size_t *size, size_t *cells)
{
    if (*text != '\t') {
        *size = put_character(&excerpt->text, text, length, cells);
        return;
    }
    *size = 1;
    *cells = TAB_CELLS - excerpt->cells % TAB_CELLS;
    for (size_t i = 0; i < *cells; i++) {
        str_putc(&excerpt->text, ' ');
    }
}

/* Shows [begin, end) from there on until LINE_CELLS are full. Returns false when that was not all. */
static bool fill_excerpt(Excerpt *excerpt, const char *text, size_t begin, size_t end, size_t target, size_t characters)
{
    for (size_t at = begin; at < end;) {
        size_t size = 0;
        size_t cells = 0;
        if (excerpt->cells >= LINE_CELLS || excerpt->text.length >= LINE_BYTES) {
            return false;
        }
        if (!excerpt->has_caret && at >= target) {
            excerpt->has_caret = true;
            excerpt->caret = excerpt->cells;
        }
        put_source_character(excerpt, text + at, end - at, &size, &cells);
        if (excerpt->has_caret && characters > 0) {
            excerpt->underlined += text[at] == '\t' && at == target && characters == 1 ? 1 : cells;
            characters--;
        }
        excerpt->cells += cells;
        at += size;
    }
    if (!excerpt->has_caret) { /* after the last character */
        excerpt->has_caret = true;
        excerpt->caret = excerpt->cells;
    }
    return true;
}

/* The same, starting `before` characters before the target, with dots where something is cut away. */
static Excerpt cut_excerpt(Renderer *renderer, const char *text, size_t begin, size_t end, size_t target, size_t length,
                           size_t before)
{
    static const char cut[] = "...";
    Excerpt excerpt = {.text = str_new(renderer->arena)};
    size_t from = target;

    for (size_t i = 0; i < before && from > begin; i++) {
        from--;
        while (from > begin && is_continuation(text[from]) && target - from < 4 * before) {
            from--;
        }
    }
    if (from > begin) {
        str_puts(&excerpt.text, cut);
        excerpt.cells = sizeof cut - 1;
    }
    if (!fill_excerpt(&excerpt, text, from, end, target, length)) {
        str_puts(&excerpt.text, cut);
    }
    return excerpt;
}

static Excerpt make_excerpt(Renderer *renderer, const char *text, size_t begin, size_t end, size_t target,
                            size_t length)
{
    Excerpt excerpt = {.text = str_new(renderer->arena)};

    if (fill_excerpt(&excerpt, text, begin, end, target, length)) {
        return excerpt;
    }
    excerpt = cut_excerpt(renderer, text, begin, end, target, length, BEFORE_CARET);
    if (!excerpt.has_caret) {
        excerpt = cut_excerpt(renderer, text, begin, end, target, length, NEAR_CARET);
    }
    return excerpt;
}

static void put_source(Renderer *renderer, const DiagPlace *place)
{
    Page *page = find_page(renderer, place);
    Str *out = renderer->out;
    size_t end = 0;
    size_t offset = 0;
    Excerpt excerpt;

    if (!page) {
        return;
    }
    end = find_line_end(page, place->line);
    offset = find_offset(page, place, end);
    excerpt = make_excerpt(renderer, page->file->text, page->starts[place->line - 1], end, offset, place->length);
    str_printf(out, "%5zu | %s\n", place->line, str_text(&excerpt.text));
    str_puts(out, "      | ");
    for (size_t i = 0; i < excerpt.caret; i++) {
        str_putc(out, ' ');
    }
    str_puts(out, renderer->color ? caret_color : "");
    str_putc(out, '^');
    for (size_t i = 1; i < excerpt.underlined; i++) {
        str_putc(out, '~');
    }
    str_puts(out, renderer->color ? plain : "");
    str_putc(out, '\n');
}

/* ---- one message ---- */

static void put_text(Renderer *renderer, DiagSeverity severity, const DiagPlace *place, const char *message,
                     const char *code)
{
    Str *out = renderer->out;
    const char *file = place->file ? place->file : "wrapgen";
    const char *text = bounded(renderer->arena, message);

    str_puts(out, renderer->color ? bold : "");
    put_harmless(out, file, strlen(file));
    if (place->line > 0) {
        str_printf(out, ":%zu:%zu", place->line, place->column);
    }
    str_puts(out, ": ");
    str_puts(out, renderer->color ? looks[severity].color : "");
    str_printf(out, "%s: ", looks[severity].name);
    str_puts(out, renderer->color ? plain : "");
    put_harmless(out, text, strlen(text));
    if (code) {
        str_printf(out, " [%s]", code);
    }
    str_putc(out, '\n');
    put_source(renderer, place);
    if (code && place->path && *place->path) {
        str_printf(out, "      = at %s\n", place->path);
    }
}

static void put_json_number(Str *out, const char *key, size_t number)
{
    if (number > 0) {
        str_printf(out, ",\"%s\":%zu", key, number);
    } else {
        str_printf(out, ",\"%s\":null", key);
    }
}

static void put_json_text(Str *out, const char *key, const char *text)
{
    str_printf(out, ",\"%s\":", key);
    if (text) {
        str_put_json(out, text);
    } else {
        str_puts(out, "null");
    }
}

static void put_json_place(Str *out, const DiagPlace *place)
{
    str_puts(out, "{\"file\":");
    if (place->file) {
        str_put_json(out, place->file);
    } else {
        str_puts(out, "null");
    }
    put_json_number(out, "line", place->line);
    put_json_number(out, "column", place->line > 0 ? place->column : 0);
    put_json_number(out, "length", place->line > 0 ? place->length : 0);
}

static void put_json(Renderer *renderer, const DiagMessage *message)
{
    Str *out = renderer->out;

    put_json_place(out, &message->place);
    put_json_text(out, "severity", looks[message->severity].name);
    put_json_text(out, "code", message->code);
    put_json_text(out, "message", bounded(renderer->arena, message->message));
    put_json_text(out, "path", message->place.path);
    str_puts(out, ",\"notes\":[");
    for (const DiagNote *note = message->notes; note; note = note->next) {
        put_json_place(out, &note->place);
        put_json_text(out, "message", bounded(renderer->arena, note->message));
        put_json_text(out, "path", note->place.path);
        str_puts(out, note->next ? "}," : "}");
    }
    str_puts(out, "]}\n");
}

void diag_render(const Diag *diag, const DiagFile *files, size_t num_files, bool color, Str *out)
{
    Renderer renderer = {.arena = diag->arena, .num_pages = num_files, .color = color, .out = out};

    renderer.pages = ARENA_ARRAY(diag->arena, Page, num_files);
    for (size_t i = 0; i < num_files; i++) {
        renderer.pages[i].file = &files[i];
    }
    for (const DiagMessage *message = diag->first; message; message = message->next) {
        if (diag->format == DIAG_JSON) {
            put_json(&renderer, message);
            continue;
        }
        put_text(&renderer, message->severity, &message->place, message->message, message->code);
        for (const DiagNote *note = message->notes; note; note = note->next) {
            put_text(&renderer, DIAG_NOTE, &note->place, note->message, NULL);
        }
    }
}
