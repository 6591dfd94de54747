/* SPDX-License-Identifier: MIT */
/*
 * verbs - VERBS.md as a table, and a search of C text for names that are called.
 *
 * VERBS.md: a heading "## Read ..." and the like, and below it one prototype per line, indented by four spaces. The
 * continuation of a comment is indented further.
 */
#include "verbs.h"

#include <string.h>

#include "../base/embedded.h"
#include "../base/str.h"

enum { VERB_INDENT = 4 };                    /* of a prototype in VERBS.md */
enum { MAX_INCLUDES = 4, MAX_PARTIALS = 4 }; /* nested includes; ours never go so deep, and a cycle ends here */

/* What a byte of C may be part of. A search stops at those from BYTE_UNDERSCORE on; the name of a verb has one as its
 * third. */
enum { BYTE_PLAIN, BYTE_WORD, BYTE_UNDERSCORE, BYTE_SILENT, BYTE_HASH };

static void fill_kinds(unsigned char *kinds)
{
    static const char words[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (const char *word = words; *word != '\0'; word++) {
        kinds[(unsigned char)*word] = BYTE_WORD;
    }
    kinds['_'] = BYTE_UNDERSCORE;
    kinds['/'] = BYTE_SILENT;
    kinds['"'] = BYTE_SILENT;
    kinds['\''] = BYTE_SILENT;
    kinds['#'] = BYTE_HASH;
}

static bool is_word(const Verbs *verbs, char c)
{
    const unsigned char kind = verbs->kinds[(unsigned char)c];
    return kind == BYTE_WORD || kind == BYTE_UNDERSCORE;
}

const Verb *verbs_find(const Verbs *verbs, const char *name, size_t length)
{
    const TableEntry *entry = table_find(&verbs->names, name, length);
    return entry != NULL ? &verbs->at[entry->index] : NULL;
}

const char *verbs_nearest(const Verbs *verbs, const char *name, size_t *distance)
{
    const char *nearest = NULL;
    for (uint32_t i = 0; i < verbs->count; i++) {
        const size_t apart = str_distance(name, verbs->at[i].name, *distance);
        if (apart < *distance || (apart == 0 && nearest == NULL)) {
            nearest = verbs->at[i].name;
            *distance = apart;
        }
    }
    return nearest;
}

/* ---- C text ---- */

typedef struct Look {
    const Verbs *verbs;
    const char *header;
    uint32_t depth;
    VerbFound found;
    void *ctx;
} Look;

static void look_at(const Look *look, const char *at, const char *end);

/* The place after the comment or literal that begins at `at`, if one does. A literal ends with its line. */
static const char *skip_silent(const char *at, const char *end)
{
    const bool comment = *at == '/' && at + 1 < end;
    if (comment && at[1] == '*') {
        for (at += 2; (at = memchr(at, '*', (size_t)(end - at))) != NULL; at++) {
            if (at + 1 < end && at[1] == '/') {
                return at + 2;
            }
        }
        return end;
    }
    if (comment && at[1] == '/') {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        return newline != NULL ? newline : end;
    }
    if (*at != '/') {
        const char quote = *at;
        for (at++; at < end && *at != quote && *at != '\n'; at++) {
            at += *at == '\\' ? 1 : 0;
        }
    }
    return at < end ? at + 1 : end;
}

/* The file of templates/core with that name, or null. */
static const EmbeddedFile *core_header(const char *name, size_t length)
{
    char path[64] = "core/"; /* those of ours are shorter */
    const size_t room = sizeof path - sizeof "core/";
    memcpy(path + strlen("core/"), name, length < room ? length : room);
    return length < room ? embedded_find(path) : NULL;
}

/* A header of templates/core is replaced by its text; others are the host's, or the program's. */
static const char *look_at_include(const Look *look, const char *at, const char *end)
{
    static const char include[] = "#include \"";
    const size_t length = sizeof include - 1;
    if ((size_t)(end - at) <= length || memcmp(at, include, length) != 0) {
        return at + 1;
    }
    const char *name = at + length;
    const char *quote = memchr(name, '"', (size_t)(end - name));
    if (quote == NULL || look->depth == MAX_INCLUDES) {
        return at + 1;
    }
    const EmbeddedFile *file = core_header(name, (size_t)(quote - name));
    if (file != NULL) {
        Look inside = *look;
        inside.header = file->name + strlen("core/");
        inside.depth++;
        look_at(&inside, file->text, file->text + file->length);
    }
    return quote + 1;
}

/* `at` is the '_' that may be the third byte of "wg_". Returns the end of the word, or the next byte. */
static const char *look_at_word(const Look *look, const char *begin, const char *at, const char *end)
{
    if (at - begin < 2 || at[-2] != 'w' || at[-1] != 'g' || (at - begin > 2 && is_word(look->verbs, at[-3]))) {
        return at + 1;
    }
    const char *word = at - 2;
    while (at < end && is_word(look->verbs, *at)) {
        at++;
    }
    const size_t length = (size_t)(at - word);
    while (at < end && *at == ' ') {
        at++;
    }
    const Verb *verb = at < end && *at == '(' ? verbs_find(look->verbs, word, length) : NULL;
    if (verb != NULL) {
        look->found(look->ctx, (uint32_t)(verb - look->verbs->at), look->header);
    }
    return at;
}

/* The next byte that may matter; four at a time, since nearly none does. */
static const char *skip_plain(const unsigned char *kinds, const char *at, const char *end)
{
    const unsigned char *next = (const unsigned char *)at;
    const unsigned char *const last = (const unsigned char *)end;
    while (last - next >= 4 && (kinds[next[0]] | kinds[next[1]] | kinds[next[2]] | kinds[next[3]]) < BYTE_UNDERSCORE) {
        next += 4;
    }
    while (next < last && kinds[*next] < BYTE_UNDERSCORE) {
        next++;
    }
    return (const char *)next;
}

static void look_at(const Look *look, const char *at, const char *end)
{
    const unsigned char *kinds = look->verbs->kinds;
    const char *begin = at;
    while (true) {
        at = skip_plain(kinds, at, end);
        if (at == end) {
            return;
        }
        switch (kinds[(unsigned char)*at]) {
        case BYTE_UNDERSCORE:
            at = look_at_word(look, begin, at, end);
            break;
        case BYTE_SILENT:
            at = skip_silent(at, end);
            break;
        default:
            at = look_at_include(look, at, end);
            break;
        }
    }
}

void verbs_called(const Verbs *verbs, const char *text, size_t length, VerbFound found, void *ctx)
{
    const Look look = {.verbs = verbs, .found = found, .ctx = ctx};
    look_at(&look, text, text + length);
}

/* The verb whose name stands before a parenthesis, or null. */
static const Verb *verb_before(const Verbs *verbs, const char *text, const char *open)
{
    const char *end = open;
    while (end > text && end[-1] == ' ') {
        end--;
    }
    const char *word = end;
    while (word > text && is_word(verbs, word[-1])) {
        word--;
    }
    const bool may_be = end - word > 3 && word[0] == 'w' && word[1] == 'g' && word[2] == '_';
    return may_be ? verbs_find(verbs, word, (size_t)(end - word)) : NULL;
}

bool verbs_are_among(const Verbs *verbs, const char *text, size_t length, const VerbAnswer *answers)
{
    const char *end = text + length;
    bool among = memchr(text, '#', length) == NULL;
    for (const char *at = text; among && at < end;) {
        const char *open = memchr(at, '(', (size_t)(end - at));
        const Verb *verb = open != NULL ? verb_before(verbs, text, open) : NULL;
        among = verb == NULL || answers[verb - verbs->at] != VERB_UNASKED;
        at = open != NULL ? open + 1 : end;
    }
    return among;
}

/* ---- VERBS.md ---- */

static void add_verb(Arena *arena, Verbs *verbs, const char *name, size_t length, const Verb *known)
{
    if (verbs->count == verbs->capacity) {
        const uint32_t capacity = verbs->capacity == 0 ? 64 : verbs->capacity * 2;
        verbs->at = arena_grow(arena, verbs->at, verbs->count * sizeof(Verb), capacity * sizeof(Verb));
        verbs->capacity = capacity;
    }
    const char *copy = arena_copy(arena, name, length);
    if (table_add(&verbs->names, copy, length, 0, verbs->count) == NULL) {
        verbs->at[verbs->count] = *known;
        verbs->at[verbs->count++].name = copy;
    }
}

/* "    int32_t wg_rank(WgContext *ctx, ...": the name before the first parenthesis. */
static void read_prototype(Arena *arena, Verbs *verbs, const char *line, const char *end, Verb *known)
{
    const char *open = memchr(line, '(', (size_t)(end - line));
    const char *name = open;
    while (name != NULL && name > line && is_word(verbs, name[-1])) {
        name--;
    }
    if (name != NULL && (size_t)(open - name) > 3 && memcmp(name, "wg_", 3) == 0) {
        known->line = line + VERB_INDENT;
        add_verb(arena, verbs, name, (size_t)(open - name), known);
    }
}

static void read_document(Arena *arena, Verbs *verbs, const EmbeddedFile *document)
{
    const char *end = document->text + document->length;
    Verb known = {0};
    for (const char *line = document->text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *after = newline != NULL ? newline : end;
        if (line[0] == '#' && str_starts(line, "## ")) {
            known.reads = str_starts(line, "## Read");
            known.section = line + strlen("## ");
        } else if (line[0] == ' ' && str_starts(line, "    ") && is_word(verbs, line[4])) {
            read_prototype(arena, verbs, line, after, &known);
        }
        line = after + 1;
    }
}

/* ---- ops ---- */

typedef struct OpLook {
    const Verbs *verbs;
    bool *reads;
} OpLook;

static void note_read(void *ctx, uint32_t verb, const char *header)
{
    const OpLook *look = ctx;
    (void)header;
    *look->reads = *look->reads || look->verbs->at[verb].reads;
}

/* A template, and the partials and parents that it names; when a value names one, its caller reads anyway
 * (op/check_tensor). */
static void look_at_template(Arena *arena, OpLook *look, const char *name, int depth)
{
    const EmbeddedFile *file = embedded_find(name);
    if (file == NULL || depth > MAX_PARTIALS) {
        return;
    }
    verbs_called(look->verbs, file->text, file->length, note_read, look);
    for (const char *tag = strstr(file->text, "{{"); tag != NULL; tag = strstr(tag + 2, "{{")) {
        if ((tag[2] == '>' || tag[2] == '<') && tag[3] != '*') {
            const size_t length = strcspn(tag + 3, "}");
            look_at_template(arena, look, arena_printf(arena, "%.*s.mustache", (int)length, tag + 3), depth + 1);
        }
    }
}

bool verbs_op_reads(Verbs *verbs, OpKind kind)
{
    if (verbs->op_reads[kind] == 0) {
        bool reads = false;
        OpLook look = {verbs, &reads};
        look_at_template(verbs->arena, &look, arena_printf(verbs->arena, "op/%s.mustache", op_specs[kind].name), 0);
        verbs->op_reads[kind] = reads ? 1 : -1;
    }
    return verbs->op_reads[kind] > 0;
}

void verbs_look_at_ops(Verbs *verbs)
{
    for (int kind = 0; kind < OP_COUNT; kind++) {
        (void)verbs_op_reads(verbs, (OpKind)kind);
    }
}

Verbs *verbs_new(Arena *arena)
{
    Verbs *verbs = ARENA_NEW(arena, Verbs);
    *verbs = (Verbs){.arena = arena};
    table_init(&verbs->names, arena);
    fill_kinds(verbs->kinds);
    const EmbeddedFile *document = embedded_find("hosts/VERBS.md");
    if (document != NULL) {
        read_document(arena, verbs, document);
    }
    return verbs;
}
