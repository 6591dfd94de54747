/* SPDX-License-Identifier: MIT */
/*
 * load_fuzz - the loader against arbitrary bytes.
 *
 * With clang: clang -fsanitize=fuzzer,address,undefined ... With -DFUZZ_MAIN it is a program: load_fuzz COUNT SEED
 * FILE... runs the same test on COUNT mutants of the files, the same ones every time.
 *
 * What must hold, apart from no crash and no leak:
 *   1. The fast path misses nothing: what source_load() accepts, the full walk over libyaml's events accepts too. That
 *      stops at SOURCE_MAX_DEPTH and refuses tags, nulls and further documents, which libcyaml accepts.
 *   2. The walk knows all that libcyaml minds: they never disagree (E_INTERNAL).
 *   3. In what is accepted, every `[]` of the file, and nothing else, is a non-null pointer with count 0.
 *   4. What is refused has a message; what is reported can be shown, and every place in the loaded data has a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/yaml/shape.h"

static void fail(const char *what, const Source *source)
{
    fprintf(stderr, "load_fuzz: %s:\n", what);
    fwrite(source->text, 1, source->length, stderr);
    fputc('\n', stderr);
    abort();
}

/* ---- property 3, checked in a way of its own ---- */

static size_t count_empty_in_file(const Source *source)
{
    yaml_parser_t parser;
    yaml_event_t event;
    yaml_event_type_t last = YAML_NO_EVENT;
    size_t count = 0;

    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)source->text, source->length);
    while (last != YAML_STREAM_END_EVENT && yaml_parser_parse(&parser, &event)) {
        count += last == YAML_SEQUENCE_START_EVENT && event.type == YAML_SEQUENCE_END_EVENT;
        last = event.type;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return count;
}

static size_t count_empty_in_mapping(const cyaml_schema_field_t *fields, const char *data, Diag *diag);

static size_t count_empty_in_list(const cyaml_schema_field_t *field, const char *data, Diag *diag)
{
    const cyaml_schema_value_t *entry = field->value.sequence.entry;
    const char *list = NULL;
    uint32_t length = 0;
    size_t count = 0;

    memcpy(&list, data + field->data_offset, sizeof list);
    memcpy(&length, data + field->count_offset, sizeof length);
    for (uint32_t i = 0; entry->type == CYAML_MAPPING && i < length; i++) {
        count += count_empty_in_mapping(entry->mapping.fields, list + i * entry->data_size, diag);
    }
    return count + (list && length == 0);
}

/* Reports at every member on the way, for property 4. */
static size_t count_empty_in_mapping(const cyaml_schema_field_t *fields, const char *data, Diag *diag)
{
    size_t count = 0;

    diag_report(diag, DIAG_WARNING, "W_FUZZ", diag_mapping(data), "a mapping");
    for (; fields->key; fields++) {
        const char *member = data + fields->data_offset;
        diag_report(diag, DIAG_WARNING, "W_FUZZ", diag_value(member), "a value");
        diag_report(diag, DIAG_WARNING, "W_FUZZ", diag_key(member), "a key");
        if (fields->value.type == CYAML_SEQUENCE) {
            count += count_empty_in_list(fields, data, diag);
        } else if (fields->value.type == CYAML_MAPPING) {
            const char *mapping = NULL;
            memcpy(&mapping, member, sizeof mapping);
            count += mapping ? count_empty_in_mapping(fields->value.mapping.fields, mapping, diag) : 0;
        }
    }
    return count;
}

/* ---- one input ---- */

static void check_refused(const Diag *diag, const Source *source)
{
    if (diag->num_errors == 0) {
        fail("refused without a message", source);
    }
    for (const DiagMessage *message = diag->first; message; message = message->next) {
        if (strcmp(message->code, "E_INTERNAL") == 0) {
            fail(message->message, source);
        }
        if (message->place.part != DIAG_POSITION && message->place.part != DIAG_NOWHERE) {
            fail("a place has no position", source);
        }
    }
}

static void check_accepted(Arena *arena, Diag *diag, const Source *source)
{
    Diag silent;

    diag_init(&silent, arena);
    if (diag->num_errors > 0 || !shape_check(arena, &silent, source, NULL)) {
        fail("accepted, though the walk finds errors", source);
    }
    if (count_empty_in_mapping(spec_schema.mapping.fields, (const char *)source->spec, diag) !=
        count_empty_in_file(source)) {
        fail("empty and absent lists are confused", source);
    }
    source_resolve(arena, diag, source, 1);
    for (const DiagMessage *message = diag->first; message; message = message->next) {
        if (message->place.line == 0 || message->place.length == 0 || !message->place.path) {
            fail("a place in the loaded data has no line", source);
        }
    }
    diag_sort(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena;
    Diag diag;
    Str out;
    Source source = {.name = "fuzz.yaml", .length = size};

    arena_init(&arena);
    diag_init(&diag, &arena);
    source.text = arena_copy(&arena, (const char *)data, size);
    if (source_load(&arena, &diag, &source)) {
        check_accepted(&arena, &diag, &source);
    } else {
        check_refused(&diag, &source);
    }
    for (int i = 0; i < 2; i++) {
        out = str_new(&arena);
        diag.format = i == 0 ? DIAG_TEXT : DIAG_JSON;
        diag_render(&diag, &(DiagFile){source.name, source.text, source.length}, 1, i == 1, &out);
    }
    arena_release(&arena);
    return 0;
}

#ifdef FUZZ_MAIN

/* ---- mutants of a corpus ---- */

typedef struct Text {
    char *data;
    size_t length;
    size_t capacity;
} Text;

/* Fragments that matter to the scan, the walk and libcyaml. */
static const char *const fragments[] = {
    "[]",
    "[ ]",
    "[\n]",
    "[#\n]",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "? ",
    ",",
    "\n",
    "\n  ",
    "\n- ",
    "'",
    "\"",
    "''",
    "\"\"",
    "#",
    " #",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "! ",
    "~",
    "null",
    "Null",
    "NULL",
    "true",
    "yes",
    "<<: ",
    "---\n",
    "...\n",
    "\n---\n",
    "\n...\n",
    "%YAML 1.1\n",
    "%TAG ! x\n",
    "|\n",
    ">-\n",
    "\\0",
    "\"\\0\"",
    "\"\\x41\"",
    "\t",
    "\r",
    "\r\n",
    "\xEF\xBB\xBF",
    "\xC2\x85",
    "\xE2\x80\xA8",
    "\xFF",
    "wrapgen: 1\n",
    "inner: ",
    "{attr: a, inner: [",
    "size: []",
    "wait: ['']",
    "prefix:",
    "stream: null",
    "[[[[[[[[",
    "{a: {a: {a: ",
    "- - - - - - ",
    "outputs: []\n",
    "when: [{arg: a}]",
    "'[]'",
    "\"]\"",
    "a'b",
    "x\"y",
    "[a#b]",
    "[a #b\n]",
    "! []",
    "&a []",
    "[ !t []]",
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_random(state) % limit) : 0;
}

/* Replaces `removed` bytes at `at`. */
static void splice(Text *text, size_t at, size_t removed, const char *added, size_t length)
{
    if (text->length - removed + length > text->capacity) {
        return;
    }
    memmove(text->data + at + length, text->data + at + removed, text->length - at - removed);
    memcpy(text->data + at, added, length);
    text->length += length - removed;
}

static void mutate(Text *text, const Text *other, uint64_t *state)
{
    size_t at = below(state, text->length + 1);
    size_t rest = text->length - at;
    size_t some = below(state, rest < 40 ? rest + 1 : 40);
    const char *fragment = fragments[below(state, sizeof fragments / sizeof fragments[0])];
    size_t from = below(state, other->length);
    size_t length = below(state, other->length - from < 60 ? other->length - from : 60);

    switch (below(state, 6)) {
    case 0:
        splice(text, at, 0, fragment, strlen(fragment));
        break;
    case 1:
        splice(text, at, some, fragment, strlen(fragment));
        break;
    case 2:
        splice(text, at, some, "", 0);
        break;
    case 3:
        splice(text, at, 0, other->data + from, length);
        break;
    case 4: {
        char byte = (char)below(state, 256);
        splice(text, at, rest > 0, &byte, 1);
        break;
    }
    case 5: /* a piece of itself, repeated often enough to nest deeply */
        for (size_t i = below(state, 70); i > 0 && some > 0 && at + some < text->length; i--) {
            char piece[40];
            memcpy(piece, text->data + at, some);
            splice(text, at, 0, piece, some);
        }
        break;
    }
}

static Text read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    Text text = {.capacity = 1 << 16};

    text.data = malloc(text.capacity);
    if (!file || !text.data) {
        perror(path);
        exit(2);
    }
    text.length = fread(text.data, 1, text.capacity, file);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    long count = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
    uint64_t state = argc > 3 ? strtoull(argv[2], NULL, 10) * 2654435769U + 88172645463325252U : 0;
    size_t num_texts = argc > 3 ? (size_t)argc - 3 : 0;
    Text *texts = calloc(num_texts + 1, sizeof *texts);
    Text mutant = {.data = malloc(1 << 17), .capacity = 1 << 17};

    if (num_texts == 0 || !texts || !mutant.data) {
        fprintf(stderr, "usage: load_fuzz COUNT SEED FILE...\n");
        return 2;
    }
    for (size_t i = 0; i < num_texts; i++) {
        texts[i] = read_text(argv[i + 3]);
        LLVMFuzzerTestOneInput((const uint8_t *)texts[i].data, texts[i].length);
    }
    for (long i = 0; i < count; i++) {
        const Text *text = &texts[below(&state, num_texts)];
        memcpy(mutant.data, text->data, text->length);
        mutant.length = text->length;
        for (size_t n = 1 + below(&state, 4); n > 0; n--) {
            mutate(&mutant, &texts[below(&state, num_texts)], &state);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)mutant.data, mutant.length);
    }
    printf("ok 1 - the loader on %ld mutants of %zu files\n1 passed, 0 failed, 0 skipped\n", count, num_texts);
    for (size_t i = 0; i < num_texts; i++) {
        free(texts[i].data);
    }
    free(texts);
    free(mutant.data);
    return 0;
}

#endif
