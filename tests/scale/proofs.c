/* SPDX-License-Identifier: MIT */
/*
 * proofs FILE... - what the proofs of kernels cost: basic blocks of gen/dispatch/ and gen/algebra/ that are entered,
 * counted by the compiler's own instrumentation (-fsanitize-coverage=trace-pc). A proof may examine so many clauses,
 * and whatever else it does must be little compared with that, or it would go on for minutes within its limit.
 */
#include <setjmp.h>

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/dispatch/prove.h"
#include "gen/yaml/front.h"
#include "tests/unit/check.h"

/* What 25 million clauses take, 40 blocks each, which is about a second. */
static const uint64_t most_blocks = UINT64_C(1000000000);

static uint64_t num_blocks;
static bool counting;
static jmp_buf enough;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (counting && ++num_blocks > most_blocks) {
        longjmp(enough, 1);
    }
}

static void check_kernel(Arena *arena, const Spec *spec, const SpecKernel *kernel, const char *file)
{
    Dispatch *dispatch = dispatch_new(arena, spec, kernel, true);
    dispatch_add_graphs(dispatch);
    num_blocks = 0;
    if (setjmp(enough) == 0) {
        counting = true;
        (void)prove_dispatch(arena, dispatch);
    }
    counting = false;
    (void)check(num_blocks <= most_blocks, "%s: the proof of '%s' enters at most %d million blocks (%d million)", file,
                kernel->name, (int)(most_blocks / 1000000), (int)(num_blocks / 1000000));
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        Arena arena;
        Diag diag;
        Source source;
        arena_init(&arena);
        diag_init(&diag, &arena);
        const bool loaded = source_read(&arena, &diag, argv[i], &source) && source_load(&arena, &diag, &source) &&
                            validate_specs(&arena, &diag, &source, 1, NULL);
        (void)check(loaded, "%s is loaded", argv[i]);
        for (uint32_t k = 0; loaded && k < source.spec->kernels_count; k++) {
            check_kernel(&arena, source.spec, &source.spec->kernels[k], argv[i]);
        }
        arena_release(&arena);
    }
    return check_done();
}
