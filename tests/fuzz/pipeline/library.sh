# SPDX-License-Identifier: MIT
#
# Sourced after tests/lib.sh and tests/unit/library.sh: build_pipeline_fuzz makes $programs/pipeline_fuzz.

build_pipeline_fuzz() {
    set --
    for source in "$root"/tests/fuzz/pipeline/*.c; do
        [ "$(basename "$source")" = main.c ] || set -- "$@" "$source"
    done
    build_program pipeline_fuzz "$root/tests/fuzz/pipeline/main.c" -D_DEFAULT_SOURCE -O2 "$@" "$library" -lcyaml -lyaml
}
