# Every operand of every op: op, effect (USE, DEF, OWN, END, AT), name, type; and the op itself: op OP - -.
/^OP\(/ { text = ""; inside = 1 }
inside { text = text " " $0 }
inside && /\)$/ {
    inside = 0
    match(text, /OP\([a-z_0-9]+/)
    op = substr(text, RSTART + 3, RLENGTH - 3)
    sub(/^[^"]*"[^"]*"/, "", text)
    has_body = text ~ /BODY/
    defines = text ~ /DEF\(/
    print op, (has_body ? "BODY" : defines ? "DEFINES" : "OP"), "-", "-"
    while (match(text, /(USE|DEF|OWN|END|AT)\([^)]*\)/)) {
        operand = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        split(operand, part, /[(,) ]+/)
        print op, part[1], part[2], (part[1] == "AT" ? "COUNT" : part[3])
    }
}
