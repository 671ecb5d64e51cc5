"""What becomes of each column of a table: modelled in a public domain, bought with budget, a surrogate, or left out.

Nothing here looks at a row. What the table or a schema states is taken with its origin; what was read off the data and
confirmed by nobody is refused; what nobody states has to be paid for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from privet.engine import ColumnKind, did_you_mean
from privet.errors import BadSynthesis, NotPublic
from privet.guarantee import Person
from privet.protect.synthesize._column_domain import (
    ColumnDomain,
    date_domain,
    day_number,
    number_domain,
)
from privet.source import Origin, Role, Table

_NUMBERS = (ColumnKind.INTEGER, ColumnKind.REAL)
_TIMES = (ColumnKind.DATE, ColumnKind.TIMESTAMP)


class KnownFacts(Protocol):
    """One column of a schema, as `privet schema` drafts it."""

    @property
    def kind(self) -> str:
        """number, date, category or ignore."""

    @property
    def lower(self) -> Any:
        """The lower bound, of a date in days since 1970."""

    @property
    def upper(self) -> Any:
        """The upper bound."""

    @property
    def values(self) -> tuple[str, ...]:
        """The values of a category, as text."""

    @property
    def origin(self) -> Origin:
        """Where it comes from."""

    @property
    def why(self) -> str:
        """The reason that was given."""


class KnownSchema(Protocol):
    """A schema: columns that it does not name are not used."""

    @property
    def columns(self) -> Mapping[str, Any]:
        """Facts by column."""


@dataclass(frozen=True)
class TableDomain:
    """The columns of a twin, in the table's order: modelled ones, those to be bought, surrogates, and those left out."""

    known: Mapping[str, ColumnDomain]
    unknown: Mapping[str, ColumnKind]
    surrogates: Mapping[str, ColumnKind]
    left_out: tuple[str, ...]
    order: tuple[str, ...]

    def describe(self) -> list[str]:
        """All that the answer depends on, as lines."""
        return [
            *(one.describe() for one in self.known.values()),
            *(f"{name!r} bought {kind.value}" for name, kind in self.unknown.items()),
        ]


def table_domain(
    table: Table,
    *,
    columns: Sequence[str] | None = None,
    schema: KnownSchema | None = None,
    bins: Mapping[str, int | Sequence[float]] | None = None,
    may_be_bare: bool = False,
) -> TableDomain:
    """Sort the columns; every fault is named at once, before anything is booked.

    One that `may_be_bare` needs no column but identifiers: that it has rows says something of whoever has them.
    """
    kinds, asked = table.columns, dict(bins or {})
    faults = [
        f"there is no column {name!r}. {did_you_mean(name, kinds)}"
        for name in [*(columns or ()), *asked]
        if name not in kinds
    ]
    if faults:
        raise BadSynthesis(" ".join(faults), "Correct the names; nothing was read or spent.")
    unit = table.unit_or_refuse()
    own = unit.column if isinstance(unit, Person) else None
    wanted = [name for name in kinds if columns is None or name in columns or name == own]
    known: dict[str, ColumnDomain] = {}
    unknown: dict[str, ColumnKind] = {}
    surrogates: dict[str, ColumnKind] = {}
    left_out = [name for name in kinds if name not in wanted]
    for name in wanted:
        kind, role = kinds[name], table.roles.get(name)
        if name == own or role is Role.DIRECT:
            surrogates[name] = kind
        elif kind is ColumnKind.OTHER or role is Role.FREE_TEXT or _ignored(schema, name):
            left_out.append(name)
        elif (found := _stated(table, name, kind, schema, asked.get(name))) is not None:
            known[name] = found
        else:
            unknown[name] = kind
    if not known and not unknown and not may_be_bare:
        raise BadSynthesis("no column is left to make a twin of.", "Name columns that hold no identifiers.")
    return TableDomain(known, unknown, surrogates, tuple(left_out), tuple(wanted))


def _ignored(schema: KnownSchema | None, name: str) -> bool:
    return schema is not None and (name not in schema.columns or schema.columns[name].kind == "ignore")


def _stated(
    table: Table,
    name: str,
    kind: ColumnKind,
    schema: KnownSchema | None,
    bins: int | Sequence[float] | None,
) -> ColumnDomain | None:
    """What is publicly known of a column, or None."""
    if bins is not None and not isinstance(bins, int):
        if kind not in _NUMBERS:
            raise BadSynthesis(f"column {name!r} holds no numbers: it has no edges.", "Leave its bins out.")
        return ColumnDomain(name, "number", kind, edges=tuple(float(edge) for edge in bins))
    if schema is not None:
        return _by_schema(name, kind, schema.columns[name], bins)
    if (name,) in table.keys:
        keys = table.keys[name,]
        _public(name, keys.origin)
        values = tuple(value for (value,) in keys.values if value is not None)
        return ColumnDomain(name, "category", kind, values=values, origin=_words(keys.origin, keys.why))
    if name in table.bounds and kind in _NUMBERS:
        bounds = table.bounds[name]
        _public(name, bounds.origin)
        return number_domain(
            name,
            kind,
            float(bounds.lower),
            float(bounds.upper),
            bins=bins,
            origin=_words(bounds.origin, bounds.why),
        )
    if name in table.spans and kind in _TIMES:
        span = table.spans[name]
        _public(name, span.origin)
        return date_domain(
            name,
            kind,
            day_number(span.first),
            day_number(span.last),
            bins=bins,
            origin=_words(span.origin, span.why),
        )
    if kind is ColumnKind.BOOLEAN:
        return ColumnDomain(name, "category", kind, values=(False, True), origin="the column's type")
    return None


def _by_schema(name: str, kind: ColumnKind, facts: KnownFacts, bins: int | None) -> ColumnDomain:
    _public(name, facts.origin)
    origin = _words(facts.origin, facts.why)
    if facts.kind == "category":
        return ColumnDomain(
            name, "category", kind, values=tuple(_typed(value, kind) for value in facts.values), origin=origin
        )
    assert facts.lower is not None
    assert facts.upper is not None
    if facts.kind == "date":
        return date_domain(name, kind, facts.lower, facts.upper, bins=bins, origin=origin)
    return number_domain(name, kind, facts.lower, facts.upper, bins=bins, origin=origin)


def _typed(text: str, kind: ColumnKind) -> Any:
    """A value that a schema lists as text, as the column holds it."""
    from privet.source import KeySet

    return KeySet([text]).fitted([kind]).values[0][0]


def _public(name: str, origin: Origin) -> None:
    if origin is Origin.DATA:
        raise NotPublic(
            f"what is said of {name!r} was read off the data, and nobody has answered for it.",
            "Check it, then say why it may be public: confirmed(…), or a line `confirmed: …` in a schema file.",
        )


def _words(origin: Origin, why: str) -> str:
    return f"{origin.value}: {why}" if why else origin.value
