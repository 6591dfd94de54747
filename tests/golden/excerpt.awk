# SPDX-License-Identifier: MIT
#
# excerpt.awk SHOWN SOURCE - the parts of a generated source that a golden case shows. SHOWN has a line for each function,
#
#     NAME                  the whole function, or a table
#     NAME: SECTION...      those sections of it: from a comment `SECTION: PATH` to the next one; `fail` is what follows the
#                           label where failures go
#
# and a name that the source lacks is an error.
FNR == NR {
    name = $1
    sub(/:$/, "", name)
    shown[name] = $0 ~ /:/ ? " " substr($0, index($0, ":") + 1) " " : " * "
    next
}

/^[a-z].*(\)|= \{)$/ { # the head of a definition
    name = $0
    sub(/ = \{$|\)$/, "", name)
    sub(/\[[^\]]*\]$|\([^()]*$/, "", name)
    sub(/.*[ *]/, "", name)
    wanted = name in shown ? shown[name] : ""
    if (wanted != "") {
        print (found++ ? "\n" : "") $0
        seen[name] = 1
    }
    inside = section = wanted == " * "
    next
}

wanted == "" { next }
wanted == " * " { print }
/^};?$/ {
    if (wanted != " * ") print "}"
    wanted = ""
    next
}
wanted == " * " { next }

/^    \/\* [a-z_]+: .* \*\/$/ || /^(fail|other):$/ {
    heading = $1 == "/*" ? $2 : $1
    sub(/:$/, "", heading)
    section = index(wanted, " " heading " ") > 0
    if (section) {
        print ""
        met[name, heading] = 1
    }
}
section { print }

END {
    for (name in shown) {
        if (!(name in seen)) {
            print "there is no function " name >"/dev/stderr"
            failed = 1
        }
        num = split(shown[name], headings, " ")
        for (i = 1; i <= num; i++) {
            if (name in seen && headings[i] != "*" && !((name, headings[i]) in met)) {
                print name " has no section " headings[i] >"/dev/stderr"
                failed = 1
            }
        }
    }
    exit failed
}
