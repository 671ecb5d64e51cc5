"""One column of a twin beside the real rows, as plain SVG: pairs of bars, numbers and escaped names only."""

from __future__ import annotations

from collections.abc import Sequence

from privet.report._chart import Scale, cut, legend, picture, rect, text

_MOST = 30  # values drawn; the table beside them is complete
_LEFT, _WIDE, _RIGHT, _LINE, _TOP = 190, 420, 60, 26, 34
_TWIN, _REAL = "var(--leaf)", "var(--soft)"


def shares_figure(name: str, labels: Sequence[str], twin: Sequence[float], real: Sequence[float]) -> str:
    """The share of each value: the twin's bar above the real one. Values that nobody has are left out."""
    seen = [at for at in range(len(labels)) if twin[at] > 0 or real[at] > 0]
    shown = (
        seen if len(seen) <= _MOST else sorted(sorted(seen, key=lambda at: -max(twin[at], real[at]))[:_MOST])
    )
    most = max([twin[at] for at in shown] + [real[at] for at in shown], default=1.0) or 1.0
    along = Scale(0, most, 0, _WIDE)
    parts = [
        legend(
            [(rect(-5, -6, 10, 10, fill=_TWIN), "twin"), (rect(-5, -6, 10, 10, fill=_REAL), "real rows")],
            [(_LEFT, 14), (_LEFT + 90, 14)],
            10,
        )
    ]
    for place, at in enumerate(shown):
        top = _TOP + place * _LINE
        parts += [
            text(_LEFT - 8, top + 15, cut(labels[at], 28), anchor="end"),
            rect(_LEFT, top + 2, max(along(twin[at]), 0.5), 9, fill=_TWIN),
            rect(_LEFT, top + 12, max(along(real[at]), 0.5), 9, fill=_REAL),
            text(
                _LEFT + max(along(twin[at]), along(real[at])) + 6,
                top + 15,
                f"{twin[at]:.3f} / {real[at]:.3f}",
            ),
        ]
    left_out = len(seen) - len(shown)
    said = "Shares of the twin's rows and of real rows, value by value." + (
        f" The {len(shown)} largest of {len(seen)}." if left_out else ""
    )
    height = _TOP + _LINE * len(shown) + 8
    return picture(_LEFT + _WIDE + _RIGHT + 40, height, name, said, parts)
