"""Noise in floating-point numbers, told by its lowest bits.

(Mironov, "On Significance of the Least Significant Bits for Differential Privacy", CCS 2012.)

A generator draws one of finitely many uniform numbers, and the logarithm spreads them unevenly over the numbers that a
computer has: around each exact answer other outputs can occur. One output is then often possible on one input and
impossible on its neighbour, whatever epsilon was aimed at. Noise that is made of whole numbers, or snapped to a grid,
has the same outputs everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEAREST = 16  # uniform numbers looked at on either side of the one that the noise stands for
_FINEST = 12  # trailing noughts that are told apart
_FAR_OUT = 12  # draws far from the answer that a guess is tried on first
_FEWEST = 100  # draws below which nothing is guessed
_SURE = 6.0  # standard errors around an estimate in which round numbers are tried
_CANDIDATES = 25  # round answers tried for each number of digits


def possible(outputs: NDArray[np.float64], exact: float, scale: float, bits: int = 53) -> NDArray[np.bool_]:
    """Which outputs can be `exact` plus or minus scale · log(u) for some u that is a multiple of 2^-bits.

    numpy draws Laplace noise so, with 53 bits.
    """
    values = np.asarray(outputs, float).reshape(len(outputs))
    away = np.abs(values - exact) / scale
    middle = np.rint(np.exp(-away) * 2.0**bits)
    sign = np.where(values < exact, 1.0, -1.0)
    found = np.zeros(len(values), bool)
    for step in range(-_NEAREST, _NEAREST + 1):
        share = (middle + step) / 2.0**bits
        inside = (share > 0) & (share <= 1)
        made = exact + sign * (scale * np.log(np.where(inside, share, 1.0)))
        near = (
            inside
            & ~found
            & (np.abs(made - values) <= 4 * np.spacing(np.maximum(np.abs(values), abs(exact))))
        )
        # Vectorised logarithms differ in the last bit from the one that the noise was drawn with.
        for at in np.flatnonzero(near).tolist():
            found[at] = (
                exact + sign[at] * (scale * math.log(share[at])) == values[at]
            )  # exact: the attack is about the last bit
    return found


def float_laplace_score(
    here: float, there: float, scale: float, bits: int = 53
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """A score for `Neighbours`: 1 where an output is possible here and not there, -1 the other way round, else 0."""

    def score(draws: NDArray[np.float64]) -> NDArray[np.float64]:
        one, other = (possible(draws, exact, scale, bits) for exact in (here, there))
        return one.astype(float) - other

    return score


def grain_cells(outputs: NDArray[np.float64]) -> NDArray[np.int64]:
    """How large each number is, to a power of two, and with how many bits it is written: one code for both.

    The sum of an exact answer and noise is a multiple of the last bit of the larger of the two, so that numbers of one
    size end in more noughts around one answer than around another.
    """
    values = np.where(np.isfinite(outputs), outputs, 0.0)
    fraction, exponent = np.frexp(values)
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    lowest = whole & -whole
    noughts = np.where(whole == 0, _FINEST, np.minimum(np.frexp(lowest.astype(float))[1] - 1, _FINEST))
    found = np.clip(exponent + 64, 0, 127) * (_FINEST + 1) + noughts
    return np.where(np.isfinite(outputs), found, 128 * (_FINEST + 1) + _FINEST).astype(np.int64)


def uses_last_bit(outputs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the last bit that a number has is set; whole numbers have it clear."""
    return np.asarray(grain_cells(outputs) % (_FINEST + 1) == 0)


def guessed_laplace(
    here: NDArray[np.float64], there: NDArray[np.float64]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
    """The score of `float_laplace_score` for answers and a scale that are guessed from draws; None if none fit.

    Round numbers near what the draws suggest are tried. A guess fits if every draw is possible around it, and far from
    the answer that is no chance.
    """
    if not all(_is_laplace_in_bits(side) for side in (here, there)):
        return None
    middles = float(np.median(here)), float(np.median(there))
    away = np.concatenate([np.abs(here - middles[0]), np.abs(there - middles[1])])
    spread = float(away.mean())
    for scale in _round_scales(spread, _SURE * spread / math.sqrt(len(away))):
        exact = [_fitting(side, middle, scale) for side, middle in zip((here, there), middles, strict=True)]
        if exact[0] is not None and exact[1] is not None:
            return float_laplace_score(exact[0], exact[1], scale)
    return None


def _is_laplace_in_bits(side: NDArray[np.float64]) -> bool:
    """Whether draws spread as Laplace noise does, and use their last bit: a look before the search."""
    if len(side) < _FEWEST or not np.isfinite(side).all():
        return False
    away = np.abs(side - np.median(side))
    alike = abs(float(np.median(away)) - math.log(2) * float(away.mean())) <= _SURE * float(
        away.mean()
    ) / math.sqrt(len(side))
    return alike and float(uses_last_bit(side).mean()) > 0.1


def _round_scales(spread: float, error: float) -> Iterator[float]:
    """Scales that people choose: fractions of small numbers, two digits, and one over two digits; the roundest first."""
    if not 1e-6 < spread < 1e6:
        return
    ten = 10.0 ** math.floor(math.log10(spread) - 1)
    over = 10.0 ** math.floor(math.log10(1 / spread) - 1)
    near = range(int((spread - error) / ten), int((spread + error) / ten) + 2)
    inverse = range(int(1 / (spread + error) / over), int(1 / max(spread - error, 1e-9) / over) + 2)
    tried = [
        *(
            p / q
            for q in range(1, 11)
            for p in range(math.ceil((spread - error) * q), int((spread + error) * q) + 1)
        ),
        *(float(f"{number * ten:.3g}") for number in near),
        *(1 / float(f"{number * over:.3g}") for number in inverse if number),
    ]
    for scale in dict.fromkeys(tried):
        if scale > 0 and abs(scale - spread) <= error:
            yield scale


def _round_answers(middle: float, scale: float, draws: int) -> list[float]:
    """Numbers of few digits near the median, whose standard error is the scale over the root of the draws."""
    error = _SURE * scale / math.sqrt(draws)
    tried: dict[float, None] = {}
    for digits in range(3):
        step = 10.0**-digits
        first, last = math.ceil((middle - error) / step), math.floor((middle + error) / step)
        for number in sorted(range(first, last + 1), key=lambda n: abs(n * step - middle))[:_CANDIDATES]:
            tried[round(number * step, digits)] = None
    return list(tried)


def _fitting(side: NDArray[np.float64], middle: float, scale: float) -> float | None:
    """An answer around which every draw is possible; the farthest rule out most, roughly, before all are tried."""
    answers = np.array(_round_answers(middle, scale, len(side)))
    far = side[np.argsort(-np.abs(side - middle), kind="stable")[:_FAR_OUT]]
    away = far[:, None, None] - answers[:, None]
    share = np.rint(np.exp(-np.abs(away) / scale) * 2.0**53) + np.arange(-_NEAREST, _NEAREST + 1)
    made = answers[:, None] - np.sign(away) * (scale * np.log(np.maximum(share, 1) / 2.0**53))
    last_bit = np.spacing(np.maximum(np.abs(far)[:, None, None], np.abs(answers)[:, None]))
    roughly = (np.abs(made - far[:, None, None]) <= 4 * last_bit).any(axis=2).all(axis=0)
    return next((one for one in answers[roughly].tolist() if possible(side, one, scale).all()), None)
