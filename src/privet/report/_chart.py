"""What every figure is drawn with: scales, ticks, axes, marks and legends as plain SVG.

No script, the same to the byte each time. Whatever comes in as text goes out escaped, and every picture has a title
and a description that say in words what it shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet._outgoing_text import for_svg

if TYPE_CHECKING:
    from markupsafe import Markup

Place = tuple[float, float]
Attribute = float | str | None


@dataclass(frozen=True, slots=True)
class Scale:
    """Where a value lies between two ends of the picture; values beyond `low` and `high` stay at the ends if `clamped`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    clamped: bool = True

    def __call__(self, value: float) -> float:
        """The place of a value."""
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        if self.log:
            value = math.log10(max(value, self.low) if self.clamped else value)
        share = (value - low) / ((high - low) or 1)
        if self.clamped:
            share = min(1.0, max(0.0, share))
        return self.start + share * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Plot:
    """A rectangle to draw in, with margins for the axes."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int

    @property
    def x_end(self) -> int:
        """Where the x axis ends."""
        return self.width - self.right

    @property
    def y_end(self) -> int:
        """Where the x axis lies."""
        return self.height - self.bottom

    def x(self, low: float, high: float, *, log: bool = False) -> Scale:
        """Values from left to right."""
        return Scale(low, high, self.left, self.x_end, log)

    def y(self, low: float, high: float, *, log: bool = False, clamped: bool = True) -> Scale:
        """Values from the bottom up."""
        return Scale(low, high, self.y_end, self.top, log, clamped)

    def y_ticks(self, scale: Scale, marks: Iterable[tuple[float, str]]) -> str:
        """Lines across the plot, each with its label on the left."""
        return "".join(
            path(f"M{short(self.left)} {short(scale(value))}H{short(self.x_end)}", kind="grid")
            + text(self.left - 8, scale(value) + 4, label, anchor="end")
            for value, label in marks
        )

    def x_ticks(self, scale: Scale, marks: Iterable[tuple[float, str]], *, grid: bool = True) -> str:
        """Labels under the plot, each with a line up if `grid`."""
        return "".join(
            (
                path(f"M{short(scale(value))} {short(self.top)}V{short(self.y_end)}", kind="grid")
                if grid
                else ""
            )
            + text(scale(value), self.y_end + 18, label, anchor="middle")
            for value, label in marks
        )

    def axis_names(self, across: str, up: str = "") -> str:
        """What the axes mean."""
        named = text((self.left + self.x_end) / 2, self.height - 12, across, anchor="middle", kind="axis")
        if not up:
            return named
        turned = f"translate(16 {short((self.top + self.y_end) / 2)}) rotate(-90)"
        return named + text(0, 0, up, anchor="middle", kind="axis", transform=turned)


def picture(
    width: float, height: float, title: str, said: str, parts: Iterable[str], **attributes: Attribute
) -> Markup:
    """A whole picture, ready for a page; it shrinks with the page, and does not grow beyond its own width."""
    from markupsafe import Markup

    box = {"role": "img", "viewBox": f"0 0 {short(width)} {short(height)}", "width": "100%"}
    look = attributes or {"style": f"max-width:{short(width)}px"}
    head = f'<svg xmlns="http://www.w3.org/2000/svg"{_written({**box, **look})}>'
    words = f"<title>{plain(title)}</title><desc>{plain(said)}</desc>"
    return Markup("".join([head, words, *parts, "</svg>"]))  # noqa: S704  every text in it was escaped here


def mark(shape: str, said: str = "", **attributes: Attribute) -> str:
    """One shape. `kind` is its class, `_` in a name stands for `-`, and `said` is what it shows in words."""
    inside = f"><title>{plain(said)}</title></{shape}>" if said else "/>"
    return f"<{shape}{_written(attributes)}{inside}"


def text(x: float, y: float, words: str, *, anchor: str | None = None, **attributes: Attribute) -> str:
    """Words at a place."""
    return f"<text{_written({'x': x, 'y': y, 'text_anchor': anchor, **attributes})}>{plain(words)}</text>"


def rect(x: float, y: float, width: float, height: float, **attributes: Attribute) -> str:
    """A bar or a box."""
    return mark("rect", "", x=x, y=y, width=width, height=height, **attributes)


def dot(x: float, y: float, r: float, said: str = "", **attributes: Attribute) -> str:
    """A point, or with no fill a ring."""
    return mark("circle", said, cx=x, cy=y, r=r, **attributes)


def path(d: str, said: str = "", **attributes: Attribute) -> str:
    """Lines, as SVG writes them."""
    return mark("path", said, d=d, **attributes)


def line(places: Iterable[Place], said: str = "", **attributes: Attribute) -> str:
    """A line through places; nothing for none."""
    steps = "L".join(f"{short(x)} {short(y)}" for x, y in places)
    return path(f"M{steps}", said, **attributes) if steps else ""


def legend(entries: Iterable[tuple[str, str]], places: Iterable[Place], gap: float, kind: str = "") -> str:
    """What marks mean: each is drawn around (0, 0), moved to its place, and its words stand `gap` to the right."""
    return "".join(
        f'<g transform="translate({short(x)} {short(y)})">{symbol}{text(gap, 4, words, kind=kind)}</g>'
        for (symbol, words), (x, y) in zip(entries, places, strict=False)
    )


def round_step(span: float) -> float:
    """A round distance between ticks: 1, 2 or 5 times a power of ten, four to eight of them in the span."""
    power: float = 10.0 ** math.floor(math.log10(span / 4))
    return next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 8)


def ticks(low: float, high: float) -> list[float]:
    """Round values between two ends."""
    step = round_step(high - low)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(at * step, 12) + 0.0 for at in range(first, last + 1)]


def short(value: float) -> str:
    """A place in a picture: a hundredth of a point is more than can be seen."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def cut(words: str, most: int) -> str:
    """Words, or their beginning where there are too many."""
    return words if len(words) <= most else f"{words[: max(most - 1, 1)]}…"


def plain(words: Any) -> str:
    """Text that cannot be taken for markup."""
    return for_svg(words)


def _written(attributes: dict[str, Attribute]) -> str:
    given = {name: value for name, value in attributes.items() if value is not None and value != ""}
    return "".join(
        f' {"class" if name == "kind" else name.replace("_", "-")}="'
        f'{plain(value) if isinstance(value, str) else short(value)}"'
        for name, value in given.items()
    )
