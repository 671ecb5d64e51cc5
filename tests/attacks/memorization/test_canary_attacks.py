"""Canaries in real small transformers: one that memorizes recites them, one that never saw them has 1.44 bits and recites none."""

import math

import numpy as np
import pytest
from tests.attacks.memorization.tiny_models import innocent, memorizing, parrot, planted

from privet.artifact import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.memorization import plant_canaries
from privet.attacks.memorization._canary_attacks import canary_epsilon, canary_exposure, canary_recitation
from privet.errors import BadAttack, NoPower
from privet.guarantee import ApproxDP

PROMISE = ApproxDP(1, 1e-6)


def case(**settings: object) -> Case:
    return Case(promise=PROMISE, settings={"canaries": planted()[1], **settings})


def by_copies(found) -> dict[str, dict]:
    return {row["copies"]: row for row in found.details["by copies"]}


def test_a_memorizing_transformer_recites_most_at_one_copy_and_nine_tenths_at_eight() -> None:
    found = canary_recitation(memorizing(), case())
    rows = by_copies(found)
    assert rows["8"]["recited"] >= 0.9 * rows["8"]["canaries"]
    assert rows["1"]["recited"] > 0.5 * rows["1"]["canaries"]
    assert rows["never inserted"]["recited"] == 0
    assert found.verdict is Verdict.CONTRADICTS
    exposed = canary_exposure(memorizing(), case())
    assert exposed.success.low > exposed.control.high
    assert exposed.verdict is Verdict.CONTRADICTS
    audit = canary_epsilon(memorizing(), case())
    assert audit.success.low > 1
    assert audit.verdict is Verdict.CONTRADICTS


def test_one_that_never_saw_them_recites_none_and_has_the_mean_of_chance() -> None:
    found = canary_recitation(innocent(), case())
    assert all(row["recited"] == 0 for row in found.details["by copies"])
    row = by_copies(found)["1"]
    assert row["recited at most"] == pytest.approx(
        1 - 0.05 ** (1 / row["canaries"])
    )  # about 3/n, and never 0
    assert found.verdict is not Verdict.CONTRADICTS
    exposed = canary_exposure(innocent(), case())
    values = [(row["exposure"], row["canaries"]) for row in exposed.details["by copies"]]
    count = sum(many for _, many in values)
    mean = sum(value * many for value, many in values) / count
    # Ranks against 2,000 references: a standard deviation of 1.44 bits, five standard errors (once in 1.7 million times).
    assert abs(mean - math.log2(math.e)) < 5 * 1.45 * math.sqrt(1 / count + 1 / 2_000)
    assert exposed.verdict is Verdict.WITHIN
    assert canary_epsilon(innocent(), case()).verdict is not Verdict.CONTRADICTS


def test_what_is_allowed_grows_with_copies_until_nothing_is_promised() -> None:
    rows = by_copies(canary_recitation(parrot([]), case()))
    assert rows["1"]["allowed"] < rows["2"]["allowed"] < 1e-4
    assert rows["32"]["allowed"] is None
    rows = by_copies(canary_exposure(parrot([]), case(references=100)))
    assert rows["1"]["allowed"] == pytest.approx(2 / math.log(2), rel=1e-3)


def test_the_lower_bound_of_a_mechanism_that_keeps_its_promise_is_not_above_it() -> None:
    """Randomised response on which canaries are known: exactly epsilon 1, so the claim of 1 is contradicted rarely."""
    texts, record = plant_canaries([], copies={1: 400}, seed=9)
    draw = np.random.default_rng(4)
    honest = math.e / (1 + math.e)
    known = [one.text for one in record.canaries if (one.copies > 0) == (draw.random() < honest)]
    found = canary_epsilon(
        parrot(known), Case(promise=PROMISE, confidence=1 - 1e-6, settings={"canaries": record})
    )
    assert found.success.low <= 1
    assert found.success.value > 0.3
    told = canary_epsilon(parrot(texts), Case(promise=PROMISE, settings={"canaries": record}))
    assert told.success.low > 3


def test_canaries_that_are_too_few_or_none_are_refused(tmp_path) -> None:
    _, record = plant_canaries([], copies={1: 6})
    for attack in (canary_recitation, canary_exposure, canary_epsilon):
        with pytest.raises(NoPower):
            attack(parrot([]), Case(settings={"canaries": record}))
    with pytest.raises(BadAttack):
        canary_recitation(parrot([]), Case(settings={"canaries": 3}))
    planted()[1].save(tmp_path / "c.json")
    found = canary_recitation(parrot([]), Case(settings={"canaries": tmp_path / "c.json"}))
    assert found.bound is None
