/* SPDX-License-Identifier: MIT */
/* encode - what a call's key must be: by the table in wg_key.h, and as a text after Helion's components. */
#include "keys.h"

#include <stdarg.h>
#include <string.h>

/* ---- acceptable? ---- */

static bool fits(unsigned set, int n)
{
    return set == 0 || (set >> n & 1) != 0;
}

/* 2^31 - 1 elements at most; a symbolic size is not known to be few. */
static bool few_elements(const Tensor *t)
{
    long double count = 1;
    for (int d = 0; d < t->tensor.rank; d++) {
        if ((t->symbolic_sizes >> d & 1) != 0) {
            return false;
        }
        count *= (long double)t->sizes[d]; /* exact up to 2^64, beyond that large enough */
    }
    return count <= 2147483647.0L;
}

static bool acceptable(const Kernel *kernel, const Arg *arg, const Value *value)
{
    if (arg->kind == NOTHING) {
        return !value->is_null; /* pass() makes it something then */
    }
    if (value->is_null) {
        return arg->nullable;
    }
    if (arg->kind == TENSOR) {
        const Tensor *t = value->tensor;
        return fits(arg->ranks, t->tensor.rank) && fits(arg->dtypes, t->tensor.dtype) &&
               arg->marked >> t->tensor.rank == 0 && (arg->subclass_ok || t->tensor.type == NULL) &&
               (kernel->index != 32 || few_elements(t));
    }
    if (arg->kind == BOOL) {
        return value->integer == 0 || value->integer == 1;
    }
    if (arg->kind == DTYPE) {
        return value->integer >= 0 && strcmp(wg_dtype_name((int32_t)value->integer), "?") != 0;
    }
    if (arg->kind == DEVICE) {
        return value->integer >= 0;
    }
    if (arg->kind == LIST && !fits(arg->lengths, value->num_items)) {
        return false;
    }
    for (int i = 0; i < value->num_items; i++) {
        if (!acceptable(kernel, arg->kind == LIST ? arg->items : &arg->items[i], &value->items[i])) {
            return false;
        }
    }
    return true;
}

bool is_acceptable(const Kernel *kernel, const Call *call)
{
    for (int i = 0; i < call->num_given; i++) {
        if (!acceptable(kernel, &kernel->args[i], &call->args[i])) {
            return false;
        }
    }
    return call->num_given >= kernel->num_required;
}

bool has_formulas(const Kernel *kernel, const Call *call)
{
    int64_t value = 0;
    for (int i = 0; i < kernel->num_extra; i++) {
        if (kernel->extra[i].formula != NULL && compute_formula(kernel->extra[i].formula, call, &value) < 0) {
            return false;
        }
    }
    return true;
}

/* ---- words ---- */

typedef struct Words {
    uint64_t *at;
    size_t n;
    const Tensor *tensors[MAX_TENSORS]; /* each object once */
    int num_tensors;
} Words;

static void add(Words *words, uint64_t word)
{
    words->at[words->n++] = word;
}

static void add_symbol(Words *words, int64_t number, bool of_stride)
{
    add(words, UINT64_C(0x8000000000000001));
    add(words, 3);
    add(words, (uint64_t)number * 2 + of_stride);
}

static void add_size(Words *words, const Tensor *t, int d)
{
    if ((t->symbolic_sizes >> d & 1) != 0) {
        add_symbol(words, t->sizes[d], false);
    } else {
        add(words, (uint64_t)t->sizes[d]);
    }
}

static void add_stride(Words *words, const Tensor *t, int d)
{
    if ((t->symbolic_sizes >> d & 1) == 0 && t->sizes[d] == 1) {
        add(words, UINT64_C(0x8000000000000000));
    } else if ((t->symbolic_strides >> d & 1) != 0) {
        add_symbol(words, t->strides[d], true);
    } else {
        add(words, (uint64_t)t->strides[d]);
    }
}

/* Nothing symbolic that counts, and nothing that counts of 2^31 or more. */
static bool is_narrow(const Tensor *t)
{
    bool narrow = true;
    for (int d = 0; d < t->tensor.rank; d++) {
        const bool counts = t->sizes[d] != 1;
        narrow = narrow && (t->symbolic_sizes >> d & 1) == 0 && t->sizes[d] < INT64_C(2147483648);
        narrow = narrow && !(counts && ((t->symbolic_strides >> d & 1) != 0 || t->strides[d] >= INT64_C(2147483648)));
    }
    return narrow;
}

static void add_repetition(Words *words, const Tensor *t)
{
    for (int i = 0; i < words->num_tensors; i++) {
        if (words->tensors[i] == t) {
            add(words, (uint64_t)i * 256 + 2);
            return;
        }
    }
    words->tensors[words->num_tensors++] = t;
}

static void add_tensor(Words *words, const Kernel *kernel, const Arg *arg, const Tensor *t)
{
    if (kernel->same_in_key) {
        add_repetition(words, t);
    }
    const size_t head = words->n;
    const int rank = t->tensor.rank;
    uint64_t device = kernel->device_in_key ? (uint64_t)t->tensor.device / 256 : 255;
    uint64_t word = 1 + 256 * (uint64_t)t->tensor.dtype + 65536 * (uint64_t)rank + 16777216 * device;
    add(words, 0);
    if (kernel->static_shapes) {
        word += (uint64_t)arg->marked << 32;
        word += is_narrow(t) ? 0 : 32;
        for (int d = 0; d < rank; d++) {
            if (is_narrow(t)) {
                add(words, (uint64_t)t->sizes[d] + (t->sizes[d] == 1 ? UINT64_C(4294967295) : (uint64_t)t->strides[d]) *
                                                       UINT64_C(4294967296));
            } else {
                add_size(words, t, d);
            }
        }
        for (int d = 0; d < rank && !is_narrow(t); d++) {
            add_stride(words, t, d);
        }
    } else {
        for (int d = 0; d < rank; d++) {
            const bool by_value = (arg->marked >> d & 1) != 0 || (t->symbolic_sizes >> d & 1) != 0;
            const uint64_t bucket = by_value ? 3 : !kernel->zero_one || t->sizes[d] >= 2 ? 2 : (uint64_t)t->sizes[d];
            word += bucket << (32 + 2 * d);
            if (by_value) {
                add_size(words, t, d);
            }
        }
        word += kernel->index == 0 && !few_elements(t) ? 16 : 0;
    }
    words->at[head] = word;
}

static void add_value(Words *words, const Kernel *kernel, const Arg *arg, const Value *value)
{
    uint64_t bits = 0;
    if (arg->nullable) {
        if (value->is_null) {
            add(words, 0);
            return;
        }
        if (arg->kind != TENSOR) {
            add(words, 1);
        }
    }
    if (arg->kind == TENSOR) {
        add_tensor(words, kernel, arg, value->tensor);
    } else if (arg->kind == DTYPE || arg->kind == DEVICE ||
               ((arg->kind == INT || arg->kind == BOOL) && arg->constant)) {
        add(words, (uint64_t)value->integer);
    } else if (arg->kind == FLOAT && arg->constant) {
        memcpy(&bits, &value->real, sizeof bits);
        add(words, __builtin_isnan(value->real) ? UINT64_C(0x7FF8000000000000) : bits);
    } else if (arg->kind == STRING) {
        const size_t n = strlen(value->text);
        add(words, n);
        for (size_t i = 0; i < n; i++) {
            if (i % 8 == 0) {
                add(words, 0);
            }
            words->at[words->n - 1] += (uint64_t)(unsigned char)value->text[i] << (i % 8 * 8);
        }
    } else if (arg->kind >= TUPLE) {
        if (arg->kind == LIST) {
            add(words, (uint64_t)value->num_items);
        }
        for (int i = 0; i < value->num_items; i++) {
            add_value(words, kernel, arg->kind == LIST ? arg->items : &arg->items[i], &value->items[i]);
        }
    }
}

const Value *find_value(const Path *path, const Call *call)
{
    const Value *value = &call->args[path->at[0]];
    for (int i = 1; i < path->depth; i++) {
        if (value->is_null || path->at[i] >= value->num_items) {
            return NULL;
        }
        value = &value->items[path->at[i]];
    }
    return value->is_null ? NULL : value;
}

static Tensor *find_tensor(const Extra *extra, const Call *call)
{
    const Value *value = find_value(&extra->path, call);
    return value == NULL || value->tensor->tensor.rank <= extra->dim ? NULL : value->tensor;
}

static void add_formula(Words *words, const Formula *formula, const Call *call)
{
    int64_t value = 0;
    const int kind = compute_formula(formula, call, &value);
    add(words, (uint64_t)kind);
    if (kind != 2) {
        add(words, kind == 1 ? (uint64_t)value : 0);
        return;
    }
    for (int i = 0; i < formula->count; i++) {
        bool symbolic = false;
        (void)find_number(&formula->numbers[i], call, &value, &symbolic);
        if (symbolic) {
            add_symbol(words, value, false);
        } else {
            add(words, (uint64_t)value);
        }
    }
}

size_t encode(const Kernel *kernel, const Call *call, uint64_t *at)
{
    Words words = {.at = at};
    for (int i = 0; i < kernel->num_args; i++) {
        add_value(&words, kernel, &kernel->args[i], &call->args[i]);
    }
    for (int i = 0; i < kernel->num_extra; i++) {
        const Extra *extra = &kernel->extra[i];
        if (extra->formula != NULL) {
            add_formula(&words, extra->formula, call);
            continue;
        }
        const Tensor *t = find_tensor(extra, call);
        if (t == NULL) {
            add(&words, UINT64_C(0x8000000000000002));
        } else if (extra->stride) {
            add_stride(&words, t, extra->dim);
        } else {
            add_size(&words, t, extra->dim);
        }
    }
    const bool with[3] = {kernel->capability, kernel->distributed, kernel->user};
    for (int i = 0; i < 3; i++) {
        if (with[i]) {
            add(&words, (uint64_t)call->extra[i]);
        }
    }
    return words.n;
}

/* ---- text: (dtype, sizes, strides, static_indices) and so on ---- */

typedef struct Text {
    char *at;
    size_t n;
    size_t capacity;
} Text;

static void __attribute__((format(printf, 2, 3))) say(Text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->n +=
        (size_t)vsnprintf(text->at + text->n, text->n < text->capacity ? text->capacity - text->n : 0, format, args);
    va_end(args);
}

static void say_size(Text *text, const Kernel *kernel, const Arg *arg, const Tensor *t, int d)
{
    const bool bucket = !kernel->static_shapes && (arg->marked >> d & 1) == 0;
    if ((t->symbolic_sizes >> d & 1) != 0) {
        say(text, "(env 3, 2*%lld),", (long long)t->sizes[d]);
    } else if (bucket) {
        say(text, "%d,", kernel->zero_one && t->sizes[d] < 2 ? (int)t->sizes[d] : 2);
    } else {
        say(text, "=%lld,", (long long)t->sizes[d]);
    }
}

static void say_stride(Text *text, const Tensor *t, int d)
{
    if ((t->symbolic_sizes >> d & 1) == 0 && t->sizes[d] == 1) {
        say(text, "any,");
    } else {
        say(text, "%s%lld,", (t->symbolic_strides >> d & 1) != 0 ? "env 3 " : "", (long long)t->strides[d]);
    }
}

static void say_value(Text *text, const Kernel *kernel, const Arg *arg, const Value *value)
{
    const Tensor *t = value->tensor;
    if (value->is_null && arg->nullable) {
        say(text, "None;");
    } else if (arg->kind == TENSOR) {
        say(text, "(%s,(", wg_dtype_name(t->tensor.dtype));
        for (int d = 0; d < t->tensor.rank; d++) {
            say_size(text, kernel, arg, t, d);
        }
        say(text, "),(");
        for (int d = 0; kernel->static_shapes && d < t->tensor.rank; d++) {
            say_stride(text, t, d);
        }
        say(text, "),%s,%d);", kernel->index == 0 && !few_elements(t) ? "int64" : "",
            kernel->device_in_key ? t->tensor.device / 256 : 0);
    } else if (arg->kind == DTYPE || arg->kind == DEVICE ||
               (arg->constant && (arg->kind == INT || arg->kind == BOOL))) {
        say(text, "%lld;", (long long)value->integer);
    } else if (arg->constant && arg->kind == FLOAT) {
        say(text, __builtin_isnan(value->real) ? "nan;" : "%a;", value->real);
    } else if (arg->kind == STRING) {
        say(text, "'%s';", value->text);
    } else if (arg->kind >= TUPLE) {
        say(text, "(");
        for (int i = 0; i < value->num_items; i++) {
            say_value(text, kernel, arg->kind == LIST ? arg->items : &arg->items[i], &value->items[i]);
        }
        say(text, ");");
    } else {
        say(text, "%s;", kind_names[arg->kind]);
    }
}

/* The value alone, or all numbers where it is not known. */
static void say_formula(Text *text, const Formula *formula, const Call *call)
{
    int64_t value = 0;
    const int kind = compute_formula(formula, call, &value);
    if (kind != 2) {
        say(text, kind == 1 ? "it is %lld;" : "-;", (long long)value);
        return;
    }
    for (int i = 0; i < formula->count; i++) {
        bool symbolic = false;
        (void)find_number(&formula->numbers[i], call, &value, &symbolic);
        say(text, "%s%lld,", symbolic ? "env 3 " : "", (long long)value);
    }
    say(text, ";");
}

/* As Helion's input_tensor_aliases: the number of each tensor among different ones, or nothing if none comes again. */
static void say_aliases(Text *text, const Kernel *kernel, const Call *call)
{
    Value *list[MAX_TENSORS];
    const int n = list_tensors(kernel, call, list);
    int number[MAX_TENSORS];
    int different = 0;
    for (int i = 0; i < n; i++) {
        number[i] = -1;
        for (int k = 0; k < i && number[i] < 0; k++) {
            number[i] = list[k]->tensor == list[i]->tensor ? number[k] : -1;
        }
        number[i] = number[i] < 0 ? different++ : number[i];
    }
    for (int i = 0; kernel->same_in_key && different < n && i < n; i++) {
        say(text, "alias %d,", number[i]);
    }
}

void describe(const Kernel *kernel, const Call *call, char *buffer, size_t capacity)
{
    Text text = {buffer, 0, capacity};
    for (int i = 0; i < kernel->num_args; i++) {
        say_value(&text, kernel, &kernel->args[i], &call->args[i]);
    }
    for (int i = 0; i < kernel->num_extra; i++) {
        if (kernel->extra[i].formula != NULL) {
            say_formula(&text, kernel->extra[i].formula, call);
            continue;
        }
        const Tensor *t = find_tensor(&kernel->extra[i], call);
        const int d = kernel->extra[i].dim;
        if (t == NULL) {
            say(&text, "-;");
        } else if (kernel->extra[i].stride) {
            say_stride(&text, t, d);
        } else {
            say(&text, "%s%lld;", (t->symbolic_sizes >> d & 1) != 0 ? "env 3 " : "", (long long)t->sizes[d]);
        }
    }
    say_aliases(&text, kernel, call);
    say(&text, "%lld %lld %lld", kernel->capability ? (long long)call->extra[0] : 0,
        kernel->distributed ? (long long)call->extra[1] : 0, kernel->user ? (long long)call->extra[2] : 0);
}
