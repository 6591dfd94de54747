# SPDX-License-Identifier: MIT
#
# Sourced by run.sh, update.sh and other suites that need what is generated for golden cases: how that is done.

golden_cases() { # [CASE...]: those named, else all
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
        return
    fi
    for graph in "$root"/tests/golden/*/graph.yaml; do
        [ -f "$graph" ] && basename "$(dirname "$graph")"
    done
}

golden_generate() ( # CASE FOLDER [ARGUMENT...]: wrappers.c and wrappers.h into that folder, run in the case's own
    folder=$2
    cd "$root/tests/golden/$1" || exit 1
    shift 2
    [ ! -f module.c ] || set -- "$@" --emit-python "$folder/module.c"
    if [ -f args ]; then
        while IFS= read -r line; do
            set -- "$@" "$line"
        done <args
    fi
    "$WRAPGEN" --in graph.yaml --out "$folder/wrappers.c" --header "$folder/wrappers.h" "$@"
)

golden_excerpt() { # CASE FOLDER: what the case shows of FOLDER/wrappers.c into FOLDER/expected.c
    awk -f "$root/tests/golden/excerpt.awk" "$root/tests/golden/$1/shown" "$2/wrappers.c" >"$2/expected.c"
}
