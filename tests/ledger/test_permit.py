"""A permit is good for one draw: by one thread, in one process, and never as a copy."""

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from privet.artifact._receipt import Receipt
from privet.errors import PermitMismatch, PermitSpent
from privet.guarantee._events import (
    Composed,
    DiscreteLaplace,
    Event,
    Exponential,
    Repeated,
    SealedPlan,
    Selected,
)
from privet.ledger._permit import Permit, issue

RECEIPT = Receipt(
    ledger="l",
    entry=2,
    head="h",
    at="2026-01-01T00:00:00Z",
    event=None,
    promise=None,
    unit={"unit": "row", "change": "add-or-remove"},
    accounting="pure",
    composition="adaptive filter",
    cost={"epsilon": "1"},
    remaining={"epsilon": "2"},
    why="test",
)
NOISE, CHOICE = DiscreteLaplace(2), Exponential("0.5")


def test_it_is_good_for_one_use():
    permit = issue(NOISE, RECEIPT)
    assert permit.event == NOISE
    assert permit.receipt is RECEIPT
    assert permit.use() == NOISE
    with pytest.raises(PermitSpent):
        permit.use()


def test_of_many_threads_one_wins():
    permit = issue(NOISE, RECEIPT)

    def attempt(_: int) -> bool:
        try:
            permit.use()
        except PermitSpent:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(attempt, range(400))) == 1


def test_nobody_makes_one_by_hand():
    with pytest.raises(PermitMismatch):
        Permit(NOISE, RECEIPT)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_is_not_duplicated(duplicate):
    with pytest.raises(PermitSpent):
        duplicate(issue(NOISE, RECEIPT))


def test_a_forked_child_holds_no_permit():
    permit = issue(NOISE, RECEIPT)
    child = os.fork()
    if child == 0:
        try:
            permit.use()
        except PermitSpent:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert permit.use() == NOISE


@pytest.mark.parametrize(
    ("event", "parts"),
    [
        (Composed([NOISE, CHOICE]), (NOISE, CHOICE)),
        (Repeated(NOISE, 3), (NOISE, NOISE, NOISE)),
        (SealedPlan(Composed([CHOICE, NOISE]), 1e-6), (CHOICE, NOISE)),
        (SealedPlan(Repeated(CHOICE, 2), 1e-6), (CHOICE, CHOICE)),
        (SealedPlan(NOISE, 1e-6), (NOISE,)),
    ],
)
def test_parts_share_the_receipt_and_use_the_whole_up(event: Event, parts: tuple[Event, ...]):
    permit = issue(event, RECEIPT)
    handed_out = permit.parts()
    assert tuple(part.event for part in handed_out) == parts
    assert all(part.receipt is RECEIPT for part in handed_out)
    with pytest.raises(PermitSpent):
        permit.use()
    with pytest.raises(PermitSpent):
        permit.parts()
    assert [part.use() for part in handed_out] == list(parts)


def test_a_simple_event_has_no_parts_and_stays_usable():
    permit = issue(NOISE, RECEIPT)
    with pytest.raises(PermitMismatch):
        permit.parts()
    assert permit.use() == NOISE


def test_it_prints_without_parameters():
    assert repr(issue(NOISE, RECEIPT)) == "<permit for discrete-laplace, entry 2, unused>"


def test_a_permit_that_was_issued_again_is_for_the_same_draw_only():
    with pytest.raises(PermitMismatch, match="a fresh draw would be a second release"):
        issue(NOISE, RECEIPT, "q", resumed=True).use()
    with pytest.raises(PermitMismatch, match="a fresh draw would be a second release"):
        issue(Repeated(NOISE, 2), RECEIPT, "q", resumed=True).parts()
    again = issue(NOISE, RECEIPT, "q", resumed=True)
    assert again.use(replaying=True) == NOISE
    with pytest.raises(PermitSpent):
        again.use(replaying=True)
    assert issue(NOISE, RECEIPT).use(replaying=True) == NOISE


@pytest.mark.parametrize("sealed", [False, True])
def test_trials_of_a_selection_use_its_permit_up(sealed):
    selection = Selected([NOISE, CHOICE], 3)
    permit = issue(SealedPlan(selection, "1e-6") if sealed else selection, RECEIPT, "q")
    made = permit.trials([1, 0, 1], ["a", "b", "c"])
    assert [(one.event, one.question, one.receipt) for one in made] == [
        (CHOICE, "a", RECEIPT),
        (NOISE, "b", RECEIPT),
        (CHOICE, "c", RECEIPT),
    ]
    with pytest.raises(PermitSpent):
        permit.trials([0], ["d"])


def test_what_is_no_selection_has_no_trials():
    for event in (NOISE, Composed([NOISE]), SealedPlan(NOISE, "1e-6")):
        permit = issue(event, RECEIPT)
        with pytest.raises(PermitMismatch, match="is not a selection"):
            permit.trials([0], ["a"])
        permit.use()
