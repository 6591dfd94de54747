/* SPDX-License-Identifier: MIT */
/*
 * validate_externals - reports clashes among the external C names of all sources, which make one output.
 *
 * A graph or kernel (a stem) makes several names: its prefix, its name and each suffix of suffixes.def. Two stems
 * make the same name only when one full name is the other plus the difference of two suffixes, so it is enough to cut
 * every possible difference off each name and look up the rest: that is linear, and a new suffix only has to be added
 * there. Enumerators are the same in upper case. Every name that begins with a kernel's name and `_args_` is
 * taken, for types of arguments. Symbols that the user gives (`compiled`, `context`, `symbol`) must not be any of
 * those, and each must be used in only one way, since C declares it once.
 */
#include "validate.h"

#include <string.h>

#include "../base/str.h"

/* What the names that a graph and a kernel generate end with. */
typedef struct Suffix {
    const char *text;
    size_t length;
} Suffix;

/* clang-format off */
#define SUFFIX(text) {text, sizeof(text) - 1},

static const Suffix graph_suffixes[] = {
#define GRAPH(suffix) SUFFIX(suffix)
#include "suffixes.def"
    {NULL, 0},
};
static const Suffix kernel_suffixes[] = {
#define KERNEL(suffix) SUFFIX(suffix)
#include "suffixes.def"
    {NULL, 0},
};

/* Every graph or kernel may make any of these. */
static const Suffix enumerators[] = {
#define ENUMERATOR(suffix) SUFFIX(suffix)
#include "suffixes.def"
    {NULL, 0},
};
/* clang-format on */

typedef enum StemKind { STEM_GRAPH, STEM_KERNEL } StemKind;

static const Suffix *const suffixes_of[] = {[STEM_GRAPH] = graph_suffixes, [STEM_KERNEL] = kernel_suffixes};
static const char *const stem_words[] = {[STEM_GRAPH] = "graph", [STEM_KERNEL] = "kernel"};

typedef struct Stem {
    StemKind kind;
    char *const *field;
    const char *name;
    const char *full;  /* with its prefix */
    const char *upper; /* what its enumerators begin with */
} Stem;

/* A stem of `longer_kind` that equals one of `shorter_kind` plus `difference` makes `clash` too. */
typedef struct Difference {
    StemKind longer_kind;
    StemKind shorter_kind;
    size_t length;      /* of the difference, which the suffix begins with */
    const char *suffix; /* the suffix that the shorter one appends to make the same name */
} Difference;

/* How a C symbol of the user's is declared. */
typedef enum SymbolRole { ROLE_BOXED, ROLE_CONSUMING, ROLE_DIRECT, ROLE_AOTI, ROLE_TYPE, ROLE_CONTEXT } SymbolRole;

static const char *const role_words[] = {
    [ROLE_BOXED] = "a boxed function",
    [ROLE_CONSUMING] = "a boxed function that consumes its inputs",
    [ROLE_DIRECT] = "a function called directly",
    [ROLE_AOTI] = "a function of an AOTInductor model",
    [ROLE_TYPE] = "the type of a subclass",
    [ROLE_CONTEXT] = "the context of a subclass",
};

/* A symbol that the user names, at its first use. */
typedef struct Used {
    char *const *field;
    SymbolRole role;
} Used;

struct Externals {
    Validator *v; /* to report with */
    Stem *stems;
    uint32_t num_stems;
    uint32_t stems_capacity;
    Table upper; /* by upper-cased full name: what differs in case alone clashes anyway */
    Difference *differences;
    uint32_t num_differences;
    uint32_t differences_capacity;
    bool ends[256]; /* by byte: does a difference end with it? */
    Table names;    /* index of `used` */
    Table values;   /* names that locals are derived from: values of graphs, symbols, attributes */
    Used *used;
    uint32_t num_used;
    uint32_t used_capacity;
};

/* Makes room for one more at the end of a growing array. */
static void *grown(Arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const size_t old = (size_t)*capacity * size;
    *capacity = *capacity == 0 ? 64 : *capacity * 2;
    return arena_grow(arena, array, old, (size_t)*capacity * size);
}

static bool ends_with(const char *text, size_t length, const char *end, size_t end_length)
{
    return length > end_length && (end_length == 0 || text[length - 1] == end[end_length - 1]) &&
           memcmp(text + length - end_length, end, end_length) == 0;
}

static void list_differences(Externals *e, StemKind longer, StemKind shorter)
{
    for (const Suffix *suffix = suffixes_of[shorter]; suffix->text != NULL; suffix++) {
        for (const Suffix *rest = suffixes_of[longer]; rest->text != NULL; rest++) {
            if (ends_with(suffix->text, suffix->length, rest->text, rest->length)) {
                const size_t length = suffix->length - rest->length;
                e->ends[(unsigned char)suffix->text[length - 1]] = true;
                e->differences = grown(&e->v->tables, e->differences, e->num_differences, &e->differences_capacity,
                                       sizeof *e->differences);
                e->differences[e->num_differences++] = (Difference){longer, shorter, length, suffix->text};
            }
        }
    }
}

static char *joined(Arena *arena, const char *prefix, const char *name)
{
    const size_t prefix_length = strlen(prefix);
    const size_t length = strlen(name);
    char *text = arena_alloc(arena, prefix_length + length + 1);
    memcpy(text, prefix, prefix_length);
    memcpy(text + prefix_length, name, length + 1);
    return text;
}

static char *upper_copy(Arena *arena, const char *text)
{
    char *upper = joined(arena, "", text);
    for (char *c = upper; *c != '\0'; c++) {
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
    return upper;
}

static void clash(Externals *e, const Stem *stem, const Stem *other, const char *made, const char *suffix)
{
    DiagMessage *message =
        validate_error(e->v, RULE_NAME_CLASH, diag_value(stem->field), "%s '%s' and %s '%s' both make '%s%s'",
                       stem_words[stem->kind], stem->name, stem_words[other->kind], other->name, made, suffix);
    diag_note(e->v->diag, message, diag_value(other->field), "%s '%s'", stem_words[other->kind], other->name);
}

/* The prefix of a file was checked where it is given; the names that it makes are checked here. */
static void add_stem(Externals *e, StemKind kind, char *const *field, const char *prefix)
{
    Validator *v = e->v;
    if (prefix[0] != '\0' && validate_name_objection(v, prefix, NAME_PREFIX) != NULL) {
        return; /* reported; nothing that begins with it is worth looking at */
    }
    if (!validate_name(v, field, NAME_STEM, stem_words[kind])) {
        return;
    }
    e->stems = grown(&e->v->tables, e->stems, e->num_stems, &e->stems_capacity, sizeof *e->stems);
    Stem *stem = &e->stems[e->num_stems];
    *stem = (Stem){kind, field, *field, prefix[0] == '\0' ? *field : joined(&e->v->tables, prefix, *field), NULL};
    const char *objection = validate_name_objection(v, stem->full, NAME_EXTERNAL);
    if (objection == NULL && stem->full[0] == '_') {
        objection = "begins with '_', which C reserves for its own external names";
    }
    if (objection != NULL) {
        validate_error(v, RULE_NAME, diag_value(field), "%s '%s' makes the C name '%s', which %s", stem_words[kind],
                       *field, stem->full, objection);
        return;
    }
    stem->upper = upper_copy(&e->v->tables, stem->full);
    const TableEntry *same = table_add(&e->upper, stem->upper, strlen(stem->upper), 0, e->num_stems);
    if (same != NULL) {
        const Stem *first = &e->stems[same->index];
        const bool exactly = strcmp(stem->full, first->full) == 0;
        clash(e, stem, first, exactly ? stem->full : stem->upper, exactly ? "" : enumerators[0].text);
        return;
    }
    e->num_stems++;
}

/* The stem of that full name, or null. */
static const Stem *find_stem(const Externals *e, const char *full, size_t length)
{
    const char *name = arena_copy(&e->v->scratch, full, length);
    const char *upper = upper_copy(&e->v->scratch, name);
    const TableEntry *entry = table_find(&e->upper, upper, length);
    return entry != NULL && strcmp(e->stems[entry->index].full, name) == 0 ? &e->stems[entry->index] : NULL;
}

/* The stem among whose enumerators `name` is, or null. */
static const Stem *enumerator_owner(const Externals *e, const char *name, size_t length, const char **enumerator)
{
    for (const Suffix *end = enumerators; end->text != NULL; end++) {
        if (ends_with(name, length, end->text, end->length)) {
            const TableEntry *entry = table_find(&e->upper, name, length - end->length);
            *enumerator = end->text;
            return entry == NULL ? NULL : &e->stems[entry->index];
        }
    }
    return NULL;
}

/* The kernel among whose `_args_...` types `name` would be, or null. */
static const Stem *args_owner(const Externals *e, const char *name)
{
    static const char args[] = "_args_";
    for (const char *at = strstr(name, args); at != NULL; at = strstr(at + 1, args)) {
        const Stem *stem = find_stem(e, name, (size_t)(at - name));
        if (stem != NULL && stem->kind == STEM_KERNEL) {
            return stem;
        }
    }
    return NULL;
}

static void check_stem(Externals *e, const Stem *stem)
{
    const size_t length = strlen(stem->full);
    const Stem *kernel = args_owner(e, stem->full);
    if (kernel != NULL) {
        clash(e, stem, kernel, kernel->full, "_args_...");
        return;
    }
    const bool may_clash = e->ends[(unsigned char)stem->full[length - 1]]; /* few names end like any of hundreds */
    for (uint32_t i = 0; i < e->num_differences && may_clash; i++) {
        const Difference *difference = &e->differences[i];
        if (difference->longer_kind != stem->kind ||
            !ends_with(stem->full, length, difference->suffix, difference->length)) {
            continue;
        }
        const Stem *other = find_stem(e, stem->full, length - difference->length);
        if (other != NULL && other->kind == difference->shorter_kind) {
            clash(e, stem, other, other->full, difference->suffix);
            return; /* one of the names is enough */
        }
    }
    const char *enumerator = NULL;
    const Stem *owner = enumerator_owner(e, stem->full, length, &enumerator);
    if (owner != NULL) {
        clash(e, stem, owner, owner->upper, enumerator);
    }
}

/* ---- symbols that the user names ---- */

/* The stem that generates `name`, or null. */
static const Stem *generated_by(const Externals *e, const char *name)
{
    const size_t length = strlen(name);
    const char *enumerator = NULL;
    const Stem *itself = find_stem(e, name, length);
    if (itself != NULL) {
        return itself;
    }
    for (size_t kind = 0; kind < sizeof suffixes_of / sizeof suffixes_of[0]; kind++) {
        for (const Suffix *end = suffixes_of[kind]; end->text != NULL; end++) {
            if (end->length == 0 || !ends_with(name, length, end->text, end->length)) {
                continue;
            }
            const Stem *stem = find_stem(e, name, length - end->length);
            if (stem != NULL && stem->kind == (StemKind)kind) {
                return stem;
            }
        }
    }
    const Stem *kernel = args_owner(e, name);
    return kernel != NULL ? kernel : enumerator_owner(e, name, length, &enumerator);
}

static void use_symbol(Externals *e, char *const *field, SymbolRole role)
{
    if (*field == NULL) {
        return;
    }
    const TableEntry *first = table_add(&e->names, *field, strlen(*field), role, e->num_used);
    if (first == NULL) {
        e->used = grown(&e->v->tables, e->used, e->num_used, &e->used_capacity, sizeof *e->used);
        e->used[e->num_used++] = (Used){field, role};
        (void)validate_name(e->v, field, NAME_SYMBOL, "symbol");
    } else if (first->kind != (uint32_t)role) {
        DiagMessage *message =
            validate_error(e->v, RULE_NAME_CLASH, diag_value(field), "'%s' is declared as %s here, and elsewhere as %s",
                           *field, role_words[role], role_words[first->kind]);
        diag_note(e->v->diag, message, diag_value(e->used[first->index].field), "%s", role_words[first->kind]);
    }
}

static bool is_digits(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* A local's name is a role, perhaps numbered, then '_' and what it belongs to: in_x, attr0_a; int_3 and site_compiled
 * do not belong to anything. */
static bool is_role(const char *text, size_t length)
{
    static const char *const roles[] = {
        "arg_size", "arg_stride", "attr",       "dense",        "detached", "facts",  "in",      "kept",
        "late",     "merged",     "outer_size", "outer_stride", "same",     "size",   "state",   "stated",
        "step",     "stride",     "sym",        "tangent",      "view",     "waited", "wrapped",
    };
    while (length > 0 && text[length - 1] >= '0' && text[length - 1] <= '9') {
        length--;
    }
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (strlen(roles[i]) == length && strncmp(text, roles[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* "run0_attr1": how a loop names its own locals (fold.c). */
static bool is_of_loop(const char *name)
{
    const size_t digits = str_starts(name, "run") ? strspn(name + 3, "0123456789") : 0;
    return digits > 0 && name[3 + digits] == '_';
}

/* Would a local of a generated function hide that symbol? */
static bool is_local(const Externals *e, const char *name)
{
    if (is_of_loop(name)) {
        return true;
    }
    if (str_starts(name, "site_") || (str_starts(name, "int_") && is_digits(name + 4))) {
        return true;
    }
    for (const char *at = strchr(name, '_'); at != NULL; at = strchr(at + 1, '_')) {
        if (is_role(name, (size_t)(at - name)) && table_find(&e->values, at + 1, strlen(at + 1)) != NULL) {
            return true;
        }
    }
    return false;
}

/* Called once all generated names are known. */
static void check_used(Externals *e, char *const *field)
{
    if (is_local(e, *field)) {
        validate_error(e->v, RULE_NAME_CLASH, diag_value(field),
                       "'%s' is the name of a variable in a generated function, which would hide the symbol", *field);
        return;
    }
    const Stem *stem = generated_by(e, *field);
    if (stem != NULL) {
        DiagMessage *message =
            validate_error(e->v, RULE_NAME_CLASH, diag_value(field), "'%s' is a name that is generated for %s '%s'",
                           *field, stem_words[stem->kind], stem->name);
        diag_note(e->v->diag, message, diag_value(stem->field), "%s '%s'", stem_words[stem->kind], stem->name);
    }
}

static void use_tree(Externals *e, SpecSubclass *tree)
{
    if (tree == NULL) {
        return;
    }
    use_symbol(e, &tree->context, ROLE_CONTEXT);
    for (uint32_t i = 0; i < tree->inner_count; i++) {
        use_tree(e, &tree->inner[i]);
    }
}

static SymbolRole role_of(const SpecGraph *graph)
{
    switch (graph->convention) {
    case SPEC_CONVENTION_UNSET:
    case SPEC_BOXED:
        return spec_is(graph->consume_inputs) ? ROLE_CONSUMING : ROLE_BOXED;
    case SPEC_DIRECT:
        return ROLE_DIRECT;
    case SPEC_AOTI:
        return ROLE_AOTI;
    }
    return ROLE_BOXED;
}

static void add_value(Externals *e, const char *name)
{
    if (name != NULL) {
        (void)table_add(&e->values, name, strlen(name), 0, 0);
    }
}

static void add_values(Externals *e, const SpecGraph *graph)
{
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        add_value(e, graph->inputs[i].name);
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        add_value(e, graph->intermediate_bases[i].name);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        add_value(e, graph->outputs[i].name);
    }
    for (uint32_t i = 0; i < graph->synthetic_bases_count; i++) {
        add_value(e, graph->synthetic_bases[i].name);
    }
    for (uint32_t i = 0; i < e->v->spec->symbols_count; i++) {
        add_value(e, e->v->spec->symbols[i].name);
    }
}

void externals_add_graph(Externals *e, SpecGraph *graph, const char *prefix)
{
    add_stem(e, STEM_GRAPH, &graph->name, prefix);
    add_values(e, graph);
    use_symbol(e, &graph->compiled, role_of(graph));
    for (uint32_t i = 0; i < graph->inputs_count; i++) {
        use_tree(e, graph->inputs[i].subclass);
        use_tree(e, graph->inputs[i].updated); /* perhaps a copy of the former: the same symbols again */
    }
    for (uint32_t i = 0; i < graph->intermediate_bases_count; i++) {
        use_tree(e, graph->intermediate_bases[i].subclass);
    }
    for (uint32_t i = 0; i < graph->outputs_count; i++) {
        use_tree(e, graph->outputs[i].subclass);
    }
    SpecBackward *backward = graph->backward;
    if (backward == NULL) {
        return;
    }
    use_symbol(e, &backward->compiled, ROLE_BOXED);
    for (uint32_t i = 0; i < backward->tangents_count; i++) {
        use_tree(e, backward->tangents[i].subclass);
    }
    for (uint32_t i = 0; i < backward->grad_inputs_count; i++) {
        use_tree(e, backward->grad_inputs[i].subclass);
    }
}

void externals_add_kernel(Externals *e, SpecKernel *kernel, const char *prefix)
{
    add_stem(e, STEM_KERNEL, &kernel->name, prefix);
    for (uint32_t i = 0; i < kernel->variants_count; i++) {
        use_symbol(e, &kernel->variants[i].symbol, ROLE_BOXED);
    }
}

void externals_add_type(Externals *e, SpecSubclassType *type)
{
    use_symbol(e, &type->symbol, ROLE_TYPE);
    for (uint32_t i = 0; i < type->attrs_count; i++) {
        add_value(e, type->attrs[i].name);
    }
}

bool externals_makes(const char *suffix)
{
    const Suffix *const lists[] = {graph_suffixes, kernel_suffixes, enumerators};
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        for (const Suffix *end = lists[list]; end->text != NULL; end++) {
            if (strcmp(end->text, suffix) == 0) {
                return true;
            }
        }
    }
    return false;
}

Externals *externals_new(Validator *v)
{
    Arena *arena = &v->tables;
    Externals *e = ARENA_NEW(arena, Externals);
    e->v = v;
    table_init(&e->upper, arena);
    table_init(&e->names, arena);
    table_init(&e->values, arena);
    return e;
}

void externals_check(Externals *e)
{
    for (int longer = STEM_GRAPH; longer <= STEM_KERNEL && e->num_stems > 1; longer++) {
        for (int shorter = STEM_GRAPH; shorter <= STEM_KERNEL; shorter++) {
            list_differences(e, (StemKind)longer, (StemKind)shorter);
        }
    }
    for (uint32_t i = 0; i < e->num_stems; i++) {
        check_stem(e, &e->stems[i]);
    }
    for (uint32_t i = 0; i < e->num_used; i++) {
        check_used(e, e->used[i].field);
    }
}
