"""What is said before anything is spent: every share, its error and the cost."""

import pytest
from tests.protect.tabulate.people import opened, spine_of

import privet as pv
from privet.guarantee import spread

RHO = pv.ZeroConcentratedDP(1)


@pytest.fixture
def book(tmp_path):
    with pv.Ledger(tmp_path / "people.ledger", limit=pv.ZeroConcentratedDP("2.5")) as ledger:
        yield ledger


def _spends(ledger):
    return [entry for entry in ledger.history() if entry.kind == "spend"]


def test_the_explanation_names_every_share(book):
    told = pv.explain(spine_of(), RHO, ledger=book)
    assert len(told.errors) == 12
    assert "county: detailed: 1/6 of rho" in str(told)
    assert "rho 2.5 → 1.5" in str(told)
    assert told.to_json()["cost"] == "rho = 1"
    assert _spends(book) == []
    big = pv.explain(spine_of(), pv.ZeroConcentratedDP(3), ledger=book)
    assert "refused" in str(big)
    assert "epsilon" in pv.explain(spine_of(), pv.ApproxDP(1, "1e-6")).cost


def test_stages_say_what_is_read_bounded_and_kept():
    spine = spine_of(
        invariants=[pv.Invariant("state", {"N": 250, "S": 60}, origin="gazette 2026")],
        zeros=[{"county": "Bay", "age": "old"}],
    )
    told = pv.explain(spine, RHO)
    text = "\n".join(told.stages)
    assert "no other column is touched" in told.stages[0]
    assert "born" not in text
    assert "at most 1 row(s)" in text
    assert "6 cells (sex × age) in each of 4 leaves" in text
    assert "gazette 2026" in text
    assert "2 leaf cells empty" in text
    assert any("Declared counts are published as they are" in note for note in told.notes)
    assert any("declared impossible" in note for note in told.notes)
    assert not any("several leaf cells" in note for note in told.notes)


def test_errors_are_those_of_the_plan():
    told = pv.explain(spine_of(), RHO, confidence=0.9)
    for ((depth, group), event), line in zip(told.plan.noise.items(), told.errors, strict=True):
        assert line.startswith(told.plan.name((depth, group)) + ": ")
        assert f"± {spread(event).half_width(0.9):g}," in line
    assert "(90% of the time within)" in str(told)


def test_rows_as_units_are_not_called_persons():
    told = pv.explain(spine_of(opened(unit=pv.Row())), RHO)
    assert "every row count once" in str(told)
    assert not any("Persons" in note for note in told.notes)
