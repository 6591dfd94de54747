/* SPDX-License-Identifier: MIT */
/*
 * page - fills cmd/pages/<name>.mustache with the rows of options.c, so a new option needs nothing here: what it takes
 * is read from its row, where "a|b" are words to choose from and CHOICES says what a word in capitals means.
 */
#include "page.h"

#include <string.h>

#include "../gen/base/embedded.h"
#include "../gen/host/builtin.h"
#include "../gen/plan/plan.h"
#include "../gen/render/mustache.h"
#include "options.h"

/* How a page writes text that is not its own. */
typedef struct Escape {
    const char *page;
    const char *special; /* characters that get `before` written before them */
    const char *before;
    const char *quote; /* how to write ', which some strings cannot escape with a backslash */
} Escape;

static const Escape ESCAPES[] = {
    {"manual", "-\\", "\\", "\\(aq"},
    {"bash", "", "", "'"},
    {"zsh", "[]:\\", "\\", "'\\''"},
    {"fish", "\\", "\\", "\\'"},
};

typedef struct Page {
    Arena *arena;
    MustacheEngine *engine;
    const Escape *escape;
} Page;

static bool put_escaped(void *ctx, const char *text, size_t length, Str *out)
{
    const Escape *escape = ((Page *)ctx)->escape;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') {
            str_puts(out, escape->quote);
            continue;
        }
        if (strchr(escape->special, text[i])) {
            str_puts(out, escape->before);
        }
        str_putc(out, text[i]);
    }
    return true;
}

static bool load_page(void *ctx, const char *name, const char **text, size_t *length, const char **file)
{
    const char *wanted = arena_printf(((Page *)ctx)->arena, "%s.mustache", name);
    for (size_t i = 0; i < num_embedded_pages; i++) {
        if (str_equal(embedded_pages[i].name, wanted)) {
            *text = embedded_pages[i].text;
            *length = embedded_pages[i].length;
            *file = wanted;
            return true;
        }
    }
    return false;
}

static void set(const Page *page, Value object, const char *key, Value value)
{
    value_set(page->arena, object, mustache_intern(page->engine, key), value);
}

/* A missing text becomes null. */
static void set_text(const Page *page, Value object, const char *key, const char *text)
{
    set(page, object, key, text ? value_text(text) : value_null());
}

/* ---- what an option takes ---- */

static void add_word(const Page *page, Value words, const char *word)
{
    Value item = value_object(page->arena, 1);
    set_text(page, item, "word", word);
    value_push(page->arena, words, item);
}

static void add_codes(const Page *page, Value words)
{
    for (size_t i = 0; i < num_embedded_codes; i++) {
        const char *name = embedded_codes[i].name;
        add_word(page, words, arena_copy(page->arena, name, strcspn(name, ".")));
    }
}

static void add_hosts(const Page *page, Value words)
{
    for (size_t i = 0; i < num_embedded_files; i++) {
        const char *host = builtin_host_name(page->arena, &embedded_files[i]);
        if (host) {
            add_word(page, words, host);
        }
    }
}

static void add_layers(const Page *page, Value words)
{
    for (int i = 0; i < LAYER_COUNT; i++) {
        add_word(page, words, arena_printf(page->arena, "plan:%s", layer_specs[i].name));
    }
}

static void add_warnings(const Page *page, Value words)
{
    for (size_t i = 0; i < num_option_warnings; i++) {
        add_word(page, words, option_warning(page->arena, i));
    }
}

static void add_limits(const Page *page, Value words)
{
    for (size_t i = 0; i < num_option_limits; i++) {
        add_word(page, words, arena_printf(page->arena, "%s=", option_limits[i].name));
    }
}

static void add_nothing(const Page *page, Value words)
{
    (void)page;
    (void)words;
}

static const struct {
    const char *part; /* of a row's argument */
    void (*add)(const Page *page, Value words);
} CHOICES[] = {
    {"FILE", add_nothing},      {"DIR", add_nothing},    {"N", add_nothing},  {"NAME", add_nothing},
    {"TEXT", add_nothing},      {"CODE", add_codes},     {"HOST", add_hosts}, {"WARNING", add_warnings},
    {"plan:LAYER", add_layers}, {"LIMIT=N", add_limits},
};

static void add_choice(const Page *page, Value words, const char *part)
{
    for (size_t i = 0; i < sizeof CHOICES / sizeof CHOICES[0]; i++) {
        if (str_equal(CHOICES[i].part, part)) {
            CHOICES[i].add(page, words);
            return;
        }
    }
    add_word(page, words, part);
}

static bool has_part(const char *argument, const char *part)
{
    const char *found = argument ? strstr(argument, part) : NULL;
    return found && (found == argument || found[-1] == '|') && (!found[strlen(part)] || found[strlen(part)] == '|');
}

static void set_values(const Page *page, Value object, const Option *row)
{
    Value words = value_list(page->arena);
    for (const char *part = row->argument; part;) {
        const size_t length = strcspn(part, "|");
        add_choice(page, words, arena_copy(page->arena, part, length));
        part = part[length] ? part + length + 1 : NULL;
    }
    set(page, object, "words", words);
    set(page, object, "has_words", value_bool(words.as.list->count > 0));
    set(page, object, "files", value_bool(has_part(row->argument, "FILE")));
    set(page, object, "folders", value_bool(has_part(row->argument, "DIR")));
}

/* ---- the page ---- */

static Value option_value(const Page *page, const Option *row)
{
    const bool is_long = str_starts(row->name, "--");
    const bool is_joined = option_is_joined(row);
    Value object = value_object(page->arena, 17);
    set_text(page, object, "name", row->name);
    set(page, object, "command", value_bool(option_is_command(row)));
    set_text(page, object, "bare", row->name + (is_long ? 2 : 1));
    set_text(page, object, "letter", row->letter);
    set_text(page, object, "bare_letter", row->letter ? row->letter + 1 : NULL);
    set_text(page, object, "argument", row->argument);
    set_text(page, object, "help", row->help);
    set(page, object, "long", value_bool(is_long));
    set(page, object, "joined", value_bool(is_joined));
    set(page, object, "separate", value_bool(row->argument && !is_joined && !option_is_command(row)));
    set(page, object, "single", value_bool(!row->argument && !is_long));
    set(page, object, "repeated", value_bool(row->use == USE_REPEATED || row->use == USE_GENERATING_REPEATED));
    set_values(page, object, row);
    return object;
}

static Value groups_value(const Page *page)
{
    Value groups = value_list(page->arena);
    Value rows = value_list(page->arena);
    for (const Option *row = options; row < options + num_options; row++) {
        if (row->name) {
            value_push(page->arena, rows, option_value(page, row));
            continue;
        }
        Value group = value_object(page->arena, 2);
        rows = value_list(page->arena);
        set_text(page, group, "heading", row->help);
        set(page, group, "options", rows);
        value_push(page->arena, groups, group);
    }
    return groups;
}

/* One entry of a list of things with a meaning. */
static void add_entry(const Page *page, Value list, const char *name, const char *number, const char *about)
{
    Value entry = value_object(page->arena, 3);
    set_text(page, entry, "name", name);
    set_text(page, entry, "number", number);
    set_text(page, entry, "about", about);
    value_push(page->arena, list, entry);
}

static Value page_value(const Page *page)
{
    Value root = value_object(page->arena, 5);
    Value warnings = value_list(page->arena);
    Value limits = value_list(page->arena);
    Value statuses = value_list(page->arena);
    for (size_t i = 0; i < num_option_warnings; i++) {
        add_entry(page, warnings, option_warning(page->arena, i), NULL, option_warnings[i].about);
    }
    for (size_t i = 0; i < num_option_limits; i++) {
        add_entry(page, limits, option_limits[i].name, arena_printf(page->arena, "%d", option_limits[i].number),
                  option_limits[i].about);
    }
    for (size_t i = 0; i < num_option_statuses; i++) {
        add_entry(page, statuses, NULL, arena_printf(page->arena, "%zu", i), option_statuses[i]);
    }
    set_text(page, root, "version", WRAPGEN_VERSION);
    set(page, root, "groups", groups_value(page));
    set(page, root, "warnings", warnings);
    set(page, root, "limits", limits);
    set(page, root, "statuses", statuses);
    return root;
}

bool page_print(Arena *arena, Diag *diag, const char *name, Str *out)
{
    Page page = {.arena = arena};
    const MustacheConfig config = {
        .loader = load_page, .loader_ctx = &page, .check = put_escaped, .check_ctx = &page, .strict = true};
    for (size_t i = 0; i < sizeof ESCAPES / sizeof ESCAPES[0]; i++) {
        page.escape = str_equal(ESCAPES[i].page, name) ? &ESCAPES[i] : page.escape;
    }
    page.engine = mustache_new(arena, diag, &config);
    return mustache_render(page.engine, name, page_value(&page), out);
}
