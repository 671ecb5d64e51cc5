"""The code of missing values is modelled where noisy counts show some, and only there."""

import numpy as np

from privet.protect.synthesize._graphical_model import NoisyMarginal
from privet.protect.synthesize._kept_codes import kept_codes


def test_codes_of_missing_values_are_dropped_by_noisy_counts() -> None:
    first = [
        NoisyMarginal((0,), np.array([50.0, 60.0, 3.9]), 1.0),
        NoisyMarginal((1,), np.array([50.0, 4.1]), 1.0),
    ]
    kept = kept_codes(first, (3, 2))
    assert kept.sizes == (2, 2)
    pair = NoisyMarginal((0, 1), np.arange(6.0), 1.0)
    assert kept.reduced(pair).counts.tolist() == [0, 1, 2, 3]
    assert kept.spread((0, 1), np.array([5.0, 6.0, 7.0, 8.0])).tolist() == [5, 6, 7, 8, 0, 0]
    assert kept.restored(np.array([[1, 1]])).tolist() == [[1, 1]]
