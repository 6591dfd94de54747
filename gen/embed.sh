#!/bin/sh
# SPDX-License-Identifier: MIT
#
# embed.sh FILE... - prints C that holds the named files of templates/ as data (gen/embedded.h).
#
# The Makefile runs it for build/embedded.c. od gives every byte exactly as it is, so a template may hold anything; names are
# sorted bytewise, because embedded_find() looks them up by halving.
set -eu
LC_ALL=C
export LC_ALL

printf '/* Made by gen/embed.sh from templates/; do not edit. */\n#include "gen/embedded.h"\n'
rows=
count=0
for file in $(printf '%s\n' "$@" | sort); do
    size=$(wc -c <"$file")
    printf '\nstatic const unsigned char file_%d[] = { /* %s */\n' "$count" "$file"
    od -An -v -tu1 "$file" | awk '{ gsub(/ +/, ","); print "    " substr($0, 2) "," }'
    printf '    0};\n'
    rows="$rows    {\"${file#templates/}\", (const char *)file_$count, $((size))},
"
    count=$((count + 1))
done
printf '\nconst EmbeddedFile embedded_files[] = {\n%s};\n' "$rows"
printf 'const size_t num_embedded_files = sizeof embedded_files / sizeof embedded_files[0];\n'
