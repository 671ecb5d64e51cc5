"""Numbers of many rows set aside in files, and read from there as arrays: memory holds what is looked at, not all there is.

The files lie in the folder of this process that nobody else may enter, and lose their names as soon as they are open: they are
gone with the process, even a killed one.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privet.artifact import discard
from privet.engine._spill_folder import spill_folder
from privet.errors import FileProblem

_MADE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_numbers = itertools.count()


def set_aside(blocks: Iterable[tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
    """Blocks of rows, one after the other: what stands at each place of them as one array that lies in a file.

    All blocks have arrays of the same kinds and widths at the same places. There is at least one block; it may be empty.
    """
    shapes: list[tuple[np.dtype[Any], tuple[int, ...]]] = []
    many = 0
    with ExitStack() as opened:
        files: list[BinaryIO] = []
        try:
            for block in blocks:
                if not shapes:
                    shapes = [(part.dtype, part.shape[1:]) for part in block]
                    files = [opened.enter_context(_file()) for _ in block]
                if [(part.dtype, part.shape[1:]) for part in block] != shapes:
                    raise TypeError("blocks of rows have the same kinds and widths.")
                for file, part in zip(files, block, strict=True):
                    file.write(np.ascontiguousarray(part).data)
                many += len(block[0])
            for file in files:
                file.flush()
            return tuple(
                _mapped(file, kind, (many, *width)) for file, (kind, width) in zip(files, shapes, strict=True)
            )
        except OSError:
            raise FileProblem(
                "rows that do not fit into memory cannot be set aside.",
                "Is there room where temporary files lie? Name another place in TMPDIR.",
            ) from None


def _file() -> BinaryIO:
    place = spill_folder() / f"arrays-{next(_numbers)}"
    file = os.fdopen(os.open(place, _MADE, 0o600), "w+b")
    discard(place)
    return file


def _mapped(file: BinaryIO, kind: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The map holds the file, though its handle is closed."""
    if not np.prod(shape):
        return np.zeros(shape, kind)
    return np.memmap(file, kind, "r", shape=shape)
