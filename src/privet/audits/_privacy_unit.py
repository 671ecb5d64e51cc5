"""Whose rows they are, and how that is known: stated by a person, proposed by the data, or assumed for want of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.audits.columns import unit_of
from privet.engine import did_you_mean, key_name, key_parts
from privet.errors import BadAudit
from privet.guarantee import Person

if TYPE_CHECKING:
    from privet.audits._person_key import PersonKey, PersonKeys
    from privet.engine import ColumnKind
    from privet.source import Table

EVERY_ROW = "row"
_NOUNS = {
    "person": ("person", "people"),
    "household": ("household", "households"),
    "group": ("group", "groups"),
    "row": ("row", "rows"),
}


@dataclass(frozen=True)
class WhoseRows:
    """The columns that identify a unit, none where each row counts as one; how that is known; and what a unit is.

    Every figure is about this unit. `kind` is "person" only where somebody has said so or the data speak for it, and
    "row" where neither is the case.
    """

    columns: tuple[str, ...]
    origin: str  # "stated", "proposed" or "assumed"
    why: str
    kind: str = "person"

    @property
    def column(self) -> str | None:
        """The column, if it is one."""
        return self.columns[0] if len(self.columns) == 1 else None

    @property
    def option(self) -> str:
        """What `--unit` and `Person(…)` call it: a column, several with commas between them, or row."""
        return key_name(self.columns) if self.columns else EVERY_ROW

    @property
    def one(self) -> str:
        """What a unit is called: person, household, group or row."""
        return _NOUNS[self.kind][0]

    @property
    def many(self) -> str:
        """What several are called."""
        return _NOUNS[self.kind][1]

    def number(self, number: int) -> str:
        """A number of them."""
        return f"{number:,} {self.one if number == 1 else self.many}"

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "column": self.column,
            "columns": list(self.columns),
            "kind": self.kind,
            "origin": self.origin,
            "why": self.why,
        }


def whose_rows(table: Table, keys: PersonKeys, unit: str | Sequence[str] | None = None) -> WhoseRows:
    """Whose rows they are: as said now, as stated when the table was opened, else as the data propose.

    Args:
        table: The table.
        keys: The candidates, by `privet.audits._person_key.person_keys`.
        unit: A column, several ("a,b" or a sequence), or "row" for one person in each row; None if nobody has said.
    """
    if unit is not None and unit != EVERY_ROW:
        columns = key_parts(unit, table.columns) if isinstance(unit, str) else tuple(unit)
        return _stated(columns, table.columns, "as stated")
    if unit == EVERY_ROW:
        return WhoseRows((), "stated", "each row is one person, as stated")
    if isinstance(table.unit, Person):
        return _stated((table.unit.column,), table.columns, "as stated when the table was opened")
    if table.unit is not None:
        return WhoseRows((), "stated", "each row is one person, as stated when the table was opened")
    return _proposed(keys)


def _stated(columns: tuple[str, ...], known: Mapping[str, ColumnKind], how: str) -> WhoseRows:
    if not columns:
        raise BadAudit(
            "unit names no column.", 'Name the column that identifies a person, or write unit="row".'
        )
    for name in columns:
        if name not in known:
            raise BadAudit(f"unit: there is no column {name!r}.", did_you_mean(name, known))
    named = unit_of(
        key_parts(columns[-1], ())[-1]
    )  # of a key of several columns, what is numbered comes last
    kind = named.kind if named is not None and named.kind in ("household", "group") else "person"
    whose = WhoseRows(columns, "stated", "", kind)
    return WhoseRows(columns, "stated", f"rows of one {_listed(columns)} are one {whose.one}'s, {how}", kind)


def _proposed(keys: PersonKeys) -> WhoseRows:
    best = keys.proposed
    if best is not None:
        why = f"proposed, for somebody to confirm: rows of one {_listed(best.columns)} look like one {best.kind}'s"
        return WhoseRows(best.columns, "proposed", why, best.kind)
    return WhoseRows((), "assumed", f"{_open_question(keys)}, so rows are counted, not people", "row")


def _open_question(keys: PersonKeys) -> str:
    asked: PersonKey | None = next(iter(keys.repeated), None)
    if asked is not None:
        return f"nobody has said whose rows they are, and {asked.name} may say it"
    if keys.unkeyed is not None:
        return "nobody has said whose rows they are, and rows seem to come in blocks"
    alone = next((key for key in keys.candidates if key.one_row_each), None)
    if alone is not None:
        return f"nobody has said whose rows they are, and {alone.name} hardly repeats"
    return "nobody has said whose rows they are, and no column was found that says it"


def _listed(columns: Sequence[str]) -> str:
    return columns[0] if len(columns) == 1 else f"({', '.join(columns)})"
