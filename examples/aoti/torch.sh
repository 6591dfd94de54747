# SPDX-License-Identifier: MIT
#
# Sourced, with `root` set: find_torch says where libtorch is and how to build a program of the aoti host with it. TORCH_DIR is
# the folder of the Python package (it has include and lib); when it is not set it is found through PYTHON, which is
# .venv/bin/python where there is one, else python3. Fails when there is no PyTorch.
find_torch() {
    if [ -z "${PYTHON-}" ]; then
        PYTHON=python3
        [ -x "$root/.venv/bin/python" ] && PYTHON=$root/.venv/bin/python
    fi
    if [ -z "${TORCH_DIR-}" ]; then
        TORCH_DIR=$("$PYTHON" -c 'import torch; print(torch.__path__[0])' 2>/dev/null) || return 1
    fi
    [ -f "$TORCH_DIR/lib/libtorch_cpu.so" ] || return 1
    # libtorch_cpu needs other libraries from its folder, found when the program starts, and so do the models that it loads, which is
    # why the path must be of the old kind, that counts for them, too.
    torch_link="-L$TORCH_DIR/lib -ltorch_cpu -lc10 -Wl,--disable-new-dtags -Wl,-rpath,$TORCH_DIR/lib -Wl,--allow-shlib-undefined -lm -ldl"
    host_include="-I$root/templates/core -I$root/templates/hosts/aoti"
    host_sources="$root/templates/core/*.c $root/templates/hosts/aoti/*.c"
}
