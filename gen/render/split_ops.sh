#!/bin/sh
# SPDX-License-Identifier: MIT
#
# split_ops.sh FOLDER FILE... - writes each section of the files to FOLDER/NAME.mustache, and takes away what is there besides.
#
# templates/ops/ has the templates of ops by family, to be read together. The tool, --print-templates and --templates know each
# by itself, op/NAME.mustache. A section begins with {{! ==== NAME ==== }}; the empty line before the next one is not part of it.
set -eu
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
awk -v folder="$folder" '
    function flush() { if (name != "") { printf "{{! SPDX-License-Identifier: 0BSD }}\n%s", text >file; close(file) } text = "" }
    FNR == 1 { flush(); name = "" }
    /^[{][{]! ==== [a-z_0-9]+ ==== [}][}]$/ {
        flush()
        name = $3
        file = folder "/" name ".mustache"
        if (name in seen) { print FILENAME ":" FNR ": there is a section " name " already" >"/dev/stderr"; exit failed = 1 }
        seen[name] = 1
        blank = ""
        next
    }
    $0 == "" { blank = blank "\n"; next }
    { text = text blank $0 "\n"; blank = "" }
    END { if (!failed) flush(); exit failed }' "$@"
