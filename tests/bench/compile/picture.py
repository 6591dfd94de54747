# SPDX-License-Identifier: MIT
"""Times as bars, an SVG beside the JSON: a bar per contestant, as a multiple of its group's first."""

from xml.sax.saxutils import escape


def write_svg(path, groups, unit):
    """`groups` is {group: {contestant: time}}."""
    most = max(time / next(iter(times.values())) for times in groups.values() for time in times.values())
    lines, y = [], 10
    for group, times in groups.items():
        first = next(iter(times))
        for name, time in times.items():
            ratio = time / times[first]
            label = group if name == first else ""
            lines.append(f'<text x="8" y="{y + 14}">{escape(label)}</text><text x="260" y="{y + 14}">{escape(name)}</text>')
            color = "#b0b7bf" if name == first else "#3b6ea5"
            lines.append(f'<rect x="400" y="{y}" width="{360 * ratio / most:.1f}" height="18" fill="{color}"/>')
            lines.append(f'<text x="{408 + 360 * ratio / most:.1f}" y="{y + 14}">{ratio:.2f} ({time:.2f} {unit})</text>')
            y += 22
        y += 16
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="920" height="{y + 10}" font-family="sans-serif" font-size="13">'
    path.write_text("\n".join([head, *lines, "</svg>"]) + "\n", encoding="utf-8")
