"""Rows used and rows kept apart: disjoint, whole, for the owner alone, and the command that uses them."""

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.dataset import split_persons
from privet.errors import BadUsage
from privet.verbs import attack_words, refuse_parts, save_parts


def test_both_parts_are_written_for_the_owner_alone(tmp_path) -> None:
    rows = pa.table({"person": [at % 50 for at in range(200)], "x": list(range(200))})
    used, apart = split_persons(pv.open_table(rows, unit=pv.Person("person", max_rows=4)), 0.3)
    folder = save_parts(used, apart, tmp_path / "apart")
    assert folder.stat().st_mode & 0o077 == 0
    assert all(one.stat().st_mode & 0o077 == 0 for one in folder.iterdir())
    first, other = (pq.read_table(folder / name) for name in ("used.parquet", "kept-apart.parquet"))
    assert sorted([*first["x"].to_pylist(), *other["x"].to_pylist()]) == list(range(200))
    assert not set(first["person"].to_pylist()) & set(other["person"].to_pylist())
    refuse_parts(folder, 0.3)  # the same again may replace it


def test_what_cannot_be_is_refused(tmp_path) -> None:
    with pytest.raises(BadUsage, match="no rows are kept apart"):
        refuse_parts(tmp_path / "apart", None)
    with pytest.raises(BadUsage, match="does not exist"):
        refuse_parts(tmp_path / "no" / "apart", 0.2)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadUsage, match="is no folder"):
        refuse_parts(tmp_path / "file", 0.2)
    with pytest.raises(BadUsage, match="other things"):
        refuse_parts(tmp_path, 0.2)


def test_the_command_says_the_promise_where_the_file_does_not() -> None:
    promise = pv.ApproxDP(Fraction(1, 2), Fraction(1, 10**6))
    words = attack_words(Path("my twin.parquet"), Path("apart"), promise)
    assert (
        words
        == "privet attack 'my twin.parquet' --members apart/used.parquet --control apart/kept-apart.parquet"
    )
    assert attack_words(Path("t.csv"), Path("apart"), promise).endswith(" --epsilon 0.5 --delta 1e-06")
