"""Gaussian noise for PAC privacy: the secret world's output, noised so that it tells at most so many nats of which world it is.

The variance over the worlds is exact, since all of them are at hand; the noise is the least that the bound allows, in the
coordinates of a basis, drawn as whole steps. Neither the variances nor the noise's scale leave this module.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError, OutOfRange, PermitMismatch
from privet.guarantee import PacRelease, balanced_noise, log_det_information, log_det_noise
from privet.ledger import Permit
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism._proofs import proven
from privet.mechanism._saturation import add_noise
from privet.mechanism._sealed_access import open_worlds
from privet.mechanism._secret_world import SecretWorld
from privet.sealed import SealedWorlds

DIAGONAL, EIGEN, BALANCED = "diagonal", "eigen", "balanced"
Basis = str | NDArray[np.float64]
# In steps: below it a discrete Gaussian is visibly not a rounded one, and the bound of the proof has another form.
SMALLEST_SIGMA = 8.0
# The most that d^1.5 / 2b may be: noise of 2^58 steps is as wide as sums in 64 bits allow (see the proof).
WIDEST = 2.0**22
# Variances in doubles may be too small by their rounding, and by no more than this share.
_ROUNDING = 1e-9


@proven("pac_gaussian.proof.md", digest="42068326f74aa36f")
def pac_gaussian(
    outputs: SealedWorlds, secret: SecretWorld, permit: Permit, basis: Basis = DIAGONAL
) -> tuple[NDArray[np.float64], SecretWorld]:
    """The secret world's output with noise, in steps, and the secret with what this release tells of it.

    Guarantee:
        Given everything released of this secret before, the noisy output carries at most the permit's nats about which
        world was drawn (Xiao and Devadas 2023, Theorem 3; Zhu et al. 2026 for the posterior).
    Assumes:
        The worlds were fixed before the secret was drawn from them, and the outputs are functions of their world alone.
        A basis that is given is public.
    """
    _check(outputs, secret, permit, basis)
    event, exact = open_worlds(outputs, permit)
    axes = _axes(exact, secret, basis)
    turned = _turned(exact, axes)
    shared = isinstance(basis, str) and basis == BALANCED
    sigma = _sigma(turned, secret.weights(), float(event.mutual_information), balanced=shared)
    noisy = _noised(turned[secret._index], sigma)  # noqa: SLF001
    after = secret.updated(_log_likelihoods(turned, noisy, sigma))
    shown = noisy.astype(np.float64)
    return (shown if axes is None else axes @ shown), after


@proven("pac_gaussian.proof.md", digest="18775c0926f31593")
def _check(outputs: SealedWorlds, secret: SecretWorld, permit: Permit, basis: Basis) -> None:
    """Refuse on public grounds, while the permit is still good."""
    if type(secret) is not SecretWorld:
        raise PermitMismatch("a secret world is drawn by this room.", "Use SecretWorld.fresh(128).")
    if type(outputs) is SealedWorlds and type(permit) is Permit and isinstance(permit.event, PacRelease):
        if outputs.worlds != secret.worlds:
            raise PermitMismatch("the outputs are of another number of worlds than the secret.")
        check_release(permit.event, outputs.worlds, outputs.coordinates, basis)


@proven("pac_gaussian.proof.md", digest="cf9e169e6939012b")
def check_release(event: PacRelease, worlds: int, coordinates: int, basis: Basis) -> None:
    """Refuse on public grounds what cannot be drawn, or promises nothing; whoever plans calls it before booking."""
    nats = float(event.mutual_information)
    if nats >= math.log(worlds):
        raise OutOfRange(
            f"{nats:.6g} nats tell which of {worlds} worlds it is: no output can tell more than ln({worlds}) = "
            f"{math.log(worlds):.4g}.",
            f"Ask for fewer nats, or for more than {math.floor(math.exp(min(nats, 40.0)))} worlds.",
        )
    if coordinates**1.5 / (2 * nats) > WIDEST:
        raise OutOfRange(
            f"{nats:.3g} nats for {coordinates} numbers need noise wider than 64 bits hold.",
            "Release fewer numbers at once, or with a larger budget.",
        )
    if isinstance(basis, str):
        _check_named(basis, worlds, coordinates)
        return
    given = np.asarray(basis)
    square = given.shape == (coordinates, coordinates) and np.isfinite(given).all()
    if not square or np.abs(given.T @ given - np.eye(coordinates)).max() > 1e-9:
        raise OutOfRange(
            "a basis is a square orthonormal matrix, one column for each coordinate.", 'Use basis="diagonal".'
        )


@proven("pac_gaussian.proof.md", digest="f49e98aedb73c342")
def _check_named(basis: str, worlds: int, coordinates: int) -> None:
    if basis not in (DIAGONAL, EIGEN, BALANCED):
        raise OutOfRange(
            f"there is no basis {basis!r}.", 'Use "diagonal", "eigen", "balanced" or a public matrix.'
        )
    # Pairs of worlds are mirror images for sums, so m worlds span at most m/2 directions; with fewer than twice as many
    # as there are coordinates, directions that merely happen not to vary would be shown bare.
    if basis == EIGEN and worlds < 4 * coordinates:
        raise OutOfRange(
            f"{worlds} worlds do not tell how {coordinates} numbers vary together.",
            f'Use basis="diagonal", or worlds={4 * coordinates} or more.',
        )


@proven("pac_gaussian.proof.md", digest="47223bb7bd27f142")
def _axes(exact: NDArray[np.int64], secret: SecretWorld, basis: Basis) -> NDArray[np.float64] | None:
    """The basis as a matrix, or None for the coordinates themselves."""
    if isinstance(basis, str):
        if basis != EIGEN:
            return None
        centred = _centred(exact, secret.weights())
        moments = (centred * secret.weights()[:, None]).T @ centred
        return np.asarray(np.linalg.eigh(moments)[1])
    return np.asarray(basis, np.float64)


@proven("pac_gaussian.proof.md", digest="ddd48c348020afde")
def _turned(exact: NDArray[np.int64], axes: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Every world's output in the coordinates of the basis, in whole steps again."""
    return exact if axes is None else np.rint(exact.astype(np.float64) @ axes).astype(np.int64)


@proven("pac_gaussian.proof.md", digest="7470c108b3b6543d")
def _centred(exact: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Outputs less their weighted mean. Whole steps are taken off first, so that nothing small is lost beside something large."""
    near = exact - exact[int(weights.argmax())]
    small = near.astype(np.float64)
    return np.asarray(small - weights @ small)


@proven("pac_gaussian.proof.md", digest="7368b57eabedde52")
def _sigma(
    turned: NDArray[np.int64], weights: NDArray[np.float64], mutual_information: float, *, balanced: bool
) -> NDArray[np.float64]:
    """The noise's scale in each coordinate: 0 where all worlds agree, else at least the smallest that is drawn."""
    spread = weights @ np.square(_centred(turned, weights)) * (1 + _ROUNDING)
    moves = (turned != turned[0]).any(axis=0)
    least = (balanced_noise if balanced else log_det_noise)(spread, mutual_information)
    sigma = np.where(moves, np.maximum(np.sqrt(least), SMALLEST_SIGMA), 0.0)
    # A coordinate that only worlds of no weight would move has a spread of zero, and the smallest noise all the same.
    if log_det_information(spread[moves], np.square(sigma[moves])) > mutual_information:
        raise InternalError("the noise does not meet its bound.")
    return np.asarray(sigma)


@proven("pac_gaussian.proof.md", digest="c1669678fdd7c294")
def _noised(exact: NDArray[np.int64], sigma: NDArray[np.float64]) -> NDArray[np.int64]:
    """One output with discrete Gaussian noise of each coordinate's scale; where that is 0 the output as it is."""
    # Drawn where nothing varies too, and not used: the time that it takes must not tell how many coordinates those are.
    drawn = [opendp_samplers.draw_discrete_gaussian(1, float(scale) or SMALLEST_SIGMA)[0] for scale in sigma]
    return add_noise(exact, np.where(sigma > 0, drawn, 0).astype(np.int64))


@proven("pac_gaussian.proof.md", digest="381447cc675bfc8c")
def _log_likelihoods(
    turned: NDArray[np.int64], noisy: NDArray[np.int64], sigma: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Of the noisy output under each world: discrete Gaussians around whole steps all have the same normalisation."""
    moves = sigma > 0
    away = (noisy - turned)[:, moves].astype(np.float64) / sigma[moves]
    return np.asarray(-np.square(away).sum(axis=1) / 2)
