"""Noise off, and a ledger that admits nearly anything."""

import numpy as np
import pytest

import privet as pv
from privet.mechanism import _opendp_samplers as sampling


@pytest.fixture
def no_noise(monkeypatch):
    """Noise off: what is left must be exact. Not reachable from any configuration."""
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: np.zeros(n, np.int64))
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, scale: np.zeros(n, np.int64))


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "stays.ledger", limit=pv.ApproxDP(1000, 0.5)) as book:
        yield book
