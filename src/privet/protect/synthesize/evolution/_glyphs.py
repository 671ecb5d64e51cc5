"""Rendered characters as a simulator: a generator of pictures that needs no model.

Sim-PE (Lin, Baltrusaitis, Yekhanin 2025) lets a program that draws take the place of a foundation model: random parameters
make a sample, and nearby parameters a variation of it. Here the program writes one character in some font, size, slant,
weight and place.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSynthesis, MissingExtra, checked_class
from privet.mechanism import Draws, fresh_generator
from privet.protect.synthesize.evolution._sample_generator import content_digest

_PLACES = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path("/Library/Fonts"))
_BRIGHTEST = 1_000_000
_LARGE = 4  # drawn so many times as large, and averaged down: strokes of thin fonts stay visible
# How far parameters move at degree 1: the chance of another font; size, degrees, slant, stroke and place.
_FONT, _SIZE, _TURN, _SLANT, _STROKE, _SHIFT = 0.8, 0.15, 9.0, 0.15, 0.6, 0.08


@dataclass(frozen=True, slots=True)
class Glyph:
    """The parameters of one picture: all that a variation needs."""

    text: str
    font: int
    size: float  # of the picture's height
    turn: float  # in degrees
    slant: float
    stroke: float  # in pixels of the large picture
    across: float
    down: float


@checked_class
class Glyphs:
    """Pictures of characters, one class for each label.

    Args:
        shape: height and width of a picture in pixels.
        fonts: font files (.ttf or .otf) to draw with; without them, those that the system and matplotlib have.
        ink: the brightness of ink, from 0 (that of the paper) to this.
        texts: what to write for a label, where it is not the label itself.
    """

    def __init__(
        self,
        shape: tuple[int, int] = (28, 28),
        *,
        fonts: Sequence[str | Path] | None = None,
        ink: float = 1.0,
        texts: dict[str, str] | None = None,
    ) -> None:
        if min(shape) < 4 or max(shape) > 512:
            raise BadSynthesis("a picture has between 4 and 512 pixels each way.", "Write shape=(28, 28).")
        if not 0 < ink <= _BRIGHTEST:
            raise BadSynthesis(f"ink is brighter than paper, up to {_BRIGHTEST:,}.", "Write ink=1.0.")
        _pillow()
        self.shape, self.texts = (int(shape[0]), int(shape[1])), dict(texts or {})
        self.ink = float(ink)
        self.fonts = tuple(sorted(map(str, fonts))) if fonts is not None else system_fonts()
        if not self.fonts:
            raise BadSynthesis(
                "there is no font to draw with.",
                "Name font files: Glyphs(fonts=[…]), or install some, for example `pip install font-roboto`.",
            )
        self._draws: Draws = fresh_generator()

    def random(self, count: int, label: str | None) -> list[Glyph]:
        """Characters in random fonts, sizes and places."""
        text, draw = self._text(label), self._draws
        return [
            Glyph(
                text,
                int(draw.integers(len(self.fonts))),
                float(draw.uniform(0.75, 1.25)),
                float(draw.uniform(-20, 20)),
                float(draw.uniform(-0.3, 0.3)),
                float(draw.uniform(0, 3)),
                float(draw.uniform(-0.12, 0.12)),
                float(draw.uniform(-0.12, 0.12)),
            )
            for _ in range(count)
        ]

    def variation(self, samples: Sequence[Glyph], label: str | None, degree: float) -> list[Glyph]:
        """The same character with parameters nearby."""
        del label
        return [self._varied(one, degree) for one in samples]

    def shown(self, sample: Glyph) -> NDArray[np.float32]:
        """The picture."""
        return drawn_picture(sample, self.fonts[sample.font % len(self.fonts)], self.shape, self.ink)

    def packed(self, sample: Glyph) -> list[Any]:
        """The parameters, in their order."""
        return list(astuple(sample))

    def unpacked(self, stored: Sequence[Any]) -> Glyph:
        """The same parameters."""
        return Glyph(*stored)

    def described(self) -> dict[str, str]:
        """How large, what is written, and with which fonts: a digest stands for these, since samples are kept by their places."""
        return {
            "kind": "glyphs",
            "fonts": str(len(self.fonts)),
            "digest": content_digest([Path(font).name for font in self.fonts]),
            "shape": f"{self.shape[0]}x{self.shape[1]}",
            "ink": f"{self.ink:g}",
            "texts": ", ".join(f"{label!r}: {text!r}" for label, text in sorted(self.texts.items()))
            or "labels",
        }

    def _text(self, label: str | None) -> str:
        if label is None:
            raise BadSynthesis(
                "glyphs are drawn for a label, and there is none.", "State labels=[…], one for each class."
            )
        text = self.texts.get(label, label)
        if not 1 <= len(text) <= 8:
            raise BadSynthesis(
                "what is drawn has between 1 and 8 characters.",
                "Say what to draw: Glyphs(texts={label: 'A'}).",
            )
        return text

    def _varied(self, one: Glyph, degree: float) -> Glyph:
        draw = self._draws
        font = int(draw.integers(len(self.fonts))) if draw.random() < _FONT * degree else one.font
        by = 0.25 + 0.75 * degree  # something always moves, or the last rounds would only copy
        return replace(
            one,
            font=font,
            size=float(np.clip(one.size + draw.normal(0, _SIZE * by), 0.5, 1.6)),
            turn=float(np.clip(one.turn + draw.normal(0, _TURN * by), -40, 40)),
            slant=float(np.clip(one.slant + draw.normal(0, _SLANT * by), -0.6, 0.6)),
            stroke=float(np.clip(one.stroke + draw.normal(0, _STROKE * by), 0, 5)),
            across=float(np.clip(one.across + draw.normal(0, _SHIFT * by), -0.3, 0.3)),
            down=float(np.clip(one.down + draw.normal(0, _SHIFT * by), -0.3, 0.3)),
        )


def drawn_picture(one: Glyph, font: str, shape: tuple[int, int], ink: float) -> NDArray[np.float32]:
    """One character, drawn large and averaged down."""
    image_of, draw_of, _ = _pillow()
    height, width = shape[0] * _LARGE, shape[1] * _LARGE
    paper = image_of.new("L", (width, height), 0)
    letter = _font(font, max(6, round(one.size * height * 0.85 / 2) * 2))
    centre = (width / 2 + one.across * width, height / 2 + one.down * height)
    # A float stroke would be refused; what is lost in rounding the other parameters make up for.
    draw_of.Draw(paper).text(
        centre, one.text, fill=255, font=letter, anchor="mm", stroke_width=round(one.stroke)
    )
    middle = height / 2
    sheared = paper.transform(
        paper.size, image_of.Transform.AFFINE, (1, one.slant, -one.slant * middle, 0, 1, 0)
    )
    turned = sheared.rotate(one.turn, image_of.Resampling.BILINEAR)
    small = turned.resize((shape[1], shape[0]), image_of.Resampling.BOX)
    return np.asarray(small, dtype=np.float32) * np.float32(ink / 255)


@lru_cache(maxsize=1)
def system_fonts() -> tuple[str, ...]:
    """Font files of the system and of matplotlib, where it is installed; those that cannot draw a digit are left out."""
    found = {path for place in _PLACES if place.is_dir() for path in place.rglob("*.[to]tf")}
    with contextlib.suppress(ImportError):
        found |= set(Path(import_module("matplotlib").get_data_path(), "fonts", "ttf").glob("*.ttf"))
    by_name = {path.name: path for path in sorted(found)}
    return tuple(str(path) for _, path in sorted(by_name.items()) if _draws_digits(str(path)))


def _draws_digits(font: str) -> bool:
    _, _, fonts_of = _pillow()
    try:
        letter = fonts_of.truetype(font, 24)
        masks = [bytes(letter.getmask(digit)) for digit in "0158"]
    except (OSError, ValueError):
        return False
    return len(set(masks)) == len(masks) and all(any(mask) for mask in masks)


@lru_cache(maxsize=4_096)
def _font(font: str, size: int) -> Any:
    _, _, fonts_of = _pillow()
    return fonts_of.truetype(font, size)


def _pillow() -> tuple[Any, Any, Any]:
    try:
        return tuple(import_module(f"PIL.{name}") for name in ("Image", "ImageDraw", "ImageFont"))  # type: ignore[return-value]
    except ImportError:
        raise MissingExtra("drawing characters needs Pillow.", "pip install 'privet[images]'.") from None
