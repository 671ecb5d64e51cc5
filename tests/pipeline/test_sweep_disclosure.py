"""What a sweep gives away: each standing says what it is, and what is booked is what it says."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.small_ward import ward

import privet as pv
from privet.errors import BudgetExceeded
from privet.guarantee import DiscreteLaplace
from privet.pipeline._sweep_disclosure import SweepStanding, amounts, refuse_unpaid
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._tradeoff import Tradeoff, tradeoff

SCHEMA = {
    "age": {"kind": "number", "lower": 0, "upper": 120},
    "area": {"kind": "category", "values": ["A", "B", "C"]},
    "back": {"kind": "category", "values": ["false", "true"]},
}


# --- what sweeping itself gives away --------------------------------------------------------------


def test_each_standing_says_what_it_is(found: Tradeoff) -> None:
    said = {standing: replace(found, standing=standing).standing_words for standing in SweepStanding}
    assert len(set(said.values())) == 4
    assert "owner only" in said[SweepStanding.OWNER_ONLY]
    assert "declared public" in said[SweepStanding.PUBLIC]
    for text in said.values():
        assert text in str(replace(found, standing=next(one for one in SweepStanding if said[one] == text)))


def booked(ledger: pv.Ledger, *epsilons: str, **more: Any) -> Tradeoff:
    sweep = Sweep(epsilon=tuple(map(Decimal, epsilons)), delta=Decimal("1e-6"), k=(2,), k_all=(), l=None)
    settings: dict[str, Any] = {"techniques": ["train"], "schema": SCHEMA, "records": 300, **more}
    return tradeoff(ward(), target="back", sweep=sweep, ledger=ledger, **settings)


def spent(ledger: pv.Ledger) -> dict[str, Any]:
    return dict(ledger.balance().spent)


def test_a_booked_sweep_charges_exactly_what_it_says(tmp_path: Path) -> None:
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(3, "1e-5")) as ledger:
        made = booked(ledger, "0.5", "1", techniques=["train", "anonymize"])
        assert made.standing is SweepStanding.BOOKED
        assert spent(ledger) == made.spent
        assert 1.4 < float(made.spent["epsilon"]) <= 1.5
        assert [entry.kind for entry in ledger.history()].count("spend") == 2  # one fit of each
        assert made.standing_words.startswith("Booked: every private model")
        assert f"epsilon {float(made.spent['epsilon']):.6g}" in made.standing_words
        standings = {point["label"]: point["standing"] for point in made.to_json()["points"]}
        assert standings["epsilon = 1"] == "booked"
        assert standings["k = 2"] == standings["raw table"] == "owner-only"


def test_a_budget_that_does_not_hold_all_of_it_is_left_alone(tmp_path: Path) -> None:
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(1, "1e-5")) as ledger:
        before = [entry.hash for entry in ledger.history()]
        with pytest.raises(BudgetExceeded, match=r"short|budget|left"):
            booked(ledger, "0.5", "0.8")
        assert [entry.hash for entry in ledger.history()] == before


def test_costs_are_added_up_before_anything_is_booked():
    tenth = DiscreteLaplace(10)
    with pv.Ledger.in_memory(limit=pv.PureDP("0.25")) as ledger:
        assert refuse_unpaid(ledger, [tenth, tenth], None)["epsilon"] == Fraction(1, 5)
        with pytest.raises(BudgetExceeded) as refused:
            refuse_unpaid(ledger, [tenth] * 3, None)
        assert "Nothing was booked" in refused.value.hint
        assert ledger.balance().spends == 0


def test_amounts_in_words_leave_out_what_costs_nothing():
    assert amounts({"epsilon": Fraction(18, 5), "delta": Fraction(6, 10**6)}) == "epsilon 3.6 and delta 6e-06"
    assert amounts({"epsilon": Fraction(1), "delta": Fraction(0)}) == "epsilon 1"
    assert "epsilon 1" in SweepStanding.BOOKED.words("epsilon 1")
    assert len({one.words() for one in SweepStanding}) == 4
