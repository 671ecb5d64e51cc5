"""Noise for PAC privacy: the exact variance over worlds, the least noise in every basis, and the posterior that it leaves."""

import math

import numpy as np
import pytest
from tests.mechanism.permits import permit_for

from privet.errors import OutOfRange, PermitMismatch, PermitSpent
from privet.guarantee import DiscreteLaplace, PacRelease, log_det_information, log_det_noise
from privet.mechanism import SecretWorld, check_release, pac_gaussian
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism import _pac_gaussian as noising
from privet.sealed import SealedWorlds

GENERATOR = np.random.default_rng(7)
OUTPUTS = np.rint(GENERATOR.normal(0, 1e6, (16, 3)) * [1, 3, 0.1]).astype(np.int64)
B = "1/4"


@pytest.fixture
def drawn(monkeypatch):
    """The scales that noise is drawn with, and still noise in its place."""
    scales: list[float] = []

    def still(n: int, sigma: float):
        scales.append(sigma)
        return np.zeros(n, np.int64)

    monkeypatch.setattr(sampling, "draw_discrete_gaussian", still)
    return scales


def secret_at(index: int, worlds: int = 16) -> SecretWorld:
    return SecretWorld._of(index, np.zeros(worlds), "seed")


def test_noise_is_the_least_for_the_variance_over_all_worlds(drawn) -> None:
    shown, _ = pac_gaussian(SealedWorlds(OUTPUTS), secret_at(5), permit_for(PacRelease(B)), "diagonal")
    assert shown.tolist() == OUTPUTS[5].tolist()
    assert np.square(drawn) == pytest.approx(log_det_noise(OUTPUTS.var(axis=0), 0.25), rel=1e-6)


def test_along_its_own_directions_an_output_needs_less(drawn) -> None:
    mixed = np.rint(OUTPUTS @ np.array([[1, 1, 0], [1, 0.9, 0.2], [0, 1, 1]])).astype(np.int64)
    shown, _ = pac_gaussian(SealedWorlds(mixed), secret_at(3), permit_for(PacRelease(B)), "eigen")
    assert shown == pytest.approx(mixed[3], abs=2)
    eigen = np.square(drawn)
    spread = np.linalg.eigvalsh(np.cov(mixed.T, bias=True))
    assert eigen.sum() == pytest.approx(log_det_noise(spread, 0.25).sum(), rel=1e-5)
    drawn.clear()
    pac_gaussian(SealedWorlds(mixed), secret_at(3), permit_for(PacRelease(B)), "diagonal")
    assert eigen.sum() < np.square(drawn).sum()


def test_a_public_basis_is_used_as_it_is(drawn) -> None:
    turn = np.linalg.qr(GENERATOR.normal(size=(3, 3)))[0]
    shown, _ = pac_gaussian(SealedWorlds(OUTPUTS), secret_at(2), permit_for(PacRelease(B)), turn)
    assert shown == pytest.approx(OUTPUTS[2], abs=2)
    assert np.square(drawn) == pytest.approx(log_det_noise((OUTPUTS @ turn).var(axis=0), 0.25), rel=1e-4)


def test_balanced_noise_is_the_same_share_of_every_spread(drawn) -> None:
    pac_gaussian(SealedWorlds(OUTPUTS), secret_at(2), permit_for(PacRelease(B)), "balanced")
    assert np.square(drawn) / OUTPUTS.var(axis=0) == pytest.approx([1 / math.expm1(1 / 6)] * 3, rel=1e-6)


def test_what_all_worlds_agree_on_is_shown_bare_and_what_one_of_them_moves_is_not(drawn) -> None:
    outputs = np.full((16, 2), 12_345)
    outputs[7, 1] += 1
    shown, _ = pac_gaussian(SealedWorlds(outputs), secret_at(0), permit_for(PacRelease(B)))
    assert shown.tolist() == [12_345, 12_345]
    # The smallest that is drawn; and as many draws as there are numbers, so that time does not tell which of them vary.
    assert drawn == pytest.approx([8, 8])


def test_small_differences_beside_large_numbers_are_not_lost(drawn) -> None:
    outputs = 2**46 + GENERATOR.integers(0, 1_000, (16, 1))
    pac_gaussian(SealedWorlds(outputs), secret_at(0), permit_for(PacRelease("1e-6")))
    assert drawn[0] ** 2 == pytest.approx(log_det_noise([np.var(outputs - 2**46)], 1e-6)[0], rel=1e-6)


def test_the_posterior_is_that_of_bayes(monkeypatch) -> None:
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.full(n, 500_000))
    _, after = pac_gaussian(SealedWorlds(OUTPUTS), secret_at(5), permit_for(PacRelease(B)))
    variances = log_det_noise(OUTPUTS.var(axis=0), 0.25)
    logs = -np.square(OUTPUTS[5] + 500_000 - OUTPUTS) @ (1 / variances) / 2
    expected = np.exp(logs - logs.max())
    assert after.weights() == pytest.approx(expected / expected.sum(), rel=1e-6)


def test_the_next_release_is_calibrated_to_what_is_left_to_learn(drawn) -> None:
    known = secret_at(5).updated(np.where(np.arange(16) < 8, 0.0, -math.inf).clip(-800))
    pac_gaussian(SealedWorlds(OUTPUTS), known, permit_for(PacRelease(B)))
    assert np.square(drawn) == pytest.approx(log_det_noise(OUTPUTS[:8].var(axis=0), 0.25), rel=1e-6)


def test_the_released_noise_meets_its_bound_for_any_weights() -> None:
    for turn in range(20):
        weights = GENERATOR.dirichlet(np.full(16, 0.3))
        sigma = noising._sigma(OUTPUTS, weights, 0.1, balanced=bool(turn % 2))
        mean = weights @ OUTPUTS
        spread = weights @ np.square(OUTPUTS - mean)
        assert log_det_information(spread, np.square(sigma)) <= 0.1


@pytest.mark.parametrize(
    ("event", "worlds", "coordinates", "basis"),
    [
        (PacRelease("2.78"), 16, 1, "diagonal"),  # ln 16 = 2.7726
        (PacRelease("1e-12"), 16, 1, "diagonal"),
        (PacRelease("1/16"), 16, 5, "eigen"),
        (PacRelease("1/16"), 16, 2, "spherical"),
        (PacRelease("1/16"), 16, 2, np.array([[1.0, 0.1], [0.0, 1.0]])),
        (PacRelease("1/16"), 16, 2, np.eye(3)),
        (PacRelease("1/16"), 16, 2, np.full((2, 2), np.nan)),
    ],
)
def test_nonsense_is_refused_on_public_grounds(event, worlds, coordinates, basis) -> None:
    with pytest.raises(OutOfRange):
        check_release(event, worlds, coordinates, basis)


def test_the_last_sensible_ones_are_taken() -> None:
    check_release(PacRelease("2.77"), 16, 1, "diagonal")
    check_release(PacRelease("1/16"), 16, 4, "eigen")
    check_release(PacRelease("1/16"), 128, 1_000, "diagonal")


def test_only_a_permit_for_nats_opens_the_seal_and_only_once() -> None:
    outputs, secret = SealedWorlds(OUTPUTS), secret_at(1)
    with pytest.raises(PermitMismatch):
        pac_gaussian(outputs, secret, permit_for(DiscreteLaplace(3)))
    with pytest.raises(PermitMismatch):
        pac_gaussian(OUTPUTS, secret, permit_for(PacRelease(B)))  # type: ignore[arg-type]
    permit = permit_for(PacRelease(B))
    with pytest.raises(PermitMismatch, match="another number of worlds"):
        pac_gaussian(outputs, secret_at(1, 8), permit)
    pac_gaussian(outputs, secret, permit)  # a refusal had not used it up
    with pytest.raises(PermitSpent):
        pac_gaussian(outputs, secret, permit)


@pytest.mark.parametrize("basis", ["diagonal", "eigen", "balanced"])
@pytest.mark.parametrize(
    "outputs", ["far apart", "alike but one", "at the bounds", "steps apart", "of one rank"]
)
@pytest.mark.parametrize("left", ["level", "a few", "one alone", "at the end of doubles"])
def test_whatever_worlds_give_and_whatever_is_known_there_is_a_draw(basis, outputs, left) -> None:
    """A draw that failed would be an outcome that depends on rows, and it would be paid for."""
    generator = np.random.default_rng(11)
    for coordinates, nats in ((1, "1/1000"), (3, "1/16"), (4, "5/2")):
        spread = generator.normal(size=(16, coordinates)) * np.exp2(np.linspace(0, 44, coordinates))
        made = {
            "far apart": spread,
            "alike but one": np.where(np.arange(16)[:, None] == 3, 2.0**47, 0.0) + np.zeros(coordinates),
            "at the bounds": np.sign(spread) * 2.0**47,
            "steps apart": (spread > 0).astype(float),
            "of one rank": np.outer(spread[:, 0] * 1e6, np.ones(coordinates)),
        }[outputs]
        known = {
            "level": np.zeros(16),
            "a few": -np.square(np.arange(16.0)),
            "one alone": np.where(np.arange(16) == 5, 0.0, -1e5),
            "at the end of doubles": -np.linspace(0, 745, 16),
        }[left]
        secret = SecretWorld._of(0, known, "seed")
        sealed = SealedWorlds(np.rint(made).astype(np.int64))
        shown, after = pac_gaussian(sealed, secret, permit_for(PacRelease(nats)), basis)
        assert np.isfinite(shown).all()
        assert np.isfinite(after.weights()).all()
