# SPDX-License-Identifier: MIT
# How diagnostics are shown: text or JSON, colour, -W.
sed 's/float32/float33/' graph.yaml >bad.yaml
run --in bad.yaml --out a.c
exits 2 'a bad input'
says 'bad.yaml:8:'
check "$case: no colour in a file" sh -c '! grep -q "$(printf "\033")" "$1"' sh "$scratch/stderr"
run --in bad.yaml --out a.c --color always
check "$case: --color always" grep -q "$(printf '\033')" "$scratch/stderr"
run --in bad.yaml --out a.c --diagnostics json
exits 2 'as JSON'
check "$case: one object a line" sh -c '! grep -vq "^{.*}$" "$1" && test -s "$1"' sh "$scratch/stderr"
says '"line":8'
says '"code":"'
run --diagnostics json --nothing
says '"E_USAGE"'
run --nothing --diagnostics json
says '"E_USAGE"'
if command -v script >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1; then
    on_terminal() { # ENVIRONMENT...: what a terminal gets
        env TERM=xterm "$@" script -qec "$WRAPGEN --in bad.yaml --out a.c" /dev/null 2>&1 </dev/null
    }
    check "$case: colour on a terminal" sh -c 'printf %s "$1" | grep -q "$(printf "\033")"' sh "$(on_terminal A=b)"
    check "$case: NO_COLOR" sh -c '! printf %s "$1" | grep -q "$(printf "\033")"' sh "$(on_terminal NO_COLOR=1)"
    check "$case: a dumb terminal" sh -c '! printf %s "$1" | grep -q "$(printf "\033")"' sh "$(on_terminal TERM=dumb)"
fi
