# SPDX-License-Identifier: MIT
#
# Sourced by run.sh and update.sh: how a case is generated.

golden_cases() { # [CASE...]: those named, else all
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
        return
    fi
    for graph in "$root"/tests/golden/*/graph.yaml; do
        [ -f "$graph" ] && basename "$(dirname "$graph")"
    done
}

golden_generate() ( # CASE FOLDER [ARGUMENT...]: into that folder, run in the case's own; arguments where there is a header
    folder=$2
    cd "$root/tests/golden/$1" || exit 1
    shift 2
    [ ! -f wrappers.c ] || [ -f wrappers.h ] || set --
    if [ ! -f wrappers.c ] || [ -f wrappers.h ]; then
        set -- --header "$folder/wrappers.h" "$@"
    fi
    [ ! -f module.c ] || set -- "$@" --emit-python "$folder/module.c"
    if [ -f args ]; then
        while IFS= read -r line; do
            set -- "$@" "$line"
        done <args
    fi
    "$WRAPGEN" --in graph.yaml --out "$folder/wrappers.c" "$@"
)
