#!/bin/sh
# SPDX-License-Identifier: MIT
#
# drive.sh FOLDER - analyses a driver of `core`, whose folder core_DRIVER or core_DRIVER.NUMBER has a copy of templates/core, in which Eva is told
# something at the lines that the driver names. Writes `log`, all that Frama-C said; core.sh judges it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
driver=$(basename "$folder" | sed 's/^core_//; s/\.[0-9]*$//')

sed -nE 's/^\/\* (split|widen_hints): ([a-z_.]+): (.*) : ([a-z_., 0-9]+) \*\/$/\1 \4|\2|\3/p' "$here/core/$driver.c" | while IFS='|' read -r told file line; do
    awk -v line="$line" -v told="$told" '{ print } index($0, line) { print "//@ " told ";"; print ";"; found = 1 }
        END { exit !found }' "$folder/$file" >"$folder/split" && mv "$folder/split" "$folder/$file" || exit 1
done || exit 1
planted=
case $(basename "$folder") in *.*) planted=-cpp-extra-args=-DPLANTED ;; esac
cd "$folder" || exit 1
# shellcheck disable=SC2046 # options
(ulimit -t "${PROVE_SECONDS:-300}" && exec frama-c -no-autoload-plugins -load-module from,inout,scope,metrics,eva,variadic \
    -cpp-extra-args="-I$folder -I$here/core" $(cat "$here/core/eva.options") -eva-msg-key=-initial-state,-final-states \
    -eva-no-show-progress $planted $(sed -nE 's|^/\* options: (.*) \*/$|\1|p' "$here/core/$driver.c") "$here/core/$driver.c" \
    -metrics -metrics-eva-cover) >log 2>&1
exit 0 # the log says what came of it
