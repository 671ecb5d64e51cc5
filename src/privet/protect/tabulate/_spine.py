"""What is asked: the same table for every place of a spine, with everything about it fixed and public."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import BadSpine, checked
from privet.guarantee import Number, written
from privet.protect.tabulate._feasibility import FeasibleWitness, find_witness
from privet.protect.tabulate._invariants import Facts, Invariant, gather
from privet.protect.tabulate._measurement_strategy import Strategy, make_strategy
from privet.protect.tabulate._spine_tree import TOP, Tree, make_tree
from privet.protect.tabulate._table_cells import TableCells
from privet.source import KeySet, Query, Selection, Table, as_arrow, count, crossed

if TYPE_CHECKING:
    import pyarrow as pa

# Families of larger tables take the solvers too long.
MOST_CELLS = 5_000
MOST_COLUMNS = 6
_RESERVED = {"count", "unbiased", "low", "high", "noisy", TOP}


@dataclass(frozen=True, eq=False)
class Spine:
    """A hierarchy to be released. Made by `spine`; holds public facts only, and has read nothing."""

    query: Query
    tree: Tree
    cells: TableCells
    strategy: Strategy
    invariants: tuple[Invariant, ...]
    zeros: tuple[Mapping[str, Any], ...]
    facts: Facts
    witness: FeasibleWitness

    @property
    def steps(self) -> int:
        """How many families a release solves: one for the top and one for each place that has children."""
        return 1 + sum(len(level) for level in self.tree.levels[:-1])

    @cached_property
    def keys(self) -> pa.Table:
        """Every leaf with every cell, leaf by leaf."""
        names = (*self.tree.columns, *self.cells.columns)
        sets = {self.tree.columns: KeySet(self.tree.leaves.places)}
        sets |= {
            (name,): KeySet(values)
            for name, values in zip(self.cells.columns, self.cells.values, strict=True)
        }
        rows = crossed(names, sets) or []
        return as_arrow(names, [self.query.columns[name] for name in names], rows)

    def describe(self) -> str:
        """The question as text. Two spines over a table read the same only if they are the same."""
        said = [
            self.query.describe(),
            f"SPINE {list(self.tree.columns)!r} CELLS {list(self.cells.columns)!r}",
        ]
        said.append(f"LEAVES AND CELLS {_digest([repr(self.tree.leaves.places), repr(self.cells.values)])}")
        said += [
            f"MEASURE {self.cells.name(group)!r} AT {self.tree.levels[depth].name!r} WITH {written(share)}"
            for (depth, group), share in self.strategy.shares
        ]
        for (depth, group), invariant in zip(self.facts.declared, self.invariants, strict=True):
            counts = self.facts.exact[depth, group].tolist()
            said.append(f"EXACT {invariant.sentence()}, {_digest(counts)}")
        if self.zeros:
            said.append(f"IMPOSSIBLE {_digest(np.flatnonzero(~self.facts.allowed[-1]).tolist())}")
        return "\n".join(said)


@checked
def spine(
    table: Table | Selection,
    levels: Sequence[str],
    cells: Sequence[str],
    *,
    leaves: KeySet | Iterable[Any] | None = None,
    keys: Mapping[str, KeySet | Iterable[Any]] | None = None,
    shares: Mapping[str, Number] | None = None,
    queries: Mapping[Any, Any] | None = None,
    invariants: Sequence[Invariant] = (),
    zeros: Sequence[Mapping[str, Any]] = (),
) -> Spine:
    """The same table of counts for every place of a hierarchy, to be released so that everything adds up.

    Args:
        table: The table, or a selection of its rows (`table.where(…)`, `table.derive(…)`).
        levels: Columns from the coarsest place to the finest; above them stands the level `all`.
        cells: Categorical columns whose combinations are counted in every place.
        leaves: The public list of the finest places, each a tuple of its values from the top down. Default: the
            table's keys for these columns.
        keys: The public values of each cell column. Default: the table's keys.
        shares: The weight of each level in the budget, exact; levels left out are not measured. Default: alike.
        queries: The weight of each query group (`total`, a column, `"age * sex"`, `detailed`), for all levels or for
            each by name. Default: half for `detailed`, the rest alike for the total and each column.
        invariants: Counts declared exact, with their origin. They are disclosures, outside of the promise.
        zeros: Cells that cannot occur, each as a mapping of columns to a value or several.

    Everything that can be known to be wrong from public facts is refused here; no row is read.
    """
    selection = table if isinstance(table, Selection) else Selection(table)
    query = _query(selection, tuple(levels), tuple(cells), leaves, keys)
    stated = {**query.table.keys, **query.key_sets}
    tree = make_tree(tuple(levels), stated[tuple(levels)].values)
    table_cells = TableCells(
        tuple(cells), tuple(tuple(value for (value,) in stated[name,].values) for name in cells)
    )
    if table_cells.size > MOST_CELLS:
        raise BadSpine(
            f"each place would have {table_cells.size:,} cells; more than {MOST_CELLS:,} are not fitted.",
            "Use fewer columns, or coarser categories.",
        )
    facts = gather(tree, table_cells, invariants, zeros)
    return Spine(
        query,
        tree,
        table_cells,
        make_strategy(tree, table_cells, shares, queries),
        tuple(invariants),
        tuple(zeros),
        facts,
        find_witness(tree, table_cells, facts),
    )


def _query(
    selection: Selection, levels: tuple[str, ...], cells: tuple[str, ...], leaves: Any, keys: Any
) -> Query:
    """The question for the finest table, checked like any other: columns, kinds and the origin of keys."""
    faults = []
    if not levels or not cells:
        faults.append("a spine needs at least one level and one column of cells.")
    if len(cells) > MOST_COLUMNS:
        faults.append(f"a table of {len(cells)} columns is too wide; at most {MOST_COLUMNS} are fitted.")
    if len({*levels, *cells}) < len(levels) + len(cells):
        faults.append("a column is named twice.")
    if _RESERVED & {*levels, *cells}:
        faults.append(
            f"these names are taken by the answer: {', '.join(sorted(_RESERVED & {*levels, *cells}))}."
        )
    if selection.keys:
        faults.append("the selection is grouped already; a spine groups by itself.")
    if faults:
        raise BadSpine(
            " ".join(faults), "Write spine(people, levels=['state', 'county'], cells=['age', 'sex'])."
        )
    stated: dict[Any, Any] = dict(keys or {})
    if leaves is not None:
        stated[levels] = leaves
    query = selection.group_by(*levels, *cells, keys=stated).agg(n=count())
    known = {**query.table.keys, **query.key_sets}
    missing = [name for name in cells if (name,) not in known]
    if levels not in known or missing:
        raise BadSpine(
            "the public values of these are missing: "
            + ", ".join([*(["the leaves"] if levels not in known else []), *missing])
            + ".",
            "State them: leaves=[('North', 'Hill'), …], keys={'age': ['0-17', …]}. They must not come from the data.",
        )
    return query


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
