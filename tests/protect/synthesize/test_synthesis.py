"""The one function: which kind of twin, and what is said of the wrong kind is refused."""

import pytest
from tests.protect.synthesize.evolution.texts import notes, phrases

import privet as pv
from privet.errors import BadSynthesis
from privet.ledger import Ledger

PROMISE = pv.ZeroConcentratedDP("0.5")


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "notes.ledger", limit=pv.ZeroConcentratedDP(50)) as book:
        yield book


def test_people_call_it_by_the_one_verb(ledger) -> None:
    few = pv.EvolutionSettings(rounds=2, population=8, variations=1)
    twin = pv.synthesize(
        notes(), PROMISE, generator=pv.Phrases(["{a}"], {"a": ["cough", "wound"]}), text="note", rows=12,
        evolution=few, ledger=ledger, why="a test",
    )  # fmt: skip
    assert set(twin.to_arrow()["note"].to_pylist()) <= {"cough", "wound"}
    assert twin.method == "Private Evolution"


@pytest.mark.parametrize("given", [{"text": "note"}, {"labels": ["a"]}, {"embedder": pv.HashedWords()}])
def test_what_is_about_samples_needs_a_generator(ledger, given) -> None:
    with pytest.raises(BadSynthesis, match="generator"):
        pv.synthesize(notes(), PROMISE, ledger=ledger, why="a test", **given)


def test_what_is_about_columns_has_no_place_beside_a_generator(ledger) -> None:
    with pytest.raises(BadSynthesis, match="method is about the columns"):
        pv.synthesize(
            notes(), PROMISE, generator=phrases(), text="note", method="aim", ledger=ledger, why="a test"
        )


def test_something_else_is_neither(ledger) -> None:
    with pytest.raises(BadSynthesis, match="not of list"):
        pv.synthesize(["a text"], PROMISE, generator=phrases(), text="note", ledger=ledger, why="a test")
