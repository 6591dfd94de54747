#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deb.sh TOOL FOLDER - makes FOLDER/wrapgen_VERSION_ARCHITECTURE.deb: what `make install PREFIX=/usr` installs, for one's own
# machines and archives. It depends on the libraries that the tool is linked with, in the versions of this machine or later.
# The same tree gives the same bytes: files are as old as SOURCE_DATE_EPOCH, or as the last commit.
set -eu

tool=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
version=$("$tool" --version | sed 's/.* //')
architecture=$(dpkg --print-architecture)
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)}
# As Debian's tools have it from the environment, else who made the last commit.
maintainer=$(git -C "$here" log -1 --format='%an <%ae>' 2>/dev/null || echo 'the wrapgen authors <root@localhost>')
maintainer="${DEBFULLNAME:-${maintainer% <*}} <${DEBEMAIL:-$(echo "$maintainer" | sed 's/.*<//; s/>$//')}>"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# "libyaml-0-2 (>= 0.2.5), ...": the packages with the libraries, found by the name of the file.
depends() {
    objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | while read -r library; do
        package=$(dpkg-query -S "*/$library" | sed -n '1s/:.*//p')
        [ -n "$package" ] || { echo "deb.sh: $library is not from a package" >&2; exit 1; }
        dpkg-query -W -f '${Package} ${Version}\n' "$package" | sed -n '1s/ \([^-]*\).*/ (>= \1)/p'
    done | sort -u | paste -sd, | sed 's/,/, /g'
}

sh "$here/install.sh" "$tool" "$stage" /usr >/dev/null
strip --strip-unneeded "$stage/usr/bin/wrapgen"
mkdir -p "$stage/usr/share/doc/wrapgen" "$stage/DEBIAN"
cp "$here/../../LICENSE" "$stage/usr/share/doc/wrapgen/copyright"
needed=$(depends "$tool")
[ -n "$needed" ]
size=$(du -sk --apparent-size "$stage/usr" | cut -f1)
cat >"$stage/DEBIAN/control" <<CONTROL
Package: wrapgen
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Depends: $needed
Section: devel
Priority: optional
Description: generator of C wrappers around compiled graphs
 Reads YAML that describes inputs, outputs, mutations and aliases of compiled
 graphs, in the vocabulary of PyTorch's AOTAutograd, and writes the functions
 around them, keys and dispatchers, as C.
CONTROL
(cd "$stage" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k 2 >DEBIAN/md5sums)
chmod -R u=rwX,go=rX "$stage"
find "$stage" -exec touch -h -d "@$epoch" {} +
SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group -Zxz --build "$stage" "$folder/wrapgen_${version}_$architecture.deb" >/dev/null
echo "$folder/wrapgen_${version}_$architecture.deb"
