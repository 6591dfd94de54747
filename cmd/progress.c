/* SPDX-License-Identifier: MIT */
/* progress - see progress.h. A line that cannot be written is not missed, so nothing is reported. */
#include "progress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERASE "\r\033[K"

static const int64_t first_after = 1000; /* milliseconds */
static const int64_t again_after = 100;

static int64_t since(const struct timespec *then, const struct timespec *now)
{
    return ((int64_t)now->tv_sec - (int64_t)then->tv_sec) * 1000 + (now->tv_nsec - then->tv_nsec) / 1000000;
}

static void show(const char *text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0) {
        return;
    }
}

/* 2000 becomes "2,000". */
static void put_grouped(Str *out, size_t number)
{
    if (number < 1000) {
        str_printf(out, "%zu", number);
        return;
    }
    put_grouped(out, number / 1000);
    str_printf(out, ",%03zu", number % 1000);
}

static void tell(void *ctx, const char *what, size_t done, size_t total)
{
    ProgressLine *line = ctx;
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0 || since(&line->begun, &now) < first_after ||
        (line->visible && since(&line->shown, &now) < again_after)) {
        return;
    }
    line->text.length = 0;
    str_puts(&line->text, ERASE "wrapgen: ");
    put_grouped(&line->text, done);
    str_puts(&line->text, " of ");
    put_grouped(&line->text, total);
    str_printf(&line->text, " %s", what);
    show(str_text(&line->text), line->text.length);
    line->visible = true;
    line->shown = now;
}

void progress_end(ProgressLine *line)
{
    if (line->visible) {
        show(ERASE, strlen(ERASE));
    }
    line->visible = false;
}

/* Said in a log too, since whoever reads that wonders; and in the format of all messages, but at once. */
static void tell_wait(void *ctx, const char *path)
{
    ProgressLine *line = ctx;
    Diag said;
    Str text = str_new(line->diag->arena);
    diag_init(&said, line->diag->arena);
    said.format = line->diag->format;
    diag_report(&said, DIAG_NOTE, NULL, diag_nowhere(path), "waiting for another process, which has locked this file");
    progress_end(line);
    diag_render(&said, NULL, 0, false, &text);
    show(str_text(&text), text.length);
}

Progress progress_begin(ProgressLine *line, const Diag *diag)
{
    const char *terminal = getenv("TERM");
    *line = (ProgressLine){.diag = diag, .text = str_new(diag->arena)};
    const bool can = isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
                     clock_gettime(CLOCK_MONOTONIC, &line->begun) == 0;
    return (Progress){can ? tell : NULL, tell_wait, line};
}
