"""The distinguishing game on our own synthesizers: what is shown stays below the promise, and without noise lies above it.

A hundred runs on a table and on the same with one record more; alarms are wrong in at most one case in a million. More runs,
and the other engines, are in `bench/canary.py`.
"""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.mechanism import _opendp_samplers as sampling

WARDS, KINDS = ["icu", "eye", "surgery", "burns"], ["a", "b", "c"]
ROWS = pa.table({"ward": WARDS[:3] * 60, "kind": KINDS[:2] * 90})
PROMISE = pv.ApproxDP("0.5", "1e-5")
WORDS = ["north", "south", "east", "west", "up", "down"]


def table_twin(rows):
    """As many rows as the noisy counts say: that count is a trace too."""
    opened = pv.open_table(rows, unit=pv.Row(), keys={"ward": WARDS, "kind": KINDS})
    book = pv.Ledger.in_memory(limit=PROMISE)
    return pv.synthesize(opened, PROMISE, ledger=book, why="game", method="mst")


def text_twin(rows):
    """Three of six words live: the canary's lives where it has a vote."""
    words = pv.CallableGenerator(
        lambda count, _: [WORDS[at % 6] for at in range(count)],
        lambda samples, _label, _degree: list(samples),
    )
    book = pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP("0.005"))
    return pv.synthesize(
        pv.open_table(rows, unit=pv.Row()), pv.ZeroConcentratedDP("0.005"), rows=12, ledger=book, why="game",
        generator=words, text="note", evolution=pv.EvolutionSettings(rounds=2, population=3, variations=1),
    )  # fmt: skip


GAMES = {
    "MST": (table_twin, ROWS, {"ward": "burns", "kind": "c"}, PROMISE, {}),
    "Private Evolution": (
        text_twin,
        pa.table({"note": ["north", "south"] * 15}),
        {"note": "down"},
        pv.ZeroConcentratedDP("0.005"),
        {"delta": 1e-5},
    ),
}


def played(name):
    make, rows, canary, promise, more = GAMES[name]
    game = pv.planted_canary(make, rows, canary)
    report = pv.attack(game, promise=promise, attacks=["falsifier"], draws=100, plants=0, alarm=1e-6, **more)
    return next(iter(report))


@pytest.mark.parametrize("name", ["Private Evolution"])
def test_a_record_that_nobody_else_is_like_stays_hidden(name) -> None:
    found = played(name)
    assert found.success.low <= found.bound
    assert found.verdict.value != "contradicts the promise"


@pytest.mark.parametrize("name", GAMES)
def test_without_noise_the_game_is_lost(name, monkeypatch) -> None:
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, scale: np.zeros(n, np.int64))
    found = played(name)
    assert found.success.low > found.bound
    assert found.verdict.value == "contradicts the promise"
