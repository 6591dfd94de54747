/* SPDX-License-Identifier: MIT */
/*
 * args - one row per option: how it is written, what it takes, what --help says, which function stores it. To add an
 * option, add a row here, a member of GenOptions, and a case in tests/cli/.
 *
 * It is strict on purpose: it accepts no abbreviations, nothing given twice, nothing without effect; every mistake in a
 * command line is reported, not only the first.
 */
#include "args.h"

#include <inttypes.h>
#include <string.h>

#include "../gen/algebra/expr.h"
#include "../gen/plan/plan.h"

typedef struct Row Row;

typedef struct Parse {
    Arena *arena;
    Diag *diag;
    Args *args;
    const Row *action;  /* the option that chose args->gen.action, or null */
    const char **given; /* by row: how the option was written; null: not given */
} Parse;

/* When an option may be given. */
typedef enum Use {
    USE_ALWAYS,
    USE_REPEATED,  /* the same, more than once */
    USE_GENERATING /* not with --print-..., which would ignore it */
} Use;

struct Row {
    const char *name;     /* null: `help` is a heading. Ends in '=' or '-', or is "-W": the value is joined to it */
    const char *letter;   /* "-i" for "--in" */
    const char *argument; /* null: takes none; "a|b": one of these words */
    const char *help;
    void (*store)(Parse *parse, const Row *row, const char *value);
    size_t member; /* of GenOptions */
    GenAction action;
    Use use;
};

#define USAGE(parse, ...) diag_report((parse)->diag, DIAG_ERROR, "E_USAGE", diag_nowhere(NULL), __VA_ARGS__)

/* ---- what options store ---- */

static void store_text(Parse *parse, const Row *row, const char *value)
{
    *(const char **)((char *)&parse->args->gen + row->member) = value;
}

static void store_number(Parse *parse, const Row *row, const char *value)
{
    const size_t num_digits = strspn(value, "0123456789");
    if (num_digits == 0 || num_digits > 9 || value[num_digits] != '\0') {
        USAGE(parse, "'%s' takes a number of at most nine digits, not '%s'", row->name, value);
    }
    store_text(parse, row, value);
}

static void store_input(Parse *parse, const Row *row, const char *value)
{
    GenOptions *gen = &parse->args->gen;
    (void)row;
    for (size_t i = 0; i < gen->num_inputs; i++) {
        if (str_equal(gen->inputs[i], value)) {
            USAGE(parse, "input '%s' is given twice", value);
        }
    }
    gen->inputs[gen->num_inputs++] = value;
}

static void store_action(Parse *parse, const Row *row, const char *value)
{
    if (parse->action) {
        USAGE(parse, "'%s' and '%s' exclude each other", parse->action->name, row->name);
    }
    parse->action = row;
    parse->args->gen.action = row->action;
    parse->args->gen.subject = value;
}

static void store_dump(Parse *parse, const Row *row, const char *value)
{
    const char *layer = strchr(value, ':');
    Layer known = LAYER_COUNT;
    store_action(parse, row, layer ? layer + 1 : NULL);
    parse->args->gen.action = str_equal(value, "view") ? GEN_DUMP_VIEW : GEN_DUMP_PLAN;
    if (layer && !plan_layer(layer + 1, &known)) {
        Str names = str_new(parse->arena);
        for (int i = 0; i < LAYER_COUNT; i++) {
            str_printf(&names, "%s%s", i ? ", " : "", layer_specs[i].name);
        }
        USAGE(parse, "'--dump' has no layer '%s'; the layers are: %s", layer + 1, str_text(&names));
    }
}

static void store_help(Parse *parse, const Row *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->help = true;
}

static void store_version(Parse *parse, const Row *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->version = true;
}

static void store_format(Parse *parse, const Row *row, const char *value)
{
    (void)row;
    parse->diag->format = str_equal(value, "json") ? DIAG_JSON : DIAG_TEXT;
}

static void store_color(Parse *parse, const Row *row, const char *value)
{
    (void)row;
    parse->diag->color = str_equal(value, "always")  ? DIAG_COLOR_ALWAYS
                         : str_equal(value, "never") ? DIAG_COLOR_NEVER
                                                     : DIAG_COLOR_AUTO;
}

static const struct {
    const char *name;
    size_t member; /* of Limits */
} LIMIT_ROWS[] = {
#define LIMIT(name, number, about) {#name, offsetof(Limits, name)},
    LIMITS(LIMIT)
#undef LIMIT
};

/* NAME=N; naming one twice is refused, like giving an option twice. */
static void store_limit(Parse *parse, const Row *row, const char *value)
{
    const Limits normal = limits_default();
    const size_t length = strcspn(value, "=");
    int64_t number = 0;
    (void)row;
    for (size_t i = 0; i < sizeof LIMIT_ROWS / sizeof LIMIT_ROWS[0]; i++) {
        const size_t member = LIMIT_ROWS[i].member;
        int64_t *limit = (int64_t *)(void *)((char *)&parse->args->gen.limits + member);
        if (strlen(LIMIT_ROWS[i].name) != length || strncmp(LIMIT_ROWS[i].name, value, length) != 0) {
            continue;
        }
        if (!value[length] || !expr_parse_integer(value + length + 1, &number) || number < 1 || number > LIMIT_MOST) {
            USAGE(parse, "'--limit %s=N' takes a number from 1 to %" PRId64 ", not '%s'", LIMIT_ROWS[i].name,
                  LIMIT_MOST, value[length] ? value + length + 1 : "");
        } else if (*limit != *(const int64_t *)(const void *)((const char *)&normal + member)) {
            USAGE(parse, "'--limit %s' is given twice", LIMIT_ROWS[i].name);
        }
        *limit = number;
        return;
    }
    USAGE(parse, "unknown limit '%.*s'; --help lists them", (int)length, value);
}

static const char *const WARNINGS[] = {
#define WARNING(name, about) "W_" #name,
    GEN_WARNINGS(WARNING)
#undef WARNING
};

enum { NUM_WARNINGS = sizeof WARNINGS / sizeof WARNINGS[0] };

/* A warning's name is its code in small letters: "unused-template" is W_UNUSED_TEMPLATE. */
static const char *warning_name(Arena *arena, const char *code)
{
    char *name = arena_copy(arena, code + strlen("W_"), strlen(code + strlen("W_")));
    for (char *next = name; *next; next++) {
        *next = *next == '_' ? '-' : (char)(*next - 'A' + 'a');
    }
    return name;
}

/* Null: reported. */
static const char *warning_code(Parse *parse, const char *name)
{
    const char *nearest = NULL;
    size_t distance = 3;
    for (size_t i = 0; i < NUM_WARNINGS; i++) {
        const char *known = warning_name(parse->arena, WARNINGS[i]);
        const size_t apart = str_distance(name, known, distance);
        if (apart == 0) {
            return WARNINGS[i];
        }
        nearest = apart < distance ? known : nearest;
        distance = apart < distance ? apart : distance;
    }
    if (nearest) {
        USAGE(parse, "unknown warning '%s'; did you mean '%s'?", name, nearest);
    } else {
        USAGE(parse, "unknown warning '%s'; --help lists them", name);
    }
    return NULL;
}

/* Lists are null-terminated and have no duplicates. */
static void list_set(Parse *parse, const char ***list, const char *code, bool listed)
{
    if (!code) {
        return;
    }
    size_t count = 0;
    size_t kept = 0;
    while (*list && (*list)[count]) {
        count++;
    }
    const char **copy = ARENA_ARRAY(parse->arena, const char *, count + 2);
    for (size_t i = 0; i < count; i++) {
        if (!str_equal((*list)[i], code)) {
            copy[kept++] = (*list)[i];
        }
    }
    if (listed) {
        copy[kept] = code;
    }
    *list = copy;
}

static void store_warning(Parse *parse, const Row *row, const char *value)
{
    (void)row;
    list_set(parse, &parse->diag->disabled, warning_code(parse, value), false);
}

static void store_no_warning(Parse *parse, const Row *row, const char *value)
{
    (void)row;
    list_set(parse, &parse->diag->disabled, warning_code(parse, value), true);
}

static void store_error(Parse *parse, const Row *row, const char *value)
{
    (void)row;
    if (!value) {
        parse->diag->warnings_are_errors = true;
        return;
    }
    const char *code = warning_code(parse, value);
    list_set(parse, &parse->diag->disabled, code, false);
    list_set(parse, &parse->diag->errors_for, code, true);
}

/* ---- the table ---- */

#define TEXT(member)   store_text, offsetof(GenOptions, member), GEN_WRITE, USE_GENERATING
#define NUMBER(member) store_number, offsetof(GenOptions, member), GEN_WRITE, USE_GENERATING
#define ACTION(action) store_action, 0, action, USE_ALWAYS
#define PLAIN(store)   store, 0, GEN_WRITE, USE_ALWAYS
#define LIST(store)    store, 0, GEN_WRITE, USE_REPEATED

static const Row ROWS[] = {
    {.help = "Generating"},
    {"--in", "-i", "FILE", "the YAML ('--in' may be left out); repeatable; '-' is stdin", LIST(store_input)},
    {"--out", "-o", "FILE", "where the C goes; '-' is standard output", TEXT(out)},
    {"--header", NULL, "FILE", "also write a header with the typed entries", TEXT(header)},
    {"--emit-contract", NULL, "FILE", "also write what was generated, for programs (JSON)", TEXT(contract)},
    {"--emit-selftest", NULL, "FILE", "also write C that tests the wrappers when it runs", TEXT(selftest)},
    {"--emit-kernel-stub", NULL, "FILE", "also write compiled functions to fill in, once", TEXT(stub)},
    {"--host", NULL, "NAME|FILE", "the tensor library, instead of the YAML's", TEXT(host)},
    {"--prefix", NULL, "TEXT", "starts every external name, instead of the YAML's", TEXT(prefix)},
    {"--templates", NULL, "DIR", "use its files in place of built-in templates", TEXT(templates)},
    {"--loop-from", NULL, "N", "write N or more similar operations as a loop (default: 96; 0: never)",
     NUMBER(loop_from)},
    {"--dispatch-strategy", NULL, "chain|tree|hash", "how variants are found (default: by cost)", TEXT(strategy)},
    {"--limit", NULL, "NAME=N", "raise a limit; limits refuse absurdly large input", LIST(store_limit)},
    {.help = "In a build"},
    {"--check", NULL, NULL, "write nothing; show how outputs differ, exit with 1", ACTION(GEN_CHECK)},
    {"--depfile", NULL, "FILE", "also write which files were read, for Make or Ninja", TEXT(depfile)},
    {"--deptarget", NULL, "NAME", "the target in it (default: the one of --out)", TEXT(deptarget)},
    {"--list-outputs", NULL, NULL, "print the names of the outputs", ACTION(GEN_LIST_OUTPUTS)},
    {.help = "Looking inside"},
    {"--dump", NULL, "plan|plan:LAYER|view", "print an intermediate form (of one wrapper), write nothing",
     PLAIN(store_dump)},
    {"--print-schema", NULL, NULL, "print the JSON schema of the YAML", ACTION(GEN_PRINT_SCHEMA)},
    {"--print-host", NULL, "NAME", "print a built-in host's description", ACTION(GEN_PRINT_HOST)},
    {"--print-templates", NULL, "DIR", "write templates and hosts with their C below DIR", ACTION(GEN_PRINT_TEMPLATES)},
    {.help = "Messages"},
    {"--explain", NULL, "CODE", "what the code of a message means, with an example", ACTION(GEN_EXPLAIN)},
    {"--diagnostics", NULL, "text|json", "how to show messages (default: text)", PLAIN(store_format)},
    {"--color", NULL, "auto|always|never", "(default: auto)", PLAIN(store_color)},
    {"-Werror=", NULL, "NAME", "make this warning an error", LIST(store_error)},
    {"-Werror", NULL, NULL, "make all warnings errors", LIST(store_error)},
    {"-Wno-", NULL, "NAME", "do not show this warning", LIST(store_no_warning)},
    {"-W", NULL, "NAME", "show this warning", LIST(store_warning)},
    {"--version", NULL, NULL, "print the version", PLAIN(store_version)},
    {"--help", "-h", NULL, "print this text", PLAIN(store_help)},
};

enum { NUM_ROWS = sizeof ROWS / sizeof ROWS[0] };

/* Options that are planned but not built. A name moves from here to a row above; the README lists the same ones, which
 * a test checks. */
typedef struct Planned {
    const char *name;
    const char *what;
} Planned;

static const Planned PLANNED[] = {
    {"--split", "one C file per graph"},
    {"--diff", "how two descriptions differ"},
    {"--show", "a graph as text or as a page"},
};

enum { NUM_PLANNED = sizeof PLANNED / sizeof PLANNED[0] };

static bool is_joined(const Row *row)
{
    return row->name && row->argument && !str_starts(row->name, "--");
}

/* ---- parsing ---- */

/* The row that `text` names, and the value that is part of it ("--out=x", "-Wno-y"), else null. */
static const Row *find_row(const char *text, const char **value)
{
    *value = NULL;
    for (const Row *row = ROWS; row < ROWS + NUM_ROWS; row++) {
        const size_t length = row->name ? strlen(row->name) : 0;
        if (!row->name || (!str_starts(text, row->name) && !(row->letter && str_equal(text, row->letter)))) {
            continue;
        }
        if (is_joined(row) && text[length]) {
            *value = text + length;
            return row;
        }
        if (!is_joined(row) && (row->letter && str_equal(text, row->letter))) {
            return row;
        }
        if (!is_joined(row) && text[length] == '=' && str_starts(text, "--")) {
            *value = text + length + 1;
            return row;
        }
        if (!is_joined(row) && !text[length]) {
            return row;
        }
    }
    return NULL;
}

/* An argument that is not an option is an input. */
static const Row *input_row(void)
{
    const Row *row = ROWS;
    while (row->store != store_input) {
        row++;
    }
    return row;
}

static bool report_planned(Parse *parse, const char *name)
{
    for (const Planned *planned = PLANNED; planned < PLANNED + NUM_PLANNED; planned++) {
        if (str_equal(name, planned->name)) {
            USAGE(parse, "'%s' (%s) is planned and does not exist yet", planned->name, planned->what);
            return true;
        }
    }
    return false;
}

static void report_unknown(Parse *parse, const char *text)
{
    const char *nearest = NULL;
    size_t distance = 3; /* one more than the most that counts as a slip */
    const size_t length = strcspn(text, "=");
    const char *name = arena_copy(parse->arena, text, length);
    if (report_planned(parse, name)) {
        return;
    }
    for (const Row *row = ROWS; row < ROWS + NUM_ROWS; row++) {
        const size_t apart = row->name ? str_distance(name, row->name, distance) : distance;
        if (apart < distance) {
            distance = apart;
            nearest = row->name;
        }
    }
    if (nearest) {
        USAGE(parse, "unknown option '%s'; did you mean '%s'?", name, nearest);
    } else {
        USAGE(parse, "unknown option '%s'; --help lists them", name);
    }
}

/* Is `value` one of the words of "a|b"? Anything may follow a colon in a word. */
static bool is_word(const char *words, const char *value)
{
    const size_t length = strlen(value);
    while (words) {
        const size_t word = strcspn(words, "|");
        const size_t fixed = strcspn(words, ":|") + 1;
        const bool open = fixed <= word && length > fixed;
        if (strncmp(words, value, open ? fixed : length) == 0 && (open || word == length)) {
            return true;
        }
        words = words[word] ? words + word + 1 : NULL;
    }
    return false;
}

static bool accepts(Parse *parse, const Row *row, const char *text, const char *value)
{
    const char **given = &parse->given[row - ROWS];
    if (*given && row->use != USE_REPEATED) {
        USAGE(parse, "'%s' is given twice", row->name);
        return false;
    }
    *given = text;
    if (!row->argument && value) {
        USAGE(parse, "'%s' takes no value", row->name);
        return false;
    }
    if (row->argument && !value) {
        USAGE(parse, "'%s' needs its %s", text, row->argument);
        return false;
    }
    if (row->argument && !*value && !str_equal(row->name, "--prefix")) {
        USAGE(parse, "the %s of '%s' is empty", row->argument, row->name);
        return false;
    }
    if (row->argument && strchr(row->argument, '|') && row->argument[0] >= 'a' && !is_word(row->argument, value)) {
        USAGE(parse, "'%s' takes %s, not '%s'", row->name, row->argument, value);
        return false;
    }
    return true;
}

/* Could this argument be the value of the option before it? Another option cannot ("--out --header x" forgot
 * something). */
static bool is_value(const char *text)
{
    return text && (text[0] != '-' || !text[1]);
}

static void parse_all(Parse *parse, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = NULL;
        const Row *row = find_row(argv[i], &value);
        const char *text = argv[i];
        if (!row && is_value(text)) {
            parse->given[input_row() - ROWS] = text;
            store_input(parse, input_row(), text);
            continue;
        }
        if (!row) {
            report_unknown(parse, text);
            i += text[0] == '-' && is_value(argv[i + 1]); /* one mistake, not two */
            continue;
        }
        if (row->argument && !value && is_value(argv[i + 1])) {
            value = argv[++i];
        }
        if (accepts(parse, row, text, value)) {
            row->store(parse, row, value);
        }
        if (parse->args->help || parse->args->version) {
            return;
        }
    }
}

/* ---- options that must fit together ---- */

static bool is_generating(const GenOptions *gen)
{
    switch (gen->action) {
    case GEN_WRITE:
    case GEN_CHECK:
    case GEN_DUMP_PLAN:
    case GEN_DUMP_VIEW:
    case GEN_LIST_OUTPUTS:
        return true;
    case GEN_PRINT_SCHEMA:
    case GEN_PRINT_HOST:
    case GEN_EXPLAIN:
    case GEN_PRINT_TEMPLATES:
        break;
    }
    return false;
}

static bool is_dash(const char *path)
{
    return path && str_equal(path, "-");
}

/* The source says #include "<base name of the header>". */
static bool is_includable(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (const char *next = name; *next; next++) {
        if (*next < ' ' || *next > '~' || strchr("\"\\<>?", *next)) {
            return false;
        }
    }
    return *name && !is_dash(path);
}

static void check_missing(Parse *parse)
{
    const GenOptions *gen = &parse->args->gen;
    const bool dumps = gen->action == GEN_DUMP_PLAN || gen->action == GEN_DUMP_VIEW;
    if (!gen->num_inputs) {
        USAGE(parse, "no input: 'wrapgen FILE --out FILE' (--help lists the options)");
    }
    if (!gen->out && !dumps) {
        USAGE(parse, "no output: --out FILE is missing ('-' is standard output)");
    }
}

static void check_together(Parse *parse)
{
    const GenOptions *gen = &parse->args->gen;
    const bool needs_file = gen->action == GEN_CHECK || gen->action == GEN_LIST_OUTPUTS;
    if (is_dash(gen->out) && needs_file) {
        USAGE(parse, "'%s' needs an output that is a file, not '-'", parse->action->name);
    }
    if (gen->header && !is_includable(gen->header)) {
        USAGE(parse, "'--header' needs a file name that an #include can hold, not '%s'", gen->header);
    }
    if (gen->selftest && gen->out && !is_includable(gen->out)) {
        USAGE(parse, "'--emit-selftest' needs an --out that an #include can hold, not '%s'", gen->out);
    }
    if (gen->stub && !gen->header) {
        USAGE(parse, "'--emit-kernel-stub' needs '--header', which the stub includes");
    }
    if (gen->deptarget && !gen->depfile) {
        USAGE(parse, "'--deptarget' has no meaning without '--depfile'");
    }
    if (gen->depfile && is_dash(gen->out) && !gen->deptarget) {
        USAGE(parse, "'--depfile' needs '--deptarget' when the output is '-'");
    }
}

static void check_printing(Parse *parse)
{
    for (const Row *row = ROWS; row < ROWS + NUM_ROWS; row++) {
        const bool ignored = row->use == USE_GENERATING || row->store == store_input || row->store == store_limit;
        const char *given = parse->given[row - ROWS];
        if (ignored && given) {
            USAGE(parse, "'%s' has no meaning with '%s'", is_value(given) ? given : row->name, parse->action->name);
        }
    }
}

/* ---- the command line without --check, for a shell ---- */

static void put_quoted(Str *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
    if (*text && strspn(text, plain) == strlen(text)) {
        str_puts(out, text);
        return;
    }
    str_putc(out, '\'');
    for (const char *next = text; *next; next++) {
        if (*next == '\'') {
            str_puts(out, "'\\''");
        } else {
            str_putc(out, *next);
        }
    }
    str_putc(out, '\'');
}

static const char *write_command(Parse *parse, int argc, char **argv)
{
    Str command = str_new(parse->arena);
    for (int i = 0; i < argc; i++) {
        if (str_equal(argv[i], "--check")) {
            continue;
        }
        str_puts(&command, i ? " " : "");
        put_quoted(&command, argv[i]);
    }
    return str_text(&command);
}

bool args_parse(Arena *arena, Diag *diag, int argc, char **argv, Args *args)
{
    Parse parse = {arena, diag, args, NULL, ARENA_ARRAY(arena, const char *, NUM_ROWS)};
    *args = (Args){.gen.limits = limits_default(), .gen.inputs = ARENA_ARRAY(arena, const char *, (size_t)argc + 1)};
    parse_all(&parse, argc, argv);
    if (diag->num_errors || args->help || args->version) {
        return !diag->num_errors;
    }
    if (is_generating(&args->gen)) {
        check_missing(&parse);
        check_together(&parse);
        args->gen.write_command = args->gen.action == GEN_CHECK ? write_command(&parse, argc, argv) : NULL;
    } else {
        check_printing(&parse);
    }
    return !diag->num_errors;
}

/* ---- what --help and --version print ---- */

enum { HELP_COLUMN = 30 };

static void put_row(Str *out, const Row *row)
{
    const size_t start = out->length;
    str_printf(out, "  %s%s%s", row->letter ? row->letter : "", row->letter ? ", " : "", row->name);
    if (row->argument) {
        str_printf(out, "%s%s", is_joined(row) ? "" : " ", row->argument);
    }
    const size_t width = out->length - start;
    str_printf(out, "%*s%s\n", width < HELP_COLUMN ? (int)(HELP_COLUMN - width) : 1, "", row->help);
}

void args_help(Str *out)
{
    str_puts(out, "wrapgen graph.yaml --out wrappers.c\n\n"
                  "Reads YAML that describes compiled graphs and writes their wrapper functions in C.\n");
    for (const Row *row = ROWS; row < ROWS + NUM_ROWS; row++) {
        if (row->name) {
            put_row(out, row);
        } else {
            str_printf(out, "\n%s:\n", row->help);
        }
    }
    str_puts(out, "\nWarnings:\n");
#define WARNING(name, about)                                                                                           \
    str_printf(out, "  %-*s%s\n", HELP_COLUMN - 2, warning_name(out->arena, "W_" #name), about);
    GEN_WARNINGS(WARNING)
#undef WARNING
    str_puts(out, "\nLimits:\n");
#define LIMIT(name, number, about) str_printf(out, "  %-*s%s (default: %d)\n", HELP_COLUMN - 2, #name, about, number);
    LIMITS(LIMIT)
#undef LIMIT
    str_puts(out, "\nExit code:\n  0 done, 1 an output is missing or stale, 2 bad usage or bad input,\n"
                  "  3 input/output or internal error\n");
}

void args_version(Str *out)
{
    str_puts(out, "wrapgen " WRAPGEN_VERSION "\n");
}
