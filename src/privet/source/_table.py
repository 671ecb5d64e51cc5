"""A table: where the rows are, whose they are, and what may be known about its columns beforehand."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from privet.artifact import Displayed
from privet.engine import ColumnKind, Relation, did_you_mean
from privet.errors import BadBounds, BadDeclaration, BadQuery, BadUnit, checked
from privet.guarantee import Person, Row, Unit
from privet.source._access_terms import AccessTerms
from privet.source._black_box import AppliedFunction, BlackBox, ReadyMade, applied
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Bounds
from privet.source._snapshot import Snapshot
from privet.source._table_query import Names, key_sets
from privet.source._table_views import Joinable
from privet.source._time_windows import Span

_TIMES = (ColumnKind.DATE, ColumnKind.TIMESTAMP)


class Role(enum.Enum):
    """What a column can do to a person."""

    DIRECT = "direct"  # names the person: name, number, address
    QUASI = "quasi"  # singles the person out together with others: date of birth, postal code, sex
    SENSITIVE = "sensitive"  # what an outsider must not learn: diagnosis, income
    INSENSITIVE = "insensitive"  # neither
    FREE_TEXT = "free text"  # sentences, which may hold anything


@dataclass(frozen=True, eq=False, repr=False)
class Table(Joinable, Displayed):
    """A lazy table with what is publicly known about it. Made by `open_table`; never changes.

    Columns without a stated role have none: what needs one asks for it.
    """

    relation: Relation
    name: str
    snapshot: Snapshot
    unit: Unit | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    keys: Mapping[Names, KeySet] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    terms: tuple[AccessTerms, ...] = ()  # on which its data set gave it out
    children: Mapping[str, Table] = field(default_factory=dict)  # other tables of the same persons, by name
    _drawn_as: ClassVar[str] = "table"

    @property
    def fingerprint(self) -> str:
        """The name of the snapshot, for receipts; an error if its file has been changed since it was opened."""
        return self.snapshot.name_or_refuse()

    @property
    def columns(self) -> dict[str, ColumnKind]:
        """The columns in order, with their kinds."""
        return self.relation.columns

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was done to the source so that it could be read."""
        return self.relation.remarks

    @checked
    def with_role(self, role: Role | str) -> list[str]:
        """The columns of a role, in the table's order."""
        words = [one.value for one in Role]
        if not isinstance(role, Role) and role not in words:
            raise BadDeclaration(f"there is no role {role!r}.", did_you_mean(role, words), faults=[])
        return [name for name in self.columns if self.roles.get(name) is Role(role)]

    @checked
    def apply(
        self,
        function: Callable[[Any], Any] | BlackBox | ReadyMade,
        columns: Sequence[str] | None = None,
        *,
        bounds: Mapping[str, Any] | None = None,
        keys: Mapping[str, KeySet | Iterable[Any]] | None = None,
        shape: tuple[int, ...] | None = None,
        clip: tuple[Any, Any] | None = None,
        rows: str | None = None,
        form: str | None = None,
        reference: Any = None,
        least_people: int | None = None,
    ) -> AppliedFunction:
        """Any function of the rows in these columns, to be released under `PacPrivacy`; nothing is computed.

        Ready-made ones are in `PacFunction`; `keys` state the public values of columns of texts for them.

        Without `columns`, all columns of numbers with public bounds and all truth values, in the table's order. `bounds` add to
        the table's own: every column of numbers needs some. See `BlackBox` for the others.
        """
        said = {
            "shape": shape,
            "clip": clip,
            "rows": rows,
            "form": form,
            "reference": reference,
            "least_people": least_people,
        }
        return applied(self, function, columns, bounds=bounds, keys=keys, said=said)

    def unit_or_refuse(self) -> Unit:
        """Whose presence is hidden; an error if the table does not say."""
        if self.unit is None:
            raise BadUnit(
                f"the table {self.name!r} does not say whose presence is to be hidden.",
                'Open it with unit=Person("patient_id", max_rows=20), or unit=Row() if everybody has one row.',
            )
        return self.unit

    def __repr__(self) -> str:
        """What is known about the table; never a row, nor how many there are."""
        lines = [f"Table {self.name!r} on {self.relation.engine}, hides {_hides(self.unit)}"]
        for name, kind in self.columns.items():
            facts = [kind.value]
            if name in self.roles:
                facts.append(self.roles[name].value)
            if name in self.bounds:
                facts.append(f"in {self.bounds[name]} ({self.bounds[name].origin_sentence()})")
            if name in self.spans:
                facts.append(f"{self.spans[name]} ({self.spans[name].origin_sentence()})")
            if (name,) in self.keys:
                keys = self.keys[name,]
                facts.append(f"{len(keys)} keys ({keys.origin_sentence()})")
            lines.append(f"  {name}: {', '.join(facts)}")
        lines += [f"  Remark: {one}" for one in self.remarks]
        return "\n".join(lines)


def _hides(unit: Unit | None) -> str:
    return unit.sentence() if unit else "nobody yet (no unit stated)"


@dataclass(frozen=True)
class Declarations:
    """What a caller says about a table, checked against its columns."""

    unit: Unit | None
    roles: dict[str, Role]
    bounds: dict[str, Bounds]
    keys: dict[Names, KeySet]
    spans: dict[str, Span]


def declared(
    columns: Mapping[str, ColumnKind],
    *,
    unit: Unit | None,
    roles: Mapping[str, Role | str] | None,
    bounds: Mapping[str, Any] | None,
    keys: Mapping[Any, Any] | None,
) -> Declarations:
    """Check everything that was said about a table; all faults are raised at once."""
    faults: list[str] = []
    good_keys: dict[Names, KeySet] = {}
    try:
        good_keys = key_sets(keys, columns)
    except BadQuery as error:
        faults += error.details["faults"]
    checked = Declarations(
        _unit(unit, columns, faults),
        _roles(roles, columns, faults),
        _bounds(bounds, columns, faults),
        good_keys,
        _spans(bounds, columns, faults),
    )
    if faults:
        raise BadDeclaration(
            " ".join(faults), "Correct what is said about the table; nothing was read.", faults=faults
        )
    return checked


def _unit(unit: Any, columns: Mapping[str, ColumnKind], faults: list[str]) -> Any:
    if unit is not None and not isinstance(unit, Person | Row):
        faults.append(f'unit: a {type(unit).__name__} is not a privacy unit. Write Person("patient_id").')
    elif isinstance(unit, Person) and unit.column not in columns:
        faults.append(f"unit: there is no column {unit.column!r}. {did_you_mean(unit.column, columns)}")
    elif isinstance(unit, Person) and (fault := unfit_person_column(unit.column, columns)) is not None:
        faults.append(f"unit: {fault}")
    return unit


def unfit_person_column(name: str, columns: Mapping[str, ColumnKind]) -> str | None:
    """Why a column cannot say whose rows they are, as a sentence; None where it can. Fractions are no names."""
    if columns[name] not in (ColumnKind.REAL, ColumnKind.OTHER):
        return None
    return f"column {name!r} holds {columns[name].value} values, which do not identify persons: whole numbers and texts do."


def _roles(
    roles: Mapping[str, Role | str] | None, columns: Mapping[str, ColumnKind], faults: list[str]
) -> dict[str, Role]:
    found = {}
    words = [role.value for role in Role]
    for name, role in (roles or {}).items():
        if name not in columns:
            faults.append(f"roles: there is no column {name!r}. {did_you_mean(str(name), columns)}")
        if isinstance(role, Role) or role in words:
            found[name] = Role(role)
        else:
            faults.append(f"roles: {name!r} is given the role {role!r}. {did_you_mean(str(role), words)}")
    return found


def _bounds(
    bounds: Mapping[str, Any] | None, columns: Mapping[str, ColumnKind], faults: list[str]
) -> dict[str, Bounds]:
    found = {}
    for name, pair in (bounds or {}).items():
        if name not in columns:
            faults.append(f"bounds: there is no column {name!r}. {did_you_mean(str(name), columns)}")
        elif columns[name] in _TIMES:
            continue
        elif not columns[name].is_number:
            faults.append(
                f"bounds: column {name!r} holds {columns[name].value} values; bounds are for numbers and dates."
            )
        try:
            found[name] = Bounds.of(pair)
        except BadBounds as fault:
            faults.append(f"bounds of {name!r}: {fault.fact}")
    return found


def _spans(
    bounds: Mapping[str, Any] | None, columns: Mapping[str, ColumnKind], faults: list[str]
) -> dict[str, Span]:
    """The bounds of dates and timestamps."""
    found = {}
    for name, pair in (bounds or {}).items():
        if columns.get(name) not in _TIMES:
            continue
        try:
            found[name] = Span.of(pair)
        except BadBounds as fault:
            faults.append(f"bounds of {name!r}: {fault.fact}")
    return found
