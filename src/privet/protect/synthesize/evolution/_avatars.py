"""Drawn faces as a simulator: a generator of pictures of people who do not exist, which needs no model.

Sim-PE (Lin, Baltrusaitis, Yekhanin 2025) evolves avatars where private pictures are portraits: a program draws a face from a
few parameters, and nearby parameters make a variation of it. Here the program draws a head with hair, eyes, brows, nose and
mouth, in brightness alone. A label sets some parameters to what the owner says is public of it: "smile" a mouth that curves up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSynthesis, MissingExtra, checked_class
from privet.mechanism import Draws, fresh_generator

_LARGE = 4  # drawn so many times as large, and averaged down
_STEP = 0.25  # of a parameter's range that a variation moves it at degree 1 (a standard deviation)


@dataclass(frozen=True, slots=True)
class Avatar:
    """The parameters of one face, each in its range of `RANGES`: all that a variation needs."""

    width: float  # of the head, of the picture's width
    height: float
    across: float  # where the head's middle lies, from that of the picture
    down: float
    turn: float  # of the head, to a side: features move that way
    skin: float  # brightness, from 0 to 1
    hair: float
    paper: float
    top: float  # how much of the head hair covers from above
    sides: float  # how far hair falls down beside it
    eyes: float  # their size
    brows: float  # how they tilt
    mouth: float  # its width
    smile: float  # how it curves: up above 0, down below
    glasses: float  # drawn above one half
    beard: float  # drawn above one half


RANGES: Mapping[str, tuple[float, float]] = {
    "width": (0.45, 0.85), "height": (0.6, 0.95), "across": (-0.1, 0.1), "down": (-0.1, 0.1), "turn": (-0.3, 0.3),
    "skin": (0.25, 0.95), "hair": (0.0, 0.9), "paper": (0.0, 1.0), "top": (0.0, 0.4), "sides": (0.0, 1.0),
    "eyes": (0.6, 1.4), "brows": (-1.0, 1.0), "mouth": (0.5, 1.3), "smile": (-1.0, 1.0), "glasses": (0.0, 1.0),
    "beard": (0.0, 1.0),
}  # fmt: skip


@checked_class
class Avatars:
    """Drawn faces; a label fixes what is public of its class.

    Args:
        shape: height and width of a picture in pixels.
        ink: the brightness of white.
        labels: for a label, the ranges that its faces keep to, in place of those of `Avatars.ranges()`: for example
            `{"smiling": {"smile": (0.3, 1)}}`. A label that is not named may look like anybody, and votes decide.
    """

    def __init__(
        self,
        shape: tuple[int, int] = (28, 28),
        *,
        ink: float = 1.0,
        labels: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    ) -> None:
        if min(shape) < 8 or max(shape) > 512:
            raise BadSynthesis("a face has between 8 and 512 pixels each way.", "Write shape=(28, 28).")
        if not 0 < ink <= 1_000_000:
            raise BadSynthesis("white is brighter than black, up to 1,000,000.", "Write ink=1.0.")
        _pillow()
        self.shape, self.ink = (int(shape[0]), int(shape[1])), float(ink)
        self.labels = {name: _within(ranges) for name, ranges in (labels or {}).items()}
        self._draws: Draws = fresh_generator()

    @staticmethod
    def ranges() -> dict[str, tuple[float, float]]:
        """Every parameter, and from where to where it goes."""
        return dict(RANGES)

    def random(self, count: int, label: str | None) -> list[Avatar]:
        """Faces that nobody has."""
        ranges, draw = self._ranges(label), self._draws
        return [
            Avatar(**{name: float(draw.uniform(low, high)) for name, (low, high) in ranges.items()})
            for _ in range(count)
        ]

    def variation(self, samples: Sequence[Avatar], label: str | None, degree: float) -> list[Avatar]:
        """The same faces with parameters nearby."""
        ranges, draw = self._ranges(label), self._draws
        by = _STEP * (0.25 + 0.75 * degree)  # something always moves, or the last rounds would only copy
        return [
            replace(
                one,
                **{
                    name: float(np.clip(getattr(one, name) + draw.normal(0, by * (high - low)), low, high))
                    for name, (low, high) in ranges.items()
                },
            )
            for one in samples
        ]

    def shown(self, sample: Avatar) -> NDArray[np.float32]:
        """The picture."""
        return drawn_face(sample, self.shape) * np.float32(self.ink / 255)

    def packed(self, sample: Avatar) -> list[float]:
        """The parameters, in their order."""
        return [getattr(sample, field.name) for field in fields(Avatar)]

    def unpacked(self, stored: Sequence[Any]) -> Avatar:
        """The same parameters."""
        return Avatar(*stored)

    def described(self) -> dict[str, str]:
        """How large, and what labels stand for."""
        said = {
            name: ", ".join(f"{one} {low:g} to {high:g}" for one, (low, high) in sorted(own.items()))
            for name, own in sorted(self.labels.items())
        }
        return {
            "kind": "avatars",
            "shape": f"{self.shape[0]}x{self.shape[1]}",
            "ink": f"{self.ink:g}",
            "labels": "; ".join(f"{name!r}: {own}" for name, own in said.items()) or "none",
        }

    def _ranges(self, label: str | None) -> dict[str, tuple[float, float]]:
        return {**RANGES, **(self.labels.get(label, {}) if label is not None else {})}


def _within(ranges: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    for name, given in ranges.items():
        low, high = RANGES.get(name, (np.nan, np.nan))
        if not low <= given[0] <= given[1] <= high:
            raise BadSynthesis(
                "a label's faces keep to ranges that lie within those of Avatars.ranges().",
                "Write labels={'smiling': {'smile': (0.3, 1)}}; print pv.Avatars.ranges() for all of them.",
            )
    return {name: (float(low), float(high)) for name, (low, high) in ranges.items()}


def drawn_face(one: Avatar, shape: tuple[int, int]) -> NDArray[np.float32]:
    """One face, drawn large and averaged down: brightness from 0 to 255."""
    image_of, draw_of = _pillow()
    tall, wide = shape[0] * _LARGE, shape[1] * _LARGE
    picture = image_of.new("L", (wide, tall), _shade(one.paper))
    pen = draw_of.Draw(picture)
    middle, centre = wide * (0.5 + one.across), tall * (0.5 + one.down)
    half, long = one.width * wide / 2, one.height * tall / 2

    def box(x: float, y: float, rx: float, ry: float) -> tuple[float, float, float, float]:
        """Around a point of the face: from -1 to 1 each way."""
        at_x, at_y = middle + x * half, centre + y * long
        return at_x - rx * half, at_y - ry * long, at_x + rx * half, at_y + ry * long

    hair, skin, dark = _shade(one.hair), _shade(one.skin), _shade(0.15 * one.skin)
    pen.ellipse(box(0, -0.15, 1.12, 0.95), fill=hair)
    if one.sides > 0.1:
        pen.rectangle(box(0, -0.3 + one.sides / 2, 1.1, one.sides / 2 + 0.05), fill=hair)
    pen.ellipse(box(0, 0, 0.92, 1), fill=skin)
    if one.beard > 0.5:
        pen.chord(box(0, 0.1, 0.83, 0.88), 20, 160, fill=hair)
    pen.chord(box(0, -0.15, 1.0, 0.88), 270 - 220 * one.top, 270 + 220 * one.top, fill=hair)
    line = max(1, round(0.07 * half))
    for side in (-1, 1):
        x = 0.38 * side + one.turn
        pen.ellipse(box(x, -0.12, 0.13 * one.eyes, 0.07 * one.eyes), fill=dark)
        tilt = 0.06 * one.brows * side
        left, right = box(x, -0.3 + tilt, 0.2, 0), box(x, -0.3 - tilt, 0.2, 0)
        pen.line((left[0], left[1], right[2], right[1]), fill=dark, width=line)
        if one.glasses > 0.5:
            pen.ellipse(box(x, -0.12, 0.28, 0.17), outline=dark, width=line)
    nose = box(1.15 * one.turn, 0.15, 0.04, 0.12)
    pen.line((nose[0], nose[1], nose[0], nose[3]), fill=_shade(0.6 * one.skin), width=line)
    points = [box(one.turn + 0.36 * one.mouth * at, 0.5 + 0.16 * one.smile * (0.5 - at * at), 0, 0)[:2]
              for at in np.linspace(-1, 1, 9).tolist()]  # fmt: skip
    pen.line(points, fill=dark, width=round(1.5 * line))
    small = picture.resize((shape[1], shape[0]), image_of.Resampling.BOX)
    return np.asarray(small, dtype=np.float32)


def _shade(brightness: float) -> int:
    return round(255 * min(max(brightness, 0.0), 1.0))


def _pillow() -> tuple[Any, Any]:
    try:
        return import_module("PIL.Image"), import_module("PIL.ImageDraw")
    except ImportError:
        raise MissingExtra("drawing faces needs Pillow.", "pip install 'privet[images]'.") from None
