# SPDX-License-Identifier: MIT
"""PyTorch's test suites, out of the source package that Debian has of it, into a folder; prints where they are then.

  fetch.py FOLDER      ends with 3 where there is no apt to fetch it with, and nothing else is wrong

One file is fetched, by the apt of the machine and from its mirror, and has the hash that is stated here. What is in the folder
already is left alone.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "2.6.0"  # of Debian 13, which stays there
NAME = f"pytorch_{VERSION}+dfsg.orig.tar.xz"
HASH = "099a9601bc40d67656e75735c44abedb0fbe92d08817852ab7472eebb7e6ddff"
WANTED = ("functorch/", "dynamo/", "inductor/", "test_nestedtensor.py")
REWRITTEN = {
    # PyTorch's node of a graph is a CompiledFunctionBackward, and one that was made in C++ is a CppFunction; no other has that word
    b'"CompiledFunctionBackward" in str(': b'"Function" in str(',
    # newer versions pass more, and all tests of a file would fail
    b"hook_fn(self, guard_manager_wrapper, f_locals)": b"hook_fn(self, guard_manager_wrapper, f_locals, *_)",
}
HELPER = Path(os.environ.get("APT_HELPER", "/usr/lib/apt/apt-helper"))
NO_APT = 3
# Where Debian's archive is for those whose apt knows another distribution's.
MIRRORS = ("http://deb.debian.org/debian/", "http://archive.debian.org/debian/")


def mirrors():
    """The archives that apt fetches from here, and Debian's own."""
    said = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"], capture_output=True, text=True)
    return list(dict.fromkeys([line for line in said.stdout.split() if line.endswith("/debian/")] + list(MIRRORS)))


def fetch(place):
    """Without apt's settings of who downloads: the folder may be closed to that user."""
    said = []
    for mirror in mirrors():
        address = f"{mirror}pool/main/p/pytorch/{NAME}"
        command = [HELPER, "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=2", "download-file", address, place, f"SHA256:{HASH}"]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if result.returncode == 0:
            return
        said.append(f"{address}: {result.stderr.strip() or result.stdout.strip()}")
    raise SystemExit("\n".join(said))


def unpack(archive, folder):
    """The tests alone: some of many."""
    with tarfile.open(archive) as file:
        for member in file:
            _, _, path = member.name.partition("/test/")
            if path.startswith(WANTED) and (member.isfile() or member.isdir()):
                member.name = path
                file.extract(member, folder, filter="data")
                if member.isfile():
                    rewrite(folder / path)


def rewrite(file):
    text = file.read_bytes()
    for theirs, ours in REWRITTEN.items():
        text = text.replace(theirs, ours)
    file.write_bytes(text)


def main(folder):
    there = folder / f"tests-{hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]}"
    if not there.exists():
        if not HELPER.exists():
            return NO_APT
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as new:
            fetch(Path(new) / NAME)
            unpack(Path(new) / NAME, Path(new) / "test")
            shutil.move(Path(new) / "test", there)
    print(there)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
