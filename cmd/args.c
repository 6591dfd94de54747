/* SPDX-License-Identifier: MIT */
/*
 * args - parses the command line by the rows of options.c, and says which options do not fit together.
 *
 * It is strict on purpose: it accepts no abbreviations, nothing given twice, nothing without effect; every mistake in a
 * command line is reported, not only the first.
 */
#include "options.h"

#include <string.h>

/* ---- parsing ---- */

/* The row that `text` names, and the value that is part of it ("--out=x", "-Wno-y"), else null. */
static const Option *find_row(const char *text, const char **value)
{
    *value = NULL;
    for (const Option *row = options; row < options + num_options; row++) {
        const size_t length = row->name ? strlen(row->name) : 0;
        if (!row->name || option_is_command(row) ||
            (!str_starts(text, row->name) && !(row->letter && str_equal(text, row->letter)))) {
            continue;
        }
        if (option_is_joined(row) && text[length]) {
            *value = text + length;
            return row;
        }
        if (!option_is_joined(row) && (row->letter && str_equal(text, row->letter))) {
            return row;
        }
        if (!option_is_joined(row) && text[length] == '=' && str_starts(text, "--")) {
            *value = text + length + 1;
            return row;
        }
        if (!option_is_joined(row) && !text[length]) {
            return row;
        }
    }
    return NULL;
}

/* The row of a command; null if that word is none. */
static const Option *command_row(const char *text)
{
    for (const Option *row = options; row < options + num_options; row++) {
        if (option_is_command(row) && str_equal(row->name, text)) {
            return row;
        }
    }
    return NULL;
}

/* An argument that is not an option is an input. */
static const Option *input_row(void)
{
    const Option *row = options;
    while (row->name == NULL || !str_equal(row->name, "--in")) {
        row++;
    }
    return row;
}

static void report_unknown(Parse *parse, const char *text)
{
    const char *nearest = NULL;
    size_t distance = 3; /* one more than the most that counts as a slip */
    const size_t length = strcspn(text, "=");
    const char *name = arena_copy(parse->arena, text, length);
    for (const Option *row = options; row < options + num_options; row++) {
        const size_t apart = row->name ? str_distance(name, row->name, distance) : distance;
        if (apart < distance) {
            distance = apart;
            nearest = row->name;
        }
    }
    if (parse->args->init && str_equal(name, "--from")) {
        USAGE(parse, "'init' cannot read PyTorch; this can: 'wrapgen-torch init MODEL.py --out DIR'");
    } else if (nearest) {
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

static bool accepts(Parse *parse, const Option *row, const char *text, const char *value)
{
    const char **given = &parse->given[row - options];
    if (*given && row->use != USE_REPEATED && row->use != USE_GENERATING_REPEATED) {
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

static void store_folder(Parse *parse, const char *text)
{
    if (parse->args->folder) {
        USAGE(parse, "'init' takes one folder, not also '%s'", text);
    } else if (!*text || str_equal(text, "-")) {
        USAGE(parse, "'init' takes a folder, not '%s'", text);
    }
    parse->args->folder = text;
}

static void parse_all(Parse *parse, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = NULL;
        const Option *row = i == 1 ? command_row(argv[i]) : NULL;
        const char *text = argv[i];
        if (row) {
            parse->given[row - options] = text;
            row->store(parse, row, NULL);
            continue;
        }
        row = find_row(text, &value);
        if (!row && is_value(text) && parse->args->init) {
            store_folder(parse, text);
            continue;
        }
        if (!row && is_value(text)) {
            parse->given[input_row() - options] = text;
            input_row()->store(parse, input_row(), text);
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
        if (parse->args->help || parse->args->version || parse->args->page) {
            return;
        }
    }
}

/* ---- options that must fit together ---- */

typedef struct OutputRow {
    const char *option; /* null: it has none of its own */
    int traits;
} OutputRow;

static const OutputRow output_rows[] = {
#define OUTPUT(name, option, letter, argument, help, render, traits) {option, traits},
#define OUTPUT_WITH(name, of)                                        {NULL, 0},
#include "../gen/outputs.def"
};

static bool is_generating(const GenOptions *gen)
{
    switch (gen->action) {
    case GEN_WRITE:
    case GEN_CHECK:
    case GEN_DUMP_PLAN:
    case GEN_DUMP_VIEW:
    case GEN_SIZE_REPORT:
    case GEN_SHOW:
    case GEN_SHOW_HTML:
    case GEN_DIFF:
    case GEN_PRINT_SKELETON:
    case GEN_LIST_OUTPUTS:
        return true;
    case GEN_PRINT_SCHEMA:
    case GEN_PRINT_HOST_SCHEMA:
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
    const char *name = str_base_name(path);
    for (const char *next = name; *next; next++) {
        if (*next < ' ' || *next > '~' || strchr("\"\\<>?", *next)) {
            return false;
        }
    }
    return *name && !is_dash(path);
}

/* "src/wrappers.c" becomes the module `wrappers`. */
static bool is_module(Arena *arena, const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const char *name = str_base_name(path);
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return *name && strchr(letters, *name) && str_equal(name + length, ".c") &&
           !gen_is_python_keyword(arena_copy(arena, name, length));
}

/* Two versions may be the same file. */
static void check_inputs(Parse *parse)
{
    const GenOptions *gen = &parse->args->gen;
    for (size_t i = 1; gen->action != GEN_DIFF && i < gen->num_inputs; i++) {
        for (size_t k = 0; k < i; k++) {
            if (str_equal(gen->inputs[k], gen->inputs[i])) {
                USAGE(parse, "input '%s' is given twice", gen->inputs[i]);
            }
        }
    }
}

/* Is a stub all that is asked for? */
static bool is_stub_alone(const GenOptions *gen)
{
    bool alone = gen->outputs[GEN_STUB] && (gen->action == GEN_WRITE || gen->action == GEN_LIST_OUTPUTS) &&
                 !gen->depfile && !gen->split;
    for (int i = 0; i < GEN_NUM_OUTPUTS && alone; i++) {
        alone = i == GEN_STUB || i == GEN_HEADER || !gen->outputs[i];
    }
    return alone;
}

/* "graphs/tally.yaml" becomes "tally.h". */
static const char *header_after(Arena *arena, const char *input)
{
    const char *name = str_base_name(input);
    const char *dot = strrchr(name, '.');
    const char *header = arena_printf(arena, "%.*s.h", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    return is_dash(input) || !is_includable(header) ? "wrappers.h" : header;
}

static void check_missing(Parse *parse)
{
    GenOptions *gen = &parse->args->gen;
    if (!gen->num_inputs) {
        USAGE(parse, "no input: 'wrapgen FILE --out FILE' (--help lists the options)");
    }
    if (gen->action == GEN_DIFF && gen->num_inputs && gen->num_inputs != 2) {
        USAGE(parse, "'--diff' compares two files: 'wrapgen --diff OLD.yaml NEW.yaml'");
    }
    if (is_stub_alone(gen) && gen->num_inputs && !gen->outputs[GEN_HEADER]) {
        gen->outputs[GEN_HEADER] = header_after(parse->arena, gen->inputs[0]);
    }
    if (!gen->outputs[GEN_SOURCE] && !gen_only_prints(gen->action) && !is_stub_alone(gen)) {
        USAGE(parse, "no output: --out FILE is missing ('-' is standard output)");
    }
}

static void check_idle(Parse *parse, const char *option)
{
    for (const Option *row = options; row < options + num_options && option; row++) {
        if (row->name && str_equal(row->name, option) && parse->given[row - options]) {
            USAGE(parse, "'%s' cannot be used with '%s'", row->name, parse->action->name);
        }
    }
}

/* A skeleton is its own output, and its own host. */
static void check_skeleton(Parse *parse)
{
    static const char *const idle[] = {"--host", "--depfile", "--deptarget", "--fsync", "--split"};
    for (int i = 0; i < GEN_NUM_OUTPUTS; i++) {
        check_idle(parse, output_rows[i].option);
    }
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
        check_idle(parse, idle[i]);
    }
}

/* What one output asks of its own name and of the others. */
static void check_output(Parse *parse, GenOutput output)
{
    const GenOptions *gen = &parse->args->gen;
    const char *option = output_rows[output].option;
    const char *path = gen->outputs[output];
    const char *source = gen->outputs[GEN_SOURCE];
    const int traits = output_rows[output].traits;
    if ((traits & GEN_INCLUDED) != 0 && !is_includable(path)) {
        USAGE(parse, "'%s' needs a file name that an #include can hold, not '%s'", option, path);
    }
    if ((traits & GEN_INCLUDES_SOURCE) != 0 && source && !is_includable(source)) {
        USAGE(parse, "'%s' needs an --out that an #include can hold, not '%s'", option, source);
    }
    if ((traits & GEN_INCLUDES_HEADER) != 0 && !gen->outputs[GEN_HEADER] &&
        (source || (traits & GEN_WRITTEN_ONCE) == 0)) {
        USAGE(parse, "'%s' needs '--header FILE', since what it writes includes the header", option);
    }
    if ((traits & GEN_IS_MODULE) != 0 && !is_module(parse->arena, path)) {
        USAGE(parse, "'%s' needs a file called after the module, 'name.c', not '%s'", option, path);
    }
}

static void check_together(Parse *parse)
{
    const GenOptions *gen = &parse->args->gen;
    if (gen->action == GEN_PRINT_SKELETON) {
        check_skeleton(parse);
    }
    const bool needs_file = gen->action == GEN_CHECK || gen->action == GEN_LIST_OUTPUTS;
    if (is_dash(gen->outputs[GEN_SOURCE]) && needs_file) {
        USAGE(parse, "'%s' needs an output that is a file, not '-'", parse->action->name);
    }
    for (int i = 0; i < GEN_NUM_OUTPUTS; i++) {
        if (gen->outputs[i]) {
            check_output(parse, (GenOutput)i);
        }
    }
    if (gen->deptarget && !gen->depfile) {
        USAGE(parse, "'--deptarget' requires '--depfile'");
    }
    if (gen->depfile && is_dash(gen->outputs[GEN_SOURCE]) && !gen->deptarget) {
        USAGE(parse, "'--depfile' needs '--deptarget' when the output is '-'");
    }
}

/* Parts are called after files, and their sources and headers include one another. */
static void check_split(Parse *parse)
{
    const GenOptions *gen = &parse->args->gen;
    if (gen->split == NULL) {
        return;
    }
    if (gen_only_prints(gen->action)) {
        USAGE(parse, "'--split' cannot be used with '%s'", parse->action->name);
    }
    if (gen->outputs[GEN_HEADER] == NULL) {
        USAGE(parse, "'--split' needs '--header', since each part has a header of its own");
    }
    if (gen->outputs[GEN_SOURCE] && !is_includable(gen->outputs[GEN_SOURCE])) {
        USAGE(parse, "'--split' needs an --out that an #include can hold, not '%s'", gen->outputs[GEN_SOURCE]);
    }
    for (size_t i = 0; str_equal(gen->split, "files") && i < gen->num_inputs; i++) {
        if (!is_includable(gen->inputs[i])) {
            USAGE(parse, "'--split files' needs inputs with names that an #include can hold, not '%s'", gen->inputs[i]);
        }
    }
}

static void check_printing(Parse *parse)
{
    for (const Option *row = options; row < options + num_options; row++) {
        const bool ignored = row->use == USE_GENERATING || row->use == USE_GENERATING_REPEATED;
        const char *given = parse->given[row - options];
        if (ignored && given) {
            USAGE(parse, "'%s' cannot be used with '%s'", is_value(given) ? given : row->name, parse->action->name);
        }
    }
}

/* A self-test and a proof have a host of their own. */
static void check_amalgamate(Parse *parse)
{
    const GenOptions *gen = &parse->args->gen;
    if (!gen->amalgamate) {
        return;
    }
    switch (gen->action) {
    case GEN_WRITE:
    case GEN_CHECK:
    case GEN_DUMP_VIEW:
    case GEN_SIZE_REPORT:
    case GEN_LIST_OUTPUTS:
    case GEN_PRINT_TEMPLATES:
        break;
    default:
        USAGE(parse, "'--amalgamate' cannot be used with '%s'", parse->action->name);
    }
    for (int i = 0; i < GEN_NUM_OUTPUTS; i++) {
        if (gen->outputs[i] && (output_rows[i].traits & GEN_INCLUDES_SOURCE) != 0) {
            USAGE(parse, "'--amalgamate' cannot be used with '%s', which has a host of its own: leave it out there",
                  output_rows[i].option);
        }
    }
}

/* 'init' takes its folder, --cmake, and what says how messages are shown. */
static void check_init(Parse *parse)
{
    Args *args = parse->args;
    if (args->cmake && !args->init) {
        USAGE(parse, "'--cmake' requires 'init': 'wrapgen init DIR --cmake'");
    }
    for (const Option *row = options; row < options + num_options && args->init; row++) {
        const bool generating = row->use == USE_GENERATING || row->use == USE_GENERATING_REPEATED;
        const bool given = parse->given[row - options] != NULL;
        if (given && (generating || row == parse->action || str_equal(row->name, "--amalgamate"))) {
            USAGE(parse, "'%s' cannot be used with 'init'", row->name);
        }
    }
    args->folder = args->folder ? args->folder : ".";
}

/* ---- the command line without --check, for a shell ---- */

void args_put_quoted(Str *out, const char *text)
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
        args_put_quoted(&command, argv[i]);
    }
    return str_text(&command);
}

bool args_parse(Arena *arena, Diag *diag, int argc, char **argv, Args *args)
{
    Parse parse = {arena, diag, args, NULL, ARENA_ARRAY(arena, const char *, num_options)};
    *args = (Args){.gen.limits = limits_default(), .gen.inputs = ARENA_ARRAY(arena, const char *, (size_t)argc + 1)};
    parse_all(&parse, argc, argv);
    if (diag->num_errors || args->help || args->version || args->page) {
        return !diag->num_errors;
    }
    check_init(&parse);
    check_amalgamate(&parse);
    if (args->init) {
        return !diag->num_errors;
    }
    if (is_generating(&args->gen)) {
        check_inputs(&parse);
        check_missing(&parse);
        check_together(&parse);
        check_split(&parse);
        args->gen.write_command = args->gen.action == GEN_CHECK ? write_command(&parse, argc, argv) : NULL;
    } else {
        check_printing(&parse);
    }
    return !diag->num_errors;
}
