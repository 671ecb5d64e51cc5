"""What a site adds: whole numbers modulo a power of two, under seal until they are masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import BadCohort, SealBroken

_WORDS: dict[int, Any] = {32: np.dtype("<u4"), 64: np.dtype("<u8")}


class Contribution:
    """A site's summand. It prints as `<contribution>` and gives nothing away; a session masks it."""

    __slots__ = ("_words", "width")

    _words: NDArray[Any]
    width: int

    def __init__(self, values: ArrayLike, width: int = 64) -> None:
        """Whole numbers, positive or negative; their residues are kept."""
        numbers = np.asarray(values)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or width not in _WORDS:
            raise BadCohort(
                "a site adds a flat vector of whole numbers of 32 or 64 bits.",
                "Turn values into fixed point first.",
            )
        words = numbers.astype(np.int64 if numbers.dtype.kind == "i" else np.uint64).view(np.uint64)
        object.__setattr__(self, "_words", words.astype(_WORDS[width]))
        object.__setattr__(self, "width", width)

    def __len__(self) -> int:
        """The number of entries, which is public."""
        return len(self._words)

    def __repr__(self) -> str:
        return "<contribution>"

    def _refuse(self, *_: object) -> NoReturn:
        raise SealBroken(
            "this is what one site adds: it leaves under a mask only.", "Hand it to a SiteSession."
        )

    __iter__ = __getitem__ = __bool__ = __array__ = __int__ = __float__ = __index__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = _refuse
    __setattr__ = __delattr__ = __setstate__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse


def joined_contributions(parts: Sequence[Contribution]) -> Contribution:
    """Several summands of one width, one after the other, as one."""
    if not parts or len({part.width for part in parts}) > 1:
        raise BadCohort(
            "summands of different widths are not joined.", "Give all of them the cohort's width."
        )
    words = np.concatenate([masked_copy(part) for part in parts])
    return Contribution(words.astype(np.uint64), parts[0].width)


def masked_copy(contribution: Contribution) -> NDArray[Any]:
    """Words of its own for a session to add masks to, in place."""
    return contribution._words.copy()  # noqa: SLF001


def words_of(width: int) -> Any:
    """How words of so many bits are laid out: little-endian, without a sign."""
    return _WORDS[width]


def centred(words: NDArray[Any]) -> NDArray[np.int64]:
    """Residues as the whole numbers nearest zero, which is what they stand for as long as a sum has not wrapped round."""
    signed: NDArray[Any] = words.view(np.dtype(f"<i{words.dtype.itemsize}"))
    return signed.astype(np.int64)
