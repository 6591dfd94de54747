#!/bin/sh
# SPDX-License-Identifier: MIT
#
# reserved.sh - prints gen/rules/reserved.def: the names that C, its library and its compilers have taken, according to the installed
# compilers: gcc, g++ and clang under every standard; a name that one of them knows counts.
#
#     sh gen/rules/reserved.sh >gen/reserved.new && mv gen/reserved.new gen/rules/reserved.def
#
#   MACRO    defined where generated code stands: by the compiler, or by a header that our headers include
#   LIBRARY  a function that a header of C or POSIX declares, or that a compiler has built in: any other declaration of it is
#            warned of. The words to try are all words in the compilers' own binaries
#   TYPE     a type of C's headers
#
# The list only grows: what is in the table stays there, since another compiler may have told it. tests/reserved/run.sh
# holds the table against the compilers at hand.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

iso='assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
    stddef stdint stdio stdlib stdnoreturn string time uchar wchar wctype'
posix="$iso aio arpa/inet cpio dirent dlfcn fcntl fnmatch ftw glob grp iconv langinfo libgen monetary net/if netdb netinet/in poll
    pthread pwd regex sched search semaphore spawn strings sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem sys/shm
    sys/socket sys/stat sys/statvfs sys/time sys/times sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios unistd
    utime wordexp err getopt malloc memory sys/file sys/ioctl sys/mount sys/random sys/syscall"
standards='c11 c17 c2x gnu11 gnu17 gnu2x'
ours='-Itemplates/core -Itemplates/hosts/native'

have() {
    command -v "$1" >/dev/null 2>&1
}

includes() { # HEADER...: those that are there
    for header in "$@"; do
        printf '#if __has_include(<%s.h>)\n#include <%s.h>\n#endif\n' "$header" "$header"
    done
}

for header in templates/core/*.h templates/hosts/native/wg_native.h; do
    printf '#include "%s"\n' "$(basename "$header")"
done >"$work/ours.c"
# shellcheck disable=SC2086 # lists
includes $iso >"$work/iso.c"
# shellcheck disable=SC2086
includes $posix >"$work/posix.c"

macros() {
    for compiler in gcc clang; do
        have $compiler || continue
        for standard in $standards; do
            # shellcheck disable=SC2086
            $compiler -std=$standard $ours -dM -E "$work/ours.c"
        done
        # shellcheck disable=SC2086
        for standard in c++17 gnu++20; do
            $compiler -x c++ -std=$standard $ours -dM -E "$work/ours.c"
        done
    done 2>/dev/null | sed -n 's/^#define \([A-Za-z][A-Za-z0-9_]*\).*/\1/p' | grep -v '^WG_'
}

binaries() { # of the compilers: what holds the names of their built-in functions
    ! have gcc || gcc -print-prog-name=cc1
    ! have clang || { command -v clang && ldd "$(command -v clang)" | sed -n 's/.*=> \(.*clang.*\) (.*/\1/p'; }
}

declared() {
    for compiler in gcc clang; do
        have $compiler || continue
        for definition in _GNU_SOURCE _POSIX_C_SOURCE=200809L; do
            $compiler -std=gnu17 -D$definition -E -P "$work/posix.c" 2>/dev/null
        done
    done | tr -c 'A-Za-z0-9_' '\n'
    printf '%s\n' memory_order
}

# One declaration a line, of a type that no function of the library has.
try_functions() { # COMPILER STANDARD
    { echo 'struct wrapgen_try;' && sed 's/.*/struct wrapgen_try &(struct wrapgen_try *);/' "$work/words"; } >"$work/try.c"
    case $1 in
    clang) limit=-ferror-limit=0 ;;
    *) limit=-fmax-errors=0 ;;
    esac
    $1 "-std=$2" $limit -fno-diagnostics-show-caret -fsyntax-only "$work/try.c" 2>&1 |
        sed -n "s/.*conflicting types for built-in function .\([a-z_A-Z0-9]*\).*/\1/p; s/.*incompatible redeclaration of library function .\([a-zA-Z_0-9]*\).*/\1/p"
}

# What the headers declare as a function, and the objects among what they declare.
functions() {
    gcc -std=gnu17 -D_GNU_SOURCE -fsyntax-only -aux-info "$work/info" "$work/posix.c" >/dev/null 2>&1
    sed -n 's/.*[ *]\([A-Za-z][A-Za-z0-9_]*\) (.*/\1/p' "$work/info"
    printf '%s\n' main environ optarg opterr optind optopt stderr stdin stdout timezone daylight tzname signgam
}

types() { # the words of ISO C's headers that can declare something
    gcc -std=c2x -D_POSIX_C_SOURCE=200809L -E -P "$work/iso.c" 2>/dev/null | tr -c 'A-Za-z0-9_' '\n' | plain | sort -u >"$work/known"
    { cat "$work/iso.c" && sed 's/.*/extern & *wrapgen_of_&;/' "$work/known"; } >"$work/types.c"
    first=$(wc -l <"$work/iso.c")
    gcc -std=gnu17 -D_POSIX_C_SOURCE=200809L -fmax-errors=0 -fsyntax-only "$work/types.c" 2>&1 |
        sed -n 's/^[^:]*:\([0-9]*\):[0-9]*: error.*/\1/p' | sort -un >"$work/wrong"
    awk -v first="$first" 'FNR == NR { wrong[$1] = 1; next } !((FNR + first) in wrong)' "$work/wrong" "$work/known"
}

plain() { # identifiers that C does not reserve as a whole
    grep -xE '[A-Za-z][A-Za-z0-9_]*|_[a-z0-9][A-Za-z0-9_]*'
}

keywords='alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class compl const
    constexpr continue default delete do double else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register restrict return short
    signed sizeof static static_assert struct switch template this thread_local throw true try typedef typeid typename typeof
    typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq'

known() { # KIND: what is in the table already
    sed -n "s/^$1(\(.*\))$/\1/p" gen/rules/reserved.def 2>/dev/null
}

table() { # KIND
    { cat && known "$1"; } | plain | sort -u >"$work/all"
    # shellcheck disable=SC2086
    printf '%s\n' $keywords | LC_ALL=C sort >"$work/keywords"
    LC_ALL=C sort "$work/all" | LC_ALL=C comm -23 - "$work/keywords" | sed "s/.*/$1(&)/"
}

LC_ALL=C
export LC_ALL
{ binaries | sort -u | while IFS= read -r binary; do strings -n 2 "$binary"; done && declared; } |
    sed 's/^__builtin_//' | grep -xE '[a-z_A-Z][a-zA-Z0-9_]{1,40}' | plain | sort -u >"$work/words"

cat <<'HEAD'
/* SPDX-License-Identifier: MIT */
/*
 * reserved.def - names that C, its library and its compilers have taken. Made by gen/rules/reserved.sh; what the kinds mean is said
 * there. clang-format off
 */
HEAD
macros | table MACRO
{
    for compiler in gcc clang; do
        have $compiler || continue
        for standard in $standards; do
            try_functions $compiler $standard
        done
    done
    functions
} | table LIBRARY
types | table TYPE
