# SPDX-License-Identifier: MIT
# --help and --version: on standard output, exit code 0; every option is in the help.
run --help
exits 0 '--help'
for option in 'init [DIR]' --cmake --amalgamate --in --out --header --emit-contract --emit-limits --emit-selftest --emit-proof --host --prefix --templates --check --depfile --deptarget --list-outputs --split --dump --size-report \
    --print-schema --print-host-schema --explain --print-host --print-host-skeleton --print-templates --print-manual --print-completions --diagnostics --color --version --help -h -i -o -W -Werror -Wno- \
    unused-template host-program host-no-effect; do
    prints "$option"
done
cp "$scratch/stdout" help.txt
run -h
exits 0 '-h'
check "$case: -h is --help" cmp "$scratch/stdout" help.txt
longest=$(awk 'length > n { n = length } END { print n }' "$scratch/stdout")
check "$case: lines fit a terminal" test "$longest" -le 100
run --version
exits 0 '--version'
check "$case: one line" sh -c 'grep -Ecx "wrapgen [0-9]+\.[0-9]+\.[0-9]+" "$1" | grep -qx 1' sh "$scratch/stdout"
check "$case: nothing else" test ! -s "$scratch/stderr"
