# SPDX-License-Identifier: MIT
#
# Reads what run.sh measured; prints the table, writes JSON and a picture.
#   bytes KIND INPUTS SOURCE HEADER
#   seconds KIND INPUTS SECONDS ROUND      the least of the rounds counts
$1 == "bytes" {
    if (!($2 in seen)) { seen[$2] = 1; kinds[num_kinds++] = $2 }
    source[$2, $3] = $4; header[$2, $3] = $5
    few = few && few < $3 ? few : $3
    many = many > $3 ? many : $3
}
$1 == "seconds" { if (!(($2, $3) in least) || $4 < least[$2, $3]) least[$2, $3] = $4 }

# How much more an input costs in the larger graph; a compiler too fast for its clock counts as one tick.
function growth(k) { return (least[k, many] / many) / ((least[k, few] > 0.01 ? least[k, few] : 0.01) / few) }

function table(    i, k) {
    printf "\n%-10s %16s %16s %16s %16s %16s %16s\n", "a graph", "C, bytes/input", "the rest*", "header/input",
        few " inputs, s", many " inputs, s", "an input, ratio"
    for (i = 0; i < num_kinds; i++) {
        k = kinds[i]
        printf "%-10s %16d %16d %16d %16.2f %16.2f %16.2f\n", k, source[k, many] / many,
            (source[k, many] - source[k, few]) / (many - few), header[k, many] / many, least[k, few], least[k, many], growth(k)
    }
    print "* what each input after the first " few " adds. The ratio: compiler seconds for an input, of " many " to of " few
}

function write_json(    i, s, k, n) {
    printf "[" >json
    for (i = 0; i < num_kinds; i++)
        for (s = 0; s < 2; s++) {
            k = kinds[i]
            n = s ? many : few
            printf "%s\n{\"case\":\"%s\",\"inputs\":%d,\"source_bytes\":%d,\"header_bytes\":%d,\"compiler_seconds\":%s,\"bytes_per_input\":%.1f,\"seconds_per_input\":%.6f,\"growth\":%.3f}",
                i + s ? "," : "", k, n, source[k, n], header[k, n], least[k, n], source[k, n] / n, least[k, n] / n, growth(k) >json
        }
    print "\n]" >json
}

# Two bars a kind: what an input costs in either graph, as a multiple of the smaller one's.
function write_svg(    i, s, k, y, ratio) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", 60 * num_kinds + 40 >svg
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>" >svg
    print "<text x=\"8\" y=\"20\">Compiler seconds for an input, as a multiple of the smaller graph's</text>" >svg
    y = 34
    for (i = 0; i < num_kinds; i++) {
        k = kinds[i]
        for (s = 0; s < 2; s++) {
            ratio = s ? growth(k) : 1
            printf "<text x=\"8\" y=\"%d\">%s</text><text x=\"90\" y=\"%d\">%d inputs</text>", y + 14, s ? "" : k, y + 14, s ? many : few >svg
            printf "<rect x=\"190\" y=\"%d\" width=\"%.1f\" height=\"18\" fill=\"%s\"/>", y, 200 * (ratio > 2 ? 2 : ratio), s ? "#3b6ea5" : "#b0b7bf" >svg
            printf "<text x=\"%.1f\" y=\"%d\">%.2f (%.2f s, %d bytes of C an input)</text>\n", 198 + 200 * (ratio > 2 ? 2 : ratio), y + 14,
                ratio, least[k, s ? many : few], source[k, s ? many : few] / (s ? many : few) >svg
            y += 22
        }
        y += 16
    }
    print "</svg>" >svg
}

END {
    table()
    write_json()
    write_svg()
}
