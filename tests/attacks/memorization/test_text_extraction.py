"""Prefix and suffix: recited texts by copies and entropy, chance from controls, and upper limits that are never nought."""

import pytest
from tests.attacks.memorization.tiny_models import CONTROL, MEMBERS, notes, parrot

from privet.artifact import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.memorization._text_extraction import recited, text_extraction
from privet.errors import NoPower
from privet.guarantee import ApproxDP

SHORT = {"prefix": 20, "suffix": 20}
PROMISE = ApproxDP("0.5", 1e-6)


def case(members=MEMBERS, control=CONTROL, **settings: object) -> Case:
    return Case(members=members, control=control, promise=PROMISE, settings={**SHORT, **settings})


def rows(found) -> dict[str, dict]:
    return {row["copies"]: row for row in found.details["by copies"]}


def test_what_is_known_by_heart_is_recited_and_chance_is_not() -> None:
    found = text_extraction(parrot(MEMBERS), case())
    assert found.success.value > 0.9
    assert found.control.value < 1e-9
    assert found.verdict is Verdict.CONTRADICTS
    assert rows(found)["1"]["texts"] == 40
    never = rows(found)["never trained"]
    assert never["exact"] == 0
    assert never["exact at most"] == pytest.approx(1 - 0.05 ** (1 / 40))
    assert sum(row["texts"] for row in found.details["by entropy"]) == 40
    assert sum(row["never trained"]["texts"] for row in found.details["by entropy"]) == 40


def test_nothing_recited_is_no_contradiction() -> None:
    found = text_extraction(parrot([]), case())
    assert found.success.value < 1e-9
    assert found.success.high > 0.05
    assert found.verdict is not Verdict.CONTRADICTS


def test_repeated_texts_stand_in_their_own_row() -> None:
    repeated = [*MEMBERS, *[MEMBERS[0]] * 9, MEMBERS[1]]
    found = rows(text_extraction(parrot([MEMBERS[0]]), case(repeated)))
    assert found["8 to 31"]["texts"] == 1
    assert found["8 to 31"]["exact"] == 1
    assert found["8 to 31"]["allowed"] > found["1"]["allowed"]
    assert found["2 to 7"]["texts"] == 1
    assert found["1"]["exact"] == 0


def test_a_control_that_was_trained_on_is_none() -> None:
    found = text_extraction(parrot(MEMBERS), case(control=[*CONTROL, MEMBERS[0]]))
    assert rows(found)["never trained"]["texts"] == 40
    assert rows(found)["never trained"]["exact"] == 0
    assert any("left out" in note for note in found.notes)


def test_a_tenth_of_the_suffix_may_differ() -> None:
    text = MEMBERS[0]
    changed = text[:30] + "#" + text[31:]
    found = recited(parrot([changed]), [text], **SHORT)
    assert (found.exact.tolist(), found.near.tolist()) == ([False], [True]) or not found.near[0]
    wrong = recited(parrot([text[:25] + "#" * 15]), [text], **SHORT)
    assert not wrong.near[0]
    same = recited(parrot([text]), [text], **SHORT)
    assert same.exact[0]


def test_texts_that_are_too_short_or_few_are_said() -> None:
    with pytest.raises(NoPower):
        text_extraction(parrot([]), case(prefix=500))
    found = text_extraction(parrot([]), case([*MEMBERS, "short"], windows=15))
    assert rows(found)["1"]["texts"] == 15
    assert any("too short" in note for note in found.notes)


def test_no_text_is_in_the_result() -> None:
    said = str(text_extraction(parrot(MEMBERS), case()).to_json())
    assert not any(one[:25] in said for one in (*MEMBERS, *notes(1, 1)))
