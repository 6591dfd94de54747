# SPDX-License-Identifier: MIT
# --templates: per file, explicit, with an own template's mistakes at their place.
run --in graph.yaml --out a.c --header a.h
mkdir empty own
run --in graph.yaml --out b.c --header a.h --templates empty
exits 0 'an empty folder'
check "$case: changes nothing" cmp a.c b.c
run --print-templates all
run --in graph.yaml --out b.c --header a.h --templates all
check "$case: the printed templates give the same" cmp a.c b.c
{ cat all/banner.mustache && echo '/* mine */'; } >own/banner.mustache
run --in graph.yaml --out b.c --header a.h --templates own
exits 0 'one own file'
check "$case: it is used" grep -qx '/\* mine \*/' b.c
check "$case: the others are the built-in ones" sh -c 'grep -vx "/\* mine \*/" b.c | cmp - a.c'
(cd own && "$WRAPGEN" --in ../graph.yaml --out ../c.c --header ../a.h)
check "$case: nothing is looked for in the current folder" cmp a.c c.c
run --in graph.yaml --out c.c --templates missing
exits 3 'a folder that is not there'
run --in graph.yaml --out c.c --templates graph.yaml
exits 3 'a folder that is a file'

printf 'one\n  {{nothing_of_that_name}}\n' >own/banner.mustache
run --in graph.yaml --out d.c --templates own
exits 2 'a template with a missing name'
says 'own/banner.mustache:2:'
says 'nothing_of_that_name'
printf '{{#open}}\n' >own/banner.mustache
run --in graph.yaml --out d.c --templates own
exits 2 'a template that does not parse'
says 'own/banner.mustache:1:'
check "$case: nothing was written" test ! -e d.c
