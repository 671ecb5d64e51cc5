"""Whether rules can be kept by a row that has the values they speak of: asked before anything is spent.

A row in which a value is missing keeps every rule about it. So rules that no value meets would not fail: they would empty
the column, after the run was paid for. What shows without the data is refused here: values that contradict each other,
columns in a circle, and what lies outside the values or bounds that are stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from privet.errors import BadSynthesis
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._row_rules import SIGNS, RowRule
from privet.protect.synthesize._structural_zeros import surely_everywhere

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def refuse_unsatisfiable(rules: Sequence[RowRule], known: Mapping[str, ColumnDomain]) -> None:
    """Refuse rules that only rows with missing values would keep."""
    for one in rules:
        columns = [known.get(name) for name in (one.left, one.other) if name is not None]
        if None not in columns and surely_everywhere(opposite(one), [at for at in columns if at is not None]):
            raise _unmet(str(one), "lies outside what is stated of its columns")
    for column in dict.fromkeys(one.left for one in rules):
        own = [one for one in rules if one.left == column and one.other is None]
        if not _some_value(own):
            raise _unmet(" and ".join(map(str, own)), "hold of no value together")
    if circle := _circle([one for one in rules if one.other is not None]):
        raise _unmet(str(circle), "contradicts the others")


def opposite(rule: RowRule) -> RowRule:
    """What holds where the rule does not."""
    return RowRule(rule.left, _OPPOSITE[rule.sign], rule.other, rule.value)


def _some_value(rules: Sequence[RowRule]) -> bool:
    """Whether some value keeps these rules about one column: those said are tried, and what lies between and beside them."""
    said = sorted({one.value for one in rules})
    if said and isinstance(said[0], bool):
        return any(all(SIGNS[one.sign](value, one.value) for one in rules) for value in (False, True))
    return not said or any(
        all(SIGNS[one.sign](spot, said.index(one.value)) for one in rules) for spot in _spots(said)
    )


def _spots(said: Sequence[Any]) -> Iterable[float]:
    """Places on a line where the said values are the whole numbers: on each, between neighbours, and beyond the ends."""
    for at, value in enumerate(said):
        yield at
        if at + 1 < len(said) and not (isinstance(value, int) and said[at + 1] - value == 1):
            yield at + 0.5
    yield from (-0.5, len(said) - 0.5)


def _circle(rules: Sequence[RowRule]) -> RowRule | None:
    """A rule that the others forbid: of columns that come before each other in a circle, all are equal."""
    below: dict[str, set[str]] = {}
    for one in rules:
        assert one.other is not None
        if one.sign in {"<", "<=", "=="}:
            below.setdefault(one.left, set()).add(one.other)
        if one.sign in {">", ">=", "=="}:
            below.setdefault(one.other, set()).add(one.left)

    def reaches(start: str, end: str) -> bool:
        seen, left = {start}, [start]
        while left:
            left += (found := below.get(left.pop(), set()) - seen)
            seen |= found
        return end in seen

    for one in rules:
        assert one.other is not None
        equal = reaches(one.left, one.other) and reaches(one.other, one.left)
        if one.sign in {"<", ">", "!="} and equal:
            return one
    return None


def _unmet(what: str, why: str) -> BadSynthesis:
    return BadSynthesis(
        f"{what} {why}: only rows with missing values would keep it.",
        "Correct the rules; nothing was read or spent.",
    )
