"""Fitted counts: none below zero, the same sum, and no other counts are nearer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.protect.query._nonnegative_counts import nonnegative


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30))
def test_fitted_counts_are_the_nearest(noisy):
    fitted = nonnegative(np.array(noisy))
    assert (fitted >= 0).all()
    total = max(sum(noisy), 0)
    assert fitted.sum() == pytest.approx(total, abs=1e-6)
    if total:
        # Nearest under these constraints: all positive ones are lowered alike, and the others would be below zero.
        lowered = np.array(noisy) - fitted
        kept = fitted > 1e-9
        assert np.ptp(lowered[kept]) < 1e-6
        assert (np.array(noisy)[~kept] <= lowered[kept].max() + 1e-6).all()


def test_counts_that_need_no_fitting_stay():
    assert nonnegative(np.array([3, 0, 5])).tolist() == pytest.approx([3, 0, 5])
