#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The versions of PyTorch and of Python that wrapgen_torch takes: test.py with those that are here; and four PARTs in five another
# one of either, which .ci/setup.sh installs (some 4 GB where the index for the CPU cannot be reached), with the suites of
# tests/torch/run.sh, in shares. The first PART, which CI takes, installs nothing.
. "$(dirname "$0")/../../lib.sh"
: "${PYTHON:=$root/.venv/bin/python}"
cd "$root" || exit 1

"$PYTHON" tests/torch/versions/test.py "$@" >"$scratch/log" 2>&1
add_counts "$scratch/log" 'the table of upstream.py'

# setup.sh, where pip gets the build for CUDA from any index: then the libraries come, too; a second time it does nothing.
set_up() { # NAME=VALUE: the version
    venv=$scratch/venv-${1#*=}
    "$PYTHON" -m venv --without-pip "$venv" || return 1
    lent=$("$PYTHON" -c 'import pip, os; print(os.path.dirname(os.path.dirname(pip.__file__)))')
    mkdir "$venv/pip" && ln -s "$lent/pip" "$venv/pip/pip" && echo "$venv/pip" >"$(echo "$venv"/lib/python*/site-packages)/pip.pth"
    printf '#!/bin/sh\nexec "%s/bin/python" "%s/tests/torch/versions/fake_pip.py" "$@"\n' "$venv" "$root" >"$venv/bin/pip"
    chmod +x "$venv/bin/pip"
    for log in first second; do
        PIP_LOG=$scratch/$log env -u TORCH_VERSION -u PYTHON_VERSION "$1" VENV="$venv" sh .ci/setup.sh torch || return 1
    done
}
for asked in TORCH_VERSION=2.14.1 TORCH_VERSION=2.15.0 PYTHON_VERSION=3.11; do
    rm -f "$scratch/first" "$scratch/second"
    check "setup.sh installs what $asked needs" set_up "$asked"
    libraries=requirements-${asked#*=}.txt
    [ "$asked" != PYTHON_VERSION=3.11 ] || libraries=requirements-2.14.1.txt
    check "$asked: the libraries of the build for CUDA are among that" grep -q -- "-r .*/$libraries\$" "$scratch/first"
    check "$asked: a second time it installs nothing" test ! -e "$scratch/second"
done

others() { # what PART says: a version of PyTorch, or one of Python for the usual one, which Debian 12 does not install
    case $((PART % 5)) in
    1) echo TORCH_VERSION=2.14.1 ;;
    2) echo TORCH_VERSION=2.15.0 ;;
    3) echo PYTHON_VERSION=3.12 ;;
    4) echo PYTHON_VERSION=3.13 ;;
    esac
}

other=$(others)
if [ -z "${TORCH_VERSION-}${PYTHON_VERSION-}" ] && [ -n "$other" ]; then
    if env "$other" sh .ci/setup.sh torch >"$scratch/setup" 2>&1; then
        env -u PYTHON "$other" SHARE=40 SHARE_OF_PROGRAMS=8 sh tests/torch/run.sh >"$scratch/log" 2>&1
        add_counts "$scratch/log" "the suites with $other"
    else
        sed 's/^/# /' "$scratch/setup" | tail -n 5
        skip "the suites with $other" 'it could not be installed'
    fi
fi
finish
