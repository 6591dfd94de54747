# SPDX-License-Identifier: MIT
"""images.py FOLDER - the images in Triton's C sources: code for this GPU, and 128-bit moves only where every hint allows them."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import triton

DISASSEMBLER = Path(triton.__file__).parent / "backends/nvidia/bin/nvdisasm"
found = {}
for source in sorted(Path(sys.argv[1]).glob("*.c")):
    data = re.search(r"CUBIN_NAME\[\d+\] = \{ (.*?) \};", source.read_text(), re.DOTALL).group(1)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as image:
        image.write(bytes(int(one, 16) for one in data.split(",")))
        image.flush()
        text = subprocess.run([DISASSEMBLER, "-c", image.name], capture_output=True, text=True, check=True).stdout
    assert "sm_80" in text or "EF_CUDA_SM80" in text, text[:300]
    moves = len(re.findall(r"\b(?:LDG|STG)\.E\.128", text))
    found[source.stem] = moves
    print(f"{source.stem}: {moves} moves of 16 bytes")
    assert len(re.findall(r"\b(?:LDG|STG)\.", text)) > 0
assert len(found) == 4 and all((moves > 0) == name.endswith("_0d1d2d3d") for name, moves in found.items()), found
