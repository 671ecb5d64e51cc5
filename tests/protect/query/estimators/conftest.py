"""People of three wards, and releases without noise: what tests of bins start from."""

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.query.estimators.ward_table import WARDS

from privet.mechanism import _opendp_samplers as sampling


@pytest.fixture(scope="module")
def data():
    draw = np.random.default_rng(11)
    people = 900
    return pa.table(
        {
            "id": np.arange(people),
            "ward": np.array(WARDS)[np.minimum(draw.geometric(0.5, people), 3) - 1],
            "x": draw.gamma(2, 3, people),
            "sex": draw.choice(["f", "m"], people),
            "code": draw.integers(0, 6, people) ** 2,
        }
    )


@pytest.fixture
def still(monkeypatch):
    """No noise: zeros, and the best candidate."""
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: np.zeros(n, np.int64))
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))
    monkeypatch.setattr(sampling, "draw_noisy_max", lambda scores, scale, noise: int(np.argmax(scores)))
