"""Population uniqueness: published figures, the models' own equations, and what happens where they fail."""

import math

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.disclosure.adult import adult

from privet.disclosure._equivalence_classes import class_sizes
from privet.disclosure._population_uniqueness import UniquenessEstimate, pitman, population, snb, zayatz
from privet.errors import BadCodes

FRACTIONS = (0.01, 0.1, 0.2, 0.5)
ZAYATZ = (0.2717127200, 0.3207402393, 0.3577099235, 0.4319494482)
PITMAN = (0.1446083531, 0.2768499388, 0.3366280170, 0.4359027981)
SNB = (0.20468, 0.24998, 0.31946, 0.42702)


@pytest.mark.real_data(twin="test_pitman_solves_its_likelihood_equations")
@pytest.mark.parametrize(("fraction", "z", "p", "s"), list(zip(FRACTIONS, ZAYATZ, PITMAN, SNB, strict=True)))
def test_adult_has_the_published_estimates(fraction, z, p, s):
    found = population(class_sizes(adult().sizes()), fraction)
    assert found.zayatz.share == pytest.approx(z, abs=1e-10)
    assert found.pitman.share == pytest.approx(p, abs=1e-10)
    assert found.snb.share == pytest.approx(s, abs=5e-6)
    assert dict(found.pitman.parameters) == pytest.approx({"theta": 3176.2335, "alpha": 0.71794895}, rel=1e-7)


@pytest.mark.real_data(twin="test_the_rule_on_a_made_up_table")
def test_the_rule_takes_pitman_for_small_fractions_and_the_smaller_one_otherwise():
    found = {fraction: population(class_sizes(adult().sizes()), fraction) for fraction in FRACTIONS}
    assert [found[f].chosen for f in FRACTIONS] == ["pitman", "pitman", "snb", "snb"]
    shares = [found[f].dankar.share for f in FRACTIONS]
    assert shares == pytest.approx([0.1446, 0.2768, 0.3195, 0.4270], abs=6e-5)
    as_arx = [found[f].dankar_without_snb.share for f in FRACTIONS]
    assert as_arx == pytest.approx([0.1446, 0.2768, 0.3577, 0.4319], abs=6e-5)


def test_the_rule_on_a_made_up_table():
    sizes = class_sizes([1] * 300 + [2] * 90 + [3] * 40 + [8] * 20 + [60])
    for fraction in FRACTIONS:
        found = population(sizes, fraction)
        others = {"snb": found.snb, "zayatz": found.zayatz}
        smaller = min(others, key=lambda name: others[name].share)
        assert found.chosen == ("pitman" if fraction <= 0.1 else smaller)
        assert found.dankar is getattr(found, found.chosen)
        assert found.dankar_without_snb is (found.pitman if fraction <= 0.1 else found.zayatz)


def test_zayatz_is_bayes_with_hypergeometric_sampling():
    sizes = class_sizes([1] * 10 + [2] * 5 + [4, 9])
    everyone = sizes.rows * 4
    odds = {s: hypergeom.pmf(1, everyone, s, sizes.rows) for s in (1, 2, 4, 9)}
    share = 10 * odds[1] / (10 * odds[1] + 5 * odds[2] + odds[4] + odds[9])
    assert zayatz(sizes, 0.25).share == pytest.approx(10 * share / sizes.rows, rel=1e-12)


def test_zayatz_keeps_its_digits_in_a_large_population():
    sizes = class_sizes([1] * 1000 + [2] * 400 + [50] * 10 + [10**6])
    fraction = 1e-3
    # In so large a population, drawing with replacement makes no difference to twelve digits.
    odds = {s: s * fraction * (1 - fraction) ** (s - 1) for s in (1, 2, 50)}
    share = 1000 * odds[1] / (1000 * odds[1] + 400 * odds[2] + 10 * odds[50])
    assert zayatz(sizes, fraction).share == pytest.approx(1000 * share / sizes.rows, rel=1e-6)


def test_pitman_solves_its_likelihood_equations():
    from scipy.special import digamma

    sizes = class_sizes([1] * 300 + [2] * 90 + [3] * 40 + [8] * 20 + [60])
    theta, alpha = (value for _, value in pitman(sizes, 0.05).parameters)
    i = np.arange(1, sizes.classes)
    assert (1 / (theta + i * alpha)).sum() == pytest.approx(digamma(sizes.rows + theta) - digamma(theta + 1))
    right = (sizes.numbers * (digamma(sizes.sizes - alpha) - digamma(1 - alpha)))[1:].sum()
    assert (i / (theta + i * alpha)).sum() == pytest.approx(right)


def test_snb_recovers_the_population_it_was_made_from():
    """Expected sizes of a sample from a slide negative binomial population give its uniques back."""
    from scipy.stats import binom, nbinom

    a, b, classes, fraction = 0.6, 0.3, 4_000_000, 0.4
    population_sizes = np.arange(1, 200)
    shares = nbinom.pmf(population_sizes - 1, a, b)
    drawn = np.arange(1, 150)
    expected = classes * binom.pmf(drawn[:, None], population_sizes, fraction) @ shares
    sizes = class_sizes(np.repeat(drawn, np.round(expected).astype(int)))
    estimate = snb(sizes, fraction)
    truth = classes * b**a * fraction / sizes.rows
    # The number of classes is itself estimated, and that bias is all that is left.
    assert dict(estimate.parameters)["classes"] == pytest.approx(classes, rel=0.1)
    assert estimate.share == pytest.approx(truth, rel=0.1)


@pytest.mark.parametrize("sizes", [[1] * 50, [5], [2] * 30, [100, 200], [1, 2]])
@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.9])
def test_a_model_gives_a_share_or_a_reason(sizes, fraction):
    found = population(class_sizes(sizes), fraction)
    for estimate in (found.zayatz, found.pitman, found.snb):
        assert estimate.valid != bool(estimate.reason)
        assert estimate.share is None or 0 <= estimate.share <= 1
    assert found.dankar.valid


def test_an_empty_table_has_no_estimate():
    assert population(class_sizes([]), 0.1).dankar == UniquenessEstimate(None, "there are no rows")


def test_a_sample_that_is_the_population_is_counted():
    found = population(class_sizes([1, 1, 2]), 1)
    assert found.chosen == "sample"
    assert found.dankar.share == pytest.approx(0.5)


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5, math.nan])
def test_an_impossible_fraction_is_refused(fraction):
    with pytest.raises(BadCodes):
        population(class_sizes([1, 2]), fraction)
