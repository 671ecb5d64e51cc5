"""Exact numbers of rows in public bins, with bounded contributions, under seal.

1. Rows without a person or without a stated key are dropped.
2. Each person's rows are counted for each group and bin (or, with `once`, count once in each bin).
3. A person keeps the first groups in hashed order, exactly as in `privet.engine._sealed_aggregates`: rows in no bin take
   part in that, so that everybody is in the same groups whatever is measured. Then they are dropped.
4. Within a group, a person with more rows than allowed keeps a systematic sample of them: the rows stand in the
   order of their bins and every (rows / allowed)-th is kept, from a start that a hash of the person and the group
   decides. So each row has the same chance, and a person's kept rows are spread over the bins as all of them are.
5. What is kept is added up for each group and bin.

Steps 3 and 4 look at one person's rows alone, so removing a person takes away what was kept and nothing else: at
most `most_rows` rows in each of at most `groups` groups, however many bins there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import _dialects as dialects
from privet.engine import _keyed_hash as keyed_hash
from privet.engine._contribution_bounds import Contribution
from privet.engine._dialects import whole
from privet.engine._engine_results import fetch, planned, written
from privet.engine._expression_kinds import column_kind
from privet.engine._masked_failures import Prepared
from privet.engine._public_bins import Bins, EvenBins, placed
from privet.engine._public_keys import POSITION, match_positions
from privet.engine._relation import ColumnKind, Relation
from privet.errors import BadAggregate
from privet.guarantee import Person
from privet.sealed import Sensitivity

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CELLS = 2**26
# The products that place a systematic sample are exact below 2^53, and fit 64 bits for any number of rows.
MOST_ROWS = 2**24
_PERSON, _MIXED, _HASH, _RANK, _ALL, _SO_FAR, _MOST, _CELL = "p", "z", "h", "r", "a", "s", "m", "b"
_ROWS, _COUNT = "l", "c"


@dataclass(frozen=True, slots=True)
class Binned:
    """A number of rows for each group and bin; several columns make a cross table, the last one running fastest.

    `once`: a person counts once in a bin, however many rows they have there.
    """

    columns: tuple[str, ...]
    bins: tuple[Bins, ...]
    once: bool = False
    kind = "cells"

    @property
    def cells(self) -> int:
        """The number of bins of each group."""
        return int(np.prod([bins.count for bins in self.bins], dtype=object))

    @property
    def length(self) -> int:
        """The number of entries for each group."""
        return self.cells

    @property
    def counted(self) -> Binned:
        """What must be counted for it: itself."""
        return self

    def sensitivity(self, contribution: Contribution, known: int | None) -> Sensitivity:
        """How far one unit moves the counts."""
        return contribution.cells_sensitivity(known, self.cells, once=self.once)

    def read(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts as they are."""
        return counts


@dataclass(frozen=True, slots=True)
class Ranked:
    """How well each bin of one column holds the value at a rank: 0 if it does, else minus the rows it is away.

    The rank is `quantile` of the rows, moved by `shift`. Ranks are counted in parts of a row, `parts` to each, so
    that they are whole. Bin 0 of a group stands for the lower bound itself and the last one for the upper: they
    hold every rank below the first and above the last row.

    The score of bin b is -max(0, d·under(b) - t, t - d·upto(b)), with t = a·rows + shift for the quantile a/d: the
    least number of rows to add or remove that makes b right, up to the factor max(a, d - a) (the inverse
    sensitivity of Asi and Duchi 2020).

    With `together` above one, so many neighbouring bins are one candidate (fewer for the last).
    """

    column: str
    bins: Bins
    quantile: Fraction
    shift: int = 0
    together: int = 1
    kind = "ranks"

    @property
    def length(self) -> int:
        """The number of candidates: the bins, and both ends."""
        return -(-self.bins.count // self.together) + 2

    @property
    def counted(self) -> Binned:
        """What must be counted for it."""
        return Binned((self.column,), (self.bins,))

    def sensitivity(self, contribution: Contribution, known: int | None) -> Sensitivity:
        """How far one unit moves the scores: a row moves all scores of its group at most, and no others."""
        above, parts = self.quantile.numerator, self.quantile.denominator
        return contribution.ranks_sensitivity(known, self.length, parts - above, above)

    def read(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Scores, group by group."""
        counts = np.add.reduceat(counts, np.arange(0, counts.shape[1], self.together), axis=1)
        upto = np.cumsum(counts, axis=1)
        rows = upto[:, -1:] if counts.shape[1] else np.zeros((len(counts), 1), np.int64)
        target = self.quantile.numerator * rows + self.shift
        under = self.quantile.denominator * (upto - counts)
        upto = self.quantile.denominator * upto
        inner = np.maximum(np.maximum(under - target, target - upto), 0)
        lower = np.maximum(target, 0)
        upper = np.maximum(self.quantile.denominator * rows - target, 0)
        return -np.concatenate([lower, inner, upper], axis=1)


@dataclass(frozen=True, slots=True)
class Branched:
    """Numbers of rows in even bins, and in runs of `branching` bins, of `branching` runs, and so on up to all of them.

    One vector for each group: all rows first, then level after level down to the bins. A row counts once in each.
    """

    column: str
    bins: EvenBins
    branching: int
    kind = "tree"

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes of each level, from the top."""
        found = [1]
        while found[-1] < self.bins.count:
            found.append(found[-1] * self.branching)
        if found[-1] != self.bins.count:
            raise BadAggregate(
                f"{self.bins.count} bins cannot be parted into {self.branching} down to single ones.",
                f"Use a power of {self.branching}.",
            )
        return tuple(found)

    @property
    def length(self) -> int:
        """The number of nodes."""
        return sum(self.sizes)

    @property
    def counted(self) -> Binned:
        """What must be counted for it."""
        return Binned((self.column,), (self.bins,))

    def sensitivity(self, contribution: Contribution, known: int | None) -> Sensitivity:
        """How far one unit moves the counts: what it adds to the bins, once more for each level."""
        levels = [contribution.cells_sensitivity(known, size, once=False) for size in self.sizes]
        return Sensitivity(
            sum(level.coordinates for level in levels),
            max(level.largest for level in levels),
            sum(level.total for level in levels),
        )

    def read(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """All levels, one after the other."""
        groups, bins = counts.shape
        return np.concatenate(
            [counts.reshape(groups, size, bins // size).sum(axis=2) for size in self.sizes], axis=1
        )


@dataclass(frozen=True, slots=True)
class Distinct:
    """The number of distinct values of a column in each group, each person adding at most `most_rows` of theirs.

    One person more can add no more values than they keep, and one person less can take no more away.
    """

    column: str
    kind = "distinct"
    length = 1

    @property
    def counted(self) -> Distinct:
        """What must be counted for it: itself."""
        return self

    def sensitivity(self, contribution: Contribution, known: int | None) -> Sensitivity:
        """How far one unit moves the numbers."""
        return contribution.rows_sensitivity(known)

    def read(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers as they are."""
        return counts


CellMeasure = Binned | Ranked | Branched | Distinct


@dataclass(frozen=True)
class CellCounts:
    """Exact entries, as few as there are: group, bin and number. `groups` is None where keys are stated or absent."""

    groups: pa.Table | None
    positions: NDArray[np.int64]
    cells: NDArray[np.int64]
    counts: NDArray[np.int64]

    def laid_out(self, entries: int, length: int, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """A row of counts for each of so many groups; `order` says which group a position is, -1 for none."""
        found = np.zeros((entries, length), np.int64)
        at = order[self.positions] if len(order) else self.positions
        shown = at >= 0
        found[at[shown], self.cells[shown]] = self.counts[shown]
        return found


def prepare_cells(
    relation: Relation,
    *,
    keys: Mapping[str, str],
    public: pa.Table | None,
    measure: Binned | Distinct,
    contribution: Contribution,
    bounding_key: str,
) -> Prepared[CellCounts]:
    """The exact cells of one measure, up to the point where the engine would start. `keys` maps keys to places.

    Reads no row; everything that can be refused is refused here.
    """
    known = 1 if not keys else None if public is None else public.num_rows
    _check(measure, relation, contribution, known)
    groups = [] if not keys else list(keys.values()) if public is None else [POSITION]
    counting = _Counting(relation, dict(keys), public, groups, measure, contribution, bounding_key, known)
    table = counting.table()
    words = written(table, relation.engine)
    empty = planned(table, relation.engine, words)
    return Prepared(lambda: counting.read(fetch(table, relation.engine, words)), counting.read(empty))


def _check(
    measure: Binned | Distinct, relation: Relation, contribution: Contribution, known: int | None
) -> None:
    columns = (measure.column,) if isinstance(measure, Distinct) else measure.columns
    for at, name in enumerate(columns):
        kind = column_kind(name, relation.columns)
        if kind is ColumnKind.OTHER:
            raise BadAggregate(f"column {name!r} has a type whose values cannot be told apart.")
        if isinstance(measure, Binned) and hasattr(measure.bins[at], "edges") and not kind.is_number:
            raise BadAggregate(f"column {name!r} holds {kind.value}: it has no ranges of numbers.")
    if contribution.most_rows > MOST_ROWS:
        raise BadAggregate(f"a person's rows are sampled up to {MOST_ROWS:,} of them.", "Lower max_rows.")
    if isinstance(measure, Binned) and measure.cells * (known or 1) > MOST_CELLS:
        raise BadAggregate(
            f"the bins of all groups are more than {MOST_CELLS:,}.", "Use fewer bins, or fewer groups."
        )


@dataclass(frozen=True)
class _Counting:
    """One question: the stages, and reading their result."""

    relation: Relation
    keys: dict[str, str]
    public: pa.Table | None
    groups: list[str]
    measure: Binned | Distinct
    bound: Contribution
    bounding_key: str
    known: int | None

    def table(self) -> Any:
        rows = self._prepared()
        by = [*self.groups, _CELL]
        if not isinstance(self.bound.unit, Person):
            binned = rows.filter(rows[_CELL].notnull())
            kept = binned.group_by(by).aggregate(n=binned.count())
        else:
            each = rows.group_by([_PERSON, *by]).aggregate(**{_ROWS: rows.count()})
            once = isinstance(self.measure, Distinct) or self.measure.once
            counted = whole(1) if once else each[_ROWS]
            first = self._first_groups(self._hashed(each.mutate(**{_COUNT: counted})))
            shares = self._shares(first.filter(first[_CELL].notnull()))
            kept = shares.group_by(by).aggregate(n=shares["n"].sum())
        if not isinstance(self.measure, Distinct):
            return kept
        found = kept.group_by(self.groups) if self.groups else kept
        return found.aggregate(n=kept.count())

    def _prepared(self) -> Any:
        """Person, keys and bin of each row; the bin is missing for rows in none."""
        table, engine = self.relation.table, self.relation.engine
        columns: dict[str, Any] = {}
        if isinstance(self.bound.unit, Person):
            table = table.filter(dialects.is_there(table[self.bound.unit.column]))
            columns[_PERSON] = table[self.bound.unit.column]
        for name, column in self.keys.items():
            columns[column] = dialects.canonical_key(table[name], engine)
        if isinstance(self.measure, Distinct):
            columns[_CELL] = dialects.canonical_key(table[self.measure.column], engine)
            rows = table.select(**columns)
        else:
            columns |= {f"v{at}": table[name] for at, name in enumerate(self.measure.columns)}
            rows = self._placed(table.select(**columns))
        if self.public is not None:
            rows = match_positions(rows, self.keys, self.public, self.relation)
        return rows

    def _placed(self, rows: Any) -> Any:
        assert isinstance(self.measure, Binned)
        for at, bins in enumerate(self.measure.bins):
            rows = placed(rows, f"b{at}", f"v{at}", bins, self.relation)
        cell: Any = whole(0)
        for at, bins in enumerate(self.measure.bins):
            cell = cell * whole(bins.count) + rows[f"b{at}"].cast("int64")
        places = [f"b{at}" for at in range(len(self.measure.bins))]
        return rows.mutate(**{_CELL: cell.cast("int32")}).drop(*(p for p in places if p != _CELL))

    def _hashed(self, each: Any) -> Any:
        key = self.bounding_key
        person = keyed_hash.person_word(keyed_hash.word(each[_PERSON], self.relation.engine, key), key)
        if self.groups:
            words = [keyed_hash.word(each[name], self.relation.engine, key) for name in self.groups]
            person = person ^ keyed_hash.combined(words, key)
        staged = each.mutate(**{_MIXED: person})
        staged = staged.mutate(**{_MIXED: keyed_hash.round_of(staged[_MIXED], 0, key)})
        hashed = staged.mutate(**{_HASH: keyed_hash.round_of(staged[_MIXED], 1, key)})
        return hashed.mutate(**{_HASH: hashed[_HASH].cast("int32")}).drop(_MIXED)

    def _first_groups(self, each: Any) -> Any:
        """Only the groups that a person keeps, with the number of rows kept there in `_MOST`.

        A group's bins stand together in hashed order, so the running total at any of them counts the groups
        before it in full, and its own once: at its first bin.
        """
        import ibis

        if self.groups and (self.known is None or self.bound.groups < self.known):
            order = ibis.window(group_by=_PERSON, order_by=[_HASH, *self.groups])
            each = each.mutate(**{_RANK: ibis.dense_rank().over(order)})
            each = each.filter(each[_RANK] < whole(self.bound.groups))
        if self.bound.total_rows is None or not self.groups:
            return each.mutate(**{_MOST: whole(self.bound.most_rows)})
        budget = whole(self.bound.total_rows)
        group = ibis.window(group_by=[_PERSON, *self.groups])
        within = ibis.window(group_by=[_PERSON, *self.groups], order_by=[_CELL])
        each = each.mutate(
            **{
                _MOST: ibis.least(each[_ROWS].sum().over(group).cast("int64"), budget),
                _RANK: ibis.row_number().over(within),
            }
        )
        each = each.mutate(**{_MIXED: ibis.ifelse(each[_RANK] == whole(0), each[_MOST], whole(0))})
        running = ibis.cumulative_window(group_by=_PERSON, order_by=[_HASH, *self.groups, _CELL])
        each = each.mutate(**{_MIXED: each[_MIXED].sum().over(running).cast("int64")})
        left = budget - (each[_MIXED] - each[_MOST])
        each = each.mutate(**{_MOST: ibis.least(each[_MOST], left)})
        return each.filter(each[_MOST] > whole(0))

    def _shares(self, each: Any) -> Any:
        """How many rows of each bin are kept: all, or those that the systematic sample meets.

        Of the first s rows it meets floor((most·s + start) / all): the differences over the bins add up to `most`.
        """
        import ibis

        group = ibis.window(group_by=[_PERSON, *self.groups])
        running = ibis.cumulative_window(group_by=[_PERSON, *self.groups], order_by=[_CELL])
        each = each.mutate(
            **{
                _ALL: each[_COUNT].sum().over(group).cast("int64"),
                _SO_FAR: each[_COUNT].sum().over(running).cast("int64"),
            }
        )
        start = keyed_hash.round_of(each[_HASH].cast("int64"), 0, f"{self.bounding_key}|start")
        each = each.mutate(**{_MIXED: start % each[_ALL]})

        def met(rows: Any) -> Any:
            ratio = (each[_MOST] * rows + each[_MIXED]).cast("float64") / each[_ALL].cast("float64")
            return ibis.least(dialects.floor(ratio).cast("int64"), each[_MOST])

        part = met(each[_SO_FAR]) - met(each[_SO_FAR] - each[_COUNT])
        kept = ibis.ifelse(each[_ALL] <= each[_MOST], each[_COUNT].cast("int64"), part)
        shares = each.select(*self.groups, _CELL, n=kept)
        return shares.filter(shares["n"] > whole(0))

    def read(self, exact: pa.Table) -> CellCounts:
        count = exact.num_rows
        cells = np.zeros(count, np.int64) if isinstance(self.measure, Distinct) else _whole(exact[_CELL])
        counts = _whole(exact["n"])
        if not self.keys:
            return CellCounts(None, np.zeros(count, np.int64), cells, counts)
        if self.public is not None:
            return CellCounts(None, _whole(exact[POSITION]), cells, counts)
        found = exact.select(self.groups).rename_columns(list(self.keys))
        return CellCounts(found, np.arange(count, dtype=np.int64), cells, counts)


def _whole(column: Any) -> NDArray[np.int64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(column.cast(pa.int64()), 0).to_numpy(), np.int64)


def places_of(found: pa.Table, among: pa.Table) -> NDArray[np.int64]:
    """For each row of `found`, the row of `among` that is equal to it, missing values included; -1 if none is."""
    import pyarrow as pa

    codes = np.zeros(among.num_rows + found.num_rows, np.int64)
    for name in among.column_names:
        both = pa.chunked_array([*among[name].chunks, *found[name].chunks], type=among[name].type)
        encoded = both.combine_chunks().dictionary_encode(null_encoding="encode")
        each = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)
        _, codes = np.unique(codes * (each.max(initial=0) + 1) + each, return_inverse=True)
    known, wanted = codes[: among.num_rows], codes[among.num_rows :]
    order = np.full(codes.max(initial=0) + 1, -1, np.int64)
    order[known] = np.arange(among.num_rows)
    return order[wanted]


def counted_once(measures: Iterable[CellMeasure]) -> list[Binned | Distinct]:
    """What must be counted for these measures, each once."""
    return list(dict.fromkeys(measure.counted for measure in measures))
