"""Standard normal numbers from the words of a keyed stream, many at a time: what a step's noise is made of.

Box and Muller's transform in 64 bits, on arrays: a third faster than NumPy's own sampler on its fastest generator that is a
block cipher, and from AES, which was made against adversaries.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError
from privet.mechanism._proofs import proven
from privet.mechanism._secret_seed import SecretSeed
from privet.mechanism._word_stream import WordStream

_BLOCK = 8192  # pairs at a time: what a block needs stays in the processor's cache
_AHEAD = 4096  # so many numbers are drawn at once, for as many steps as they are enough for
_BITS = 12  # of a word, for the place in the table of directions
_TURN = 2 * math.pi * 2.0 ** -(64 + _BITS)


@lru_cache(maxsize=1)
@proven("gradient_noise.proof.md", digest="8f8b78446493ab10")
def _directions() -> NDArray[np.complex128]:
    places = np.arange(2**_BITS)
    found: NDArray[np.complex128] = np.exp(2j * math.pi * places / 2**_BITS)
    return found


@proven("gradient_noise.proof.md", digest="91273e6c4b417bea")
def standard_normals(stream: WordStream, count: int) -> NDArray[np.float64]:
    """So many independent standard normal numbers; two of them for every two words."""
    pairs = -(-count // 2)
    found = np.empty(pairs, np.complex128)
    size = min(_BLOCK, pairs)
    scaled, place = np.empty(size, np.complex128), np.empty(size, np.uint64)
    radius, angle, term = np.empty(size), np.empty(size), np.empty(size)
    table = _directions()
    for start in range(0, pairs, _BLOCK):
        now = min(_BLOCK, pairs - start)
        if now < size:
            scaled, place = scaled[:now], place[:now]
            radius, angle, term = radius[:now], angle[:now], term[:now]
        words = stream.words(2 * now)
        # The radius: sqrt(-2 log u), u uniform above 0 and at most 1.
        np.multiply(words[:now], 2.0**-64, out=radius)
        radius += 2.0**-65
        np.log(radius, out=radius)
        radius *= -2
        np.sqrt(radius, out=radius)
        # The direction: the first bits of the other word from a table, the rest of the turn by the series of sine and cosine.
        block = found[start : start + now]
        np.right_shift(words[now:], 64 - _BITS, out=place)
        table.take(place.view(np.int64), out=block, mode="clip")
        np.left_shift(words[now:], _BITS, out=place)
        np.multiply(place.view(np.int64), _TURN, out=angle)
        square = term
        np.multiply(angle, angle, out=square)
        cosine = square * (1 / 24)
        cosine -= 0.5
        cosine *= square
        cosine += 1
        np.multiply(cosine, radius, out=scaled.real)
        square *= -1 / 6
        square += 1
        square *= angle
        np.multiply(square, radius, out=scaled.imag)
        block *= scaled
    return found.view(np.float64)[:count]


class StepNormals:
    """The normal numbers of a run, by step and purpose: of small sums, those of many steps are drawn at once.

    They follow from the seed, the step, the purpose and how many there are, whichever steps were asked for before.
    """

    __slots__ = ("_held", "_seed")

    def __init__(self, seed: SecretSeed) -> None:
        self._seed = seed
        self._held: dict[tuple[int, int], tuple[int, NDArray[np.float64]]] = {}

    def of(self, step: int, purpose: int, count: int) -> NormalDraws:
        """So many for one purpose of a step; a step's are to be asked for once, since whoever has them may write to them."""
        steps = max(1, _AHEAD // max(1, count))
        block, place = divmod(step, steps)
        known = self._held.get((purpose, count))
        if known is None or known[0] != block:
            # A stream of its own for every count: no number of it is part of a stream for another.
            drawn = standard_normals(self._seed.stream(block, purpose, count), steps * count)
            known = block, drawn
            if steps > 1:
                self._held[purpose, count] = known
        return NormalDraws(known[1][place * count : (place + 1) * count])


class NormalDraws:
    """Normal numbers that are there, handed out one array after the other, as NumPy's generators give them."""

    __slots__ = ("_next", "_values")

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values, self._next = values, 0

    def standard_normal(self, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """An array of them, each once."""
        first = self._next
        self._next += shape if isinstance(shape, int) else math.prod(shape)
        if self._next > len(self._values):
            raise InternalError("more normal numbers were asked for than were drawn.")
        return self._values[first : self._next].reshape(shape)
