#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh TOOL DESTDIR PREFIX - installs the tool, what generated code is compiled with, and what build systems, shells and
# man need to find them. `make install` runs it. DESTDIR is put before every path and stands in no file.
#
#   bin/wrapgen
#   share/wrapgen/core, share/wrapgen/hosts/<name>      C that generated code is compiled with, a folder for each host
#   share/wrapgen/selftest                              what a self-test is linked with
#   share/wrapgen/wrapgen.spdx.json                     what the tool consists of and links (sbom.sh)
#   share/wrapgen/schema                                the schema for editors, and SPEC.md
#   lib/cmake/wrapgen, lib/pkgconfig                    for CMake, Meson and make
#   share/wrapgen/CMakeLists.txt                        so that share/wrapgen can be a subdirectory of a build
#   share/wrapgen/wrapgen.bzl, BUILD.bazel, WORKSPACE   so that share/wrapgen is a repository of Bazel's
#   share/man/man1, and completions for bash, zsh, fish
set -eu

tool=$1 destdir=$2 prefix=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/cmd/install
to=$destdir$prefix
share=$to/share/wrapgen
version=$("$tool" --version | sed 's/.* //')

copy() { # FOLDER FILE...
    install -d "$1"
    folder=$1
    shift
    install -m 644 "$@" "$folder"
}

fill() { # TEMPLATE FILE [NAME=VALUE]
    install -d "$(dirname "$2")"
    sed -e "s|@PREFIX@|$prefix|g; s|@VERSION@|$version|g; s|@MINOR@|${version%.*}|g" ${3+-e "s|@HOST@|$3|g; s|@SOURCES@|$4|g"} \
        "$here/$1" >"$2"
    chmod 644 "$2"
}

install -d "$to/bin"
install -m 755 "$tool" "$to/bin/wrapgen"
copy "$share" "$root/LICENSE"
sh "$here/sbom.sh" "$tool" >"$share/wrapgen.spdx.json"
chmod 644 "$share/wrapgen.spdx.json"
copy "$share/schema" "$root"/schema/*.json "$root"/schema/*.md
copy "$share/core" "$root"/templates/core/wg_* "$root/templates/LICENSE"
copy "$share/selftest" "$(dirname "$tool")"/templates/selftest/wg_*.[ch]

copy "$share" "$here/wrapgen.bzl"
install -d "$share/tool"
ln -sfn ../../../bin/wrapgen "$share/tool/wrapgen" # Bazel looks at nothing outside of the repository's folder
echo 'workspace(name = "wrapgen")' >"$share/WORKSPACE"
cat >"$share/BUILD.bazel" <<'BUILD'
package(default_visibility = ["//visibility:public"])

filegroup(name = "tool", srcs = ["tool/wrapgen"])
filegroup(name = "core", srcs = glob(["core/*"]))
filegroup(name = "selftest", srcs = glob(["selftest/*"]))
BUILD

fill wrapgen.pc.in "$to/lib/pkgconfig/wrapgen.pc"
for description in "$root"/templates/hosts/*/host.yaml; do
    parts=$(dirname "$description")
    host=$(basename "$parts")
    for part in "$parts" "$parts"/*/; do
        part=${part%/}
        # shellcheck disable=SC2046 # names without blanks
        [ ! -d "$part" ] || copy "$share/hosts/$host${part#"$parts"}" $(find "$part" -maxdepth 1 -type f)
    done
    sources=$(cd "$root/templates" && for source in core/*.c "hosts/$host"/*.c "hosts/$host"/*.cpp; do
        [ -f "$source" ] || continue
        printf '%s ' "$prefix/share/wrapgen/$source"
    done)
    fill wrapgen-host.pc.in "$to/lib/pkgconfig/wrapgen-$host.pc" "$host" "${sources% }"
    echo "filegroup(name = \"$host\", srcs = glob([\"hosts/$host/**\"]))" >>"$share/BUILD.bazel"
done
chmod 644 "$share/BUILD.bazel" "$share/WORKSPACE"
copy "$to/lib/cmake/wrapgen" "$here/wrapgen-config.cmake"
cat >"$share/CMakeLists.txt" <<'CMAKE'
# For FetchContent and add_subdirectory: what find_package(wrapgen) gives.
cmake_minimum_required(VERSION 3.20)
project(wrapgen_installed NONE)
find_package(wrapgen REQUIRED CONFIG PATHS "${CMAKE_CURRENT_SOURCE_DIR}/../.." NO_DEFAULT_PATH)
CMAKE
chmod 644 "$share/CMakeLists.txt"
fill wrapgen-config-version.cmake.in "$to/lib/cmake/wrapgen/wrapgen-config-version.cmake"

install -d "$to/share/man/man1" "$to/share/bash-completion/completions" "$to/share/zsh/site-functions" \
    "$to/share/fish/vendor_completions.d"
"$tool" --print-manual >"$to/share/man/man1/wrapgen.1"
"$tool" --print-completions bash >"$to/share/bash-completion/completions/wrapgen"
"$tool" --print-completions zsh >"$to/share/zsh/site-functions/_wrapgen"
"$tool" --print-completions fish >"$to/share/fish/vendor_completions.d/wrapgen.fish"

# What a person wants to know next; a package's builder, who gives DESTDIR, does not.
[ -z "$destdir" ] || exit 0
echo "installed: $prefix/bin/wrapgen, and below $prefix what CMake, Meson, pkg-config, man and shells find"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "$prefix/bin is not in PATH: export PATH=$prefix/bin:\$PATH" ;;
esac
