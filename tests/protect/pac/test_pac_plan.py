"""The plan of a PAC release: decided on public grounds alone, refused before anything is booked."""

import numpy as np
import pytest
from tests.protect.pac.people import means, people

from privet import PacPrivacy, PureDP, Row
from privet.errors import BadFunction
from privet.protect.pac import make_pac_plan

BOTH = ["age", "cost"]


def plan(function=means, columns=BOTH, promise=PacPrivacy("1/16"), *, table=None, said=None, **more):  # noqa: B008
    return make_pac_plan((table or people()).apply(function, columns, **(said or {})), promise, **more)


def test_noise_follows_the_outputs_directions_where_worlds_are_enough() -> None:
    assert plan().basis == "eigen"
    assert plan(columns=["age"]).basis == "diagonal"
    assert plan(worlds=6).basis == "diagonal"
    assert plan(basis="diagonal").basis == "diagonal"
    assert isinstance(plan(basis=np.eye(2)).basis, np.ndarray)


def test_each_number_may_have_bounds_of_its_own() -> None:
    found = plan(said={"clip": ([0, 0], [100, 5_000])}).grid
    assert found.upper == (100.0, 5_000.0)  # exact: as stated
    with pytest.raises(BadFunction, match="does not stretch"):
        plan(said={"clip": ([0, 0, 0], 1)})
    with pytest.raises(BadFunction, match="below the upper"):
        plan(said={"clip": (3, 3)})


@pytest.mark.parametrize(
    "wrong",
    [
        {"promise": PureDP(1)},
        {"worlds": 7},
        {"worlds": 0},
        {"worlds": 10_000},
        {"worlds": 4, "promise": PacPrivacy("1.4")},  # ln 4 = 1.386
        {"basis": "eigen", "worlds": 6},
        {"basis": "round"},
        {"processes": 0},
        {"said": {"form": "matched", "reference": np.zeros((3, 2))}},
        {"promise": PacPrivacy("1e-10")},
    ],
)
def test_nonsense_is_refused(wrong) -> None:
    with pytest.raises(BadFunction):
        plan(**wrong)


def test_the_question_names_everything_the_answer_depends_on() -> None:
    changes = [
        {},
        {"columns": ["cost", "age"]},
        {"promise": PacPrivacy("1/8")},
        {"worlds": 64},
        {"basis": "diagonal"},
        {"basis": np.eye(2)},
        {"said": {"bounds": {"age": (0, 99)}}},
        {"said": {"clip": (0, 1)}},
        {"function": lambda rows: rows.max(axis=0)},
        {"table": people(version="2")},
        {"table": people(unit=Row())},
    ]
    questions = [plan(**change).question() for change in changes]
    assert len(set(questions)) == len(changes)
    assert plan().question() == plan().question()
    assert plan().question("one") != plan().question("two")


def test_stages_say_what_is_done() -> None:
    text = " ".join(plan(said={"form": "sorted", "least_people": 33}).stages())
    for said in (
        "age, cost",
        "at most 1 rows",
        "128 worlds in pairs",
        "fewer than 33",
        "(sorted)",
        "0.0625 nats",
    ):
        assert said in text
    assert plan().labels == ("means[0]", "means[1]")
    assert plan(lambda rows: rows.mean(), ["age"]).labels == ("<lambda>",)


def test_numbers_that_share_the_noise_by_default_bounds_are_said_to() -> None:
    """Days beside costs: with one pair of bounds for both, noise for the costs drowns the days."""
    alike = make_pac_plan(people().apply(means, ["age", "cost"]), PacPrivacy("1/16"))
    assert any("one unit" in note for note in alike.notes())
    own = people().apply(means, ["age", "cost"], clip=(np.zeros(2), np.array([100, 5_000])))
    for other in (own, people().apply(means, ["age"])):
        assert not any("one unit" in note for note in make_pac_plan(other, PacPrivacy("1/16")).notes())
