"""PAC privacy: what a budget of nats lets anybody guess, to the digits of the literature, and how to say it."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.guarantee import NOT_PROMISED, PacPrivacy, blind_guess, promise_from_json

PRIORS = (0.5, 0.25, 0.1, 0.01)
# KL(posterior ‖ prior) = budget solved elsewhere, in per cent.
GOLDEN = {
    "1/128": (56.24, 30.53, 13.95, 2.48),
    "1/64": (58.82, 32.89, 15.69, 3.21),
    "1/32": (62.43, 36.28, 18.26, 4.36),
    "1/16": (67.49, 41.17, 22.07, 6.20),
    "1/8": (74.46, 48.23, 27.79, 9.17),
    "1/4": (83.79, 58.38, 36.43, 14.06),
    "1/2": (95.18, 72.69, 49.51, 22.18),
}


@pytest.mark.parametrize("nats", GOLDEN)
def test_posteriors_are_those_of_the_literature(nats) -> None:
    found = [100 * PacPrivacy(nats).posterior(prior) for prior in PRIORS]
    assert found == pytest.approx(GOLDEN[nats], abs=0.0051)


def test_a_posterior_never_falls_with_the_budget_or_the_prior() -> None:
    budgets = [PacPrivacy(nats) for nats in GOLDEN]
    for prior in PRIORS:
        found = [one.posterior(prior) for one in budgets]
        assert found == sorted(found)
        assert found[0] > prior
    assert [budgets[0].posterior(prior) for prior in PRIORS] == sorted(
        (budgets[0].posterior(prior) for prior in PRIORS), reverse=True
    )


def test_from_the_ends_of_a_guess_there_is_a_way_back() -> None:
    for prior, posterior in ((0.5, 0.6), (0.1, 0.2), (0.01, 0.9)):
        promise = PacPrivacy.from_advantage(prior=prior, posterior=posterior)
        assert promise.posterior(prior) == pytest.approx(posterior, abs=1e-6)
        assert promise.posterior(prior) <= posterior + 1e-12
    sure = PacPrivacy.from_advantage(prior="1/2", posterior=1)
    assert float(sure.mutual_information) == pytest.approx(0.693147, abs=1e-6)


def test_budgets_of_stated_guesses_are_the_divergences_computed_by_hand() -> None:
    """.6 ln 1.2 + .4 ln .8, and .2 ln 1.6 + .8 ln (.8/.875); of one record blind guessing is right half of the time."""
    half = PacPrivacy.from_advantage(prior=0.5, posterior=0.6)
    assert float(half.mutual_information) == pytest.approx(0.0201355, abs=1e-7)
    eighth = PacPrivacy.from_advantage(prior="1/8", posterior="0.2")
    assert float(eighth.mutual_information) == pytest.approx(0.0223110, abs=1e-7)
    assert PacPrivacy.from_guess(records=1, posterior=0.6) == half


def test_a_guess_about_several_records_starts_from_the_pattern_that_most_worlds_share() -> None:
    one = PacPrivacy.from_guess(records=1, posterior="0.6")
    assert one == PacPrivacy.from_advantage(prior=Fraction(1, 2), posterior="0.6")
    three = PacPrivacy.from_guess(records=3, posterior="0.2")
    assert three.posterior(blind_guess(3)) == pytest.approx(0.2, abs=1e-6)
    assert three.mutual_information < PacPrivacy.from_guess(records=10, posterior="0.2").mutual_information


@pytest.mark.parametrize(("records", "worlds"), [(2, 16), (3, 128), (6, 64), (10, 128), (200, 32)])
def test_who_knows_the_worlds_guesses_no_better_than_is_said(records, worlds) -> None:
    """By drawing worlds: 4,000 times, and five standard errors (one false alarm in 3 million)."""
    draw = np.random.default_rng(records)
    bins = 2 ** min(records - 1, 40)
    fullest = [
        np.unique(draw.integers(0, bins, worlds // 2), return_counts=True)[1].max() for _ in range(4_000)
    ]
    found, error = np.mean(fullest) / worlds, 5 * np.std(fullest) / worlds / np.sqrt(4_000)
    said = blind_guess(records, worlds)
    assert found <= said + error
    assert said <= 1.4 * found  # and it is not said out of all proportion
    assert said > max(2.0**-records, 1 / worlds) - 1e-12


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PacPrivacy.from_advantage(prior=0.5, posterior=0.5),
        lambda: PacPrivacy.from_advantage(prior=0.6, posterior=0.5),
        lambda: PacPrivacy.from_advantage(prior=0, posterior=0.5),
        lambda: PacPrivacy.from_guess(records=0, posterior=0.5),
        lambda: PacPrivacy.from_guess(records=10**6, posterior=0.5),
        lambda: PacPrivacy("1/16").posterior(0),
        lambda: PacPrivacy("1/16").posterior(1),
        lambda: PacPrivacy("1/16").sentences(attribute="income"),
        lambda: PacPrivacy("1/16").sentences(prior=0.1),
        lambda: PacPrivacy("1/16").sentences(tolerance="1 euro"),
    ],
)
def test_what_is_no_guess_is_refused(wrong) -> None:
    with pytest.raises(BadAmount):
        wrong()


def test_a_lawyer_reads_who_what_and_what_not() -> None:
    said = PacPrivacy("1/16").sentences(attribute="income", prior=0.1, tolerance="1,000 euros")
    text = " ".join(said)
    assert "67.5% of the time" in text
    assert "income to within 1,000 euros" in text
    assert "0.1 before" in text
    assert "0.2207 after" in text
    assert "The attacker may know every record" in said[0]
    assert said[-2:] == NOT_PROMISED
    assert "presence" in NOT_PROMISED[0]
    assert "worst case" in NOT_PROMISED[1]
    assert len(PacPrivacy("1/16").sentences()) == 4


def test_a_budget_needs_more_worlds_than_it_could_tell() -> None:
    assert [PacPrivacy(nats).fewest_worlds for nats in ("1/16", "0.6931", "0.6932", 4, 4.16)] == [
        2,
        2,
        4,
        56,
        66,
    ]


def test_it_keeps_its_record_and_its_algebra() -> None:
    promise = PacPrivacy("1/16")
    assert promise_from_json(promise.to_json()) == promise
    assert promise / 4 == PacPrivacy("1/64")  # exact: rationals
    assert sum(part.mutual_information for part in promise.split(3)) <= promise.mutual_information
