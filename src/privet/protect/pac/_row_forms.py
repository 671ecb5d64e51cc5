"""Rows as a function wants them, and outputs as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa


def as_given(rows: pa.Table, form: str) -> Any:
    """An Arrow table as NumPy numbers (missing ones are not-a-number), as a pandas frame, or as it is."""
    if form == "arrow":
        return rows
    if form == "pandas":
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise MissingExtra(
                "the function wants pandas, which is not installed.", "pip install pandas, or rows='arrow'"
            ) from None
        return rows.to_pandas()
    return matrix(rows)


def matrix(rows: pa.Table) -> NDArray[np.float64]:
    """The columns side by side, as doubles."""
    columns = [doubles(rows[name]) for name in rows.column_names]
    return np.column_stack(columns) if columns else np.zeros((rows.num_rows, 0))


def doubles(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """A column of numbers or truths: missing ones are not-a-number, and what no double is exactly is the nearest one.

    A cast that refuses would refuse for one row, and say its value.
    """
    import pyarrow as pa

    plain = column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column
    return np.asarray(plain.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)


def numbers_of(output: Any) -> NDArray[np.float64]:
    """What a function gave, as an array of doubles; raises where it is none. What is masked is not a number."""
    if output is None:
        raise TypeError("nothing was given back")
    if isinstance(output, np.ma.MaskedArray):
        output = np.ma.filled(output.astype(np.float64), np.nan)
    if np.iscomplexobj(output):
        raise TypeError("complex numbers are none that noise is added to")
    return np.asarray(output, dtype=np.float64)
