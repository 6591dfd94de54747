/* SPDX-License-Identifier: MIT */
/*
 * validate - private to gen/rules/validate*.c: the state of the second gate and what its parts share.
 *
 * The gate reads loaded Specs, applies defaults, parses scalars, resolves names and reports what breaks a rule. Each
 * part is a file: validate_graph.c (one graph, and its inputs in validate_input.c), validate_output.c, ... Every error
 * goes through validate_error() with a rule from the table below, whose name is the stable code that users see.
 *
 * To add a rule: add a line to VALIDATE_RULES, its test to the part that it belongs to, and a case to
 * tests/errors/rules/.
 */
#ifndef WRAPGEN_VALIDATE_H
#define WRAPGEN_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../algebra/condition.h"
#include "../facts/derive.h"
#include "../base/diag.h"
#include "../algebra/expr.h"
#include "../algebra/geometry.h"
#include "../yaml/front.h"
#include "../algebra/integer.h"
#include "../base/limits.h"
#include "../base/str.h"
#include "../base/table.h"
#include "../../schema/schema.h"
#include "../../schema/spec.h"

/*
 * RULE(code without E_, doubts, words). Doubts name what may be wrong as a consequence, so that a later rule that
 * builds on it stays silent instead of reporting the same mistake again.
 */
#define VALIDATE_RULES(RULE)                                                                                           \
    RULE(VERSION, DOUBT_NOTHING, "the format version is 1")                                                            \
    RULE(LIMIT, DOUBT_BINDING, "numbers are not absurdly large")                                                       \
    RULE(INTEGER, DOUBT_BINDING, "integers are decimal literals or expressions, within their bounds")                  \
    RULE(VALUE, DOUBT_NOTHING, "words for dtypes, devices and other values are known")                                 \
    RULE(KEY, DOUBT_NOTHING, "a key is given where it is needed, and only where it applies")                           \
    RULE(REPEATED, DOUBT_NOTHING, "names, dimensions and dtypes in a list are distinct")                               \
    RULE(NAME, DOUBT_NOTHING, "names are C identifiers that nothing else has taken")                                   \
    RULE(NAME_CLASH, DOUBT_FACTS, "names, and names derived from them, are distinct")                                  \
    RULE(REFERENCE, DOUBT_FACTS, "every name refers to something that exists")                                         \
    RULE(GEOMETRY, DOUBT_NOTHING, "sizes, strides and dimensions fit each other")                                      \
    RULE(SYMBOL, DOUBT_BINDING, "symbols are declared")                                                                \
    RULE(SYMBOL_BOUNDS, DOUBT_NOTHING, "a symbol can have a value within its declaration")                             \
    RULE(SYMBOL_UNBOUND, DOUBT_NOTHING, "a symbol that is used is bound by an input")                                  \
    RULE(SYMBOL_UNBACKED, DOUBT_NOTHING, "an unbacked symbol is used only after a result has defined it")              \
    RULE(SYMBOL_NESTED, DOUBT_NOTHING, "a nested int has an owner, and nothing is computed from it")                   \
    RULE(GUARD, DOUBT_NOTHING, "a guard can be read, can hold, and never divides by zero")                             \
    RULE(MUTATION, DOUBT_NOTHING, "flags of a mutation come with the mutation they qualify")                           \
    RULE(STORAGE_MUTATION, DOUBT_NOTHING, "a storage mutation can be done somewhere")                                  \
    RULE(BASE, DOUBT_NOTHING, "an alias has a base of the kind that its type asks for")                                \
    RULE(INTERMEDIATE_BASE, DOUBT_NOTHING, "each intermediate base is saved by one output")                            \
    RULE(VIEW, DOUBT_NOTHING, "views can be regenerated from the stated facts")                                        \
    RULE(DUPLICATE, DOUBT_FACTS, "a duplicate follows the input that is kept")                                         \
    RULE(SYNTHETIC, DOUBT_FACTS, "members of a synthetic base can be merged")                                          \
    RULE(ARGUMENT_ORDER, DOUBT_FACTS, "the order of merged arguments is known, and names each once")                   \
    RULE(SUBCLASS, DOUBT_FLAT, "subclass trees follow their declaration")                                              \
    RULE(TRAINING, DOUBT_FACTS, "training has saved values and a backward, inference does not")                        \
    RULE(SAVED, DOUBT_NOTHING, "positions of saved values exist")                                                      \
    RULE(TANGENT, DOUBT_NOTHING, "one tangent per surviving value, with a layout")                                     \
    RULE(GRAD, DOUBT_NOTHING, "requires_grad and what depends on it agree")                                            \
    RULE(LAZY, DOUBT_NOTHING, "lazily conjugated and negated inputs are plain tensors of a dtype that can be")         \
    RULE(GRAD_INPUT, DOUBT_NOTHING, "one gradient per argument of the inner function")                                 \
    RULE(STREAM, DOUBT_NOTHING, "a stream belongs to an out-graph data mutation of a leaf")                            \
    RULE(FROZEN, DOUBT_NOTHING, "a frozen input is a constant and nothing else")                                       \
    RULE(CALL, DOUBT_FLAT, "a graph and a variant call one function, in one way")                                      \
    RULE(EXPECT, DOUBT_NOTHING, "values under 'expect' are the ones that follow")                                      \
    RULE(ARGUMENT, DOUBT_NOTHING, "arguments of a kernel have the keys that their kind requires")                      \
    RULE(EXTRA, DOUBT_NOTHING, "an extra component of a key adds something")                                           \
    RULE(OUTPUT, DOUBT_NOTHING, "outputs of a kernel follow from its call")                                            \
    RULE(CONDITION, DOUBT_NOTHING, "conditions of a variant can be read and fit their argument")                       \
    RULE(NEVER, DOUBT_NOTHING, "conditions of a variant can hold")

enum {
    DOUBT_NOTHING = 0,
    DOUBT_BINDING = 1, /* which symbols are bound */
    DOUBT_FACTS = 2,   /* GraphFacts */
    DOUBT_FLAT = 4     /* the counts of flat values alone */
};

typedef enum Rule {
#define RULE(name, doubts, words) RULE_##name,
    VALIDATE_RULES(RULE)
#undef RULE
        RULE_COUNT
} Rule;

/* What a symbol in an integer means in the current graph or variant. From SYMBOL_BINDS on, one by itself means more
 * than one in an expression. */
typedef enum SymbolMeaning {
    SYMBOL_FORBIDDEN, /* only a literal will do */
    SYMBOL_FREE,      /* need not be bound: the value comes from elsewhere */
    SYMBOL_USED,      /* must be bound by an argument, or defined by a result */
    SYMBOL_GIVEN,     /* of an argument: must be bound by one */
    SYMBOL_BINDS,     /* of an argument: by itself it binds; in an expression it must be bound by another */
    SYMBOL_DEFINES,   /* of a result: by itself it defines a symbol that is unbacked; else like SYMBOL_USED */
    SYMBOL_RETURNED   /* a result itself: by itself it defines a symbol that is unbacked; else like SYMBOL_FREE */
} SymbolMeaning;

/* What a nested int may be in an integer. */
typedef enum NestedMeaning {
    NESTED_FORBIDDEN, /* a number is needed here */
    NESTED_NAMED,     /* by itself, and nothing else */
    NESTED_COMPARED,  /* with another, by == and !=: the same one or not */
    NESTED_OUTER,     /* also a multiple, as in outer strides; it is never read here */
    NESTED_BACKWARD   /* only the word `nested`: a backward is not told the owner */
} NestedMeaning;

/* What an integer may be; `what` begins a message: "a size". */
typedef struct IntegerRule {
    const char *what;
    SymbolMeaning use;
    int64_t min;
    NestedMeaning nested;
} IntegerRule;

/* Symbols seen in the current graph or variant: marked by stamps, so that starting the next one costs nothing. */
typedef struct SymbolScope {
    uint32_t stamp;
    uint32_t *bound_at; /* == stamp: bound or defined, one per symbol */
    uint32_t *used_at;
    uint32_t *early_at; /* == stamp: unbacked, and stated about an argument */
    DiagPlace *first_use;
    DiagPlace *early_use;
    DiagPlace *definition; /* of an unbacked symbol, where bound_at == stamp */
    uint32_t *used;        /* symbols used, in order */
    uint32_t num_used;
    uint32_t *early; /* symbols of early_at, in order */
    uint32_t num_early;
    uint32_t *owned_at; /* == stamp: a nested int that a tensor owns */
    uint32_t *named_at; /* == stamp: one that stands somewhere by itself */
    DiagPlace *first_named;
    uint32_t *named; /* those, in order */
    uint32_t num_named;
    uint32_t *outer_at; /* == outer_stamp: a nested int that is an outer dimension of the node at hand */
    uint32_t outer_stamp;
} SymbolScope;

enum { SMALL_LITERALS = 129 };

/* Lists that are searched one by one are kept short. */
enum { VALIDATE_MAX_ATTRS = 256, VALIDATE_MAX_ITEMS = 256 };

typedef struct ReservedNames ReservedNames; /* validate_reserved.c */
typedef struct Preset Preset;               /* validate_report.c */

typedef struct Validator {
    Arena *arena;
    Diag *diag;
    Limits limits;
    Spec *spec;
    ReservedNames *reserved; /* words that cannot be names */
    Table symbols;           /* of the spec, by name */
    Table types;
    Table kernels;
    Table graphs;
    SymbolScope scope;
    Arena scratch;              /* for what one graph needs while it is checked; given back now and then */
    Arena tables;               /* of names: for all graphs, until the last rule has been checked */
    Integers *integers;         /* in scratch; null until a view needs them; good for `ranges` alone */
    const IntegerRange *ranges; /* in scratch: of the last graph with views */
    bool ranges_are_current;    /* of the graph at hand */
    Table folds;                /* views that were folded and found to be right for these ranges; index: the rank */
    Str fold_key;
    /* of the graph or kernel at hand: */
    SpecGraph *graph;
    const SpecKernel *kernel;
    Table names;   /* kind: SpecRefKind */
    Table missing; /* undeclared symbols already reported */
    unsigned doubts;
    bool training;
    /* of the integer that is being parsed: */
    const void *field;
    const char *text;
    const IntegerRule *integer;
    const char *missing_name;
    size_t missing_length;
    const Expr *literals[SMALL_LITERALS]; /* made when first needed */
    Preset *presets[SPEC_NUM_MAPPINGS];   /* of the keys of a mapping, likewise */
    /* names that may still be compared for "did you mean" in this run: keeps a hopeless file linear */
    uint32_t suggestions_left;
} Validator;

/* ---- validate.c: reporting and the pieces of every rule ---- */

const char *validate_code(Rule rule); /* "E_NAME" */

/* Reports a violation of `rule`; notes can be added to the result. */
DiagMessage *validate_error(Validator *v, Rule rule, DiagPlace place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The place `offset` characters into the scalar at `field`. */
DiagPlace validate_inside(const void *field, size_t offset);

/* The nearest of many names: start, offer each, then the text "; did you mean 'x'?" or "". */
typedef struct Nearest {
    const char *name;
    const char *best;
    size_t distance;
    bool ambiguous; /* another is equally near */
} Nearest;

Nearest nearest_start(const char *name);
void nearest_offer(Validator *v, Nearest *nearest, const char *candidate);
const char *nearest_text(Validator *v, const Nearest *nearest);

/* Some keys of a mapping, a bit each: they are those of schema/spec.def, in its order. */
typedef struct Keys {
    const SpecMapping *mapping;
    uint64_t bits;
} Keys;

#define KEY_BIT(Type, member)   (UINT64_C(1) << Type##_##member)
#define KEYS(Type, bits)        ((Keys){&spec_mappings[SPEC_OF_##Type], (bits)})
#define ALL_KEYS(Type)          KEYS(Type, (KEY_BIT(Type, num_keys) - 1))
/* From `member` on, to the last. */
#define KEYS_FROM(Type, member) KEYS(Type, KEY_BIT(Type, num_keys) - KEY_BIT(Type, member))

/* The address of the first of the keys that the structure has, or null. */
const void *keys_first(const void *structure, Keys keys);

/* Puts in what leaving a key out is the same as, for words and texts. A word null is as good as none. */
void keys_default(Validator *v, void *structure, Keys keys);

/* The subject of a message; its text is made only when there is a message. */
typedef struct Subject {
    const char *what; /* "input" */
    const char *name; /* or null */
    const char *attr; /* inside a subclass tree, or null */
} Subject;

/* "input 'x'", "attribute 'a' of input 'x'", "a graph" */
const char *subject_text(Validator *v, Subject subject);

/* Reports which of the keys `structure` has ("<subject> takes no 'a', 'b'<why>"), at the first of them. true: there are
 * none. */
bool validate_no_keys(Validator *v, Rule rule, const void *structure, Keys keys, Subject subject, const char *why);

/* Sets a value that follows from something else (ELSE in schema/spec.def). */
static inline void spec_default(SpecBool *value, bool truth)
{
    if (*value == SPEC_UNSET) {
        *value = truth ? SPEC_TRUE : SPEC_FALSE;
    }
}

/* ---- validate_scalar.c ---- */

extern const IntegerRule INTEGER_SIZE; /* a size that is stated, not passed */
extern const IntegerRule INTEGER_STRIDE;
extern const IntegerRule INTEGER_OFFSET;
extern const IntegerRule INTEGER_DIMENSION; /* a literal, from 0 */
extern const IntegerRule INTEGER_COUNT;     /* a literal, from 0 */

/* Parses one integer (`field` is the address of its text); null: reported. */
const Expr *validate_integer(Validator *v, char *const *field, const IntegerRule *rule);
void validate_int(Validator *v, SpecInt *integer, const IntegerRule *rule);

/* One of the parsers of expr.h, for validate_parse(); `broken` is the rule for what cannot be read. */
typedef const Expr *ValidateParse(Arena *arena, const char *text, ExprLookup lookup, void *ctx, const char **error,
                                  size_t *at);
const Expr *validate_parse(Validator *v, char *const *field, const IntegerRule *rule, ValidateParse *parse,
                           Rule broken);

/* Fills ints->expr; entries that were reported are null. false: at least one was. */
bool validate_ints(Validator *v, SpecInts *ints, const IntegerRule *rule);

/* A literal count; absent is 0. */
uint32_t validate_count(Validator *v, SpecInt *integer);

/* Literals that name dimensions of tensors about which nothing else is known. false: reported, null entries too. */
bool validate_dimensions(Validator *v, SpecInts *dims);

/* The literals of a list that validate_ints() accepted: no duplicates and, where limit >= 0, all below it (else:
 * "<what> 7 does not exist: <owner> <has> <limit>"). */
bool validate_literals(Validator *v, Rule rule, const SpecInts *ints, int64_t limit, const char *what, Subject owner,
                       const char *has);

/* -1 when absent or reported. */
int32_t validate_dtype(Validator *v, char *const *field);
void validate_device(Validator *v, char *const *field, int32_t *type, int32_t *index);

/* Size and stride of the same length, offset. Fills the resolved members. */
void validate_geometry(Validator *v, SpecInts *size, SpecInts *stride, SpecInt *offset, SymbolMeaning use);

/* `size.0`, `stride.1`: sizes before strides, each ascending; below `rank` where that is not negative. */
void validate_symbol_args(Validator *v, const SpecNames *args, int64_t rank);

/* The number of dimensions that size or stride state; -1 when neither does. */
int64_t validate_rank(const SpecInts *size, const SpecInts *stride);

/* A tangent with any other layout is copied into the stated one, so each element needs its own place there (PyTorch
 * uses a memory format for values that overlap). All are literals. */
void validate_tangent_overlap(Validator *v, const SpecInts *size, const SpecInts *stride, const char *subject);

/* ExprLookup, of a Validator: a symbol that is declared, which neither binds nor uses it. Else v->missing_name is that
 * name. */
bool validate_find_symbol(void *ctx, const char *name, size_t length, uint32_t *symbol);

/* Reports v->missing_name, a symbol in v->text (which is *field) that is not declared; once per graph or variant.
 * `anything` is the word that asks for nothing there, or null. */
void validate_missing_symbol(Validator *v, char *const *field, const char *anything);

/* Starts a graph or variant; reports symbols that were used and never bound. */
void validate_scope_start(Validator *v);
void validate_scope_end(Validator *v, const char *why);
void validate_symbol_use(Validator *v, uint32_t symbol, SymbolMeaning use, DiagPlace place);

/* ---- validate_nested.c ---- */

bool validate_is_nested(const Validator *v, uint32_t symbol);
/* A nested int has no bounds. */
void validate_nested_bounds(Validator *v, const SpecSymbol *symbol);
/* A symbol in the integer that is being parsed: true, and reported where it may not be, if it is a nested int that is
 * not named here. */
bool validate_nested_use(Validator *v, uint32_t symbol, DiagPlace place);
/* Where it may be named it stands by itself; false: reported. */
bool validate_nested_named(Validator *v, char *const *field, const Expr *expr);
/* In a guard nested ints are compared with each other; false: reported. */
bool validate_nested_compared(Validator *v, char *const *field, const Expr *condition);
/* true, and reported: it is in a condition of a variant. */
bool validate_nested_condition(Validator *v, char *const *field, uint32_t symbol);
/* The nested int that a tensor owns. */
void validate_owns(Validator *v, SpecInt *owns, SymbolMeaning use);
/* Is an outer dimension of that node a nested int? Reports one without an owner. */
bool validate_nested_outer(Validator *v, const SpecSubclass *node, char *const *field, const Expr *expr,
                           const char *whose);
/* Each that an attribute of the node owns is one of its outer sizes. */
void validate_nested_node(Validator *v, const SpecSubclass *node, const char *whose);
void validate_nested_end(Validator *v); /* of the graph */

/* ---- validate_names.c ---- */

typedef enum NameUse {
    NAME_VALUE,    /* a struct member and the stem of locals */
    NAME_ATTR,     /* of a subclass: only the stem of a local */
    NAME_EXTERNAL, /* a C symbol that is generated as written */
    NAME_SYMBOL,   /* the same, but the user's own: generated functions refer to it */
    NAME_PREFIX,
    NAME_STEM /* graph or kernel: the generated names carry the prefix */
} NameUse;

/* Why `name` cannot be a name, as the end of a sentence that begins with it; null: it can. */
const char *validate_name_objection(const Validator *v, const char *name, NameUse use);

/* Reports a name that has an objection. */
bool validate_name(Validator *v, char *const *field, NameUse use, const char *subject);

/* Checks a name of the graph's or kernel's one namespace, which must not be a symbol's either. `first` gets the address
 * of an earlier owner's name. */
typedef const void *(*NameOwner)(const Validator *v, uint32_t kind, uint32_t index);
void validate_own_name(Validator *v, char *const *field, uint32_t kind, uint32_t index, NameOwner owner,
                       const char *subject);

/* ---- validate_externals.c: the C names of all sources ---- */

typedef struct Externals Externals;

Externals *externals_new(Validator *v);

/* Called while a file is checked: what it generates, and which symbols it uses. */
void externals_add_graph(Externals *externals, SpecGraph *graph, const char *prefix);
void externals_add_kernel(Externals *externals, SpecKernel *kernel, const char *prefix);
void externals_add_type(Externals *externals, SpecSubclassType *type);

/* Called at the end: reports clashes among everything that was added. */
void externals_check(Externals *externals);

/* Is that suffix (of a graph, a kernel or an enumerator) in the tables? A test calls it for every suffix in the
 * templates.
 */
bool externals_makes(const char *suffix);

/* ---- validate_reserved.c ---- */

/* What has taken a name: the kinds of reserved.def. */
typedef enum Reserved {
    RESERVED_WORD,    /* has a meaning in the YAML where a name could be */
    RESERVED_KEYWORD, /* of C11, C17, C23 or C++17 to C++23 */
    RESERVED_MACRO,   /* of a header that generated code includes, or of the compiler */
    RESERVED_LIBRARY, /* external name of the C or POSIX library */
    RESERVED_TYPE,    /* one of those that is a type */
    RESERVED_LOCAL,   /* of a generated function: bad only for symbols that such a function refers to (NAME_SYMBOL) */
    RESERVED_NOT      /* free */
} Reserved;

ReservedNames *reserved_new(Arena *arena);

/* `hash` is the name's table_hash(). */
Reserved reserved_kind(ReservedNames *names, const char *name, uint32_t hash);

/* ---- the parts ---- */

void validate_symbols(Validator *v);
void validate_types(Validator *v);
void validate_graph(Validator *v, SpecGraph *graph);
void validate_inputs(Validator *v);
void validate_guards(Validator *v);         /* once all symbols are bound */
void validate_input_defaults(Validator *v); /* once no rule needs to know any more whether a flag was stated */
void validate_input_rules(Validator *v);
bool validate_only_name_and_kind(Validator *v, SpecInput *input);
void validate_duplicates(Validator *v);
void validate_synthetic_bases(Validator *v);
void validate_argument_order(Validator *v); /* once it is known which inputs are merged */
void validate_bases(Validator *v);
void validate_outputs(Validator *v);
int64_t validate_output_view(Validator *v, SpecOutput *output); /* the rank of the regenerated output, -1: unknown */
void validate_saved(Validator *v);
void validate_training(Validator *v, const GraphFacts *facts);
void validate_expect(Validator *v, const GraphFacts *facts);
void validate_kernel(Validator *v, SpecKernel *kernel);
void validate_extras(Validator *v, const SpecKernel *kernel);
void validate_results(Validator *v, SpecKernel *kernel); /* once its arguments were checked */
void validate_variants(Validator *v, const SpecKernel *kernel);
/* `args`: what each entry of `when` is about. */
void validate_variant_guards(Validator *v, const SpecKernel *kernel, SpecVariant *variant, const SpecArg *const *args);
void validate_variant_call(Validator *v, SpecVariant *variant);
void validate_variant_graphs(Validator *v); /* once all graphs were checked */

/* When the current graph calls a kernel: do the variants that are graphs return as many values as it expects? */
void validate_wrapped_outputs(Validator *v, const GraphFacts *facts);

/* A number of a call that a symbol is bound to, within all that is declared. */
typedef struct CallNumber {
    const SpecArg *arg;
    int64_t dim; /* of a size */
    IntegerRange range;
} CallNumber;

/* validate_extra.c: a number and its symbol, in a table of all symbols; a second number for one is reported. false: it
 * was. */
bool validate_bound_once(Validator *v, SpecNumber **bound, SpecNumber *number);

/* validate_extra.c: resolves an entry of `where`; `user` is what needs the number ("a key"). false: reported, what is
 * not about names as a breach of `rule`. */
bool validate_number(Validator *v, Rule rule, const char *user, const SpecKernel *kernel, SpecNumber *number,
                     CallNumber *found);

/* The argument of the kernel at hand at a path like "ts.0"; null: reported. */
const SpecArg *validate_arg_path(Validator *v, const SpecKernel *kernel, char *const *field);

/* A condition on an integer that must be able to hold for values of at least `min` within its symbol's bounds; false:
 * reported. */
bool validate_condition(Validator *v, char *const *field, int64_t min, const char *what, Condition *condition);

/* The same for one that was validated before; false: it was reported then. */
bool validate_condition_quietly(Validator *v, char *const *field, Condition *condition);

/* `float16|bfloat16` as a mask of dtype numbers; 0: reported. */
uint64_t validate_dtypes(Validator *v, char *const *field);

/* The same for one that was validated before; 0: it was reported then. */
uint64_t validate_dtypes_quietly(Validator *v, const char *text);

/* One literal of a scalar kind, of a float only a finite one if that is asked for; false: reported. */
bool validate_scalar_literal(Validator *v, char *const *field, SpecKind kind, bool finite);

/* The `value` of an input of kind float or bool: its expr is a literal, the bits of the float or 0 or 1. */
void validate_stated_value(Validator *v, SpecInt *value, SpecKind kind);

/* The role of a subclass tree; it decides which keys its nodes have and what their symbols mean. */
typedef enum TreeRole { TREE_INPUT, TREE_FROZEN, TREE_RETURNED, TREE_GRADIENT, TREE_TANGENT } TreeRole;

/* Resolves a whole tree. */
void validate_tree(Validator *v, SpecSubclass *tree, TreeRole role, Subject subject);

/* An input's resolved tree that also describes what the graph returns: its nodes need the keys for rebuilding. */
void validate_rebuilt(Validator *v, const SpecSubclass *node, Subject subject);

/* The paths of `wait`. */
void validate_wait(Validator *v, SpecInput *input);

/* Is the value itself passed to the graph? Duplicates and members of synthetic bases are not, which is reported. */
bool validate_is_passed(Validator *v, char *const *field, SpecRef ref);

/* One of the graph's values by name, null when reported; `wanted` is a mask of 1 << SpecRefKind that suggestions come
 * from. */
bool validate_reference(Validator *v, char *const *field, unsigned wanted, const char *what, SpecRef *ref);

const char *validate_kind_reason(Validator *v, SpecKind kind); /* "; it is of kind int", the end of a message */
const char *spec_ref_text(SpecRefKind kind);                   /* "an input", "an output", ... */

/* The name of what `ref` means, and the address of that name's text for a place. */
char *const *validate_ref_name(const SpecGraph *graph, SpecRef ref);

#endif /* WRAPGEN_VALIDATE_H */
