#!/bin/sh
# SPDX-License-Identifier: MIT
#
# update.sh [CASE...] - writes the expected files of golden cases anew: expected.c, if the case has `shown`, and which of wrappers.c,
# wrappers.h, module.c and module.pyi there are. What changed is for you to read: git diff tests/golden
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/generate.sh"

update() { # CASE
    folder=$root/tests/golden/$1
    rm -f "$scratch"/*
    golden_generate "$1" "$scratch" || return 1
    [ ! -f "$folder/shown" ] || golden_excerpt "$1" "$scratch" || return 1
    for file in expected.c wrappers.c wrappers.h module.c module.pyi; do
        [ "$file" = expected.c ] && [ -f "$folder/shown" ] || [ -f "$folder/$file" ] || continue
        cp "$scratch/$file" "$folder/$file" || return 1
    done
}

for case in $(golden_cases "$@"); do
    if update "$case"; then
        passed=$((passed + 1))
    else
        not_ok "$case"
    fi
done
finish
