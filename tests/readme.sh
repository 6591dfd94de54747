#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The README tells the truth: its YAML gives its C, every command in a `sh` block runs, every file it names is there.
#
#   readme.sh            tests
#   readme.sh --update   puts what the YAML gives now into the C block: the ranges below
. "$(dirname "$0")/lib.sh"

# The excerpt: from the function's head, each of these to the line that ends it, and a line of dots for what lies between.
cat >"$scratch/ranges" <<'RANGES'
^static int32_t demo_step_core	^\{$
    /\* inputs\[0\] w	^    \}$
    num_results = 2	^    \}$
    status = wg_copy_	wg_copy_
    status = wg_alias_like	wg_alias_like
RANGES

excerpt() { # FILE
    awk -F'\t' 'FNR == NR { first[FNR] = $1; last[FNR] = $2; n = FNR; next }
        !inside && at < n && $0 ~ first[at + 1] { if (at > 0) print "    ..."; inside = 1; at++ }
        inside { print }
        inside && $0 ~ last[at] { inside = 0 }' "$scratch/ranges" "$1"
}

block() { # LANGUAGE: the first block of it
    awk -v begin="^\`\`\`$1\$" '$0 ~ begin && !done { inside = 1; next } /^```$/ { if (inside) done = 1; inside = 0 } inside' \
        "$root/README.md"
}

commands() { # of every sh block
    awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/README.md"
}

copy=$scratch/copy
copy_checkout "$copy"
mkdir "$copy/build" && for part in cmd gen schema embedded.c embedded.o templates flags wrapgen; do cp -a "$BUILD/$part" "$copy/build"; done
cd "$copy" || exit 1
block yaml >graph.yaml
"$WRAPGEN" --in graph.yaml --out wrappers.c --header wrappers.h 2>"$scratch/said" || not_ok 'the YAML is accepted' "$scratch/said"
excerpt wrappers.c >"$scratch/excerpt"

if [ "${1-}" = --update ]; then
    awk -v excerpt="$scratch/excerpt" '/^```c$/ { print; while ((getline line < excerpt) > 0) print line; skip = 1 }
        /^```$/ { skip = 0 } !skip { print }' "$root/README.md" >"$scratch/README" && cat "$scratch/README" >"$root/README.md"
fi

check 'there is something to show' test -s "$scratch/excerpt"
block c >"$scratch/shown"
check 'the C is what comes out of the YAML' diff -u "$scratch/shown" "$scratch/excerpt"
check 'its picture is what the YAML gives' sh -c 'sh "$1/examples/picture.sh" "$1/examples/kv_cache/graph.yaml" | cmp - "$1/examples/kv_cache/graph.svg"' sh "$root"
check 'at most 150 lines' test "$(wc -l <"$root/README.md")" -le 150

HOME=$scratch/home
BENCH=quick
BUILD=$copy/build
export HOME BENCH BUILD
mkdir "$HOME"
# `make test` is what is running; it must not run itself.
commands | grep -vx 'make test' >"$scratch/commands"
check 'make test is in it' sh -c 'grep -qx "make test" "$1"' sh "$root/README.md"
while IFS= read -r command; do
    check "runs: $command" sh -ec "$command" </dev/null
done <"$scratch/commands"
printf 'stale\n' >schema/graph.schema.json
sed -i 's/^| `prefix` .*//' schema/SPEC.md
make -s schema >"$scratch/made" 2>&1 || not_ok 'make schema runs' "$scratch/made"
check 'make schema writes the tables of SPEC.md' cmp schema/SPEC.md "$root/schema/SPEC.md"
check 'make schema writes what the tool prints' cmp schema/graph.schema.json "$root/schema/graph.schema.json"
check 'make install installs the tool' "$HOME/.local/bin/wrapgen" --version

grep -oE '`(cmd|gen|schema|templates|tests|examples|\.ci)/[^`]*`' "$root/README.md" | tr -d '`' | sed 's/<[^>]*>/*/g; s/ .*//' | sort -u |
    while read -r name; do
        # shellcheck disable=SC2086 # a pattern
        ls -d "$root"/$name >/dev/null 2>&1 || echo "$name is not there"
    done >"$scratch/absent"
check 'every file that it names is there' sh -c 'cat "$1"; test ! -s "$1"' sh "$scratch/absent"
finish
