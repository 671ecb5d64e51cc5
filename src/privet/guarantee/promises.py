"""What is promised: frozen values that say what is guaranteed, against whom, and how to say it to a lawyer.

Parameters are exact rationals (`amounts.exact`). Promises join with `&`; those that compose additively can
be scaled (`promise * 0.5`, `promise / 4`) and split. Each round-trips through JSON with a schema version.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any, ClassVar, Self

from privet.errors import BadAmount, UnknownRecord, UnsoundAlgebra
from privet.guarantee.amounts import (
    DELTA_UNIT,
    LOSS_UNIT,
    Number,
    delta,
    exact,
    loss,
    positive,
    readable,
    units_down,
    whole,
    written,
)

SCHEMA = 1
_KINDS: dict[str, type[Promise]] = {}


@dataclass(frozen=True)
class Promise(ABC):
    """One guarantee. Subclasses are frozen, validated and hashable."""

    kind: ClassVar[str] = ""
    # Names of the fields that add up under composition, each with the unit it is booked in.
    additive: ClassVar[dict[str, Fraction]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.kind:
            _KINDS[cls.kind] = cls

    @abstractmethod
    def sentence(self) -> str:
        """The promise in one plain sentence."""

    def __and__(self, other: Promise) -> Promise:
        """Both promises at once."""
        if not isinstance(other, Promise):
            return NotImplemented
        return AllOf.of([*parts(self), *parts(other)])

    def __mul__(self, factor: Number) -> Self:
        """A share of this promise, by basic composition: shares that add up to 1 compose to the whole."""
        if not self.additive:
            raise UnsoundAlgebra(f"{type(self).__name__} does not add up over releases, so it has no shares.")
        share = positive(factor, "factor")
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, unit in self.additive.items():
            scaled = values[name] * share
            # On the booking grid and never above the exact share, so that shares of a whole always fit in it.
            values[name] = scaled if (scaled / unit).denominator == 1 else units_down(scaled, unit) * unit
        return type(self)(**values)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Number) -> Self:
        return self * (1 / positive(divisor, "divisor"))

    def split(self, into: int | Sequence[Number]) -> tuple[Self, ...]:
        """Shares of this promise that together never exceed it: equal ones, or in proportion to weights."""
        weights = [1] * whole(into, "into") if isinstance(into, int) else list(into)
        if not weights:
            raise UnsoundAlgebra("a promise cannot be split into nothing.", "Give at least one weight.")
        exact_weights = [positive(weight, "weight") for weight in weights]
        return tuple(self * (weight / sum(exact_weights)) for weight in exact_weights)

    def to_json(self) -> dict[str, Any]:
        """A stable record: schema version, kind, and exact parameters as text."""
        record: dict[str, Any] = {"schema": SCHEMA, "promise": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            record[field.name] = written(value) if isinstance(value, Fraction) else value
        return record


def promise_from_json(record: dict[str, Any]) -> Promise:
    """The promise a record describes; refuses versions, kinds and fields it does not know."""
    parameters = dict(record)
    if parameters.pop("schema", None) != SCHEMA:
        raise UnknownRecord(
            "this promise has an unknown schema version.", "Was it written by a newer version?"
        )
    cls = _KINDS.get(parameters.pop("promise", ""))
    if cls is None or set(parameters) - {field.name for field in fields(cls)}:
        raise UnknownRecord("this promise is of an unknown kind or has unknown fields.")
    if cls is AllOf:
        return AllOf(tuple(promise_from_json(part) for part in parameters["promises"]))
    return cls(**parameters)


def parts(promise: Promise) -> tuple[Promise, ...]:
    """The single promises inside a joint one, or the promise itself."""
    return promise.promises if isinstance(promise, AllOf) else (promise,)


def _store(promise: Promise, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(promise, name, value)


def _times(epsilon: Fraction) -> str:
    """e^epsilon as a factor people can read, rounded up: "at most" must stay true."""
    if epsilon >= 500:
        return f"e^{readable(epsilon)}"
    factor = Context(prec=3, rounding=ROUND_CEILING).create_decimal_from_float(math.exp(float(epsilon)))
    return f"{factor:,f}" if factor < 10**6 else f"{float(factor):.3g}"


@dataclass(frozen=True)
class PureDP(Promise):
    """epsilon-differential privacy (Dwork, McSherry, Nissim, Smith 2006)."""

    epsilon: Fraction
    kind: ClassVar[str] = "pure-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT}

    def __init__(self, epsilon: Number) -> None:
        _store(self, epsilon=loss(epsilon, "epsilon"))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "Whatever an attacker already knows and whatever is published, their odds that a given person is in "
            f"the data change by at most a factor of {_times(self.epsilon)} (epsilon = {readable(self.epsilon)})."
        )


@dataclass(frozen=True)
class ApproxDP(Promise):
    """(epsilon, delta)-differential privacy (Dwork et al. 2006)."""

    epsilon: Fraction
    delta: Fraction
    kind: ClassVar[str] = "approx-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT, "delta": DELTA_UNIT}

    def __init__(self, epsilon: Number, delta: Number) -> None:
        _store(self, epsilon=loss(epsilon, "epsilon"), delta=_delta(delta))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "Whatever an attacker already knows, their odds that a given person is in the data change by at most a "
            f"factor of {_times(self.epsilon)} (epsilon = {readable(self.epsilon)}), except with a probability of "
            f"at most {readable(self.delta)} (delta)."
        )


_delta = delta


@dataclass(frozen=True)
class ZeroConcentratedDP(Promise):
    """rho-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: Fraction
    kind: ClassVar[str] = "zero-concentrated-dp"
    additive: ClassVar[dict[str, Fraction]] = {"rho": LOSS_UNIT}

    def __init__(self, rho: Number) -> None:
        _store(self, rho=loss(rho, "rho"))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "What an attacker learns about whether a given person is in the data is, in every Rényi order, no more "
            f"than one Gaussian-noised answer would tell (rho = {readable(self.rho)})."
        )


@dataclass(frozen=True)
class RenyiDP(Promise):
    """(order, epsilon)-Rényi differential privacy (Mironov 2017). Epsilons add at one fixed order."""

    order: Fraction
    epsilon: Fraction
    kind: ClassVar[str] = "renyi-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT}

    def __init__(self, order: Number, epsilon: Number) -> None:
        if exact(order, "order") <= 1:
            raise BadAmount("order must be greater than 1.", "Write RenyiDP(order=8, epsilon=0.5).")
        _store(self, order=positive(order, "order"), epsilon=loss(epsilon, "epsilon"))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "The typical evidence about whether a given person is in the data, measured by the Rényi divergence of "
            f"order {readable(self.order)}, is at most {readable(self.epsilon)}."
        )


@dataclass(frozen=True)
class LocalDP(Promise):
    """epsilon-local differential privacy: each report is noised before it leaves its person (Kasiviswanathan et al. 2008)."""

    epsilon: Fraction
    kind: ClassVar[str] = "local-dp"
    additive: ClassVar[dict[str, Fraction]] = {"epsilon": LOSS_UNIT}

    def __init__(self, epsilon: Number) -> None:
        _store(self, epsilon=loss(epsilon, "epsilon"))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "Even the collector cannot tell: the odds between any two true values of a person change by at most a "
            f"factor of {_times(self.epsilon)} after seeing that person's report (epsilon = {readable(self.epsilon)})."
        )


@dataclass(frozen=True)
class KAnonymity(Promise):
    """Every record shares its quasi-identifiers with at least k-1 others (Samarati and Sweeney 1998)."""

    k: int
    kind: ClassVar[str] = "k-anonymity"

    def __post_init__(self) -> None:
        whole(self.k, "k", at_least=2)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"Each record looks the same as at least {self.k - 1} others in the columns an outsider could know, so "
            f"linking by these columns alone points at no fewer than {self.k} records."
        )


@dataclass(frozen=True)
class LDiversity(Promise):
    """Every group of look-alikes holds l well-represented sensitive values (Machanavajjhala et al. 2007).

    `variant` is "distinct", "entropy" or "recursive"; the last takes the constant `c`.
    """

    column: str
    l: int  # noqa: E741  the literature's name
    variant: str = "distinct"
    c: Fraction | None = None
    kind: ClassVar[str] = "l-diversity"

    def __post_init__(self) -> None:
        whole(self.l, "l", at_least=2)
        if self.variant not in ("distinct", "entropy", "recursive"):
            raise BadAmount(
                f"unknown variant of l-diversity: {self.variant!r}.", "Use distinct, entropy or recursive."
            )
        if (self.c is None) == (self.variant == "recursive"):
            raise BadAmount(
                "the constant c goes with recursive l-diversity, and only there.",
                'Write variant="recursive", c=3.',
            )
        if self.c is not None:
            _store(self, c=positive(self.c, "c"))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        how = {
            "distinct": "different",
            "entropy": "evenly spread (entropy)",
            "recursive": "well-spread (recursive)",
        }
        return (
            f"Among the records an outsider cannot tell apart there are at least {self.l} {how[self.variant]} values "
            f"of {self.column!r}, so finding the group does not give away the value."
        )


@dataclass(frozen=True)
class TCloseness(Promise):
    """Every group's sensitive distribution lies within t of the table's (Li, Li, Venkatasubramanian 2007).

    `distance` is "equal", "ordered" or "hierarchical" (the ground distance of the earth mover's distance).
    """

    column: str
    t: Fraction
    distance: str = "equal"
    kind: ClassVar[str] = "t-closeness"

    def __init__(self, column: str, t: Number, distance: str = "equal") -> None:
        threshold = positive(t, "t", at_most=Fraction(1))
        if distance not in ("equal", "ordered", "hierarchical"):
            raise BadAmount(f"unknown distance {distance!r}.", "Use equal, ordered or hierarchical.")
        _store(self, column=column, t=threshold, distance=distance)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"Among records an outsider cannot tell apart, the values of {self.column!r} are spread as in the whole "
            f"table, up to a distance of {readable(self.t)}."
        )


@dataclass(frozen=True)
class SafeHarbor(Promise):
    """The identifiers of 45 CFR 164.514(b)(2)(i) are gone (HIPAA Safe Harbor): a rule about columns, not a measure.

    `zip_year` is the census behind the list of sparsely populated ZIP areas.
    """

    zip_year: int
    kind: ClassVar[str] = "hipaa-safe-harbor"

    def __post_init__(self) -> None:
        whole(self.zip_year, "zip_year", at_least=1990)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "The 18 kinds of identifiers that HIPAA's Safe Harbor lists are removed or made coarse (ZIP areas by "
            f"the census of {self.zip_year}); the rule sets no bound on what the remaining columns give away."
        )


@dataclass(frozen=True)
class KMap(Promise):
    """Every record looks like at least k people of the population it was drawn from (Sweeney 2001).

    `estimate` says how people are counted: "exact" in a table of the population, or "poisson" and
    "zero-truncated-poisson" from the sampling fraction alone, wrong with at most the stated `significance`.
    """

    k: int
    estimate: str = "exact"
    sampling_fraction: Fraction | None = None
    significance: Fraction | None = None
    kind: ClassVar[str] = "k-map"

    def __post_init__(self) -> None:
        whole(self.k, "k", at_least=2)
        if self.estimate not in ("exact", "poisson", "zero-truncated-poisson"):
            raise BadAmount(
                f"unknown estimate of the population: {self.estimate!r}.",
                "Use exact, poisson or zero-truncated-poisson.",
            )
        given = (self.sampling_fraction is not None, self.significance is not None)
        if given != ((False, False) if self.estimate == "exact" else (True, True)):
            raise BadAmount(
                "a sampling fraction and a significance go with an estimate, and only there.",
                'Write KMap(5, "poisson", sampling_fraction=0.01, significance=0.05).',
            )
        for name in ("sampling_fraction", "significance"):
            if getattr(self, name) is not None:
                _store(self, **{name: _share(getattr(self, name), name)})

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        how = "" if self.estimate == "exact" else ", as estimated from the size of the sample"
        return (
            f"Each record fits at least {self.k} people of the population it was drawn from{how}, so finding it in "
            "a public register does not tell whose it is."
        )


@dataclass(frozen=True)
class DeltaPresence(Promise):
    """Whether a person of the population is in the table stays uncertain (Nergiz, Atzori, Clifton 2007)."""

    minimum: Fraction
    maximum: Fraction
    kind: ClassVar[str] = "delta-presence"

    def __init__(self, minimum: Number, maximum: Number) -> None:
        low, high = exact(minimum, "minimum"), _share(maximum, "maximum")
        if not 0 <= low <= high:
            raise BadAmount("the lowest presence must lie between 0 and the highest.", "Write 0 and 0.2.")
        _store(self, minimum=low, maximum=high)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "Someone who knows a person's public columns believes that this person is in the table with a "
            f"probability between {readable(self.minimum)} and {readable(self.maximum)}."
        )


@dataclass(frozen=True)
class BetaLikeness(Promise):
    """No sensitive value gains more than beta, relatively, in any group (Cao and Karras 2012).

    `variant` is "basic", or "enhanced" where frequent values may gain at most -ln(share).
    """

    column: str
    beta: Fraction
    variant: str = "basic"
    kind: ClassVar[str] = "beta-likeness"

    def __init__(self, column: str, beta: Number, variant: str = "basic") -> None:
        if variant not in ("basic", "enhanced"):
            raise BadAmount(f"unknown variant of beta-likeness: {variant!r}.", "Use basic or enhanced.")
        _store(self, column=column, beta=positive(beta, "beta"), variant=variant)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"Finding someone's group makes no value of {self.column!r} more than {readable(1 + self.beta)} times as "
            "likely as it is in the whole table."
        )


@dataclass(frozen=True)
class DeltaDisclosure(Promise):
    """Shares in a group and in the table differ by less than a factor e^delta (Brickell and Shmatikov 2008).

    `absent` says what holds for values that a group does not have: "skip" them, as peers do, or "refuse", as
    the paper does. Logarithms are natural.
    """

    column: str
    delta: Fraction
    absent: str = "skip"
    kind: ClassVar[str] = "delta-disclosure"

    def __init__(self, column: str, delta: Number, absent: str = "skip") -> None:
        if absent not in ("skip", "refuse"):
            raise BadAmount(f"unknown rule for absent values: {absent!r}.", "Use skip or refuse.")
        _store(self, column=column, delta=positive(delta, "delta"), absent=absent)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"Among records an outsider cannot tell apart, each value of {self.column!r} is at most "
            f"{_times(self.delta)} times as frequent, or as rare, as in the whole table."
        )


@dataclass(frozen=True)
class AlphaK(Promise):
    """k-anonymity where no sensitive value has more than a share alpha of a group (Wong et al. 2006)."""

    column: str
    alpha: Fraction
    k: int
    kind: ClassVar[str] = "alpha-k-anonymity"

    def __init__(self, column: str, alpha: Number, k: int) -> None:
        _store(self, column=column, alpha=_share(alpha, "alpha"), k=whole(k, "k", at_least=2))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"Each record looks the same as at least {self.k - 1} others, and no value of {self.column!r} is held by "
            f"more than a share of {readable(self.alpha)} of them."
        )


@dataclass(frozen=True)
class RiskThreshold(Promise):
    """Bounds on the chance of linking a record to its person: of any record, on average, or both."""

    highest: Fraction | None = None
    average: Fraction | None = None
    kind: ClassVar[str] = "risk-threshold"

    def __post_init__(self) -> None:
        if self.highest is None and self.average is None:
            raise BadAmount(
                "a threshold for the risk is missing.", "Write highest=0.2, average=0.05, or both."
            )
        for name in ("highest", "average"):
            if getattr(self, name) is not None:
                _store(self, **{name: _share(getattr(self, name), name)})

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        bounds = [("for any record", self.highest), ("on average", self.average)]
        said = " and ".join(f"{readable(bound)} {where}" for where, bound in bounds if bound is not None)
        return f"Someone who looks for a person in the table picks the right record with a chance of at most {said}."


@dataclass(frozen=True)
class PopulationUniqueness(Promise):
    """At most this share of rows is estimated to be unique in the population the table was drawn from.

    `model` is "dankar" (the rule of Dankar et al. 2012), "pitman", "zayatz" or "snb".
    """

    share: Fraction
    sampling_fraction: Fraction
    model: str = "dankar"
    kind: ClassVar[str] = "population-uniqueness"

    def __init__(self, share: Number, sampling_fraction: Number, model: str = "dankar") -> None:
        if model not in ("dankar", "pitman", "zayatz", "snb"):
            raise BadAmount(
                f"unknown model of the population: {model!r}.", "Use dankar, pitman, zayatz or snb."
            )
        low = exact(share, "share")
        if not 0 <= low < 1:
            raise BadAmount("the share of unique rows must be at least 0 and below 1.", "Write 0.01 for 1 %.")
        fraction = _share(sampling_fraction, "sampling_fraction")
        _store(self, share=low, sampling_fraction=fraction, model=model)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"By estimate, at most a share of {readable(self.share)} of the records belongs to people who are alone "
            f"in the population with their values (sampling fraction {readable(self.sampling_fraction)})."
        )


def _share(value: Number, name: str) -> Fraction:
    return positive(value, name, at_most=Fraction(1))


@dataclass(frozen=True)
class PacPrivacy(Promise):
    """A bound on mutual information between output and secret subset (Xiao and Devadas 2023).

    It speaks of membership in a random half of a *known* universe, not of presence in the universe.
    """

    mutual_information: Fraction
    kind: ClassVar[str] = "pac-privacy"
    additive: ClassVar[dict[str, Fraction]] = {"mutual_information": LOSS_UNIT}

    def __init__(self, mutual_information: Number) -> None:
        _store(self, mutual_information=loss(mutual_information, "mutual_information"))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"The output carries at most {readable(self.mutual_information)} nats about which half of the known "
            f"universe was used: guessing one record's membership succeeds at most {self.posterior():.1%} of the "
            "time, where blind guessing succeeds half of the time."
        )

    def posterior(self) -> float:
        """The best success rate at guessing one record's membership, from a prior of one half (Theorem 1)."""
        bound, low, high = float(self.mutual_information), 0.5, 1.0
        if bound >= math.log(2):
            return 1.0
        for _ in range(60):
            middle = (low + high) / 2
            gain = (
                middle * math.log(2 * middle) + (1 - middle) * math.log(2 * (1 - middle))
                if middle < 1
                else math.log(2)
            )
            low, high = (middle, high) if gain <= bound else (low, middle)
        return high


@dataclass(frozen=True)
class AllOf(Promise):
    """Several promises that all hold. Made with `&`; order and repetition do not matter."""

    promises: tuple[Promise, ...]
    kind: ClassVar[str] = "all-of"

    @classmethod
    def of(cls, promises: Sequence[Promise]) -> Promise:
        """The joint promise: a single one stays as it is."""
        unique = {repr(promise): promise for promise in promises}
        ordered = tuple(unique[name] for name in sorted(unique))
        return ordered[0] if len(ordered) == 1 else cls(ordered)

    def __iter__(self) -> Iterator[Promise]:
        return iter(self.promises)

    def sentence(self) -> str:
        """The promises, one sentence each."""
        return " ".join(promise.sentence() for promise in self.promises)

    def to_json(self) -> dict[str, Any]:
        """A stable record of all of them."""
        return {
            "schema": SCHEMA,
            "promise": self.kind,
            "promises": [promise.to_json() for promise in self.promises],
        }
