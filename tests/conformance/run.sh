#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The template engine against our own cases, against the official specification (https://github.com/mustache/spec, its
# folder of .yml files) where WRAPGEN_MUSTACHE_SPEC names it or ../shared/mustache-spec has it, and in a short random
# run with a fixed seed. Lambdas are left out on purpose: data is not code.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"

build_library
if build_program mustache_spec "$root/tests/conformance/mustache_spec.c" -lcyaml -lyaml; then
    run_program mustache_spec tests/conformance/cases/*.yml
    official=${WRAPGEN_MUSTACHE_SPEC-$root/../shared/mustache-spec}
    if [ ! -d "$official" ]; then
        skip 'official specification' 'WRAPGEN_MUSTACHE_SPEC names no folder'
    else
        for file in "$official"/*.yml; do
            case $file in
            *lambdas.yml) ;;
            *) run_program mustache_spec "$file" ;;
            esac
        done
    fi
fi
if build_program mustache_fuzz "$root/tests/fuzz/mustache_fuzz.c" -DFUZZ_MAIN -lcyaml -lyaml; then
    run_program mustache_fuzz 20000 1
fi
finish
