/* SPDX-License-Identifier: MIT */
/* make - random kernels, their YAML, and calls that come near to their variants. */
#include <inttypes.h>
#include <string.h>

#include "model.h"

const char *const MODES[4] = {"fast", "exact", "", "x\\\"y"};
const char *const REALS[4] = {"0.5", "0", "-2.25e1", "-0.0"};
const int32_t DTYPES[4] = {5, 6, 15, 4};
const char *const DTYPE_NAMES[4] = {"float16", "float32", "bfloat16", "int64"};
const char *const FEATURES[NUM_FEATURES] = {"avx2", "sve", "amx_tile"};
const char *const RELATIONS[6] = {"<", "<=", ">", ">=", "==", "!="};
const int32_t DEVICES[3] = {0, 256, 257};

static const int64_t POOL[] = {0, 1, 2, 3, 4, 8, 12, 16, 64};
enum { NUM_POOL = sizeof POOL / sizeof POOL[0] };

static uint64_t state;

void random_seed(uint64_t seed)
{
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

uint64_t random_below(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % n;
}

static int below(int n)
{
    return (int)random_below((uint64_t)n);
}

static bool chance(int percent)
{
    return below(100) < percent;
}

static int64_t pooled(void)
{
    return POOL[below(NUM_POOL)];
}

/* ---- kernels ---- */

static Range random_range(int64_t low)
{
    Range range = {.has_min = false};
    const int64_t a = low + pooled();
    const int64_t b = low + pooled();
    switch (below(5)) {
    case 0:
    case 1:
        return (Range){true, true, a, a, 0};
    case 2:
        return (Range){true, true, a < b ? a : b, a < b ? b : a, 0};
    case 3:
        range.multiple = 2 + below(3);
        return range;
    default:
        range.has_min = chance(50);
        range.has_max = !range.has_min;
        range.min = range.max = a;
        range.multiple = range.has_min && chance(50) ? 4 : 0;
        return range;
    }
}

static Integer random_integer(int64_t low, bool symbols)
{
    Integer integer = {.kind = INTEGER_RANGES, .num_ranges = 1 + (chance(25) ? below(MAX_ALTERNATIVES) : 0)};
    if (symbols && chance(35)) {
        integer.kind = INTEGER_SYMBOL;
        integer.symbol = below(NUM_SYMBOLS);
    } else if (chance(20)) {
        integer.kind = INTEGER_ANY;
    }
    for (int i = 0; i < integer.num_ranges; i++) {
        integer.ranges[i] = random_range(low);
    }
    return integer;
}

static void random_tensor_entry(Entry *entry)
{
    const What what[] = {DTYPE, NDIM, SIZE, SIZE, SIZE, STRIDE, STRIDE, OFFSET, ALIGN, DEVICE, LAYOUT, SAME};
    const Subject tensors[] = {A, B, TS0, TS1};
    entry->what = what[below(12)];
    entry->dtypes = 1U + (unsigned)below(15);
    entry->literal = entry->what == LAYOUT ? chance(30) : entry->what == SAME ? chance(60) : below(3);
    do {
        entry->other = tensors[below(4)];
    } while (entry->other == entry->subject);
    entry->align = chance(80) ? (int64_t)1 << (1 + below(6)) : 24;
    entry->num_dims = entry->what == SIZE || entry->what == STRIDE ? below(MAX_RANK + 1) : 1;
    for (int d = 0; d < MAX_RANK; d++) {
        entry->dims[d] = random_integer(0, entry->what != NDIM);
    }
    if (entry->what == NDIM) {
        entry->dims[0] =
            (Integer){.kind = INTEGER_RANGES, .num_ranges = 1, .ranges = {{true, true, 1, 1 + below(3), 0}}};
    }
}

static Entry random_entry(void)
{
    const Subject subjects[NUM_SUBJECTS] = {A, A, A, B, B, TS0, TS1, N, MODE, X, TO, WHERE};
    Entry entry = {.subject = subjects[below(NUM_SUBJECTS)], .what = VALUE};
    entry.subject = chance(8) ? FLAG : chance(8) ? TS : entry.subject;
    switch (entry.subject) {
    case B:
        if (chance(40)) {
            entry.what = IS_NULL;
            entry.literal = below(2);
            break;
        }
        random_tensor_entry(&entry);
        break;
    case A:
    case TS0:
    case TS1:
        random_tensor_entry(&entry);
        break;
    case N:
        entry.dims[0] = random_integer(-2, true);
        break;
    case TS:
        entry.what = LENGTH;
        entry.dims[0] =
            (Integer){.kind = INTEGER_RANGES, .num_ranges = 1, .ranges = {{true, true, 1, 1 + below(2), 0}}};
        break;
    case MODE:
    case X:
        entry.literal = below(3);
        break;
    case FLAG:
        entry.literal = below(2);
        break;
    case TO:
        entry.dtypes = 1U + (unsigned)below(15);
        break;
    case WHERE:
        entry.literal = below(3);
        break;
    }
    return entry;
}

static Integer literal(int64_t value)
{
    return (Integer){.kind = INTEGER_RANGES, .num_ranges = 1, .ranges = {{true, true, value, value, 0}}};
}

static void plain_variant(Variant *variant, int index)
{
    Entry size = {.subject = A, .what = SIZE, .num_dims = 2};
    size.dims[0] = literal(16 * (1 + index % 32));
    size.dims[1] = literal(64 * (1 + index / 32 % 32));
    Entry stride = {.subject = A, .what = STRIDE, .num_dims = 2};
    stride.dims[0] = literal(size.dims[1].ranges[0].min);
    stride.dims[1] = literal(1);
    Entry n = {.subject = N, .what = VALUE};
    n.dims[0] = literal(index % 7);
    variant->entries[0] = size;
    variant->entries[1] = stride;
    variant->entries[2] = n;
    variant->num_entries = 3;
}

/* ---- guards ---- */

/* The symbols that stand for a size, an offset or n in some entry. */
static int bound_symbols(const Variant *variant, int *symbols)
{
    int n = 0;
    for (int s = 0; s < NUM_SYMBOLS; s++) {
        bool bound = false;
        for (int k = 0; k < variant->num_entries; k++) {
            const Entry *entry = &variant->entries[k];
            const bool counts =
                entry->what == SIZE || entry->what == OFFSET || (entry->what == VALUE && entry->subject == N);
            for (int d = 0; counts && d < (entry->what == SIZE ? entry->num_dims : 1); d++) {
                bound = bound || (entry->dims[d].kind == INTEGER_SYMBOL && entry->dims[d].symbol == s);
            }
        }
        if (bound) {
            symbols[n++] = s;
        }
    }
    return n;
}

static Term random_term(const int *symbols, int n)
{
    static const int64_t divisors[] = {2, 3, 4, 7, -3, -1};
    Term term = {
        .arithmetic = (Arithmetic)below(NUM_ARITHMETIC), .symbol = symbols[below(n)], .other = symbols[below(n)]};
    term.factor = chance(60) ? 1 : below(6) - 2;
    term.addend = chance(50) ? 0 : pooled() - 4;
    term.divisor = divisors[below(6)];
    if (chance(4)) { /* leaves 64 bits for some values */
        term.factor = INT64_MAX / 8;
    }
    if (chance(35)) { /* a number */
        term = (Term){.symbol = term.symbol, .other = term.symbol, .addend = pooled(), .divisor = 1};
    }
    return term;
}

static void random_guards(Variant *variant)
{
    int symbols[NUM_SYMBOLS];
    const int n = bound_symbols(variant, symbols);
    variant->num_guards = n > 0 && chance(70) ? 1 + below(MAX_GUARDS) : 0;
    for (int i = 0; i < variant->num_guards; i++) {
        variant->guards[i].junction = (Junction)below(3);
        for (int k = 0; k < 2; k++) {
            Comparison *comparison = &variant->guards[i].comparisons[k];
            *comparison = (Comparison){.left = random_term(symbols, n), .right = random_term(symbols, n)};
            comparison->relation = below(6);
            comparison->negated = chance(20);
        }
    }
}

void random_variant(Variant *variant, bool long_one)
{
    variant->num_entries = long_one ? 2 + below(8) : 1 + below(5);
    for (int k = 0; k < variant->num_entries; k++) {
        variant->entries[k] = random_entry();
    }
    random_guards(variant);
    variant->cpu = chance(25) ? 1U + (unsigned)below((1 << NUM_FEATURES) - 1) : 0;
}

void add_always(const Kernel *kernel, Variant *variant)
{
    const int n = kernel->always.num_entries;
    memmove(&variant->entries[n], variant->entries, (size_t)variant->num_entries * sizeof(Entry));
    memcpy(variant->entries, kernel->always.entries, (size_t)n * sizeof(Entry));
    variant->num_entries += n;
}

/* Of few arguments, or few calls would satisfy them. */
static void random_always(Variant *always)
{
    always->num_entries = chance(30) ? 1 + below(2) : 0;
    for (int k = 0; k < always->num_entries; k++) {
        always->entries[k] = random_entry();
    }
}

void random_kernel(Kernel *kernel, int num_variants, bool plain)
{
    kernel->always.num_entries = 0;
    if (!plain) {
        random_always(&kernel->always);
    }
    kernel->num_variants = num_variants;
    kernel->has_ndim = chance(50);
    kernel->ndim = (Integer){.kind = INTEGER_RANGES, .num_ranges = 1, .ranges = {{true, true, 1, 1 + below(4), 0}}};
    kernel->dtypes = chance(60) ? 0 : 1U + (unsigned)below(15);
    kernel->has_ndim = kernel->has_ndim && !plain;
    kernel->same_in_key = chance(60);
    for (int i = 0; i < num_variants; i++) {
        Variant *variant = &kernel->variants[i];
        variant->symbol = i;
        if (plain && (i < 8 || !chance(3))) {
            plain_variant(variant, i);
            continue;
        }
        random_variant(variant, num_variants > 40);
        add_always(kernel, variant);
    }
}

/* ---- YAML ---- */

static void print_integer(const Integer *integer, FILE *out)
{
    if (integer->kind == INTEGER_ANY) {
        fprintf(out, "any");
    } else if (integer->kind == INTEGER_SYMBOL) {
        fprintf(out, "s%d", integer->symbol);
    }
    fprintf(out, integer->kind == INTEGER_RANGES ? "'" : "");
    for (int i = 0; integer->kind == INTEGER_RANGES && i < integer->num_ranges; i++) {
        const Range *range = &integer->ranges[i];
        fprintf(out, i > 0 ? "|" : "");
        if (range->has_min && range->has_max && range->min == range->max && range->multiple == 0) {
            fprintf(out, "%" PRId64, range->min);
            continue;
        }
        if (range->has_min) {
            fprintf(out, "%" PRId64, range->min);
        }
        fprintf(out, range->has_min || range->has_max ? ".." : "");
        if (range->has_max) {
            fprintf(out, "%" PRId64, range->max);
        }
        if (range->multiple > 0) {
            fprintf(out, "%%%" PRId64, range->multiple);
        }
    }
    fprintf(out, integer->kind == INTEGER_RANGES ? "'" : "");
}

static void print_term(const Term *term, FILE *out)
{
    static const char *const calls[NUM_ARITHMETIC] = {[LEAST] = "min", [GREATEST] = "max"};
    const bool call = calls[term->arithmetic] != NULL;
    fprintf(out, "%s(%" PRId64 "*s%d + (%" PRId64 ")", call ? calls[term->arithmetic] : "", term->factor, term->symbol,
            term->addend);
    if (call) {
        fprintf(out, ", s%d)", term->other);
    } else if (term->arithmetic == PRODUCT) {
        fprintf(out, ")*s%d", term->other);
    } else if (term->arithmetic == SUM) {
        fprintf(out, ")");
    } else {
        fprintf(out, ") %s (%" PRId64 ")", term->arithmetic == QUOTIENT ? "//" : "%", term->divisor);
    }
}

static void print_comparison(const Comparison *comparison, FILE *out)
{
    fprintf(out, comparison->negated ? "not (" : "");
    print_term(&comparison->left, out);
    fprintf(out, " %s ", RELATIONS[comparison->relation]);
    print_term(&comparison->right, out);
    fprintf(out, comparison->negated ? ")" : "");
}

static void print_cpu(unsigned cpu, FILE *out)
{
    const char *separator = ", cpu: [";
    for (int i = 0; i < NUM_FEATURES; i++) {
        if ((cpu >> i & 1) != 0) {
            fprintf(out, "%s%s", separator, FEATURES[i]);
            separator = ", ";
        }
    }
    fprintf(out, cpu != 0 ? "]" : "");
}

static void print_guards(const Variant *variant, FILE *out)
{
    fprintf(out, variant->num_guards > 0 ? ", guards: [" : "");
    for (int i = 0; i < variant->num_guards; i++) {
        const GuardText *guard = &variant->guards[i];
        fprintf(out, i > 0 ? ", '" : "'");
        print_comparison(&guard->comparisons[0], out);
        if (guard->junction != ALONE) {
            fprintf(out, guard->junction == BOTH ? " and " : " or ");
            print_comparison(&guard->comparisons[1], out);
        }
        fprintf(out, "'");
    }
    fprintf(out, variant->num_guards > 0 ? "]" : "");
}

static void print_dtypes(unsigned dtypes, FILE *out)
{
    const char *bar = "";
    for (int i = 0; i < 4; i++) {
        if ((dtypes >> i & 1) != 0) {
            fprintf(out, "%s%s", bar, DTYPE_NAMES[i]);
            bar = "|";
        }
    }
}

static void print_string(const char *text, FILE *out)
{
    fprintf(out, "'%s'", text);
}

static const char *const names[] = {"a", "b", "ts.0", "ts.1", "n", "mode", "x", "to", "where", "flag", "ts"};

static void print_what(const Entry *entry, FILE *out)
{
    static const char *const devices[] = {"cpu", "cuda", "cuda:1"};
    switch (entry->what) {
    case DTYPE:
        fprintf(out, "dtype: ");
        print_dtypes(entry->dtypes, out);
        return;
    case NDIM:
        fprintf(out, "ndim: ");
        print_integer(&entry->dims[0], out);
        return;
    case OFFSET:
        fprintf(out, "storage_offset: ");
        print_integer(&entry->dims[0], out);
        return;
    case LENGTH:
        fprintf(out, "length: ");
        print_integer(&entry->dims[0], out);
        return;
    case SIZE:
    case STRIDE:
        fprintf(out, "%s: [", entry->what == SIZE ? "size" : "stride");
        for (int d = 0; d < entry->num_dims; d++) {
            fprintf(out, d > 0 ? ", " : "");
            print_integer(&entry->dims[d], out);
        }
        fprintf(out, "]");
        return;
    case ALIGN:
        fprintf(out, "align: %" PRId64, entry->align);
        return;
    case DEVICE:
        fprintf(out, "device: %s", devices[entry->literal]);
        return;
    case LAYOUT:
        fprintf(out, "layout: %s", entry->literal ? "channels_last" : "contiguous");
        return;
    case SAME:
        fprintf(out, "%s: %s", entry->literal ? "same_as" : "not_same_as", names[entry->other]);
        return;
    case IS_NULL:
        fprintf(out, "is_null: %s", entry->literal ? "true" : "false");
        return;
    case VALUE:
        break;
    }
    fprintf(out, "value: ");
    if (entry->subject == N) {
        print_integer(&entry->dims[0], out);
    } else if (entry->subject == TO) {
        print_dtypes(entry->dtypes, out);
    } else if (entry->subject == MODE) {
        print_string(MODES[entry->literal], out);
    } else {
        fprintf(out, "%s",
                entry->subject == X       ? REALS[entry->literal]
                : entry->subject == WHERE ? devices[entry->literal]
                : entry->literal          ? "true"
                                          : "false");
    }
}

void print_symbols(FILE *out)
{
    fprintf(out,
            "wrapgen: 1\nsymbols: [{name: s0}, {name: s1, min: 2, max: 16}, {name: s2, multiple_of: 4}]\nkernels:\n");
}

static void print_entries(const Variant *variant, int first, FILE *out)
{
    for (int k = first; k < variant->num_entries; k++) {
        fprintf(out, "%s{arg: %s, ", k > first ? ", " : "", names[variant->entries[k].subject]);
        print_what(&variant->entries[k], out);
        fprintf(out, "}");
    }
}

void print_kernel(const Kernel *kernel, const char *name, FILE *out)
{
    static const char *const checks[] = {"cheap", "none", "count", "full"};
    fprintf(out, "  - name: %s\n    check: %s\n    same_in_key: %s\n", name, checks[kernel->check],
            kernel->same_in_key ? "true" : "false");
    fprintf(out, "    args:\n      - {name: a, kind: tensor");
    if (kernel->has_ndim) {
        fprintf(out, ", ndim: ");
        print_integer(&kernel->ndim, out);
    }
    if (kernel->dtypes != 0) {
        fprintf(out, ", dtype: ");
        print_dtypes(kernel->dtypes, out);
    }
    fprintf(out, "}\n      - {name: b, kind: tensor, nullable: true}\n      - {name: n, kind: int}\n"
                 "      - {name: mode, kind: string}\n      - {name: x, kind: float}\n      - {name: to, kind: dtype}\n"
                 "      - {name: where, kind: device}\n      - {name: flag, kind: bool}\n"
                 "      - {name: ts, kind: list, length: 0..3, of: {kind: tensor}}\n");
    if (kernel->always.num_entries > 0) {
        fprintf(out, "    always: [");
        print_entries(&kernel->always, 0, out);
        fprintf(out, "]\n");
    }
    fprintf(out, "    variants:\n");
    for (int i = 0; i < kernel->num_variants; i++) {
        const Variant *variant = &kernel->variants[i];
        fprintf(out, "      - {symbol: v%d, when: [", variant->symbol);
        print_entries(variant, kernel->always.num_entries, out);
        fprintf(out, "]");
        print_guards(variant, out);
        print_cpu(variant->cpu, out);
        fprintf(out, "}\n");
    }
}

/* ---- calls ---- */

static int64_t symbol_values[NUM_SYMBOLS];

static int64_t satisfying(const Integer *integer, int64_t otherwise)
{
    if (integer->kind == INTEGER_SYMBOL) {
        return symbol_values[integer->symbol];
    }
    if (integer->kind == INTEGER_ANY) {
        return otherwise;
    }
    const Range *range = &integer->ranges[below(integer->num_ranges)];
    int64_t value = range->has_min ? range->min : range->has_max ? range->max : 0;
    if (range->has_min && range->has_max && range->max > range->min && chance(50)) {
        value = range->min + (int64_t)random_below((uint64_t)(range->max - range->min) + 1);
    }
    if (range->multiple > 0) {
        value = range->multiple * (value / range->multiple + (range->has_max ? 0 : below(3)));
    }
    return value;
}

static void random_tensor(Tensor *tensor)
{
    *tensor =
        (Tensor){.rank = below(MAX_RANK + 1), .dtype = DTYPES[below(4)], .device = DEVICES[chance(60) ? 0 : below(3)]};
    tensor->address = 4096 + (chance(70) ? 64U * random_below(8) : random_below(100));
    tensor->offset = chance(40) ? 0 : pooled();
    for (int d = 0; d < MAX_RANK; d++) {
        tensor->sizes[d] = pooled();
        tensor->strides[d] = chance(50) ? pooled() : 1;
    }
}

static void make_dense(Tensor *tensor, bool channels_last)
{
    const int last[] = {1, 3, 2, 0};
    int64_t expected = 1;
    for (int i = 0; i < tensor->rank; i++) {
        const int d = channels_last && tensor->rank == 4 ? last[i] : (int)tensor->rank - 1 - i;
        tensor->strides[d] = expected;
        expected *= tensor->sizes[d] > 0 ? tensor->sizes[d] : 1;
    }
}

Tensor *tensor_at(Call *call, Subject subject)
{
    return subject == A     ? &call->a
           : subject == B   ? &call->b
           : subject == TS0 ? &call->ts[0]
           : subject == TS1 ? &call->ts[1]
                            : NULL;
}

void spread(Call *call, const Tensor *tensor)
{
    Tensor *const tensors[] = {&call->a, &call->b, &call->ts[0], &call->ts[1], &call->ts[2]};
    const Tensor facts = *tensor;
    for (size_t i = 0; facts.object != 0 && !facts.null && i < sizeof tensors / sizeof tensors[0]; i++) {
        if (tensors[i]->object == facts.object && !tensors[i]->null) {
            *tensors[i] = facts;
        }
    }
}

/* Both are one from now on, or are not. */
static void join(Call *call, Subject subject, Subject with, bool same)
{
    Tensor *one = tensor_at(call, subject);
    Tensor *other = tensor_at(call, with);
    one->object = one->object != 0 ? one->object : 1 + (int)subject;
    other->object = same ? one->object : other->object == one->object ? 0 : other->object;
    one->null = other->null = false;
    spread(call, one);
}

static void steer_tensor(const Entry *entry, Tensor *tensor)
{
    tensor->null = false;
    switch (entry->what) {
    case DTYPE:
        for (int i = 0; i < 4; i++) {
            tensor->dtype = (entry->dtypes >> i & 1) != 0 ? DTYPES[i] : tensor->dtype;
        }
        return;
    case NDIM:
        tensor->rank = satisfying(&entry->dims[0], 2);
        return;
    case SIZE:
    case STRIDE:
        tensor->rank = entry->num_dims;
        for (int d = 0; d < entry->num_dims; d++) {
            int64_t *values = entry->what == SIZE ? tensor->sizes : tensor->strides;
            values[d] = satisfying(&entry->dims[d], values[d]);
        }
        return;
    case OFFSET:
        tensor->offset = satisfying(&entry->dims[0], tensor->offset);
        return;
    case ALIGN:
        tensor->address = 4608 * 3;
        return;
    case DEVICE:
        tensor->device = DEVICES[entry->literal];
        return;
    case LAYOUT:
        tensor->rank = entry->literal ? 4 : tensor->rank;
        make_dense(tensor, entry->literal != 0);
        return;
    case IS_NULL:
        tensor->null = entry->literal != 0;
        return;
    case SAME:
    case VALUE:
    case LENGTH:
        return;
    }
}

static void reach(Call *call, Subject subject)
{
    const int64_t least = subject == TS1 ? 2 : subject == TS0 ? 1 : 0;
    call->length = call->length > least ? call->length : least;
}

static void steer(const Entry *entry, Call *call)
{
    reach(call, entry->subject);
    if (entry->what == SAME) {
        reach(call, entry->other);
        join(call, entry->subject, entry->other, entry->literal != 0);
        return;
    }
    switch (entry->subject) {
    case A:
    case B:
    case TS0:
    case TS1:
        steer_tensor(entry, tensor_at(call, entry->subject));
        spread(call, tensor_at(call, entry->subject));
        return;
    case N:
        call->n = satisfying(&entry->dims[0], call->n);
        return;
    case MODE:
        call->mode = entry->literal;
        return;
    case X:
        call->x = entry->literal;
        return;
    case TO:
        for (int i = 0; i < 4; i++) {
            call->to = (entry->dtypes >> i & 1) != 0 ? DTYPES[i] : call->to;
        }
        return;
    case WHERE:
        call->where = DEVICES[entry->literal];
        return;
    case FLAG:
        call->flag = entry->literal;
        return;
    case TS:
        call->length = satisfying(&entry->dims[0], 1);
        return;
    }
}

void random_call(const Kernel *kernel, Call *call)
{
    memset(call, 0, sizeof *call);
    random_tensor(&call->a);
    random_tensor(&call->b);
    call->b.null = chance(30);
    call->n = pooled() - 2;
    call->mode = below(4);
    call->x = below(4);
    call->to = DTYPES[below(4)];
    call->where = DEVICES[below(3)];
    call->flag = below(2);
    call->length = below(MAX_ITEMS + 1);
    for (int i = 0; i < MAX_ITEMS; i++) {
        random_tensor(&call->ts[i]);
    }
    for (int s = 0; s < NUM_SYMBOLS; s++) {
        symbol_values[s] = s == 0 ? pooled() : 4 * (1 + below(4));
    }
    if (kernel->has_ndim && call->a.rank > 0 && chance(80)) {
        call->a.rank = satisfying(&kernel->ndim, 2);
    }
    for (int i = 0; kernel->dtypes != 0 && chance(90) && i < 4; i++) {
        call->a.dtype = (kernel->dtypes >> i & 1) != 0 ? DTYPES[i] : call->a.dtype;
    }
    if (chance(10)) {
        const Subject tensors[] = {A, B, TS0, TS1};
        const int at = below(4);
        join(call, tensors[at], tensors[(at + 1 + below(3)) % 4], true);
    }
    const Variant *variant = &kernel->variants[random_below((uint64_t)kernel->num_variants)];
    const int keep = chance(70) ? 100 : 85;
    for (int i = 0; i < variant->num_entries; i++) {
        if (chance(keep)) {
            steer(&variant->entries[i], call);
        }
    }
    for (int i = 0; i < variant->num_entries; i++) { /* layouts follow the sizes, and what is one has all facts */
        if (variant->entries[i].what == LAYOUT || (variant->entries[i].what == STRIDE && chance(50))) {
            steer(&variant->entries[i], call);
        }
    }
    call->a.null = chance(1);
    call->cpu = (unsigned)below(1 << NUM_FEATURES) | (chance(keep) ? variant->cpu : 0);
}
