/* SPDX-License-Identifier: MIT */
/*
 * diag - collecting and sorting diagnostics; diag_render.c shows them, source_resolve() gives them positions.
 *
 * Messages are kept in a list in the order in which they were reported. Nothing is lost and nothing is shown twice: a
 * stage reports everything it finds, and the caller stops after the stage when num_errors is not 0.
 */
#include "diag.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { EXCERPT_CHARACTERS = 60 };

void diag_init(Diag *diag, Arena *arena)
{
    memset(diag, 0, sizeof *diag);
    diag->arena = arena;
}

static char *format_text(Arena *arena, const char *format, va_list args)
{
    va_list again;
    int length = 0;
    char *text = NULL;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        return arena_copy(arena, format, strlen(format)); /* over 2 GiB: the bare format is better than nothing */
    }
    text = arena_alloc(arena, (size_t)length + 1);
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

static bool is_listed(const char *const *codes, const char *code)
{
    for (; codes && *codes; codes++) {
        if (strcmp(*codes, code) == 0) {
            return true;
        }
    }
    return false;
}

static void add_message(Diag *diag, DiagMessage *message)
{
    diag->num_errors += message->severity == DIAG_ERROR;
    diag->num_warnings += message->severity == DIAG_WARNING;
    message->order = diag->num_reported++;
    message->next = NULL;
    if (diag->last) {
        diag->last->next = message;
    } else {
        diag->first = message;
    }
    diag->last = message;
}

DiagMessage *diag_vreport(Diag *diag, DiagSeverity severity, const char *code, DiagPlace place, const char *format,
                          va_list args)
{
    DiagMessage *message = ARENA_NEW(diag->arena, DiagMessage);

    message->message = format_text(diag->arena, format, args);
    message->severity = severity;
    message->code = code;
    message->place = place;
    if (severity == DIAG_WARNING) {
        if (is_listed(diag->disabled, code)) {
            return message;
        }
        if (diag->warnings_are_errors || is_listed(diag->errors_for, code)) {
            message->severity = DIAG_ERROR;
        }
    }
    add_message(diag, message);
    return message;
}

DiagMessage *diag_report(Diag *diag, DiagSeverity severity, const char *code, DiagPlace place, const char *format, ...)
{
    DiagMessage *message = NULL;
    va_list args;

    va_start(args, format);
    message = diag_vreport(diag, severity, code, place, format, args);
    va_end(args);
    return message;
}

void diag_note(Diag *diag, DiagMessage *message, DiagPlace place, const char *format, ...)
{
    DiagNote *note = ARENA_NEW(diag->arena, DiagNote);
    DiagNote **end = &message->notes;
    va_list args;

    va_start(args, format);
    note->message = format_text(diag->arena, format, args);
    va_end(args);
    note->place = place;
    while (*end) {
        end = &(*end)->next;
    }
    *end = note;
}

void diag_take(Diag *diag, Diag *from)
{
    DiagMessage *next = NULL;

    for (DiagMessage *message = from->first; message; message = next) {
        next = message->next;
        add_message(diag, message);
    }
    diag_init(from, from->arena);
}

const char *diag_excerpt(Arena *arena, const char *text, size_t length)
{
    size_t i = 0;

    for (size_t count = 0; i < length; count++) {
        uint32_t code = 0;
        size_t size = utf8_decode(text + i, length - i, &code);
        if (count == EXCERPT_CHARACTERS) {
            return arena_printf(arena, "%.*s...", (int)i, text);
        }
        i += size ? size : 1;
    }
    return arena_copy(arena, text, length);
}

DiagPlace diag_nowhere(const char *file)
{
    return (DiagPlace){.part = DIAG_NOWHERE, .file = file};
}

DiagPlace diag_value(const void *field)
{
    return (DiagPlace){.part = DIAG_VALUE, .address = field};
}

DiagPlace diag_key(const void *field)
{
    return (DiagPlace){.part = DIAG_KEY, .address = field};
}

DiagPlace diag_mapping(const void *structure)
{
    return (DiagPlace){.part = DIAG_MAPPING, .address = structure};
}

DiagPlace diag_position(const char *file, size_t line, size_t column, size_t length)
{
    return (DiagPlace){.part = DIAG_POSITION, .file = file, .line = line, .column = column, .length = length};
}

static int compare_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* Orders files by name, so that the order does not depend on addresses; messages without a file come first. */
static int compare_messages(const void *left, const void *right)
{
    const DiagMessage *a = *(const DiagMessage *const *)left;
    const DiagMessage *b = *(const DiagMessage *const *)right;
    int order = 0;

    if (a->place.file && b->place.file) {
        order = strcmp(a->place.file, b->place.file);
    } else {
        order = (a->place.file != NULL) - (b->place.file != NULL);
    }
    if (order == 0) {
        order = compare_numbers(a->place.line, b->place.line);
    }
    if (order == 0) {
        order = compare_numbers(a->place.column, b->place.column);
    }
    return order ? order : compare_numbers(a->order, b->order);
}

void diag_sort(Diag *diag)
{
    size_t count = 0;
    size_t i = 0;
    DiagMessage **sorted = NULL;

    for (DiagMessage *message = diag->first; message; message = message->next) {
        count++;
    }
    if (count < 2) {
        return;
    }
    sorted = ARENA_ARRAY(diag->arena, DiagMessage *, count);
    for (DiagMessage *message = diag->first; message; message = message->next) {
        sorted[i++] = message;
    }
    qsort(sorted, count, sizeof sorted[0], compare_messages);
    for (i = 0; i + 1 < count; i++) {
        sorted[i]->next = sorted[i + 1];
    }
    sorted[count - 1]->next = NULL;
    diag->first = sorted[0];
    diag->last = sorted[count - 1];
}
