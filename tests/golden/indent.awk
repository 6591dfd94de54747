# SPDX-License-Identifier: MIT
#
# indent.awk FILE... - prints the lines of generated C whose indent is not four times the depth of braces: text that one template puts
# into another must be indented as the text around it. Labels, lines that continue a statement, and those of the preprocessor and of
# long comments may have any indent. The braces of a `case` and of extern "C" add nothing.
FNR == 1 { depth = level = parentheses = goes_on = commented = 0 }
{
    text = $0
    sub(/^ +/, "", text)
    indent = length($0) - length(text)
    gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
    gsub(/\/\*.*\*\//, "", text)
    gsub(/'[^']'/, "", text)
    sub(/ +$/, "", text)
}
commented { commented = text !~ /\*\//; next }
text ~ /^\/\*/ { commented = 1; next }
text == "" || text ~ /^#/ { next }
{
    is_case = text ~ /^(case .*|default):/
    is_flat = is_case || text ~ /^extern "" {$/
    expected = depth
    if (text ~ /^}/)
        expected -= kinds[level] != "extern"
    if (!goes_on && !is_case && text !~ /^[a-z_]+:$/ && text !~ /^(\|\||&&)/ && indent != 4 * expected)
        printf "%s:%d: %d columns, not %d: %s\n", FILENAME, FNR, indent, 4 * expected, $0
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "{") {
            kinds[++level] = is_case ? "case" : is_flat ? "extern" : "block"
            depth += !is_flat
        } else if (c == "}" && level > 0)
            depth -= kinds[level--] == "block"
        else if (c == "(" || c == ")")
            parentheses += c == "(" ? 1 : -1
    }
    goes_on = text !~ /[;{}:,]$/ || parentheses > 0
}
