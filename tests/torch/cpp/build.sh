# SPDX-License-Identifier: MIT
#
# Sourced, after examples/aoti/torch.sh: the torch host's objects, compiled once and kept in $BUILD/torch_host until a source
# changes. PyTorch's headers take ten seconds and more a file, whatever is in it.
cpp_include="-I$root/templates/core -I$root/templates/hosts/torch"
cpp_warnings='-Wall -Wextra -Wconversion -Wshadow -Wvla -Wcast-qual -Werror'
: "${CXX:=c++}"

# Is OBJECT there, and newer than each of FILE...?
is_current() { # OBJECT FILE...
    object=$1
    shift
    [ -f "$object" ] || return 1
    for file in "$@"; do
        [ "$object" -nt "$file" ] || return 1
    done
}

compile_cpp() { # OBJECT SOURCE FLAG...
    made=$1
    source=$2
    shift 2
    # shellcheck disable=SC2086
    is_current "$made" "$source" "$(dirname "$source")"/*.h* "$root"/templates/hosts/torch/*.h* "$root"/templates/core/*.h || {
        $CXX -std=c++20 $cpp_warnings "$@" -isystem "$TORCH_DIR/include" $cpp_include -c -o "$made.new" "$source" &&
            mv "$made.new" "$made"
    }
}

# Leaves the objects' names in $cpp_objects. Flags are those of the folder NAME.
build_torch_host() { # NAME FLAG...
    folder=$BUILD/torch_host/$1
    shift
    mkdir -p "$folder" || return 1
    cpp_objects=
    for source in "$root"/templates/hosts/torch/*.cpp; do
        object=$folder/$(basename "$source" .cpp).o
        compile_cpp "$object" "$source" "$@" || return 1
        cpp_objects="$cpp_objects $object"
    done
    for source in "$root"/templates/core/*.c; do
        object=$folder/$(basename "$source" .c).o
        # shellcheck disable=SC2086
        is_current "$object" "$source" "$root"/templates/core/*.h ||
            $CC -std=c11 $cpp_warnings "$@" $cpp_include -c -o "$object" "$source" || return 1
        cpp_objects="$cpp_objects $object"
    done
}
