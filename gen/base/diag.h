/* SPDX-License-Identifier: MIT */
/*
 * diag - diagnostics: collected during a stage, sorted, then shown, all of them.
 *
 * What one looks like as text (tests/errors/ freezes every one):
 *
 *     graph.yaml:12:16: error: unknown dtype 'float33'; did you mean 'float32'? [E_VALUE]
 *        12 |         dtype: float33
 *           |                ^~~~~~~
 *           = at graphs[0].inputs[1].dtype
 *     graph.yaml:9:15: note: first given here
 *         9 |       - name: x
 *           |               ^
 *
 * Without a line it is `graph.yaml: error: ...`, without a file `wrapgen: error: ...`. As JSON it is one object per
 * line, with the members file line column length severity code message path notes; each note has file line column
 * length message path; unknown members are null. A code never changes its meaning; codes of errors start with E_, of
 * warnings with W_.
 *
 * On the good path nothing carries a position. A rule names its subject by the address of the loaded field (DiagPlace);
 * all positions are resolved in one pass over the file when there is something to show.
 */
#ifndef WRAPGEN_DIAG_H
#define WRAPGEN_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"
#include "str.h"

typedef enum DiagSeverity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } DiagSeverity;

/* The part of a YAML node that a diagnostic points at. */
typedef enum DiagPart {
    DIAG_NOWHERE, /* no position: the whole file */
    DIAG_VALUE, /* the value of a field, or an element of a list: address of the member or element in the loaded structs
                 */
    DIAG_KEY,   /* the key of that field */
    DIAG_MAPPING, /* a mapping as a whole: address of its struct */
    DIAG_POSITION /* already resolved: file, line, column are given */
} DiagPart;

typedef struct DiagPlace {
    DiagPart part;
    const void *address;
    const char *file;
    size_t line;      /* 1-based; 0 = none */
    size_t column;    /* 1-based, in characters; for a DIAG_VALUE not yet resolved: characters of its text to skip */
    size_t length;    /* characters to underline, at least 1; if not yet resolved, 0 is the rest of it */
    const char *path; /* "graphs[0].inputs[1].dtype", or null */
} DiagPlace;

typedef struct DiagNote {
    DiagPlace place;
    const char *message;
    struct DiagNote *next;
} DiagNote;

typedef struct DiagMessage {
    DiagSeverity severity;
    const char *code; /* stable: E_..., or W_... for a warning */
    DiagPlace place;
    const char *message;
    DiagNote *notes;
    size_t order; /* the order of reporting, which breaks ties of the sort */
    struct DiagMessage *next;
} DiagMessage;

typedef enum DiagFormat { DIAG_TEXT, DIAG_JSON } DiagFormat;
typedef enum DiagColor { DIAG_COLOR_AUTO, DIAG_COLOR_ALWAYS, DIAG_COLOR_NEVER } DiagColor;

typedef struct Diag {
    Arena *arena;
    DiagMessage *first;
    DiagMessage *last;
    size_t num_reported;
    size_t num_errors;
    size_t num_warnings;
    bool warnings_are_errors; /* -Werror */
    const char **errors_for;  /* -Werror=code: null-terminated list, or null */
    const char **disabled;    /* -Wno-code: null-terminated list, or null */
    DiagFormat format;
    DiagColor color;
} Diag;

void diag_init(Diag *diag, Arena *arena);

/* Reports something; the message is copied. Returns it so that notes can be added. A warning that -Wno-... switched off
 * is dropped (the result then is a message that is never shown), one that -Werror names counts and is shown as an
 * error.
 */
DiagMessage *diag_report(Diag *diag, DiagSeverity severity, const char *code, DiagPlace place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
DiagMessage *diag_vreport(Diag *diag, DiagSeverity severity, const char *code, DiagPlace place, const char *format,
                          va_list args) __attribute__((format(printf, 5, 0)));
void diag_note(Diag *diag, DiagMessage *message, DiagPlace place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends all messages of `from` to those of `diag`; both have the same arena. */
void diag_take(Diag *diag, Diag *from);

/* `text` for use between quotes in a message: cut if it is too long to be read there. */
const char *diag_excerpt(Arena *arena, const char *text, size_t length);

/* Places. A DIAG_VALUE or DIAG_KEY of a field that the file leaves out resolves to the start of its mapping. */
DiagPlace diag_nowhere(const char *file);
DiagPlace diag_value(const void *field);
DiagPlace diag_key(const void *field);
DiagPlace diag_mapping(const void *structure);
DiagPlace diag_position(const char *file, size_t line, size_t column, size_t length);

/* Sorts by file, line, column, then order. Every place must be resolved (source.h does that for the YAML's). */
void diag_sort(Diag *diag);

/* One file's text, for the source line and caret. */
typedef struct DiagFile {
    const char *name;
    const char *text;
    size_t length;
} DiagFile;

/* Renders all messages into `out`, in the format asked for; `color` is the outcome of diag->color. Control bytes and
 * over-long text are made harmless; a caret is placed by display width (tabs and wide characters included), columns
 * count characters. Time grows linearly with the files and the messages, no matter what is in them. */
void diag_render(const Diag *diag, const DiagFile *files, size_t num_files, bool color, Str *out);

#endif /* WRAPGEN_DIAG_H */
