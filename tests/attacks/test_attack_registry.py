"""Which attacks there are, what each needs, and what a case has."""

import pytest

from privet.attacks import _attack_registry as registry
from privet.attacks._attack_registry import KINDS, Case, attacks, fitting, in_words, register
from privet.errors import BadAttack


def test_every_attack_says_in_one_line_what_is_tried() -> None:
    for one in attacks():
        assert 20 <= len(one.says) <= 130, one.name
        assert one.says.endswith("."), one.name


def test_an_attack_joins_by_registering(monkeypatch) -> None:
    monkeypatch.setattr(registry, "_KNOWN", dict(registry._KNOWN))

    @register(name="made-up", on="run", needs=("promise",))
    def made_up(target, case):
        """Try something.

        More about it.
        """

    (found,) = [one for one in attacks("run") if one.name == "made-up"]
    assert (found.says, found.needs, found.run) == ("Try something.", ("promise",), made_up)
    with pytest.raises(ValueError, match="already"):
        register(name="made-up", on="run")(lambda target, case: None)
    with pytest.raises(ValueError, match="one of"):
        register(name="other", on="teapot")


def test_attacks_of_one_kind_are_in_order() -> None:
    every = attacks()
    assert [one.name for one in every] == sorted(one.name for one in every)
    assert {one.on for one in every} == set(KINDS)
    assert {one.on for one in attacks("update")} == {"update"}


def test_what_a_case_lacks() -> None:
    case = Case(members=[1], settings={"oracle": print})
    assert case.lacks(("members", "control", "oracle", "promise")) == ["control", "promise"]
    assert in_words(["control", "oracle", "x"]) == "a holdout (control) and query access (oracle) and x"


def test_named_attacks_must_fit_and_all_reasons_are_said() -> None:
    case = Case(members=[1])
    with pytest.raises(BadAttack) as caught:
        fitting("statistics", case, ["nonsense", "tracker", "inference"])
    assert caught.value.details["faults"] == [
        "there is no attack 'nonsense'.",
        "tracker needs query access (oracle).",
        "inference attacks a table, and this is a statistics.",
    ]
    assert [one.name for one in fitting("statistics", case, ["differencing"])] == ["differencing"]
    assert "tracker" not in {one.name for one in fitting("statistics", case)}


@pytest.mark.parametrize("given", [0, -1, 2.5, True, "many", None])
def test_whole_numbers_are_at_least_one(given) -> None:
    with pytest.raises(BadAttack, match="guesses is a whole number, at least 1") as caught:
        Case(settings={"guesses": given}).whole("guesses", 7)
    assert caught.value.hint == "Set guesses=7."


def test_some_whole_numbers_may_be_nought() -> None:
    assert Case(settings={"plants": 0}).whole("plants", 3) == 0
    assert Case().whole("plants", 3) == 3
    with pytest.raises(BadAttack, match="at least 0"):
        Case(settings={"excluded": -1}).whole("excluded", 0)


@pytest.mark.parametrize("given", [-0.1, float("nan"), float("inf"), False, "x"])
def test_numbers_are_finite_and_not_below_nought(given) -> None:
    with pytest.raises(BadAttack, match="gamma is a number"):
        Case(settings={"gamma": given}).number("gamma", 1.0)
    assert Case(settings={"gamma": 0}).number("gamma", 1.0) == 0
