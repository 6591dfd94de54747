#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sbom.sh TOOL - prints what the built tool consists of and links, as SPDX 2.3 in JSON: `make sbom`, and installed as
# share/wrapgen/wrapgen.spdx.json. The same tool gives the same bytes: `created` is the time of SOURCE_DATE_EPOCH, or of the last
# commit, or 1970. Python packages are not part of the tool; cmd/wrapgen_torch/requirements*.txt pin those that tests install.
set -eu
LC_ALL=C
export LC_ALL
tool=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
version=$("$tool" --version | sed 's/.* //')
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
checksum=$(sha256sum "$tool" | cut -d' ' -f1)

found() { # PKG-CONFIG-NAME: its version
    pkg-config --modversion "$1" 2>/dev/null || echo NOASSERTION
}

package() { # NAME VERSION LICENCE DOWNLOAD MORE
    printf '    {"SPDXID": "SPDXRef-%s", "name": "%s", "versionInfo": "%s", "licenseConcluded": "%s", "licenseDeclared": "%s",\n' \
        "$1" "$1" "$2" "$3" "$3"
    printf '     "copyrightText": "NOASSERTION", "downloadLocation": "%s", "filesAnalyzed": false%s}' "$4" "$5"
}

relation() { # FROM KIND TO
    printf '    {"spdxElementId": "SPDXRef-%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' "$1" "$2" "$3"
}

cat <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "wrapgen-$version",
  "documentNamespace": "https://spdx.org/spdxdocs/wrapgen-$version-$checksum",
  "creationInfo": {"created": "$created", "creators": ["Tool: wrapgen-sbom.sh"]},
  "packages": [
$(package wrapgen "$version" MIT NOASSERTION ", \"checksums\": [{\"algorithm\": \"SHA256\", \"checksumValue\": \"$checksum\"}]"),
$(package wrapgen-parts "$version" 0BSD NOASSERTION ', "comment": "the templates, and the C that generated code builds on; in the tool, and installed with it"'),
$(package libcyaml "$(found libcyaml)" ISC https://github.com/tlsa/libcyaml ''),
$(package libyaml "$(found yaml-0.1)" MIT https://github.com/yaml/libyaml '')
  ],
  "relationships": [
$(relation DOCUMENT DESCRIBES wrapgen),
$(relation wrapgen CONTAINS wrapgen-parts),
$(relation wrapgen DYNAMIC_LINK libcyaml),
$(relation wrapgen DYNAMIC_LINK libyaml)
  ]
}
END
