"""Recipes: what is wrong is said before a text is read, and the unit that is booked is the one that the card names."""

import pytest
from tests.protect.train.language.small_runs import PROMISE, recipe

import privet as pv
from privet.errors import BadTraining, PrivetError
from privet.protect.train.language import LanguageRecipe
from privet.protect.train.language._language_design import stated_unit, table_unit


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sequence": 1}, "2 tokens"),
        ({"sequences": 0}, "at least 1"),
        ({"lora": 8}, "need a public network"),
        ({"rate": 0}, "rate is positive"),
        ({"sampling": "shuffled"}, "sampling is one of"),
        ({"model": "llama-huge"}, "no shape"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_is_wrong_is_said(given, said) -> None:
    with pytest.raises(PrivetError, match=said):
        recipe(**given)


@pytest.mark.parametrize(
    ("unit", "booked", "kind", "sequences"),
    [
        ("sequence", pv.Person("sequence", max_rows=1), "sequence", None),
        ("document", pv.Person("document", max_rows=4), "document", None),
        ("document", pv.Person("document", max_rows=2), "document", 2),
        (pv.Person("patient_id", max_rows=9), pv.Person("patient_id", max_rows=3), "person", 3),
    ],
)
def test_units_of_lists(unit, booked, kind, sequences) -> None:
    named, called = stated_unit(unit, 1)
    terms = recipe(sequences=sequences).terms(named, called)
    assert terms.kind == kind
    assert stated_unit(unit, terms.sequences)[0] == booked


def test_units_of_tables_hide_what_the_table_says() -> None:
    assert table_unit(pv.Row(), 1) == pv.Row()
    assert table_unit(pv.Person("id", max_rows=20), 3) == pv.Person("id", max_rows=3)
    with pytest.raises(BadTraining, match="one row here"):
        recipe(sequences=2).terms(pv.Row(), None)


@pytest.mark.parametrize("unit", [None, pv.Row(), "person"])
def test_nobody_is_hidden_by_default(unit) -> None:
    with pytest.raises(BadTraining):
        stated_unit(unit, 1)


def test_large_batches_can_be_cut_and_are_accounted_as_that() -> None:
    made = recipe(sampling="truncated", cut=14)
    plan = made.plan(made.network(made.text()), PROMISE, pv.Person("document", max_rows=4), 24)
    assert "truncated" in str(plan.event.to_json())
    assert plan.cut == 14
    with pytest.raises(BadTraining):
        recipe(sampling="truncated").plan(
            made.network(made.text()), PROMISE, pv.Person("document", max_rows=4), 24
        )


def test_the_rate_rises_and_falls() -> None:
    found = LanguageRecipe().optimizer(100)
    rates = [found.rate_at(step, 100) for step in range(100)]
    assert max(rates) == rates[4]
    assert rates[0] < rates[4] > rates[50] > rates[99]
