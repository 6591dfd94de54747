/* SPDX-License-Identifier: MIT */
/*
 * output - the outputs of a run: texts (long ones: long_text.h), written all or nothing, atomically, only when the
 * bytes change.
 *
 * All outputs of a run are collected first. output_commit() writes each to a temporary file next to its target (same
 * directory, umask honoured, existing permissions kept), checks every call, and renames only after all were written; an
 * output whose bytes are already there keeps its mtime. A symbolic link stays: its target is replaced. "-" is standard
 * output; it, and anything that is not a regular file (a pipe, /dev/null), is written directly, before any rename.
 * output_check() writes nothing and compares instead.
 *
 * A set of outputs comes from one run: runs that write into one folder take turns, and a set with several changed files
 * is renamed in one go, the first output last. What is replaced or removed is decided in a run's own turn. A file
 * system has no rename of several files at once, so a run that dies between two renames (SIGKILL, power), some
 * microseconds each, leaves files of two runs. Then a makefile's target, the first output, is still the old one, so the
 * next build makes the set again; and the number in the header keeps the compiler from taking one that is mixed.
 * Nothing waits for the disk unless `synchronous` is set: after a power failure a build starts again, as it does with
 * the output of compilers, and every build would pay for it.
 *
 * Signals that end a process wait while files are written and renamed, so they leave either state whole and no
 * temporary file behind. SIGKILL may leave one, named .wrapgen-<process>-<number>.tmp; the next run that writes into
 * the folder removes it if its process is gone and it has no lock. A closed pipe or a file size limit is an error here,
 * not a signal, and a named pipe without a reader is an error after a few seconds. Nothing waits while signals do.
 */
#ifndef WRAPGEN_OUTPUT_H
#define WRAPGEN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "long_text.h"
#include "progress.h"
#include "str.h"
#include "table.h"

typedef struct OutputFile {
    const char *path;     /* as the caller named it */
    const LongText *text; /* null: it is the following */
    const char *data;
    size_t length;         /* of either */
    const char *temporary; /* while output_commit() runs */
    int lock;              /* the lock on it, which says that this run is still alive */
    bool unchanged;
    bool once; /* not to be replaced by other bytes */
    struct OutputFile *next;
    struct OutputFile *same_name; /* in another folder, or the same */

    /* Filled by output_add(). */
    bool stream;        /* written directly: "-" or not a regular file */
    const char *target; /* the path with its last symbolic links followed; what is replaced */
    uint64_t device;    /* identity: of the file if `base` is empty, else of the directory in which it has that name */
    uint64_t inode;
    const char *base;
} OutputFile;

/* A file that the run does not make any more. */
typedef struct OutputLeftover {
    const char *path;
    struct OutputLeftover *next;
} OutputLeftover;

typedef struct Output Output;

struct Output {
    Arena *arena;
    Diag *diag;
    OutputFile *first;
    OutputFile *last;
    OutputFile **slots; /* hash table by identity */
    size_t num_slots;
    size_t num_files;
    Table names; /* without folders, to indices in `named` */
    OutputFile **named;
    size_t num_names;
    void (*find_leftovers)(void *ctx, Output *output); /* set by the caller: calls output_remove(); null: none */
    void *leftovers_ctx;
    OutputLeftover *leftovers;
    unsigned num_locks;
    unsigned num_temporaries; /* names that have been tried */
    Progress progress;        /* set by the caller: told about each file that is there, so far as a temporary file */
    bool synchronous; /* set by the caller: every file is on the disk before any is renamed, and so is every folder
                         after */
};

void output_init(Output *output, Arena *arena, Diag *diag);

/* Data is borrowed. Two outputs with one path (compared by file identity where they exist, else by directory and name)
 * are reported (E_USAGE), and so is a directory or a path that cannot be looked up (E_USAGE, E_IO); then returns
 * false. */
bool output_add(Output *output, const char *path, const char *data, size_t length);

/* The same for a long text. */
bool output_add_long(Output *output, const char *path, const LongText *text);

/* The same, for a file that is its user's once it exists: committing with other bytes there is an error (E_USAGE). */
bool output_add_once(Output *output, const char *path, const char *data, size_t length);

/* Is there an output of that name in that folder? */
bool output_has(const Output *output, const char *path);

/* The folder that a text for that path can have its own files in; null: `path` is not a regular file's. */
const char *output_folder(Arena *arena, const char *path);

/* A file to remove with the commit: before the first output is replaced, so that a run that is killed before does it
 * again. Called by find_leftovers, in this run's turn. The path is borrowed. */
void output_remove(Output *output, const char *path);

/* Tells a regular file's lines, about a megabyte of them at a time and terminated, until the sink returns false or no
 * more can be read. */
void output_read_lines(const char *path, LongSink *sink, void *ctx);

/* false: reported to diag (E_IO), no target was changed unless the failure came between two renames, and then the
 * message says so. */
bool output_commit(Output *output);

/* Compares: true when all targets are there with the same bytes, and none that is to be removed. Appends a unified diff
 * of each that is not (a missing one against /dev/null) to `out`. I/O errors other than "does not exist" are reported
 * to diag (E_IO), and so is standard output, which has nothing to compare with (E_USAGE); the result is then also
 * false. */
bool output_check(Output *output, Str *out);

#endif /* WRAPGEN_OUTPUT_H */
