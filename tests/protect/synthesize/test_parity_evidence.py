"""Evidence that marginals do not suffice: halves by noisy counts, sets with the label, and no alarm without cause."""

import numpy as np
import pytest
from tests.protect.synthesize.people import table

import privet as pv
from privet.protect.synthesize._parity_evidence import halved, parity_rule, sets_of


def test_halves_hold_about_half_of_the_noisy_count() -> None:
    low, high = halved([np.array([10.0, 10.0, 10.0, 10.0, -5.0]), np.array([1.0, 99.0, 0.0])])
    assert low.tolist() == [False, False, True, True, True]
    assert high.tolist() == [False, True, True]


def test_sets_hold_the_label() -> None:
    assert sets_of(3, 2) == [(0, 1, 2)]
    assert (0, 1, 2, 3) in sets_of(4, 3)
    assert all(3 in one for one in sets_of(6, 3))
    assert sets_of(2, None) == []
    assert len(sets_of(60, None)) == 4000


def test_parities_are_those_of_the_bits() -> None:
    halves = [np.array([False, True])] * 3
    codes = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], np.int32)
    assert parity_rule(halves, [(0, 1, 2)])(codes)[:, 0].tolist() == [0, 1, 1, 0, 1, 0, 0, 1]


def test_a_table_that_marginals_can_carry_raises_no_alarm(ledger) -> None:
    twin = pv.synthesize(
        table(), pv.ApproxDP(4, 1e-6), rows=50, ledger=ledger, why="a twin", method="auto", workload="back"
    )
    assert twin.method == "AIM"
    asked = next(one for one in twin.measured if one.what == "parity")
    assert "back" in asked.columns
    assert len(asked.columns) in (3, 4)
    assert sum(one.rho for one in twin.measured if one.what == "parity") < 0.02 * twin.rho
    assert twin.rho == pytest.approx(sum(one.rho for one in twin.measured))
