# SPDX-License-Identifier: MIT
"""pip, for a test of .ci/setup.sh: installs the names and versions that it is asked for, and of torch the build for CUDA from whatever index, as
pip does where its configuration has another index besides. What it was asked for goes to $PIP_LOG."""

import os
import sys
import sysconfig
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement

words = sys.argv[1:]
place = Path(sysconfig.get_paths()["purelib"])
with open(os.environ["PIP_LOG"], "a") as log:
    log.write(" ".join(words) + "\n")
files = [words[i + 1] for i, word in enumerate(words) if word == "-r"]
lines = [line.split("--hash")[0].strip() for name in files for line in open(name) if not line.startswith("#")]
for wanted in map(Requirement, filter(None, [*lines, *(word for word in words if "==" in word)])):
    if wanted.marker is not None and not wanted.marker.evaluate():
        continue
    version = str(wanted.specifier).removeprefix("==")
    folder = place / f"{wanted.name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(exist_ok=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {wanted.name}\nVersion: {version}\n")
    if wanted.name == "torch":
        (place / "torch").mkdir(exist_ok=True)
        (place / "torch" / "version.py").write_text(f"__version__ = '{version}+cu130'\ncuda: Optional[str] = '13.0'\n")
