# SPDX-License-Identifier: MIT
"""The host's C++ is compiled in units of several sources: they do not need their order, and what is kept in the cache is of all of them."""

import os
import shutil
import tempfile
from pathlib import Path
from unittest.mock import patch

from scenario import TorchHost, test

from wrapgen_torch import extension


@test
def the_order_of_a_units_sources_is_free():
    """Each includes what it needs, and none sees what another has for itself. Without warnings, and with clang where it is installed."""
    parts = TorchHost.get().folder
    clang = {"CXX": "clang++"} if shutil.which("clang++") else {}
    with patch.dict(os.environ, clang), tempfile.TemporaryDirectory() as folder:
        for unit in extension.cpp_units(parts):
            assert len(unit) > 5, unit
            source = Path(folder) / "reversed.cpp"
            source.write_text(extension.joined(unit[::-1]))
            extension.run([*extension._cpp_command(), *extension._includes(parts), "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source])


@test
def an_object_is_of_all_that_it_is_made_of():
    with tempfile.TemporaryDirectory() as folder:
        parts = Path(folder) / "parts"
        shutil.copytree(TorchHost.get().folder, parts)

        def objects():
            return {path.name for path in extension._made_of(parts, Path(folder))}

        before = objects()
        units = extension.cpp_units(parts)
        for source in sum(units, []):
            text = source.read_text()
            source.write_text(text + "/* changed */\n")
            assert len(before - objects()) == 1, f"{source.name}: one unit, and no other"
            source.write_text(text)
        header = units[0][0].parent / "wg_torch_python_inside.hpp"
        text = header.read_text()
        header.write_text(text + "/* changed */\n")
        assert not before & objects()
        header.write_text(text)
        with patch.object(extension, "_CPP_FLAGS", [*extension._CPP_FLAGS, "-g"]):
            assert not before & objects()
        with patch.object(extension, "joined", lambda unit: "/* another way */"):
            assert not before & objects()
        assert objects() == before
