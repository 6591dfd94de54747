# SPDX-License-Identifier: MIT
#
# Sourced by the suites here that are written in Python. The host torch takes half a minute to compile, so all of them keep it in one place.
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=$PWD/build}" "${PYTHON:=.venv/bin/python}"
WRAPGEN_CACHE=$BUILD/torch_python
export WRAPGEN_CACHE
# Inductor would start a second process that imports PyTorch, to compile in, though no test has more than a few kernels to compile.
: "${TORCHINDUCTOR_COMPILE_THREADS:=1}"
export TORCHINDUCTOR_COMPILE_THREADS
