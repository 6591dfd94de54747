#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [--count N] [--seed S] [--file F] - generated wrappers against the reference interpreter, on random graphs.
#
#   run.sh                      2,000 graphs from the fixed seed 1, 600 without tcc, 200 under sanitizers (PROPERTY_COUNT and
#                               PROPERTY_SEED say otherwise)
#   run.sh --count 1 --seed S   one graph again; when it fails, it is shrunk and printed with both traces
#   run.sh --file graph.yaml    all scenarios on a file of your own
#   run.sh --bare ...           on a host without the verbs that a host may lack, as one graph in ten is tried by default
#   run.sh --loop-from 2 ...    with everything in loops that can be, which is how half of the graphs are tried by default
#   run.sh --print --count N    the YAML alone
#   run.sh --print-views N      view sequences, for views_torch.py to hold against PyTorch
#   run.sh --sabotage           breaks one rule of the templates at a time and sees that it is noticed (sabotage.sh)
#
# Environment: CC, CFLAGS, EXTRA (flags of the build variant), WRAPGEN, BUILD. PROPERTY_CC is the command that compiles the
# wrappers into a shared object: tcc where it is installed, which takes half a minute for 20,000 graphs; else $CC -O0,
# which takes ten times as long.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$(cd "$here/../../.." && pwd) || exit 1
: "${BUILD:=$root/build}"
: "${CC:=cc}"
: "${CFLAGS:=}"
: "${EXTRA:=}"
: "${WRAPGEN:=$BUILD/wrapgen}"
folder=$BUILD/tests/property/wrappers
mkdir -p "$folder" || exit 1

died() {
    echo "not ok - $1"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}

warn='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wcast-qual -Wmissing-prototypes -Werror'
if [ -z "${PROPERTY_CC:-}" ]; then
    case " $EXTRA " in
    *sanitize*) PROPERTY_CC="$CC -w -shared -fPIC $EXTRA -O0" ;;
    *)
        PROPERTY_CC="$CC -O0 -w -shared -fPIC"
        if command -v tcc >/dev/null 2>&1; then
            # It runs out of room for the largest functions ("memory full"); they take the other compiler.
            printf '#!/bin/sh\ntcc -w -shared "$@" || exec %s "$@"\n' "$PROPERTY_CC" >"$folder/tcc"
            chmod +x "$folder/tcc"
            PROPERTY_CC=$folder/tcc
        fi
        ;;
    esac
fi

# The front end is the tool's own.
front=
make -s -C "$root" BUILD="$BUILD" "$BUILD/libwrapgen.a" >&2 || died 'the library does not build'
# shellcheck disable=SC2086
for source in "$here"/*.c "$root"/templates/selftest/*.c "$root"/templates/core/wg_cold.c "$root"/templates/core/wg_overlap.c "$root"/templates/core/wg_dispatch.c; do
    object=$folder/$(basename "$source" .c).o
    if [ ! -f "$object" ] || [ -n "$(find "$here" "$root/templates/selftest" "$root/gen" "$root/schema" "$root/templates/core" -name '*.[ch]' -newer "$object" | head -n 1)" ]; then
        # shellcheck disable=SC2086
        $CC -std=c11 $warn -D_POSIX_C_SOURCE=200809L -I "$root" -I "$root/templates/core" -O2 -g $EXTRA $CFLAGS \
            -c -o "$object" "$source" || died "$source does not compile"
    fi
    front="$front $object"
done
# shellcheck disable=SC2086
$CC -rdynamic $EXTRA $CFLAGS -o "$folder/wrappers" $front "$BUILD/libwrapgen.a" -lcyaml -lyaml -ldl || died "the driver does not link"

# Verbs without which other code is generated.
cp "$here/mock.yaml" "$folder/mock.yaml" || exit 1
sed -E 's/ wg_(range_begin|range_end|coerce_tangent|mark_part),//g' "$here/mock.yaml" >"$folder/mock_bare.yaml" || exit 1

if [ "${1-}" = --sabotage ]; then
    exec sh "$here/sabotage.sh"
fi
case $PROPERTY_CC in
*tcc*) count=2000 ;;
*sanitize*) count=200 ;;
*) count=600 ;;
esac
run() {
    "$folder/wrappers" --wrapgen "$WRAPGEN" --compiler "$PROPERTY_CC" --source "$root" --folder "$folder" "$@"
}
if [ $# -gt 0 ]; then
    run "$@"
    exit
fi

# Half of the graphs as they are, and half with everything in loops that can be: by default loops take a graph larger than
# these.
count=${PROPERTY_COUNT:-$count}
seed=${PROPERTY_SEED:-1}
run --count $((count / 2)) --seed "$seed" >"$folder/straight"
straight=$?
run --count $((count - count / 2)) --seed $((seed + count / 2)) --loop-from 2 >"$folder/loops"
loops=$?
run --count $((count / 10)) --seed $((seed + count)) --bare >"$folder/bare"
bare=$?
sed '$d' "$folder/straight"
echo '# from here on with --loop-from 2'
sed '$d' "$folder/loops"
echo '# from here on with --bare'
sed '$d' "$folder/bare"
tail -q -n 1 "$folder/straight" "$folder/loops" "$folder/bare" |
    awk '{ passed += $1; failed += $3; skipped += $5 }
        END { printf "%d passed, %d failed, %d skipped\n", passed, failed + (NR < 3), skipped }'
[ $straight -eq 0 ] && [ $loops -eq 0 ] && [ $bare -eq 0 ]
