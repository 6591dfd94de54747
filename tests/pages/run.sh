#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Pages of --show-html in a browser, headless Chromium: graphs with few and with 300 inputs, training, subclasses, dispatchers,
# in a wide and a narrow window, light and dark, and on paper. look.js measures what a person would see, and what a keyboard and a
# screen reader need. Then pages are broken in ways that it must notice. Screenshots are in $BUILD/pages, for people.
. "$(dirname "$0")/../lib.sh"
here=$root/tests/pages
shots=$BUILD/pages
browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ]; then
    not_ok 'there is a browser: sh .ci/setup.sh ci'
    finish
fi
mkdir -p "$shots"
cd "$scratch" || exit 1

# A graph with that many inputs: every third is written, and every tenth is returned as a view.
large() { # N
    echo 'wrapgen: 1'
    echo 'graphs:'
    echo '  - name: many'
    echo '    mode: inference'
    echo '    compiled: many_kernel'
    echo '    inputs:'
    for i in $(seq "$1"); do
        written=
        [ $((i % 3)) -ne 0 ] || written=', mutates_data: true'
        echo "      - {name: parameter_$i, dtype: float32, size: [4, $i], stride: [$i, 1]$written}"
    done
    echo "    outputs:$([ "$1" -ge 10 ] || echo ' []')"
    for i in $(seq 5 50 "$1"); do
        echo "      - {name: same_$i, type: is_input, base: parameter_$i}"
    done
    for i in $(seq 10 10 "$1"); do
        echo "      - {name: out_$i, type: alias_of_input, base: parameter_$i, size: [$i, 4], stride: [1, $i], view: [{op: t}]}"
    done
}

# A kernel with that many variants: beyond 64 they are hashed.
kernel() { # N
    printf 'wrapgen: 1\nkernels:\n  - name: tile\n    args: [{name: q, kind: tensor, ndim: 2}]\n    variants:\n'
    for i in $(seq "$1"); do
        echo "      - {symbol: tile_$i, when: [{arg: q, dtype: float16, size: [$((i / 10 + 16)), $((i % 10 + 32))]}]}"
    done
}

# Chromium as root wants no sandbox; pages are ours.
look() { # PAGE WIDTH SCHEME (0: dark, 1: light): what look.js says
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" --hide-scrollbars \
        --window-size="$2,900" --blink-settings="preferredColorScheme=$3" --dump-dom "file://$1" 2>"$scratch/browser" |
        sed -n 's:.*<title>\([^<]*\)</title>.*:\1:p' | head -n 1
}

measured() { # PAGE: a copy with look.js
    { cat "$1"; echo '<script>'; cat "$here/look.js"; echo '</script>'; } >"$1.measured.html"
    echo "$1.measured.html"
}

page() { # NAME YAML INPUTS-AND-OUTPUTS
    "$WRAPGEN" --show-html "$2" >"$scratch/$1.html" 2>"$scratch/said" || { not_ok "$1: a page" "$scratch/said"; return; }
    copy=$(measured "$scratch/$1.html")
    for width in 1280 420; do
        for scheme in 1 0; do
            said=$(look "$copy" $width $scheme)
            echo "$said" >"$scratch/said"
            case "$said" in
            *': good') ok "$1: $width wide, $([ $scheme = 1 ] && echo light || echo dark)" ;;
            *) not_ok "$1: $width wide, $([ $scheme = 1 ] && echo light || echo dark)" "$scratch/said" ;;
            esac
        done
    done
    # light WIDTH pictures boxes labels cells
    boxes=$(look "$copy" 1280 1 | cut -d' ' -f4)
    check "$1: $3 boxes at least, found $boxes" test "${boxes:-0}" -ge "$3"
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" --hide-scrollbars \
        --window-size=1280,2000 --screenshot="$shots/$1.png" "file://$scratch/$1.html" 2>"$scratch/browser"
    check "$1: a screenshot" test -s "$shots/$1.png"
}

# On paper, nothing is closed and nothing is cut off: each word of the tables and steps is in the text of the PDF.
printed() { # NAME
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" --no-pdf-header-footer \
        --print-to-pdf="$shots/$1.pdf" "file://$scratch/$1.html" 2>"$scratch/browser"
    pdftotext "$shots/$1.pdf" - | tr -cs 'A-Za-z0-9_' '\n' | sort -u >"$scratch/paper"
    sed -nE 's/^<(tr|pre|li|p)[ >].*/&/p' "$scratch/$1.html" | sed 's/<[^>]*>/ /g; s/&[a-z]*;/ /g' | tr -cs 'A-Za-z0-9_' '\n' |
        awk 'length > 2 && length < 16' | sort -u >"$scratch/words"
    [ "$(wc -l <"$scratch/words")" -gt 20 ] && comm -23 "$scratch/words" "$scratch/paper" >"$scratch/unprinted"
    cat "$scratch/unprinted"
    [ ! -s "$scratch/unprinted" ]
}

large 3 >three.yaml
large 300 >threehundred.yaml
page three three.yaml 4
page threehundred threehundred.yaml 331
large 3000 >threethousand.yaml
seconds=$(date +%s)
page threethousand threethousand.yaml 3301
check "3,000 inputs: made and looked at four times within two minutes" test $(($(date +%s) - seconds)) -le 120
check "3,000 inputs: 2 kB a line of the YAML at most" test "$(wc -c <threethousand.html)" -le $((2000 * $(wc -l <threethousand.yaml)))
page kv_cache "$root/examples/kv_cache/graph.yaml" 10
page training "$root/examples/linear_tanh/graph.yaml" 8
page subclass "$root/examples/block_quantised/graph.yaml" 8
page dispatcher "$root/examples/matmul_dispatch/graph.yaml" 4
kernel 3 >chain.yaml
kernel 60 >tree.yaml
kernel 100 >hash.yaml
page chain chain.yaml 0
page tree tree.yaml 0
page hash hash.yaml 0

for name in kv_cache training subclass dispatcher threehundred; do
    check "$name: all of it is printed" printed $name
done
filled() { # NAME: no sheet of it but the last has less than ten lines
    pdftotext -layout "$shots/$1.pdf" - | awk 'BEGIN { RS = "\f" } { n = gsub(/[^\n]+\n/, ""); lines[NR] = n }
        END { for (i = 1; i < NR - 1; i++) if (lines[i] < 10) { print "sheet " i " has " lines[i] " lines"; bad = 1 } exit bad || NR < 3 }'
}
check 'threehundred: no sheet of paper is left empty' filled threehundred

called() { # NAME YAML
    check "$1: a call for each variant" test "$(grep -c '<p class="example">' "$scratch/$1.html")" -eq "$(grep -c 'symbol: ' "$2")"
}
called dispatcher "$root/examples/matmul_dispatch/graph.yaml"
called chain chain.yaml
called tree tree.yaml
called hash hash.yaml

# Scheme and width arrive at the page at all.
copy=$(measured "$scratch/three.html")
check 'the browser is told the scheme' sh -c 'test "$1" != "$2"' sh "$(look "$copy" 1280 1 | cut -d' ' -f1)" "$(look "$copy" 1280 0 | cut -d' ' -f1)"

broken() { # NAME SED SCHEME [PAGE]: look.js notices
    page=${4:-kv_cache}
    sed "$2" "$scratch/$page.html" >"$scratch/broken.html"
    if cmp -s "$scratch/broken.html" "$scratch/$page.html"; then
        not_ok "$1: the script changes nothing"
        return
    fi
    said=$(look "$(measured "$scratch/broken.html")" 420 "$3")
    echo "$said" >"$scratch/said"
    case "$said" in
    *': good' | '') not_ok "noticed: $1" "$scratch/said" ;;
    *) ok "noticed: $1" ;;
    esac
}
broken 'a picture that does not scroll by itself' 's/overflow-x: auto/overflow-x: visible/' 1
broken 'a label next to its box' 's/<text x="125" y="56">/<text x="265" y="56">/' 1
broken 'a label that is longer than its box' 's/>pos</>a name that is much too long for its box</' 1
broken 'an arrow to nowhere' 's/ 350 18"/ 330 18"/' 1
broken 'a box outside of the picture' 's/viewBox="0 0 930 200"/viewBox="0 0 900 200"/' 1
broken 'dark text on dark paper' 's/--ink: #e6edf3/--ink: #30363d/' 0
broken 'pale text on white paper' 's/--soft: #59636e/--soft: #b0b8c0/' 1
broken 'pale conditions' 's/ul.tests {/ul.tests { color: #b0b8c0;/' 1 tree
broken 'conditions that do not wrap' 's/<ul class="tests">/<ul class="tests" style="white-space: nowrap">/' 1 dispatcher
broken 'a picture that no keyboard can scroll' 's/<div class="picture" tabindex="0"/<div class="picture"/' 1
broken 'a picture that is higher than the window' 's/max-height: 80vh/max-height: none/' 1 threehundred
broken 'a focus that does not show' 's/outline: 2px solid/outline: 0 none/' 1
broken 'rows without headers' 's/<th scope="row">/<th>/' 1
broken 'a page without a main part' 's/<main>//' 1
broken 'a heading that skips a level' 's/<h2>/<h4>/; s:</h2>:</h4>:' 1
broken 'a graph without a section' 's/<section aria-label="[^"]*">/<section>/' 1
broken 'something from elsewhere' 's:</style>:</style><link rel="stylesheet" href="elsewhere.css">:' 1
finish
