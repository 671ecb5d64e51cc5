"""Frames of the usual libraries, and pictures that can be kept."""

import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privet as pv
from privet._outgoing_text import CONTENT_POLICY
from privet.artifact._notebook_display import Framed, Picture, as_pandas, as_polars
from privet.errors import BadUsage, MissingExtra

TABLE = pa.table(
    {"name": ["a", "b"], "n": [1, 2], "m": pa.array([1, None], pa.int64()), "x": pa.array([0.5, None])}
)


class Rows(Framed):
    def to_arrow(self) -> pa.Table:
        return TABLE


def test_frames_hold_the_rows_in_their_kinds() -> None:
    found = Rows().to_pandas()
    assert isinstance(found, pd.DataFrame)
    assert list(found["n"]) == [1, 2]
    assert found["m"].dtype == "Int64", "a gap does not turn whole numbers into real ones"
    assert found["m"].isna().tolist() == [False, True]
    frame = Rows().to_polars()
    assert isinstance(frame, pl.DataFrame)
    assert frame.to_dicts() == TABLE.to_pylist()


def test_whole_numbers_without_gaps_are_plain() -> None:
    assert as_pandas(TABLE.select(["name", "n", "x"]))["n"].dtype == "int64"


@pytest.mark.parametrize(("library", "convert"), [("pandas", as_pandas), ("polars", as_polars)])
def test_a_library_that_is_not_there_is_named(library, convert, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=f"this needs {library}") as said:
        convert(TABLE)
    assert said.value.hint == f"pip install {library}"


def test_a_picture_is_kept_as_it_is(tmp_path: Path) -> None:
    picture = Picture("title", "For the owner only", "<svg/>", "<div/>")
    assert picture.save(tmp_path / "a.svg").read_text() == "<svg/>"
    page = picture.save(str(tmp_path / "a.html")).read_text()
    assert "<body><div/></body>" in page
    assert f'content="{CONTENT_POLICY}"' in page
    assert "<svg" not in repr(picture)
    with pytest.raises(BadUsage, match="cannot be saved as"):
        picture.save(tmp_path / "a.png")


def test_a_ledger_s_history_is_a_table(tmp_path: Path) -> None:
    from privet.guarantee._events import DiscreteLaplace

    ledger = pv.Ledger.in_memory(limit=pv.ApproxDP(1, 1e-6), unit=pv.Row())
    ledger.open_budget(pv.PureDP("0.5"), purpose="beds")
    ledger.charge(DiscreteLaplace(10), why="first", purpose="beds")
    found = ledger.to_pandas()
    assert found["kind"].tolist() == ["open", "budget", "spend"]
    assert found["entry"].tolist() == [1, 2, 3]
    assert found["epsilon"].isna().tolist() == [True, True, False]
    assert found["epsilon"].iloc[2] == pytest.approx(0.1)
    assert found["why"].iloc[2] == "first"
    assert found["purpose"].iloc[2] == "beds"
    assert ledger.to_polars().shape == found.shape
