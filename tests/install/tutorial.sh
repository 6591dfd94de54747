#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tutorial.sh PAGE - plays a page in the current folder, with wrapgen installed: blocks after a line "`NAME`:" become files; each ```sh
# block is run, and what it prints on both streams must be the ```text block after it, if there is one before the next command. A line
# "..." in it matches any number of lines. Prints a test for each command.
set -u
page=$1
number=0
failed=0

# blocks/NN.sh and blocks/NN.text, in order.
rm -rf blocks
mkdir blocks || exit 1
awk '
    /^`[^`]+`:$/ { file = substr($0, 2, length($0) - 3); next }
    /^```sh$/ { target = sprintf("blocks/%02d.sh", ++n); next }
    /^```text$/ { target = sprintf("blocks/%02d.text", n); next }
    /^```./ { target = file; file = ""; next }
    /^```$/ { target = ""; next }
    target != "" { print >target }
' "$page"

expected() { # FILE PRINTED: the lines in order, and none between them but where "..." stands
    awk 'NR == FNR { line[++n] = $0; next } { printed[++m] = $0 }
        END {
            any = 0
            at = 1
            for (i = 1; i <= n; i++) {
                if (line[i] == "...") { any = 1; continue }
                while (any && at <= m && printed[at] != line[i]) at++
                if (at > m || printed[at] != line[i]) { print "expected: " line[i]; exit 1 }
                at++
                any = 0
            }
            if (!any && at <= m) { print "not expected: " printed[at]; exit 1 }
        }' "$1" "$2"
}

for block in blocks/*.sh; do
    number=$((number + 1))
    name=$(head -n 1 "$block")
    if ! sh -e "$block" >printed 2>&1; then
        echo "not ok - $name"
        sed 's/^/#   /' printed
        failed=$((failed + 1))
    elif [ -f "${block%.sh}.text" ] && ! expected "${block%.sh}.text" printed >why; then
        echo "not ok - $name: prints something else"
        sed 's/^/#   /' why printed
        failed=$((failed + 1))
    else
        echo "ok - $name"
    fi
done
echo "$((number - failed)) passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
