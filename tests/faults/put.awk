# Puts `with` in place of the tag {{key}} or {{{key}}} wherever a template reads it; `@` in it is the tag. One that begins with &
# takes the place of an address. What a template writes to, and sections, stay.
function is_read(before, after) {
    if (substr(with, 1, 1) == "&") {
        return before ~ /&$/ && before !~ /&&$/
    }
    return (before !~ /&$/ || before ~ /&&$/) && after !~ /^ = / && after !~ /^ \|= /
}
{
    out = ""
    rest = $0
    while (match(rest, "[{][{][{]?" key "[}][}][}]?")) {
        tag = substr(rest, RSTART, RLENGTH)
        before = out substr(rest, 1, RSTART - 1)
        after = substr(rest, RSTART + RLENGTH)
        text = with
        if (!is_read(before, after)) {
            text = "@"
        } else if (substr(with, 1, 1) == "&") {
            before = substr(before, 1, length(before) - 1)
        }
        sub(/@/, tag, text)
        out = before text
        rest = after
    }
    print out rest
}
