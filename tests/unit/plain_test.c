/* SPDX-License-Identifier: MIT */
/* plain_read: of every built-in host it reads what libcyaml loads, and of what is written otherwise nothing. */
#include "gen/base/arena.h"
#include "gen/base/embedded.h"
#include "gen/host/builtin.h"
#include "gen/host/host.h"
#include "gen/host/host_private.h"
#include "gen/yaml/plain.h"

#include "check.h"

static const Host *read_plain(Arena *arena, const char *text)
{
    Host *host = ARENA_NEW(arena, Host);
    return plain_read(arena, text, host_fields, host) ? host : NULL;
}

static bool same_list(char *const *a, uint32_t num_a, char *const *b, uint32_t num_b)
{
    bool same = num_a == num_b;
    for (uint32_t i = 0; same && i < num_a; i++) {
        same = strcmp(a[i], b[i]) == 0;
    }
    return same;
}

static bool same_host(const Host *a, const Host *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->header, b->header) == 0 &&
           strcmp(a->abi_symbol, b->abi_symbol) == 0 && same_list(a->verbs, a->verbs_count, b->verbs, b->verbs_count) &&
           same_list(a->by_program, a->by_program_count, b->by_program, b->by_program_count) &&
           same_list(a->no_effect, a->no_effect_count, b->no_effect, b->no_effect_count);
}

static void check_host(Arena *arena, const EmbeddedFile *file)
{
    Diag diag;
    Source source = {.name = file->name, .text = file->text, .length = file->length};
    diag_init(&diag, arena);
    const Host *plain = read_plain(arena, file->text);
    const bool loaded = source_load_as(arena, &diag, &source, &host_schema);
    (void)check(loaded && plain != NULL && same_host(plain, source.data), "%s", file->name);
}

int main(void)
{
    static const char good[] =
        "# a host\n\nname: n\nheader: n.h\nabi_symbol: s\nno_effect: [wg_a, wg_b]\nverbs:\n  - wg_a\n  - wg_b\n";
    static const char *const others[] = {
        "name: n\nheader: n.h\nabi_symbol: s\n",
        "name: n\nheader: n.h\nverbs:\n  - wg_a\n",
        "name: n\nname: n\nheader: n.h\nabi_symbol: s\nverbs:\n  - wg_a\n",
        "name: n # a host\nheader: n.h\nabi_symbol: s\nverbs:\n  - wg_a\n",
        "name: 'n'\nheader: n.h\nabi_symbol: s\nverbs:\n  - wg_a\n",
        "name: 1\nheader: n.h\nabi_symbol: s\nverbs:\n  - wg_a\n",
        "name: n\nheader: n.h\nabi_symbol: s\nother: s\nverbs:\n  - wg_a\n",
        "name: n\nheader: n.h\nabi_symbol: s\nverbs:\n - wg_a\n",
        "name: n\nheader: n.h\nabi_symbol: s\nverbs: [wg_a, ]\n",
        "name: n\nheader: n.h\nabi_symbol: s\nverbs: [wg_a\n",
        "name: n\nheader: n.h\nabi_symbol: s\n  - wg_a\nverbs:\n  - wg_a\n",
        "name: n\nheader: n.h\nabi_symbol: s\nverbs:\n  - wg_a",
        "name: n\nheader: n.h\nabi_symbol: s\nverbs:\n  - wg_a\nverbs:\n  - wg_b\n",
        "name: n\nheader: n.h\nabi_symbol: s\nno_effect:\nverbs:\n  - wg_a\n",
        "name: n\nheader: n.h\nabi_symbol: s\nverbs:\n  - wg_a\nno_effect:\n",
    };
    Arena arena;
    uint32_t num_hosts = 0;
    arena_init(&arena);
    for (size_t i = 0; i < num_embedded_files; i++) {
        if (builtin_host_name(&arena, &embedded_files[i]) != NULL) {
            check_host(&arena, &embedded_files[i]);
            num_hosts++;
        }
    }
    (void)check(num_hosts >= 4, "there are built-in hosts");
    const Host *host = read_plain(&arena, good);
    (void)check(host != NULL && host->verbs_count == 2 && host->no_effect_count == 2 &&
                    strcmp(host->no_effect[1], "wg_b") == 0,
                "lists of both kinds, comments and empty lines");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        (void)check(read_plain(&arena, others[i]) == NULL,
                    "what is not plain, or lacks something, is left to libcyaml (%zu)", i);
    }
    arena_release(&arena);
    return check_done();
}
