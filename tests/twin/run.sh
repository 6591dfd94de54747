#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A run whose twin renders half of the graphs on another processor (gen/program_items.c) writes and reports what one without
# a twin does: all golden cases, examples and errors, and a large file, within limits of an output and beyond (twin.c).
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
cd "$root" || exit 1
build_library
build_program twin tests/twin/twin.c -lcyaml -lyaml || finish
sh tests/bench/make_big_yaml.sh 300 >"$scratch/300.yaml"
run_program twin "$scratch" "$scratch/300.yaml" examples/*/graph.yaml tests/golden/*/graph.yaml tests/errors/generation/*.yaml
finish
