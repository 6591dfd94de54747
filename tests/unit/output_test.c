/* SPDX-License-Identifier: MIT */
/*
 * Tests of gen/base/output.c and gen/base/output_write.c on a real folder: what is written, what is left alone, and
 * that a failure leaves old files as they were and adds no new ones. Failures are caused by means of the
 * system: a file size limit, /dev/full, folders without permission (as user 65534 where the tests run as root), a
 * closed pipe, signals.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gen/base/output.h"
#include "tests/unit/check.h"

typedef struct Run {
    Arena arena;
    Diag diag;
    Output output;
} Run;

static void start(Run *run)
{
    memset(run, 0, sizeof *run);
    arena_init(&run->arena);
    diag_init(&run->diag, &run->arena);
    output_init(&run->output, &run->arena, &run->diag);
}

static bool add(Run *run, const char *path, const char *text)
{
    return output_add(&run->output, path, text, strlen(text));
}

/* One output, from start to end. */
static bool write_one(const char *path, const char *text)
{
    Run run;
    bool done = false;

    start(&run);
    done = add(&run, path, text) && output_commit(&run.output);
    arena_release(&run.arena);
    return done;
}

/* The first message of a run: "E_CODE path: text". */
static const char *complaint(Run *run)
{
    const DiagMessage *message = run->diag.first;

    return message ? arena_printf(&run->arena, "%s %s: %s", message->code, message->place.file, message->message) : "";
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

static bool holds(const char *path, const char *text)
{
    char buffer[200] = {0};
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(buffer, 1, sizeof buffer - 1, file) : 0;

    if (!file) {
        return false;
    }
    fclose(file);
    return length == strlen(text) && strcmp(buffer, text) == 0;
}

static int num_entries(const char *folder)
{
    DIR *directory = opendir(folder);
    int count = -2; /* . and .. */

    while (directory && readdir(directory)) {
        count++;
    }
    if (directory) {
        closedir(directory);
    }
    return count;
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static void test_writing(void)
{
    struct timespec past[2] = {{.tv_sec = 1000000, .tv_nsec = 5}, {.tv_sec = 1000000, .tv_nsec = 5}};
    struct stat before;
    struct stat after;

    umask(027);
    check(write_one("new.c", "one\n") && holds("new.c", "one\n"), "a new file");
    check(mode_of("new.c") == 0640, "has the mode that the umask leaves");
    umask(022);
    chmod("new.c", 0604);
    check(write_one("new.c", "two\n") && holds("new.c", "two\n"), "another text replaces it");
    check(mode_of("new.c") == 0604, "and its mode is kept");
    utimensat(AT_FDCWD, "new.c", past, 0);
    stat("new.c", &before);
    check(write_one("new.c", "two\n"), "the same text again");
    stat("new.c", &after);
    check(after.st_ino == before.st_ino && after.st_mtim.tv_sec == 1000000, "leaves the file as it is, with its mtime");
    check(write_one("new.c", "tw0\n"), "a text of the same length");
    stat("new.c", &after);
    check(holds("new.c", "tw0\n") && after.st_mtim.tv_sec != 1000000, "is written");
    check(write_one("new.c", "") && holds("new.c", ""), "an empty text");
    check(write_one("empty.c", "") && holds("empty.c", ""), "an empty new file");
    check(num_entries(".") == 2, "nothing else is in the folder");
}

static void test_large(void)
{
    Run run;
    size_t length = 3000001;
    char *text = malloc(length);
    char *back = malloc(length + 1);
    FILE *file = NULL;

    for (size_t i = 0; i < length; i++) {
        text[i] = (char)(i * 7 % 251);
    }
    start(&run);
    check(output_add(&run.output, "large.c", text, length) && output_commit(&run.output), "3 MB with all bytes");
    file = fopen("large.c", "r");
    check(file && fread(back, 1, length + 1, file) == length && memcmp(text, back, length) == 0, "are there");
    if (file) {
        fclose(file);
    }
    check(output_commit(&run.output) && run.output.first->unchanged, "and are not written twice");
    text[length - 1]++;
    check(output_commit(&run.output) && !run.output.first->unchanged, "but are when the last byte differs");
    arena_release(&run.arena);
    free(text);
    free(back);
    unlink("large.c");
}

/* Longer than a first guess at what readlink() may give. */
static void test_long_link(void)
{
    char path[420] = {0};

    while (strlen(path) < 400) {
        strcat(path, "./././");
    }
    strcat(path, "real/file.c");
    check(symlink(path, "long.c") == 0 && write_one("long.c", "long\n") && holds("real/file.c", "long\n"),
          "a link of 400 characters");
    unlink("long.c");
}

static void test_links(void)
{
    struct stat status;

    mkdir("real", 0755);
    put("real/file.c", "old\n");
    (void)!symlink("real/file.c", "link.c");
    (void)!symlink("link.c", "link2.c");
    check(write_one("link2.c", "new\n") && holds("real/file.c", "new\n"),
          "a link to a link: the file behind is written");
    check(lstat("link.c", &status) == 0 && S_ISLNK(status.st_mode) && lstat("link2.c", &status) == 0 &&
              S_ISLNK(status.st_mode),
          "and the links stay");
    (void)!symlink("real/none.c", "dangling.c");
    check(write_one("dangling.c", "made\n") && holds("real/none.c", "made\n"),
          "a link to nothing: the file is made there");
    (void)!symlink("loop.c", "loop.c");
    check(!write_one("loop.c", "x"), "a link to itself is refused");
    test_long_link();
    check(num_entries("real") == 2, "nothing else is in the folder behind");
    unlink("loop.c");
    unlink("link.c");
    unlink("link2.c");
    unlink("dangling.c");
    unlink("real/file.c");
    unlink("real/none.c");
    rmdir("real");
}

/* Adds both, expects the second to be refused as the same file. */
static void expect_same(const char *first, const char *second)
{
    Run run;

    start(&run);
    check(add(&run, first, "1") && !add(&run, second, "2") && run.diag.num_errors == 1 &&
              strcmp(run.diag.first->code, "E_USAGE") == 0,
          "'%s' and '%s' are one file", first, second);
    arena_release(&run.arena);
}

static void test_twice(void)
{
    Run run;
    bool all = true;

    mkdir("sub", 0755);
    put("there.c", "x");
    (void)!symlink("there.c", "alias.c");
    (void)!symlink("sub", "sub2");
    (void)!symlink("sub/later.c", "later.c");
    (void)!link("there.c", "hard.c");
    expect_same("-", "-");
    expect_same("there.c", "there.c");
    expect_same("there.c", "./sub/../there.c");
    expect_same("there.c", "alias.c");
    expect_same("there.c", "hard.c");
    expect_same("none.c", "./none.c");
    expect_same("sub/none.c", "sub2/none.c");
    expect_same("later.c", "sub/later.c");
    expect_same("nowhere/a.c", "nowhere/a.c");
    start(&run);
    check(add(&run, "none.c", "") && add(&run, "none.h", "") && add(&run, "sub/none.c", "") && add(&run, "-", ""),
          "different files are different");
    for (int i = 0; i < 3000; i++) {
        all = all && add(&run, arena_printf(&run.arena, "sub/part%d.c", i), "");
    }
    check(all && !add(&run, "sub2/part1234.c", ""), "one of 3000 is found again");
    arena_release(&run.arena);
    start(&run);
    check(add(&run, "/dev/null", "1") && add(&run, "/dev/null", "2") && output_commit(&run.output),
          "/dev/null takes any number");
    arena_release(&run.arena);
    unlink("alias.c");
    unlink("later.c");
    unlink("hard.c");
    unlink("there.c");
    unlink("sub2");
    rmdir("sub");
}

static void test_refused(void)
{
    Run run;

    mkdir("folder", 0755);
    start(&run);
    check(!add(&run, "folder", ""), "a folder");
    check_text(complaint(&run), "E_USAGE folder: the output is a directory", "is refused");
    check(!add(&run, "folder/", "") && !add(&run, "none/", "") && !add(&run, "", "") && !add(&run, ".", ""),
          "so are a slash at the end, nothing, and a dot");
    arena_release(&run.arena);
    start(&run);
    check(add(&run, "missing/a.c", "") && add(&run, "absent/b.c", "") && !output_commit(&run.output) &&
              run.diag.num_errors == 2,
          "folders that are missing are all reported");
    check_text(complaint(&run),
               "E_IO missing/a.c: cannot be written into the folder 'missing': No such file or directory",
               "with their names");
    arena_release(&run.arena);
    start(&run);
    put("plain", "x");
    check(!add(&run, "plain/a.c", "") && strcmp(run.diag.first->code, "E_IO") == 0, "a file is not a folder");
    arena_release(&run.arena);
    unlink("plain");
    rmdir("folder");
}

/* Runs `body` in a process of its own; true when it ended with exit code 0. */
static bool in_child(bool (*body)(void))
{
    int status = 0;
    pid_t child = 0;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        bool good = body();
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- permissions ---- */

static bool be_nobody(void)
{
    return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
}

static bool write_without_permission(void)
{
    Run run;
    bool good = be_nobody();

    start(&run);
    good = good && add(&run, "open/first.c", "new") && add(&run, "shut/old.c", "new") &&
           add(&run, "shut/none.c", "new") && add(&run, "open/locked.c", "new") && !output_commit(&run.output) &&
           run.diag.num_errors == 3;
    for (const DiagMessage *message = run.diag.first; message; message = message->next) {
        good = good && strcmp(message->code, "E_IO") == 0 && strstr(message->message, "Permission denied");
    }
    return good;
}

static bool rewrite_same(void)
{
    return be_nobody() && write_one("shut/old.c", "old");
}

static void test_permissions(void)
{
    mkdir("open", 0777);
    chmod("open", 0777);
    mkdir("shut", 0755);
    put("shut/old.c", "old");
    chmod("shut/old.c", 0666);
    put("open/locked.c", "old");
    chmod("open/locked.c", 0444);
    chmod("shut", 0555);
    check(in_child(write_without_permission), "a folder and a file that are write-protected: three errors in one run");
    check(holds("shut/old.c", "old") && holds("open/locked.c", "old"), "old files are as they were");
    check(num_entries("open") == 1 && num_entries("shut") == 1, "nothing new is there, nor in the folder that is open");
    check(in_child(rewrite_same), "what is there already needs no permission");
    chmod("shut", 0755);
    unlink("shut/old.c");
    unlink("open/locked.c");
    rmdir("shut");
    rmdir("open");
}

/* ---- a full disk ---- */

static bool write_beyond_limit(void)
{
    const struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
    char text[2001] = {0};
    Run run;

    memset(text, 'x', 2000);
    start(&run);
    return add(&run, "small.c", "new") && add(&run, "old.c", text) && setrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           !output_commit(&run.output) && strstr(complaint(&run), "E_IO old.c: cannot be written: File too large");
}

static bool write_to_full_device(void)
{
    Run run;

    start(&run);
    return add(&run, "small.c", "new") && add(&run, "/dev/full", "text") && !output_commit(&run.output) &&
           strstr(complaint(&run), "No space left on device");
}

/* What an output stream on standard output gives when the reader is gone, or the disk is full. */
static bool write_to_stdout(int descriptor)
{
    Run run;

    start(&run);
    return dup2(descriptor, STDOUT_FILENO) >= 0 && add(&run, "small.c", "new") && add(&run, "-", "text") &&
           !output_commit(&run.output);
}

static bool write_to_closed_pipe(void)
{
    int ends[2];

    return pipe(ends) == 0 && close(ends[0]) == 0 && write_to_stdout(ends[1]);
}

static bool write_to_full_stdout(void)
{
    return write_to_stdout(open("/dev/full", O_WRONLY));
}

static void test_full(void)
{
    put("old.c", "old");
    check(in_child(write_beyond_limit), "a file size limit is an error, not a signal");
    check(holds("old.c", "old") && num_entries(".") == 1, "the old file is as it was, and no other file is left");
    check(in_child(write_to_full_device), "no space on a device");
    check(in_child(write_to_full_stdout), "no space on standard output");
    check(in_child(write_to_closed_pipe), "a closed pipe is an error, not a signal");
    check(holds("old.c", "old") && num_entries(".") == 1, "no file was written then");
    unlink("old.c");
}

/* Standard output is a file whose name is gone: what /proc says where it leads is not a path. */
static bool write_to_nameless(void)
{
    char buffer[10] = {0};
    int descriptor = open("gone", O_RDWR | O_CREAT | O_TRUNC, 0600);
    Run run;

    start(&run);
    return unlink("gone") == 0 && dup2(descriptor, STDOUT_FILENO) >= 0 && add(&run, "/proc/self/fd/1", "text") &&
           output_commit(&run.output) && pread(descriptor, buffer, 9, 0) == 4 && strcmp(buffer, "text") == 0 &&
           num_entries(".") == 0;
}

/* "-" and a name that are one file. */
static bool name_stdout_twice(void)
{
    int descriptor = open("both", O_RDWR | O_CREAT | O_TRUNC, 0600);
    Run run;
    bool good = false;

    start(&run);
    good = dup2(descriptor, STDOUT_FILENO) >= 0 && add(&run, "both", "1") && !add(&run, "-", "2");
    unlink("both");
    return good;
}

static bool read_without_permission(void)
{
    Run run;
    Str out;
    bool good = be_nobody();

    start(&run);
    out = str_new(&run.arena);
    return good && add(&run, "secret.c", "x") && !output_check(&run.output, &out) && out.length == 0 &&
           strstr(complaint(&run), "E_IO secret.c: cannot be read: Permission denied");
}

static bool write_to_pipe(void)
{
    int ends[2];
    char buffer[10] = {0};
    Run run;

    start(&run);
    return pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0 && add(&run, "-", "text\n") &&
           output_commit(&run.output) && read(ends[0], buffer, 9) == 5 && strcmp(buffer, "text\n") == 0;
}

/* ---- between two renames ---- */

/*
 * The first target, which is renamed last, becomes a folder after the targets were looked at: a pipe among the outputs
 * holds output_commit() up until the child, which opens its other end, has made that folder.
 */
static void test_half(void)
{
    const struct timespec delay = {.tv_sec = 0, .tv_nsec = 200000000};
    Run run;
    pid_t child = 0;
    char byte = 0;

    mkfifo("pipe", 0600);
    put("second.c", "old");
    start(&run);
    check(add(&run, "first.c", "new") && add(&run, "pipe", "p") && add(&run, "second.c", "new"),
          "three outputs, one of them a pipe");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int descriptor = 0;
        nanosleep(&delay, NULL);
        mkdir("first.c", 0755);
        descriptor = open("pipe", O_RDONLY);
        _exit(read(descriptor, &byte, 1) == 1 ? 0 : 1);
    }
    check(!output_commit(&run.output), "the last can no longer be renamed");
    check(strstr(complaint(&run), "1 other outputs were already replaced") != NULL, "the message says what happened");
    check(holds("second.c", "new") && num_entries(".") == 3, "the other is replaced, and no other file is left");
    waitpid(child, NULL, 0);
    arena_release(&run.arena);
    unlink("pipe");
    unlink("second.c");
    rmdir("first.c");
}

/* ---- signals ---- */

enum { WHOLE = 8000000 };

static bool is_whole(const char *path, char *byte)
{
    FILE *file = fopen(path, "r");
    int first = file ? fgetc(file) : EOF;
    size_t count = first == EOF ? 0 : 1;

    for (int next = first; file && (next = fgetc(file)) == first; count++) {
    }
    if (file) {
        fclose(file);
    }
    *byte = (char)first;
    return count == WHOLE;
}

static void write_forever(void)
{
    char *text = malloc(WHOLE);
    Run run;

    for (char byte = 'b';; byte = byte == 'z' ? 'a' : (char)(byte + 1)) {
        memset(text, byte, WHOLE);
        start(&run);
        if (!output_add(&run.output, "big.c", text, WHOLE) || !output_commit(&run.output)) {
            _exit(1);
        }
        arena_release(&run.arena);
    }
}

/* SIGKILL leaves what was being written; whoever writes next into the folder removes it, but not what is another's. */
static void test_left_behind(void)
{
    static const char *const others[] = {".wrapgen-.tmp", ".wrapgen-12-.tmp", ".wrapgen-12-3.tmp.c", "wrapgen-12-3.tmp",
                                         ".wrapgen-x-3.tmp"};
    const size_t num_others = sizeof others / sizeof others[0];
    char mine[64];
    bool left = false;
    Run run;

    for (int i = 0; i < 40 && !left; i++) {
        struct timespec delay = {.tv_sec = 0, .tv_nsec = 20000000 + i * 3000000};
        pid_t child = 0;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            write_forever();
        }
        nanosleep(&delay, NULL);
        kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        left = num_entries(".") == 2;
    }
    check(left, "SIGKILL leaves a temporary file behind");
    for (size_t i = 0; i < num_others; i++) {
        fclose(fopen(others[i], "w"));
    }
    snprintf(mine, sizeof mine, ".wrapgen-%ld-7.tmp", (long)getpid());
    fclose(fopen(mine, "w"));
    for (int i = 0; i < 2; i++) { /* the second one has nothing to write, and cleans all the same */
        start(&run);
        check(output_add(&run.output, "big.c", "x", 1) && output_commit(&run.output), "the next run writes");
        arena_release(&run.arena);
        if (i == 0) {
            check(num_entries(".") == (int)num_others + 2, "and removes what it finds");
            const pid_t child = fork();
            if (child == 0) {
                _exit(0);
            }
            (void)waitpid(child, NULL, 0);
            char gone[64];
            snprintf(gone, sizeof gone, ".wrapgen-%ld-0.tmp", (long)child);
            fclose(fopen(gone, "w"));
        }
    }
    check(num_entries(".") == (int)num_others + 2,
          "and removes it, but no file of a process that lives, or of another name");
    for (size_t i = 0; i < num_others; i++) {
        unlink(others[i]);
    }
    unlink(mine);
    unlink("big.c");
}

static void test_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM};
    enum { NUM_SIGNALS = sizeof signals / sizeof signals[0] };
    bool whole = true;
    bool clean = true;
    bool died = true;

    for (int i = 0; i < 2 * NUM_SIGNALS; i++) {
        struct timespec delay = {.tv_sec = 0, .tv_nsec = 60000000 + i * 7000000};
        int status = 0;
        char byte = 0;
        pid_t child = 0;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            signal(signals[i % NUM_SIGNALS],
                   SIG_DFL); /* a job in the background of a script inherits that it is ignored */
            write_forever();
        }
        nanosleep(&delay, NULL);
        kill(child, signals[i % NUM_SIGNALS]);
        died = waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
               WTERMSIG(status) == signals[i % NUM_SIGNALS] && died;
        whole = (access("big.c", F_OK) != 0 || is_whole("big.c", &byte)) && whole;
        clean = clean && num_entries(".") <= 1;
    }
    check(died, "signals still end the process");
    check(whole, "but leave a whole file, old or new");
    check(clean, "and no temporary one");
    unlink("big.c");
}

/* ---- --check ---- */

static void test_check(void)
{
    Run run;
    Str out;

    put("same.c", "a\n");
    put("stale.c", "a\nb\n");
    start(&run);
    out = str_new(&run.arena);
    check(add(&run, "same.c", "a\n") && output_check(&run.output, &out) && out.length == 0,
          "what is the same is the same");
    check(add(&run, "stale.c", "a\nc\n") && add(&run, "none.c", "x\n") && !output_check(&run.output, &out),
          "a stale file and a missing one are told");
    check_text(
        str_text(&out),
        "--- a/stale.c\n+++ b/stale.c\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n--- /dev/null\n+++ b/none.c\n@@ -0,0 +1 @@\n+x\n",
        "as a difference");
    check(run.diag.num_errors == 0 && access("none.c", F_OK) != 0 && holds("stale.c", "a\nb\n"),
          "and nothing is written");
    check(add(&run, "-", "") && !output_check(&run.output, &out) && strcmp(run.diag.first->code, "E_USAGE") == 0,
          "standard output cannot be compared");
    arena_release(&run.arena);
    unlink("same.c");
    unlink("stale.c");
}

/* What output_read_lines() tells. */
typedef struct Lines {
    Str text;
    size_t pieces;
    size_t most;     /* pieces that are wanted */
    bool terminated; /* each, and each but the last ends with a line */
} Lines;

static bool add_lines(void *ctx, const char *text, size_t length)
{
    Lines *lines = ctx;
    const bool begins_line = lines->text.length == 0 || lines->text.data[lines->text.length - 1] == '\n';
    lines->terminated = lines->terminated && begins_line && strlen(text) == length;
    str_add(&lines->text, text, length);
    return ++lines->pieces < lines->most;
}

static Lines lines_of(Arena *arena, const char *path, size_t most)
{
    Lines lines = {.text = str_new(arena), .most = most, .terminated = true};
    output_read_lines(path, add_lines, &lines);
    return lines;
}

static void test_lines(void)
{
    Arena arena = {0};
    Str text = str_new(&arena);
    for (unsigned i = 0; text.length < 3500000; i++) {
        str_printf(&text, "%u: %.*s\n", i, (int)(i % 97),
                   "a line that ends somewhere, with as many bytes as it happens to have, so that pieces end in it");
    }
    str_puts(&text, "the last one");
    FILE *file = fopen("lines", "wb");
    check(file && fwrite(text.data, 1, text.length, file) == text.length && fclose(file) == 0, "a file of lines");
    const Lines all = lines_of(&arena, "lines", SIZE_MAX);
    check(all.pieces >= 4 && all.terminated && all.text.length == text.length &&
              memcmp(all.text.data, text.data, text.length) == 0,
          "its lines are told, some at a time (%zu)", all.pieces);
    const Lines first = lines_of(&arena, "lines", 1);
    check(first.pieces == 1 && first.text.length < 1100000, "no more than are wanted");
    check(lines_of(&arena, "nothing of that name", 9).pieces == 0 && lines_of(&arena, ".", 9).pieces == 0,
          "of a file alone");
    (void)unlink("lines");
    arena_release(&arena);
}

int main(void)
{
    char folder[] = "/tmp/wrapgen-output-XXXXXX";

    if (!mkdtemp(folder) || chmod(folder, 0755) != 0 || chdir(folder) != 0) {
        perror(folder);
        return 2;
    }
    umask(022);
    test_writing();
    unlink("new.c");
    unlink("empty.c");
    test_large();
    test_lines();
    test_links();
    test_twice();
    test_refused();
    test_permissions();
    test_full();
    check(in_child(write_to_pipe), "- is standard output");
    check(in_child(name_stdout_twice), "- and the file it leads to are one file");
    if (access("/proc/self/fd/1", F_OK) == 0) {
        check(in_child(write_to_nameless), "a file without a name, by /proc");
    } else {
        check_skip("a file without a name, by /proc", "there is no /proc");
    }
    put("secret.c", "");
    chmod("secret.c", 0);
    check(in_child(read_without_permission), "what cannot be read cannot be compared");
    unlink("secret.c");
    test_half();
    test_signals();
    test_left_behind();
    test_check();
    check(chdir("/") == 0 && rmdir(folder) == 0, "the folder is empty in the end");
    return check_done();
}
