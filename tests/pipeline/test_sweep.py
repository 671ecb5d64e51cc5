"""One sweep: every strength measured, and what does not fit left out with its reason."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from tests.pipeline.small_ward import ROLES, ward

from privet.errors import BadSweep, BudgetExceeded
from privet.guarantee import ApproxDP
from privet.ledger import Ledger
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._tradeoff import tradeoff
from privet.pipeline._tradeoff_summary import policy_lines
from privet.verbs import SynthesizeOptions


def test_a_technique_that_does_not_fit_is_left_out_unless_it_was_asked_for() -> None:
    roles = {**ROLES, "age": "insensitive", "area": "insensitive"}
    table = ward(roles=roles)
    sweep = Sweep(epsilon=(Decimal(2),), repeats=1)
    made = tradeoff(table, target="back", sweep=sweep)
    assert {point.technique for point in made.points} == {"reference", "train"}
    assert any("no column is called a quasi-identifier" in note for note in made.notes)
    with pytest.raises(BadSweep, match="quasi-identifier"):
        tradeoff(table, target="back", techniques=["anonymize", "train"], sweep=sweep)


def test_a_strength_that_cannot_be_had_is_left_out_with_its_reason() -> None:
    sweep = Sweep(k=(2, 5000), k_all=(), l=None)
    made = tradeoff(ward(150), target="back", techniques=["anonymize"], sweep=sweep)
    assert [point.label for point in made.points] == ["raw table", "k = 2"]
    assert any(note.startswith("Left out: k = 5000") for note in made.notes)
    with pytest.raises(BadSweep, match="nothing could be measured"):
        tradeoff(ward(150), target="back", techniques=["anonymize"], sweep=replace(sweep, k=(5000,)))
    # A learner that is made for rows, asked for persons with several.
    with pytest.raises(BadSweep, match="nothing could be measured"):
        tradeoff(
            ward(150),
            target="back",
            techniques=["train"],
            sweep=Sweep(models=("ebm",), epsilon=(Decimal(1),)),
        )


def test_a_twin_is_measured_beside_tables_and_models_at_the_same_task(tmp_path: Path) -> None:
    sweep = Sweep(k=(2,), k_all=(), l=None, epsilon=(Decimal(4), Decimal(11)), repeats=1, twin="mst")
    made = tradeoff(ward(150), target="back", techniques=["anonymize", "train", "synthesize"], sweep=sweep)
    twins = {point.label: point for point in made.points if point.technique == "synthesize"}
    assert set(twins) == {"twin, epsilon = 4", "twin, epsilon = 11"}
    assert {point.technique for point in made.points} == {"reference", "anonymize", "train", "synthesize"}
    raw = next(point for point in made.points if point.label == "raw table")
    twin = twins["twin, epsilon = 4"]
    assert twin.risk.value < raw.risk.value, "a copy gives away more than a twin"
    assert set(twin.attacks) <= {"exact-match", "membership-density", "singling-out-univariate"}
    assert twins["twin, epsilon = 11"].meaningless
    assert not twin.meaningless
    assert twin.strength["method"] == "mst"
    (step,) = yaml.safe_load(
        policy_lines(twin, target="back", columns=["age"], quasi=[], purpose="use", max_suppressed="0.1")
    )
    assert (step["do"], step["columns"], step["method"]) == ("synthesize", ["age", "back"], "mst")
    SynthesizeOptions.model_validate(
        {name: step[name] for name in step.keys() - {"do", "purpose", "name", "to"}}
    )


def test_booked_twins_are_charged_and_what_does_not_fit_is_not_begun(tmp_path: Path) -> None:
    sweep = Sweep(epsilon=(Decimal(2),), repeats=1, twin="mst")
    schema = {
        "age": {"kind": "number", "lower": 18, "upper": 90},
        "back": {"kind": "category", "values": ["false", "true"]},
    }
    asked = {"target": "back", "techniques": ["synthesize"], "sweep": sweep, "schema": schema, "records": 150}
    with Ledger(tmp_path / "small", limit=ApproxDP(1, "1e-5")) as small:
        with pytest.raises(BudgetExceeded):
            tradeoff(ward(150), ledger=small, **asked)
        assert not any(small.balance().spent.values())
    with Ledger(tmp_path / "book", limit=ApproxDP(3, "1e-5")) as book:
        made = tradeoff(ward(150), ledger=book, **asked)
        assert [point.booked for point in made.points if point.technique == "synthesize"] == [True]
        assert any(book.balance().spent.values())
