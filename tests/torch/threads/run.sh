#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Threads over generated code and the host `aoti` (tests/threads/watched.sh). The generated code, the host and the test are built with
# ThreadSanitizer, libtorch is not: what it does to itself is not seen. Where there is no PyTorch all is skipped.
. "$(dirname "$0")/../../lib.sh"
. "$root/tests/threads/watched.sh"
. "$root/examples/aoti/torch.sh"

if ! find_torch; then
    skip 'threads over the host aoti' 'there is no PyTorch (.venv, python3 or TORCH_DIR)'
    finish
fi
TSAN_OPTIONS="suppressions=$root/tests/torch/threads/suppressions.txt"
watched_threads wg_aoti.h "$host_sources" "$host_include" "$torch_link"
finish
