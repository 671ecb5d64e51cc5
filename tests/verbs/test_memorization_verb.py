"""Duplicates and canaries in files: columns and units are kept, rows without text are not, and files are for the owner."""

import json
import stat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.attacks.memorization.tiny_models import notes

from privet.attacks.memorization import CanaryRecord
from privet.errors import BadAttack, BadUsage
from privet.verbs import (
    CanariesOptions,
    DuplicatesOptions,
    MemorizationOptions,
    counted_duplicates,
    memorization_of,
    planted_file,
)

TEXTS = notes(30, 1, words=30)


@pytest.fixture
def file(tmp_path):
    texts = [*TEXTS, TEXTS[0], TEXTS[1] + " today", None]
    people = [*range(30), 99, 1, 5]
    pq.write_table(pa.table({"patient_id": people, "note": texts}), tmp_path / "notes.parquet")
    return tmp_path / "notes.parquet"


def lines(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_duplicates_are_counted_by_unit_and_written_once(file, tmp_path) -> None:
    asked = DuplicatesOptions(
        texts=str(file), unit="patient_id", write=str(tmp_path / "once.jsonl"), out=str(tmp_path / "d.json")
    )
    found, written = counted_duplicates(asked)
    assert (found.texts, found.units, found.exact, found.near) == (32, 31, 1, 2)
    assert found.shared == 2  # the second repeats within its own person
    assert written == 30
    assert [row["note"] for row in lines(tmp_path / "once.jsonl")] == TEXTS
    assert json.loads((tmp_path / "d.json").read_text()) == found.to_json()
    for name in ("once.jsonl", "d.json"):
        assert not (tmp_path / name).stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def test_canaries_become_rows_with_units_of_their_own(file, tmp_path) -> None:
    asked = CanariesOptions(
        texts=str(file), unit="patient_id", copies={1: 20, 4: 2}, record=str(tmp_path / "c.json"), out=str(tmp_path / "p.jsonl")
    )  # fmt: skip
    record, texts = planted_file(asked)
    assert CanaryRecord.load(tmp_path / "c.json") == record
    rows = lines(tmp_path / "p.jsonl")
    assert len(rows) == texts == 32 + len(record.planted())
    planted = [row for row in rows if row["patient_id"].startswith("canary ")]
    assert sorted(row["note"] for row in planted) == sorted(record.planted())
    assert len({row["patient_id"] for row in planted}) == len(planted)


def test_lines_of_text_are_texts(tmp_path) -> None:
    (tmp_path / "t.txt").write_text("\n".join([*TEXTS, TEXTS[3]]))
    found, _ = counted_duplicates(DuplicatesOptions(texts=str(tmp_path / "t.txt")))
    assert (found.texts, found.near) == (31, 1)


def test_what_is_not_there_is_refused(file, tmp_path) -> None:
    with pytest.raises(BadUsage, match="units"):
        counted_duplicates(DuplicatesOptions(texts=str(file), unit="nobody"))
    with pytest.raises(BadAttack, match="no column"):
        counted_duplicates(DuplicatesOptions(texts=str(file), text="nothing"))
    with pytest.raises(BadUsage, match="something else"):
        counted_duplicates(DuplicatesOptions(texts=str(file), text="patient_id"))
    asked = {"model": str(tmp_path / "none"), "trained": str(file), "control": str(file)}
    with pytest.raises(BadUsage, match="no folder"):
        memorization_of(MemorizationOptions(**asked), purpose=None, promise=None, say=print)
    with pytest.raises(BadUsage, match="pairs"):
        memorization_of(MemorizationOptions(**asked, shadows=3), purpose=None, promise=None, say=print)
