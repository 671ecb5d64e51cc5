"""A burn-down in the terminal: what was left of a budget, spend after spend."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCKS = " ▁▂▃▄▅▆▇█"


def draw(shares: Sequence[float], *, width: int = 60, height: int = 6) -> list[str]:
    """Lines of a bar chart of shares between 0 and 1, oldest on the left; a full row is 1 / height."""
    columns = [shares[place] for place in _places(len(shares), width)]
    levels = [round(min(max(share, 0.0), 1.0) * height * 8) for share in columns]
    # A budget that is not quite empty must not look empty.
    levels = [max(level, 1) if share > 0 else 0 for level, share in zip(levels, columns, strict=True)]
    lines = []
    for row in range(height - 1, -1, -1):
        cells = "".join(_BLOCKS[min(max(level - row * 8, 0), 8)] for level in levels)
        label = "100%" if row == height - 1 else "  0%" if row == 0 else "    "
        lines.append(f"{label} ┤{cells}".rstrip())
    return lines


def _places(count: int, width: int) -> list[int]:
    """Which points to draw: all that fit, always the first and the last."""
    if count <= width:
        return list(range(count))
    return [column * (count - 1) // (width - 1) for column in range(width)]
