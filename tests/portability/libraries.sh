# SPDX-License-Identifier: MIT
#
# Sourced by run.sh: libyaml and libcyaml for a target that Debian has no packages of, or none that can be linked here. Their
# sources come from the mirror of Debian that apt knows, each as libraries.txt has its hash, and stay in $BUILD.
sources=$BUILD/tests/portability/libraries

library_field() { # NAME N
    awk -F' *[|] *' -v name="$1" -v n="$2" '$1 == name { print $n }' "$root/tests/portability/libraries.txt"
}

library_source() { # NAME: its folder
    echo "$sources/$1-$(library_field "$1" 2)"
}

# apt's own helper knows of proxies, and compares the hash.
library_fetch() { # NAME
    file=$(library_field "$1" 3)
    [ ! -d "$(library_source "$1")" ] || return 0
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
    mkdir -p "$sources" && rm -f "$sources/fetched" &&
        /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "$mirror$file" "$sources/fetched" "SHA256:$(library_field "$1" 4)" &&
        tar -xzf "$sources/fetched" -C "$sources"
}

libraries_fetch() {
    library_fetch libyaml && library_fetch libcyaml
}

libraries_include() { # flags
    echo "-I$(library_source libyaml)/include -I$(library_source libcyaml)/include"
}

# Their objects in a folder, by $compiler; what their own build files define, the version, is defined here.
libraries_build() { # FOLDER
    version=$(library_field libyaml 2)
    mkdir -p "$1/yaml" "$1/cyaml"
    # shellcheck disable=SC2046,SC2086 # lists of flags
    (cd "$1/yaml" && $compiler -w $flags $(libraries_include) $(library_numbers YAML_VERSION_ "$version") -DYAML_VERSION_STRING="\"$version\"" \
        -c "$(library_source libyaml)"/src/*.c) &&
        (cd "$1/cyaml" && $compiler -std=c11 -w $flags -D_DEFAULT_SOURCE -DVERSION_DEVEL=0 $(libraries_include) \
            $(library_numbers VERSION_ "$(library_field libcyaml 2)") -c "$(library_source libcyaml)"/src/*.c)
}

library_numbers() { # PREFIX VERSION: flags
    echo "$2" | awk -F. -v prefix="$1" '{ print "-D" prefix "MAJOR=" $1, "-D" prefix "MINOR=" $2, "-D" prefix "PATCH=" $3 }'
}
