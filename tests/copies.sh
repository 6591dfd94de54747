#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests copy the checkout with copy_checkout of lib.sh, which ends and copies the same wherever TMPDIR is: a copy that lies within what is
# copied would otherwise hold a copy of itself, and that one another.
. "$(dirname "$0")/lib.sh"

small=$scratch/small
mkdir -p "$small/tests" "$small/gen/deep" "$small/build" "$small/.git" "$small/outside"
cp "$root/tests/lib.sh" "$small/tests"
for file in Makefile gen/one.c 'gen/deep/two words.c' build/three.o .git/four .gitignore; do echo "$file" >"$small/$file"; done
cat >"$small/tests/copies.sh" <<'SH'
. "$(dirname "$0")/lib.sh"
echo busy >"$scratch/more"
copy_checkout "$scratch/copy" "$@" && cd "$scratch/copy" && find . -type f | sort
SH

copied() { # TMPDIR [PART...]
    folder=$1
    shift
    TMPDIR=$folder timeout 20 sh "$small/tests/copies.sh" "$@"
}

all='./.gitignore
./Makefile
./gen/deep/two words.c
./gen/one.c
./tests/copies.sh
./tests/lib.sh'
part='./Makefile
./gen/deep/two words.c
./gen/one.c'
mkdir "$scratch/elsewhere" "$small/within"
for folder in "$scratch/elsewhere" "$small/within" "$small" "$small/gen/deep"; do
    where=${folder#"$scratch"/}
    check "all is copied with TMPDIR=$where" test "$(copied "$folder")" = "$all"
    check "a part is copied with TMPDIR=$where" test "$(copied "$folder" Makefile gen)" = "$part"
done

# A copy that a test makes in another way need not end.
grep -rnE 'tar -?c|cp -[a-z]*[Rra][a-z]* ([^|&;]* )?"\$root"?(/[A-Za-z.]*)?"? ' "$root/tests" "$root/.ci" --include='*.sh' --include=run |
    grep -v '/tests/\(lib\|copies\)\.sh:' >"$scratch/others"
check 'no other test copies the checkout or a folder at its top' sh -c 'cat "$1"; test ! -s "$1"' sh "$scratch/others"
finish
