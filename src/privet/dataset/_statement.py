"""What somebody says about a table on the way in, where no declaration says it: whose rows, which caps, bounds and keys.

A declared data set has said all of this; saying it again differently is a contradiction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from privet.errors import BadUsage, Contradicted, UnitNotStated

if TYPE_CHECKING:
    from privet.dataset._data_set import DataSet
    from privet.guarantee import Unit

ASK_UNIT = "Add --unit patient_id --max-rows 20, or --unit row if each row is a person."


@dataclass(frozen=True)
class Statement:
    """As written: `max_rows` 20 or visits=20, `bounds` days=0:60, `keys` ward=ICU,Surgery, `tables` and `public` name=FILE."""

    unit: str | None = None
    max_rows: Sequence[str] | None = None
    max_groups: Sequence[str] | None = None
    bounds: Sequence[str] | None = None
    keys: Sequence[str] | None = None
    tables: Sequence[str] | None = None
    public: Sequence[str] | None = None
    delimiter: str | None = None

    def refuse_beside(self, data: DataSet) -> None:
        """Of a declared data set only public tables may be added."""
        said = [one.name for one in fields(self) if one.name != "public" and getattr(self, one.name)]
        if data.declaration is None or not said:
            return
        options = ", ".join(
            f"--{name.replace('_', '-').removesuffix('s') if name == 'tables' else name.replace('_', '-')}"
            for name in said
        )
        raise Contradicted(
            f"{data.stated_in.name if data.stated_in else 'the declaration'} says this about the data set: {options}.",
            "Leave the option out, or change the declaration; nothing was read or spent.",
        )


@dataclass(frozen=True)
class Caps:
    """Rows and groups that one person may count with: for every table, and for single ones by name."""

    unit: str
    rows: dict[str, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, unit: str | None, rows: Sequence[str] | None, groups: Sequence[str] | None) -> Caps:
        """As the options say."""
        if unit is None:
            raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
        found = cls(unit, _numbers(rows, "--max-rows"), _numbers(groups, "--max-groups"))
        if unit == "row" and (found.rows or found.groups):
            raise BadUsage(
                "caps per person go with a person column, not with --unit row.",
                "Name the column: --unit patient_id.",
            )
        if unit != "row" and not found.rows:
            raise BadUsage(
                "a person's contribution must be capped, or one person could move the answer without limit.",
                "Add --max-rows 20 (rows per person that may count), and --max-groups for grouped questions.",
            )
        return found

    def unit_of(self, table: str) -> Unit:
        """The unit of one table."""
        from privet.guarantee import Person, Row

        if self.unit == "row":
            return Row()
        rows = self.rows.get(table, self.rows.get(""))
        if rows is None:
            raise BadUsage(
                f"nothing caps the rows of one person in {table!r}.",
                f"Add --max-rows {table}=20, or --max-rows 20 for all tables.",
            )
        return Person(self.unit, max_rows=rows, max_groups=self.groups.get(table, self.groups.get("")))


def _numbers(given: Sequence[str] | None, option: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in given or []:
        table, sign, number = text.rpartition("=")
        if not number.strip().isdecimal() or (sign and not table):
            raise BadUsage(f"{option} takes a whole number.", f"Write {option} 20, or {option} visits=20.")
        if table in found:
            raise BadUsage(f"{option} is given twice.", "Give it once, or once for each table.")
        found[table] = int(number)
    return found


def pairs(given: Sequence[str] | None, option: str, example: str) -> list[tuple[str, str]]:
    """Options of the form name=value."""
    found: list[tuple[str, str]] = []
    for text in given or []:
        column, sign, rest = text.partition("=")
        if not (column and sign and rest):
            raise BadUsage(f"{option} could not be read.", f"Write {option} {example}.")
        if column in dict(found):
            raise BadUsage(f"{option} names {column!r} twice.", "Name each one once.")
        found.append((column, rest))
    return found


def ends(text: str) -> tuple[str, str]:
    """The two ends of a range: 0:60, or 2026-01-01:2026-12-31."""
    low, sign, high = text.partition(":")
    if not (low and sign and high):
        raise BadUsage("--bounds could not be read.", "Write --bounds days=0:60.")
    return low, high
