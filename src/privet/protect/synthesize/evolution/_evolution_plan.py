"""The plan of an evolution: how many rounds with how much noise, and the one event that is booked for all of them.

Every round is one Gaussian release of a histogram that one person moves by at most one vote (by sqrt(2) of one, where
neighbours replace a person), so T rounds of noise sigma are
one Gaussian mechanism of sensitivity sqrt(T)/sigma: the rounds' noise is fixed beforehand, so the run is a sealed plan, and
what is voted about may depend on all that came before (Dong, Roth and Su 2022, Theorem 2.7; the accountant composes the
exact curve, with what integer noise adds to it). Class shares, where they are bought, are one more such histogram.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any, Literal

from privet.errors import BadSynthesis, PromiseUnmeetable, checked_class
from privet.guarantee import (
    ApproxDP,
    Composed,
    Event,
    NormedGaussian,
    Promise,
    Repeated,
    SealedPlan,
    Unit,
    ZeroConcentratedDP,
    calibrate,
    float_up,
    unit_to_json,
)
from privet.protect.synthesize.evolution._nearest_votes import STEP, length_of, sides

# Of the squares of all noise, what class shares get where they are bought.
_SHARES = Fraction(1, 20)


@checked_class
@dataclass(frozen=True)
class EvolutionSettings:
    """How samples evolve. Nothing here is private, and nothing here changes what is promised.

    Args:
        rounds: how often private samples vote. More rounds share the budget.
        population: how many samples live from round to round; keep it below a third of the private ones.
        selection: "rank" keeps those with most votes (Aug-PE), "draw" draws in proportion (PE).
        variations: new samples made of each that lives, in each round.
        keep: whether those that live stay candidates beside their variations.
        votes: for how many candidates each private sample votes.
        lookahead: a candidate lies where the mean of so many variations of it lies; 0 for its own place.
        threshold: votes that do not count, in votes; None for the noise's standard deviation when drawing, 0 when ranking.
        degrees: how far variations stray in the first and in the last round, between 1 and 0.
    """

    rounds: int = 6
    population: int = 200
    selection: Literal["rank", "draw"] = "rank"
    variations: int = 2
    keep: bool = True
    votes: int = 1
    lookahead: int = 0
    threshold: float | None = None
    degrees: tuple[float, float] = (1.0, 0.1)

    def __post_init__(self) -> None:
        wrong = [
            name
            for name, low, high in (
                ("rounds", 1, 1_000),
                ("population", 1, 10_000_000),
                ("variations", 1, 100),
                ("votes", 1, 1_000),
                ("lookahead", 0, 100),
            )
            if not isinstance(getattr(self, name), int) or not low <= getattr(self, name) <= high
        ]
        if wrong or self.selection not in ("rank", "draw") or not all(0 <= d <= 1 for d in self.degrees):
            raise BadSynthesis(
                f"settings of evolution are out of range: {', '.join(wrong) or 'selection or degrees'}.",
                'Counts are positive, selection is "rank" or "draw", degrees lie between 0 and 1.',
            )

    def degree(self, at: int) -> float:
        """How far variations stray after round `at`."""
        first, last = self.degrees
        return first + (last - first) * (at / max(1, self.rounds - 1))


@dataclass(frozen=True)
class EvolutionPlan:
    """A run in full, with no data in it. `shares` are public class shares; None where they are bought."""

    promise: Promise
    unit: Unit
    data: str
    settings: EvolutionSettings
    labels: tuple[str, ...] | None
    shares: tuple[float, ...] | None
    sigma: Fraction  # in votes
    event: Event
    about: Mapping[str, Any] = field(
        default_factory=dict
    )  # what else the run depends on: columns, generator, embedder

    @property
    def draws(self) -> tuple[NormedGaussian, ...]:
        """The noise of every draw, in order: that of the class shares, where they are bought, and of each round."""
        inner = self.event.event if isinstance(self.event, SealedPlan) else self.event
        assert isinstance(inner, Composed)
        return tuple(
            one
            for part in inner.events
            for one in ([part.event] * part.count if isinstance(part, Repeated) else [part])
            if isinstance(one, NormedGaussian)
        )

    def samples_made(self, rows: int | None) -> tuple[int, int]:
        """How many new samples a generator makes for the whole run, and how many variations of others."""
        settings = self.settings
        lives = max(settings.population, len(self.labels or ()))
        candidates = lives * (settings.variations + settings.keep)
        varied = (settings.rounds - 1) * lives * settings.variations
        varied += settings.rounds * candidates * settings.lookahead
        return candidates, varied + max(0, (rows or lives) - lives)

    @property
    def buys_shares(self) -> bool:
        """Whether class shares are measured with noise."""
        return self.labels is not None and self.shares is None

    def question(self) -> str:
        """What makes two runs the same."""
        record = {
            "verb": "synthesize",
            "method": "evolution",
            "data": self.data,
            "unit": unit_to_json(self.unit),
            "promise": self.promise.to_json(),
            "event": self.event.to_json(),
            "settings": asdict(self.settings),
            "labels": self.labels,
            "shares": self.shares,
            "about": self.about,
        }
        return hashlib.sha256(json.dumps(record, sort_keys=True, default=list).encode()).hexdigest()


def plan_evolution(
    promise: Promise,
    *,
    unit: Unit,
    most: int,
    data: str,
    settings: EvolutionSettings,
    labels: Sequence[str] | None,
    shares: Mapping[str, float] | None,
    accounting: str,
    about: Mapping[str, Any],
) -> EvolutionPlan:
    """Noise for the promise, and what is booked; reads no private sample."""
    if not isinstance(promise, ApproxDP | ZeroConcentratedDP):
        raise PromiseUnmeetable(
            f"votes get Gaussian noise, which {type(promise).__name__} does not allow.",
            "Promise ApproxDP(epsilon, delta) or ZeroConcentratedDP(rho).",
        )
    if accounting == "pure" or (accounting != "zcdp" and not isinstance(promise, ApproxDP)):
        raise PromiseUnmeetable(
            f"Gaussian noise cannot be booked in a ledger whose accounting is {accounting!r} without a delta.",
            'Open the ledger with an ApproxDP limit or accounting="zcdp", and promise ApproxDP.',
        )
    names, stated = _classes(labels, shares)
    buys = names is not None and stated is None
    owned = most * sides(unit.change)
    length = length_of(unit.change)

    def family(sigma: Fraction) -> Event:
        return Composed(_noises(sigma, settings, length, owned, buys=buys))

    sigma = calibrate(family, promise, change=unit.change)
    event = family(sigma)
    if isinstance(promise, ApproxDP) and accounting != "zcdp":
        event = SealedPlan(event, promise.delta)
    return EvolutionPlan(promise, unit, data, settings, names, stated, sigma, event, dict(about))


def _noises(
    sigma: Fraction, settings: EvolutionSettings, length: int, owned: int, *, buys: bool
) -> list[Event]:
    """The noise of the class shares, where they are bought, and that of every round."""
    noises: list[Event] = []
    if buys:
        # The squares of what is moved over sigma: those of the shares are this part of all of them.
        squares = _SHARES / (1 - _SHARES) * settings.rounds / sigma**2
        noises.append(NormedGaussian(_root_up(STEP**2 / squares), length, owned))
    noises.append(Repeated(NormedGaussian(sigma * STEP, length, owned * settings.votes), settings.rounds))
    return noises


def _root_up(square: Fraction) -> Fraction:
    """A float that is not below the square root: more noise than needed, never less."""
    root = Fraction(float_up(square) ** 0.5)
    while root**2 < square:
        root = Fraction(float(root) * (1 + 2**-52))
    return root


def _classes(
    labels: Sequence[str] | None, shares: Mapping[str, float] | None
) -> tuple[tuple[str, ...] | None, tuple[float, ...] | None]:
    if labels is None:
        if shares is not None:
            raise BadSynthesis("shares are of labels, and there are none.", "State labels=[…] as well.")
        return None, (1.0,)
    names = tuple(str(label) for label in labels)
    if not names or len(set(names)) != len(names):
        raise BadSynthesis("labels are different names, at least one.", "Write labels=['a', 'b'].")
    if shares is None:
        return names, None
    given = [float(shares.get(name, -1.0)) for name in names]
    if set(map(str, shares)) != set(names) or min(given) < 0 or not 0.999 < sum(given) < 1.001:
        raise BadSynthesis(
            "shares are one for each label and add up to 1.",
            "Write shares={'a': 0.25, 'b': 0.75} (--shares a=0.25 --shares b=0.75).",
        )
    return names, tuple(given)
