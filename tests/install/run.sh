#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - an installation as people use it: each section of cmd/install/README.md is built from an empty folder, run, touched and
# built again; shells complete with what was installed; man shows the page. CI runs it (.ci/run), since it needs CMake, Meson,
# zsh, fish and man.
. "$(dirname "$0")/../lib.sh"
page=$root/cmd/install/README.md
prefix=$scratch/place
if ! make -s -C "$root" install BUILD="$BUILD" CC="$CC" PREFIX="$prefix" >"$scratch/log" 2>&1; then
    not_ok 'make install' "$scratch/log"
    finish
fi

check 'make install says where the tool is' grep -q "^installed: $prefix/bin/wrapgen, " "$scratch/log"
check 'make install: and how it is found' grep -q "^$prefix/bin is not in PATH: export PATH=$prefix/bin:.PATH$" "$scratch/log"
check 'make install: for a package it says nothing' sh -c 'test -z "$(sh "$1/cmd/install/install.sh" "$2" "$3" /usr)"' sh "$root" "$WRAPGEN" "$scratch/staged"

# Where everything is found, as after an installation below /usr.
PATH=$prefix/bin:$PATH
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
CMAKE_PREFIX_PATH=$prefix
export PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH

# Blocks after a line "`NAME`:" become files, those that begin with ```sh the commands of $scratch/commands.
section() { # TITLE: its files go to the current folder
    awk -v title="## $1" -v commands="$scratch/commands" '
        /^## / { inside = $0 == title }
        !inside { next }
        /^`[^`]+`:$/ { file = substr($0, 2, length($0) - 3) }
        /^```./ { target = $0 == "```sh" ? commands : file; open = 1; next }
        /^```$/ { open = 0; file = "" }
        open && target != "" { print >target }
    ' "$page"
}

in_folder() { # NAME SECTION: a folder with the files of the section and of the program
    rm -rf "${scratch:?}/$1" "$scratch/commands"
    mkdir "$scratch/$1" && cd "$scratch/$1" || exit 1
    section 'The program'
    section "$2"
}

commands() { sh -e "$scratch/commands" >"$scratch/log" 2>&1; }

says() { # NAME TEXT: the last log has a line that matches
    if grep -Eqe "$2" "$scratch/log"; then ok "$1"; else not_ok "$1" "$scratch/log"; fi
}

lacks() { # NAME TEXT
    if grep -Eqe "$2" "$scratch/log"; then not_ok "$1" "$scratch/log"; else ok "$1"; fi
}

run() { "$@" >"$scratch/log" 2>&1; }

# The values of main.c by hand: 1 2 3 times 10; then x, of three elements, is given where one is wanted.
works() { # NAME
    if commands; then ok "$1: builds and runs"; else not_ok "$1: builds and runs" "$scratch/log"; fi
    says "$1: scales in place" '^10 20 30$'
    says "$1: explains what it refuses" "by.*size"
}

# Building again does nothing; a touched graph is generated anew and, since it gives the same, not compiled; a changed one is
# compiled.
rebuilds() { # NAME GENERATES COMPILES COMMAND...
    name=$1 generates=$2 compiles=$3
    shift 3
    run "$@"
    lacks "$name: an unchanged tree is not built again" "$generates|$compiles"
    sleep 1.1
    touch graph.yaml
    run "$@"
    says "$name: a touched graph is generated again" "$generates"
    [ -z "${minimal-}" ] || lacks "$name: and not compiled again, since nothing differs" "$compiles"
    sleep 1.1
    sed -i 's/min: 1/min: 2/' graph.yaml
    run "$@"
    says "$name: a changed graph is compiled again" "$compiles"
}

# ---- CMake ----

for generator in 'Unix Makefiles' Ninja; do
    CMAKE_GENERATOR=$generator
    export CMAKE_GENERATOR
    in_folder app CMake
    works "CMake, $generator"
    says "CMake, $generator: ctest runs the self-test" '100% tests passed.* out of 1'
    minimal=1
    rebuilds "CMake, $generator" 'bin/wrapgen .*graph.yaml' '-c .*[.]c$' cmake --build build -v
    minimal=

    in_folder app 'CMake, a library'
    works "CMake, a library, $generator"
    sed -i 's/target_link_libraries(app PRIVATE scaling)/&\nadd_executable(other other.c)\ntarget_link_libraries(other PRIVATE wrapgen::native)/' CMakeLists.txt
    printf '#include "wg_native.h"\n\nint main(void)\n{\n    WgContext *ctx = NULL;\n    return wg_context_create(NULL, &ctx) != 0 || (wg_context_destroy(ctx), 0);\n}\n' >other.c
    check "CMake, $generator: a host by its name" sh -c 'cmake -B build && cmake --build build && build/other'

    in_folder app 'CMake, with generated files in the source tree'
    run cmake -B build
    if run cmake --build build; then
        not_ok "CMake, checked in, $generator: a build before the first codegen-write ends" "$scratch/log"
    else
        says "CMake, checked in, $generator: a build before the first codegen-write names it" '^ *cmake --build .* --target codegen-write$'
    fi
    works "CMake, checked in, $generator"
    sed -i 's/min: 1/min: 2/' graph.yaml
    if run cmake --build build --target codegen-check; then
        not_ok "CMake, checked in, $generator: stale files are found" "$scratch/log"
    else
        says "CMake, checked in, $generator: stale files are found" '^-.*(min|1)'
    fi
    sed -i 's/min: 2/min: 1/' graph.yaml
    sed -i 's/sym_n < 1/sym_n < 0/' generated/app_wrappers.c
    run cmake --build build
    check "CMake, checked in, $generator: a build takes the files as they are" grep -q 'sym_n < 0' generated/app_wrappers.c
    if run ctest --test-dir build; then
        not_ok "CMake, checked in, $generator: the self-test is that of the files in the tree" "$scratch/log"
    else
        ok "CMake, checked in, $generator: the self-test is that of the files in the tree"
    fi
done
unset CMAKE_GENERATOR

# Sources, and what is installed, as a part of another build: without the package's own place being known.
for sources in "$root" "$prefix/share/wrapgen"; do
    in_folder app 'CMake, without an installation'
    WRAPGEN_SOURCES=$sources
    export WRAPGEN_SOURCES
    kept=$PATH
    PATH=$(echo "$PATH" | sed "s|^$prefix/bin:||")
    unset CMAKE_PREFIX_PATH
    works "CMake, FetchContent of $(basename "$sources")"
    says "CMake, FetchContent of $(basename "$sources"): ctest runs the self-test" '100% tests passed.* out of 1'
    PATH=$kept
    CMAKE_PREFIX_PATH=$prefix
    export CMAKE_PREFIX_PATH
done

# A tool of a different version is refused, and so is one that is not there.
in_folder app CMake
printf '#!/bin/sh\necho wrapgen 0.0.1\n' >other && chmod +x other
run cmake -B build -DWRAPGEN_EXECUTABLE="$PWD/other"
says 'CMake: a tool of another version is refused' "says it is 'wrapgen 0.0.1'"
sed -i 's/find_package(wrapgen/find_package(wrapgen 99/' CMakeLists.txt
run cmake -B other_build
says 'CMake: another version of the package is not taken' 'version: 0\.'
sed -i 's/find_package(wrapgen 99/find_package(wrapgen 0.1/; s/HOST native/HOST nativ/' CMakeLists.txt
run cmake -B third_build && run cmake --build third_build
says 'CMake: what the tool refuses is shown' "no built-in host 'nativ'; did you mean 'native'"

# ---- Meson, make ----

in_folder app Meson
works Meson
rebuilds Meson 'Generating wrappers' 'Compiling C object' meson compile -C build

in_folder app make
works make
rebuilds make 'wrapgen graph.yaml' 'main.c kernel.c' make

in_folder app 'make and Meson, with generated files in the source tree'
works 'make and Meson, checked in'
sed -i 's/min: 1/min: 2/' graph.yaml
if run make codegen-check; then not_ok 'make, checked in: stale files are found' "$scratch/log"; else says 'make, checked in: stale files are found' '^-.*(min|1)'; fi
if run meson test -C build; then not_ok 'Meson, checked in: stale files are found' "$scratch/log"; else says 'Meson, checked in: stale files are found' 'Fail: +1'; fi
run make
lacks 'make, checked in: a build takes the files as they are' 'wrapgen graph.yaml'

in_folder app 'make, in parts'
works 'make, in parts'
minimal=1
rebuilds 'make, in parts' 'wrapgen graph.yaml' ' -c -o ' make
minimal=
check 'make, in parts: of the four sources one was compiled again' test "$(grep -c -- '-o app_wrappers\.[0-9]\.o' "$scratch/log")" -eq 1

# ---- Bazel ----

bazel() { # COMMAND...: with a server of its own, which end_bazel ends
    command bazel --output_user_root="$scratch/bazel" "$@" --color=no --noshow_progress --subcommands
}
end_bazel() {
    (cd "$scratch/app" && command bazel --output_user_root="$scratch/bazel" shutdown) >/dev/null 2>&1
    chmod -R u+w "$scratch/bazel"
}
if command -v bazel >/dev/null 2>&1; then
    in_folder app Bazel
    sed -i "s:/usr/local:$prefix:" WORKSPACE
    sed -i "s:^bazel build:& --output_user_root=$scratch/bazel:; s:^bazel build \(--[^ ]*\):bazel \1 build:" "$scratch/commands"
    works Bazel
    run bazel build //:app
    lacks 'Bazel: an unchanged tree is not built again' '^SUBCOMMAND'
    sed -i '1i # a comment' graph.yaml
    run bazel build //:app
    says 'Bazel: a changed graph is generated again' 'SUBCOMMAND: # //:app_wrappers'
    sed -i 's/x\[i\] \*= by/x[i] *= 2 * by/' kernel.c
    run bazel build //:app
    says 'Bazel: a changed kernel is compiled' 'SUBCOMMAND: # //:app '
    lacks 'Bazel: and nothing is generated for it' 'SUBCOMMAND: # //:app_wrappers'
    sed -i 's/host = "native"/host = "nativ"/' BUILD
    run bazel build //:app
    says 'Bazel: what the tool refuses is shown' "no built-in host 'nativ'; did you mean 'native'"
    end_bazel
else
    skip Bazel 'bazel is not installed'
fi

# ---- before each commit ----

in_folder app 'Before each commit'
# The hook's command as pre-commit runs it, and then pre-commit itself.
entry=$(sed -n 's/^ *entry: //p' .pre-commit-config.yaml)
check 'pre-commit: the page can be followed' commands
check 'pre-commit: what the YAML gives is accepted' sh -c "$entry"
sed -i 's/min: 1/min: 2/' graph.yaml
if run sh -c "$entry"; then not_ok 'pre-commit: another YAML is refused'; else ok 'pre-commit: another YAML is refused'; fi
says 'pre-commit: with what would differ' 'app_wrappers'
if command -v pre-commit >/dev/null 2>&1; then
    PRE_COMMIT_HOME=$scratch/hooks
    export PRE_COMMIT_HOME
    git init -q . && git add -A
    if run pre-commit run --all-files; then not_ok 'pre-commit: itself refuses it' "$scratch/log"; else says 'pre-commit: itself refuses it' 'Failed$'; fi
    sed -i 's/min: 2/min: 1/' graph.yaml
    git add -A
    run pre-commit run --all-files
    says 'pre-commit: itself accepts what fits' 'Passed$'
else
    skip 'pre-commit: itself' 'pre-commit is not installed'
fi

# ---- a Debian package ----

package() { # FOLDER: makes it there
    mkdir -p "$scratch/$1" && (cd "$root" && sh cmd/install/deb.sh "$WRAPGEN" "$scratch/$1")
}
if command -v dpkg-deb >/dev/null 2>&1; then
    first=$(package deb1)
    second=$(package deb2)
    check 'deb: the same bytes twice' cmp "$first" "$second"
    dpkg-deb -I "$first" >"$scratch/log"
    says 'deb: needs libcyaml' '^ *Depends:.*libcyaml1 \(>= '
    says 'deb: and libyaml' '^ *Depends:.*libyaml-0-2 \(>= '
    says 'deb: has a maintainer' '^ *Maintainer: [^<>]+ <[^<>@]+@[^<>@]+>$'
    lacks 'deb: who is not whoever built it' 'whoever'
    dpkg-deb -I "$(DEBFULLNAME='A Name' DEBEMAIL=name@example.org package deb3)" >"$scratch/log"
    says 'deb: named by the environment' '^ *Maintainer: A Name <name@example.org>$'
    dpkg-deb -x "$first" "$scratch/unpacked"
    check 'deb: its tool runs' "$scratch/unpacked/usr/bin/wrapgen" --version
    (cd "$prefix" && find . -type f | sort) >"$scratch/installed"
    (cd "$scratch/unpacked/usr" && find . -type f ! -path './share/doc/*' | sort) >"$scratch/packaged"
    check 'deb: has what make install installs' diff "$scratch/installed" "$scratch/packaged"
    dpkg-deb -e "$first" "$scratch/control"
    check 'deb: and its sums are right' sh -c 'cd "$1/unpacked" && md5sum --quiet -c "$1/control/md5sums"' sh "$scratch"
    check 'deb: names no folder of the machine that made it' sh -c '! grep -rlF "$1" "$2"' sh "$scratch" "$scratch/unpacked"
else
    skip 'deb' 'there is no dpkg-deb here'
fi

# ---- the manual page ----

man --warnings -E UTF-8 -l -Tutf8 -Z "$prefix/share/man/man1/wrapgen.1" 2>"$scratch/log" >/dev/null
check 'man has nothing to complain about' test ! -s "$scratch/log"
MANWIDTH=100 man -E UTF-8 -l "$prefix/share/man/man1/wrapgen.1" 2>&1 | col -b >"$scratch/log"
says 'man shows options' '^ *-o, --out FILE'
says 'man shows exit codes' 'missing or stale'

# ---- completions ----

cd "$scratch/app" || exit 1

# What a shell offers for a command line, one word a line.
offers_bash() { # LINE
    bash -c '
        compopt() { :; }
        source "$1"
        COMP_LINE=$2 COMP_POINT=${#2}
        _wrapgen
        printf "%s\n" "${COMPREPLY[@]}"
    ' bash "$prefix/share/bash-completion/completions/wrapgen" "$1"
}

offers_fish() { # LINE
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$prefix/share/fish/vendor_completions.d/wrapgen.fish" "$1" | cut -f1
}

offers_zsh() { # LINE
    zsh -f "$root/tests/install/complete.zsh" "$prefix/share/zsh/site-functions" "$1"
}

offer() { # SHELL LINE WORD: among what is offered
    "offers_$1" "$2" >"$scratch/log" 2>&1
    if grep -Fxq -- "$3" "$scratch/log"; then ok "$1: '$2' goes on with $3"; else not_ok "$1: '$2' goes on with $3" "$scratch/log"; fi
}

for shell in bash fish zsh; do
    offer $shell 'wrapgen --print-c' --print-completions
    offer $shell 'wrapgen --dispatch-strategy ' tree
    offer $shell 'wrapgen --print-host na' native
    offer $shell 'wrapgen --explain E_VI' E_VIEW
    offer $shell 'wrapgen gra' graph.yaml
    offer $shell 'wrapgen in' init
    offer $shell 'wrapgen init --cm' --cmake
    offer $shell 'wrapgen --host gra' graph.yaml
    offer $shell 'wrapgen --host na' native
    "offers_$shell" 'wrapgen --prefix gra' >"$scratch/log" 2>&1
    lacks "$shell: nothing is offered where any text may stand" graph
done
offer bash 'wrapgen --host=na' native
offer bash 'wrapgen --dump plan:mut' mutation_epilogue
offer bash 'wrapgen -Wno-unp' -Wno-unproved
offer bash 'wrapgen -Werror=unp' unproved
offer bash 'wrapgen --limit co' count=
offer fish 'wrapgen -Wno-unp' -Wno-unproved
offer fish 'wrapgen --dump plan:mut' plan:mutation_epilogue

# ---- a first project ----

cd "$scratch" && rm -rf first made
wrapgen init --cmake first >"$scratch/made"
if run sh -ec "$(sed -n 's/^  cmake/cmake/p' "$scratch/made")"; then ok 'init --cmake: its command builds and runs it'; else not_ok 'init --cmake: its command builds and runs it' "$scratch/log"; fi
says 'init --cmake: the result' '^largest of each row: 5 6$'
says 'init --cmake: what was written in place' '^total: 15 27 39, written 1 time$'
run ctest --test-dir first/build
says 'init --cmake: ctest runs the self-test' '100% tests passed.* out of 1'

# ---- the pages to begin with: C programs, variants of kernels (that of PyTorch's users: tests/torch/ahead/test_page.py) ----

for page in tutorial matmul_dispatch; do
    rm -rf "${scratch:?}/$page"
    mkdir "$scratch/$page" && cd "$scratch/$page" || exit 1
    if sh "$root/tests/install/tutorial.sh" "$root/examples/$page/README.md" >"$scratch/log" 2>&1; then
        ok "examples/$page/README.md: $(sed -n '$s/ passed.*//p' "$scratch/log") commands do what it says"
    else
        not_ok "examples/$page/README.md" "$scratch/log"
    fi
    check "examples/$page/README.md: the README leads to it" grep -qF "(examples/$page/README.md)" "$root/README.md"
done
check 'cmd/wrapgen_torch/README.md: the README leads to it' grep -qF '(cmd/wrapgen_torch/README.md)' "$root/README.md"

finish
