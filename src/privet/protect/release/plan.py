"""The plan of a release: everything that must agree, fixed before the data is touched.

A plan names the exact vectors the engine will compute, the noise each will get, how answers are read off the
noisy vectors, and the one event that says what all of it costs. `explain` prints it; `release` runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from privet.engine.contribution import Contribution
from privet.engine.measures import SUM_KINDS, Measure
from privet.errors import PromiseUnmeetable
from privet.guarantee.calibration import gaussian_sigma, laplace_scale, threshold_for
from privet.guarantee.concentrated import rho_within
from privet.guarantee.error import spread
from privet.guarantee.events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    SealedPlan,
    ThresholdedKeys,
)
from privet.guarantee.promises import ApproxDP, Promise, PureDP, ZeroConcentratedDP
from privet.protect.release.reading import Reading, measures_and_readings
from privet.sealed import Sensitivity
from privet.source.query import Query

# The vector that decides which unknown keys are shown; noisy numbers of persons are read off it too.
KEYS = "persons"


@dataclass(frozen=True)
class Plan:
    """A release in full, with no data in it."""

    query: Query
    promise: Promise
    contribution: Contribution
    measures: Mapping[str, Measure]
    noise: Mapping[str, Event]  # by vector, in the order they are drawn
    readings: tuple[Reading, ...]
    event: Event  # what the ledger books: covers all of `noise`
    confidence: float

    @property
    def unknown_keys(self) -> bool:
        """Whether the keys themselves are private and must pass a threshold."""
        return any(isinstance(event, ThresholdedKeys) for event in self.noise.values())


def make_plan(query: Query, promise: Promise, *, accounting: str, confidence: float = 0.95) -> Plan:
    """Choose vectors and noise for a question under a promise; reads no private row.

    `accounting` is the ledger's: under a zCDP filter the events are booked one by one, otherwise Gaussian
    noise is booked as a sealed plan certified at the promise's delta.
    """
    contribution = Contribution.for_unit(query.table.unit_or_refuse(), grouped=bool(query.keys))
    measures, readings = measures_and_readings(query)
    public = query.public_keys()
    hidden = bool(query.keys) and public is None
    known = None if hidden else 1 if public is None else public.num_rows
    if hidden:
        measures = {KEYS: Measure("persons"), **{name: m for name, m in measures.items() if name != KEYS}}
    sensitivities = {name: _sensitivity(contribution, measure, known) for name, measure in measures.items()}
    noise = _cheapest(promise, sensitivities, hidden=hidden)
    event: Event = Composed(tuple(noise.values())) if len(noise) > 1 else next(iter(noise.values()))
    if accounting != "zcdp" and any(isinstance(part, DiscreteGaussian) for part in noise.values()):
        if not isinstance(promise, ApproxDP):
            raise PromiseUnmeetable(
                f"Gaussian noise cannot be booked in a ledger whose accounting is {accounting!r} without a delta.",
                'Open the ledger with accounting="zcdp", or promise ApproxDP.',
            )
        event = SealedPlan(event, promise.delta)
    return Plan(query, promise, contribution, measures, noise, readings, event, confidence)


def _sensitivity(contribution: Contribution, measure: Measure, known: int | None) -> Sensitivity:
    """What the engine will seal the vector with: the mechanism checks that the two agree."""
    if measure.kind == "persons":
        return contribution.persons_sensitivity(known)
    if measure.kind in SUM_KINDS:
        return contribution.sum_sensitivity(known, measure.reach)
    return contribution.rows_sensitivity(known)


def _cheapest(
    promise: Promise, sensitivities: Mapping[str, Sensitivity], *, hidden: bool
) -> dict[str, Event]:
    """Laplace or Gaussian noise for every vector, whichever errs less on average under the promise."""
    options = [
        option
        for option in (
            _laplace(promise, sensitivities, hidden=hidden),
            _gaussian(promise, sensitivities, hidden=hidden),
        )
        if option
    ]
    if not options:
        raise PromiseUnmeetable(
            "the groups are not known beforehand, and showing which exist needs a delta: "
            f"{type(promise).__name__} has none.",
            "Name the groups with keys=… (public key sets cost nothing), or promise ApproxDP(epsilon, delta).",
        )

    def roughness(option: dict[str, Event]) -> float:
        ratios = (
            spread(event).standard_deviation / sensitivities[name].largest for name, event in option.items()
        )
        return sum(ratio * ratio for ratio in ratios)

    return min(options, key=roughness)


def _laplace(
    promise: Promise, sensitivities: Mapping[str, Sensitivity], *, hidden: bool
) -> dict[str, Event] | None:
    if isinstance(promise, ZeroConcentratedDP):
        # Pure epsilon gives epsilon²/2-zCDP (Bun and Steinke 2016, Prop. 1.4).
        shares = [_root_down(2 * share.rho) for share in promise.split(len(sensitivities))]
    elif isinstance(promise, PureDP | ApproxDP):
        shares = [share.epsilon for share in promise.split(len(sensitivities))]
    else:
        raise PromiseUnmeetable(
            f"a statistic cannot be released under {type(promise).__name__}.",
            "Promise PureDP, ApproxDP or ZeroConcentratedDP.",
        )
    noise: dict[str, Event] = {}
    for (name, sensitivity), epsilon in zip(sensitivities.items(), shares, strict=True):
        if hidden and name == KEYS:
            if not isinstance(promise, ApproxDP):
                return None
            noise[name] = _keys_event(epsilon, sensitivity, promise.delta)
        else:
            noise[name] = DiscreteLaplace(laplace_scale(epsilon, sensitivity.total), sensitivity.total)
    return noise


def _gaussian(
    promise: Promise, sensitivities: Mapping[str, Sensitivity], *, hidden: bool
) -> dict[str, Event] | None:
    if isinstance(promise, ApproxDP):
        if hidden:
            # Half of delta for the keys, half for the Gaussian part; the keys take their share of epsilon.
            if len(sensitivities) == 1:
                return None
            share = promise.split([1, len(sensitivities) - 1])
            keys = _keys_event(share[0].epsilon, sensitivities[KEYS], promise.delta / 2)
            rest = {name: s for name, s in sensitivities.items() if name != KEYS}
            return {KEYS: keys, **_gaussians(rho_within(share[1].epsilon, promise.delta / 2), rest)}
        return _gaussians(rho_within(promise.epsilon, promise.delta), sensitivities)
    if isinstance(promise, ZeroConcentratedDP) and not hidden:
        return _gaussians(promise.rho, sensitivities)
    return None


def _gaussians(rho: Fraction, sensitivities: Mapping[str, Sensitivity]) -> dict[str, Event]:
    shares = ZeroConcentratedDP(rho).split(len(sensitivities))
    return {
        name: DiscreteGaussian(gaussian_sigma(share.rho, s.largest, s.coordinates), s.largest, s.coordinates)
        for (name, s), share in zip(sensitivities.items(), shares, strict=True)
    }


def _keys_event(epsilon: Fraction, sensitivity: Sensitivity, delta: Fraction) -> ThresholdedKeys:
    scale = laplace_scale(epsilon, sensitivity.total)
    return ThresholdedKeys(
        scale, threshold_for(scale, sensitivity.coordinates, delta), sensitivity.coordinates
    )


def _root_down(amount: Fraction) -> Fraction:
    """A rational square root that is never above the true one."""
    from math import isqrt

    unit = 10**12
    return Fraction(isqrt(int(amount * unit * unit)), unit)
