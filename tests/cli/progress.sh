# SPDX-License-Identifier: MIT
# The line that shows how far a long run has come: on a terminal alone, after a second, and gone at the end.
{
    printf 'wrapgen: 1\ngraphs:\n'
    n=0
    while [ $n -lt 1200 ]; do
        echo "  - {name: g$n, mode: inference, compiled: kernel, inputs: [{name: x}], outputs: [{name: y, type: non_alias}]}"
        n=$((n + 1))
    done
} >models.yaml

# Reading the input takes the second, so that graphs are rendered after it, however fast the machine is.
cat >slow <<'end'
{ sleep 1.2 && cat models.yaml; } | "$WRAPGEN" - --out "$1" --header w.h --split 2
end
on_terminal() { # OUT TERM
    TERM=$2 script -qec "sh slow $1" /dev/null </dev/null >shown 2>&1
}
if command -v script >/dev/null 2>&1; then
    on_terminal w.c xterm
    check "$case: graphs are counted" grep -q 'wrapgen: [0-9,]* of 1,200 graphs' shown
    check "$case: the line is rewritten in place" sh -c 'tr -d "\r" <shown | wc -l | grep -qx 0'
    check "$case: and erased at the end" sh -c 'tail -c 4 shown | od -An -tx1 | grep -q "0d 1b 5b 4b"'
    check "$case: the sources are there" test -s w.1.c
    rm -f w.*
    TERM=xterm script -qec '"$WRAPGEN" graph.yaml --out w.c --header w.h' /dev/null </dev/null >shown 2>&1
    check "$case: nothing before a second has passed" sh -c '! grep -q " of " shown && test -s w.c'
    on_terminal w.c dumb
    check "$case: nothing on a terminal that cannot erase" test ! -s shown
    sed -i 's/ --split 2//' slow
    on_terminal - xterm
    check "$case: nothing amid a source that goes to the terminal" sh -c 'grep -q "^int32_t g7(" shown && ! grep -q "of 1,200" shown'
else
    skip "$case: the line" 'there is no script(1)'
fi
sh slow w.c 2>log
check "$case: nothing in a log" test ! -s log
check "$case: though the run was as long" test -s w.c
