#!/bin/sh
# SPDX-License-Identifier: MIT
#
# supply.sh - what is installed and shipped: every Python package that tests install is pinned with a hash; the tool has the same bytes
# whichever folder it is built in; its list of parts (SPDX) names what it is linked with.
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 1

# PyTorch is another file on each index, as requirements.txt says. Several hashes are those of several Pythons.
unpinned() {
    grep -hv "^#" cmd/wrapgen_torch/requirements*.txt tests/bench/distributed/requirements.txt tests/editor/requirements.txt | sed '/^$/d' | grep -vE '^[A-Za-z0-9_.-]+==[0-9][^ ]*( python_version [<>=]+ "3\.[0-9]+")?( --hash=sha256:[0-9a-f]{64})+$' |
        grep -v '^torch==[0-9.]*$' >"$scratch/unpinned"
    cat "$scratch/unpinned"
    [ ! -s "$scratch/unpinned" ]
}
check 'every Python package that tests install is pinned with a hash' unpinned
check 'and so is what builds the wheel, to a version' grep -q '^requires = \["setuptools==[0-9.]*"\]$' cmd/pyproject.toml

# A copy elsewhere, with the flags that $WRAPGEN was built with.
built_elsewhere() {
    copy_checkout "$scratch/elsewhere/deeper" Makefile cmd gen schema templates &&
        make -s -j2 -C "$scratch/elsewhere/deeper" CC="$CC" EXTRA="$EXTRA" BUILD=build >"$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }
    cmp "$WRAPGEN" "$scratch/elsewhere/deeper/build/wrapgen"
}
check 'the tool has the same bytes in another folder' built_elsewhere

parts() { # of the list, the packages that the tool is linked with
    sh cmd/install/sbom.sh "$WRAPGEN" >"$scratch/parts.json" && cat "$scratch/parts.json"
}
check 'the list of parts is written' parts
for library in $(ldd "$WRAPGEN" 2>/dev/null | sed -nE 's/^[[:space:]]*lib([a-z]+)(-[0-9]+)?\.so.*/lib\1/p' | grep -vE '^(libc|libm|libpthread|libasan|libubsan|libgcc_s|libstdc)$'); do
    check "it names $library" grep -q "DYNAMIC_LINK\", \"relatedSpdxElement\": \"SPDXRef-$library\"" "$scratch/parts.json"
    check "and the version of $library" grep -q "\"name\": \"$library\", \"versionInfo\": \"[0-9]" "$scratch/parts.json"
done
check 'it has the checksum of the tool' grep -q "$(sha256sum "$WRAPGEN" | cut -d' ' -f1)" "$scratch/parts.json"
sh cmd/install/sbom.sh "$WRAPGEN" >"$scratch/again.json"
check 'and is the same when it is written again' cmp "$scratch/parts.json" "$scratch/again.json"
finish
