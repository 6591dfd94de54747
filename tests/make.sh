#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The Makefile: what is built follows from what is there now. A header that changes while a file that includes it is compiled
# makes the file stale; a tool linked of objects that disagree about a struct crashes, or worse.
. "$(dirname "$0")/lib.sh"

tree=$scratch/tree
copy_checkout "$tree" Makefile cmd gen schema templates || exit 1
cd "$tree" || exit 1
object=$scratch/built/gen/base/str.o

compiles() { # [COMPILER]: make does so for the object
    make BUILD="$scratch/built" EXTRA= V= CC="${1-$CC}" "$object" >log 2>&1 || return
    cat log
    grep -q " .*gen/base/str\.o" log
}

check 'an object is built' compiles
if compiles >told; then not_ok 'and then it is up to date' told; else ok 'and then it is up to date'; fi
sleep 0.1 && touch gen/base/str.h
check 'a header that has changed makes it stale' compiles

cat >slow.sh <<'SH'
#!/bin/sh
sleep 0.1
touch gen/base/str.h
sleep 0.1
exec cc "$@"
SH
chmod +x slow.sh
check 'it is built by a compiler that takes its time' compiles "$tree/slow.sh"
check 'a header that changed meanwhile makes it stale' compiles "$tree/slow.sh"

# Where the compiler or a library is missing, one message says what to install, before anything is compiled.
says_what_is_missing() { # BUILD-FOLDER WORD...: make's
    folder=$1
    shift
    if make BUILD="$scratch/$folder" EXTRA= V= "$@" "$scratch/$folder/gen/base/str.o" >log 2>&1; then cat log; return 1; fi
    cat log
    grep -q '^    apt install .*libcyaml-dev$' log && ! grep -q 'str\.o$' log
}
check 'without a compiler make says what it needs' says_what_is_missing without_compiler CC=no-such-compiler
mkdir -p none/cyaml && echo '#error is not there' >none/cyaml/cyaml.h
check 'without a library, too' says_what_is_missing without_library CPPFLAGS=-Inone
check 'and asks again, since nothing says that it was there' says_what_is_missing without_library CPPFLAGS=-Inone

# Templates are compiled when the tool is built.
stops_at_a_template() {
    if make BUILD="$scratch/built" EXTRA= V= "$scratch/built/frozen.c" >log 2>&1; then cat log; return 1; fi
    cat log
    grep -q '^templates/failed\.mustache:[0-9]*:1: error: ' log
}
in_any_order() {
    "$scratch/built/freeze" $(printf '%s\n' templates/*.mustache) >first && "$scratch/built/freeze" $(printf '%s\n' templates/*.mustache | sort -r) >second && cmp first second
}
check 'templates are compiled' make -s BUILD="$scratch/built" EXTRA= "$scratch/built/frozen.c"
check 'in whatever order they come' in_any_order
printf '{{#open}}\n' >>templates/failed.mustache
check 'one with a mistake is an error of the build, with its place' stops_at_a_template

# Its list of targets, against the targets that the file declares: those that others call are not for a person.
sed -n 's/^\.PHONY: //p' Makefile | tr ' ' '\n' | grep -vxE 'always|setup.*|uncounted|measured|format-check' | sort >declared
make -s help | sed -n 's/^make \([a-z-]*\) .*/\1/p' | sort >helped
check 'make help names every target' sh -c 'test -s declared && grep -v "^$" helped | diff declared -'
finish
