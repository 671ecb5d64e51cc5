"""Which noise: of all that the promise and the ledger's accounting allow, the kind that errs least.

Laplace noise is priced by the sum of its epsilons. Where the promise has a delta, Laplace and Gaussian noise are
also calibrated as one sealed plan: all scales are lowered together until the plan's certificate, by privacy-loss
distributions, meets the promise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from privet.errors import BadUsage, PromiseUnmeetable
from privet.guarantee import (
    ApproxDP,
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    PermuteAndFlip,
    Promise,
    PureDP,
    Repeated,
    SealedPlan,
    ZeroConcentratedDP,
    gaussian_sigma,
    laplace_scale,
    rho_within,
    spread,
)
from privet.guarantee.mechanisms import CandidateSelection, GaussianNoise
from privet.protect.query.noise_plan._budget_split import Stake, importance, split
from privet.protect.query.noise_plan._certified_scales import lowered, select_keys
from privet.sealed import Sensitivity

SELECTIONS = ("truncated", "thresholded", "rows")
# Fewer Laplace vectors than this gain nothing from a delta.
_FEW = 6
# No plan can be lowered by more than this below what zero-concentrated accounting allows, and one that gains
# less than the second is not worth a delta.
_MOST_GAIN, _LEAST_GAIN = 0.6, 0.99


@dataclass(frozen=True)
class Vector:
    """One vector that needs noise.

    `selects` if unknown keys are shown by it; `chooses` if these are scores, by which one candidate is chosen in
    each block.
    """

    sensitivity: Sensitivity
    selects: bool = False
    chooses: bool = False

    @property
    def counts_persons(self) -> bool:
        """Whether one unit moves the number of each of its keys by one, as a number of persons."""
        return self.sensitivity.largest == self.sensitivity.block == 1

    @property
    def moved(self) -> Sensitivity:
        """How far one unit moves what is noised; a choice has noise of twice what a score moves, once in each block."""
        s = self.sensitivity
        return Sensitivity.per_coordinate(s.blocks, 2 * s.largest) if self.chooses else s


@dataclass(frozen=True)
class MechanismChoice:
    """The noise of each vector, the event that books all of it, why this noise, and the typical error of each answer."""

    noise: tuple[Event, ...]
    event: Event
    why: str
    errors: tuple[float, ...] = ()


@dataclass(frozen=True)
class _Option:
    name: str
    noise: tuple[Event, ...]
    sealed: bool


def choose(
    vectors: Sequence[Vector],
    stakes: Sequence[Stake],
    promise: Promise,
    *,
    accounting: str,
    selection: str | None = None,
) -> MechanismChoice:
    """Noise for all vectors together under one promise, with the least error for what is at stake.

    `accounting` is the ledger's: under a zCDP filter events are booked one by one, under basic composition what
    rests on a certificate is booked as a sealed plan. `selection` names how unknown keys are selected; without
    it, by whichever shows keys of fewer persons.
    """
    if not isinstance(promise, PureDP | ApproxDP | ZeroConcentratedDP):
        raise PromiseUnmeetable(
            f"a statistic cannot be released under {type(promise).__name__}.",
            "Promise PureDP, ApproxDP or ZeroConcentratedDP.",
        )
    if selection not in (None, *SELECTIONS):
        raise BadUsage("this is no way to select keys.", f"Use {' or '.join(map(repr, SELECTIONS))}.")
    # That a key is there at all may be one person's doing, and pure privacy would have to show keys of nobody
    # as well.
    if any(vector.selects for vector in vectors) and not isinstance(promise, ApproxDP):
        raise PromiseUnmeetable(
            "the groups are not known beforehand, and showing which exist needs a delta: "
            f"{type(promise).__name__} has none.",
            "Name the groups with keys=… (public key sets cost nothing), or promise ApproxDP(epsilon, delta).",
        )
    task = _Task(tuple(vectors), tuple(stakes), promise, accounting, selection)
    options = task.options()
    losses = [task.loss(option) for option in options]
    # The first is the simplest: others must be better by more than rounding to be worth a delta.
    best = min(range(len(options)), key=lambda i: losses[i] * (_LEAST_GAIN if i == 0 else 1.0))
    noise = options[best].noise
    event: Event = Composed(noise) if len(noise) > 1 else noise[0]
    # A zCDP filter adds the rhos of the same noise, which need no certificate; a plan would be booked at its
    # epsilon and delta.
    if options[best].sealed and accounting != "zcdp" and isinstance(promise, ApproxDP):
        event = SealedPlan(Composed(noise), promise.delta)
    why = _reason(options, losses, best, promise, accounting)
    return MechanismChoice(noise, event, why, task.errors(options[best]))


def _reason(
    options: Sequence[_Option], losses: Sequence[float], best: int, promise: Promise, accounting: str
) -> str:
    """Why this noise, in one sentence."""
    name = options[best].name
    others = [(loss, o.name) for i, (o, loss) in enumerate(zip(options, losses, strict=True)) if i != best]
    if not others:
        if isinstance(promise, PureDP):
            return f"{name}: a promise without a delta leaves nothing else."
        return f"{name}: the only noise that {accounting!r} accounting admits here."
    loss, other = min(others)
    times = math.sqrt(loss / losses[best]) if losses[best] > 0 else 1.0
    if times < 1.005:
        return f"{name}: it errs as little as {other} and is simpler."
    return f"{name}: under this promise {other} would err {times:.2f} times as much."


@dataclass(frozen=True)
class _Task:
    vectors: tuple[Vector, ...]
    stakes: tuple[Stake, ...]
    promise: PureDP | ApproxDP | ZeroConcentratedDP
    accounting: str
    selection: str | None

    def options(self) -> list[_Option]:
        """Every kind of noise that is allowed, the simplest first."""
        promise = self.promise
        if isinstance(promise, ZeroConcentratedDP):
            found = [_Option("discrete Laplace noise", self._laplace_in_rho(promise.rho), sealed=False)]
            if self.accounting == "zcdp":
                found.append(_Option("discrete Gaussian noise", self._gaussian(promise.rho), sealed=False))
            return found
        delta = promise.delta if isinstance(promise, ApproxDP) else Fraction(0)
        # A zCDP filter sets half of a ledger's delta aside for turning rho into epsilon.
        keys_delta = delta / 2 if self.accounting == "zcdp" else delta
        plain = _Option("discrete Laplace noise", self._laplace(promise.epsilon, keys_delta), sealed=False)
        if not isinstance(promise, ApproxDP) or self.accounting == "pure":
            return [plain]
        found = [plain]
        if len(self.vectors) >= _FEW or self._keys_per_unit > 1:
            loose = self._laplace(promise.epsilon, delta / 2)
            found.append(
                _Option(
                    "discrete Laplace noise that is certified as one plan", self._lowered(loose), sealed=True
                )
            )
        gaussian = self._mixed(promise)
        if gaussian is not None:
            certified = _Option("discrete Gaussian noise", gaussian, sealed=True)
            # Certificates are slow: one is looked for only where it could make this noise the best.
            if _MOST_GAIN * self.loss(certified) < min(self.loss(option) for option in found):
                certified = _Option(certified.name, self._lowered(gaussian), sealed=True)
            found.append(certified)
        return found

    def loss(self, option: _Option) -> float:
        """The weighted sum of the squares of typical errors, or the largest relative to its target."""
        if any(stake.target is not None for stake in self.stakes):
            errors = self.errors(option)
            return max(
                (error / (stake.target or 1.0)) ** 2 for error, stake in zip(errors, self.stakes, strict=True)
            )
        variances = self._variances(option)
        weights = importance(self.stakes, self._sensitivities, "laplace")
        return sum(weight * variance for weight, variance in zip(weights, variances, strict=True))

    def errors(self, option: _Option) -> tuple[float, ...]:
        """The typical error of each answer."""
        variances = self._variances(option)
        return tuple(
            math.sqrt(sum(move**2 * variances[v] for v, move in stake.moves.items())) for stake in self.stakes
        )

    def _variances(self, option: _Option) -> list[float]:
        return [
            _typical(event, vector.sensitivity) ** 2
            for event, vector in zip(option.noise, self.vectors, strict=True)
        ]

    @property
    def _sensitivities(self) -> tuple[Sensitivity, ...]:
        return tuple(vector.moved for vector in self.vectors)

    @property
    def _selecting(self) -> int:
        return sum(vector.selects for vector in self.vectors)

    @property
    def _keys_per_unit(self) -> int:
        """In how many keys one unit is noised, where those are certified one by one: numbers of persons are."""
        return max(
            (v.sensitivity.coordinates for v in self.vectors if v.selects and v.counts_persons), default=0
        )

    def _shares(self, total: Fraction, kind: str) -> tuple[Fraction, ...]:
        weights = importance(self.stakes, self._sensitivities, kind)
        return split(total, kind, self._sensitivities, weights)

    def _laplace(self, epsilon: Fraction, keys_delta: Fraction) -> tuple[Event, ...]:
        shares = self._shares(epsilon, "laplace")
        return tuple(
            self._keys(laplace_scale(shares[i], vector.sensitivity.total), i, keys_delta)
            if vector.selects
            else _laplace_event(shares[i], vector)
            for i, vector in enumerate(self.vectors)
        )

    def _laplace_in_rho(self, rho: Fraction) -> tuple[Event, ...]:
        """Pure epsilon gives epsilon²/2-zCDP (Bun and Steinke 2016, Proposition 3.3)."""
        shares = self._shares(rho, "pure in rho")
        return tuple(
            _choice(shares[i], v.sensitivity) if v.chooses else _laplace_event(_root_down(2 * shares[i]), v)
            for i, v in enumerate(self.vectors)
        )

    def _gaussian(self, rho: Fraction) -> tuple[Event, ...]:
        shares = self._shares(rho, "gaussian")
        return tuple(_gaussian_event(shares[i], v) for i, v in enumerate(self.vectors))

    def _mixed(self, promise: ApproxDP) -> tuple[Event, ...] | None:
        """Gaussian noise on everything but unknown keys, whose selection takes its share of rho and half of delta.

        Vectors whose blocks move by less in all than entry by entry are for Laplace noise: Gaussian noise gains nothing.
        """
        if any(v.sensitivity.block > 1 and not v.chooses for v in self.vectors):
            return None
        if not self._selecting:
            return self._gaussian(rho_within(promise.epsilon, promise.delta))
        # Thresholded keys are priced by epsilon and delta alone, with no rho to be added to that of Gaussian
        # noise.
        if self.selection == "thresholded" or any(v.selects and not v.counts_persons for v in self.vectors):
            return None
        shares = self._shares(rho_within(promise.epsilon, promise.delta / 2), "gaussian")
        return tuple(
            # Each key costs 1/2 scale² of rho, as Gaussian noise of that sigma would.
            self._keys(gaussian_sigma(shares[i], 1, vector.sensitivity.coordinates), i, promise.delta / 2)
            if vector.selects
            else _gaussian_event(shares[i], vector)
            for i, vector in enumerate(self.vectors)
        )

    def _keys(self, scale: Fraction, vector: int, delta: Fraction) -> Event:
        """The selection of unknown keys, at an equal part of delta for each question that has some."""
        return select_keys(scale, self.vectors[vector].sensitivity, delta / self._selecting, self.selection)

    def _lowered(self, noise: tuple[Event, ...]) -> tuple[Event, ...]:
        """The same noise with all scales lowered by the factor that the certificate of the whole plan allows."""
        promise = self.promise
        if not isinstance(promise, ApproxDP):
            return noise
        return lowered(noise, promise.delta / 2 / max(self._selecting, 1), promise)


def _laplace_event(epsilon: Fraction, vector: Vector) -> Event:
    """Pure noise of this epsilon; scores are chosen from by permute-and-flip, which is never worse on average."""
    sensitivity = vector.sensitivity
    if vector.chooses:
        return Repeated(PermuteAndFlip(epsilon / sensitivity.blocks), sensitivity.blocks)
    return DiscreteLaplace(laplace_scale(epsilon, sensitivity.total), sensitivity.total)


def _gaussian_event(rho: Fraction, vector: Vector) -> Event:
    """Gaussian noise of this rho; scores are chosen from by the exponential mechanism."""
    s = vector.sensitivity
    if vector.chooses:
        return _choice(rho, s)
    return DiscreteGaussian(gaussian_sigma(rho, s.largest, s.coordinates), s.largest, s.coordinates)


def _choice(rho: Fraction, sensitivity: Sensitivity) -> Event:
    """Exponential mechanisms of epsilon²/8 = rho together (Cesar and Rogers 2021)."""
    epsilon = _root_down(8 * rho / sensitivity.blocks)
    return Repeated(Exponential(epsilon), sensitivity.blocks)


def _typical(event: Event, sensitivity: Sensitivity) -> float:
    """The error that is exceeded half of the time: ln 2 scales of Laplace noise, 0.67 deviations of Gaussian noise.

    That of a choice is about as if scores had Laplace noise of its scale.
    """
    if isinstance(event, Repeated) and isinstance(event.event, CandidateSelection):
        return math.log(2) * float(2 * sensitivity.largest / event.event.epsilon)
    share = NormalDist().inv_cdf(0.75) if isinstance(event, GaussianNoise) else math.log(2) / math.sqrt(2)
    return share * spread(event).standard_deviation


def _root_down(amount: Fraction) -> Fraction:
    """A rational square root that is never above the true one."""
    unit = 10**12
    return Fraction(math.isqrt(int(amount * unit * unit)), unit)
