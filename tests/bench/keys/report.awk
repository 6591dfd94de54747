# SPDX-License-Identifier: MIT
#
# report.awk -v unit=ns|instructions -v json=FILE -v svg=FILE - reads "key RANK TENSORS CONTESTANT FIGURE", the contestants of a
# case in their order (keys.c); prints the table, writes JSON and a picture. The first contestant is the floor.
BEGIN { num_names = split("floor static static+hash static_last static_next static_found static_loop dynamic dynamic+hash dynamic_last dynamic_next dynamic_found dynamic_loop", names, " ") }
$1 == "key" {
    c = $2 " " $3
    if (!(c in seen)) { seen[c] = 1; order[n++] = c; rank[c] = $2; tensors[c] = $3 }
    figure[c, $4] = $5
}

function ratio(c, i) { return figure[c, i] / (figure[c, 0] > 0 ? figure[c, 0] : 1) }

function table(    o, i, c) {
    printf "%4s %7s %7s | %8s %8s %8s %8s %8s %8s | %8s %8s %8s %8s %8s %8s   (%s; times the floor)\n", "rank", "tensors", "floor", "static",
        "+hash", "last", "next", "found", "loop", "dynamic", "+hash", "last", "next", "found", "loop", unit
    for (o = 0; o < n; o++) {
        c = order[o]
        printf "%4d %7d %7.1f", rank[c], tensors[c], figure[c, 0]
        for (i = 1; i < num_names; i++)
            printf "%s %8.1f", i % 6 == 1 ? " |" : "", figure[c, i]
        printf "\n%20s", ""
        for (i = 1; i < num_names; i++)
            printf "%s %7.2fx", i % 6 == 1 ? " |" : "", ratio(c, i)
        print ""
    }
}

function write_json(    o, i, c) {
    printf "[" >json
    for (o = 0; o < n; o++)
        for (i = 0; i < num_names; i++) {
            c = order[o]
            printf "%s\n{\"rank\":%d,\"tensors\":%d,\"who\":\"%s\",\"unit\":\"%s\",\"figure\":%s,\"ratio\":%.3f}", o + i ? "," : "",
                rank[c], tensors[c], names[i + 1], unit, figure[c, i], ratio(c, i) >json
        }
    print "\n]" >json
}

# A bar each, as a multiple of the floor; cut at 12.
function write_svg(    o, i, c, y, wide) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", n * (15 * num_names + 12) + 40 >svg
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>" >svg
    printf "<text x=\"8\" y=\"18\">A key as a multiple of reading the metadata once (%s)</text>\n", unit >svg
    y = 30
    for (o = 0; o < n; o++) {
        c = order[o]
        for (i = 0; i < num_names; i++) {
            wide = 30 * (ratio(c, i) > 12 ? 12 : ratio(c, i))
            printf "<text x=\"8\" y=\"%d\">%s</text><text x=\"130\" y=\"%d\">%s</text>", y + 11, i ? "" : tensors[c] " of rank " rank[c], y + 11, names[i + 1] >svg
            printf "<rect x=\"230\" y=\"%d\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>", y, wide,
                i == 0 ? "#b0b7bf" : i % 6 == 0 ? "#c08a3e" : "#3b6ea5" >svg
            printf "<text x=\"%.1f\" y=\"%d\">%.2f (%.1f)</text>\n", 236 + wide, y + 11, ratio(c, i), figure[c, i] >svg
            y += 15
        }
        y += 12
    }
    print "</svg>" >svg
}

END {
    table()
    write_json()
    write_svg()
}
