"""Group keys under seal: keys that were found in the data and that nobody has paid to see.

A key list that the caller wrote down is public. A key list read off the data is not: a rare key gives away
the one person who has it. So an aggregate over unknown keys hands over `SealedKeys`, one row for each entry
of the `Sealed` answers beside it, and only a mechanism that pays for choosing keys may open it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from privet.errors import SealBroken

if TYPE_CHECKING:
    import pyarrow as pa


class SealedKeys:
    """The keys of groups found in the data, one row each; nobody reads them without paying.

    `len()` works so that a mechanism can line keys up with answers. The length is as exact as the keys: it
    must not be shown either.
    """

    __slots__ = ("_exact", "columns")

    _exact: pa.Table
    columns: tuple[str, ...]

    def __init__(self, table: pa.Table) -> None:
        object.__setattr__(self, "_exact", table)
        object.__setattr__(self, "columns", tuple(table.column_names))

    def __len__(self) -> int:
        return int(self._exact.num_rows)

    def __repr__(self) -> str:
        return "<sealed>"

    def __format__(self, spec: str) -> str:
        return "<sealed>"

    def _refuse(self, *_: object) -> NoReturn:
        raise SealBroken(
            "these keys are sealed: they were read off the data, and a rare one gives a person away.",
            "State the keys yourself, or charge a ledger and let a mechanism choose which ones to show.",
        )

    __iter__ = __getitem__ = __contains__ = __bool__ = __array__ = __arrow_c_stream__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refuse
    __setattr__ = __delattr__ = _refuse
