# SPDX-License-Identifier: MIT
#
# Reads what run.sh measured; prints the tables, writes JSON and a picture.
#   time CASE WHO MEDIAN Q1 Q3             nanoseconds a call
#   count CASE WHO INSTRUCTIONS VERBS      a call; WHO may be bare: the compiled function alone
#   size CASE WHO C TEXT SECONDS           bytes of C (or of the loop's tables), bytes of text and constants, seconds of compiler
# `own` is what a contestant does itself: all but the bare call and the verbs that make or change something, which all three
# call alike.
BEGIN { split("generated loop floor", who, " "); split("#3b6ea5 #c08a3e #b0b7bf", colour, " ") }
$1 == "time" { see($2); median[$2, $3] = $4; low[$2, $3] = $5; high[$2, $3] = $6 }
$1 == "count" { see($2); count[$2, $3] = $4; verbs[$2, $3] = $5; counted = 1 }
$1 == "size" { see($2); bytes[$2, $3] = $4; text[$2, $3] = $5; seconds[$2, $3] = $6 }
function see(name) { if (!(name in seen)) { seen[name] = 1; order[n++] = name } }
function ratio(a, b) { return b > 0 ? sprintf("%.2f", a / b) : "-" }
function own(c, w) { return count[c, w] - count[c, "bare"] - verbs[c, w] }
function time_cell(c, w) { return sprintf("%9.1f (%8.1f-%8.1f)", median[c, w], low[c, w], high[c, w]) }

function table(    i, c) {
    printf "\n%-21s %-29s %-29s %-29s %7s %7s  %s\n", "a call", "generated, ns (quartiles)", "loop", "floor", "g/floor", "g/loop",
        counted ? "own instructions g / loop / floor  g/floor  g/loop   verbs" : "(no valgrind: no instructions)"
    for (i = 0; i < n; i++) {
        c = order[i]
        printf "%-21s %s %s %s %7s %7s", c, time_cell(c, "generated"), time_cell(c, "loop"), time_cell(c, "floor"),
            ratio(median[c, "generated"], median[c, "floor"]), ratio(median[c, "generated"], median[c, "loop"])
        if (counted)
            printf "  %13d /%7d /%7d %8s %7s %7d", own(c, "generated"), own(c, "loop"), own(c, "floor"),
                ratio(own(c, "generated"), own(c, "floor")), ratio(own(c, "generated"), own(c, "loop")), verbs[c, "generated"]
        print ""
    }
    printf "\n%-21s %12s %12s %12s %12s %12s %12s %12s\n", "to build", "C", "tables", "text", "tables' text", "compiler s", "tables s", "s per MB C"
    for (i = 0; i < n; i++) {
        c = order[i]
        printf "%-21s %12d %12d %12d %12d %12.2f %12.2f %12s\n", c, bytes[c, "generated"], bytes[c, "loop"], text[c, "generated"],
            text[c, "loop"], seconds[c, "generated"], seconds[c, "loop"], ratio(seconds[c, "generated"] * 1e6, bytes[c, "generated"])
    }
}

function write_json(    i, w, c) {
    printf "[" >json
    for (i = 0; i < n; i++) {
        c = order[i]
        for (w = 1; w <= 3; w++) {
            printf "%s\n{\"case\":\"%s\",\"who\":\"%s\",\"median_ns\":%s,\"q1_ns\":%s,\"q3_ns\":%s", (i + w > 1 ? "," : ""), c, who[w],
                median[c, who[w]], low[c, who[w]], high[c, who[w]] >json
            if (counted)
                printf ",\"instructions\":%s,\"own_instructions\":%s,\"verb_instructions\":%s", count[c, who[w]], own(c, who[w]),
                    verbs[c, who[w]] >json
            if ((c, who[w]) in bytes)
                printf ",\"source_bytes\":%s,\"text_bytes\":%s,\"compiler_seconds\":%s", bytes[c, who[w]], text[c, who[w]],
                    seconds[c, who[w]] >json
            printf "}" >json
        }
    }
    print "\n]" >json
}

# A bar each, as a multiple of the floor's; cut at 4.
function bars(x, y, c, w, value, floor, unit,    r) {
    r = floor > 0 ? value / floor : 1
    printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"11\" fill=\"%s\"/>", x, y + 13 * (w - 1), 60 * (r > 4 ? 4 : r), colour[w] >svg
    printf "<text x=\"%.1f\" y=\"%d\">%.2f (%s)</text>\n", x + 6 + 60 * (r > 4 ? 4 : r), y + 10 + 13 * (w - 1), r, sprintf(unit, value) >svg
}
function write_svg(    i, w, c, y) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"960\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", 46 * n + 50 >svg
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>" >svg
    print "<text x=\"8\" y=\"18\">One call as a multiple of the wrapper written by hand: generated (blue), loop (brown), by hand (grey)</text>" >svg
    print "<text x=\"170\" y=\"38\" font-weight=\"bold\">time</text><text x=\"560\" y=\"38\" font-weight=\"bold\">own instructions</text>" >svg
    y = 46
    for (i = 0; i < n; i++) {
        c = order[i]
        printf "<text x=\"8\" y=\"%d\">%s</text>", y + 22, c >svg
        for (w = 1; w <= 3; w++) {
            bars(170, y, c, w, median[c, who[w]], median[c, "floor"], "%.1f ns")
            if (counted)
                bars(560, y, c, w, own(c, who[w]), own(c, "floor"), "%d")
        }
        y += 46
    }
    print "</svg>" >svg
}
END { table(); write_json(); write_svg() }
