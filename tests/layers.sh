#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Layers: includes point one way, cmd -> gen -> schema. schema knows libcyaml and the C library only; nobody includes from
# templates (they are data) but gen, which shares the numbers of dtypes and devices with generated code; nothing includes from tests or examples; and what
# is below templates needs nothing of the tool.
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 1

# Prints "file: include" of every include in FOLDER that is none of the allowed patterns.
strays() { # FOLDER ALLOWED
    grep -rnE '^[[:space:]]*#[[:space:]]*include' "$1" --include='*.[ch]' --include='*.def' --exclude-dir=wrapgen_torch |
        sed -E 's/^([^:]*):[0-9]*:[^<"]*([<"].*[>"]).*/\1: \2/' | grep -vE ": ($2)\$"
}

standard='<(assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype)\.h>'
posix='<(fcntl|strings|unistd|sys/[a-z]+|dirent)\.h>'
own='"[a-z_0-9]+\.(h|def)"'

one_way() { # FOLDER ALLOWED
    strays "$1" "$2" >"$scratch/strays"
    [ ! -s "$scratch/strays" ] || { cat "$scratch/strays" && false; }
}

# The reason for each pattern is in the first lines of this file.
check 'schema includes libcyaml, the C library and itself' one_way schema "$standard|<cyaml/cyaml\\.h>|$own"
check 'gen includes schema, itself, libyaml, libcyaml, POSIX and the numbers of templates/core' one_way gen \
    "$standard|$posix|<(cyaml/cyaml|yaml|sanitizer/asan_interface)\\.h>|$own|\"\\.\\./schema/[a-z_]+\\.h\"|\"\\.\\./templates/core/wg_(core|copy|hash)\\.h\""
check 'cmd includes gen and itself' one_way cmd "$standard|$posix|$own|\"\\.\\./gen/[a-z_]+\\.h\""
check 'the Python host includes Python, the core and itself' one_way cmd/wrapgen_torch/host "<Python\\.h>|\"wg_(core|torch)\\.h\""
check 'templates include the C library, dlopen and themselves' one_way templates "$standard|<dlfcn\\.h>|\"wg_[a-z_0-9]+\\.h\""

# A name in quotes without a folder must be a file of the same folder, or the patterns above would let strangers in.
for folder in schema gen cmd; do
    grep -rhoE --exclude-dir=wrapgen_torch '^#[[:space:]]*include "[a-z_0-9]+\.(h|def)"' "$folder" | grep -oE '"[^"]*"' | tr -d '"' | sort -u |
        while read -r name; do [ -f "$folder/$name" ] || echo "$folder includes $name, which is not there"; done
done >"$scratch/absent"
check 'a plain name is a file of the same folder' test ! -s "$scratch/absent"

# The test itself: a stray include is found.
mkdir "$scratch/schema"
printf '#include <stdio.h>\n#  include "../gen/str.h"\n' >"$scratch/schema/bad.c"
if one_way "$scratch/schema" "$standard|$own" >/dev/null; then
    not_ok 'a stray include would be found'
else
    ok 'a stray include would be found'
fi
finish
