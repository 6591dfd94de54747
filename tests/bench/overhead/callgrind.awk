# SPDX-License-Identifier: MIT
#
# awk -v calls=N -f callgrind.awk VERBS DUMP...: rows "count CASE WHO INSTRUCTIONS VERBS" a call. VERBS names the functions of
# the native host that make or change something, one a line: what is spent in them and below, when others call them, is told
# apart. (Callgrind's format: a function is "fn=(number) name", later just "fn=(number)"; a call is "cfn=", "calls=" and a line
# with its inclusive cost.)
function end_dump() {
    if (label != "")
        print "count", label, total / calls, verbs / calls
    label = ""
}
function named(text,    number) {
    number = text
    sub(/\).*/, ")", number)
    if (text ~ /\) /) {
        sub(/^[^)]*\) /, "", text)
        sub(/'[0-9]+$/, "", text)
        names[number] = text
    }
    return names[number]
}
NR == FNR { is_verb[$1] = 1; next }
FNR == 1 { end_dump(); delete names; total = verbs = 0 }
/^desc: Trigger: Client Request:/ { label = $5 " " $6 }
/^summary:/ { total = $2 }
/^fn=/ { caller = named(substr($0, 4)) }
/^cfn=/ { callee = named(substr($0, 5)) }
/^calls=/ { getline; if ((callee in is_verb) && !(caller in is_verb)) verbs += $2 }
END { end_dump() }
