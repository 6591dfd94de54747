# SPDX-License-Identifier: MIT
# What is built in, and the intermediate forms.
run --print-host native
exits 0 '--print-host'
check "$case: the description of the tree" cmp "$scratch/stdout" "$root/templates/hosts/native/host.yaml"
refuses "no built-in host 'nativ'; did you mean 'native'?" --print-host nativ
refuses "no built-in host 'elsewhere'; there is: native" --print-host elsewhere

run --print-templates a/b
exits 0 '--print-templates'
(cd "$root/templates" && find . -type f ! -name '.*' | sort) >expected
(cd a/b && find . -type f | sort) >found
check "$case: all files" cmp expected found
check "$case: with their bytes" sh -c 'while read -r file; do cmp "$1/$file" "a/b/$file" || exit 1; done <expected' sh "$root/templates"
touch -d '2001-02-03 04:05:06' a/b/banner.mustache
stat -c '%y' a/b/banner.mustache >before
run --print-templates a/b
exits 0 'once more over the same'
stat -c '%y' a/b/banner.mustache >after
check "$case: identical files are left alone" cmp before after
echo mine >>a/b/banner.mustache
cp a/b/banner.mustache mine
rm a/b/header.mustache
run --print-templates a/b
exits 2 'over a file that differs'
says 'a/b/banner.mustache'
check "$case: that file is left as it is" cmp mine a/b/banner.mustache
check "$case: and nothing else is written either" test ! -e a/b/header.mustache
: >file
run --print-templates file/below
exits 3 'below something that is no folder'

run --print-schema
exits 0 '--print-schema'
check "$case: the schema of the tree" cmp "$scratch/stdout" "$root/schema/graph.schema.json"

run --in graph.yaml --dump plan
exits 0 '--dump plan'
prints 'block'
run --in graph.yaml --dump view --out a.c
exits 0 '--dump view'
prints 'block'
check "$case: a dump writes no output" test ! -e a.c

run --list-outputs --in graph.yaml --out folder/a.c --header folder/a.h
exits 0 '--list-outputs'
check "$case: the outputs, one a line" sh -c 'printf "folder/a.c\nfolder/a.h\n" | cmp - "$1"' sh "$scratch/stdout"
