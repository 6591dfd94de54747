#!/bin/sh
# SPDX-License-Identifier: MIT
#
# amalgamate.sh HEADER... - prints one header: those named, and the headers that they include, each once.
# amalgamate.sh HEADER... -- FILE... - prints one C file that includes wg_selftest.h, in which those headers stand.
#
# This makes the library of self-tests two files (templates/selftest/README.md). Headers that are shipped with it stay an
# #include. File-level names that two of the C files share get the file's name in front while that file lasts. A header
# that is made of a .def comes as the preprocessor ($CC) leaves it: a self-test has the members, not their table.
set -eu
LC_ALL=C
export LC_ALL

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -v scratch="$scratch" '
function base(path) { sub(/.*\//, "", path); return path }

# The name that a line at file level defines, or "".
function defined(line, name) {
    if (line ~ /^static [^=;]*\(/) {
        name = line; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); return name
    }
    if (line ~ /^static [^(=]* = /) {
        name = line; sub(/(\[.*)? = .*/, "", name); sub(/.*[ *]/, "", name); return name
    }
    if (line ~ /^enum \{ [A-Z_]+ = [^,]*\};$/) {
        name = line; sub(/^enum \{ /, "", name); sub(/ .*/, "", name); return name
    }
    if (line ~ /^} [A-Z][A-Za-z]*;$/) {
        name = line; gsub(/[}; ]/, "", name); return name
    }
    if (line ~ /^typedef [^({]*\(/) {
        name = line; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); return name
    }
    return ""
}

function find(path, from, folder) {
    folder = from; sub(/[^\/]*$/, "", folder)
    if ((getline line < (folder path)) >= 0) { close(folder path); return folder path }
    return ""
}

# Leaves the name of a file that has what FILE has, its tables of macros written out, its other #includes as they were.
function plain(file, line, folder, command, written) {
    while ((getline line < file) > 0) if (line ~ /^#include ".*\.def"/) folder = file
    close(file)
    if (folder == "" || !sub(/[^\/]*$/, ".", folder)) return file
    written = scratch "/" ++num_written
    command = "sed \"/^#include </s/^#/@/; /^#include .*[.]h/s/^#/@/\" " file " | ${CC:-cc} -E -P -x c -I " folder " - | sed \"s/^@/#/\" | cat -s >" written
    if (system(command) != 0 || (getline line < written) <= 0) { print file ": " command > "/dev/stderr"; exit 1 }
    close(written)
    return written
}

function expand(file, line, path, name, inside, source) {
    source = plain(file)
    while ((getline line < source) > 0) {
        if (line ~ /SPDX-License-Identifier/) continue
        if (line !~ /^#include "/) { if (!silent) print line; continue }
        path = line; sub(/^#include "/, "", path); sub(/".*/, "", path)
        name = base(path)
        if (name ~ /^wg_(core|copy|cpu|mock)\.h$/) { if (!(name in seen) && !silent) print "#include \"" name "\""; seen[name] = 1; continue }
        if (name in seen) continue
        seen[name] = 1
        inside = find(path, file)
        if (inside == "") { print file ": " path " is not there" > "/dev/stderr"; exit 1 }
        expand(inside)
    }
    close(source)
}

BEGIN {
    for (i = 1; i < ARGC; i++) {
        if (ARGV[i] !~ /\.c$/) continue
        while ((getline line < ARGV[i]) > 0) {
            name = defined(line)
            if (name != "" && !((i, name) in here)) { here[i, name] = 1; count[name]++; names[i] = names[i] " " name }
        }
        close(ARGV[i])
    }
    print "/* SPDX-License-Identifier: 0BSD */"
    for (last = 1; last < ARGC && ARGV[last] != "--"; last++) continue
    is_header = last == ARGC
    printf is_header ? "#ifndef WG_SELFTEST_H\n#define WG_SELFTEST_H\n\n" : "#include \"wg_selftest.h\"\n"
    silent = !is_header
    for (i = 1; i < last; i++) if (!(base(ARGV[i]) in seen)) { seen[base(ARGV[i])] = 1; expand(ARGV[i]) }
    if (is_header) { print "\n#endif"; exit }
    silent = 0
    for (i = last + 1; i < ARGC; i++) {
        part = base(ARGV[i]); sub(/\.[ch]$/, "", part)
        n = split(names[i], own, " ")
        printf "\n/* ======== %s ======== */\n\n", part
        for (k = 1; k <= n; k++) if (count[own[k]] > 1) print "#define " own[k] " " part "_" own[k]
        expand(ARGV[i])
        for (k = 1; k <= n; k++) if (count[own[k]] > 1) print "#undef " own[k]
    }
}' "$@"
