#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Threads over generated code and the host `native`: wrappers, a training graph whose backward runs in another thread, a dispatcher,
# keys and their caches, errors (threads.c, watched.sh). schema/SPEC.md has the table. tests/torch/threads has the host `aoti`.
. "$(dirname "$0")/../lib.sh"
. "$root/tests/threads/watched.sh"
native=$root/templates/hosts/native
watched_threads wg_native.h "$root/templates/core/*.c $native/*.c" "-I$root/templates/core -I$native" ''
finish
