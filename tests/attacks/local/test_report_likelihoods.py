"""What reports say of values: their mean ratios are those of the oracle's own matrix, for every oracle there is."""

import math

import numpy as np
import pytest
from tests.protect.collect.specifications import FREQUENCY, MEMOISED, collection

from privet.attacks.local._report_likelihoods import likelihoods
from privet.errors import BadAttack
from privet.guarantee.oracles import ORACLES, WindowResponse

KINDS = (*FREQUENCY, *MEMOISED)
PEOPLE = 4_000


def test_every_oracle_with_categories_is_read() -> None:
    assert set(KINDS) == {kind for kind, made in ORACLES.items() if not issubclass(made, WindowResponse)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_likelihood_ratio_has_the_mean_that_only_a_true_one_has(kind: str) -> None:
    """E[P(y|w)/P(y|v)] is 1 where v was reported: Markov's identity, which a wrong weight breaks. False alarm: below 1e-6."""
    made = collection(kind, 1)
    said = likelihoods(
        made.protocol.oracle, made.randomize(["v3"] * PEOPLE, seed=11), np.arange(12), made.public_seed
    )
    ratios = np.exp(said[:, 5] - said[:, 3])
    error = ratios.std() / math.sqrt(PEOPLE)
    assert abs(ratios.mean() - 1) < 5.2 * error
    assert said[:, 3].mean() > said[:, 5].mean()
    # No ratio goes beyond what is promised for the report.
    assert np.abs(said[:, 5] - said[:, 3]).max() <= 1 + 1e-9


def test_reports_of_another_specification_are_refused() -> None:
    made = collection("cms", 1)
    with pytest.raises(BadAttack, match="not those of its specification"):
        likelihoods(made.protocol.oracle, collection("grr").randomize(["v1"], seed=1), np.arange(3), 0)
