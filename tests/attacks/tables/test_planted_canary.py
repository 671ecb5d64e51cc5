"""The distinguishing game with a planted record: a synthesizer that copies loses it, one that keeps its promise does not."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.attacks.tables._planted_canary import planted_canary, traces
from privet.errors import BadAttack

WARDS = ["icu", "eye", "surgery", "rare"]
ROWS = pa.table({"ward": WARDS[:3] * 20, "age": list(range(60))})
CANARY = {"ward": "rare", "age": 99}


def game(make, promise):
    found = pv.attack(
        planted_canary(make, ROWS, CANARY),
        promise=promise,
        attacks=["falsifier"],
        draws=400,
        plants=0,
        alarm=1e-6,
    )
    return next(iter(found))


def test_a_synthesizer_that_copies_is_caught() -> None:
    draws = np.random.default_rng(0)

    def copying(table):
        return table.take(draws.choice(len(table), 55, replace=False))

    found = game(copying, pv.PureDP(1))
    assert found.verdict.value == "contradicts the promise"
    assert found.success.low > found.bound == pytest.approx(1)


def test_one_that_keeps_its_promise_is_not_accused() -> None:
    """Laplace noise of scale 1 on disjoint counts is 1-DP; false alarms: at most one in a million."""
    draws = np.random.default_rng(0)

    def noisy(table):
        wards = table["ward"].to_pylist()
        counts = [max(0, round(wards.count(ward) + draws.laplace())) for ward in WARDS]
        made = [ward for ward, many in zip(WARDS, counts, strict=True) for _ in range(many)]
        return pa.table({"ward": made, "age": [50] * len(made)})

    found = game(noisy, pv.PureDP(1))
    assert found.success.low <= 1
    assert found.verdict.value != "contradicts the promise"


def test_traces_are_what_a_reader_of_the_twin_counts() -> None:
    twin = pa.table({"ward": ["rare", "icu", "icu", "rare"], "age": [99, 1, 2, 3]})
    planted = pa.table({"ward": ["rare"], "age": [99]})
    assert traces(twin, planted) == pytest.approx([4, 0.0, 1.0, 0.5, 0.25])
    assert traces(twin.slice(0, 0), planted) == pytest.approx([0, 1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("canary", "said"),
    [
        ({"other": 1}, "columns that the table lacks"),
        ({"ward": 3, "age": "x"}, "other kinds"),
        (ROWS.slice(0, 2), "one record"),
        (ROWS.select(["age"]).slice(0, 1), "no column 'ward'"),
    ],
)
def test_a_canary_that_does_not_fit_is_refused(canary, said) -> None:
    with pytest.raises(BadAttack, match=said):
        planted_canary(lambda table: table, ROWS, canary)
