"""Rules that every synthetic row keeps: "discharged >= admitted", "age < 18". Kept by leaving out synthetic rows.

A rule compares a column with another or with a value. Rows in which one of them is missing keep it. Only synthetic rows
are looked at, so rules cost no budget; that a rule holds must be known without the data.
"""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from privet.engine import ColumnKind, did_you_mean
from privet.errors import BadSynthesis, RuleUnmet

if TYPE_CHECKING:
    import pyarrow as pa

_RULE = re.compile(r"\s*(?P<left>.+?)\s*(?P<sign><=|>=|==|!=|<|>)\s*(?P<right>.+?)\s*")
SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_OF_ARROW = {
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "==": "equal",
    "!=": "not_equal",
}
_LARGEST = 2**63 - 1
_LEAST = 0.002  # of the synthetic rows must keep the rules
_TRIED = 20_000  # at least, before they are said not to
_BROKEN = 1_000  # rows that break a rule which none meets


@dataclass(frozen=True)
class RowRule:
    """One comparison: a column with another, or with a value."""

    left: str
    sign: str
    other: str | None
    value: Any = None

    def kept(self, rows: pa.Table) -> Any:
        """Which rows keep it; where a value is missing it is kept."""
        return self.holds(rows, missing=True)

    def holds(self, rows: pa.Table, *, missing: bool) -> Any:
        """In which rows the comparison holds, and what is said where a value is missing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        right = rows[self.other] if self.other is not None else pa.scalar(self.value, rows[self.left].type)
        return pc.fill_null(
            pc.call_function(_OF_ARROW[self.sign], [rows[self.left], right]), fill_value=missing
        )

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.other if self.other is not None else self.value}"


def rules_of(said: Iterable[str], columns: Mapping[str, ColumnKind]) -> tuple[RowRule, ...]:
    """Rules as people write them, checked against the columns of the twin."""
    return tuple(_read(one, columns) for one in said)


def _read(said: str, columns: Mapping[str, ColumnKind]) -> RowRule:
    found = _RULE.fullmatch(said)
    if found is None:
        raise BadSynthesis("a rule could not be read.", 'Write "discharged >= admitted" or "age < 18".')
    left, sign, right = found["left"], found["sign"], found["right"]
    if left not in columns:
        raise BadSynthesis(
            f"a rule names {left!r}, which the twin does not hold. {did_you_mean(left, columns)}",
            "Begin a rule with a column of the twin.",
        )
    if right == left:
        raise BadSynthesis(
            f"a rule compares {left!r} with itself.", "Compare it with another column, or with a value."
        )
    if right in columns:
        if columns[left] is not columns[right] and not (columns[left].is_number and columns[right].is_number):
            raise BadSynthesis(
                f"{left!r} and {right!r} cannot be compared.", "Compare columns of one kind of value."
            )
        return RowRule(left, sign, right)
    return RowRule(left, sign, None, _value(right, columns[left], left))


def _value(text: str, kind: ColumnKind, column: str) -> Any:
    readers: dict[ColumnKind, Any] = {
        ColumnKind.INTEGER: _whole,
        ColumnKind.REAL: _finite,
        ColumnKind.DATE: datetime.date.fromisoformat,
        ColumnKind.TIMESTAMP: datetime.datetime.fromisoformat,
        ColumnKind.BOOLEAN: lambda word: {"true": True, "false": False}[word.lower()],
    }
    bare = text.strip("'\"")
    try:
        return readers.get(kind, str)(bare)
    except (ValueError, KeyError):
        raise BadSynthesis(
            f"a rule compares {column!r} with something that is neither a column nor such a value.",
            "Write a value as it stands in the column, or another column's name.",
        ) from None


def _whole(text: str) -> int:
    """A whole number that a column can hold."""
    if abs(number := int(text)) > _LARGEST:
        raise ValueError
    return number


def _finite(text: str) -> float:
    """A number that others can be compared with."""
    if not math.isfinite(number := float(text)):
        raise ValueError
    return number


class KeptInRows(Protocol):
    """What says of synthetic rows which may stay."""

    def kept(self, rows: pa.Table) -> Any:
        """Which rows may stay."""


def keeping(rules: Sequence[KeptInRows], rows: int, made: Iterator[pa.Table]) -> pa.Table:
    """As many synthetic rows that keep all rules, from a stream of synthetic rows without end."""
    import pyarrow as pa

    parts: list[pa.Table] = []
    found, tried, emptied = 0, 0, _Emptied(rules)
    for piece in made:
        emptied.refuse(piece)
        good = piece
        for rule in rules:
            good = good.filter(rule.kept(good))
        parts.append(good)
        found, tried = found + good.num_rows, tried + piece.num_rows
        if found >= rows:
            break
        if tried >= _TRIED and found < _LEAST * tried:
            raise RuleUnmet(
                f"of {tried:,} synthetic rows only {found:,} keep the rules.",
                "Name the columns of the rules in the workload, so that they are modelled together, or check the rules.",
            )
    return pa.concat_tables(parts).slice(0, rows)


class _Emptied:
    """Counts how often a rule was met and broken: a rule that only missing values keep would empty its column."""

    def __init__(self, rules: Sequence[KeptInRows]) -> None:
        self.counts = {rule: [0, 0] for rule in rules if isinstance(rule, RowRule)}

    def refuse(self, piece: pa.Table) -> None:
        """Refuse, once so many rows broke a rule and none met it that it is no chance."""
        for rule, counts in self.counts.items():
            counts[0] += _many(rule.holds(piece, missing=False))
            counts[1] += piece.num_rows - _many(rule.kept(piece))
            if counts[0] == 0 and counts[1] >= _BROKEN:
                raise RuleUnmet(
                    f"{counts[1]:,} synthetic rows break the rule {rule}, and only rows with missing values keep it.",
                    "Check the rule; the noisy counts are kept, and making the rows again costs nothing.",
                )


def _many(these: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.sum(these).as_py() or 0)
