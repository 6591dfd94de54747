#!/bin/sh
# SPDX-License-Identifier: MIT
#
# picture.sh GRAPH.yaml - the first picture of its page (--show-html) as an SVG of its own, light or dark as the reader likes it.
# README.md shows that of examples/kv_cache:
#
#   sh examples/picture.sh examples/kv_cache/graph.yaml >examples/kv_cache/graph.svg
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
"${WRAPGEN:-$root/build/wrapgen}" --show-html "$1" | awk '
    /^<style>$/, /^<\/style>$/ { # its colours, and what is about pictures
        if ($0 !~ /^ /) kept = /^(<|:root|@media [^p]|svg)/ || (/^}/ && kept)
        if (kept) style = style $0 "\n"
    }
    /<defs>$/, /^<\/defs>/ { if ($0 !~ /<svg|<\/svg/) markers = markers $0 "\n" }
    /^<div class="picture"[^>]*><svg/ && !done {
        sub(/^<div class="picture"[^>]*><svg/, "<svg xmlns=\"http://www.w3.org/2000/svg\"")
        sub(/: the tables below say it in words/, "") # they are not in the picture
        printf "%s\n", $0
        printf "%s", style
        print "<style>:root { background: var(--paper); }</style>"
        print "<defs>"
        printf "%s", markers
        print "</defs>"
        inside = 1
        next
    }
    inside && /^<\/svg>/ { print "</svg>"; inside = 0; done = 1 }
    inside { print }
    END { exit !done } # a page without a picture is an error, not an empty file'
