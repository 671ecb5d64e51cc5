"""Budgets burnt down, in exact amounts."""

from fractions import Fraction

from tests.report.a_run import record

from privet.report._run_budgets import Burn, burns


def given(**more):
    return {
        "ledger": {"balances": [
            {"scope": "data set", "caps": {"epsilon": "3", "delta": "0.1"}, "spent": {"epsilon": "1.1", "delta": "0"}, "expires": None},
            {"scope": "purpose care", "caps": {"epsilon": "1"}, "spent": {"epsilon": "0.3"}, "expires": "2030-01-01"},
        ]},
        "steps": [{"name": "a", "purpose": "care", "spent": {"epsilon": "0.1"}}, {"name": "b", "purpose": "other", "spent": {"epsilon": "0.2"}}],
        "plan": {"steps": [{"name": "a", "purpose": "care", "cost": {"epsilon": "9"}}, {"name": "c", "purpose": "care", "cost": {"epsilon": "0.05"}}]},
        **more,
    }  # fmt: skip


def test_amounts_by_hand() -> None:
    """Before: what is spent less what this run spent. Planned: only steps of the plan that the run does not hold."""
    epsilon, delta, care = burns(given())
    assert (epsilon.before, epsilon.this_run, epsilon.planned) == (
        Fraction("0.8"),
        Fraction("0.3"),
        Fraction("0.05"),
    )
    assert epsilon.left == Fraction("1.85")
    assert (care.before, care.this_run, care.left, care.expires) == (
        Fraction("0.2"),
        Fraction("0.1"),
        Fraction("0.65"),
        "2030-01-01",
    )
    assert (delta.coin, delta.left) == ("delta", Fraction("0.1"))


def test_a_plan_to_come_is_planned_too() -> None:
    coming = {"steps": [{"name": "d", "purpose": "other", "cost": {"epsilon": "0.5"}}]}
    epsilon, _, care = burns(given(), coming)
    assert (epsilon.planned, care.planned) == (Fraction("0.55"), Fraction("0.05"))


def test_without_a_ledger_nothing_burns() -> None:
    assert burns(given(ledger=None)) == ()


def test_amounts_are_written_exactly() -> None:
    third = Burn("data set", "epsilon", Fraction(1), Fraction("0.1"), Fraction("0.2"), Fraction(0))
    assert third.to_json()["left"] == "0.7"
    assert burns(record())
