#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole models of transformers and timm: what load() needs of each is described, and some are built and called in a process without Dynamo
# (load_models.py, whose tables also go to build/torch/load_models*.txt). SHARE=10: every twentieth, and every fiftieth program alone.
. "$(dirname "$0")/../../lib.sh"
. "$root/tests/torch/shared/python.sh"
for how in --described --played; do
    "$PYTHON" tests/torch/load_models/load_models.py $how "$@" >"$scratch/log" 2>&1
    add_counts "$scratch/log" "load_models.py $how"
done
finish
