#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Layers: includes point one way, cmd -> gen -> schema. schema knows libcyaml and the C library only. templates/selftest, which
# users compile with their wrappers, knows the YAML's facts, the allocator, and nothing of what made the wrappers. The rest of
# templates is data; of the C in it only the core is included, by gen and the self-test, for the numbers that they share with
# generated code. Nothing includes from tests or examples, and templates/core and templates/hosts need nothing of the tool.
# Files stay short. C++ sources of a folder of the torch host are compiled as one, and define no name twice.
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 1

# Prints "file: include" of every include in FOLDER that is none of the allowed patterns.
strays() { # FOLDER ALLOWED
    grep -rnE '^[[:space:]]*#[[:space:]]*include' "$1" --include='*.[ch]' --include='*.def' --exclude-dir=wrapgen_torch |
        sed -E 's/^([^:]*):[0-9]*:[^<"]*([<"].*[>"]).*/\1: \2/' | grep -vE ": ($2)\$"
}

standard='<(assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype)\.h>'
posix='<(fcntl|pthread|strings|unistd|sys/[a-z]+|dirent)\.h>'
own='"[a-z_0-9]+\.(h|def)"'

one_way() { # FOLDER ALLOWED
    strays "$1" "$2" >"$scratch/strays"
    [ ! -s "$scratch/strays" ] || { cat "$scratch/strays" && false; }
}

# The reason for each pattern is in the first lines of this file.
check 'schema includes libcyaml, the C library and itself' one_way schema "$standard|<cyaml/cyaml\\.h>|$own"
check 'cmd includes gen and itself' one_way cmd "$standard|$posix|$own|\"(\\.\\./)+gen/([a-z]+/)?[a-z_]+\\.h\"|\"(\\.\\./)+gen/(outputs|render/view_keys)\\.def\""

# The rooms of gen/: each includes itself, what its row of gen/README.md names, and what every room may.
anybody="$standard|$posix|<(cyaml/cyaml|yaml|sanitizer/asan_interface)\\.h>|$own"
anybody="$anybody|\"\\.\\./\\.\\./schema/[a-z_]+\\.(h|def)\"|\"\\.\\./\\.\\./templates/core/wg_(core|compiler|copy|cpu|hash)\\.h\""

rooms() { # "room allowed..." a line
    sed -n 's/^| `\([a-z]*\)` | .* | *\([a-z ]*\)|$/\1 \2/p' gen/README.md
}

rooms >"$scratch/rooms"
while read -r room allowed; do
    check "gen/$room includes: $allowed" one_way "gen/$room" "$anybody|\"\\.\\./($(echo "$allowed" | tr ' ' '|'))/[a-z_0-9]+\\.(h|def)\""
done <"$scratch/rooms"
check 'every room of gen/ has a row in gen/README.md' sh -c 'for room in gen/*/; do basename "$room"; done | sort | diff - "$1"' sh \
    "$(cut -d' ' -f1 "$scratch/rooms" | sort >"$scratch/names"; echo "$scratch/names")"
# A room includes only rooms above it in the table.
check 'no arrow of that table points down' awk '{ for (i = 2; i <= NF; i++) if (!($i in above)) { print $1 " includes " $i; bad = 1 } above[$1] = 1 }
    END { exit bad }' "$scratch/rooms"
check 'selftest includes the facts, their keys, the allocator, the core and itself' one_way templates/selftest \
    "$standard|$own|\"\.\./(\.\./gen/base/arena|\.\./gen/algebra/expr|\.\./schema/spec|core/wg_(core|compiler|cpu))\.h\"|\"\.\./\.\./schema/spec\.def\""
check 'templates/core includes the C library, dlopen and files of templates' one_way templates/core \
    "$standard|<dlfcn\\.h>|\"wg_[a-z_0-9]+\\.h\""
check 'templates/hosts does, too, and Python' one_way templates/hosts "$standard|<(dlfcn|Python)\\.h>|\"wg_[a-z_0-9]+\\.h\""
check 'only modules for Python include Python' sh -c \
    'grep -rl "<Python\.h>" templates/hosts | grep -v "^templates/hosts/torch/python/"; test $? -eq 1'

# A name in quotes without a folder must be a file of the same folder, or the patterns above would let anything in.
for folder in schema gen gen/*/ cmd templates/selftest; do
    folder=${folder%/}
    grep -hoE '^#[[:space:]]*include "[a-z_0-9]+\.(h|def)"' "$folder"/*.[ch] "$folder"/*.def 2>/dev/null | grep -oE '"[^"]*"' | tr -d '"' | sort -u |
        while read -r name; do [ -f "$folder/$name" ] || echo "$folder includes $name, which is not there"; done
done >"$scratch/absent"
check 'a plain name is a file of the same folder' test ! -s "$scratch/absent"

# Within a room, too, no two files need each other: code that the steps of a pipeline share has its own file, apart from the one that
# calls the steps. We read from the objects which file needs which. These need each other on purpose:
meant='gen/gen gen/gen_diff
gen/gen gen/gen_skeleton
gen/gen gen/gen_split
gen/lower/lower_check_results gen/lower/lower_unbacked
gen/render/mustache_inherit gen/render/mustache_render'
uses() { # OBJECT...
    nm -A "$@" | awk -v meant="$meant" '
        BEGIN { n = split(meant, pairs, "\n"); for (i = 1; i <= n; i++) { split(pairs[i], pair, " "); allowed[pair[2] " " pair[1]] = 1 } }
        { sub(/:[0-9a-f ]*/, " "); file = $1; sub(/^.*\/gen\//, "gen/", file); sub(/\.o$/, "", file) }
        $2 ~ /^[TDRB]$/ { owner[$3] = file }
        $2 == "U" { needed[++num] = file " " $3 }
        END { for (i = 1; i <= num; i++) { split(needed[i], need, " "); to = owner[need[2]]
            if (to != "" && to != need[1] && !(need[1] " " to in allowed)) print need[1], to } }' | sort -u
}
no_circles() { # OBJECT...
    uses "$@" >"$scratch/uses"
    [ "$(wc -l <"$scratch/uses")" -gt 400 ] && tsort "$scratch/uses" 2>&1 >/dev/null | sed 's/^tsort: //' >"$scratch/circles"
    [ ! -s "$scratch/circles" ] || { cat "$scratch/circles"; return 1; }
}
check 'no file of gen/ needs one that needs it, but those that are meant' no_circles "$BUILD"/gen/*.o "$BUILD"/gen/*/*.o
meant=
if no_circles "$BUILD"/gen/*.o "$BUILD"/gen/*/*.o >/dev/null; then not_ok 'one that did would be found'; else ok 'one that did would be found'; fi

# cmd/wrapgen_torch/extension.py compiles the C++ sources of a folder as one: what a source has for itself alone, a function of an
# unnamed namespace or a macro, would be another overload in the next, which compiles. What starts a line there is at file scope.
names_of() { # SOURCE...: "name file", each once
    awk '
        function note(name) { if (name != "" && !((name, FILENAME) in seen)) { seen[name, FILENAME]; print name, FILENAME } }
        /^#define / { sub(/^#define /, ""); sub(/[^A-Za-z0-9_].*/, ""); note($0); next }
        !/^[A-Za-z_[]/ || /^(namespace|extern "C"|template <[^(=]*>$)/ || /^using namespace / { next }
        {
            sub(/^template <[^(=]*> /, "")
            gsub(/\[\[[^]]*\]\] ?/, "")
            while (sub(/<[^<>]*>/, "")) { }
        }
        /^(class|struct|union|enum|enum class) [A-Za-z0-9_]+( final)?( :.*)?( *\{.*)?$/ { sub(/^(enum class|[a-z]+) /, ""); sub(/[^A-Za-z0-9_].*/, ""); note($0); next }
        /^using / { if (sub(/^using /, "") && sub(/ *=.*/, "")) note($0); next }
        /^[^=]*\(/ { if (/;$/) next; sub(/ *\(.*/, "") } # a function; its declaration is not what it is
        { sub(/ *(\[|=|\{|;).*/, ""); sub(/^.*[ *&]/, ""); if ($0 !~ /::/) note($0) }' "$@"
}
named_twice() { # FOLDER
    names_of "$1"/*.cpp | sort | awk '$1 == last { print $1 ": " $2 ", " file } { last = $1; file = $2 }'
}
for folder in templates/hosts/torch templates/hosts/torch/python; do
    named_twice "$folder" >"$scratch/twice"
    check "no two C++ sources of $folder define a name each" sh -c '[ ! -s "$1" ] || { cat "$1"; false; }' sh "$scratch/twice"
done
mkdir "$scratch/unit"
cat >"$scratch/unit/a.cpp" <<'END'
#define SOME 1
namespace
{
class Kept : public Base
{
};
struct Row {
    int shared;
};
using Values = std::vector<int>;
enum class Kind { one };
const char about[] = "";
PyMethodDef *methods = {nullptr};
template <typename Make, size_t n> [[gnu::cold]] std::map<int, std::vector<int>> made_of(const Make &make)
{
}
template <typename Act>
static int *attempt(const Act &act)
{
}
int declared(int);
[[noreturn]] void refuse(const char *what)
{
    int shared = 0;
}
} // namespace
static int64_t count;
PyObject *Kept::call(int n)
{
}
END
sed 's/(.*)/(int other)/' "$scratch/unit/a.cpp" >"$scratch/unit/b.cpp"
named_twice "$scratch/unit" | sed 's/:.*//' >"$scratch/twice"
check 'two that do would be found, of each kind' sh -c 'printf "%s\n" Kept Kind Row SOME Values about attempt count made_of methods refuse | diff - "$1"' sh \
    "$scratch/twice"
check 'and their names are read' test "$(names_of templates/hosts/torch/*.cpp templates/hosts/torch/python/*.cpp | wc -l)" -gt 300

# A number in a comment must be that of a list that is here; "rule 7" and "semantics 2.3" were of lists that are not.
numbered() { # FILE...
    grep -nHiE '(^|[^a-z])(rules?|semantics) [0-9]' "$@" && return 1
    return 0
}
check 'no comment refers to a numbered list' numbered $(find cmd gen schema templates tests -name golden -prune -o \( -name '*.[ch]' -o -name '*.mustache' \) -print)
printf '/* Rule 7. */\n' >"$scratch/numbered.c"
if numbered "$scratch/numbered.c" >/dev/null; then not_ok 'one that does would be found'; else ok 'one that does would be found'; fi

# A file that does one thing is read in one sitting; lists (.def) are as long as they are. Still to be split:
# wg_torch_python_call.cpp.
too_long() { # FOLDER...
    find "$@" \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.mustache' -o -name '*.py' \) ! -name wg_torch_python_call.cpp \
        -exec sh -c 'for file; do [ "$(wc -l <"$file")" -le 500 ] || echo "$file: $(wc -l <"$file") lines"; done' sh {} +
}
too_long cmd gen schema templates >"$scratch/long"
if [ -s "$scratch/long" ]; then not_ok 'no file of the product has more than 500 lines' "$scratch/long"; else ok 'no file of the product has more than 500 lines'; fi
mkdir "$scratch/long_folder"
awk 'BEGIN { for (i = 0; i < 501; i++) print "" }' >"$scratch/long_folder/long.c"
check 'one that has would be found' test -n "$(too_long "$scratch/long_folder")"

# The test itself: a stray include is found.
mkdir "$scratch/schema"
printf '#include <stdio.h>\n#  include "../gen/base/str.h"\n' >"$scratch/schema/bad.c"
if one_way "$scratch/schema" "$standard|$own" >/dev/null; then
    not_ok 'a stray include would be found'
else
    ok 'a stray include would be found'
fi
finish
