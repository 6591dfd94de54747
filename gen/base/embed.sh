#!/bin/sh
# SPDX-License-Identifier: MIT
#
# embed.sh FILE... - prints C that holds the named files of templates/, schema/codes/ and cmd/pages/ as data (gen/base/embedded.h).
#
# A file may also be below $MADE/templates/: it is embedded as if it were in templates/.
#
# The Makefile runs it for build/embedded.c. od gives every byte exactly as it is, so a template may hold anything; names are
# sorted bytewise, because embedded_find() looks them up by halving.
set -eu
LC_ALL=C
export LC_ALL

count=0
named() { # FOLDER FILE...: `name file` of those that are below FOLDER, sorted by name
    folder=$1
    shift
    for file in "$@"; do
        case $file in
        "$folder"/*) printf '%s %s\n' "${file#"$folder"/}" "$file" ;;
        "${MADE-}/$folder"/*) printf '%s %s\n' "${file#"$MADE/$folder"/}" "$file" ;;
        esac
    done | sort
}

table() { # NAME FOLDER FILE...: one array, of those files that are below FOLDER
    name=$1
    shift
    named "$@" >"$list"
    rows=
    while read -r path file; do
        size=$(wc -c <"$file")
        printf '\nstatic const unsigned char file_%d[] = { /* %s */\n' "$count" "$file"
        od -An -v -tu1 "$file" | awk '{ gsub(/ +/, ","); print "    " substr($0, 2) "," }'
        printf '    0};\n'
        rows="$rows    {\"$path\", (const char *)file_$count, $((size))},
"
        count=$((count + 1))
    done <"$list"
    printf '\nconst EmbeddedFile %s[] = {\n%s};\n' "$name" "$rows"
    printf 'const size_t num_%s = sizeof %s / sizeof %s[0];\n' "$name" "$name" "$name"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
printf '/* Made by gen/base/embed.sh; do not edit. */\n#include "gen/base/embedded.h"\n'
table embedded_files templates "$@"
table embedded_codes schema/codes "$@"
table embedded_pages cmd/pages "$@"
