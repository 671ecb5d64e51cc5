"""What is asked of a table before it is anonymized: which column is what, checked against the promise, all faults at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from privet.disclosure import SEMANTICS, Missing
from privet.engine import ColumnKind, did_you_mean, number_of_rows, present, repeated
from privet.errors import BadAmount, BadAnonymization, SeveralRowsPerPerson
from privet.guarantee import (
    DeltaPresence,
    KAnonymity,
    LDiversity,
    Number,
    Person,
    Promise,
    RiskThreshold,
    exact,
    parts,
)
from privet.source import Role, Table

# Promises that a table of rows can keep by being generalized, by their kinds.
SYNTACTIC = frozenset(
    {
        "k-anonymity", "k-map", "l-diversity", "t-closeness", "delta-presence", "beta-likeness", "delta-disclosure",
        "alpha-k-anonymity", "risk-threshold", "population-uniqueness",
    }
)  # fmt: skip


@dataclass(frozen=True)
class AnonymizeRequest:
    """Which columns are generalized, which are published as they are, and which are not."""

    table: Table
    promise: Promise
    max_suppressed: Fraction
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    kept: tuple[str, ...]
    removed: tuple[str, ...]  # direct identifiers, and the column that says whose row it is
    unspoken: tuple[str, ...]  # columns without a role: not published either
    counted: tuple[str, ...] = ()  # published as they are, and looked at for a figure
    missing: Missing = "own value"  # what a gap in a quasi-identifier means
    persons: str | None = None  # the column that says whose row it is, where people have several

    @property
    def published(self) -> list[str]:
        """The columns of the file, in the table's order."""
        chosen = {*self.quasi, *self.sensitive, *self.kept, *self.counted}
        return [name for name in self.table.columns if name in chosen]


def request(
    table: Table, promise: Promise, max_suppressed: Number, missing: Missing = "own value"
) -> AnonymizeRequest:
    """Check what is asked; refuse before anything is read."""
    faults: list[str] = []
    limit = _limit(max_suppressed, faults)
    if missing not in SEMANTICS:
        faults.append(f"missing is one of: {', '.join(SEMANTICS)}.")
    named = _named(promise, limit, faults)
    person = table.unit.column if isinstance(table.unit, Person) else None
    quasi = tuple(name for name in table.with_role(Role.QUASI) if name != person)
    if not quasi:
        faults.append("no column is called a quasi-identifier.")
    faults += [
        f"quasi-identifier {name!r} holds values that cannot be compared."
        for name in quasi
        if table.columns[name] is ColumnKind.OTHER
    ]
    sensitive = dict.fromkeys(table.with_role(Role.SENSITIVE))
    for name in named:
        role = table.roles.get(name)
        if name not in table.columns:
            faults.append(f"the promise names {name!r}. {did_you_mean(name, table.columns)}")
        elif role not in (None, Role.SENSITIVE) or name == person:
            said = role.value if role else "the privacy unit"
            faults.append(f"the promise calls {name!r} sensitive, and the table calls it {said}.")
        else:
            sensitive[name] = None
    if faults:
        raise BadAnonymization(
            " ".join(faults), "State the roles of the columns; nothing was read.", faults=faults
        )
    kept = [name for name in table.with_role(Role.INSENSITIVE) if name != person]
    removed = [name for name in table.columns if name == person or table.roles.get(name) is Role.DIRECT]
    spoken = {*quasi, *sensitive, *kept, *removed}
    return AnonymizeRequest(
        table,
        promise,
        limit,
        quasi,
        tuple(name for name in table.columns if name in sensitive),
        tuple(kept),
        tuple(removed),
        tuple(name for name in table.columns if name not in spoken),
        missing=missing,
    )


def with_target(asked: AnonymizeRequest, target: str | None) -> AnonymizeRequest:
    """The request with a column to be predicted among those that are counted; it must be published."""
    if target is None:
        return asked
    if target not in asked.published:
        raise BadAnonymization(
            f"column {target!r} is not published, so no model can be trained to predict it.",
            "Name a sensitive, kept or quasi-identifying column.",
        )
    if asked.quasi == (target,):
        raise BadAnonymization(
            f"column {target!r} is the only quasi-identifier, so there is nothing to predict it from.",
            "Name another column to predict.",
        )
    if target not in asked.kept:
        return asked
    return replace(asked, kept=tuple(name for name in asked.kept if name != target), counted=(target,))


def with_persons(asked: AnonymizeRequest) -> AnonymizeRequest:
    """The request with the column by which people are counted, where some have several rows.

    Rows that look alike may then be one person's. k-anonymity, a highest risk and distinct values can be promised
    about people; what depends on shares of rows cannot, and is refused.
    """
    table = asked.table
    if not isinstance(table.unit, Person):
        return asked
    column = table.unit.column
    often = repeated(table.relation, column)
    if not often:
        return asked
    unfit = [type(part).__name__ for part in parts(asked.promise) if not of_people(part)]
    if asked.missing == "wildcard":
        unfit.append("missing values as wildcards")
    if unfit or present(table.relation, [column]) < number_of_rows(table.relation):
        why = f"{', '.join(unfit)} cannot be said of them" if unfit else "some rows are nobody's"
        raise SeveralRowsPerPerson(
            f"{often:,} people have several rows, so that rows which look alike may be one person's, and {why}.",
            "Promise k-anonymity, a highest risk or distinct l-diversity; or make one row of each person first; or "
            "open the table with unit=Row().",
            people=often,
        )
    return replace(asked, persons=column)


def of_people(part: Promise) -> bool:
    """Whether a promise can be kept by counting the people of each class instead of its rows."""
    if isinstance(part, RiskThreshold):
        return part.average is None
    return isinstance(part, KAnonymity) or (isinstance(part, LDiversity) and part.variant == "distinct")


def _limit(given: Number, faults: list[str]) -> Fraction:
    try:
        limit = exact(given, "max_suppressed")
    except BadAmount as fault:
        faults.append(fault.fact)
        return Fraction(0)
    if not 0 <= limit <= 1:
        faults.append("max_suppressed is a share of the rows between 0 and 1.")
    return limit


def _named(promise: object, limit: Fraction, faults: list[str]) -> Iterable[str]:
    """The sensitive columns that a promise speaks of."""
    if not isinstance(promise, Promise):
        faults.append("a promise is needed, such as KAnonymity(5).")
        return []
    columns = [getattr(part, "column", None) for part in parts(promise)]
    if limit > 0 and any(isinstance(part, DeltaPresence) and part.minimum > 0 for part in parts(promise)):
        faults.append(
            "people whose rows are left out are known not to be in the table: a lowest presence above 0 needs max_suppressed=0."
        )
    faults += [
        f"{type(part).__name__} cannot be kept by generalizing a table."
        for part in parts(promise)
        if part.kind not in SYNTACTIC
    ]
    return dict.fromkeys(name for name in columns if isinstance(name, str))
