# SPDX-License-Identifier: MIT
# --depfile: what GNU Make reads back from it is what was read, whatever the names are.
run --in graph.yaml --out a.c --depfile a.d
exits 0 'a depfile'
check "$case: target and input" sh -c 'printf "a.c: \\\\\n  graph.yaml\n" | cmp - a.d'

run --in graph.yaml --out a.c --depfile a.d --deptarget obj/a.o
check "$case: --deptarget" grep -q '^obj/a.o:' a.d
"$WRAPGEN" --in - --out a.c --depfile a.d <graph.yaml
check "$case: standard input is not a file" sh -c 'echo a.c: | cmp - a.d'

# Make itself says what it understands: the rule that it finds prints its target and its first prerequisite.
cat >makefile <<'MAKE'
include a.d
export target = $@
export first = $<
%.o:
	@printf '%s\n' "$$target" "$$first"
MAKE
as_make_reads() { # NAME: of the input and, with .o, of the target
    cp graph.yaml "$1"
    rm -f a.d
    "$WRAPGEN" --in "$1" --out a.c --depfile a.d --deptarget "$1.o" || return 1
    printf '%s\n' "$1.o" "$1" >expected
    make -rRs "$1.o" >found 2>&1
    cmp found expected || { cat a.d found; false; }
}
for name in 'plain.yaml' 'two words.yaml' 'hash#tag.yaml' 'a$b.yaml' 'back\slash.yaml' 'back\ space.yaml' 'back\#hash.yaml' \
    'back\\ space.yaml' 'colon:.yaml' 'back\:colon.yaml'; do
    check "$case: Make reads '$name'" as_make_reads "$name"
done
cp graph.yaml 'end\'
refuses 'cannot hold a file name that ends in a backslash' --in 'end\' --out b.c --depfile a.d
line='line
break.yaml'
cp graph.yaml "$line"
refuses 'cannot hold a file name with a line break' --in "$line" --out b.c --depfile a.d

# a host description and templates are listed too
mkdir -p folder/templates
"$WRAPGEN" --print-host native >folder/own.yaml
"$WRAPGEN" --print-templates all
cp all/banner.mustache folder/templates/banner.mustache
run --in graph.yaml --out b.c --depfile b.d --host folder/own.yaml --templates folder/templates
exits 0 'with a host and a template of its own'
for file in graph.yaml folder/own.yaml folder/templates/banner.mustache; do
    check "$case: lists $file" grep -q "  $file" b.d
done
