"""The transcript: read back as it was written, and refused where it is not known."""

from fractions import Fraction

import numpy as np
import pytest

from privet.artifact import Receipt, TwinMeasurement
from privet.engine import ColumnKind
from privet.errors import UnknownRecord
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._measurement_run import Measured
from privet.protect.synthesize._transcript import Transcript


def transcript(book):
    from privet.guarantee import Row, ZeroConcentrated

    receipt = book.charge(ZeroConcentrated(1), why="a run", unit=Row()).receipt
    return Transcript(
        "AIM",
        (ColumnDomain("ward", "category", ColumnKind.TEXT, values=("a", "b")),),
        (Measured((0,), np.array([5, -2, 10**12]), 3.5, Fraction(1, 3)),),
        (TwinMeasurement("counts", ("ward",), 0.3, 3.5, 3),),
        receipt,
        "1.0",
        ("a note",),
    )


def test_it_is_read_back_as_it_was_written() -> None:
    import privet as pv

    made = transcript(pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(2)))
    read = Transcript.from_bytes(made.to_bytes())
    assert read.to_bytes() == made.to_bytes()
    assert read.measured[0].counts.tolist() == [5, -2, 10**12]
    assert read.sizes == (3,)
    assert read.noisy()[0].sigma == pytest.approx(3.5)
    assert isinstance(read.receipt, Receipt)


def test_what_is_not_known_is_refused() -> None:
    for wrong in (b"{}", b'{"schema": 2, "artifact": "synthesis-transcript"}'):
        with pytest.raises(UnknownRecord):
            Transcript.from_bytes(wrong)
