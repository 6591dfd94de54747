# SPDX-License-Identifier: MIT
#
# Reads what gcov wrote. Prints "room ROOM LINES RUN" for each room of gen/, and "line FILE:NUMBER:TEXT @ BEFORE" for each line that no
# test ran, with the line before it, as a `return` looks like any other. A header's lines are in the files of all that include it, and count as run if any of them ran.
{
    count = substr($0, 1, index($0, ":") - 1)
    rest = substr($0, index($0, ":") + 1)
    number = substr(rest, 1, index(rest, ":") - 1) + 0
    text = substr(rest, index(rest, ":") + 1)
    gsub(/ /, "", count)
    if (number == 0) {
        if (text ~ /^Source:/) file = substr(text, 8)
        next
    }
    last = this
    this = text
    gsub(/^ +/, "", this)
    if (count == "-" || file !~ /^gen\// || file ~ /\.\./) next
    place = file ":" number
    texts[place] = text " @ " last
    ran[place] = ran[place] || count !~ /^[#=]/
}
END {
    for (place in texts) {
        room = place
        sub(/^gen\//, "", room)
        if (room !~ /\//) room = "gen.c"
        sub(/\/.*/, "", room)
        lines[room]++
        if (ran[place]) run[room]++
        else print "line " place ":" texts[place]
    }
    for (room in lines) print "room", room, lines[room], run[room] + 0
}
