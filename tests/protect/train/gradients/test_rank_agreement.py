"""Processes that have something else than the first one are refused by name, before anything is booked."""

import pytest
from tests.protect.train.gradients.runs import net, planned

from privet.errors import BadTraining
from privet.protect.train.gradients import StepSpeed
from privet.protect.train.gradients._process_group import Ranks
from privet.protect.train.gradients._rank_agreement import require_agreement, require_room

DESCRIBED = {"plan": {"steps": 3}, "data": "abc", "initial": "def", "software": {"torch": "2"}}


@pytest.fixture
def said(monkeypatch):
    """What the first process says of itself."""
    told = []
    monkeypatch.setattr(Ranks, "tell", lambda self, message: told.append(message))
    monkeypatch.setattr(Ranks, "told", lambda self: told[0])
    require_agreement(Ranks(0, 2), DESCRIBED, [1.0, 2.0])
    return told


def test_the_same_is_agreed_and_digests_alone_are_told(said):
    require_agreement(Ranks(1, 2), dict(DESCRIBED), [1.0, 2.0])
    assert "abc" not in str(said)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plan", "plan"),
        ("data", "the records"),
        ("initial", "begins with"),
        ("software", "versions of torch"),
    ],
)
def test_whatever_differs_is_named(said, name, words):
    with pytest.raises(BadTraining, match=words) as refused:
        require_agreement(Ranks(1, 2), {**DESCRIBED, name: "another"}, [1.0, 2.0])
    assert refused.value.details["differing"] == [name]
    assert ("manual_seed" in refused.value.hint) == (name == "initial")


def test_what_one_has_and_the_other_has_not_differs(said):
    with pytest.raises(BadTraining, match="augmentations"):
        require_agreement(Ranks(1, 2), {**DESCRIBED, "augmentations": 2}, [1.0, 2.0])


def test_other_code_shows_in_what_it_computes(said):
    for probed in ([1.0, 2.1], [1.0], [1.0, float("nan")]):
        with pytest.raises(BadTraining, match="computes"):
            require_agreement(Ranks(1, 2), dict(DESCRIBED), probed)


def test_every_process_has_a_piece_of_a_batch_and_sums_have_room():
    made = planned(net())  # batches of 60
    require_room(made, StepSpeed(physical=59), Ranks(0, 2), 60)
    require_room(made, StepSpeed(physical=60), Ranks(0, 1), 60)
    with pytest.raises(BadTraining, match="leaves some of the 2") as refused:
        require_room(made, StepSpeed(physical=60), Ranks(0, 2), 60)
    assert "physical=30" in refused.value.hint
    with pytest.raises(BadTraining, match="far more records"):
        require_room(made, StepSpeed(), Ranks(), 2**21 + 1)
