"""Computed columns of SQL: their error bars cover what they say.

2,000 draws of the planned noise over one exact answer; the coverage of a 95 % interval then lies within 0.925 to
0.975, except with probability below 1e-6 (five standard deviations of a binomial share are 0.0244).
"""

from dataclasses import replace

import numpy as np
import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet.mechanism import _opendp_samplers as sampling
from privet.protect.query.sql import Catalog, read_sql

DRAWS = 2000
SQL = """
    SELECT COUNT(*) - 3 * COUNT(*) FILTER (WHERE cost > 4) AS difference, SUM(cost) / COUNT(*) AS ratio,
           COUNT(*) FILTER (WHERE cost > 4) / COUNT(*) AS share
    FROM visits
"""
TRUTH = {"difference": 300 - 3 * 150, "ratio": 1350 / 300, "share": 0.5}


def _exact(monkeypatch, promise, folder):
    """The question, and the answer to its query with the noise off."""
    with monkeypatch.context() as quiet:
        for name in ("draw_discrete_laplace", "draw_discrete_gaussian"):
            quiet.setattr(sampling, name, lambda n, scale: np.zeros(n, np.int64))
        question = read_sql(SQL, Catalog.of(None, registers()))
        with pv.Ledger(folder / "x.ledger", limit=pv.ApproxDP(9, 1e-3)) as ledger:
            return question, pv.release(question.queries[0], promise, ledger=ledger, why="test")


@pytest.mark.parametrize("promise", [pv.PureDP(4), pv.ApproxDP(2, 1e-6)], ids=["pure", "approximate"])
def test_differences_and_ratios_cover(monkeypatch, tmp_path, promise):
    question, exact = _exact(monkeypatch, promise, tmp_path)
    vectors = {term.vector: term.event for one in exact.answers for term in one.noise}
    drawn = {
        vector: (
            sampling.draw_discrete_laplace(DRAWS, event.scale)
            if hasattr(event, "scale")
            else sampling.draw_discrete_gaussian(DRAWS, event.sigma)
        )
        for vector, event in vectors.items()
    }
    covered = dict.fromkeys(TRUTH, 0)
    for at in range(DRAWS):
        answers = tuple(
            replace(
                one,
                values=(one.values[0] + sum(term.weight(0) * drawn[term.vector][at] for term in one.noise),),
            )
            for one in exact.answers
        )
        shown = question.finished([replace(exact, answers=answers)])
        for name, truth in TRUTH.items():
            ((low, high),) = shown.error(name)
            covered[name] += low - 1e-3 <= truth <= high + 1e-3
    assert all(0.925 <= number / DRAWS <= 0.975 for number in covered.values()), covered
