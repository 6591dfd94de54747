# SPDX-License-Identifier: MIT
# --emit-kernel-stub: compiled functions to fill in. They compile, link with the wrappers, fail with their name until they are
# filled in, and work once they are. (The golden tests compile the stub of each case and see that nothing is missing.)
strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror'
parts="-I$root/templates/core -I$root/templates/hosts/native"
builds() { # PROGRAM FILE...
    program=$1
    shift
    # shellcheck disable=SC2086 # lists of flags
    $CC $strict $EXTRA $parts -I. -o "$program" "$@" "$root"/templates/core/*.c "$root"/templates/hosts/native/*.c -lm
}

cat >step.yaml <<'end'
wrapgen: 1
prefix: demo_
graphs:
  - name: step
    mode: inference
    compiled: step_kernel
    keep_input_mutations: false
    inputs: [{name: w, dtype: float32, size: [2], mutates_data: true}, {name: n, kind: int}]
    outputs: [{name: y, type: is_input, base: w}, {name: count, kind: int, type: non_alias}]
  - {name: again, mode: inference, compiled: again_kernel, convention: direct, inputs: [{name: n, kind: int}],
     outputs: [{name: twice, kind: int, type: non_alias}]}
  - {name: dispatched, mode: inference, kernel: pick, inputs: [{name: x}], outputs: [{name: y, type: non_alias}]}
kernels:
  - name: pick
    args: [{name: a, kind: tensor}]
    variants: [{symbol: pick_float, when: [{arg: a, dtype: float32}]}, {symbol: pick_any}]
  - name: other
    args: [{name: a, kind: tensor}]
    variants: [{symbol: pick_any}]
end
run step.yaml --out w.c --header w.h --emit-kernel-stub stub.c
exits 0 'writes a stub'
silent 'says nothing'
for name in step_kernel again_kernel pick_float pick_any; do
    check "$case: $name is there once" test "$(grep -c "^int32_t $name(" stub.c)" -eq 1
done
check "$case: the dispatcher is generated, not to be written" sh -c '! grep -q "^int32_t demo_pick(" stub.c'
check "$case: where the new value goes" grep -qF ' *     args[0].tensor: w, float32[2]; only read, its new value is outs[0].tensor' stub.c
check "$case: what the caller gets instead" grep -qF ' *     outs[1].tensor: y; it is not read, and the caller gets w itself' stub.c
sed -n '/gets$/,/\*\//p' stub.c | grep '^ \*     [a-z*]' | sort >rows.stub
sed -n '/gets$/,/\*\//p' w.h | grep '^ \*     [a-z*]' | sort >rows.header
comm -23 rows.stub rows.header >rows.strange
check "$case: the header has the same rows" cmp rows.strange /dev/null
check "$case: there are some" test "$(wc -l <rows.stub)" -ge 7

cat >main.c <<'end'
#include <stdio.h>
#include <string.h>

#include "w.h"
#include "wg_native.h"

static void report(WgContext *ctx, int32_t status)
{
    char text[200];
    (void)wg_error_text(wg_error(ctx), text, sizeof text);
    printf("%d %s\n", (int)status, status == WG_OK ? "done" : text);
}

int main(void)
{
    const int64_t sizes[] = {2};
    WgContext *ctx = NULL;
    WgTensor *w = NULL;
    if (wg_context_create(NULL, &ctx) != 0 || wg_native_zeros(ctx, WG_FLOAT32, 1, sizes, &w) != 0) {
        return 2;
    }
    demo_step_inputs in = {w, 3};
    demo_step_outputs out;
    memset(&out, 0x5a, sizeof out);
    report(ctx, demo_step(ctx, &in, &out));
    printf("%s\n", out.y == NULL ? "null" : out.y == w ? "w itself" : "another");
    demo_step_outputs_release(ctx, &out);
    demo_again_inputs again = {21};
    demo_again_outputs twice = {0};
    report(ctx, demo_again(ctx, &again, &twice));
    printf("%d\n", (int)twice.twice);
    demo_dispatched_inputs any = {w};
    demo_dispatched_outputs none;
    report(ctx, demo_dispatched(ctx, &any, &none));
    wg_release(ctx, w);
    wg_context_destroy(ctx);
    return 0;
}
end
check "$case: it links with the wrappers" builds ./stubbed main.c w.c stub.c
./stubbed >said 2>&1
check "$case: each fails and names itself" sh -c 'cat said; grep -q "^[1-9].*step_kernel.*stub" said && grep -q "^[1-9].*again_kernel.*stub" said &&
    grep -q "^[1-9].*pick_float.*stub" said && grep -qx null said' sh

# Filled in, by the names that the stub gives. What is told is enough: w is doubled, n is counted up.
sed -e '/^int32_t step_kernel/,/^}/{
        s|^    WgTensor \*new_x = NULL;||
        s|    const int32_t status = wg_fail.*|    const int32_t status = wg_retain(ctx, in_w, \&new_w);\n    out_count = in_n + 1;|
    }' -e '/^int32_t again_kernel/,/^}/s|    return wg_fail.*|    *out_twice = 2 * in_n;\n    return WG_OK;|' stub.c >filled.c
sed -i '/^#include "w.h"/a #include "wg_native.h"' filled.c
sed -i -e '/^int32_t again_kernel/,/^}/s|.*static const WgSite stub.*|    (void)ctx;|' \
    -e '/^int32_t step_kernel/,/^}/s|.*static const WgSite stub.*||' filled.c
check "$case: filled in it builds" builds ./full main.c w.c filled.c
./full >said 2>&1
check "$case: and works" sh -c 'cat said; grep -qx "0 done" said && grep -qx "42" said && ! grep -q step_kernel said && ! grep -qx null said' sh

# Alone: nothing else is written, and it compiles with the header that it includes, once that is there.
cp step.yaml 'tally it.yaml'
run 'tally it.yaml' --emit-kernel-stub alone.c
exits 0 'a stub alone'
silent 'it says nothing'
check "$case: it includes the header of the YAML's name" grep -qx '#include "tally it.h"' alone.c
check "$case: which is not written" test ! -e 'tally it.h'
run --list-outputs 'tally it.yaml' --emit-kernel-stub alone.c
prints 'alone.c'
check "$case: and nothing else" test "$(wc -l <"$scratch/stdout")" -eq 1
run step.yaml --header w.h --emit-kernel-stub named.c
exits 0 'with the name of a header'
check "$case: it is the one that is written with all else" sh -c 'sed "s/tally it.yaml/step.yaml/; s/tally it.h/w.h/" alone.c | cmp - named.c && cmp named.c stub.c'
for option in '--emit-contract x' '--emit-limits x' '--emit-selftest x' '--emit-proof x' '--depfile x' '--split 2' '--check'; do
    # shellcheck disable=SC2086 # an option and its value
    refuses 'no output' step.yaml --header w.h --emit-kernel-stub other.c $option
done
run - --emit-kernel-stub piped.c <step.yaml
exits 0 'from standard input'
check "$case: includes a header by the usual name" grep -qx '#include "wrappers.h"' piped.c
refuses "'--emit-kernel-stub' needs '--header FILE'" graph.yaml --out a.c --emit-kernel-stub s.c
refuses 'graph.yaml: error: this file exists and differs' graph.yaml --out a.c --header a.h --emit-kernel-stub graph.yaml
refuses "two outputs are the same file: 'new.c' and 'new.c'" graph.yaml --out new.c --header a.h --emit-kernel-stub new.c
refuses "'--emit-kernel-stub' cannot be used with '--print-schema'" --print-schema --emit-kernel-stub s.c
run --list-outputs step.yaml --out w.c --header w.h --emit-kernel-stub stub.c
prints 'stub.c'
run step.yaml --out w.c --header w.h --emit-kernel-stub stub.c
exits 0 'over the same'
refuses 'stub.c: error: this file exists and differs; it is left as it is' step.yaml --out v.c --header v.h --emit-kernel-stub stub.c
cp stub.c before.c
echo '/* mine */' >>stub.c
cp stub.c mine.c
refuses 'stub.c: error: this file exists and differs; it is left as it is' step.yaml --out w.c --header w.h --emit-kernel-stub stub.c
check "$case: what was filled in is kept" cmp stub.c mine.c
run --check step.yaml --out w.c --header w.h --emit-kernel-stub stub.c
exits 0 '--check does not look at what is filled in'
