#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [NAME...] - PyTorch's own test suites with a wrapper of ours at every graph (upstream.py), or the tests whose name contains
# one of the words. They are fetched into build/upstream (fetch.py). The table is also build/torch/upstream.txt. SHARE=10: one test
# in eighty alone.
. "$(dirname "$0")/../shared/python.sh"
here=tests/torch/upstream
tests=$("$PYTHON" $here/fetch.py "$BUILD/upstream")
status=$?
if [ $status -eq 3 ]; then # no other system installs what is missing here, either (.ci/setup.sh)
    echo "ok 1 - PyTorch's own tests # SKIP there is no apt to fetch Debian's source package of PyTorch with"
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
elif [ $status -ne 0 ]; then
    echo "not ok 1 - PyTorch's own tests are fetched"
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
fi

# What Inductor compiles in C++ stays between the two runs of a test, and what it makes of a graph does not.
export TORCHINDUCTOR_CACHE_DIR="$BUILD/upstream/inductor" INDUCTOR_TEST_DISABLE_FRESH_CACHE=1 TORCHINDUCTOR_FX_GRAPH_CACHE=0
export PYTORCH_PRINT_REPRO_ON_FAILURE=0 PYTHONHASHSEED=0 TORCH_COMPILE_DEBUG_DIR="$BUILD/upstream" # else it is where tests run
exec "$PYTHON" $here/upstream.py "$tests" "$@"
