#!/bin/sh
# SPDX-License-Identifier: MIT
#
# setup.sh build|test|ci - installs what is missing on Debian 12, and says so; does nothing, quickly, when all is there.
#
#   build   what `make` and `make demo` need: a C compiler, libyaml, libcyaml
#   test    what `make test` needs beyond: a C++ compiler, since generated headers must suit it
#   ci      what .ci/run needs beyond: clang, sanitizers, valgrind, clang-format, Python, tcc
#
# A need is a line `package probe...`; the probe succeeds when the need is met, however that came about. Without root it
# uses sudo. To add a need: a line in the list it belongs to.
set -u

cc=${CC:-cc}

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

ci_needs() {
    test_needs
    cat <<'NEEDS'
gcc have gcc
python3 have python3
clang have clang
clang-format-14 have clang-format-14
libclang-rt-14-dev sanitizes clang
libasan8 sanitizes gcc
valgrind have valgrind
tcc have tcc
NEEDS
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
build | test | ci) needs=$("$1_needs") ;;
*)
    echo "usage: setup.sh build|test|ci" >&2
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
[ -n "$packages" ] || exit 0

if ! have apt-get; then
    echo "setup: missing: ${packages}- and this is not a Debian system; please install them yourself" >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    root=
elif have sudo; then
    root=sudo
else
    echo "setup: missing: ${packages}- please install them as root: apt-get install $packages" >&2
    exit 1
fi

echo "setup: installing what is missing: $packages"
export DEBIAN_FRONTEND=noninteractive
if ! log=$($root env DEBIAN_FRONTEND=noninteractive apt-get update -q 2>&1 &&
    # shellcheck disable=SC2086 # a list
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages 2>&1); then
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
