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
# Whatever character is in a name, and wherever: Make reads the name, or it is refused, and nothing is read as a command.
target_reads() { # NAME: as Make reads a target
    rm -f a.d
    "$WRAPGEN" --in graph.yaml --out a.c --depfile a.d --deptarget "$1.o" || return 1
    printf '%s\n' "$1.o" graph.yaml >expected
    make -rRs -- "$1.o" >found 2>&1
    cmp found expected || { cat a.d found; false; }
}
bare_reads() { # NAME: as Make reads a prerequisite that ends so
    cp graph.yaml "./$1" && rm -f a.d
    "$WRAPGEN" --in "$1" --out a.c --depfile a.d --deptarget t.o || { status=$?; rm "./$1"; return $status; }
    printf '%s\n' t.o "$1" >expected
    make -rRs t.o >found 2>&1
    cmp found expected || { cat a.d found; false; }
}
num_refused=0
num_read=0
: >misread
for c in '!' '"' '#' '$' '%' '&' "'" '(' ')' '*' '+' ',' '-' ':' ';' '<' '=' '>' '?' '@' '[' '\' ']' '^' '_' '`' '{' '|' '}' '~' ' ' "$(printf '\tx')"; do
    c=${c%x}
    for name in "${c}a" "a${c}b" "ab${c}" "a${c}${c}b" "a(b${c})" "a ${c} b" "\$(shell touch made)${c}"; do
        for reads in bare_reads target_reads; do
            [ "${name#-}" = "$name" ] || continue # an option
            if "$reads" "$name" >said 2>&1; then
                num_read=$((num_read + 1))
            elif grep -q 'error: a dependency file cannot hold a file name' said; then
                num_refused=$((num_refused + 1))
            else
                { echo "$reads '$name':" && cat said; } >>misread
            fi
        done
    done
done
check "$case: Make reads $num_read names of $((num_read + num_refused)), and the others are refused" sh -c '! grep . misread'
check "$case: some are read, and some refused" test "$num_read" -gt 100 -a "$num_refused" -gt 50
check "$case: none is a command" test ! -e made
for name in 'a;b' 'a=b' 'a|b' 'a%b' 'a*b' 'a?b' 'a[b]'; do
    cp graph.yaml "$name"
    refuses "cannot hold a file name with '$(echo "$name" | cut -c2)'" --in "$name" --out b.c --depfile a.d
    refuses "cannot hold a file name with '$(echo "$name" | cut -c2)'" --in graph.yaml --out b.c --depfile a.d --deptarget "$name"
    rm "$name"
done
refuses 'a target that is an order to make' --in graph.yaml --out b.c --depfile a.d --deptarget .PHONY
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
