"""Arguments that do not fit are refused with everything that is wrong and what to write instead."""

import contextlib
import functools
import inspect
import pickle
import re
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import pandas as pd
import pytest

import privet as pv
from privet.errors import BadAnonymization, BadUsage
from privet.errors._argument_checks import checked, checked_as, checked_class, checked_names

HINT = re.compile(r"(\w+)=((?:pv\.|datetime\.|\[|\").*?)\.(?= [A-Z]|$)")


class More(TypedDict, total=False):
    pace: float
    weights: list[str]


@checked
def verb(thing: str, count: int = 1, *, why: str, **more: Unpack[More]) -> tuple[Any, ...]:
    """What it does."""
    return thing, count, why, more


def refusal(call: Any) -> BadUsage:
    with pytest.raises(BadUsage) as caught:
        call()
    return caught.value


def test_what_fits_is_let_through() -> None:
    thing, count, why, more = verb("a", 2, why="b", pace=1.5)
    assert (thing, count, why, set(more)) == ("a", 2, "b", {"pace"})
    assert more["pace"] == pytest.approx(1.5)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    said = refusal(lambda: verb(5, wyh="b", pace="slow"))
    assert said.details["faults"] == [
        "verb has no argument 'wyh'.",
        "verb needs why.",
        "verb: thing is text, not a whole number.",
        "verb: pace is a number, not text.",
    ]
    assert "Did you mean 'why'?" in said.hint


def test_too_many_places_and_repeated_names() -> None:
    assert "takes 2 arguments by position" in refusal(lambda: verb("a", 1, "b", why="c")).fact
    assert "Name the others: why=…" in refusal(lambda: verb("a", 1, "b")).hint
    assert "twice" in refusal(lambda: verb("a", thing="b", why="c")).fact


def test_a_checked_function_is_still_itself() -> None:
    assert verb.__name__ == "verb"
    assert inspect.getdoc(verb) == "What it does."
    assert list(inspect.signature(verb).parameters) == ["thing", "count", "why", "more"]
    assert pickle.loads(pickle.dumps(verb)) is verb


def test_names_alone_can_be_checked() -> None:
    @checked_names
    def loose(column: str, bounds: tuple[int, int] | None = None) -> object:
        return column, bounds

    assert loose(5, bounds="x") == (5, "x")
    assert "Did you mean 'bounds'?" in refusal(lambda: loose("x", bound=1)).hint


def test_a_function_goes_by_the_name_that_callers_know() -> None:
    @checked_as("release")
    def release_question(thing: str) -> str:
        return thing

    assert refusal(lambda: release_question(5)).fact.startswith("release: thing")


def test_a_class_is_called_by_its_name_and_several_by_position_one_by_one() -> None:
    @checked_class
    @dataclass(frozen=True, slots=True)
    class Course:
        rate: float = 0.1

    assert Course(rate=1).rate == pytest.approx(1)
    assert refusal(lambda: Course(rate="fast")).fact == "Course: rate is a number, not text."

    @checked
    def group_by(*columns: str) -> tuple[str, ...]:
        return columns

    assert "out of the brackets" in refusal(lambda: group_by(["a", "b"])).hint


def test_annotations_that_only_type_checkers_see_check_nothing() -> None:
    def open_(thing: "Nowhere") -> object:  # noqa: F821
        return thing

    assert checked(open_)(5) == 5


# --- hints of the verbs, followed literally -----------------------------------------------------


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame({"zip": ["1", "2"] * 10, "age": list(range(20)), "who": list(range(20))})


def followed(said: BadUsage, frame: pd.DataFrame) -> dict[str, Any]:
    """The arguments that a hint says to write, made by running it."""
    found = {word: eval(text, {"pv": pv, "df": frame}) for word, text in HINT.findall(said.hint)}
    assert found, said.hint
    return found


def test_a_frame_without_a_promise_is_anonymized_after_following_the_hint(frame: pd.DataFrame) -> None:
    said = refusal(lambda: pv.anonymize(frame, k=5))
    given = followed(said, frame)
    assert given["promise"] == pv.KAnonymity(5)
    with pytest.raises(pv.PrivetError) as caught:
        pv.anonymize(**given)
    # The next refusal is about what nobody can guess: which columns an outsider may know.
    assert "quasi-identifier" in caught.value.fact
    table = pv.open_table(frame, unit=pv.Row(), roles={"zip": "quasi"})
    assert len(pv.anonymize(**{**given, "table": table})) == 20


def test_a_release_without_a_promise_runs_after_following_the_hint(frame: pd.DataFrame) -> None:
    table = pv.open_table(frame, unit=pv.Row(), keys={"zip": ["1", "2"]})
    question = table.group_by("zip").agg(n=pv.count())
    given = followed(refusal(lambda: pv.release(question, epsilon=1)), frame)
    assert given["promise"] == pv.PureDP(1)
    assert set(given) == {"promise", "ledger", "why"}
    assert len(pv.release(question, **given)) == 2


def test_hints_for_single_arguments_work(frame: pd.DataFrame, tmp_path) -> None:
    frame.to_csv(tmp_path / "a.csv", index=False)
    table = pv.open_table(frame, unit=pv.Row(), roles={"zip": "quasi"})
    cases = [
        (functools.partial(pv.audit, frame), {"quasi": "zip"}),
        (functools.partial(pv.anonymize, promise=pv.KAnonymity(2)), {"table": str(tmp_path / "a.csv")}),
        (functools.partial(pv.anonymize, table), {"promise": 5}),
        (functools.partial(pv.open_table, frame), {"unit": "who"}),
    ]
    for verb_, wrong in cases:
        given = followed(refusal(lambda verb_=verb_, wrong=wrong: verb_(**wrong)), frame)
        # What comes next may be refused for what nobody can guess, but never for the same reason again.
        with contextlib.suppress(BadAnonymization):
            verb_(**given)


def test_a_question_is_not_a_table(frame: pd.DataFrame) -> None:
    question = pv.open_table(frame, unit=pv.Row()).agg(n=pv.count())
    said = refusal(lambda: pv.anonymize(question, pv.KAnonymity(2)))
    assert "give the table that it asks about" in said.hint


def test_a_keyword_may_be_called_like_a_parameter_without_a_name():
    @checked
    def gathered(first: int, /, **rest: int) -> tuple[int, dict[str, int]]:
        return first, rest

    assert gathered(1, first=2, self=3) == (1, {"first": 2, "self": 3})
    with pytest.raises(BadUsage, match="first is"):
        gathered("one", first=2)


def test_what_is_given_by_place_to_names_of_ones_own_is_told_so() -> None:
    rows = pv.open_table(pd.DataFrame({"age": [1, 2, 3]}), unit=pv.Row())
    with pytest.raises(BadUsage, match="agg takes no argument by position") as refused:
        rows.agg("n")
    assert "name=" in str(refused.value)


def test_a_long_list_of_kinds_is_not_read_out_and_an_example_is_given() -> None:
    rows = pv.open_table(pd.DataFrame({"age": [1, 2, 3]}), unit=pv.Row())
    with pytest.raises(BadUsage) as refused:
        rows.where("age > 2")
    assert len(str(refused.value)) < 200
    assert 'pv.col("age") >= 60' in str(refused.value)


@pytest.mark.parametrize("call", [lambda: pv.DataSet("x.csv"), pv.DataSet, lambda: pv.DataSet(None, 3)])
def test_a_data_set_refuses_what_does_not_fit(call) -> None:
    with pytest.raises(BadUsage):
        call()


def test_what_is_wrong_inside_is_not_called_what_was_wanted() -> None:
    with pytest.raises(
        BadUsage, match="values is a dict from keys to a whole number, not a dict of anything else"
    ):
        pv.Invariant("level0", {0: 1, 1: 2.5}, origin="x")
