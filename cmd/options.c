/* SPDX-License-Identifier: MIT */
/*
 * options - one row per option: how it is written, what it takes, what --help says, which function stores it. To add an
 * option, add a row here, a member of GenOptions, and a case in tests/cli/. Those that name an output are in
 * gen/outputs.def.
 */
#include "options.h"

#include <inttypes.h>
#include <string.h>

#include "../gen/algebra/expr.h"
#include "../gen/plan/plan.h"

/* ---- what options store ---- */

static void store_text(Parse *parse, const Option *row, const char *value)
{
    *(const char **)((char *)&parse->args->gen + row->member) = value;
}

static void store_number(Parse *parse, const Option *row, const char *value)
{
    const size_t num_digits = strspn(value, "0123456789");
    if (num_digits == 0 || num_digits > 9 || value[num_digits] != '\0') {
        USAGE(parse, "'%s' takes a number of at most nine digits, not '%s'", row->name, value);
    }
    store_text(parse, row, value);
}

static void store_split(Parse *parse, const Option *row, const char *value)
{
    const size_t num_digits = strspn(value, "0123456789");
    const bool number = num_digits > 0 && num_digits < 6 && value[num_digits] == '\0' && value[0] != '0';
    if (!number && !str_equal(value, "graphs") && !str_equal(value, "files")) {
        USAGE(parse, "'--split' takes graphs, files, or a number of parts from 1 to 99999, not '%s'", value);
    }
    store_text(parse, row, value);
}

static void store_fsync(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->gen.fsync = true;
}

static void store_amalgamate(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->gen.amalgamate = true;
}

static void store_input(Parse *parse, const Option *row, const char *value)
{
    GenOptions *gen = &parse->args->gen;
    (void)row;
    gen->inputs[gen->num_inputs++] = value;
}

static void store_action(Parse *parse, const Option *row, const char *value)
{
    if (parse->action) {
        USAGE(parse, "'%s' and '%s' exclude each other", parse->action->name, row->name);
    }
    parse->action = row;
    parse->args->gen.action = row->action;
    parse->args->gen.subject = value;
}

static void store_dump(Parse *parse, const Option *row, const char *value)
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

static void store_help(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->help = true;
}

static void store_version(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->version = true;
}

static void store_manual(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->page = "manual";
}

static void store_completions(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    parse->args->page = value;
}

static void store_format(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    parse->diag->format = str_equal(value, "json") ? DIAG_JSON : DIAG_TEXT;
}

static void store_color(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    parse->diag->color = str_equal(value, "always")  ? DIAG_COLOR_ALWAYS
                         : str_equal(value, "never") ? DIAG_COLOR_NEVER
                                                     : DIAG_COLOR_AUTO;
}

static void store_init(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->init = true;
}

static void store_cmake(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    (void)value;
    parse->args->cmake = true;
}

const OptionNumber option_limits[] = {
#define LIMIT(name, number, about) {#name, about, number, offsetof(Limits, name)},
    LIMITS(LIMIT)
#undef LIMIT
};

const size_t num_option_limits = sizeof option_limits / sizeof option_limits[0];

/* NAME=N; naming one twice is refused, like giving an option twice. */
static void store_limit(Parse *parse, const Option *row, const char *value)
{
    const Limits normal = limits_default();
    const size_t length = strcspn(value, "=");
    int64_t number = 0;
    (void)row;
    for (size_t i = 0; i < num_option_limits; i++) {
        const char *name = option_limits[i].name;
        const size_t member = option_limits[i].member;
        int64_t *limit = (int64_t *)(void *)((char *)&parse->args->gen.limits + member);
        if (strlen(name) != length || strncmp(name, value, length) != 0) {
            continue;
        }
        if (!value[length] || !expr_parse_integer(value + length + 1, &number) || number < 1 || number > LIMIT_MOST) {
            USAGE(parse, "'--limit %s=N' takes a number from 1 to %" PRId64 ", not '%s'", name, LIMIT_MOST,
                  value[length] ? value + length + 1 : "");
        } else if (*limit != *(const int64_t *)(const void *)((const char *)&normal + member)) {
            USAGE(parse, "'--limit %s' is given twice", name);
        }
        *limit = number;
        return;
    }
    USAGE(parse, "unknown limit '%.*s'; --help lists them", (int)length, value);
}

const OptionNumber option_warnings[] = {
#define WARNING(name, about) {"W_" #name, about, 0, 0},
    GEN_WARNINGS(WARNING)
#undef WARNING
};

const size_t num_option_warnings = sizeof option_warnings / sizeof option_warnings[0];

const char *option_warning(Arena *arena, size_t number)
{
    const char *code = option_warnings[number].name + strlen("W_");
    char *name = arena_copy(arena, code, strlen(code));
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
    for (size_t i = 0; i < num_option_warnings; i++) {
        const char *known = option_warning(parse->arena, i);
        const size_t apart = str_distance(name, known, distance);
        if (apart == 0) {
            return option_warnings[i].name;
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

static void store_warning(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    list_set(parse, &parse->diag->disabled, warning_code(parse, value), false);
}

static void store_no_warning(Parse *parse, const Option *row, const char *value)
{
    (void)row;
    list_set(parse, &parse->diag->disabled, warning_code(parse, value), true);
}

static void store_error(Parse *parse, const Option *row, const char *value)
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
#define EACH(store)    store, 0, GEN_WRITE, USE_GENERATING_REPEATED

const Option options[] = {
    {.help = "Beginning"},
    {"init", NULL, "[DIR]", "write a first project into DIR (default: .) and say how to build it", PLAIN(store_init)},
    {"--cmake", NULL, NULL, "with 'init': a CMakeLists.txt in place of the Makefile", PLAIN(store_cmake)},
    {.help = "Generating"},
    {"--in", "-i", "FILE", "the YAML ('--in' may be left out); repeatable; '-' is stdin", EACH(store_input)},
#define OUTPUT(name, option, letter, argument, help, render, traits)                                                   \
    {option, letter, argument, help, TEXT(outputs[GEN_##name])},
#define OUTPUT_WITH(name, of)
#include "../gen/outputs.def"
    {"--host", NULL, "HOST|FILE", "the tensor library, instead of the YAML's", TEXT(host)},
    {"--prefix", NULL, "TEXT", "starts every external name, instead of the YAML's", TEXT(prefix)},
    {"--templates", NULL, "DIR", "use its files in place of built-in templates", TEXT(templates)},
    {"--loop-from", NULL, "N", "write N or more similar operations as a loop (default: 96; 0: never)",
     NUMBER(loop_from)},
    {"--dispatch-strategy", NULL, "chain|tree|hash", "how variants are found (default: by cost)", TEXT(strategy)},
    {"--limit", NULL, "LIMIT=N", "raise a limit; limits refuse absurdly large input", EACH(store_limit)},
    {.help = "In a build"},
    {"--split", NULL, "N|graphs|files", "divide the source into N parts, or one for each graph or file, by name",
     store_split, offsetof(GenOptions, split), GEN_WRITE, USE_GENERATING},
    {"--check", NULL, NULL, "write nothing; show how outputs differ, exit with 1", ACTION(GEN_CHECK)},
    {"--depfile", NULL, "FILE", "also write which files were read, for Make or Ninja", TEXT(depfile)},
    {"--deptarget", NULL, "NAME", "the target in it (default: the one of --out)", TEXT(deptarget)},
    {"--fsync", NULL, NULL, "wait until the outputs are on the disk", store_fsync, 0, GEN_WRITE, USE_GENERATING},
    {"--list-outputs", NULL, NULL, "print the names of the outputs", ACTION(GEN_LIST_OUTPUTS)},
    {.help = "Looking inside"},
    {"--show", NULL, NULL, "explain every graph and kernel to a person, write nothing", ACTION(GEN_SHOW)},
    {"--show-html", NULL, NULL, "the same as a page with pictures, on standard output", ACTION(GEN_SHOW_HTML)},
    {"--diff", NULL, NULL, "compare two YAMLs, old and new; exit with 1 if they are not compatible", ACTION(GEN_DIFF)},
    {"--dump", NULL, "plan|plan:LAYER|view", "print an intermediate form (of one wrapper), write nothing",
     PLAIN(store_dump)},
    {"--size-report", NULL, NULL, "print how many bytes each part of the output has, write nothing",
     ACTION(GEN_SIZE_REPORT)},
    {"--print-schema", NULL, NULL, "print the JSON schema of the YAML", ACTION(GEN_PRINT_SCHEMA)},
    {"--print-host-schema", NULL, NULL, "print the JSON schema of a host's description", ACTION(GEN_PRINT_HOST_SCHEMA)},
    {"--print-host", NULL, "HOST", "print a built-in host's description", ACTION(GEN_PRINT_HOST)},
    {"--print-host-skeleton", NULL, "DIR", "write a host with just the verbs that the YAML needs",
     ACTION(GEN_PRINT_SKELETON)},
    {"--print-templates", NULL, "DIR", "write templates and hosts with their C below DIR", ACTION(GEN_PRINT_TEMPLATES)},
    {"--amalgamate", NULL, NULL, "with that, or for code over it: one header, one source for each host",
     PLAIN(store_amalgamate)},
    {"--print-manual", NULL, NULL, "print the manual page, wrapgen(1)", PLAIN(store_manual)},
    {"--print-completions", NULL, "bash|zsh|fish", "print what completes a command line in that shell",
     PLAIN(store_completions)},
    {.help = "Messages"},
    {"--explain", NULL, "CODE|list", "what a code means, with an example; list: all codes", ACTION(GEN_EXPLAIN)},
    {"--diagnostics", NULL, "text|json", "how to show messages (default: text)", PLAIN(store_format)},
    {"--color", NULL, "auto|always|never", "(default: auto)", PLAIN(store_color)},
    {"-Werror=", NULL, "WARNING", "make this warning an error", LIST(store_error)},
    {"-Werror", NULL, NULL, "make all warnings errors", LIST(store_error)},
    {"-Wno-", NULL, "WARNING", "do not show this warning", LIST(store_no_warning)},
    {"-W", NULL, "WARNING", "show this warning", LIST(store_warning)},
    {"--version", NULL, NULL, "print the version", PLAIN(store_version)},
    {"--help", "-h", NULL, "print this text", PLAIN(store_help)},
};

const size_t num_options = sizeof options / sizeof options[0];

const char *const option_statuses[] = {
    "done",
    "an output is missing or stale, or two versions are not compatible",
    "bad usage or bad input",
    "input/output or internal error",
};

const size_t num_option_statuses = sizeof option_statuses / sizeof option_statuses[0];

bool option_is_joined(const Option *row)
{
    return row->name && row->argument && str_starts(row->name, "-") && !str_starts(row->name, "--");
}

bool option_is_command(const Option *row)
{
    return row->name && !str_starts(row->name, "-");
}

/* ---- what --help and --version print ---- */

enum { HELP_COLUMN = 30 };

static void put_row(Str *out, const Option *row)
{
    const size_t start = out->length;
    str_printf(out, "  %s%s%s", row->letter ? row->letter : "", row->letter ? ", " : "", row->name);
    if (row->argument) {
        str_printf(out, "%s%s", option_is_joined(row) ? "" : " ", row->argument);
    }
    const size_t width = out->length - start;
    str_printf(out, "%*s%s\n", width < HELP_COLUMN ? (int)(HELP_COLUMN - width) : 1, "", row->help);
}

void args_help(Str *out)
{
    str_puts(out, "wrapgen graph.yaml --out wrappers.c\nwrapgen init DIR\n\n"
                  "Reads YAML that describes compiled graphs and writes their wrapper functions in C.\n");
    for (const Option *row = options; row < options + num_options; row++) {
        if (row->name) {
            put_row(out, row);
        } else {
            str_printf(out, "\n%s:\n", row->help);
        }
    }
    str_puts(out, "\nWarnings:\n");
    for (size_t i = 0; i < num_option_warnings; i++) {
        str_printf(out, "  %-*s%s\n", HELP_COLUMN - 2, option_warning(out->arena, i), option_warnings[i].about);
    }
    str_puts(out, "\nLimits:\n");
    for (const OptionNumber *limit = option_limits; limit < option_limits + num_option_limits; limit++) {
        str_printf(out, "  %-*s%s (default: %d)\n", HELP_COLUMN - 2, limit->name, limit->about, limit->number);
    }
    str_puts(out, "\nExit code:\n");
    for (size_t i = 0; i < num_option_statuses; i++) {
        str_printf(out, "  %zu %s\n", i, option_statuses[i]);
    }
}

void args_version(Str *out)
{
    str_puts(out, "wrapgen " WRAPGEN_VERSION "\n");
}
