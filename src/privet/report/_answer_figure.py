"""Released answers as plain SVG: horizontal bars with their intervals, numbers and escaped keys only."""

from __future__ import annotations

from typing import Any

from markupsafe import escape

from privet.artifact import Answer, ReleasedAnswer

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
    return "".join(["<svg", *_open(height + 8, column.name, column.meaning), *parts, "</svg>"])


def answer_figure(answer: ReleasedAnswer) -> str:
    """Every answer as bars, one under the other."""
    labels, top = labels_of(answer), 0
    parts: list[str] = []
    for column in answer.answers:
        parts.append(f'<text x="{_LEFT}" y="{top + 16}" class="strong">{escape(column.name)}</text>')
        bars, height = _bars(labels, column, top + _TITLE)
        parts += bars
        top += _TITLE + height + 8
    said = "; ".join(f"{column.name}: {column.meaning}" for column in answer.answers)
    # Outside of a page a picture says itself what it is.
    return "".join(
        ['<svg xmlns="http://www.w3.org/2000/svg"', *_open(top, "Private answer", said), *parts, "</svg>"]
    )


def _open(height: int, title: str, meaning: str) -> tuple[str, ...]:
    return (
        f' role="img" viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {height}" width="100%">',
        f"<title>{escape(title)}</title><desc>{escape(meaning)}; the same numbers stand in the table below.</desc>",
    )


def _bars(labels: list[str], column: Answer, top: int) -> tuple[list[str], int]:
    shown = [i for i, value in enumerate(column.values) if value is not None][:_ROWS]
    ends = [end for i in shown for end in (column.low[i], column.high[i], 0) if end is not None]
    least, most = (min(ends), max(ends)) if ends else (0, 1)
    scale = _WIDTH / ((most - least) or 1)

    def at(value: float) -> float:
        return round(_LEFT + (value - least) * scale, 1)

    parts = []
    for place, i in enumerate(shown):
        value, low, high, y = column.values[i], column.low[i], column.high[i], top + place * _LINE + 6
        if value is None or low is None or high is None:
            continue
        start, end = sorted((at(0), at(value)))
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(labels[i][:28])}</text>'
            f'<rect x="{start}" y="{y}" width="{max(end - start, 0.5):.1f}" height="14" fill="#2f7d4f" opacity=".55"/>'
            f'<path d="M{at(low)} {y + 7}H{at(high)}M{at(low)} {y + 3}v8M{at(high)} {y + 3}v8" stroke="currentColor" fill="none"/>'
            f'<text x="{at(max(high, value)) + 6}" y="{y + 12}">{_number(value)}</text>'
        )
    return parts, _LINE * len(shown)


def _number(value: float) -> str:
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:,.4g}"
        if abs(value) < 10_000
        else f"{value:,.0f}"
    )
