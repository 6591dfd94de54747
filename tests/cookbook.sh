#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Plays the recipes of examples/README.md in an empty folder: their files are accepted, and the tool says what the page says.
. "$(dirname "$0")/lib.sh"

mkdir "$scratch/bin" "$scratch/kitchen"
ln -s "$WRAPGEN" "$scratch/bin/wrapgen"
PATH=$scratch/bin:$PATH
export PATH
cd "$scratch/kitchen" || exit 1
sh "$root/tests/install/tutorial.sh" "$root/examples/README.md" >played
sed '/ passed, /d' played
passed=$(grep -c '^ok' played)
failed=$(grep -c '^not ok' played)
check 'there are recipes' test "$passed" -gt 6
grep -oE '`examples/[a-z_]*`' "$root/examples/README.md" | tr -d '`' | sort -u | while read -r folder; do
    [ -d "$root/$folder" ] || echo "$folder"
done >absent
version=$(wrapgen --version | sed -n 's/^wrapgen \([0-9.]*[0-9]\).*/\1/p' | head -n 1)
check 'the changelog begins with the version of the tool' sh -c '[ "$1" = "$(sed -n "s/^## \([0-9.]*[0-9]\).*/\1/p" "$2" | head -n 1)" ]' sh "$version" "$root/.github/CHANGELOG.md"
check 'every example that it names is there' test ! -s absent
finish
