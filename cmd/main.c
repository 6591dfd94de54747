/* SPDX-License-Identifier: MIT */
/*
 * main - parses the command line, calls gen_run(), shows the outcome, returns the exit code.
 *
 * 0 done · 1 an output is missing or stale (--check), or two versions are not compatible (--diff) · 2 bad usage or bad
 * input · 3 input/output or internal error. It never dies of a signal: a closed pipe and a file size limit are write
 * errors here. All diagnostics go to standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../gen/base/arena.h"
#include "../gen/base/diag.h"
#include "../gen/gen.h"
#include "../gen/base/str.h"
#include "args.h"
#include "init.h"
#include "page.h"
#include "progress.h"

/* A standard stream that the caller closed is opened the wrong way round, so that none of our files gets its number and
 * writing to it fails as it should. Standard error goes nowhere: there is no place left to complain. */
static void guard_streams(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int stream = 0; stream < 3; stream++) {
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", modes[stream]) != stream) {
            _exit(GEN_BROKEN);
        }
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static bool write_all(int stream, const Str *text)
{
    const char *next = str_text(text);
    for (size_t left = text->length; left;) {
        const ssize_t written = write(stream, next, left);
        if (written > 0) {
            next += written;
            left -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool wants_color(DiagColor color)
{
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    switch (color) {
    case DIAG_COLOR_ALWAYS:
        return true;
    case DIAG_COLOR_NEVER:
        return false;
    case DIAG_COLOR_AUTO:
        return isatty(STDERR_FILENO) && !(none && none[0]) && terminal && strcmp(terminal, "dumb") != 0;
    }
    return false;
}

/* What goes to standard output may go to the same terminal, in the middle of the line. */
static bool prints_while_running(const GenOptions *options)
{
    return options->outputs[GEN_SOURCE] && strcmp(options->outputs[GEN_SOURCE], "-") == 0;
}

static GenStatus run(Arena *arena, Diag *diag, int argc, char **argv, GenResult *result)
{
    Args args = {.help = false};
    ProgressLine line;
    const Progress progress = progress_begin(&line, diag);
    result->text = str_new(arena);
    if (!args_parse(arena, diag, argc, argv, &args)) {
        return gen_status(diag);
    }
    if (args.help) {
        args_help(&result->text);
        return GEN_DONE;
    }
    if (args.version) {
        args_version(&result->text);
        return GEN_DONE;
    }
    if (args.page) {
        (void)page_print(arena, diag, args.page, &result->text);
        return gen_status(diag);
    }
    if (args.init) {
        (void)init_write(arena, diag, &args, argv[0], &result->text);
        return gen_status(diag);
    }
    if (!prints_while_running(&args.gen)) {
        args.gen.progress = progress;
    }
    const GenStatus status = gen_run(arena, diag, &args.gen, result);
    progress_end(&line);
    return status;
}

int main(int argc, char **argv)
{
    Arena arena;
    Diag diag;
    GenResult result = {.num_files = 0};

    guard_streams();
    arena_init(&arena);
    diag_init(&diag, &arena);
    GenStatus status = run(&arena, &diag, argc, argv, &result);
    if (!write_all(STDOUT_FILENO, &result.text)) {
        diag_report(&diag, DIAG_ERROR, "E_IO", diag_nowhere(NULL), "cannot write standard output: %s", strerror(errno));
        status = GEN_BROKEN;
    }
    Str shown = str_new(&arena);
    diag_render(&diag, result.files, result.num_files, wants_color(diag.color), &shown);
    if (!write_all(STDERR_FILENO, &shown) && status == GEN_DONE) {
        status = GEN_BROKEN;
    }
    arena_release(&arena);
    return (int)status;
}
