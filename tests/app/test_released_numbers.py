"""Commands that release numbers: explained or released, saved and shown, in one way."""

import pytest
from tests.app.doors import inside
from tests.conformance.doors import furnished

PAC = ("pac", "ward.csv", "--unit", "person", "--mean", "age", "--bounds", "age=0:100", "--nats", "1/16")


@pytest.fixture(autouse=True)
def _ward(tmp_path, monkeypatch) -> None:
    furnished(tmp_path)
    monkeypatch.chdir(tmp_path)


def test_explaining_books_and_writes_nothing(tmp_path) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    assert "nats" in inside(*PAC, "--explain", "-o", "answer.json").out
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_release_is_saved_where_it_is_said(tmp_path) -> None:
    told = inside(*PAC, "-o", "answer.json")
    assert (tmp_path / "answer.json").is_file()
    assert told.code == 0


@pytest.mark.parametrize("out", ["ward.csv", "answer.txt", "nowhere/answer.json"])
def test_what_cannot_be_written_is_refused_before_anything_is_spent(tmp_path, out) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    assert inside(*PAC, "-o", out).code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == before
