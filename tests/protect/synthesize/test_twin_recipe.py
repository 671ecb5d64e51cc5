"""The synthesizer of a twin again: the same method, promise and domain on other rows, and nothing that could be released."""

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.synthesize.people import WARDS, rows, table

import privet as pv
from privet.errors import BadSynthesis
from privet.protect.synthesize import twin_recipe

SURE = 1 - 1e-6  # of intervals: false alarms in at most one case in a million


def twin(opened, promise, ledger, **more):
    return pv.synthesize(opened, promise, ledger=ledger, why="test", **{"rows": 100, "method": "mst", **more})


def test_a_shadow_is_made_as_the_twin_was(ledger) -> None:
    opened = table(400)
    made = twin(opened, pv.ApproxDP(2, 1e-6), ledger, workload="back")
    recipe = twin_recipe(made, opened, workload="back")
    assert (recipe.method, recipe.rows, recipe.promise, recipe.unit) == (
        "mst",
        100,
        made.promise,
        opened.unit,
    )
    assert recipe.workload == "back"
    shadow = recipe(rows(300, seed=9), 1)
    assert isinstance(shadow, pa.Table), "without promise and receipt"
    assert shadow.num_rows == 100
    assert set(shadow.column_names) == {"ward", "age", "seen", "weight", "back"}
    assert set(shadow["ward"].drop_null().to_pylist()) <= set(WARDS)


def test_without_the_table_the_twin_says_what_is_public(ledger) -> None:
    made = twin(table(400), pv.ApproxDP(2, 1e-6), ledger)
    recipe = twin_recipe(made)
    assert set(recipe.stated["keys"]) == {"ward", "back"}
    assert set(recipe.stated["bounds"]) == {"age", "seen", "weight"}
    ages = made.to_arrow()["age"].drop_null().to_numpy()
    assert recipe.stated["bounds"]["age"] == (ages.min(), ages.max())
    assert recipe.unit == pv.Person("person", max_rows=2)
    assert recipe(rows(300, seed=9)).num_rows == 100


def test_nothing_of_it_touches_the_ledger_of_the_twin(ledger) -> None:
    made = twin(table(200), pv.ApproxDP(2, 1e-6), ledger)
    before = len(list(ledger.history()))
    twin_recipe(made, table(200))(rows(200, seed=3))
    assert len(list(ledger.history())) == before


def test_what_cannot_be_made_again_is_refused(ledger) -> None:
    made = twin(table(200), pv.ApproxDP(2, 1e-6), ledger)
    with pytest.raises(BadSynthesis, match="no column 'person'"):
        twin_recipe(made)(rows(50).drop(["person"]))
    texts = pv.open_table(
        pa.table({"id": [1, 2, 3], "note": ["a b", "c d", "e f"]}), unit=pv.Person("id", max_rows=1)
    )
    made = pv.synthesize(
        texts, pv.ApproxDP(2, 1e-6), ledger=pv.Ledger.in_memory(limit=pv.ApproxDP(2, 1e-6)), why="test", text="note", rows=4,
        generator=pv.Phrases(["{x} came"], {"x": ["a", "b"]}),
        evolution=pv.EvolutionSettings(rounds=1, population=4),
    )  # fmt: skip
    with pytest.raises(BadSynthesis, match="Private Evolution cannot be made again"):
        twin_recipe(made)


def people(many, seed):
    draws = np.random.default_rng(seed)
    ward = draws.choice(4, many, p=[0.5, 0.3, 0.15, 0.05])
    age = np.clip(draws.normal(30 + 15 * ward, 12), 0, 99).astype(int)
    return pa.table(
        {
            "ward": [["icu", "eye", "surgery", "burns"][at] for at in ward],
            "age": age,
            "kind": draws.choice(list("abcdefgh"), many),
            "back": (age > 60) ^ (draws.random(many) < 0.1),
        }
    )


def played(promise, claimed):
    members, control = people(250, 1), people(250, 2)
    opened = pv.open_table(
        members, unit=pv.Row(), bounds={"age": (0, 99)},
        keys={"ward": ["icu", "eye", "surgery", "burns"], "kind": list("abcdefgh")},
    )  # fmt: skip
    made = twin(opened, promise, pv.Ledger.in_memory(limit=promise), rows=250)
    report = pv.attack(
        made,
        members=members,
        control=control,
        promise=claimed,
        attacks=["membership-shadow-twins"],
        recipe=twin_recipe(made, opened),
        shadows=8,
        confidence=SURE,
    )
    return next(iter(report))


def test_at_a_tiny_epsilon_nothing_is_flagged() -> None:
    promise = pv.ApproxDP("0.01", "1e-9")
    found = played(promise, promise)
    assert found.bound == pytest.approx(np.exp(0.01) / (1 + np.exp(0.01)), abs=1e-6)
    assert found.verdict.value != "contradicts the promise"


def test_with_hardly_any_noise_a_promise_that_needs_it_is_contradicted() -> None:
    found = played(pv.ApproxDP(10**4, "1e-6"), pv.ApproxDP("0.1", "1e-6"))
    assert found.verdict.value == "contradicts the promise"
    assert found.success.low > 0.6 > found.bound
