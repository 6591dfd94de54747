#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The versions of PyTorch and of Python that wrapgen_torch takes: test.py with those that are here; how .ci/setup.sh installs another
# one; and that .ci/run has a step for each (.ci/versions.sh).
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

# Each version is a step of .ci/run by some PART; the first PART, which CI takes, installs none.
steps() { # PART
    PART=$1 sh .ci/run --steps | sed -n 's/^versions .* \([A-Z_]*=[0-9.]*\)$/\1/p'
}
check '.ci/run: the first PART runs the usual version alone' test -z "$(steps 0)"
for part in 1 2 3 4; do steps "$part"; done | sort >"$scratch/run"
{
    for file in cmd/wrapgen_torch/requirements-[0-9]*.txt; do basename "$file" .txt | sed 's/^requirements-/TORCH_VERSION=/'; done
    printf 'PYTHON_VERSION=%s\n' 3.12 3.13
} | sort >"$scratch/wanted"
check '.ci/run: each other version is a step by some PART' diff "$scratch/wanted" "$scratch/run"

# What cannot be installed is a failure; only a Python that neither the machine nor Debian has is a skip.
ends() { # LINE NAME=VALUE [VENV]
    PATH=$scratch/no_apt:$PATH VENV=${3-} sh .ci/versions.sh "$2" >"$scratch/log" 2>&1
    tail -n 1 "$scratch/log" | grep -qx "$1"
}
mkdir "$scratch/no_apt" && printf '#!/bin/sh\nexit 1\n' >"$scratch/no_apt/apt-get" && chmod +x "$scratch/no_apt/apt-get"
check 'versions.sh: a Python that is nowhere is a skip' ends '0 passed, 0 failed, 1 skipped' PYTHON_VERSION=3.99
check 'versions.sh: a version that is unknown is a failure' ends '0 passed, 1 failed, 0 skipped' TORCH_VERSION=9.9.9
check 'versions.sh: a Python whose packages cannot be installed is a failure' \
    ends '0 passed, 1 failed, 0 skipped' PYTHON_VERSION=3.11 /dev/null/venv
finish
