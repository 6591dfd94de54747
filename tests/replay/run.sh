#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What once made the tool crash, hang, fill the memory or stop with an internal error: every file here, in every way that
# tests/fuzz/pipeline knows, ends well. Whether it is refused or accepted is not tested here, but in tests/errors and tests/golden.
#
# To add a case: a file, with the way it failed as a comment. tests/fuzz/pipeline/run.sh finds and shrinks new ones.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/unit/library.sh"
. "$root/tests/fuzz/pipeline/library.sh"

cd "$root" || exit 1
build_library
mkdir -p "$scratch/input"
build_pipeline_fuzz &&
    run_program pipeline_fuzz --replay --scratch "$scratch/input" --failures "$scratch" tests/replay/*.yaml
finish
