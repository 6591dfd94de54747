/* SPDX-License-Identifier: MIT */
/*
 * options - one row per option: how it is written, what it takes, what --help says, which function stores it. To add an
 * option, add a row here, a member of GenOptions, and a case in tests/cli/.
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

static void store_input(Parse *parse, const Option *row, const char *value)
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

static const struct {
    const char *name;
    size_t member; /* of Limits */
} LIMIT_ROWS[] = {
#define LIMIT(name, number, about) {#name, offsetof(Limits, name)},
    LIMITS(LIMIT)
#undef LIMIT
};

/* NAME=N; naming one twice is refused, like giving an option twice. */
static void store_limit(Parse *parse, const Option *row, const char *value)
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
    {.help = "Generating"},
    {"--in", "-i", "FILE", "the YAML ('--in' may be left out); repeatable; '-' is stdin", EACH(store_input)},
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
    {"--limit", NULL, "NAME=N", "raise a limit; limits refuse absurdly large input", EACH(store_limit)},
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

const size_t num_options = sizeof options / sizeof options[0];

bool option_is_joined(const Option *row)
{
    return row->name && row->argument && !str_starts(row->name, "--");
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
    str_puts(out, "wrapgen graph.yaml --out wrappers.c\n\n"
                  "Reads YAML that describes compiled graphs and writes their wrapper functions in C.\n");
    for (const Option *row = options; row < options + num_options; row++) {
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
