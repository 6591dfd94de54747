# SPDX-License-Identifier: MIT
# --emit-limits: one header for all files of a run; its text is that of tests/limits.
cat >limits.yaml <<'YAML'
wrapgen: 1
prefix: demo_
graphs:
  - name: block
    mode: inference
    compiled: block_kernel
    inputs: [{name: x, dtype: float32, size: [4, 3]}]
    outputs: [{name: y, type: non_alias}]
YAML
sed 's/block/other/' limits.yaml >other.yaml
mkdir limits
run limits.yaml other.yaml --out a.c --header a.h --emit-limits limits/a-b.h
exits 0 'writes limits'
check "$case: a guard of its name" grep -qx '#ifndef WG_LIMITS_IN_A_B_H' limits/a-b.h
check "$case: both files" sh -c 'grep -c "^    { \"\(block\|other\)\", 0, &demo_limit_variants" limits/a-b.h | grep -qx 2'
check "$case: no other text has them" sh -c '! grep -l WgLimit a.c a.h'
run limits.yaml --out a.c --header a.h --emit-limits a-b.h --list-outputs
prints 'a-b.h'
echo >limits/a-b.h
run --check limits.yaml other.yaml --out a.c --header a.h --emit-limits limits/a-b.h
exits 1 'stale limits'
sed -i '/^  - name/,$d; s/graphs:/graphs: []/' other.yaml
run other.yaml --out a.c --emit-limits none.h
exits 0 'limits of nothing'
check "$case: the last row alone" sh -c 'grep -c "^    {" none.h | grep -qx 5'
run limits.yaml --prefix my_ --out a.c --emit-limits mine.h
check "$case: the prefix" grep -q '^static const WgLimits my_limits' mine.h
