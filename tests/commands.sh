#!/bin/sh
# SPDX-License-Identifier: MIT
#
# commands.sh - every command that a page names within its text or indented can be given: those of wrapgen are run, over stand-ins for the
# files that they read; of others the target, the script, the suite or the option is there. Blocks of commands are run as they are by the
# tests of some pages; of other pages they count like the rest.
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 1
git ls-files '*.md' >"$scratch/pages" 2>/dev/null && [ -s "$scratch/pages" ] ||
    find . -name '*.md' ! -path './build/*' ! -path './.venv*/*' | sed 's|^\./||' >"$scratch/pages"

# Whose blocks of commands are run, and by which test.
cat >"$scratch/played" <<'PLAYED'
README.md tests/readme.sh
examples/README.md tests/cookbook.sh
examples/tutorial/README.md tests/install/run.sh
examples/matmul_dispatch/README.md tests/install/run.sh
cmd/install/README.md tests/install/run.sh
cmd/wrapgen_torch/README.md tests/torch/ahead/test_page.py
cmd/wrapgen_torch/deploying/README.md tests/torch/deploy/page.py
PLAYED

# page:line:command, of what is `within a line` or indented, and of blocks that nothing runs. A comment after a command is none of it.
xargs awk -v played="$(cut -d' ' -f1 "$scratch/played" | tr '\n' ' ')" '
    FNR == 1 { fenced = ""; is_played = index(" " played, " " FILENAME " ") }
    /^```/ { fenced = fenced == "" ? $0 : ""; next }
    fenced == "```sh" && !is_played { sub(/^([A-Z_]+=[^ ]* )+/, ""); print FILENAME ":" FNR ":" $0 }
    fenced != "" { next }
    /^    [^ ]/ { text = substr($0, 5); sub(/  +#.*/, "", text); print FILENAME ":" FNR ":" text; next }
    { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print FILENAME ":" FNR ":" part[i] }
' <"$scratch/pages" | grep -E '^[^:]*:[0-9]*:(build/|cmd/)?(wrapgen|wrapgen-torch|make|sh|\.venv/bin/python)( |$)' |
    grep -vE ':(wrapgen|make|sh|wrapgen-torch)$' >"$scratch/commands"

graph=$root/examples/kv_cache/graph.yaml

runs() ( # ARGUMENTS: of wrapgen. An option alone is a name of it
    case $* in
    --*\ *) ;;
    --*) "$WRAPGEN" --help | grep -qE -- "(^|[ ,])$1([ =,]|\$)" && exit ;;
    esac
    rm -rf "$scratch/stand" && mkdir "$scratch/stand" && cd "$scratch/stand" || exit 1
    for word; do
        case $word in *.yaml) mkdir -p "$(dirname "$word")" && cp "$graph" "$word" ;; esac
    done
    "$WRAPGEN" "$@" </dev/null >/dev/null
)
targets=" $(sed -n 's/^\.PHONY: //p' "$root/Makefile") "
there() { # COMMAND...
    tool=${1##*/}
    shift
    case $tool in
    wrapgen) runs "$@" ;;
    make)
        for word; do
            case $word in *=* | -*) continue ;; esac
            case $targets in *" $word "*) ;; *) echo "the Makefile has no target $word" && return 1 ;; esac
        done
        ;;
    python) [ -f "$root/$1" ] || { echo "there is no $1" && return 1; } ;;
    sh)
        script=$1
        shift
        [ -f "$root/$script" ] || { echo "there is no $script" && return 1; }
        case $script in tests/run.sh | tests/torch/run.sh) ;; *) return 0 ;; esac
        for suite; do
            case $suite in '&&') return ;; esac
            [ -f "$root/${script%run.sh}$suite/run.sh" ] || [ -f "$root/tests/$suite.sh" ] || { echo "there is no suite $suite" && return 1; }
        done
        ;;
    wrapgen-torch)
        for word; do
            case $word in
            -*) grep -qF "\"$word\"" "$root/cmd/wrapgen_torch/cli.py" "$root/cmd/wrapgen_torch/deploying/command.py" \
                    "$root/cmd/wrapgen_torch/starting.py" || { echo "no option $word" && return 1; } ;;
            esac
        done
        case ${1-} in
        *.py | -*) ;;
        *) grep -qF "arguments[:1] == [\"$1\"]" "$root/cmd/wrapgen_torch/cli.py" || { echo "no command $1" && return 1; } ;;
        esac
        ;;
    esac
}
while IFS= read -r line; do
    place=${line%%:*}:$(echo "$line" | cut -d: -f2)
    command=$(echo "$line" | cut -d: -f3-)
    # shellcheck disable=SC2086 # words
    check "$place: $command" there $(echo "$command" | sed "s/[<>]/-/g; s/'//g")
done <"$scratch/commands"
check 'there are commands' test "$(wc -l <"$scratch/commands")" -gt 40

while read -r page player; do
    check "$page: $player runs its blocks" grep -q "${page##*/}" "$root/$player"
done <"$scratch/played"
finish
