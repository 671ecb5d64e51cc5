"""Crafted reports: as many promoted values as one can support, and never more than the mathematics allows."""

import numpy as np
import pytest
from tests.protect.collect.specifications import FREQUENCY, MEMOISED, collection

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.local._crafted_supports import crafted, most_supported, support_chances
from privet.attacks.local._report_likelihoods import likelihoods
from privet.errors import BadAttack

CRAFTED = [kind for kind in (*FREQUENCY, *MEMOISED) if kind not in ("rappor", "dbitflip", "hadamard")]


@pytest.mark.parametrize("kind", CRAFTED)
def test_supports_are_within_the_most(kind: str) -> None:
    oracle, promoted = collection(kind, 1).protocol.oracle, np.array([1, 2, 3])
    made = crafted(oracle, promoted, 10, 5, repeatable_generator(1))
    assert 10 <= made <= 10 * most_supported(oracle, 3)


@pytest.mark.parametrize("kind", CRAFTED)
def test_honest_reports_support_by_the_stated_chances(kind: str) -> None:
    """Of the own value, and of the others on average over the hash functions; false alarm: below 1e-6."""
    made, people = collection(kind, 1), 6_000
    own, other = support_chances(made.protocol.oracle)
    table = made.randomize(["v3"] * people, seed=3)
    said = likelihoods(made.protocol.oracle, table, np.arange(12), made.public_seed) > 0
    assert abs(said[:, 3].mean() - own) < 5.2 * (own * (1 - own) / people) ** 0.5
    if kind not in ("flh", "loloha", "cms", "hcms"):  # a small pool of functions has chances of its own
        rest = np.delete(said, 3, axis=1).mean()
        assert abs(rest - other) < 5.2 * (other * (1 - other) / people) ** 0.5


@pytest.mark.parametrize("kind", ["rappor", "dbitflip", "hadamard"])
def test_oracles_that_are_not_known_are_refused(kind: str) -> None:
    with pytest.raises(BadAttack, match=r"not known here|a regression over all filters"):
        support_chances(collection(kind).protocol.oracle)
