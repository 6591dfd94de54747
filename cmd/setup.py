# SPDX-License-Identifier: MIT
"""What `pip install ./cmd` does beyond pyproject.toml: make builds the tool, and the wheel carries it.

The templates are inside the tool. libyaml and libcyaml are, too, where the linker finds them as archives, so that the wheel needs nothing
but the C library; its name then says which version of that (PEP 600). All that is built goes to a folder of its own outside the
repository, so that nothing of an earlier build can come into a wheel.
"""

import os
import re
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
ARCHIVES = ("-l:libcyaml.a", "-l:libyaml.a")
C_LIBRARY = re.compile(r"lib[cm]\.so\.6|ld-linux.*")  # of what PEP 600 lets a wheel need, what the tool does
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
                 "On Debian or Ubuntu: apt install gcc make libyaml-dev libcyaml-dev; builds of wrappers need g++ python3-dev, too")  # fmt: skip


def links(header, library, scratch):
    return can_link(f"#include <{header}>\n", [f"-l{library}"], scratch)


def can_link(text, words, scratch):
    program = Path(scratch) / "probe.c"
    program.write_text(f"{text}int main(void) {{ return 0; }}\n")
    return runs([*COMPILER, "-o", program.with_suffix(""), program, *words])


def platform_of(tool, usual):
    """The platform that the tool runs on: manylinux with the newest version of the C library's symbols that it uses, `usual` where it needs
    any other library, or the system has other tools or another C library."""
    try:
        needed = subprocess.run(["readelf", "-dW", tool], capture_output=True, text=True, check=True).stdout
        symbols = subprocess.run(["objdump", "-T", tool], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return usual
    libraries = re.findall(r"\(NEEDED\)[^\[]*\[([^\]]*)\]", needed)
    versions = [tuple(map(int, version.split("."))) for version in re.findall(r"\bGLIBC_([0-9.]+)", symbols)]
    if not versions or not all(C_LIBRARY.fullmatch(one) for one in libraries) or not usual.startswith("linux_"):
        return usual
    major, minor = max([(2, 17), *(version[:2] for version in versions)])
    return f"manylinux_{major}_{minor}_{usual.removeprefix('linux_')}"


def runs(command):
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class BuildTool(build_py):
    def run(self):
        with tempfile.TemporaryDirectory() as scratch:
            refuse_what_is_missing(scratch)
            super().run()
            tool = Path(scratch) / "wrapgen"
            # make's own settings, of whoever runs pip from a Makefile, are not for this build.
            environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "BUILD", "VARIANT", "EXTRA")}
            command = ["make", "-s", "-C", ROOT, f"-j{os.cpu_count()}", f"BUILD={scratch}", f"CC={shlex.join(COMPILER)}", tool]
            if can_link("", ARCHIVES, scratch):
                command.append(f"LDLIBS={' '.join(ARCHIVES)}")
            subprocess.run(command, env=environment, check=True)
            self.copy_file(str(tool), self._place(), preserve_times=False)

    def _place(self):
        place = Path(self.build_lib) / "wrapgen_torch" / "bin"
        self.mkpath(str(place))
        return str(place / "wrapgen")

    def get_outputs(self, include_bytecode=1):
        return [*super().get_outputs(include_bytecode), os.path.join(self.build_lib, "wrapgen_torch", "bin", "wrapgen")]


class PlatformWheel(bdist_wheel):
    """Any Python 3 may run it, on the platform of the tool."""

    def get_tag(self):
        tool = Path(self.get_finalized_command("build").build_lib) / "wrapgen_torch" / "bin" / "wrapgen"
        return "py3", "none", platform_of(tool, super().get_tag()[2])


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="wrapgen-wheel-") as folder:
        options = {"build": {"build_base": folder}, "egg_info": {"egg_base": folder}, "bdist_wheel": {"bdist_dir": f"{folder}/wheel"}}
        setup(cmdclass={"build_py": BuildTool, "bdist_wheel": PlatformWheel}, distclass=PlatformDistribution, options=options)
