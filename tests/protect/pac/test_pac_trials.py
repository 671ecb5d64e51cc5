"""Trials: the mechanism itself on worlds whose secrets are known, which no attack beats, and any attack with half the noise."""

from __future__ import annotations

import numpy as np
import pytest
from tests.protect.pac.people import means, people

import privet as pv
from privet.artifact import Verdict
from privet.errors import BadFunction
from privet.mechanism import _opendp_samplers as sampling

COLUMNS = ["age", "cost"]
SMALL = {"worlds": 16}


def trials(nats="1/16", thing=None, **more) -> pv.PacTrials:
    asked = people().apply(means, COLUMNS) if thing is None else thing
    return pv.pac_trials(asked, pv.PacPrivacy(nats), **SMALL, **more)


def without_noise(monkeypatch) -> None:
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))


def test_releases_are_those_of_the_world_that_is_told(monkeypatch) -> None:
    without_noise(monkeypatch)
    made = trials()
    answers, drawn = made.play(20)
    assert answers == pytest.approx(made.outputs[drawn], rel=1e-9)
    session = made.session()
    assert session.ask(made.outputs, 1 / 64) == pytest.approx(made.outputs[session.drawn], rel=1e-9)


def test_everybody_is_in_exactly_half_of_the_worlds_one_of_every_pair() -> None:
    made = trials()
    assert made.inside.shape == (16, 200)
    assert (made.inside[0::2] ^ made.inside[1::2]).all()


def test_somebody_can_be_left_out_once() -> None:
    made = trials(thing=people(60).apply(lambda rows: rows.shape[0], ["age"]))
    less = made.without(7)
    assert less.outputs == pytest.approx(made.outputs - made.inside[:, 7:8])
    with pytest.raises(BadFunction, match="already"):
        less.without(1)
    assert repr(made) == "<PAC trials of 16 worlds>"


def outlying() -> pv.Table:
    """One person of fifty who moves the mean between halves far more than all others."""
    import pyarrow as pa

    rows = pa.table({"who": np.arange(50), "v": np.r_[100.0, np.random.default_rng(2).normal(0, 1, 49)]})
    return pv.open_table(rows, unit=pv.Person("who", max_rows=1), bounds={"v": (-100, 100)})


def test_the_mechanism_keeps_its_bound_and_with_half_of_its_noise_it_does_not(monkeypatch) -> None:
    """2,000 releases at 1/4 nats: kept by 6 points and broken by 6, which are at least 6 standard errors."""
    made = pv.pac_trials(outlying().apply(means, ["v"]), pv.PacPrivacy("1/4"), worlds=32)
    named = {"attacks": ["world-membership"], "draws": 2_000}
    (kept,) = pv.attack(made, **named)
    assert kept.verdict is not Verdict.CONTRADICTS
    assert kept.success.value > 0.65
    draw = sampling.draw_discrete_gaussian
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: draw(n, sigma / 2))
    (broken,) = pv.attack(made, **named)
    assert broken.verdict in (Verdict.CONTRADICTS, Verdict.EDGE)
    assert kept.success.value < pv.PacPrivacy("1/4").posterior() < broken.success.value


def test_bounds_and_a_least_number_of_people_keep_an_outlier_quiet() -> None:
    """A sum over three rows, one of them 999,999, told 98.6 % of the time; here it is clipped, or all zeros."""
    import pyarrow as pa

    few = pa.table({"who": np.arange(3), "v": [1.0, 2.0, 999_999.0]})
    tiny = pv.open_table(few, unit=pv.Person("who", max_rows=1), bounds={"v": (0, 100)})
    made = pv.pac_trials(tiny.agg(s=pv.sum("v")), pv.PacPrivacy("1/128"), worlds=16)
    assert not made.outputs.any()  # fewer than twenty people: nothing of them is shown
    # Worlds and noise are drawn anew each time: the upper end had mean .593 and deviation .041 over 126 attacks, so that the mean
    # of sixteen lies 5.6 deviations under the bar: a false alarm in about 10^8 runs.
    highest = []
    for _ in range(16):
        quiet = outlying().apply(means, ["v"], bounds={"v": (0, 5)})
        trials = pv.pac_trials(quiet, pv.PacPrivacy("1/128"), worlds=32)
        (heard,) = pv.attack(trials, attacks=["world-noise-scale"], draws=300)
        highest.append(heard.success.high)
    assert np.mean(highest) < 0.65
