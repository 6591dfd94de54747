# SPDX-License-Identifier: MIT
# The same input gives the same bytes: in any folder, locale, time zone, environment, at any time, after whatever other run.
run --in graph.yaml --out a.c --header a.h
cp a.c a.h ..
same() { # NAME FOLDER: a.c and a.h there
    check "$case: $1" sh -c 'cmp ../a.c "$1/a.c" && cmp ../a.h "$1/a.h"' sh "$2"
}

mkdir -p one two/three
(cd two/three && "$WRAPGEN" --in ../../graph.yaml --out a.c --header a.h)
same 'another current folder' two/three
(cd / && "$WRAPGEN" --in "$scratch/cli/$case/graph.yaml" --out "$scratch/cli/$case/one/a.c" --header "$scratch/cli/$case/one/a.h")
same 'absolute paths' one
rm one/*
for locale in C C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8; do
    rm -f one/*
    LC_ALL=$locale LANG=$locale "$WRAPGEN" --in graph.yaml --out one/a.c --header one/a.h
    same "locale $locale" one
done
rm one/*
TZ=Pacific/Kiritimati SOURCE_DATE_EPOCH=0 COLUMNS=20 TERM=xterm HOME=/nowhere "$WRAPGEN" --in graph.yaml --out one/a.c --header one/a.h
same 'time zone and environment' one
rm one/*
env -i "$WRAPGEN" --in graph.yaml --out one/a.c --header one/a.h
same 'no environment at all' one
rm one/*
cp graph.yaml newer.yaml
touch -d '2033-03-03' graph.yaml
"$WRAPGEN" --in graph.yaml --out one/a.c --header one/a.h
same 'another date of the input' one

sed 's/block/other/g' graph.yaml >other.yaml
"$WRAPGEN" --in other.yaml --out one/b.c
rm one/a.*
"$WRAPGEN" --in graph.yaml --out one/a.c --header one/a.h
same 'after another run' one
check "$case: no path of this machine is in them" sh -c '! grep -F -e "$1" -e "$2" a.c a.h' sh "$scratch" "$root"
