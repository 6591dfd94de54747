# SPDX-License-Identifier: MIT
#
# Reads rows of run.sh; prints a table, writes JSON and a picture. A group's first contestant is what the others are compared
# with.
function size(bytes) { return bytes >= 1e6 ? sprintf("%.1f MB", bytes / 1e6) : sprintf("%.0f kB", bytes / 1e3) }

$2 == "bytes" { input[$1] = $3; output[$1] = $4; next }
{
    if (!($1 in first)) { order[groups++] = $1; first[$1] = $2 }
    name[$1, count[$1]++] = $2
    median[$1, $2] = $3; low[$1, $2] = $4; high[$1, $2] = $5; peak[$1, $2] = $6
}

function label(group) { return group == "start" ? "one graph" : size(input[group]) }

function table(    g, i, n, group) {
    printf "\n%-10s %-9s %12s %23s %8s %12s %10s\n", "input", "who", "median ms", "quartiles", "ratio", "peak KiB", "KiB/KiB*"
    for (g = 0; g < groups; g++) {
        group = order[g]
        for (i = 0; i < count[group]; i++) {
            n = name[group, i]
            printf "%-10s %-9s %12.3f %11.3f %11.3f %8.2f %12d", i ? "" : label(group), n, median[group, n], low[group, n],
                high[group, n], median[group, n] / median[group, first[group]], peak[group, n]
            if (group in input)
                printf " %10.2f", peak[group, n] * 1024 / (n == "wrapgen" ? input[group] + output[group] : input[group])
            printf "\n"
        }
    }
    print "* peak of resident memory by bytes read and written"
}

function write_json(    g, i, n, group) {
    printf "[" >json
    for (g = 0; g < groups; g++) {
        group = order[g]
        for (i = 0; i < count[group]; i++) {
            n = name[group, i]
            printf "%s\n{\"group\":\"%s\",\"who\":\"%s\",\"median_ms\":%s,\"q1_ms\":%s,\"q3_ms\":%s,\"ratio\":%.3f,\"peak_kib\":%s,\"input_bytes\":%d,\"output_bytes\":%d}",
                g + i ? "," : "", group, n, median[group, n], low[group, n], high[group, n],
                median[group, n] / median[group, first[group]], peak[group, n], input[group], output[group] >json
        }
    }
    print "\n]" >json
}

# A bar per contestant: how long, as a multiple of the group's first.
function write_svg(    g, i, n, group, y, ratio, most) {
    for (g = 0; g < groups; g++)
        for (i = 0; i < count[order[g]]; i++) {
            ratio = median[order[g], name[order[g], i]] / median[order[g], first[order[g]]]
            most = ratio > most ? ratio : most
            y += 22
        }
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", y + 16 * groups + 20 >svg
    y = 10
    for (g = 0; g < groups; g++) {
        group = order[g]
        for (i = 0; i < count[group]; i++) {
            n = name[group, i]
            ratio = median[group, n] / median[group, first[group]]
            printf "<text x=\"8\" y=\"%d\">%s</text><text x=\"90\" y=\"%d\">%s</text>", y + 14, i ? "" : label(group), y + 14, n >svg
            printf "<rect x=\"170\" y=\"%d\" width=\"%.1f\" height=\"18\" fill=\"%s\"/>", y, 400 * ratio / most, i ? "#3b6ea5" : "#b0b7bf" >svg
            printf "<text x=\"%.1f\" y=\"%d\">%.2f (%.2f ms)</text>\n", 178 + 400 * ratio / most, y + 14, ratio, median[group, n] >svg
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
