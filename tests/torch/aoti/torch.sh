# SPDX-License-Identifier: MIT
#
# Sourced: where libtorch is and how to build with it. TORCH_DIR is the folder of the Python package (it has include and
# lib), found through .venv, or through python3, when it is not set; PYTHON the interpreter that can import torch.
find_torch() { # sets both; fails when there is none
    if [ -z "${PYTHON-}" ]; then
        PYTHON=python3
        [ -x "$root/.venv/bin/python" ] && PYTHON=$root/.venv/bin/python
    fi
    if [ -z "${TORCH_DIR-}" ]; then
        TORCH_DIR=$("$PYTHON" -c 'import torch; print(torch.__path__[0])' 2>/dev/null) || return 1
    fi
    [ -f "$TORCH_DIR/lib/libtorch_cpu.so" ] || return 1
    torch_lib=$TORCH_DIR/lib
    torch_link="-L$torch_lib -ltorch_cpu -lc10 -Wl,-rpath,$torch_lib -Wl,--allow-shlib-undefined -lm -ldl"
    host_include="-I$root/templates/core -I$root/templates/hosts/aoti"
    host_sources="$root/templates/core/*.c $root/templates/hosts/aoti/*.c"
}
