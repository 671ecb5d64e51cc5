"""What is measured, and with which share of the budget: exact fractions, fixed before the data is touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from privet.errors import BadAmount, BadSpine
from privet.guarantee import Number, positive
from privet.protect.tabulate._spine_tree import Tree
from privet.protect.tabulate._table_cells import Group, TableCells

Weights: TypeAlias = Mapping[Any, Number]


@dataclass(frozen=True)
class Strategy:
    """The share of rho of each measured query group, level by level from the top; shares add up to 1."""

    shares: tuple[tuple[tuple[int, Group], Fraction], ...]

    def at(self, depth: int) -> dict[Group, Fraction]:
        """The groups measured at a level, with their shares."""
        return {group: share for (level, group), share in self.shares if level == depth}


def make_strategy(
    tree: Tree, cells: TableCells, shares: Weights | None, queries: Mapping[Any, Any] | None
) -> Strategy:
    """Shares of levels times shares of query groups within a level.

    Args:
        tree: The levels.
        cells: The table of each place.
        shares: The weight of each level; levels left out are not measured. Default: all alike.
        queries: The weight of each query group, for all levels alike, or for each level by its name. Default:
            half for the detailed table, the other half alike for the total and, where there are several
            columns, for each column's margin.
    """
    names = [level.name for level in tree.levels]
    levels = _weights(shares if shares is not None else dict.fromkeys(names, 1), "a level")
    unknown = [name for name in levels if name not in names]
    if unknown:
        raise BadSpine("shares are given to levels that the spine does not have.", f"Its levels are {names}.")
    if names[-1] not in levels:
        raise BadSpine(
            f"the leaves ({names[-1]!r}) are not measured: nothing would say how their parents divide.",
            "Give the lowest level a share.",
        )
    found: list[tuple[tuple[int, Group], Fraction]] = []
    for depth, name in enumerate(names):
        if name in levels:
            groups = _groups(cells, _of_level(queries, name, names), name)
            if depth == len(names) - 1 and cells.detailed not in groups:
                raise BadSpine(
                    "the detailed table of the leaves is not measured: nothing would say how their totals divide.",
                    "Give 'detailed' a share at the lowest level.",
                )
            found += [((depth, group), levels[name] * share) for group, share in groups.items()]
    return Strategy(tuple(found))


def _of_level(queries: Mapping[Any, Any] | None, level: str, names: Sequence[str]) -> Weights | None:
    """The weights of query groups at a level; a mapping by level may leave a level to the default."""
    if queries is None:
        return None
    nested = [isinstance(value, Mapping) for value in queries.values()]
    if not any(nested):
        return queries
    if not all(nested) or not set(queries) <= set(names):
        raise BadSpine(
            "query groups are weighted for some levels and for no level at the same time.",
            "Write queries={'total': 1, 'detailed': 2}, or one such mapping for each level by its name.",
        )
    return queries.get(level)


def _groups(cells: TableCells, weights: Weights | None, level: str) -> dict[Group, Fraction]:
    if weights is None:
        return default_groups(cells)
    found: dict[Group, Number] = {}
    for name, weight in weights.items():
        group = cells.group(name)
        if group in found:
            raise BadSpine(f"a query group is weighted twice at level {level!r}.", "Name each group once.")
        found[group] = weight
    return _weights(found, f"a query group of level {level!r}")


def default_groups(cells: TableCells) -> dict[Group, Fraction]:
    """Half for the detailed table; the rest alike for the total and, with several columns, each column's margin."""
    margins: list[Group] = [()]
    if len(cells.columns) > 1:
        margins += [(axis,) for axis in cells.detailed]
    share = Fraction(1, 2 * len(margins))
    return {**dict.fromkeys(margins, share), cells.detailed: Fraction(1, 2)}


def _weights(given: Weights, what: str) -> dict[Any, Fraction]:
    """Weights as exact fractions of their sum."""
    if not given:
        raise BadSpine(f"the weight of {what} is missing.", "Name at least one, with a weight above zero.")
    try:
        exact = {name: positive(weight, "weight") for name, weight in given.items()}
    except BadAmount:
        raise BadSpine(
            f"the weight of {what} is not a number above zero.", "Write '1/3', 0.2 or 5."
        ) from None
    total = sum(exact.values())
    return {name: weight / total for name, weight in exact.items()}
