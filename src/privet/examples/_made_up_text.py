"""Columns of text made without a loop over rows: fixed-width digits, picks from a short list, joined pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def digits(pattern: str, *numbers: NDArray[np.int64]) -> pa.Array:
    """Text of one fixed shape: each run of `#` in the pattern is filled by the next number, with leading zeros."""
    import numpy as np
    import pyarrow as pa

    rows, width = len(numbers[0]), len(pattern)
    letters = np.tile(np.frombuffer(pattern.encode("ascii"), dtype=np.uint8), (rows, 1))
    runs = _runs(pattern)
    for (start, stop), column in zip(runs, numbers, strict=True):
        left = column.copy()
        for place in range(stop - 1, start - 1, -1):
            letters[:, place] = ord("0") + left % 10
            left //= 10
    offsets = np.arange(0, (rows + 1) * width, width, dtype=np.int32)
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(letters.tobytes()))


def _runs(pattern: str) -> list[tuple[int, int]]:
    """Where the runs of `#` start and stop; a run ends at another letter."""
    found: list[tuple[int, int]] = []
    for place, letter in enumerate(pattern):
        if letter != "#":
            continue
        if found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        else:
            found.append((place, place + 1))
    return found


def picks(words: Sequence[str], chosen: NDArray[Any]) -> pa.Array:
    """The chosen words, one for each row."""
    import numpy as np
    import pyarrow as pa

    return pa.array(words, pa.string()).take(pa.array(chosen.astype(np.int32)))


def joined(*pieces: Any) -> pa.Array:
    """Columns and fixed words, put together row by row."""
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*pieces, "")
