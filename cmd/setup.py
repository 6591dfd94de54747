# SPDX-License-Identifier: MIT
"""What `pip install ./cmd` does beyond pyproject.toml: make builds the tool, and the wheel carries it.

The templates are inside the tool. All that is built goes to a folder of its own outside the repository, so that nothing of an
earlier build can come into a wheel.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

ROOT = Path(__file__).resolve().parent.parent
COMPILER = shlex.split(os.environ.get("CC", "cc"))
LIBRARIES = (("stdio.h", "c", "a C compiler"), ("yaml.h", "yaml", "libyaml-dev"), ("cyaml/cyaml.h", "cyaml", "libcyaml-dev"))


def refuse_what_is_missing(scratch):
    """One message that lists everything the tool needs and that is missing."""
    if not (ROOT / "Makefile").exists():
        sys.exit("wrapgen-torch must be built in its repository (pip install ./cmd), which has the tool's sources next to this folder")
    missing = [package for header, library, package in LIBRARIES if not links(header, library, scratch)]
    if not runs(["make", "--version"]):
        missing.append("make")
    if missing:
        names = ", ".join(missing)
        sys.exit(f"wrapgen is written in C and is built from source, which needs: {names}.\n"
                 "On Debian or Ubuntu: apt install gcc make libyaml-dev libcyaml-dev")  # fmt: skip


def links(header, library, scratch):
    program = Path(scratch) / "probe.c"
    program.write_text(f"#include <{header}>\nint main(void) {{ return 0; }}\n")
    return runs([*COMPILER, "-o", program.with_suffix(""), program, f"-l{library}"])


def runs(command):
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class BuildTool(build_py):
    def run(self):
        super().run()
        with tempfile.TemporaryDirectory() as scratch:
            refuse_what_is_missing(scratch)
            tool = Path(scratch) / "wrapgen"
            # make's own settings, of whoever runs pip from a Makefile, are not for this build.
            environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "BUILD", "VARIANT", "EXTRA")}
            command = ["make", "-s", "-C", ROOT, f"-j{os.cpu_count()}", f"BUILD={scratch}", f"CC={shlex.join(COMPILER)}", tool]
            subprocess.run(command, env=environment, check=True)
            self.copy_file(str(tool), self._place(), preserve_times=False)

    def _place(self):
        place = Path(self.build_lib) / "wrapgen_torch" / "bin"
        self.mkpath(str(place))
        return str(place / "wrapgen")

    def get_outputs(self, include_bytecode=1):
        return [*super().get_outputs(include_bytecode), os.path.join(self.build_lib, "wrapgen_torch", "bin", "wrapgen")]


class PlatformWheel(bdist_wheel):
    """Any Python 3 may run it, on this platform."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


with tempfile.TemporaryDirectory(prefix="wrapgen-wheel-") as folder:
    options = {"build": {"build_base": folder}, "egg_info": {"egg_base": folder}, "bdist_wheel": {"bdist_dir": f"{folder}/wheel"}}
    setup(cmdclass={"build_py": BuildTool, "bdist_wheel": PlatformWheel}, distclass=PlatformDistribution, options=options)
