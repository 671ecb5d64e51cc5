"""Promises about the form of a published table: how alike its records are, and how mixed what they hide."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import BadAmount, is_one_of
from privet.guarantee._privacy_units import Person, Unit
from privet.guarantee._promise import Promise, store, times
from privet.guarantee.exact_amounts import Number, exact, positive, readable, whole


@dataclass(frozen=True)
class KAnonymity(Promise):
    """Every record shares its quasi-identifiers with at least k-1 others (Samarati and Sweeney 1998)."""

    k: int
    kind: ClassVar[str] = "k-anonymity"

    def __post_init__(self) -> None:
        store(self, k=whole(self.k, "k", at_least=2))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return self.sentence_about(None)

    def sentence_about(self, unit: Unit | None) -> str:
        """The promise in one plain sentence; where people are the unit, classes are counted in people."""
        of = "people" if isinstance(unit, Person) else "records"
        return (
            f"Each record looks the same as {_others(self.k - 1, unit)} in the columns an outsider could know, so "
            f"linking by these columns alone points at no fewer than {self.k} {of}."
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

    def __init__(
        self,
        column: str,
        l: int,  # noqa: E741  the literature's name
        variant: str = "distinct",
        c: Number | None = None,
    ) -> None:
        if not is_one_of(variant, ("distinct", "entropy", "recursive")):
            raise BadAmount("unknown variant of l-diversity.", "Use distinct, entropy or recursive.")
        if (c is None) == (variant == "recursive"):
            raise BadAmount(
                "the constant c goes with recursive l-diversity, and only there.",
                'Write variant="recursive", c=3.',
            )
        constant = None if c is None else positive(c, "c")
        store(self, column=_column(column), l=whole(l, "l", at_least=2), variant=variant, c=constant)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        how = {
            "distinct": "different",
            "entropy": "evenly spread (entropy)",
            "recursive": "well-spread (recursive)",
        }
        return (
            f"Among the records an outsider cannot tell apart there are at least {self.l} {how[self.variant]} values "
            f"of {self.column!r}, so finding the group does not by itself make the value certain."
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
        if not is_one_of(distance, ("equal", "ordered", "hierarchical")):
            raise BadAmount("unknown distance.", "Use equal, ordered or hierarchical.")
        store(self, column=_column(column), t=threshold, distance=distance)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"Among records an outsider cannot tell apart, the values of {self.column!r} are spread as in the whole "
            f"table, up to a distance of {readable(self.t)}."
        )


@dataclass(frozen=True)
class SafeHarbor(Promise):
    """Stated identifiers of 45 CFR 164.514(b)(2)(i) are gone (HIPAA Safe Harbor): a rule about columns, not a measure.

    `zip_year` is the census behind the list of sparsely populated ZIP areas.
    """

    zip_year: int
    kind: ClassVar[str] = "hipaa-safe-harbor"

    def __post_init__(self) -> None:
        store(self, zip_year=whole(self.zip_year, "zip_year", at_least=1990))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            "Columns that were stated to be identifiers by HIPAA's Safe Harbor are removed; of those stated to be ZIP codes, "
            f"dates and ages three digits (areas by the census of {self.zip_year}), the year, and ages up to 89 are left. "
            "Every other column was stated to hold none of the 18 kinds; the rule sets no bound on what they give away."
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

    def __init__(
        self,
        k: int,
        estimate: str = "exact",
        sampling_fraction: Number | None = None,
        significance: Number | None = None,
    ) -> None:
        if not is_one_of(estimate, ("exact", "poisson", "zero-truncated-poisson")):
            raise BadAmount(
                "unknown estimate of the population.", "Use exact, poisson or zero-truncated-poisson."
            )
        given = (sampling_fraction is not None, significance is not None)
        if given != ((False, False) if estimate == "exact" else (True, True)):
            raise BadAmount(
                "a sampling fraction and a significance go with an estimate, and only there.",
                'Write KMap(5, "poisson", sampling_fraction=0.01, significance=0.05).',
            )
        store(
            self,
            k=whole(k, "k", at_least=2),
            estimate=estimate,
            sampling_fraction=_share_if(sampling_fraction, "sampling_fraction"),
            significance=_share_if(significance, "significance"),
        )

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        how = "" if self.estimate == "exact" else ", as estimated from the size of the sample"
        return (
            f"Each record fits at least {self.k} people of the population it was drawn from{how}, so a register of that "
            "population alone does not tell whose it is."
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
        store(self, minimum=low, maximum=high)

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
        if not is_one_of(variant, ("basic", "enhanced")):
            raise BadAmount("unknown variant of beta-likeness.", "Use basic or enhanced.")
        store(self, column=_column(column), beta=positive(beta, "beta"), variant=variant)

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
        if not is_one_of(absent, ("skip", "refuse")):
            raise BadAmount("unknown rule for absent values.", "Use skip or refuse.")
        store(self, column=_column(column), delta=positive(delta, "delta"), absent=absent)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"Among records an outsider cannot tell apart, each value of {self.column!r} is at most "
            f"{times(self.delta)} times as frequent, or as rare, as in the whole table."
        )


@dataclass(frozen=True)
class AlphaK(Promise):
    """k-anonymity where no sensitive value has more than a share alpha of a group (Wong et al. 2006)."""

    column: str
    alpha: Fraction
    k: int
    kind: ClassVar[str] = "alpha-k-anonymity"

    def __init__(self, column: str, alpha: Number, k: int) -> None:
        store(self, column=_column(column), alpha=_share(alpha, "alpha"), k=whole(k, "k", at_least=2))

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return self.sentence_about(None)

    def sentence_about(self, unit: Unit | None) -> str:
        """The promise in one plain sentence; where people are the unit, classes are counted in people."""
        return (
            f"Each record looks the same as {_others(self.k - 1, unit)}, and no value of {self.column!r} is held by "
            f"more than a share of {readable(self.alpha)} of them."
        )


@dataclass(frozen=True)
class RiskThreshold(Promise):
    """Bounds on the chance of linking a record to its person: of any record, on average, or both."""

    highest: Fraction | None = None
    average: Fraction | None = None
    kind: ClassVar[str] = "risk-threshold"

    def __init__(self, highest: Number | None = None, average: Number | None = None) -> None:
        if highest is None and average is None:
            raise BadAmount(
                "a threshold for the risk is missing.", "Write highest=0.2, average=0.05, or both."
            )
        store(self, highest=_share_if(highest, "highest"), average=_share_if(average, "average"))

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
        if not is_one_of(model, ("dankar", "pitman", "zayatz", "snb")):
            raise BadAmount("unknown model of the population.", "Use dankar, pitman, zayatz or snb.")
        low = exact(share, "share")
        if not 0 <= low < 1:
            raise BadAmount("the share of unique rows must be at least 0 and below 1.", "Write 0.01 for 1 %.")
        fraction = _share(sampling_fraction, "sampling_fraction")
        store(self, share=low, sampling_fraction=fraction, model=model)

    def sentence(self) -> str:
        """The promise in one plain sentence."""
        return (
            f"By estimate, at most a share of {readable(self.share)} of the records belongs to people who are alone "
            f"in the population with their values (sampling fraction {readable(self.sampling_fraction)})."
        )


def _others(number: int, unit: Unit | None) -> str:
    """Whom a record cannot be told from."""
    if isinstance(unit, Person):
        return f"records of at least {number} other {'person' if number == 1 else 'people'}"
    return f"at least {number} {'other' if number == 1 else 'others'}"


def _column(name: object) -> str:
    """The column that a promise is about."""
    if not isinstance(name, str) or not name:
        raise BadAmount("a promise about a column needs its name.", 'Write LDiversity("diagnosis", 3).')
    return name


def _share(value: Number, name: str) -> Fraction:
    return positive(value, name, at_most=Fraction(1))


def _share_if(value: Number | None, name: str) -> Fraction | None:
    return None if value is None else _share(value, name)
