"""Released answers as plain SVG: horizontal bars with their intervals, numbers and escaped keys only."""

from __future__ import annotations

from typing import Any

from privet.artifact import Answer, ReleasedAnswer
from privet.report._chart import Scale, path, picture, rect, short, text

_ROWS = 60  # bars drawn at most; tables beside them are complete
_WIDTH, _LEFT, _RIGHT, _LINE = 560, 190, 90, 22
_TITLE = 24


def labels_of(answer: ReleasedAnswer) -> list[str]:
    """What each row is called: its keys."""
    return [
        " · ".join(key_text(values[row]) for values in answer.keys.values()) or "all"
        for row in range(len(answer))
    ]


def key_text(value: Any) -> str:
    """A key for people."""
    return "(missing)" if value is None else str(value)


def bars_figure(labels: list[str], column: Answer) -> str:
    """One answer as bars with their intervals, with a title and a description."""
    parts, height = _bars(labels, column, 0)
    return _picture(height + 8, column.name, column.meaning, parts)


def answer_figure(answer: ReleasedAnswer) -> str:
    """Every answer as bars, one under the other."""
    labels, top = labels_of(answer), 0
    parts: list[str] = []
    for warning in answer.warnings():
        parts.append(text(8, top + 16, warning.partition(":")[0], kind="strong"))
        top += _TITLE
    for column in answer.answers:
        parts.append(text(_LEFT, top + 16, column.name, kind="strong"))
        bars, height = _bars(labels, column, top + _TITLE)
        parts += bars
        top += _TITLE + height + 8
    said = "; ".join(f"{column.name}: {column.meaning}" for column in answer.answers)
    return _picture(top, "Private answer", said, parts)


def _picture(height: int, title: str, meaning: str, parts: list[str]) -> str:
    said = f"{meaning}; the same numbers stand in the table below."
    return picture(_LEFT + _WIDTH + _RIGHT, height, title, said, parts)


def _bars(labels: list[str], column: Answer, top: int) -> tuple[list[str], int]:
    shown = [i for i, value in enumerate(column.values) if value is not None][:_ROWS]
    ends = [
        end for i in shown for end in (column.values[i], column.low[i], column.high[i], 0) if end is not None
    ]
    at = Scale(min(ends, default=0), max(ends, default=1), _LEFT, _LEFT + _WIDTH, clamped=False)
    parts = []
    for place, i in enumerate(shown):
        value, low, high, y = column.values[i], column.low[i], column.high[i], top + place * _LINE + 6
        if value is None:
            continue
        low, high = value if low is None else low, value if high is None else high
        start, end = sorted((at(0), at(value)))
        ticks = "".join(f"M{short(at(bound))} {y + 3}v8" for bound in (low, high))
        parts += [
            text(_LEFT - 8, y + 12, labels[i][:28], anchor="end"),
            rect(start, y, max(end - start, 0.5), 14, fill="#2f7d4f", opacity=".55"),
            path(f"M{short(at(low))} {y + 7}H{short(at(high))}{ticks}", stroke="currentColor", fill="none"),
            text(at(max(high, value)) + 6, y + 12, _number(value)),
        ]
    return parts, _LINE * len(shown)


def _number(value: float) -> str:
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:,.4g}"
        if abs(value) < 10_000
        else f"{value:,.0f}"
    )
