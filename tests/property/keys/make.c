/* SPDX-License-Identifier: MIT */
/* make SEED COUNT - prints the YAML of that many random kernels, the same ones for the same seed. */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[NUM_KINDS] = {"tensor", "int",    "float", "bool", "string", "dtype",
                                                  "device", "'null'", "tuple", "list", "record"};

/* ---- kernels ---- */

static Arg arg_pool[1024]; /* items of the kernel at hand */
static int num_pooled;

static void make_tensor(Random *random, Arg *arg)
{
    static const unsigned ranks[] = {0, 0, 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 2 | 1 << 3, 1 << 1 | 1 << 4};
    static const char *const dtypes[] = {NULL, NULL, "float32", "float16|bfloat16"};
    arg->ranks = ranks[below(random, 9)];
    arg->dtype = dtypes[below(random, 4)];
    arg->subclass_ok = random_chance(random, 80);
    if (random_chance(random, 30)) {
        const int greatest = arg->ranks == 0    ? 3
                             : arg->ranks >= 16 ? 4
                             : arg->ranks >= 8  ? 3
                             : arg->ranks >= 4  ? 2
                             : arg->ranks >= 2  ? 1
                                                : 0;
        arg->marked = (unsigned)below(random, 1 << greatest);
    }
}

static void make_arg(Random *random, Arg *arg, int depth, bool top)
{
    static const char *const strings[] = {"fast", "a longer string", ""};
    *arg = (Arg){.subclass_ok = true};
    arg->kind = random_chance(random, 45)                ? TENSOR
                : depth < 2 && random_chance(random, 25) ? LIST
                                                         : (Kind)below(random, depth < 2 ? NUM_KINDS : TUPLE);
    arg->nullable = arg->kind != NOTHING && random_chance(random, 25);
    arg->constant = arg->kind >= INT && arg->kind <= DEVICE && random_chance(random, 50);
    if (arg->kind == TENSOR) {
        make_tensor(random, arg);
    }
    if (arg->kind == LIST) {
        static const unsigned lengths[] = {0, 1 << 2, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3, 1 << 1 | 1 << 3};
        arg->lengths = lengths[below(random, 4)];
    }
    if (arg->kind >= TUPLE) {
        arg->num_items = arg->kind == LIST ? 1 : below(random, MAX_ITEMS + 1);
        arg->items = &arg_pool[num_pooled];
        num_pooled += arg->num_items;
        if (num_pooled > (int)(sizeof arg_pool / sizeof *arg_pool)) {
            abort();
        }
        for (int i = 0; i < arg->num_items; i++) {
            make_arg(random, &arg->items[i], depth + 1, false);
        }
        /* A list of 63 whatevers is too large a key to be generated. */
        if (arg->kind == LIST && arg->lengths == 0 &&
            (arg->items->kind >= TUPLE || arg->items->kind == TENSOR || arg->items->kind == STRING || depth > 0)) {
            arg->lengths = 1 << 2 | 1 << 3;
        }
    }
    if (top && random_chance(random, 40)) {
        arg->default_null = arg->nullable && random_chance(random, 60);
        arg->has_default = arg->default_null || (arg->kind >= INT && arg->kind <= DEVICE);
        arg->default_text = strings[below(random, 3)];
    }
}

const Arg *make_path(Random *random, const Kernel *kernel, uint32_t stop_at_list, Path *path)
{
    *path = (Path){.at = {below(random, kernel->num_args)}, .depth = 1};
    const Arg *arg = &kernel->args[path->at[0]];
    while (arg->kind >= TUPLE && path->depth < 3 && arg->num_items > 0) {
        if (arg->kind == LIST && random_chance(random, stop_at_list)) {
            break;
        }
        const int at = arg->kind == LIST ? (arg->lengths == 1 << 2 ? below(random, 2) : below(random, 3))
                                         : below(random, arg->num_items);
        path->at[path->depth++] = at;
        arg = arg->kind == LIST ? arg->items : &arg->items[at];
    }
    return arg;
}

static Formula formula_pool[MAX_EXTRA];

static void make_extra(Random *random, Kernel *kernel)
{
    for (int tries = 0; !kernel->static_shapes && tries < 12 && kernel->num_extra < MAX_EXTRA - 1; tries++) {
        Extra extra = {.formula = NULL};
        const Arg *arg = make_path(random, kernel, 0, &extra.path);
        extra.stride = random_chance(random, 50);
        extra.dim = below(random, 3);
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
    if (random_chance(random, 70) && make_formula(random, kernel, formula)) {
        kernel->extra[kernel->num_extra++] = (Extra){.formula = formula};
    }
}

static void make_kernel(uint64_t seed, Kernel *kernel)
{
    static const int widths[] = {0, 0, 32, 64};
    Random random = {seed};
    num_pooled = 0;
    *kernel = (Kernel){.static_shapes = random_chance(&random, 45)};
    kernel->index = kernel->static_shapes ? 64 : widths[below(&random, 4)];
    kernel->zero_one = !kernel->static_shapes && random_chance(&random, 50);
    kernel->device_in_key = random_chance(&random, 70);
    kernel->same_in_key = random_chance(&random, 80);
    kernel->capability = random_chance(&random, 20);
    kernel->distributed = random_chance(&random, 20);
    kernel->user = random_chance(&random, 20);
    kernel->num_args = 1 + below(&random, MAX_ARGS);
    for (int i = 0; i < kernel->num_args; i++) {
        make_arg(&random, &kernel->args[i], 0, true);
    }
    if (random_chance(&random, 90)) {
        make_extra(&random, kernel);
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
    if (arg->dtype != NULL) {
        fprintf(out, ", dtype: %s", arg->dtype);
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

static void print_kernel(const Kernel *kernel, int number, FILE *out)
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

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    printf("wrapgen: 1\nprefix: demo_\n%skernels:\n", formula_symbols);
    for (int i = 0; i < atoi(argv[2]); i++) {
        Kernel kernel;
        make_kernel((uint64_t)atoi(argv[1]) * 1000003 + (uint64_t)i, &kernel);
        print_kernel(&kernel, i, stdout);
    }
    return fflush(stdout) != 0;
}
