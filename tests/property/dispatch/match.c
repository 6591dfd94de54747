/* SPDX-License-Identifier: MIT */
/* match - does a call satisfy a variant? Word for word as SPEC.md says. */
#include "model.h"

bool symbol_allows(int symbol, int64_t value)
{
    return symbol == 0 || (symbol == 1 ? value >= 2 && value <= 16 : value % 4 == 0);
}

/* Values that each symbol stood for where it counted. */
typedef struct Bound {
    int count[NUM_SYMBOLS];
    int64_t first[NUM_SYMBOLS];
} Bound;

static bool integer_holds(const Integer *integer, int64_t value, Bound *bound)
{
    if (integer->kind == INTEGER_ANY) {
        return true;
    }
    if (integer->kind == INTEGER_SYMBOL) {
        const int s = integer->symbol;
        if (bound->count[s]++ == 0) {
            bound->first[s] = value;
        }
        return bound->first[s] == value && symbol_allows(s, value);
    }
    for (int i = 0; i < integer->num_ranges; i++) {
        const Range *range = &integer->ranges[i];
        if ((!range->has_min || value >= range->min) && (!range->has_max || value <= range->max) &&
            (range->multiple == 0 || value % range->multiple == 0)) {
            return true;
        }
    }
    return false;
}

static bool dense(const Tensor *tensor, const int *order)
{
    int64_t expected = 1;
    for (int64_t i = 0; i < tensor->rank; i++) {
        const int d = order[i];
        if (tensor->sizes[d] != 1 && tensor->strides[d] != expected) {
            return false;
        }
        expected *= tensor->sizes[d];
    }
    return true;
}

static bool layout_holds(const Tensor *tensor, int channels_last)
{
    const int last[] = {1, 3, 2, 0};
    int order[MAX_RANK + 1];
    bool empty = false;
    for (int i = 0; i < tensor->rank; i++) {
        order[i] = (int)tensor->rank - 1 - i;
        empty = empty || tensor->sizes[i] == 0;
    }
    return channels_last ? tensor->rank == 4 && dense(tensor, last) : empty || dense(tensor, order);
}

static bool device_holds(int literal, int32_t device)
{
    return literal == 0 ? device == 0 : literal == 1 ? device / 256 == 1 : device == 257;
}

static bool dtype_holds(unsigned dtypes, int32_t dtype)
{
    for (int i = 0; i < 4; i++) {
        if ((dtypes >> i & 1) != 0 && DTYPES[i] == dtype) {
            return true;
        }
    }
    return false;
}

static bool dims_hold(const Entry *entry, const Tensor *tensor, Bound *bound)
{
    if (tensor->rank != entry->num_dims) {
        return false;
    }
    for (int d = 0; d < entry->num_dims; d++) {
        const bool counts = entry->what == SIZE || tensor->sizes[d] != 1;
        const int64_t value = entry->what == SIZE ? tensor->sizes[d] : tensor->strides[d];
        if (counts && !integer_holds(&entry->dims[d], value, bound)) {
            return false;
        }
    }
    return true;
}

static bool tensor_holds(const Entry *entry, const Tensor *tensor, Bound *bound)
{
    if (entry->what == IS_NULL) {
        return tensor->null == (entry->literal != 0);
    }
    if (tensor->null) {
        return false;
    }
    switch (entry->what) {
    case DTYPE:
        return dtype_holds(entry->dtypes, tensor->dtype);
    case NDIM:
        return integer_holds(&entry->dims[0], tensor->rank, bound);
    case SIZE:
    case STRIDE:
        return dims_hold(entry, tensor, bound);
    case OFFSET:
        return integer_holds(&entry->dims[0], tensor->offset, bound);
    case ALIGN:
        return tensor->address % (uint64_t)entry->align == 0;
    case DEVICE:
        return device_holds(entry->literal, tensor->device);
    case LAYOUT:
        return layout_holds(tensor, entry->literal);
    case SAME:
    case IS_NULL:
    case VALUE:
    case LENGTH:
        break;
    }
    return false;
}

static const Tensor *tensor_of(const Call *call, Subject subject)
{
    const bool item = (subject == TS0 && call->length > 0) || (subject == TS1 && call->length > 1);
    const Tensor *tensor = subject == A ? &call->a : subject == B ? &call->b : item ? &call->ts[subject == TS1] : NULL;
    return tensor != NULL && !tensor->null ? tensor : NULL;
}

static bool is_one(const Tensor *a, const Tensor *b)
{
    return !a->null && !b->null && a->object != 0 && a->object == b->object;
}

/* Both must be there. */
static bool same_holds(const Entry *entry, const Call *call)
{
    const Tensor *one = tensor_of(call, entry->subject);
    const Tensor *other = tensor_of(call, entry->other);
    return one != NULL && other != NULL && is_one(one, other) == (entry->literal != 0);
}

static bool entry_holds(const Entry *entry, const Call *call, Bound *bound)
{
    if (entry->what == SAME) {
        return same_holds(entry, call);
    }
    switch (entry->subject) {
    case A:
        return tensor_holds(entry, &call->a, bound);
    case B:
        return tensor_holds(entry, &call->b, bound);
    case TS0:
        return call->length > 0 && tensor_holds(entry, &call->ts[0], bound);
    case TS1:
        return call->length > 1 && tensor_holds(entry, &call->ts[1], bound);
    case N:
        return integer_holds(&entry->dims[0], call->n, bound);
    case MODE:
        return entry->literal == call->mode;
    case X:
        return entry->literal == call->x;
    case TO:
        return dtype_holds(entry->dtypes, call->to);
    case WHERE:
        return device_holds(entry->literal, call->where);
    case FLAG:
        return entry->literal == call->flag;
    case TS:
        return integer_holds(&entry->dims[0], call->length, bound);
    }
    return false;
}

bool declared_holds(const Kernel *kernel, const Call *call)
{
    Bound bound = {{0}, {0}};
    if (call->a.null || (kernel->has_ndim && !integer_holds(&kernel->ndim, call->a.rank, &bound)) ||
        (kernel->dtypes != 0 && !dtype_holds(kernel->dtypes, call->a.dtype))) {
        return false;
    }
    for (int64_t i = 0; i < call->length; i++) {
        if (call->ts[i].null) {
            return false;
        }
    }
    return true;
}

bool call_is_allowed(const Kernel *kernel, const Call *call)
{
    return kernel->check == CHECK_CHEAP || kernel->check == CHECK_FULL || declared_holds(kernel, call);
}

/* ---- guards: as Python computes them, but for 64 bits ---- */

__extension__ typedef __int128 Wide;

static Wide floor_of(Wide a, Wide b)
{
    const Wide rest = a - a / b * b;
    return a / b - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
}

static bool fits(Wide value)
{
    return value >= INT64_MIN && value <= INT64_MAX;
}

/* false: a step leaves 64 bits. */
static bool term_value(const Term *term, const Bound *bound, Wide *value)
{
    const Wide first = (Wide)bound->first[term->symbol] * term->factor;
    const Wide sum = first + term->addend;
    const Wide other = bound->first[term->other];
    const Wide product = fits(sum) ? sum * other : 0; /* so that 128 bits hold it */
    const bool computed = fits(first) && fits(sum) && (term->arithmetic != PRODUCT || fits(product));
    *value = term->arithmetic == QUOTIENT    ? floor_of(sum, term->divisor)
             : term->arithmetic == REMAINDER ? sum - floor_of(sum, term->divisor) * term->divisor
             : term->arithmetic == LEAST     ? (sum < other ? sum : other)
             : term->arithmetic == GREATEST  ? (sum > other ? sum : other)
             : term->arithmetic == PRODUCT   ? product
                                             : sum;
    return computed && fits(*value);
}

static bool comparison_value(const Comparison *comparison, const Bound *bound, bool *computed)
{
    Wide a = 0;
    Wide b = 0;
    const bool left = term_value(&comparison->left, bound, &a);
    const bool right = term_value(&comparison->right, bound, &b);
    const bool truths[] = {a<b, a <= b, a> b, a >= b, a == b, a != b};
    *computed = *computed && left && right;
    return truths[comparison->relation] != comparison->negated;
}

static bool guard_holds(const GuardText *guard, const Bound *bound)
{
    bool computed = true;
    const bool first = comparison_value(&guard->comparisons[0], bound, &computed);
    const bool second = guard->junction != ALONE && comparison_value(&guard->comparisons[1], bound, &computed);
    return computed && (guard->junction == BOTH ? first && second : first || second);
}

bool variant_holds(const Variant *variant, const Call *call)
{
    Bound bound = {{0}, {0}};
    for (int i = 0; i < variant->num_entries; i++) {
        if (!entry_holds(&variant->entries[i], call, &bound)) {
            return false;
        }
    }
    for (int i = 0; i < variant->num_guards; i++) {
        if (!guard_holds(&variant->guards[i], &bound)) {
            return false;
        }
    }
    return (variant->cpu & ~call->cpu) == 0;
}

int first_match(const Kernel *kernel, const Call *call)
{
    for (int i = 0; declared_holds(kernel, call) && i < kernel->num_variants; i++) {
        if (variant_holds(&kernel->variants[i], call)) {
            return i;
        }
    }
    return -1;
}

/* ---- keys ---- */

static size_t add_tensor_text(const Tensor *tensor, char *text, size_t n)
{
    if (tensor->null) {
        return n + (size_t)snprintf(text + n, KEY_TEXT - n, "null;");
    }
    n += (size_t)snprintf(text + n, KEY_TEXT - n, "%d on %d:", (int)tensor->dtype, (int)tensor->device / 256);
    for (int64_t d = 0; d < tensor->rank; d++) {
        const int64_t stride = tensor->sizes[d] == 1 ? -1 : tensor->strides[d];
        n += (size_t)snprintf(text + n, KEY_TEXT - n, " %lld/%lld", (long long)tensor->sizes[d], (long long)stride);
    }
    return n + (size_t)snprintf(text + n, KEY_TEXT - n, ";");
}

void key_text(const Kernel *kernel, const Call *call, char *text)
{
    const Tensor *const tensors[] = {&call->a, &call->b, &call->ts[0], &call->ts[1], &call->ts[2]};
    size_t n = add_tensor_text(&call->a, text, 0);
    n = add_tensor_text(&call->b, text, n);
    n += (size_t)snprintf(text + n, KEY_TEXT - n, "%d %d %d %lld;", call->mode, (int)call->to, (int)call->where,
                          (long long)call->length);
    for (int64_t i = 0; i < call->length; i++) {
        n = add_tensor_text(&call->ts[i], text, n);
    }
    for (int64_t i = 0; kernel->same_in_key && i < 2 + call->length; i++) {
        for (int64_t k = 0; k < i; k++) {
            n += (size_t)snprintf(text + n, KEY_TEXT - n, "%d", is_one(tensors[i], tensors[k]) ? 1 : 0);
        }
    }
    (void)snprintf(text + n, KEY_TEXT - n, ";%u", call->cpu); /* no part of it: one machine */
}
