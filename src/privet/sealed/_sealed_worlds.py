"""What a function gives on every world, under seal: one row of whole steps for each world, read by a mechanism alone."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSensitivity, SealBroken
from privet.sealed._output_grid import LEVELS


class SealedWorlds:
    """The outputs of all worlds in whole steps; their number and length are public, all else is not."""

    __slots__ = ("_exact",)

    _exact: NDArray[np.int64]

    def __init__(self, exact: Any) -> None:
        outputs = np.asarray(exact)
        if outputs.ndim != 2 or outputs.dtype.kind != "i" or not outputs.size:
            raise BadSensitivity(
                "outputs of worlds are whole steps, one row for each world.", "Encode them on an OutputGrid."
            )
        if int(np.abs(outputs).max()) > 2**LEVELS:
            raise BadSensitivity("an output lies outside its grid.", "Encode it on an OutputGrid.")
        content = outputs.astype(np.int64)
        content.setflags(write=False)
        object.__setattr__(self, "_exact", content)

    @property
    def worlds(self) -> int:
        """How many worlds there are."""
        return int(self._exact.shape[0])

    @property
    def coordinates(self) -> int:
        """How long an output is."""
        return int(self._exact.shape[1])

    def __repr__(self) -> str:
        return "<sealed worlds>"

    def __format__(self, spec: str) -> str:
        return "<sealed worlds>"

    def _refuse(self, *_: object) -> NoReturn:
        raise SealBroken(
            "these outputs are sealed: they are exact, and using them would give them away.",
            "Charge a ledger and let a mechanism add noise to that of the secret world.",
        )

    __iter__ = __getitem__ = __bool__ = __array__ = __len__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = _refuse
    __setattr__ = __delattr__ = __setstate__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse
