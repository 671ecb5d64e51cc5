"""Shares, their excess over control, and which of several rounds is reported."""

import numpy as np
import pyarrow as pa
import pytest

from privet.artifact import Adversary
from privet.attacks._attack_registry import Case
from privet.attacks.tables._released_rows import Released
from privet.attacks.tables._wp29_scores import (
    GuessRound,
    concluded,
    excess,
    refuse_powerless,
    repeated,
    share,
)
from privet.errors import NoPower


def test_excess_over_control() -> None:
    found = excess(0.75, 0.5, 1000, 0.95)
    assert found.value == pytest.approx(0.5)
    assert 0.43 < found.low < 0.5 < found.high < 0.56
    assert excess(1.0, 0.25, 1000, 0.95).value == pytest.approx(1.0)
    assert excess(0.25, 0.5, 400, 0.95).value == pytest.approx(-0.5)
    with pytest.raises(NoPower):
        excess(1.0, 1.0, 10, 0.95)


def test_the_excess_interval_covers() -> None:
    """2,000 draws at 90 %: at least 88.5 % cover (a true 90 % falls below with a chance of 1e-2; the draws are fixed)."""
    draw = np.random.default_rng(8)
    a, b, n = 0.4, 0.3, 300
    truth = 1 - (1 - a) / (1 - b)
    hits = sum(
        (one := excess(draw.binomial(n, a) / n, draw.binomial(n, b) / n, n, 0.9)).low <= truth <= one.high
        for _ in range(2000)
    )
    assert hits > 1770


def test_wilson_s_interval_by_hand():
    """Wilson 1927 for 5 of 10 at 95 %: 0.2366 to 0.7634."""
    found = share(0.5, 10, 0.95)
    assert [found.low, found.high] == pytest.approx([0.2366, 0.7634], abs=1e-4)
    assert share(0.0, 10, 0.95).low == 0  # exact: the end of the range
    assert share(1.0, 10, 0.95).high == 1  # exact: the end of the range
    assert share(1.0, 10, 0.95).low == pytest.approx(0.7225, abs=1e-4)


def test_guesses_that_depend_on_each_other_are_worth_fewer():
    alone = GuessRound(50, 25, 10, 100, 100)
    together = GuessRound(50, 25, 10, 100, 100, worth=10.0)
    assert alone.independent == 100  # exact: a count
    assert [one.risk(0.95).value for one in (together, alone)] == pytest.approx([1 / 3, 1 / 3])
    assert together.risk(0.95).low < alone.risk(0.95).low


def said(rounds, **more):
    return concluded(
        "inference",
        "share",
        rounds,
        Case(),
        Released(pa.table({"a": [1]}), "table"),
        adversary=Adversary("somebody", (), "the table"),
        started=0.0,
        **more,
    )


def test_the_middle_round_is_reported_and_the_lower_of_two():
    rounds = [GuessRound(right, 20, 10, 100, 100) for right in (90, 30, 60)]
    assert said(rounds).success.value == pytest.approx(0.6)
    assert said(rounds[:2]).success.value == pytest.approx(0.3)
    assert said(rounds).details["risks_of_rounds"] == pytest.approx([0.875, 0.125, 0.5])
    assert said(rounds).baseline == pytest.approx(0.1)


def test_silence_is_explained():
    notes = " ".join(said([GuessRound(10, 10, 10, 100, 400)]).notes)
    assert "Only 100 of 400 guesses" in notes
    assert "no better than blind guesses" in notes
    assert "blind" not in " ".join(said([GuessRound(11, 10, 10, 100, 100)]).notes)


def test_an_attack_is_played_as_often_as_asked_and_says_so():
    told = []
    case = Case(settings={"repeats": 2}, progress=lambda *one: told.append(one))
    assert repeated(case, "x", lambda at: at * 10) == [0, 10]
    assert told == [("x", 0, 2), ("x", 1, 2), ("x", 2, 2)]
    assert len(repeated(Case(), "x", lambda at: at)) == 5


def test_nothing_asked_is_refused():
    refuse_powerless(1, "statement")
    with pytest.raises(NoPower, match="no statement could be made"):
        refuse_powerless(0, "statement")
