# SPDX-License-Identifier: MIT
# --print-manual and --print-completions: every option, warning and limit of --help is in each; tests/install tries them in
# man and in the shells.
run --help
grep -oE '^  (-[a-zA-Z], )?-[-A-Za-z]+' "$scratch/stdout" | sed 's/.*[ ]//; s/^-*//; s/[A-Z]*$//' | grep -vx W >names
sed -n '/^Warnings:/,/^Exit/s/^  \([a-z-]*\) .*/\1/p' "$scratch/stdout" >>names
check "$case: there are options" test "$(wc -l <names)" -gt 35
for page in --print-manual '--print-completions bash' '--print-completions zsh' '--print-completions fish'; do
    # shellcheck disable=SC2086 # words
    run $page
    exits 0 "$page"
    sed 's/\\-/-/g' "$scratch/stdout" >page
    while read -r name; do
        check "$case: $page has $name" grep -qe "$name" page
    done <names
done
refuses "'--print-completions' takes bash|zsh|fish, not 'csh'" --print-completions csh
refuses "'--print-completions' needs its bash|zsh|fish" --print-completions
