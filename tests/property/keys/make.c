/* SPDX-License-Identifier: MIT */
/* make - random kernels and values, and the YAML of a kernel. */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

const char *const kind_names[NUM_KINDS] = {"tensor", "int",    "float", "bool", "string", "dtype",
                                           "device", "'null'", "tuple", "list", "record"};

static unsigned char memory[1 << 20];
static size_t memory_used;

void *memory_take(size_t size)
{
    void *pointer = &memory[memory_used];
    memory_used += (size + 15) / 16 * 16;
    if (memory_used > sizeof memory) {
        abort();
    }
    memset(pointer, 0, size);
    return pointer;
}

void memory_reset(void)
{
    memory_used = 0;
}

/* splitmix64 */
uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

int random_below(uint64_t *state, int n)
{
    return (int)(random_next(state) % (uint64_t)n);
}

bool random_chance(uint64_t *state, int percent)
{
    return random_below(state, 100) < percent;
}

/* ---- kernels ---- */

static Arg arg_pool[1024]; /* items of the kernel at hand */
static int num_pooled;

static void make_tensor(uint64_t *state, Arg *arg)
{
    static const unsigned ranks[] = {0, 0, 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 2 | 1 << 3, 1 << 1 | 1 << 4};
    static const unsigned dtypes[] = {0, 0, 1U << WG_FLOAT32, 1U << WG_FLOAT16 | 1U << WG_BFLOAT16};
    arg->ranks = ranks[random_below(state, 9)];
    arg->dtypes = dtypes[random_below(state, 4)];
    arg->subclass_ok = random_chance(state, 80);
    if (random_chance(state, 30)) {
        const int greatest = arg->ranks == 0    ? 3
                             : arg->ranks >= 16 ? 4
                             : arg->ranks >= 8  ? 3
                             : arg->ranks >= 4  ? 2
                             : arg->ranks >= 2  ? 1
                                                : 0;
        arg->marked = (unsigned)random_below(state, 1 << greatest);
    }
}

static void make_arg(uint64_t *state, Arg *arg, int depth, bool top)
{
    static const char *const strings[] = {"fast", "a longer string", ""};
    *arg = (Arg){.subclass_ok = true};
    arg->kind = random_chance(state, 45)                ? TENSOR
                : depth < 2 && random_chance(state, 25) ? LIST
                                                        : (Kind)random_below(state, depth < 2 ? NUM_KINDS : TUPLE);
    arg->nullable = arg->kind != NOTHING && random_chance(state, 25);
    arg->constant = arg->kind >= INT && arg->kind <= DEVICE && random_chance(state, 50);
    if (arg->kind == TENSOR) {
        make_tensor(state, arg);
    }
    if (arg->kind == LIST) {
        static const unsigned lengths[] = {0, 1 << 2, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3, 1 << 1 | 1 << 3};
        arg->lengths = lengths[random_below(state, 4)];
    }
    if (arg->kind >= TUPLE) {
        arg->num_items = arg->kind == LIST ? 1 : random_below(state, MAX_ITEMS + 1);
        arg->items = &arg_pool[num_pooled];
        num_pooled += arg->num_items;
        if (num_pooled > (int)(sizeof arg_pool / sizeof *arg_pool)) {
            abort();
        }
        for (int i = 0; i < arg->num_items; i++) {
            make_arg(state, &arg->items[i], depth + 1, false);
        }
        /* A list of 63 whatevers is too large a key to be generated. */
        if (arg->kind == LIST && arg->lengths == 0 &&
            (arg->items->kind >= TUPLE || arg->items->kind == TENSOR || arg->items->kind == STRING || depth > 0)) {
            arg->lengths = 1 << 2 | 1 << 3;
        }
    }
    if (top && random_chance(state, 40)) {
        arg->default_null = arg->nullable && random_chance(state, 60);
        arg->has_default = arg->default_null || (arg->kind >= INT && arg->kind <= DEVICE);
        arg->default_integer = arg->kind == BOOL     ? 1
                               : arg->kind == DTYPE  ? WG_BFLOAT16
                               : arg->kind == DEVICE ? 257
                                                     : -7;
        arg->default_real = -2.5;
        arg->default_text = strings[random_below(state, 3)];
    }
}

const Arg *make_path(uint64_t *state, const Kernel *kernel, int stop_at_list, Path *path)
{
    *path = (Path){.at = {random_below(state, kernel->num_args)}, .depth = 1};
    const Arg *arg = &kernel->args[path->at[0]];
    while (arg->kind >= TUPLE && path->depth < 3 && arg->num_items > 0) {
        if (arg->kind == LIST && random_chance(state, stop_at_list)) {
            break;
        }
        const int at = arg->kind == LIST ? (arg->lengths == 1 << 2 ? random_below(state, 2) : random_below(state, 3))
                                         : random_below(state, arg->num_items);
        path->at[path->depth++] = at;
        arg = arg->kind == LIST ? arg->items : &arg->items[at];
    }
    return arg;
}

static Formula formula_pool[MAX_EXTRA];

static void make_extra(uint64_t *state, Kernel *kernel)
{
    for (int tries = 0; !kernel->static_shapes && tries < 12 && kernel->num_extra < MAX_EXTRA - 1; tries++) {
        Extra extra = {.formula = NULL};
        const Arg *arg = make_path(state, kernel, 0, &extra.path);
        extra.stride = random_chance(state, 50);
        extra.dim = random_below(state, 3);
        bool good = arg->kind == TENSOR && (arg->ranks == 0 || arg->ranks >> (extra.dim + 1) != 0) &&
                    (extra.stride || (arg->marked >> extra.dim & 1) == 0);
        for (int i = 0; i < kernel->num_extra; i++) {
            const Extra *other = &kernel->extra[i];
            good = good && memcmp(&other->path, &extra.path, sizeof extra.path) != 0;
        }
        if (good) {
            kernel->extra[kernel->num_extra++] = extra;
        }
    }
    Formula *formula = &formula_pool[kernel->num_extra];
    if (random_chance(state, 70) && make_formula(state, kernel, formula)) {
        kernel->extra[kernel->num_extra++] = (Extra){.formula = formula};
    }
}

void make_kernel(uint64_t seed, Kernel *kernel)
{
    static const int widths[] = {0, 0, 32, 64};
    uint64_t state = seed;
    num_pooled = 0;
    *kernel = (Kernel){.static_shapes = random_chance(&state, 45)};
    kernel->index = kernel->static_shapes ? 64 : widths[random_below(&state, 4)];
    kernel->zero_one = !kernel->static_shapes && random_chance(&state, 50);
    kernel->device_in_key = random_chance(&state, 70);
    kernel->same_in_key = random_chance(&state, 80);
    kernel->capability = random_chance(&state, 20);
    kernel->distributed = random_chance(&state, 20);
    kernel->user = random_chance(&state, 20);
    kernel->num_args = 1 + random_below(&state, MAX_ARGS);
    for (int i = 0; i < kernel->num_args; i++) {
        make_arg(&state, &kernel->args[i], 0, true);
    }
    kernel->num_required = kernel->num_args;
    while (kernel->num_required > 0 && kernel->args[kernel->num_required - 1].has_default) {
        kernel->num_required--;
    }
    if (random_chance(&state, 90)) {
        make_extra(&state, kernel);
    }
}

/* ---- YAML ---- */

static void print_set(unsigned set, FILE *out)
{
    const char *before = "";
    for (int i = 0; i < 32; i++) {
        if ((set >> i & 1) != 0) {
            fprintf(out, "%s%d", before, i);
            before = "|";
        }
    }
}

static void print_dtypes(unsigned set, FILE *out)
{
    const char *before = "";
    for (int i = 0; i < 32; i++) {
        if ((set >> i & 1) != 0) {
            fprintf(out, "%s%s", before, wg_dtype_name(i));
            before = "|";
        }
    }
}

static void print_default(const Arg *arg, FILE *out)
{
    if (arg->default_null) {
        fprintf(out, ", default_null: true");
    } else if (arg->kind == STRING) {
        fprintf(out, ", default: '%s'", arg->default_text);
    } else if (arg->kind == FLOAT) {
        fprintf(out, ", default: -2.5");
    } else {
        fprintf(out, ", default: %s",
                arg->kind == BOOL     ? "true"
                : arg->kind == DTYPE  ? "bfloat16"
                : arg->kind == DEVICE ? "cuda:1"
                                      : "-7");
    }
}

static void print_arg(const Arg *arg, const char *name, FILE *out)
{
    fprintf(out, "{%s%s%skind: %s", name[0] != '\0' ? "name: " : "", name, name[0] != '\0' ? ", " : "",
            kind_names[arg->kind]);
    if (arg->ranks != 0) {
        fprintf(out, ", ndim: ");
        print_set(arg->ranks, out);
    }
    if (arg->dtypes != 0) {
        fprintf(out, ", dtype: ");
        print_dtypes(arg->dtypes, out);
    }
    if (arg->marked != 0) {
        const char *before = ", static_dims: [";
        for (int d = 0; d < MAX_RANK; d++) {
            if ((arg->marked >> d & 1) != 0) {
                fprintf(out, "%s%d", before, d);
                before = ", ";
            }
        }
        fprintf(out, "]");
    }
    fprintf(out, "%s%s%s", arg->subclass_ok ? "" : ", subclass_ok: false", arg->nullable ? ", nullable: true" : "",
            arg->constant ? ", constexpr: true" : "");
    if (arg->has_default) {
        print_default(arg, out);
    }
    if (arg->lengths != 0) {
        fprintf(out, ", length: ");
        print_set(arg->lengths, out);
    }
    if (arg->kind == LIST) {
        fprintf(out, ", of: ");
        print_arg(arg->items, "", out);
    } else if (arg->kind >= TUPLE) {
        fprintf(out, ", items: [");
        for (int i = 0; i < arg->num_items; i++) {
            const char names[3][2] = {"z", "y", "x"};
            fprintf(out, "%s", i > 0 ? ", " : "");
            print_arg(&arg->items[i], arg->kind == RECORD ? names[i] : "", out);
        }
        fprintf(out, "]");
    }
    fprintf(out, "}");
}

void print_path(const Kernel *kernel, const Path *path, FILE *out)
{
    const Arg *arg = &kernel->args[path->at[0]];
    fprintf(out, "a%d", path->at[0]);
    for (int i = 1; i < path->depth; i++) {
        if (arg->kind == RECORD) {
            fprintf(out, ".%c", "zyx"[path->at[i]]);
        } else {
            fprintf(out, ".%d", path->at[i]);
        }
        arg = arg->kind == LIST ? arg->items : &arg->items[path->at[i]];
    }
}

static void print_extra(const Kernel *kernel, const Extra *extra, FILE *out)
{
    fprintf(out, "      - {");
    if (extra->formula != NULL) {
        print_formula(kernel, extra->formula, out);
    } else {
        fprintf(out, "arg: ");
        print_path(kernel, &extra->path, out);
        fprintf(out, ", of: %s, dim: %d", extra->stride ? "stride" : "size", extra->dim);
    }
    fprintf(out, "}\n");
}

void make_yaml(const Kernel *kernel, int number, FILE *out)
{
    fprintf(out, "  - name: k%d\n    static_shapes: %s\n    device_in_key: %s\n    same_in_key: %s\n", number,
            kernel->static_shapes ? "true" : "false", kernel->device_in_key ? "true" : "false",
            kernel->same_in_key ? "true" : "false");
    if (!kernel->static_shapes) {
        fprintf(out, "    index_dtype: %s\n    buckets: %s\n",
                kernel->index == 0    ? "auto"
                : kernel->index == 32 ? "int32"
                                      : "int64",
                kernel->zero_one ? "zero_one" : "generalize");
    }
    fprintf(out, "    key_extra: [%s%s%s]\n    args:\n", kernel->capability ? "capability, " : "",
            kernel->distributed ? "distributed, " : "", kernel->user ? "user" : "");
    for (int i = 0; i < kernel->num_args; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "a%d", i);
        fprintf(out, "      - ");
        print_arg(&kernel->args[i], name, out);
        fprintf(out, "\n");
    }
    if (kernel->num_extra > 0) {
        fprintf(out, "    extra:\n");
    }
    for (int i = 0; i < kernel->num_extra; i++) {
        print_extra(kernel, &kernel->extra[i], out);
    }
}

/* ---- values ---- */

static int is_symbolic(WgContext *ctx, const WgTensor *t, int32_t dimension, int of_stride, WgSymbol *symbol)
{
    const Tensor *tensor = (const Tensor *)(const void *)t;
    (void)ctx;
    if (((of_stride ? tensor->symbolic_strides : tensor->symbolic_sizes) >> dimension & 1) == 0) {
        return 0;
    }
    symbol->environment = 3;
    symbol->expression = (uint64_t)(of_stride ? tensor->strides : tensor->sizes)[dimension] * 2 + (uint64_t)of_stride;
    return 1;
}

static const WgType concrete_type = {.name = "Parameter"};
static const WgType symbolic_type = {.name = "Symbolic", .symbol = is_symbolic};

static void make_tensor_value(uint64_t *state, const Arg *arg, bool wild, Value *value)
{
    static const int64_t sizes[] = {0, 1, 1, 2, 3, COMPARED_LOW, COMPARED_HIGH, 8, 50000};
    static const int64_t large[] = {INT32_MAX,        INT64_C(1) << 31,       UINT32_MAX,
                                    INT64_C(1) << 32, (INT64_C(1) << 32) + 1, INT64_C(1) << 40,
                                    INT64_C(1) << 61};
    static const int32_t dtypes[] = {WG_FLOAT16, WG_FLOAT32, WG_BFLOAT16, WG_BOOL};
    Tensor *t = memory_take(sizeof *t);
    int rank = random_below(state, MAX_RANK);
    int dtype = dtypes[random_below(state, 4)];
    while (!wild && arg->ranks != 0 && (arg->ranks >> rank & 1) == 0) {
        rank = random_below(state, MAX_RANK);
    }
    while (!wild && arg->marked >> rank != 0) {
        rank = MAX_RANK - 1 < rank + 1 ? 0 : rank + 1;
        if (arg->ranks != 0 && (arg->ranks >> rank & 1) == 0) {
            rank = random_below(state, MAX_RANK);
        }
    }
    while (!wild && arg->dtypes != 0 && (arg->dtypes >> dtype & 1) == 0) {
        dtype = dtypes[random_below(state, 4)];
    }
    const int shape = random_below(state, 10);
    for (int d = 0; d < rank; d++) {
        t->sizes[d] = sizes[random_below(state, random_chance(state, 20) ? 9 : 8)];
        t->strides[d] = shape < 5 ? d + 1 : random_below(state, 4);
        t->sizes[d] = random_chance(state, 2) ? large[random_below(state, 7)] : t->sizes[d];
        t->strides[d] = random_chance(state, 4) ? large[random_below(state, 7)] : t->strides[d];
    }
    t->tensor = (WgTensor){.sizes = t->sizes, .strides = t->strides, .rank = rank, .dtype = dtype};
    t->tensor.device = random_chance(state, 70) ? 0 : 256 + random_below(state, 2);
    if (random_chance(state, arg->subclass_ok || wild ? 30 : 0)) {
        t->tensor.type = random_chance(state, 50) ? &concrete_type : &symbolic_type;
        t->symbolic_sizes =
            t->tensor.type == &symbolic_type && random_chance(state, 60) ? (unsigned)random_below(state, 32) : 0;
        t->symbolic_strides =
            t->tensor.type == &symbolic_type && random_chance(state, 60) ? (unsigned)random_below(state, 32) : 0;
    }
    value->tensor = t;
}

static int list_below(const Arg *arg, Value *value, Value **list, int n)
{
    if (value->is_null) {
        return n;
    }
    if (arg->kind == TENSOR && n < MAX_TENSORS) {
        list[n++] = value;
    }
    for (int i = 0; arg->kind >= TUPLE && i < value->num_items; i++) {
        n = list_below(arg->kind == LIST ? arg->items : &arg->items[i], &value->items[i], list, n);
    }
    return n;
}

int list_tensors(const Kernel *kernel, const Call *call, Value **list)
{
    int n = 0;
    for (int i = 0; i < kernel->num_args; i++) {
        n = list_below(&kernel->args[i], (Value *)&call->args[i], list, n);
    }
    return n;
}

void join_tensors(uint64_t *state, const Kernel *kernel, const Call *call)
{
    Value *list[MAX_TENSORS];
    const int n = list_tensors(kernel, call, list);
    if (n > 1) {
        list[random_below(state, n)]->tensor = list[random_below(state, n)]->tensor;
    }
}

void change_dim(uint64_t *state, Value *value)
{
    Tensor *t = memory_take(sizeof *t);
    *t = *value->tensor;
    t->tensor.sizes = t->sizes;
    t->tensor.strides = t->strides;
    if (t->tensor.rank > 0) {
        (random_chance(state, 50) ? t->sizes : t->strides)[random_below(state, t->tensor.rank)] =
            random_below(state, 5);
    }
    value->tensor = t;
}

void make_value(uint64_t *state, const Arg *arg, bool wild, Value *value)
{
    static const char *const strings[] = {"fast", "a longer string", "", "exactly8", "seventeen letters"};
    static const double reals[] = {0.0, -0.0, 1.5, 1e300, -2.5};
    static const int64_t integers[] = {0, 1, -1, -7, INT64_MAX, INT64_MIN, 40, COMPARED_LOW, COMPARED_HIGH};
    *value = (Value){.is_null = arg->nullable ? random_chance(state, 30) : wild && random_chance(state, 10)};
    value->real = random_chance(state, 10) ? (random_chance(state, 50) ? -1.0 : 1.0) * __builtin_nan("1")
                                           : reals[random_below(state, 5)];
    value->integer = integers[random_below(state, 9)];
    value->text = strings[random_below(state, 5)];
    if (arg->kind == BOOL) {
        value->integer = random_below(state, wild ? 3 : 2);
    } else if (arg->kind == DTYPE) {
        value->integer = wild ? random_below(state, 64) - 2 : random_below(state, 12);
    } else if (arg->kind == DEVICE) {
        value->integer = random_below(state, 600) - (wild ? 60 : 0);
    } else if (arg->kind == TENSOR && !value->is_null) {
        make_tensor_value(state, arg, wild, value);
    } else if (arg->kind >= TUPLE) {
        value->num_items = arg->kind == LIST ? random_below(state, 4) : arg->num_items;
        while (arg->kind == LIST && !wild && arg->lengths != 0 && (arg->lengths >> value->num_items & 1) == 0) {
            value->num_items = random_below(state, 4);
        }
        value->items = memory_take(((size_t)value->num_items + 1) * sizeof(Value));
        for (int i = 0; i < value->num_items; i++) {
            const Arg *item = arg->kind == LIST ? arg->items : &arg->items[i];
            make_value(state, item, wild, &value->items[i]);
            value->items[i].is_null &= item->kind < TUPLE || item->nullable; /* a struct in a struct is there */
        }
    }
    /* What is not a pointer cannot be null unless it is declared so; wild null of a null is something. */
    if (!arg->nullable && arg->kind != TENSOR && arg->kind != STRING && arg->kind != NOTHING && arg->kind < TUPLE) {
        value->is_null = false;
    }
}

void make_default(const Arg *arg, Value *value)
{
    *value = (Value){.is_null = arg->default_null};
    value->integer = arg->default_integer;
    value->real = arg->default_real;
    value->text = arg->default_text;
}
