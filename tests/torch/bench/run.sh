#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - what `make bench` compares with PyTorch's own wrappers runs: each case is held to PyTorch's results before it is timed.
. "$(dirname "$0")/../../lib.sh"
. "$root/examples/aoti/torch.sh"
if find_torch; then
    check 'the wrappers do what PyTorch does in each case that is timed' sh "$root/tests/bench/torch/run.sh" quick
else
    skip 'what is compared with PyTorch' 'there is no PyTorch (.venv, python3 or TORCH_DIR)'
fi
finish
