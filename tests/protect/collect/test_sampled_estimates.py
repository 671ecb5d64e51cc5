"""Several questions: each is estimated from those who answered it, with the sampling in the interval."""

import numpy as np
import pytest
from tests.protect.collect.specifications import VALUES, collection

import privet as pv
from privet.mechanism import WordStream

MANY = 1_500


def people():
    rng = np.random.default_rng(2)
    return {
        "minutes": rng.uniform(0, 40, MANY),
        "emoji": [VALUES[place] for place in np.minimum(rng.geometric(0.5, MANY) - 1, 11)],
        "star": rng.integers(1, 4, MANY).tolist(),
    }


@pytest.mark.parametrize("epsilon", [2, 6])
def test_intervals_cover_and_estimates_have_no_bias(epsilon: float) -> None:
    """120 collections: mean scores within 5 / √120, coverage of 1,920 intervals within 5 standard errors and some slack."""
    made, given, stream = collection("sampled", epsilon), people(), WordStream.seeded(31)
    truth = [
        np.mean(given["minutes"]),
        *(given["emoji"].count(value) for value in VALUES),
        *(given["star"].count(s) for s in (1, 2, 3)),
    ]
    scores, covered = [], []
    for _ in range(120):
        found = pv.estimate(made.reports_from(given, stream), made)
        (answer,) = found.answers
        low, middle, high = (np.array(values) for values in (answer.low, answer.values, answer.high))
        covered.append((low <= truth) & (truth <= high))
        scores.append((middle - truth) / ((high - low) / 2 / 1.96))
    assert found["question"][:2] == ("minutes", "emoji")
    assert found["value"][0] == "mean"
    assert np.abs(np.mean(scores, axis=0)).max() < 5.5 / 120**0.5
    assert 0.925 < np.mean(covered) < 0.975
