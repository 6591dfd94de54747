# SPDX-License-Identifier: MIT
# A file without graphs and kernels is one, and all that is made of it compiles.
printf 'wrapgen: 1\ngraphs: []\n' >empty.yaml
run empty.yaml --out a.c --header a.h --emit-selftest self.c --emit-contract a.json
exits 0 'nothing to generate'
silent 'nothing to say'
check "$case: the source compiles" "$CC" -std=c11 -Wall -Wextra -I"$root/templates/core" -I"$root/templates/hosts/native" -I. -c -o a.o a.c
# shellcheck disable=SC2086 # flags
check "$case: the self-test compiles, and passes" sh -c '$1 -std=c11 $2 -w -O0 -I"$3" -I"$4" -I"$5" -I. -o self self.c "$3"/*.c "$4"/*.c && ./self' sh "$CC" "${EXTRA-}" \
    "$root/templates/core" "$selftest_library" "$root/templates/hosts/native"
run empty.yaml --print-host-skeleton host
exits 0 'a host for it'
check "$case: has one verb" grep -q '^  - wg_empty_strided$' host/host.yaml
