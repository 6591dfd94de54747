# SPDX-License-Identifier: MIT
# --templates: per file, explicit, and mistakes in a user's template are shown where they are.
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
says '[E_TEMPLATE]'
printf '{{#open}}\n' >own/banner.mustache
run --in graph.yaml --out d.c --templates own
exits 2 'a template that does not parse'
says 'own/banner.mustache:1:'
check "$case: nothing was written" test ! -e d.c

# a file that nothing looks for is most likely a misspelt name
rm own/banner.mustache
mkdir own/op
cp all/op/copy_.mustache own/op/copi_.mustache
run --in graph.yaml --out e.c --header a.h --templates own
exits 0 'an unused template is a warning'
says "own/op/copi_.mustache: warning: no template with this name is used; did you mean 'op/copy_.mustache'? [W_UNUSED_TEMPLATE]"
check "$case: the output is the usual one" cmp a.c e.c
run --in graph.yaml --out e.c --header a.h --templates own -Wno-unused-template
exits 0 '-Wno-'
silent '-Wno- silences it'
run --in graph.yaml --out e.c --header a.h --templates own -Wno-unused-template -Wunused-template
says 'W_UNUSED_TEMPLATE'
for error in -Werror -Werror=unused-template; do
    run --in graph.yaml --out "f$error.c" --templates own $error
    exits 2 "$error"
    says ': error: no template with this name'
    check "$case: $error: nothing is written" test ! -e "f$error.c"
done
run --in graph.yaml --out e.c --header a.h --templates own -Werror -Wno-unused-template
exits 0 '-Werror does not bring back what is off'
cp all/op/copy_.mustache own/op/copy_.mustache
rm own/op/copi_.mustache
echo 'notes' >own/README
run --in graph.yaml --out e.c --header a.h --templates own
exits 0 'a template that this graph does not need, and a file that is none'
silent 'are nothing to warn of'

# a file of the user's own that an own template includes, a link that leads nowhere, a comment that names a verb of other hosts
echo '// {{{banner_name}}}, not wg_view_base(ctx), in "//"' >own/mine.mustache
{ cat all/banner.mustache && echo '{{>mine}}'; } >own/banner.mustache
ln -s nowhere own/gone.mustache
run --in graph.yaml --out e.c --header a.h --templates own
exits 0 'a partial that is not built in, and a link that leads nowhere'
silent 'are nothing to warn of'
check "$case: it is included" grep -qF '// graph.yaml, not wg_view_base(ctx), in "//"' e.c
echo 'wg_view_base(ctx)' >own/mine.mustache
run --in graph.yaml --out e.c --header a.h --templates own
exits 2 'a call of a verb that the host does not have'
says wg_view_base
rm own/gone.mustache own/mine.mustache own/banner.mustache
{ cat all/graph.mustache && printf '/* wg_view_base(ctx)'; } >own/graph.mustache
run --in graph.yaml --out e.c --header a.h --templates own
exits 0 'a comment that does not end'
rm own/graph.mustache
# with two braces only a token of C is written
cp graph.yaml 'a graph.yaml'
echo '/* {{banner_name}} */' >own/banner.mustache
run --in graph.yaml --out e.c --header a.h --templates own
exits 0 'a name that may be a token of C'
run --in 'a graph.yaml' --out e.c --header a.h --templates own
exits 2 'a name that is not a token of C'
says 'own/banner.mustache:1:'
rm own/banner.mustache

# graphs that share code: a user's own call never calls the function of the first graph for all of them
sed -n '1,2p' graph.yaml >alike.yaml
{ echo 'graphs:' && sed -n '4,$p' graph.yaml && sed -n '4,$p' graph.yaml | sed 's/block/other/'; } >>alike.yaml
for op in all/op/call_*.mustache; do
    sed 's/status = /status = \/* mine *\/ /' "$op" >"own/op/${op##*/}"
done
run --in alike.yaml --out h.c --header h.h --templates own -Wno-unused-template
exits 0 'own calls in shared code'
check "$case: they are used" grep -qF 'status = /* mine */ own->compiled(' h.c
check "$case: no function is called by name" sh -c '! grep -qE "(block|other)_kernel[(]ctx" h.c'
for op in own/op/call_*.mustache; do
    sed -i 's/{{{function}}}/{{function}}/' "$op"
done
run --in alike.yaml --out i.c --header h.h --templates own -Wno-unused-template
exits 0 'a call that takes a name or a member'
check "$case: it is the same" cmp h.c i.c
for op in own/op/call_*.mustache; do
    sed -i 's/{{function}}/{{effect}}/' "$op"
done
run --in alike.yaml --out j.c --header j.h --templates own -Wno-unused-template
exits 2 'a call with a name that is not there'
rm own/op/call_*.mustache

refuses "unknown warning 'unused-templates'; did you mean 'unused-template'?" --in graph.yaml --out g.c -Wno-unused-templates
refuses "unknown warning 'nothing'; --help lists them" --in graph.yaml --out g.c -Wnothing
refuses "unknown warning 'nothing'" --in graph.yaml --out g.c -Werror=nothing
refuses "unknown option '-W'" --in graph.yaml --out g.c -W
check "$case: every warning of the sources is one that -W knows" sh -c '
    grep -ohE "\"W_[A-Z_]+\"" "$1"/gen/*.c "$1"/gen/*/*.c | tr -d "\"" | sort -u >codes
    test -s codes && while read -r code; do grep -q "WARNING(${code#W_}," "$1/gen/gen.h" || exit 1; done <codes' sh "$root"
