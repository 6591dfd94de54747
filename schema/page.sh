#!/bin/sh
# SPDX-License-Identifier: MIT
#
# page.sh - prints SPEC.md with its tables of keys as spec.def has them. A table stands between `<!-- keys of STRUCT -->` and
# `<!-- end -->`; its first line is the page's own. A struct without a table, and a table without a struct, is an error.
#
# Of spec.def it reads the lines that begin with KEY, which hold nothing but words, parentheses and strings.
set -eu
cd "$(dirname "$0")"

awk '
# Splits what stands between the parentheses of an entry into part[1..]; strings that stand side by side become one.
function split_entry(text, i, c, quoted, depth, n) {
    for (n in part) delete part[n]
    n = 1; part[1] = ""
    for (i = index(text, "(") + 1; i < length(text); i++) {
        c = substr(text, i, 1)
        if (c == "\"") { quoted = !quoted; continue }
        if (!quoted && c == "(") depth++
        if (!quoted && c == ")") depth--
        if (!quoted && depth == 0 && c == ",") { part[++n] = ""; continue }
        if (quoted || c != " ") part[n] = part[n] c
    }
    return n
}

# What the last column says: nothing for a key that is required.
function shown(presence) {
    if (presence == "REQUIRED") return ""
    if (presence == "OPTIONAL") return "-"
    if (presence ~ /^DEFAULT\(/) return "`" substr(presence, 9, length(presence) - 9) "`"
    if (presence ~ /^ELSE\(/) return substr(presence, 6, length(presence) - 6)
    fail("what is " presence "?")
}

function fail(why) { print "page.sh: " why > "/dev/stderr"; failed = 1; exit 1 }

FILENAME == "spec.def" {
    if (/^KEY(_AT|_NAMED)?\(/) entry = ""
    else if (entry == "") next
    entry = entry $0
    if (!/\)$/) next
    n = split_entry(entry)
    presence = entry ~ /^KEY_AT/ && part[5] != "ABSENT" ? part[5] : part[n - 1]
    text = part[n]
    gsub(/\|/, "\\|", text)
    cell = shown(presence)
    rows[part[1]] = rows[part[1]] "| `" part[2] "` | " text " | " cell (cell == "" ? "|" : " |") "\n"
    entry = ""
    next
}

/^<!-- keys of / {
    struct = $4
    if (!(struct in rows)) fail("spec.def has no " struct)
    print
    getline; print
    printf "|---|---|---|\n%s", rows[struct]
    delete rows[struct]
    inside = 1
}
/^<!-- end -->$/ { inside = 0 }
!inside
END {
    if (failed) exit 1
    for (struct in rows) fail("SPEC.md has no table of " struct)
}' spec.def SPEC.md
