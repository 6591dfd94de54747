#!/bin/sh
# SPDX-License-Identifier: MIT
#
# update.sh [CASE...] - writes the expected files of golden cases anew. What changed is for you to read: git diff tests/golden
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/generate.sh"

for case in $(golden_cases "$@"); do
    if golden_generate "$case" "$root/tests/golden/$case"; then
        passed=$((passed + 1))
    else
        not_ok "$case"
    fi
done
finish
