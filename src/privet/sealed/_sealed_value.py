"""Exact answers under seal: what the engine hands over and only a mechanism with a permit may open.

A `Sealed` value carries the sensitivity that the engine derived when it computed the answer, so nobody
types a sensitivity by hand. It prints as `<sealed>`, refuses arithmetic, comparison, iteration, copying and
pickling, and its content is read by `privet.mechanism._sealed_access` alone.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSensitivity, SealBroken
from privet.sealed._sensitivity import Sensitivity


class Sealed:
    """An exact integer vector with its sensitivity; nobody reads it without paying."""

    __slots__ = ("_exact", "sensitivity")

    _exact: NDArray[np.int64]
    sensitivity: Sensitivity

    def __init__(self, exact: Any, sensitivity: Sensitivity) -> None:
        vector = np.asarray(exact)
        if vector.ndim != 1 or (vector.size and vector.dtype.kind not in "iu"):
            raise BadSensitivity(
                "only a flat vector of whole numbers can be sealed.",
                "Turn values into fixed point first: sums of floats are not exact.",
            )
        if vector.dtype.kind == "u" and vector.size and int(vector.max()) > np.iinfo(np.int64).max:
            raise BadSensitivity("an entry does not fit 64-bit integers.", "Use a coarser fixed-point step.")
        content = vector.astype(np.int64)
        content.setflags(write=False)
        # Nothing is assigned afterwards: a sensitivity that can be lowered covers nothing.
        object.__setattr__(self, "_exact", content)
        object.__setattr__(self, "sensitivity", sensitivity)

    def __len__(self) -> int:
        """The number of entries, which is public: one for each key the caller asked for."""
        return len(self._exact)

    def __repr__(self) -> str:
        return "<sealed>"

    def __format__(self, spec: str) -> str:
        return "<sealed>"

    def _refuse(self, *_: object) -> NoReturn:
        raise SealBroken(
            "this answer is sealed: it is exact, and using it would give it away.",
            "Charge a ledger and let a mechanism add noise to it.",
        )

    __iter__ = __getitem__ = __bool__ = __array__ = __int__ = __float__ = __index__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = _refuse
    __setattr__ = __delattr__ = __setstate__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse
