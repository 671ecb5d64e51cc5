"""From a recoding to a file: what was not planned is not published, and the owner's rows stay with the owner."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.anonymize.people import hierarchies, opened, people

import privet as pv
from privet.engine import FrequencyTable
from privet.errors import PromiseBroken
from privet.protect._file_counts import COUNT
from privet.protect.anonymize import _publication as publishing
from privet.protect.anonymize._publication import SHOWN, references, same_rows
from privet.protect.anonymize.hierarchies import Hierarchy


def test_a_file_that_lacks_rows_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = publishing.Publication.batches
    monkeypatch.setattr(
        publishing.Publication, "batches", lambda self: (batch.slice(1) for batch in plain(self))
    )
    with pytest.raises(PromiseBroken, match="planned"):
        pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies(), out=tmp_path / "safe.parquet")
    assert list(tmp_path.iterdir()) == []


def test_owners_rows_stay_with_the_owner() -> None:
    made = pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies())
    assert made.pairs[0].before["age"] == people()["age"][0].as_py()
    assert "name" not in made.pairs[0].before
    assert "pairs" not in made.to_json()


def counts(*rows):
    towns, ages, numbers = zip(*rows, strict=True)
    return pa.table(
        {
            "town": pa.array(towns, pa.string()),
            "age": pa.array(ages, pa.int64()),
            COUNT: pa.array(numbers, pa.int64()),
        }
    )


ROWS = (("a", 1, 3), ("b", None, 2), (None, 1, 1))


def test_tables_of_counts_are_the_same_in_any_order():
    assert same_rows(counts(*ROWS), counts(*reversed(ROWS)), ["town", "age"])


@pytest.mark.parametrize(
    "rows",
    [
        ROWS[:2],
        (*ROWS[:2], (None, 1, 2)),
        (*ROWS[:2], (None, 2, 1)),
        (*ROWS[:2], ("", 1, 1)),
        (("a", 1, 2), ("a", 1, 1), *ROWS[1:]),
    ],
    ids=["fewer", "another count", "another value", "an empty text for a gap", "split"],
)
def test_one_difference_is_seen(rows):
    assert not same_rows(counts(*ROWS), counts(*rows), ["town", "age"])


def test_references_are_shares_of_the_original_table():
    labels = pa.array(["cold", "flu", None])
    full = FrequencyTable(
        ("zip", "ill"), np.array([[0, 0], [0, 1], [1, 1], [1, 2]], np.int32), np.array([1, 2, 4, 1]),
        (pa.array(["1", "2"]), labels),
    )  # fmt: skip
    ladder = Hierarchy.from_paths("ill", [("cold", "x", "*"), ("flu", "x", "*"), ("", "y", "*")]).ladder(
        ["cold", "flu", None]
    )
    found = references(full, ["ill"], {"ill": ladder})["ill"]
    assert found.shares == pytest.approx([1 / 8, 6 / 8, 1 / 8])
    assert found.levels.tolist() == [[0, 0], [0, 0], [1, 0]]
    assert references(full, ["ill"], {})["ill"].levels is None


def test_a_suppressed_row_is_shown_to_the_owner_without_its_after():
    rows = pa.concat_tables([people().slice(0, 1)] * 1 + [people().slice(1, 599)])
    made = pv.anonymize(opened(rows), pv.KAnonymity(5), max_suppressed="0.3", hierarchies=hierarchies())
    assert len(made.pairs) == SHOWN
    assert made.found.suppressed_rows > 0
    for pair in made.pairs:
        assert pair.after is None or pair.after["visits"] == pair.before["visits"]
        assert set(pair.before) == {"age", "town", "sex", "diagnosis", "visits"}
