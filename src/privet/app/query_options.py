"""What the options of `privet query` mean: a promise, a unit, bounds, keys and a ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP
    from privet.guarantee.units import Unit


@dataclass(frozen=True)
class Caps:
    """Rows and groups that one person may count with: for every table, and for single ones by name."""

    unit: str | None
    rows: dict[str, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, unit: str | None, rows: list[str] | None, groups: list[str] | None) -> Caps:
        """As the options say."""
        if unit is None:
            raise BadUsage(
                "say whose presence is hidden.",
                "Add --unit patient_id --max-rows 20, or --unit row if each row is a person.",
            )
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
        from privet.guarantee.units import Person, Row

        if self.unit == "row" or self.unit is None:
            return Row()
        rows = self.rows.get(table, self.rows.get(""))
        if rows is None:
            raise BadUsage(
                f"nothing caps the rows of one person in {table!r}.",
                f"Add --max-rows {table}=20, or --max-rows 20 for all tables.",
            )
        return Person(self.unit, max_rows=rows, max_groups=self.groups.get(table, self.groups.get("")))


def _numbers(given: list[str] | None, option: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in given or []:
        table, sign, number = text.rpartition("=")
        if not number.strip().isdecimal() or (sign and not table):
            raise BadUsage(f"{option} takes a whole number.", f"Write {option} 20, or {option} visits=20.")
        if table in found:
            raise BadUsage(f"{option} is given twice.", "Give it once, or once for each table.")
        found[table] = int(number)
    return found


def promised(
    epsilon: str | None, delta: str | None, rho: str | None
) -> PureDP | ApproxDP | ZeroConcentratedDP:
    """The promise of an answer."""
    from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP

    if rho is not None:
        if epsilon or delta:
            raise BadUsage(
                "--rho is a promise of its own.", "Give either --rho, or --epsilon with or without --delta."
            )
        return ZeroConcentratedDP(rho)
    if epsilon is None:
        raise BadUsage(
            "an answer needs a promise.", "Add --epsilon 0.5 (and --delta 1e-7 if groups are not public)."
        )
    return ApproxDP(epsilon, delta) if delta is not None else PureDP(epsilon)


def pairs(given: list[str] | None, option: str, example: str) -> list[tuple[str, str]]:
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


def file_of(data: str) -> Path:
    """The file of the data, without the table named after `#`."""
    from privet.engine.opening import split_file

    return split_file(data)[0]


def ledger_place(data: str, where: str | None) -> str:
    """Where answers about the data are booked.

    One ledger for a database file, however its table is spelled: another one would be another budget.
    """
    if where is None and "://" in data:
        raise BadUsage(
            "a question to a database needs a ledger.", "Add --ledger FILE or --ledger postgresql://…."
        )
    return where or f"{file_of(data)}.ledger"


def is_new(data: str, where: str | None) -> bool:
    """Whether a ledger would be made: whatever is refused before that leaves none behind."""
    place = ledger_place(data, where)
    return "://" not in place and not Path(place).exists()


def opened_ledger(data: str, where: str | None, budget: str | None, *, create: bool) -> Any:
    """The ledger to book in; None for an explanation where there is none yet."""
    from privet.app.limits import read_budget
    from privet.ledger import Ledger

    if not create and where is None and "://" in data:
        return None
    place = ledger_place(data, where)
    exists = "://" in place or Path(place).exists()
    if not create:
        return Ledger(place) if exists else None
    if exists and budget is None:
        return Ledger(place)
    if budget is None:
        raise BadUsage(
            f"there is no ledger at {place} yet, and every answer must be booked.",
            "Open one with `privet ledger open`, or add --budget 3 (or 3,1e-7, or rho=2) to open it here.",
        )
    return Ledger(place, limit=read_budget(budget))


def check_outputs(data: str, out: Path | None, card: Path | None) -> None:
    """Refuse impossible outputs before anything is spent."""
    if out and out.suffix not in (".json", ".parquet"):
        raise BadUsage(
            f"an answer cannot be saved as {out.name}.", "Use a name that ends in .json or .parquet."
        )
    if card and card.suffix not in (".html", ".htm"):
        raise BadUsage(f"a card cannot be saved as {card.name}.", "Use a name that ends in .html.")
    for path in (out, card):
        if path and not path.resolve().parent.is_dir():
            raise BadUsage(
                f"the folder of {path.name} does not exist.", "Create it first; nothing was spent."
            )
        if path and path.is_dir():
            raise BadUsage(f"{path.name} is a folder.", "Name a file; nothing was spent.")
        if path and "://" not in data and path.resolve() == file_of(data).resolve():
            raise BadUsage("the answer would be written over the data.", "Give it another name.")
