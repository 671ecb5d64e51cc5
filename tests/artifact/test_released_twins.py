"""Twins of several tables are saved whole and come back as they were; what does not belong together is refused."""

import json

import pytest
from tests.protect.synthesize.patients import PROMISE, opened

import privet as pv
from privet.artifact import ReleasedTwins
from privet.errors import PrivetError, UnknownRecord


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "one.ledger", limit=pv.ApproxDP(100, 1e-3)) as book:
        yield book


def twins(ledger, *, again=False):
    persons, others = opened()
    return pv.synthesize(
        persons,
        PROMISE,
        children={"stays": others},
        rows=50,
        ledger=ledger,
        why="twins",
        method="mst",
        again=again,
    )


def test_a_folder_comes_back_as_it_was(ledger, tmp_path) -> None:
    made = twins(ledger)
    made.save(tmp_path / "twins")
    assert {file.name for file in (tmp_path / "twins").iterdir()} == {
        "patients.parquet",
        "stays.parquet",
        "twins.json",
    }
    back = ReleasedTwins.load(tmp_path / "twins")
    assert back.links == made.links
    assert back.promise == PROMISE
    assert back.receipt == made.receipt
    assert back.rho == pytest.approx(made.rho)
    for name in made:
        assert back[name].to_arrow().equals(made[name].to_arrow())
    assert "stays.pid is one of patients.pid" in str(back)
    assert json.loads(json.dumps(made.to_json(), default=str))["artifact"] == "released-twins"


def test_what_was_changed_or_mixed_is_refused(ledger, tmp_path) -> None:
    twins(ledger).save(tmp_path / "one")
    twins(ledger, again=True).save(tmp_path / "two")
    (tmp_path / "one" / "stays.parquet").write_bytes((tmp_path / "two" / "stays.parquet").read_bytes())
    with pytest.raises(UnknownRecord, match="one booking"):
        ReleasedTwins.load(tmp_path / "one")
    for record in (
        '{"schema": 2, "artifact": "released-twins"}',
        '{"schema": 1, "artifact": "released-twins"}',
        '{"schema": 1, "artifact": "released-twins", "tables": ["../two/stays"], "links": []}',
        '{"schema": 1, "artifact": "released-twins", "tables": [], "links": []}',
    ):
        (tmp_path / "two" / "twins.json").write_text(record)
        with pytest.raises(PrivetError):
            ReleasedTwins.load(tmp_path / "two")


def test_a_file_is_no_folder(ledger, tmp_path) -> None:
    with pytest.raises(PrivetError, match="folder"):
        twins(ledger).save(tmp_path / "twins.parquet")
