/* SPDX-License-Identifier: MIT */
/*
 * The tables of a self-test hold every key that a graph may state: for each of them, wherever it may stand, a Spec that
 * is empty but for that key gives other tables than one without it.
 */
#include "../../gen/render/selftest.h"
#include "../../schema/schema.h"

#include "check.h"

typedef struct Walk {
    Arena arena;
    View *view;
    Spec *spec;
    const cyaml_schema_field_t *way[32]; /* the mappings that lead to where it is */
    size_t depth;
} Walk;

static const char *tables_of(Walk *walk)
{
    Str out = str_new(&walk->arena);
    Value list = value_list(&walk->arena);
    (void)selftest_tables(walk->view, &walk->arena, list, walk->spec, 0);
    view_dump(walk->view, list, 0, &out);
    return str_text(&out);
}

static void put_pointer(char *member, void *pointer)
{
    memcpy(member, &pointer, sizeof pointer);
}

static void put_count(char *structure, const cyaml_schema_field_t *field, uint32_t count)
{
    if (field->value.type == CYAML_SEQUENCE) {
        memcpy(structure + field->count_offset, &count, sizeof count);
    }
}

/* States the key: a word, a text, or a list that is there and empty. */
static void state(Walk *walk, char *structure, const cyaml_schema_field_t *field, uint32_t word)
{
    char *member = structure + field->data_offset;
    if (field->value.type == CYAML_ENUM) {
        const int value = (int)field->value.enumeration.strings[word].val;
        memcpy(member, &value, sizeof value);
    } else if (field->value.type == CYAML_STRING) {
        put_pointer(member, arena_copy(&walk->arena, "stated", strlen("stated")));
    } else {
        put_pointer(member, ARENA_NEW(&walk->arena, char *));
    }
}

/* Each word gives tables of its own. */
static void test_key(Walk *walk, char *structure, const cyaml_schema_field_t *field, const char *path)
{
    const bool words = field->value.type == CYAML_ENUM;
    const char *before = tables_of(walk);
    for (uint32_t word = 0; word < (words ? field->value.enumeration.count : 1); word++) {
        state(walk, structure, field, word);
        const char *now = tables_of(walk);
        check(strcmp(before, now) != 0, "%s%s%s is in the tables", path, words ? ": " : "",
              words ? field->value.enumeration.strings[word].str : "");
        before = now;
    }
    memset(structure + field->data_offset, 0, words ? sizeof(int) : sizeof(void *));
}

static bool is_on_the_way(const Walk *walk, const cyaml_schema_field_t *fields)
{
    for (size_t i = 0; i < walk->depth; i++) {
        if (walk->way[i] == fields) {
            return true;
        }
    }
    return false;
}

static void test_mapping(Walk *walk, char *structure, const cyaml_schema_field_t *fields, const char *prefix)
{
    walk->way[walk->depth++] = fields;
    for (; fields->key != NULL; fields++) {
        const cyaml_schema_value_t *value = &fields->value;
        const char *path = arena_printf(&walk->arena, "%s%s", prefix, fields->key);
        char *member = structure + fields->data_offset;
        value = value->type == CYAML_SEQUENCE ? value->sequence.entry : value;
        if (value->type != CYAML_MAPPING) {
            test_key(walk, structure, fields, path);
        } else if (!is_on_the_way(walk, value->mapping.fields)) {
            const bool graphs = strcmp(path, "graphs") == 0; /* is there already: without one there are no tables */
            char *child = graphs ? (char *)walk->spec->graphs : arena_alloc(&walk->arena, value->data_size);
            put_pointer(member, child);
            put_count(structure, fields, 1);
            test_mapping(walk, child, value->mapping.fields, arena_printf(&walk->arena, "%s.", path));
            put_pointer(member, graphs ? child : NULL);
            put_count(structure, fields, graphs ? 1 : 0);
        }
    }
    walk->depth--;
}

int main(void)
{
    Walk walk = {.depth = 0};
    const MustacheConfig config = {0};
    arena_init(&walk.arena);
    walk.view = view_new(&walk.arena, mustache_new(&walk.arena, NULL, &config));
    walk.spec = ARENA_NEW(&walk.arena, Spec);
    walk.spec->graphs = ARENA_NEW(&walk.arena, SpecGraph);
    walk.spec->graphs_count = 1;
    test_mapping(&walk, (char *)walk.spec, spec_schema.mapping.fields, "");
    check(check_count.passed > 200, "the schema was walked");
    arena_release(&walk.arena);
    return check_done();
}
