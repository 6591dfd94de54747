/* SPDX-License-Identifier: MIT */
/*
 * Tests of folds as people write them: what becomes a step, an expression, a guard, an error, and where the error
 * points.
 *
 * Expected values are worked out by hand from PyTorch's rules; tests/property/geometry has PyTorch's own results for
 * literals. Of the symbols, m to p are at least 1, s to u from 2 to 100, the others may be anything.
 */
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "tests/property/geometry/view_text.h"

static const char *const step_names[] = {"as_strided",      "detach", "view_dtype", "view_as_real",
                                         "view_as_complex", "_conj",  "_neg_view"};

static void set_ranges(IntegerRange *ranges)
{
    memset(ranges, 0, VIEW_TEXT_SYMBOLS * sizeof *ranges);
    for (int i = 'm'; i <= 'p'; i++) {
        ranges[i - 'a'] = (IntegerRange){true, false, 1, 0};
    }
    for (int i = 's'; i <= 'u'; i++) {
        ranges[i - 'a'] = (IntegerRange){true, true, 2, 100};
    }
}

/* "index", "size[1]", or "view" for the operation as a whole. */
static const char *field_name(Arena *arena, const ViewText *text, const GeometryError *error)
{
    for (uint32_t i = 0; i < text->num_views; i++) {
        const SpecView *view = &text->views[i];
        if (error->whole_op) {
            if (error->field == view) {
                return arena_printf(arena, "view%u", (unsigned)i);
            }
            continue;
        }
#define ONE(name)                                                                                                      \
    if (error->field == &view->name) {                                                                                 \
        return #name;                                                                                                  \
    }
#define LIST(name)                                                                                                     \
    ONE(name)                                                                                                          \
    for (uint32_t j = 0; j < view->name.text_count; j++) {                                                             \
        if (error->field == &view->name.text[j]) {                                                                     \
            return arena_printf(arena, "%s[%u]", #name, (unsigned)j);                                                  \
        }                                                                                                              \
    }
        LIST(size)
        LIST(stride)
        LIST(dims)
        LIST(source)
        LIST(destination)
        LIST(sizes)
        ONE(offset)
        ONE(dim)
        ONE(dim1)
        ONE(dim2)
        ONE(index)
        ONE(start)
        ONE(end)
        ONE(step)
        ONE(length)
        ONE(start_dim)
        ONE(end_dim)
        ONE(split_size)
        ONE(chunks)
        ONE(dtype)
#undef LIST
#undef ONE
    }
    return "nothing";
}

/* Steps, then guards; or the place and message of the error. */
static const char *fold_text_of(Arena *arena, const ViewText *text)
{
    IntegerRange ranges[VIEW_TEXT_SYMBOLS];
    set_ranges(ranges);
    Integers *integers = integers_new(arena, ranges, VIEW_TEXT_SYMBOLS);
    integers_set_names(integers, view_text_letters);
    const Geometry base = view_text_base(arena, integers, text);
    ViewFold fold;
    GeometryError error;
    Str result = str_new(arena);
    if (!geometry_fold(arena, integers, &base, text->views, text->num_views, &fold, &error)) {
        str_printf(&result, "error at %s: %s", field_name(arena, text, &error), error.message);
    } else {
        str_puts(&result, fold.num_steps == 0 ? "nothing" : "");
        for (uint32_t i = 0; i < fold.num_steps; i++) {
            str_printf(&result, "%s%s ", i > 0 ? "; " : "", step_names[fold.steps[i].kind]);
            view_text_put(&result, integers, &fold.steps[i].geometry);
        }
        for (uint32_t i = 0; i < fold.num_guards; i++) {
            const ViewGuard *guard = &fold.guards[i];
            str_printf(&result, "%s%s %s ", i > 0 ? " and " : " if ", integer_text(integers, guard->lhs),
                       guard->equal ? "==" : "<=");
            str_puts(&result, integer_text(integers, guard->rhs));
        }
    }
    if (integers_failed(integers)) {
        str_puts(&result, " (and left a failure behind)");
    }
    return str_text(&result);
}

static void run_cases(const char *const *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Arena arena;
        arena_init(&arena);
        const ViewText text = view_text_read(&arena, cases[i]);
        check_text(fold_text_of(&arena, &text), text.expected, cases[i]);
        arena_release(&arena);
    }
}

/* What is literal leaves literals; what changes nothing leaves nothing. */
static void test_literals(void)
{
    static const char *const cases[] = {
        "float32 [2,3] [3,1] 0 | transpose dims=[0,1] | select dim=0 index=-1 => as_strided [2] [3] 2 float32",
        "float32 [2,3] [3,1] 0 | transpose dims=[0,1] | transpose dims=[0,1] => nothing",
        "float32 [2,3] [3,1] 0 | alias => nothing",
        "float32 [2,3] [3,1] 0 | slice | view size=[2,-1] | view_dtype dtype=float32 => nothing",
        "float32 [2,3] [3,1] 0 | detach => detach [2,3] [3,1] 0 float32",
        "float32 [2,3] [3,1] 4 | t | detach | t => as_strided [3,2] [1,3] 4 float32; detach [3,2] [1,3] 4 float32; "
        "as_strided [2,3] [3,1] 4 float32",
        "float32 [2,4] [4,1] 2 | slice dim=1 start=2 | view_dtype dtype=uint8 | select dim=0 index=1 => "
        "as_strided [2,2] [4,1] 4 float32; view_dtype [2,8] [16,1] 16 uint8; as_strided [8] [1] 32 uint8",
        "complex64 [3] [2] 1 | view_as_real | unbind dim=1 index=1 => view_as_real [3,2] [4,1] 2 float32; "
        "as_strided [3] [4] 3 float32",
        "float64 [3,2] [4,1] 6 | view_as_complex => view_as_complex [3] [2] 3 complex128",
        "? [2,3] [3,1] 0 | t => as_strided [3,2] [1,3] 0 ?",
    };
    run_cases(cases, sizeof cases / sizeof cases[0]);
}

/* Symbols become expressions, and guards only where something is not known. */
static void test_symbols(void)
{
    static const char *const cases[] = {
        /* a size of the base is at least 0 */
        "float32 [a,64] [64,1] 0 | slice dim=0 start=1 => as_strided [a - min(a, 1),64] [64,1] min(a, 1)*64 float32",
        "float32 [m,64] [64,1] 0 | slice dim=0 start=1 => as_strided [m - 1,64] [64,1] 64 float32",
        "float32 [m,64] [64,1] 0 | slice dim=0 start=1 end=m => as_strided [m - 1,64] [64,1] 64 float32",
        "float32 [m,64] [64,1] 0 | slice dim=0 end=-1 => as_strided [m - 1,64] [64,1] 0 float32",
        "float32 [a] [1] 0 | slice end=9223372036854775807 => nothing",
        "float32 [s] [1] 0 | slice step=2 => as_strided [(s + 1)//2] [2] 0 float32",
        "float32 [10] [1] 0 | slice end=m => as_strided [min(m, 10)] [1] 0 float32",
        "float32 [10] [1] 0 | slice start=m end=m+2 => "
        "as_strided [min(m + 2, 10) - min(m, 10)] [1] min(m, 10) float32",
        /* an index of unknown sign counts from either end */
        "float32 [5] [1] 0 | select dim=0 index=m => as_strided [] [] m float32 if m + 1 <= 5",
        "float32 [5] [1] 0 | select dim=0 index=c => as_strided [] [] c - max(min(c, 0), -1)*5 float32 if "
        "0 <= c - max(min(c, 0), -1)*5 and c - max(min(c, 0), -1)*5 + 1 <= 5",
        "float32 [a] [1] 0 | select dim=0 index=2 => as_strided [] [] 2 float32 if 3 <= a",
        "float32 [a] [1] 0 | select dim=0 index=-2 => as_strided [] [] a - 2 float32 if 2 <= a",
        "float32 [s] [1] 0 | select dim=0 index=1 => as_strided [] [] 1 float32",
        "float32 [s,4] [4,1] 0 | select dim=0 index=-1 => as_strided [4] [1] s*4 - 4 float32",
        /* views: sizes that multiply up need nothing */
        "float32 [a,64] [64,1] 0 | view size=[a*64] => as_strided [a*64] [1] 0 float32",
        "float32 [a,64] [64,1] 0 | flatten => as_strided [a*64] [1] 0 float32",
        "float32 [a,64] [64,1] 0 | view size=[-1,8,8] => as_strided [a,8,8] [64,8,1] 0 float32",
        "float32 [a,b,c] [b*c,c,1] 0 | flatten start_dim=1 => as_strided [a,b*c] [b*c,1] 0 float32",
        "float32 [m,64] [128,1] 0 | view size=[m,8,8] => as_strided [m,8,8] [128,8,1] 0 float32",
        "float32 [a] [1] 0 | view size=[b,4] => as_strided [b,4] [4,1] 0 float32 if 0 <= b and b*4 == a",
        "float32 [a] [1] 0 | view size=[-1,4] => as_strided [a//4,4] [4,1] 0 float32 if a//4*4 == a",
        "float32 [a] [1] 0 | view size=[2,-1] | view size=[-1] => nothing if a//2*2 == a",
        "float32 [3,s,a] [a*s,a,1] 0 | slice dim=2 end=2 | view size=[s,3,2] => as_strided [s,3,2] "
        "[a*3,a,1] 0 float32 if s*6 == min(a, 2)*s*3",
        "float32 [s,3,a] [a*3,a,1] 0 | slice dim=2 end=2 | view size=[s*3,2] => as_strided [s*3,2] [a,1] "
        "0 float32 if s*6 == min(a, 2)*s*3",
        "float32 [m,64] [64,1] 0 | view size=[-1,m] => as_strided [64,m] [m,1] 0 float32",
        "float32 [a,64] [64,1] 0 | view size=[-1,a] => as_strided [64,a] [a,1] 0 float32 if 1 <= a",
        "float32 [a,b] [1,a] 0 | permute dims=[1,0] | view size=[-1] => as_strided [a*b] [1] 0 float32",
        "float32 [a,6] [6,1] 0 | unflatten dim=1 size=[2,-1] => as_strided [a,2,3] [6,3,1] 0 float32",
        /* parts */
        "float32 [m] [1] 0 | expand size=[m+1] => as_strided [m + 1] [0] 0 float32 if m == 1",
        "float32 [10] [1] 0 | split split_size=a index=0 => as_strided [min(a, 10)] [1] 0 float32 if 1 <= a",
        "float32 [a] [1] 0 | split split_size=4 index=0 => as_strided [min(a, 4)] [1] 0 float32",
        "float32 [a] [1] 0 | split split_size=4 index=2 => as_strided [min(a - 8, 4)] [1] 8 float32 if 9 <= a",
        "float32 [a] [1] 0 | split_with_sizes sizes=[b,4] index=1 => as_strided [4] [1] b float32 if 0 <= b and "
        "b + 4 == a",
        "float32 [m] [1] 0 | chunk chunks=2 index=1 => as_strided [m - (m + 1)//2] [1] (m + 1)//2 float32 if "
        "(m + 1)//2 + 1 <= m",
        "float32 [a] [1] 0 | chunk chunks=2 index=1 => as_strided [a - (a + 1)//2] [1] (a + 1)//2 float32 if "
        "(a + 1)//2 + min(a, 1) <= a",
        "float32 [a] [1] 0 | narrow dim=0 start=2 length=3 => as_strided [3] [1] 2 float32 if 2 <= a and 5 <= a",
        "float32 [a] [1] 0 | unfold dim=0 length=3 step=2 => as_strided [(a - 3)//2 + 1,3] [2,1] 0 float32 if 3 <= a",
        "float32 [a,a] [a,1] 0 | diagonal => as_strided [a] [a + 1] 0 float32",
        "float32 [m,m+1] [m+1,1] 0 | diagonal offset=1 => as_strided [m] [m + 2] 1 float32",
        /* expand */
        "float32 [1,4] [4,1] 0 | expand size=[a,-1] => as_strided [a,4] [0,1] 0 float32 if 0 <= a",
        "float32 [a,4] [4,1] 0 | expand size=[3,a,4] => as_strided [3,a,4] [0,4,1] 0 float32",
        "float32 [s,4] [4,1] 0 | expand size=[m,4] => nothing if m == s",
        "float32 [a] [1] 0 | expand size=[b] => nothing if 0 <= b and b == a",
        "float32 [s] [1] 0 | squeeze => nothing",
        /* as_strided */
        "float32 [a] [1] 3 | as_strided size=[m,2] stride=[2,1] => as_strided [m,2] [2,1] 3 float32",
        "float32 [a,4] [4,1] 0 | view size=[a,2,2] | select dim=2 index=1 | as_strided size=[1] stride=[1] offset=2 | "
        "as_strided size=[1] stride=[1] => as_strided [a,2] [4,2] 1 float32; as_strided [1] [1] 2 float32",
        "float32 [a] [1] 3 | as_strided size=[a,2] stride=[b,1] offset=0 => as_strided [a,2] [b,1] 0 float32 if 0 <= b",
        /* element types */
        "float32 [a,b] [b,1] c | view_dtype dtype=float16 => view_dtype [a,b*2] [b*2,1] c*2 float16",
        "float32 [a,b*2] [b*2,1] 0 | view_dtype dtype=float64 => view_dtype [a,b] [b,1] 0 float64",
        "float32 [a,b] [b,1] 0 | view_dtype dtype=float64 => view_dtype [a,b//2] [b//2,1] 0 float64 if b//2*2 == b",
        "float32 [a,b] [b,1] 0 | view_as_complex => view_as_complex [a] [b//2] 0 complex64 if b == 2",
    };
    run_cases(cases, sizeof cases / sizeof cases[0]);
}

/* Strides and offsets that are read at run time work wherever nothing needs to be known about them. */
static void test_reads(void)
{
    static const char *const cases[] = {
        "float32 [4,6] [?,?] ? | t => as_strided [6,4] [stride(1),stride(0)] offset float32",
        "float32 [4,6] [?,?] ? | select dim=0 index=2 => as_strided [6] [stride(1)] stride(0)*2 + offset float32",
        "float32 [4,6] [?,?] 0 | slice dim=1 start=1 step=2 => as_strided [4,3] [stride(0),stride(1)*2] stride(1) "
        "float32",
        "float32 [4,6] [?,?] ? | view size=[4,2,3] => as_strided [4,2,3] [stride(0),stride(1)*3,stride(1)] offset "
        "float32",
        "float32 [4,6] [?,?] ? | view size=[24] => as_strided [24] [stride(1)] offset float32 if stride(0) == "
        "stride(1)*6",
        "float32 [m,6] [?,1] 0 | flatten => as_strided [m*6] [1] 0 float32 if (stride(0) - 6)*(m - 1) == 0",
        "float32 [a,6] [?,1] 0 | flatten => as_strided [a*6] [1] 0 float32 if "
        "(stride(0) - 6)*(a - 1)*min(a*6, 1) == 0",
        "float32 [a,6] [?,1] 0 | slice dim=0 start=1 => as_strided [a - min(a, 1),6] [stride(0),1] "
        "min(a, 1)*stride(0) float32",
        "float32 [4,2] [?,?] ? | view_as_complex => view_as_complex [4] [stride(0)//2] offset//2 complex64 if "
        "stride(1) == 1 and stride(0)//2*2 == stride(0) and offset//2*2 == offset",
        "float32 [4] [?] ? | as_strided size=[2] stride=[1] => as_strided [2] [1] offset float32",
    };
    run_cases(cases, sizeof cases / sizeof cases[0]);
}

static void test_errors(void)
{
    static const char *const cases[] = {
        /* arguments: the table of operations */
        "float32 [2] [1] 0 | select dim=0 => error at view0: select: needs 'index'",
        "float32 [2] [1] 0 | t | narrow dim=0 start=0 => error at view1: narrow: needs 'length'",
        "float32 [2] [1] 0 | select dim=0 index=0 length=1 => error at length: select: takes no 'length'",
        "float32 [2] [1] 0 | t dims=[0] => error at dims: t: takes no 'dims'",
        "float32 [2] [1] 0 | _conj => error at view0: _conj: the tensor is float32 here, not complex",
        "int64 [2] [1] 0 | _neg_view => error at view0: _neg_view: the tensor is int64 here, not floating or complex",
        "complex64 [2,3] [3,1] 0 | t | _conj | t => as_strided [3,2] [1,3] 0 complex64; _conj [3,2] [1,3] 0 complex64; "
        "as_strided [2,3] [3,1] 0 complex64",
        "float32 [2] [1] 0 | _neg_view | alias => _neg_view [2] [1] 0 float32",
        "float32 [2] [1] 0 | squeeze dims=[a] => error at dims[0]: squeeze: 'a' is not known when code is generated; a "
        "number is needed here",
        "float32 [2] [1] 0 | select dim=a+1 index=0 => error at dim: select: 'a + 1' is not known when code is "
        "generated; a number is needed here",
        "float32 [2] [1] 0 | view_dtype dtype=float33 => error at dtype: view_dtype: unknown dtype 'float33'",
        "? [2] [1] 0 | view_dtype dtype=float64 => error at view0: view_dtype: the dtype of the tensor is not known "
        "here",
        /* ranges */
        "float32 [2,3] [3,1] 0 | select dim=2 index=0 => error at dim: select: dimension 2 is out of range: the tensor "
        "has 2 dimensions here",
        "float32 [3] [1] 0 | transpose dims=[0,1] => error at dims[1]: transpose: dimension 1 is out of range: the "
        "tensor has 1 dimension here",
        "float32 [] [] 0 | select dim=0 index=0 => error at view0: select: the tensor has no dimensions here",
        "float32 [2,3] [3,1] 0 | select dim=1 index=3 => error at index: select: 3 is out of range for a dimension of "
        "size 3",
        "float32 [2,3] [3,1] 0 | select dim=1 index=-4 => error at index: select: -4 is out of range for a dimension "
        "of "
        "size 3",
        "float32 [s] [1] 0 | select dim=0 index=100 => error at index: select: 100 is out of range for a dimension of "
        "size s",
        "float32 [7] [1] 0 | split split_size=3 index=3 => error at index: split: 3 is out of range; the number of "
        "parts "
        "is 3",
        "float32 [5] [1] 0 | chunk chunks=4 index=3 => error at index: chunk: 3 is out of range; the number of parts "
        "is 3",
        "float32 [7] [1] 0 | slice step=0 => error at step: slice: the step is at least 1, not 0",
        "float32 [7] [1] 0 | narrow dim=0 start=3 length=5 => error at length: narrow: start and length are within the "
        "dimension: 8 is larger than 7",
        "float32 [7] [1] 0 | split_with_sizes sizes=[3,3] index=0 => error at sizes: split_with_sizes: the parts make "
        "up the dimension: 6 is not 7",
        "float32 [7] [1] 0 | unfold dim=0 length=8 step=1 => error at length: unfold: the window fits into its "
        "dimension: 8 is larger than 7",
        "float32 [2,3] [3,1] 0 | permute dims=[0,-2] => error at dims[1]: permute: dimension 0 is named twice",
        "float32 [2,3] [3,1] 0 | expand size=[2,4] => error at size[1]: expand: expand changes only sizes that are 1: "
        "4 "
        "is not 3",
        "float32 [2] [1] 0 | expand size=[-1,2] => error at size[0]: expand: -1 keeps a size, but the tensor has no "
        "dimension here",
        "float32 [2] [1] 0 | as_strided size=[2] stride=[-1] => error at stride[0]: as_strided: a stride is at least "
        "0, "
        "not -1",
        "float32 [2] [1] 0 | as_strided size=[2,1] stride=[1] => error at stride: as_strided: 2 sizes but 1 strides",
        /* views */
        "float32 [2,3] [3,1] 0 | view size=[7] => error at size: view: the sizes have as many elements as what they "
        "replace: 7 is not 6",
        "float32 [2,3] [3,1] 0 | view size=[-1,-1] => error at size[1]: view: only one size can be -1",
        "float32 [0,3] [3,1] 0 | view size=[-1,0] => error at size[0]: view: the other sizes, which -1 is computed "
        "from, "
        "are at least 1, not 0",
        "float32 [2,3] [3,1] 0 | t | view size=[6] => error at view1: view: not possible without a copy: dimension 0 "
        "of "
        "size 3 has stride 1, not 6",
        "float32 [2,3] [3,1] 0 | t | reshape size=[6] => error at view1: reshape: not possible without a copy: "
        "dimension "
        "0 of size 3 has stride 1, not 6",
        "float32 [s,t] [1,s] 0 | flatten => error at view0: flatten: not possible without a copy: dimension 0 of size "
        "s "
        "has stride 1, not s*t",
        "float32 [a,t] [1,a] 0 | flatten => error at view0: flatten: whether it is possible without a copy is not "
        "known "
        "when code is generated: dimension 0 of size a has stride 1, not a*t",
        /* what must be known */
        "float32 [a,3] [3,1] 0 | squeeze => error at view0: squeeze: whether the size of dimension 0, a, is 1 is not "
        "known when code is generated",
        "float32 [a,3] [3,1] 0 | squeeze dims=[0] => error at dims: squeeze: whether the size of dimension 0, a, is 1 "
        "is not known when code is generated",
        "float32 [a] [1] 0 | chunk chunks=3 index=-1 => error at index: chunk: the number of chunks is not known when "
        "code is generated, so an index cannot count from the end",
        /* 64 bits */
        "float32 [2,2] [9223372036854775807,1] 0 | select dim=0 index=1 | select dim=0 index=1 => error at view1: "
        "select: "
        "a size, stride or offset does not fit in 64 bits",
        "float32 [4294967296,4294967296] [0,0] 0 | flatten => error at view0: flatten: a size, stride or offset does "
        "not "
        "fit in 64 bits",
        /* element types */
        "float32 [2,3] [3,1] 0 | view_dtype dtype=float64 => error at view0: view_dtype: the last size divides by the "
        "ratio of element sizes: 3 by 2",
        "float32 [] [] 0 | view_dtype dtype=float64 => error at view0: view_dtype: a tensor without dimensions keeps "
        "its "
        "element size; float32 and float64 differ",
        "float32 [2] [1] 0 | view_as_real => error at view0: view_as_real: the tensor is float32 here, not complex",
        "uint8 [2] [1] 0 | view_as_complex => error at view0: view_as_complex: the tensor is uint8 here; float16, "
        "float32 "
        "and float64 have a complex type",
    };
    run_cases(cases, sizeof cases / sizeof cases[0]);
}

/* A failure of an earlier stage is neither lost nor taken for the fold's own; assumptions of one fold end with it. */
static void test_state(void)
{
    Arena arena;
    arena_init(&arena);
    Integers *integers = integers_new(&arena, NULL, VIEW_TEXT_SYMBOLS);
    const ViewText text = view_text_read(&arena, "float32 [a] [1] 0 | select dim=0 index=3");
    const Geometry base = view_text_base(&arena, integers, &text);
    const Integer *zero = integer_literal(integers, 0);
    ViewFold fold;
    GeometryError error;
    integers_set_failed(integers, true);
    check(geometry_fold(&arena, integers, &base, text.views, 1, &fold, &error) && integers_failed(integers),
          "a failure before the fold stays and does no harm");
    check(fold.num_guards == 1 && fold.guards[0].op == 0, "the guard names its operation");
    check(integer_less_equal(integers, zero, base.sizes[0]) == TRUTH_UNKNOWN,
          "what a fold assumed is forgotten after it");
    check(geometry_fold(&arena, integers, &base, text.views, 0, &fold, &error) && fold.num_steps == 0 &&
              fold.result.rank == 1,
          "an empty sequence changes nothing");
    arena_release(&arena);
}

int main(void)
{
    test_literals();
    test_symbols();
    test_reads();
    test_errors();
    test_state();
    return check_done();
}
