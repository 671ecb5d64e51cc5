"""Counts, sums and means of every world in one pass: the rows are read once, however many worlds there are.

Each row, or each person with what counts of them, bears the words of its worlds (`privet.engine._world_words`), cut into digits of a
few bits. It is added up once for each digit, by the digit's value; a world's sum is that of all values whose bit is set, and its
pair's is the rest. So 128 worlds cost six additions for each row instead of 128 scans, and what comes back does
not grow with the rows. All of it is in whole numbers, as in `privet.engine._sealed_aggregates`, whose stages these are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import _keyed_hash as keyed_hash
from privet.engine._contribution_bounds import Contribution
from privet.engine._engine_results import fetch, planned, written
from privet.engine._engine_versions import check_version
from privet.engine._group_measures import Measure
from privet.engine._masked_failures import MaskedFailure, Prepared, attempted
from privet.engine._public_keys import POSITION
from privet.engine._relation import ColumnKind, Relation
from privet.engine._sealed_aggregates import AggregateQuery
from privet.engine._world_words import BITS, row_word, with_words, words_for
from privet.errors import BadAggregate
from privet.guarantee import Person
from privet.sealed import FixedPoint, OutputGrid, SealedWorlds

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = ("rows", "persons", "valid", "sum", "mean")
CODE = "privet_code"
_PERSONS = "persons in each"
# How many bits a digit has, by how many groups there are: what comes back is groups x digits x values of a digit.
_WIDTHS = ((16, 12), (256, 8), (10_000, 4))


@dataclass(frozen=True, slots=True)
class WorldStatistic:
    """One number for each group and world. Counts and sums are doubled, since a world is half of everybody."""

    kind: str
    column: str | None = None
    fixed: FixedPoint | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadAggregate("unknown statistic of worlds.", f"Use one of {', '.join(KINDS)}.")
        self.measures("")  # refuses a column or bounds too many or too few

    def measures(self, name: str) -> dict[str, Measure]:
        """What is added up for it."""
        if self.kind in ("sum", "mean"):
            return {
                f"{name} total": Measure("sum", self.column, self.fixed),
                f"{name} rows": Measure("valid", self.column),
            }
        return {f"{name} total": Measure(self.kind, self.column, self.fixed)}

    def read(self, name: str, sums: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float64]:
        """The statistic in each world and group; that of no rows is 0."""
        total = sums[f"{name} total"].astype(np.float64)
        if self.fixed is None:
            return 2 * total
        rows = sums[f"{name} rows"].astype(np.float64)
        step, base = float(self.fixed.step), float(self.fixed.base)
        if self.kind == "sum":
            return 2 * (total * step + rows * base)
        return np.asarray(np.where(rows > 0, base + total * step / np.maximum(rows, 1), 0.0))


def prepare_worlds(
    relation: Relation,
    *,
    keys: Sequence[str],
    public_keys: pa.Table | None,
    statistics: Mapping[str, WorldStatistic],
    contribution: Contribution,
    seed: str,
    worlds: int,
    least_people: int,
    grid: OutputGrid,
) -> Callable[[], tuple[SealedWorlds, MaskedFailure | None]]:
    """Sealed outputs of all worlds: for each group in the order of the keys, its statistics in their order.

    Everything that can be refused is refused here, and no row is read. What is given back raises nothing: if the engine fails,
    it gives the outputs of no rows. A group with fewer than `least_people` people in a world has zeros in that world.
    """
    check_version(relation)
    if keys and public_keys is None:
        raise BadAggregate("groups of worlds are public.", "State the keys.")
    query = _WorldQuery(
        relation, tuple(keys), public_keys, dict(statistics), contribution, seed=seed, worlds=worlds
    )
    prepared = query.prepared_worlds(least_people, grid)
    return lambda: attempted(prepared)


class _WorldQuery(AggregateQuery):
    """One pass over the rows for all worlds."""

    def __init__(
        self,
        relation: Relation,
        keys: tuple[str, ...],
        public: pa.Table | None,
        statistics: dict[str, WorldStatistic],
        contribution: Contribution,
        *,
        seed: str,
        worlds: int,
    ) -> None:
        self.seed, self.worlds, self.statistics = seed, worlds, statistics
        measured = {_PERSONS: Measure("persons")}
        for name, statistic in statistics.items():
            measured |= statistic.measures(name)
        super().__init__(
            relation=_with_row_words(relation, contribution, seed, worlds),
            keys=keys,
            public=public,
            measured=measured,
            binned={},
            contribution=contribution,
            bounding_key="privet",
            rolls={},
        )
        self.size = self.known or 1
        self.width = next(width for most, width in _WIDTHS if self.size <= most)
        self.digits = -(-worlds // 2 // self.width)

    def prepared_worlds(self, least_people: int, grid: OutputGrid) -> Prepared[SealedWorlds]:
        rows = self._prepared()
        if isinstance(self.bound.unit, Person):
            totals = self._added_up(self._kept(self._per_person(rows)))
        else:
            totals = self._counted(rows)
        words = written(totals, self.engine)
        empty = planned(totals, self.engine, words)
        return Prepared(
            lambda: self._outputs(fetch(totals, self.engine, words), least_people, grid),
            self._outputs(empty, least_people, grid),
        )

    # --- the stages, with the words beside the rows ---------------------------------------------

    def _carried(self, table: Any) -> dict[str, Any]:
        whole = not isinstance(self.bound.unit, Person)
        return {name: table[name] for name in words_for(self.worlds)} if whole else {}

    def _per_person(self, table: Any) -> Any:
        pairs = super()._per_person(table)
        return with_words(pairs, keyed_hash.word(pairs["p"], self.engine, self.seed), self.seed, self.worlds)

    def _shares(self, pairs: Any) -> dict[str, Any]:
        return super()._shares(pairs) | {name: pairs[name] for name in words_for(self.worlds)}

    def _added_up(self, shares: Any) -> Any:
        return super()._added_up(self._coded(shares))

    def _counted(self, rows: Any) -> Any:
        return super()._counted(self._coded(rows))

    def _grouped(self, table: Any, totals: dict[str, Any]) -> Any:
        return table.group_by([*self.groups, CODE]).aggregate(**totals)

    def _coded(self, table: Any) -> Any:
        """Each row once for each of its digits: a number that says which digit it is, and its value."""
        import ibis

        codes = []
        for at in range(self.digits):
            word, shift = divmod(at * self.width, BITS)
            digit = (table[f"privet_world_{word}"].cast("int64") >> shift) & (2**self.width - 1)
            codes.append(digit + at * 2**self.width)
        return table.mutate(**{CODE: ibis.array(codes).unnest()})

    # --- from digits to worlds ------------------------------------------------------------------

    def _outputs(self, exact: pa.Table, least_people: int, grid: OutputGrid) -> SealedWorlds:
        places = np.zeros(exact.num_rows, np.int64)
        if self.groups:
            places = np.asarray(exact[POSITION].to_numpy(), np.int64)
        codes = np.asarray(exact[CODE].to_numpy(), np.int64)
        sums = {
            name: self._of_worlds(places, codes, self._entries(exact, measure)[:, 0])
            for name, measure in self.measured.items()
        }
        enough = sums[_PERSONS] >= least_people
        numbers = [np.where(enough, one.read(name, sums), 0.0) for name, one in self.statistics.items()]
        # World by world: all statistics of the first group, then of the next.
        flat = np.stack(numbers, axis=2).reshape(self.worlds, -1)
        return SealedWorlds(grid.encode(flat))

    def _of_worlds(
        self, places: NDArray[np.int64], codes: NDArray[np.int64], totals: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """What each world holds of each group: (worlds, groups)."""
        values = 2**self.width
        table = np.zeros((self.size, self.digits, values), np.int64)
        table[places, codes // values, codes % values] = totals
        everybody = table[:, 0, :].sum(axis=1)
        found = np.empty((self.worlds, self.size), np.int64)
        bits = (np.arange(values)[:, None] >> np.arange(self.width)) & 1
        for pair in range(self.worlds // 2):
            at, bit = divmod(pair, self.width)
            found[2 * pair] = table[:, at, :] @ bits[:, bit]
            found[2 * pair + 1] = everybody - found[2 * pair]
        return found


def _with_row_words(relation: Relation, contribution: Contribution, seed: str, worlds: int) -> Relation:
    """Where rows count by themselves, the words are theirs; those of persons are added once they are put together."""
    if isinstance(contribution.unit, Person):
        return relation
    known = [name for name, kind in relation.columns.items() if kind is not ColumnKind.OTHER]
    numbered, word = row_word(relation.table, known, relation.engine, seed)
    return relation.with_table(with_words(numbered, word, seed, worlds))
