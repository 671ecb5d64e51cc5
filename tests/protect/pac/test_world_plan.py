"""What functions and queries have in common before a row is read: the promise, the worlds, the question."""

import json

import pytest
from tests.protect.pac.people import means, people

import privet as pv
from privet.errors import BadFunction, BadUnit
from privet.protect.pac import plan_worlds
from privet.protect.pac._world_plan import check_worlds, pac_promise


def test_only_nats_are_promised() -> None:
    assert pac_promise(pv.PacPrivacy("1/8"), "it") == pv.PacPrivacy("1/8")
    with pytest.raises(BadFunction, match="not PureDP"):
        pac_promise(pv.PureDP(1), "it")


@pytest.mark.parametrize("wrong", [0, 1, 3, 1026, True, "128", 2.0, None])
def test_worlds_come_in_pairs(wrong) -> None:
    with pytest.raises(BadFunction):
        check_worlds(wrong)
    check_worlds(2)
    check_worlds(1024)


def test_the_question_holds_the_table_the_unit_and_the_noise() -> None:
    plan = plan_worlds(people().apply(means, ["age"]), pv.PacPrivacy("1/8"), worlds=64)
    said = json.loads(plan.question("a session"))
    assert said["table"] == plan.table.fingerprint
    assert (said["worlds"], said["basis"], said["session"]) == (64, "diagonal", "a session")
    assert plan.event.mutual_information == plan.promise.mutual_information


def test_whose_membership_is_hidden_must_be_known() -> None:
    table = pv.open_table(people().relation.table.to_pyarrow(), bounds={"age": (0, 100)})
    with pytest.raises(BadUnit):
        plan_worlds(table.apply(means, ["age"]), pv.PacPrivacy("1/8"))
