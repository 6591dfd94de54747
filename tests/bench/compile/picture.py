# SPDX-License-Identifier: MIT
"""Times as bars, an SVG: a bar per contestant, as a multiple of its group's first. Readable on a light and on a dark page.

    python tests/bench/compile/picture.py build/bench/compile.json cmd/wrapgen_torch/gains.svg

makes the picture of the page for users of torch.compile out of what compile.py has measured.
"""

import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

_LINE, _GAP = 22, 16  # height of a bar with the space below it, and the space between groups
_GROUPS_AT, _NAMES_AT, _BARS_AT, _LONGEST = 8, 260, 400, 360
_WIDTH = 920
_STYLE = """<style>
text { fill: #1f2328 } .first { fill: #8c959f } .other { fill: #3b6ea5 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .first { fill: #7d8590 } .other { fill: #79b8ff } }
</style>"""


def write_svg(path, groups, unit=None):
    """`groups` is {group: {contestant: time}}. Without a unit only multiples are shown, which depend less on the machine."""
    most = max(time / next(iter(times.values())) for times in groups.values() for time in times.values())
    lines, y = [], 10
    for group, times in groups.items():
        lines.append(f'<text x="{_GROUPS_AT}" y="{y + 14}">{escape(group)}</text>')
        first = next(iter(times))
        for name, time in times.items():
            ratio = time / times[first]
            length = _LONGEST * ratio / most
            kind = "first" if name == first else "other"
            lines.append(f'<text x="{_NAMES_AT}" y="{y + 14}">{escape(name)}</text>')
            lines.append(f'<rect class="{kind}" x="{_BARS_AT}" y="{y}" width="{length:.1f}" height="18"/>')
            value = f" ({time:.2f} {unit})" if unit else ""
            lines.append(f'<text x="{_BARS_AT + 8 + length:.1f}" y="{y + 14}">{ratio:.2f}{value}</text>')
            y += _LINE
        y += _GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{y}" font-family="sans-serif" font-size="13">'
    path.write_text("\n".join([head, _STYLE, *lines, "</svg>"]) + "\n", encoding="utf-8")


def main():
    measured, out = map(Path, sys.argv[1:])
    rows = json.loads(measured.read_text(encoding="utf-8"))
    contestants = {"torch.compile": "torch.compile", "built": "backend", "loaded": "load"}
    groups = {program: {said: row[name] for name, said in contestants.items() if name in row} for program, row in rows.items()}
    write_svg(out, groups)


if __name__ == "__main__":
    main()
