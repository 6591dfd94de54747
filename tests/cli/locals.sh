# SPDX-License-Identifier: MIT
# A symbol of the YAML that is called like a local of the generated function that uses it is refused, or does no harm.
strict='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wmissing-prototypes -Werror -fsyntax-only'

locals_of() { # FILE: what is declared inside functions, and their parameters
    {
        sed -nE 's/^ +(static )?(const )?[A-Za-z_0-9]+ \**(const )?([a-z_][a-z_0-9]*)(\[.*)?( =.*|;)$/\4/p' "$1" |
            grep -vxE 'return|goto|break'
        sed -nE 's/^[a-z].*\((.*)\)[;]?$/\1/p' "$1" | tr ',' '\n' | sed -nE 's/.*[ *]([a-z_][a-z_0-9]*)$/\1/p' | grep -vx void
    } | sort -u
}

. "$root/tests/golden/generate.sh"

# Each golden case, and the symbol in it that is renamed: a compiled function, a context, a variant, a type.
while read -r golden symbol; do
    num_tried=0
    num_compiled=0
    : >"$scratch/harmed"
    mkdir -p "$scratch/golden"
    golden_generate "$golden" "$scratch/golden" >/dev/null 2>&1
    for name in $(locals_of "$scratch/golden/wrappers.c"); do
        sed "s/\\b$symbol\\b/$name/g" "$root/tests/golden/$golden/graph.yaml" >renamed.yaml
        run --in renamed.yaml --out renamed.c -Wno-overlap -Wno-uncovered
        num_tried=$((num_tried + 1))
        [ "$status" -ne 2 ] || continue
        num_compiled=$((num_compiled + 1))
        # shellcheck disable=SC2086 # a list of flags
        [ "$status" -eq 0 ] &&
            $CC $strict -I"$root/templates/core" -I"$root/templates/hosts/native" renamed.c >>"$scratch/harmed" 2>&1 ||
            echo "harmed by $name" >>"$scratch/harmed"
    done
    if [ -s "$scratch/harmed" ] || [ $num_tried -lt 8 ]; then
        grep "^harmed" "$scratch/harmed" >"$scratch/names"; not_ok "$case: $symbol of $golden" "$scratch/names" "$scratch/harmed"
    else
        ok "$case: $symbol of $golden ($num_tried names, $num_compiled of them taken)"
    fi
done <<'CASES'
rng_and_subclass block_kernel
rng_and_subclass block_bw_kernel
rng_and_subclass y_ctx
put_symint TwoTensor
dispatch_chain matmul_16
dispatch_wrapper scale_kernel
dispatch_wrapper scale_any
many_mutated step_kernel
CASES
