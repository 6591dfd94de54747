#!/bin/sh
# SPDX-License-Identifier: MIT
#
# embed.sh FILE... - prints C that holds the named files of templates/, schema/codes/ and cmd/pages/ as data (gen/base/embedded.h).
#
# The Makefile runs it for build/embedded.c. od gives every byte exactly as it is, so a template may hold anything; names are
# sorted bytewise, because embedded_find() looks them up by halving.
set -eu
LC_ALL=C
export LC_ALL

count=0
table() { # NAME FOLDER FILE...: one array, of those files that are below FOLDER
    name=$1
    folder=$2
    shift 2
    rows=
    for file in $(printf '%s\n' "$@" | grep "^$folder/" | sort); do
        size=$(wc -c <"$file")
        printf '\nstatic const unsigned char file_%d[] = { /* %s */\n' "$count" "$file"
        od -An -v -tu1 "$file" | awk '{ gsub(/ +/, ","); print "    " substr($0, 2) "," }'
        printf '    0};\n'
        rows="$rows    {\"${file#"$folder"/}\", (const char *)file_$count, $((size))},
"
        count=$((count + 1))
    done
    printf '\nconst EmbeddedFile %s[] = {\n%s};\n' "$name" "$rows"
    printf 'const size_t num_%s = sizeof %s / sizeof %s[0];\n' "$name" "$name" "$name"
}

printf '/* Made by gen/base/embed.sh; do not edit. */\n#include "gen/base/embedded.h"\n'
table embedded_files templates "$@"
table embedded_codes schema/codes "$@"
table embedded_pages cmd/pages "$@"
